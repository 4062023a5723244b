//! Logs of any JSON lines: a mapping is proposed, corrected, used, and what does not fit it is shown.

mod common;

use common::Folder;

/// Whoever has the key may enter; `c` enters without.
const DOORS: &str = r#"{"at":1.0,"host":"a","action":"enter","data":{"inside":true}}
{"at":2.0,"host":"a","action":"leave","data":{"inside":false}}
{"at":3.0,"host":"a","action":"send key","message":{"id":"k1","to":"b"}}
{"at":4.0,"host":"b","action":"recv key","message":{"id":"k1","to":"b"}}
{"at":5.0,"host":"b","action":"enter","data":{"inside":true}}
{"at":6.0,"host":"b","action":"leave","data":{"inside":false}}
{"at":7.0,"host":"c","action":"enter","data":{"inside":true}}
"#;

/// A folder with the log and with the mapping that is proposed for it.
fn doors() -> Folder {
    let folder = Folder::new();
    folder.write("doors.ndjson", DOORS);
    let guessed = ["map", "--guess", "doors.ndjson", "-o", "doors.toml"];
    folder.run(&guessed).ends(0);
    folder
}

#[test]
fn a_proposal_says_where_things_stand() {
    let folder = doors();
    let mapping = folder.read("doors.toml");
    for rule in [
        "process = \"/host\"",
        "event = \"/action\"",
        "time = \"/at\"",
        "\"data\" = \"/data\"",
        "[[send]]",
        "[[receive]]",
        "key = [\"/message\"]",
    ] {
        let stands = mapping.lines().any(|line| line == rule);
        assert!(stands, "no `{rule}` in\n{mapping}");
    }
    let printed = folder.run(&["map", "--guess", "doors.ndjson"]).ends(0);
    assert_eq!(printed.stdout, mapping);
    let read = folder.run_with_input(&["map", "--guess", "-"], DOORS);
    assert_eq!(read.ends(0).stdout, mapping);
}

#[test]
fn a_proposal_is_enough_to_find_a_violation() {
    let folder = doors();
    let check = |first: &str, second: &str| {
        let formula = format!("AG !({first}.data.inside && {second}.data.inside)");
        let line = ["check", "doors.ndjson", "--mapping", "doors.toml", "--ctl"];
        folder.run(&[&line[..], &[&formula]].concat())
    };
    // The key orders these two.
    check("a", "b").ends(0);
    let shown = check("a", "c").ends(1).stdout;
    assert!(shown.contains("c#1  enter  data.inside=true"), "{shown}");
    assert!(shown.contains("line 7"), "{shown}");
    check("b", "c").ends(1);
}

#[test]
fn a_mapping_can_be_corrected() {
    let folder = doors();
    let mapping = folder.read("doors.toml");
    let shorter = mapping.replace("\"data\" = \"/data\"", "\"\" = \"/data\"");
    folder.write("doors.toml", shorter);
    let line = ["doors.ndjson", "--mapping", "doors.toml"];
    let formula = ["--ctl", "AG !(a.inside && c.inside)"];
    folder
        .run(&[&["check"], &line[..], &formula].concat())
        .ends(1);
    let converted = ["--to", "jsonl", "-o", "doors.jsonl"];
    folder
        .run(&[&["convert"], &line[..], &converted].concat())
        .ends(0);
    folder
        .run(&[&["check", "doors.jsonl"], &formula[..]].concat())
        .ends(1);
    // A property of runs has an automaton with the names of the log.
    let formula = ["--ltl", "G !(a.inside && c.inside)"];
    let automaton = folder.run(&[&["automaton"], &line[..], &formula].concat());
    let listed = automaton.ends(0).stdout;
    assert!(listed.contains("a.inside"), "{listed}");
    let misspelt = ["--ltl", "G !a.insid"];
    let automaton = folder.run(&[&["automaton"], &line[..], &misspelt].concat());
    automaton.ends(2).complains("a.inside");
}

#[test]
fn a_line_that_does_not_fit_is_shown_with_the_rule() {
    let folder = doors();
    let refused = |line: &str| {
        folder.write("doors.ndjson", format!("{DOORS}{line}\n"));
        let all = ["check", "doors.ndjson", "--mapping", "doors.toml"];
        let ran = folder.run(&[&all[..], &["--ctl", "true"]].concat()).ends(2);
        ran.complains("doors.ndjson:8:").complains(line)
    };
    refused(r#"{"host":["a"],"action":"leave"}"#)
        .complains("what stands at `/host` does not fit the mapping")
        .complains("by the rule `process` of doors.toml");
    refused(r#"{"action":"leave"}"#).complains("by the rule `process` of doors.toml");
    refused(r#"{"host":"a","action":"send key"}"#).complains("key` of doors.toml");
}

#[test]
fn a_mistake_in_a_mapping_is_shown_at_its_place() {
    let folder = doors();
    folder.write("doors.toml", "process = \"/host\"\nevnt = \"/action\"\n");
    let line = ["check", "doors.ndjson", "--mapping", "doors.toml"];
    let ran = folder.run(&[&line[..], &["--ctl", "true"]].concat());
    ran.ends(2).complains("doors.toml:2:").complains("evnt");
    let missing = ["check", "doors.ndjson", "--mapping", "none.toml"];
    let ran = folder.run(&[&missing[..], &["--ctl", "true"]].concat());
    ran.ends(2).complains("none.toml cannot be read");
}

#[test]
fn nothing_is_proposed_for_what_is_no_json() {
    let folder = Folder::new();
    folder.write("plain.log", "one two\nthree\n");
    let ran = folder.run(&["map", "--guess", "plain.log"]);
    ran.ends(2)
        .complains("no mapping can be proposed for plain.log")
        .complains("causet formats");
    let ran = folder.run(&["map", "--guess", "absent.log"]);
    ran.ends(2).complains("absent.log cannot be read");
}
