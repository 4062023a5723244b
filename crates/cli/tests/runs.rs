//! Properties of runs from the command line: LTL, monitors, sequences, automata, cuts, comparisons, refusals.

mod common;

use common::Folder;

/// Two servers that take turns leading, and messages that hand over.
const RUN: &str = r#"{"causet":1,"processes":["a","b"],"init":{"a.leader":false,"b.leader":false}}
{"p":"a","ev":"elected","set":{"leader":true}}
{"p":"a","ev":"resign","set":{"leader":false},"send":"m","to":"b"}
{"p":"b","ev":"ping"}
{"p":"b","recv":"m","ev":"elected","set":{"leader":true}}
"#;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("t.jsonl", RUN);
    folder
}

#[test]
fn a_formula_is_decided_over_all_orders_and_broken_by_a_complete_one() {
    let folder = folder();
    let holds = "G !(a.leader && b.leader) && F b.leader";
    folder.run(&["check", "t.jsonl", "--ltl", holds]).ends(0);
    let broken = "G (on(\"ping\") -> !a.leader)";
    let report = folder.run(&["check", "t.jsonl", "--json", "--ltl", broken]);
    let result = report.ends(1).json()["results"][0].clone();
    assert_eq!(result["kind"], "ltl");
    assert_eq!(result["verdict"], "violated");
    let run = result["witness"]["run"].as_array().expect("a run");
    assert_eq!(run.len(), 4, "a complete run: {run:?}");
    assert_eq!(result["witness"]["observed"], false);
}

#[test]
fn a_monitor_stays_where_no_guard_holds() {
    let folder = folder();
    folder.write(
        "p.props",
        "monitor order { start idle; idle -> led on a.leader; led -> over on !a.leader;\n\
         led -> bad on b.leader; bad bad }\n\
         monitor late { start s; s -> seen when on(\"ping\") && a.leader; bad seen }\n",
    );
    let report = folder.run(&["check", "t.jsonl", "--props", "p.props", "--json"]);
    let results = report.ends(1).json()["results"].clone();
    assert_eq!(results[0]["verdict"], "holds");
    assert_eq!(results[1]["verdict"], "violated");
    assert_eq!(results[1]["kind"], "monitor");
}

#[test]
fn sequences_and_regular_expressions_match_orders() {
    let folder = folder();
    let possibly = |text: &str, status: i32| {
        folder
            .run(&["check", "t.jsonl", "--possibly", text])
            .ends(status);
    };
    possibly("{ on(\"ping\") ; a.leader ; b.leader }", 0);
    possibly("{ a.leader ; [never on(\"ping\")] b.leader }", 0);
    possibly("{ b.leader ; a.leader }", 1);
    possibly("re( _ . on(\"elected\") . on(\"ping\") . _* )", 0);
    possibly("re( _ . on(\"resign\") . _* )", 1);
    let definitely = "{ a.leader ; [never a.leader && b.leader] b.leader }";
    folder
        .run(&["check", "t.jsonl", "--definitely", definitely])
        .ends(0);
}

#[test]
fn a_property_that_counts_positions_is_refused_by_the_reduction_and_decided_by_others() {
    let folder = folder();
    let next = "F (a.leader && X a.leader)";
    let line = ["check", "t.jsonl", "--ltl", next, "--engine", "two-phase"];
    let refused = folder.run(&line).ends(2);
    let told = refused.stderr;
    assert!(told.contains("sensitive to stuttering"), "{told}");
    assert!(told.contains("[a.leader]"), "two words are shown: {told}");
    folder.run(&["check", "t.jsonl", "--ltl", next]).ends(1);
    for engine in ["monitor", "masks", "guided", "levels", "explicit"] {
        let line = ["check", "t.jsonl", "--ltl", next, "--engine", engine];
        folder.run(&line).ends(1);
    }
    let line = [
        "check",
        "t.jsonl",
        "--ltl",
        "F a.leader",
        "--engine",
        "two-phase",
        "--max-steps",
        "1",
    ];
    folder.run(&line).ends(0);
}

#[test]
fn the_orders_up_to_a_cut_can_be_asked_about() {
    let folder = folder();
    let ask = |how: &str, cut: &str, status: i32| {
        let line = ["check", "t.jsonl", "--ltl", "F on(\"ping\")", how, cut];
        folder.run(&line).ends(status)
    };
    ask("--some", "a: 2, b: 1", 0);
    ask("--all", "{a: 2, b: 1}", 0);
    ask("--some", "a: 2", 1);
    let first = "F (on(\"ping\") && !a.leader)";
    let line = |how| ["check", "t.jsonl", "--ltl", first, how, "a: 1, b: 1"];
    folder.run(&line("--some")).ends(0);
    folder.run(&line("--all")).ends(1);
    let no_cut = ask("--some", "b: 2", 2);
    assert!(
        no_cut.stderr.contains("needs at least a: 2"),
        "{}",
        no_cut.stderr
    );
    assert!(ask("--all", "c: 1", 2).stderr.contains("no process `c`"));
    let ctl = ["check", "t.jsonl", "--ctl", "AF b.leader", "--some", "a: 1"];
    assert!(folder.run(&ctl).ends(2).stderr.contains("not about runs"));
}

#[test]
fn searches_are_compared_side_by_side() {
    let folder = folder();
    let line = [
        "check",
        "t.jsonl",
        "--ltl",
        "G !(a.leader && b.leader)",
        "--stats",
    ];
    let text = folder.run(&line).ends(0).stdout;
    for name in ["full", "guided", "two-phase", "sleep", "filtered"] {
        assert!(text.contains(name), "{text}");
    }
    // Nine cuts less those in which b has gone on before a has handed over.
    assert!(
        text.contains("full       7 states, 8 transitions"),
        "{text}"
    );
}

#[test]
fn an_automaton_goes_out_and_comes_back() {
    let folder = folder();
    let formula = "G (on(\"elected\") -> F b.leader)";
    let line = [
        "automaton",
        "t.jsonl",
        "--ltl",
        formula,
        "--to",
        "hoa",
        "-o",
        "a.hoa",
    ];
    folder.run(&line).ends(0);
    folder.run(&["check", "t.jsonl", "--hoa", "a.hoa"]).ends(0);
    let opposite = format!("!({formula})");
    let line = [
        "automaton",
        "t.jsonl",
        "--ltl",
        &opposite,
        "--to",
        "hoa",
        "-o",
        "b.hoa",
    ];
    folder.run(&line).ends(0);
    folder.run(&["check", "t.jsonl", "--hoa", "b.hoa"]).ends(1);
    let dot = folder
        .run(&["automaton", "--ltl", "a U b", "--to", "dot"])
        .ends(0);
    assert!(dot.stdout.starts_with("digraph"), "{}", dot.stdout);
    let text = folder
        .run(&["automaton", "--ltl", "G (a -> F b)"])
        .ends(0)
        .stdout;
    assert!(text.contains("2 states"), "{text}");
    folder.write("bad.hoa", "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"a.lead\"\nAcceptance: 0 t\n--BODY--\nState: 0\n[0] 0\n--END--\n");
    let told = folder
        .run(&["check", "t.jsonl", "--hoa", "bad.hoa"])
        .ends(2)
        .stderr;
    assert!(told.contains("a.lead"), "{told}");
    folder.write("worse.hoa", "HOA: v1\nStates: x\n");
    let told = folder
        .run(&["check", "t.jsonl", "--hoa", "worse.hoa"])
        .ends(2)
        .stderr;
    assert!(told.contains("worse.hoa:2"), "{told}");
}
