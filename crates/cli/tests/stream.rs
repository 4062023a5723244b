//! `causet check --stream`: what it says, what it refuses, and that it says what the whole run says.

mod common;

use common::{ELECTION, Folder};

#[test]
fn a_stream_and_the_whole_run_have_one_verdict() {
    let folder = Folder::election();
    for formula in [
        "G !(a.leader && b.leader)",
        "F (b.leader && b.term = 2)",
        "G (on(\"elect\") -> F on(\"vote\"))",
        "forall i in procs: G (i.leader -> X true)",
    ] {
        let whole = folder.run(&["check", "t.jsonl", "--ltl", formula, "-q"]);
        let stream = folder.run(&["check", "t.jsonl", "--stream", "--ltl", formula, "-q"]);
        assert_eq!(stream.code, whole.code, "{formula}: {stream:?}");
    }
}

#[test]
fn the_report_says_that_no_order_is_shown() {
    let folder = Folder::election();
    let formula = "G !(a.leader && b.leader)";
    let ran = folder.run(&["check", "t.jsonl", "--stream", "--ltl", formula]);
    let text = ran.ends(1).stdout;
    assert!(text.starts_with("violated"), "{text}");
    assert!(text.contains("check without --stream"), "{text}");
    assert!(!text.contains("No single order"), "{text}");
}

#[test]
fn the_object_has_the_size_of_the_run_and_figures() {
    let folder = Folder::election();
    let formula = "G !(a.leader && b.leader)";
    let ran = folder.run(&["check", "t.jsonl", "--stream", "--json", "--ltl", formula]);
    let object = ran.ends(1).json();
    let size = serde_json::json!({"path": "t.jsonl", "processes": 3, "events": 6, "messages": 2});
    assert_eq!(object["trace"], size);
    let result = &object["results"][0];
    assert_eq!(result["verdict"], "violated");
    assert!(result["witness"].is_null());
    for name in ["events", "visible", "window", "states", "transitions"] {
        assert!(result["stats"][name].is_u64(), "{name}: {result}");
    }
}

#[test]
fn what_cannot_be_streamed_is_refused() {
    let folder = Folder::election();
    folder
        .run_with_input(&["check", "-", "--stream", "--ltl", "G true"], ELECTION)
        .ends(2)
        .complains("standard input");
    if cfg!(unix) {
        let line = ["check", "/dev/stdin", "--stream", "--ltl", "G true"];
        let ran = folder.run_with_input(&line, ELECTION);
        ran.ends(2).complains("pipes can be read only once");
    }
    let refused = |arguments: &[&str], why: &str| {
        let all = [&["check", "t.jsonl", "--stream"], arguments].concat();
        folder.run(&all).ends(2).complains(why);
    };
    refused(&["--ctl", "AG EF a.leader"], "check it without --stream");
    refused(&["--lenient", "--ltl", "G true"], "--lenient");
    refused(&["--ltl", "G !a.leadr"], "a.leader");
}

#[test]
fn other_formats_are_named_and_can_be_converted() {
    let folder = Folder::election();
    let converted = ["convert", "t.jsonl", "--to", "bin", "-o", "t.causet"];
    folder.run(&converted).ends(0);
    folder.write("t.log", "a {\"a\":1}\nstart\nb {\"a\":1,\"b\":1}\nstop\n");
    folder.write("t.toml", "process = \"/p\"\n");
    let refused = |arguments: &[&str], format: &str| {
        let all = [&["check", "--stream", "--ltl", "G true"], arguments].concat();
        let ran = folder.run(&all).ends(2);
        let ran = ran.complains("--stream reads Causet JSON lines");
        let ran = ran.complains(&format!("in the format `{format}`"));
        ran.complains("causet convert --to jsonl");
    };
    refused(&["t.causet"], "bin");
    refused(&["t.log"], "shiviz");
    refused(&["t.jsonl", "--format", "tracing"], "tracing");
    refused(&["t.jsonl", "--mapping", "t.toml"], "mapped");
    let converted = ["convert", "t.log", "--to", "jsonl", "-o", "run.jsonl"];
    folder.run(&converted).ends(0);
    let streamed = ["check", "run.jsonl", "--stream", "--ltl", "F on(\"stop\")"];
    folder.run(&streamed).ends(0);
}

#[test]
fn a_line_at_fault_is_shown() {
    let folder = Folder::new();
    let refused = |second: &str| {
        let text = format!("{{\"p\":\"b\",\"set\":{{\"y\":0}}}}\n{second}\n");
        folder.write("t.jsonl", text);
        let ran = folder.run(&["check", "t.jsonl", "--stream", "--ltl", "G (b.y = 0)"]);
        ran.ends(2).complains("t.jsonl:2:");
    };
    refused(r#"{"p":"b","sett":{}}"#);
    refused(r#"{"p":"b","recv":"m"}"#);
    refused(r#"{"p":"b","after":["e"]}"#);
    refused(r#"{"p":"b","clock":{"b":3}}"#);
}

#[test]
fn parts_take_turns() {
    let folder = Folder::new();
    let mut logs = [String::new(), String::new()];
    for round in 0..4000 {
        let (here, there) = (round % 2, 1 - round % 2);
        let name = ["a", "b"];
        logs[here] += &format!("{{\"p\":\"{}\",\"set\":{{\"crit\":true}}}}\n", name[here]);
        logs[here] += &format!(
            "{{\"p\":\"{}\",\"send\":\"m{round}\",\"to\":\"{}\",\"set\":{{\"crit\":false}}}}\n",
            name[here], name[there]
        );
        logs[there] += &format!("{{\"p\":\"{}\",\"recv\":\"m{round}\"}}\n", name[there]);
    }
    folder.write("run/a.jsonl", &logs[0]);
    folder.write("run/b.jsonl", &logs[1]);
    let ran = folder.run(&["check", "run", "--stream", "--ltl", "G !(a.crit && b.crit)"]);
    ran.ends(0);
}

#[test]
fn a_limit_that_ends_the_first_reading_leaves_what_the_beginning_shows() {
    let folder = Folder::new();
    let mut text =
        String::from("{\"causet\":1,\"processes\":[\"a\",\"b\"],\"init\":{\"a.x\":0,\"b.x\":0}}\n");
    for round in 0..300_000 {
        text += &format!("{{\"p\":\"a\",\"set\":{{\"x\":{}}}}}\n", round % 3);
        text += &format!("{{\"p\":\"b\",\"set\":{{\"x\":{}}}}}\n", round % 2);
    }
    folder.write("t.jsonl", &text);
    let line = [
        "check",
        "t.jsonl",
        "--stream",
        "--json",
        "--timeout",
        "600ms",
    ];
    let asked = [
        "--ctl",
        "AG sum(i in procs: i.x) < 3",
        "--ctl",
        "AG sum(i in procs: i.x) < 4",
    ];
    let ran = folder.run(&[&line[..], &asked].concat());
    let results = ran.ends(1).json();
    // Whether or not the time is enough for the whole run, its beginning shows the first.
    assert_eq!(results["results"][0]["verdict"], "violated");
    assert_ne!(results["results"][1]["verdict"], "violated");
    if results["results"][1]["verdict"] == "unknown" {
        let told = results["results"][1]["notes"].to_string();
        assert!(told.contains(" events "), "{told}");
    }
}
