//! Green without having looked: what is warned of, what is only noted, and what `--deny-warnings` makes of it.

mod common;

use common::Folder;

const RUN: &str = r#"{"p":"a","ev":"request","send":"m","set":{"state":"idle"}}
{"p":"b","ev":"reply","recv":"m","set":{"state":"busy"}}
"#;

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("t.jsonl", RUN);
    folder
}

#[test]
fn a_label_that_is_needed_and_never_occurs_is_a_warning() {
    let folder = folder();
    let needed = [
        ("--ltl", r#"G (on("panic") -> F on("reply"))"#),
        ("--ltl", r#"!on("reply") W on("panic")"#),
        ("--ltl", r#"G (on(a, "panic") -> F on("reply"))"#),
        ("--possibly", r#"{ on("panic") ; on("reply") }"#),
        ("--mu", "[any* . panic . any* . reply] false"),
    ];
    for (flag, formula) in needed {
        let ran = folder.run(&["check", "t.jsonl", flag, formula]);
        ran.complains("warning[E1005]: no event is called \"panic\"");
    }
    let arguments = ["check", "t.jsonl", "--ltl", needed[0].1];
    folder.run(&arguments).ends(0);
    let denied = [&arguments[..], &["--deny-warnings"]].concat();
    folder
        .run(&denied)
        .ends(2)
        .complains("1 warning, and --deny-warnings is given");
    folder.run(&[&denied[..], &["--quiet"]].concat()).ends(2);
}

#[test]
fn a_label_that_is_only_forbidden_is_a_note() {
    let folder = folder();
    let forbidden = [
        ("--ltl", r#"G !on("panic")"#),
        ("--ltl", r#"!F on("panic")"#),
        ("--ltl", r#"G (on("request") -> !on("panic"))"#),
        ("--ltl", r#"G (on(a, "panic") -> false)"#),
        (
            "--ltl",
            r#"forall i in procs: G !(on(i, "panic") && i.state = "idle")"#,
        ),
        ("--mu", "[any* . panic] false"),
    ];
    for (flag, formula) in forbidden {
        let ran = folder
            .run(&["check", "t.jsonl", flag, formula, "--deny-warnings"])
            .ends(0);
        assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
        ran.complains("note[E1105]: no event is called \"panic\"");
    }
    folder.write(
        "t.props",
        "let bad(p) = on(p, \"panic\")\nproperty p: ltl G !bad(a)\nmonitor m { start s; s -> t on \"panic\"; bad t }\n",
    );
    let ran = folder
        .run(&["check", "t.jsonl", "--props", "t.props", "--deny-warnings"])
        .ends(0);
    assert_eq!(
        ran.stderr.matches("note[E1105]: no event").count(),
        2,
        "{}",
        ran.stderr
    );
}

#[test]
fn a_label_next_to_one_that_occurs_is_a_slip() {
    let folder = folder();
    for (flag, formula) in [
        ("--ltl", r#"G !on("reqeust")"#),
        ("--mu", "[any* . reqeust] false"),
    ] {
        folder
            .run(&["check", "t.jsonl", flag, formula, "--deny-warnings"])
            .ends(2)
            .complains("warning[E1005]: no event is called \"reqeust\"")
            .complains("did you mean");
    }
}

#[test]
fn a_violation_outweighs_a_warning() {
    let folder = folder();
    let arguments = [
        "check",
        "t.jsonl",
        "--ltl",
        r#"F on("panic")"#,
        "--deny-warnings",
    ];
    folder
        .run(&arguments)
        .ends(1)
        .complains("warning[E1005]: no event is called \"panic\"");
}

#[test]
fn an_implication_that_never_asks_is_a_warning() {
    let folder = folder();
    let silent = [
        ("--ctl", r#"AG (a.state = "crit" -> AF b.state = "idle")"#),
        (
            "--ltl",
            r#"G (a.state = "idle" && b.state = "crit" -> F b.state = "idle")"#,
        ),
        (
            "--ctl",
            r#"forall i in procs: AG (i.state = "crit" -> false)"#,
        ),
    ];
    for (flag, formula) in silent {
        folder
            .run(&["check", "t.jsonl", flag, formula, "--deny-warnings"])
            .ends(2)
            .complains("this is never true in the run");
    }
    for formula in [
        r#"AG (b.state = "busy" -> AF b.state = "busy")"#,
        r#"forall i in procs: AG (i.state = "busy" -> AF i.state = "busy")"#,
        r#"AG !(a.state = "crit" && b.state = "crit")"#,
    ] {
        let ran = folder
            .run(&["check", "t.jsonl", "--ctl", formula, "--deny-warnings"])
            .ends(0);
        assert_eq!(ran.stderr, "", "{formula}");
    }
}

#[test]
fn a_run_in_which_nothing_orders_the_processes_is_noted_once() {
    let folder = Folder::new();
    folder.write("t.jsonl", "{\"p\":\"a\"}\n{\"p\":\"b\"}\n{\"p\":\"c\"}\n");
    let arguments = [
        "check",
        "t.jsonl",
        "--ctl",
        "AG true",
        "--ctl",
        "EF true",
        "--deny-warnings",
    ];
    let ran = folder.run(&arguments).ends(0);
    assert_eq!(ran.stderr.matches("note[").count(), 1, "{}", ran.stderr);
    ran.complains("nothing orders the 3 processes with each other");
    let report = folder
        .run(&[&arguments[..], &["--json"]].concat())
        .ends(0)
        .json();
    let notes = report["notes"].as_array().expect("a list");
    assert_eq!(notes.len(), 1);
    assert!(report.get("warnings").is_none());
    // One process alone has no others.
    folder.write("one.jsonl", "{\"p\":\"a\"}\n{\"p\":\"a\"}\n");
    assert_eq!(
        folder
            .run(&["check", "one.jsonl", "--ctl", "AG true"])
            .ends(0)
            .stderr,
        ""
    );
}

#[test]
fn times_that_run_backwards_are_one_warning() {
    let folder = Folder::new();
    let line = |process, time| format!("{{\"p\":\"{process}\",\"t\":{time}}}\n");
    let newest_first: String = (0..6)
        .rev()
        .flat_map(|time| [line("a", time), line("b", time)])
        .collect();
    folder.write("back.jsonl", newest_first);
    let arguments = ["check", "back.jsonl", "--ctl", "AG true"];
    let ran = folder.run(&arguments).ends(0);
    assert_eq!(ran.stderr.matches("warning[").count(), 1, "{}", ran.stderr);
    ran.complains("the times of 2 processes, `a` among them, mostly run backwards");
    folder
        .run(&[&arguments[..], &["--deny-warnings"]].concat())
        .ends(2);
    let report = folder
        .run(&[&arguments[..], &["--json"]].concat())
        .ends(0)
        .json();
    assert_eq!(report["warnings"].as_array().map(Vec::len), Some(1));
    // A step back now and then is what clocks do.
    let jitter: String = [1, 3, 2, 4, 5].map(|time| line("a", time)).concat();
    folder.write("jitter.jsonl", jitter);
    assert_eq!(
        folder
            .run(&["check", "jitter.jsonl", "--ctl", "AG true"])
            .ends(0)
            .stderr,
        ""
    );
}

#[test]
fn an_unset_text_that_shows_a_verdict_is_noted() {
    let folder = folder();
    let formula = r#"AG (b.state = "idle" || b.state = "busy")"#;
    let arguments = ["check", "t.jsonl", "--ctl", formula];
    let ran = folder.run(&arguments).ends(1);
    assert!(
        ran.stdout.contains("`b.state` is unset at this cut"),
        "{}",
        ran.stdout
    );
    // A green run is not told of it, nor one that has a first value.
    let green = [
        "check",
        "t.jsonl",
        "--ctl",
        r#"AG !(b.state = "crit")"#,
        "--json",
    ];
    assert_eq!(
        folder.run(&green).ends(0).json()["results"][0]["notes"],
        serde_json::json!([])
    );
    folder.write(
        "t.jsonl",
        format!("{{\"causet\":1,\"init\":{{\"b.state\":\"off\"}}}}\n{RUN}"),
    );
    let ran = folder.run(&arguments).ends(1);
    assert!(!ran.stdout.contains("is unset"), "{}", ran.stdout);
}

/// `a.x` is 0 again before `b.y` becomes 1.
const PASSED_ON: &str = r#"{"causet":1,"init":{"a.x":0,"b.y":0}}
{"p":"a","ev":"take","set":{"x":1}}
{"p":"a","ev":"pass","set":{"x":0},"send":"m","to":"b"}
{"p":"b","ev":"get","set":{"y":1},"recv":"m"}
"#;

#[test]
fn an_implication_whose_left_side_holds_at_no_cut_is_a_warning() {
    let folder = Folder::new();
    folder.write("t.jsonl", PASSED_ON);
    let implications = [
        // The left side, and whether it is ever true.
        ("--ctl", "AG (a.x = 1 && b.y = 1 -> AF b.y = 0)", false),
        ("--ctl", "AG (a.x = 1 && b.y = 0 -> AF a.x = 0)", true),
        ("--ltl", "G (a.x = 1 && b.y = 1 -> F b.y = 0)", false),
        ("--ltl", "G (!(a.x = 0) && !(b.y = 0) -> F b.y = 0)", false),
        ("--ctl", "AG (a.x > 1 -> AF a.x = 0)", false),
        ("--ctl", "AG (a.x > 0 -> AF a.x = 0)", true),
        (
            "--ctl",
            "AG (inflight(b -> a) > 0 -> AF empty(b -> a))",
            false,
        ),
        (
            "--ctl",
            "AG (inflight(a -> b) > 0 -> AF empty(a -> b))",
            true,
        ),
        ("--ltl", r#"G (on(b, "take") -> F on("get"))"#, false),
        ("--ltl", r#"G (on(a, "take") -> F on("get"))"#, true),
        (
            "--ltl",
            r#"G (on(b, "take") && a.x = 1 -> F on("get"))"#,
            false,
        ),
        (
            "--ctl",
            "forall i, j in procs where i != j: AG (i.x = 1 && j.y = 1 -> AF j.y = 0)",
            false,
        ),
        (
            "--ltl",
            r#"forall i in procs: G (on(i, "take") -> F on("get"))"#,
            true,
        ),
    ];
    for (flag, formula, is_asked) in implications {
        let ran = folder.run(&["check", "t.jsonl", flag, formula, "--deny-warnings"]);
        let is_warned = ran.stderr.contains("this is never true in the run");
        assert_eq!(is_warned, !is_asked, "{formula}: {}", ran.stderr);
        ran.ends(if is_asked { 0 } else { 2 });
    }
}

#[test]
fn looking_for_a_left_side_takes_no_time_that_matters() {
    let folder = Folder::new();
    let generate = ["gen", "token-ring", "--procs", "8", "--events", "20000"];
    folder
        .run(&[&generate[..], &["-o", "t.jsonl"]].concat())
        .ends(0);
    let seconds = |formula: &str| {
        let report = folder.run(&["check", "t.jsonl", "--ctl", formula, "--json"]);
        let seconds = &report.json()["seconds"];
        let figure = |name: &str| seconds[name].as_f64().expect("seconds");
        figure("total") - figure("read")
    };
    let bare = seconds("AG !(p0.crit && p1.crit && p2.crit && p3.crit && !p4.crit)");
    let asked = seconds("AG (p0.crit && p1.crit && p2.crit && p3.crit -> p4.crit)");
    assert!(asked < 2.0 * bare + 1.0, "{asked} s instead of {bare} s");
}
