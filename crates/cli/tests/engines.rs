//! The engines behind `causet check`: a real run with 2.5e39 cuts, limits, several workers, refusals, explanations.

mod common;

use common::Folder;
use serde_json::{Value, json};

/// A recording of 30 threads of a storage engine and one of its locks.
const WIREDTIGER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../testdata/real/wiredtiger.jsonl.zst"
);

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// `steps(p0) % 2 = 1 && ...`: every event of every process changes it.
fn all_odd(processes: usize) -> String {
    let odd = (0..processes).map(|process| format!("steps(p{process}) % 2 = 1"));
    odd.collect::<Vec<_>>().join(" && ")
}

#[test]
fn a_real_lock_is_held_by_one_thread_in_every_order() {
    let folder = Folder::new();
    let mutex = "AG count(i in procs: i.holds) <= 1";
    let facts = folder.run(&["info", WIREDTIGER, "--json"]).ends(0).json();
    assert_eq!(facts["cuts"], "2516384107897554449508937003217700627227");
    for engine in ["auto", "ist", "slice"] {
        let line = [
            "check", WIREDTIGER, "--ctl", mutex, "--engine", engine, "--json",
        ];
        let report = folder.run(&line).ends(0).json();
        assert_eq!(report["results"][0]["verdict"], "holds", "{engine}");
    }
    // The lock is taken at all.
    let taken = "thread5.holds";
    folder
        .run(&["check", WIREDTIGER, "--possibly", taken])
        .ends(0);
    let never = "AG !thread5.holds";
    let report = folder.run(&["check", WIREDTIGER, "--ctl", never, "--json"]);
    let witness = report.ends(1).json()["results"][0]["witness"].clone();
    assert_eq!(witness["observed"], true);
}

#[test]
fn a_diagram_that_wants_too_much_is_unknown_and_the_planner_knows_another_way() {
    let folder = Folder::new();
    folder
        .run(&words(
            "gen random --procs 24 --events 1200 --seed 1 -o t.jsonl",
        ))
        .ends(0);
    let odd = all_odd(24);
    let ask = |more: &[&str]| {
        let line = [&["check", "t.jsonl", "--json", "--possibly", &odd], more].concat();
        folder.run(&line)
    };
    let forced = ask(&["--engine", "ist", "--memory", "64M"]).ends(3).json();
    let result = &forced["results"][0];
    assert_eq!(
        (&result["verdict"], &result["reason"]),
        (&json!("unknown"), &json!("memory"))
    );
    let peak = forced["peak_bytes"].as_u64().expect("a number");
    assert!(peak <= 68 << 20, "{peak} bytes were taken");
    let chosen = ask(&["--memory", "64M"]).ends(0).json();
    assert_eq!(chosen["results"][0]["engine"], "slice");
}

#[test]
fn several_workers_find_what_one_finds() {
    let folder = Folder::new();
    folder
        .run(&words(
            "gen ddph --procs 12 --events 600 --seed 3 -o t.jsonl",
        ))
        .ends(0);
    let mut props = String::new();
    let eats = |process: usize| format!("p{process}.state = \"eat\"");
    // So many that they are prepared by several workers too.
    for (round, this) in (0..7).flat_map(|round| (0..12).map(move |this| (round, this))) {
        let (me, next) = (eats(this), eats((this + 1) % 12));
        props += &format!("property safe-{this}-{round}: ctl AG !({me} && {next})\n");
        props += &format!("property can-{this}-{round}: ctl AG EF {me}\n");
        props += &format!("property next-{this}-{round}: ctl EF ({me} && EX !{me})\n");
    }
    folder.write("t.props", props);
    let results = |workers: &str| -> Vec<Value> {
        let line = [
            "check",
            "t.jsonl",
            "--props",
            "t.props",
            "--json",
            "--workers",
            workers,
        ];
        let report = folder.run(&line).ends(1).json();
        let results = report["results"].as_array().expect("a list").iter();
        results
            .map(|result| json!([result["name"], result["verdict"], result["witness"]]))
            .collect()
    };
    let one = results("1");
    assert_eq!(one.len(), 252);
    assert_eq!(one, results("3"));
}

#[test]
fn an_engine_says_why_it_refuses() {
    let folder = Folder::election();
    let ask = |engine: &str| {
        let line = [
            "check",
            "t.jsonl",
            "--ctl",
            "EX a.leader",
            "--json",
            "--engine",
        ];
        folder.run(&[&line[..], &[engine]].concat())
    };
    ask("slice")
        .ends(2)
        .complains("the engine `slice` cannot decide ctl-1");
    for engine in ["monitor", "guided"] {
        ask(engine).ends(2).complains("it reads runs");
    }
    for engine in ["explicit", "rows", "ist", "ist-paper", "bes"] {
        let result = ask(engine).ends(0).json()["results"][0].clone();
        assert_eq!(result["engine"], engine);
    }
}

#[test]
fn an_explanation_shows_parts_chains_engines_and_figures() {
    let folder = Folder::election();
    let formula = "AG !(a.leader && b.leader) && EF c.x = 1";
    let text = folder
        .run(&["check", "t.jsonl", "--ctl", formula, "--explain"])
        .ends(1)
        .stdout;
    for part in [
        "AG !(a.leader && b.leader)",
        "what it sees: 2 chains with 3 events",
        "rows: so few cuts are gone through one by one",
        "visited",
    ] {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
}

/// What the initial cut, the final cut or the recorded order shows needs no engine, however many processes there are.
#[test]
fn what_the_recorded_order_shows_is_never_unknown() {
    let folder = Folder::new();
    let generate = "gen random --procs 30 --events 3000 --seed 3 -o t.jsonl";
    folder.run(&words(generate)).ends(0);
    let cases = [
        ("--ctl", "AG max(i in procs: i.x0) <= 2", "violated"),
        ("--ctl", "AG sum(i in procs: i.x0) != 31", "violated"),
        (
            "--possibly",
            "initial && sum(i in procs: i.x0*i.x0) % 7 = 0",
            "holds",
        ),
        ("--possibly", "final && sum(i in procs: i.x0) > 0", "holds"),
        (
            "--definitely",
            "sum(i in procs: i.x0*i.x0) % 1000 > 0",
            "holds",
        ),
        ("--ltl", "G sum(i in procs: i.x0) != 31", "violated"),
        ("--ltl", "F sum(i in procs: i.x0*i.x0) = 100000", "violated"),
        (
            "--possibly",
            "{ sum(i in procs: i.x0) = 31 ; sum(i in procs: i.x0) != 31 }",
            "holds",
        ),
    ];
    for (kind, text, expected) in cases {
        let line = ["check", "t.jsonl", kind, text, "--json", "--timeout", "60s"];
        let report = folder
            .run(&line)
            .ends(i32::from(expected == "violated"))
            .json();
        let result = &report["results"][0];
        assert_eq!(result["verdict"], expected, "{text}");
        assert_eq!(result["engine"], "observed", "{text}");
        if !result["witness"].is_null() {
            assert_eq!(result["witness"]["observed"], true, "{text}");
        }
    }
}

/// A fold compared with a constant is a connective of what it folds, and a difference of extremes is one of two values.
#[test]
fn folds_over_many_processes_are_decided() {
    let folder = Folder::new();
    let generate = "gen random --procs 100 --events 10000 --seed 5 -o t.jsonl";
    folder.run(&words(generate)).ends(0);
    let cases = [
        ("AF count(i in procs: i.x0 = 3) >= 1", "observed", 0),
        ("AG count(i in procs: i.x0 >= 0) = 100", "observed", 0),
        ("EG max(i in procs: i.x0) <= 50", "observed", 0),
        ("EF sum(i in procs: i.x0) % 2 = 1", "observed", 0),
        (
            "AG max(i in procs: i.x0) - min(i in procs: i.x0) <= 50",
            "slice",
            0,
        ),
    ];
    for (text, engine, status) in cases {
        let line = [
            "check",
            "t.jsonl",
            "--ctl",
            text,
            "--json",
            "--timeout",
            "60s",
        ];
        let report = folder.run(&line).ends(status).json();
        assert_eq!(report["results"][0]["engine"], engine, "{text}");
    }
}

/// Half a million pairs of processes are decided from one template, and no property is refused for the number of them.
#[test]
fn quantifiers_over_a_thousand_processes_are_decided() {
    let folder = Folder::new();
    let mutex = "forall i, j in procs where i < j: AG !(i.crit && j.crit)";
    let one_by_one = "forall i, j in procs where i != j: G (i.crit -> (!j.crit W !i.crit))";
    let triples = "forall i, j, k in procs where i < j && j < k: AG !(i.crit && j.crit && k.crit)";
    let faulty = "gen token-ring --procs 1000 --events 30000 --seed 7 --faulty -o faulty.jsonl";
    folder.run(&words(faulty)).ends(0);
    let right = "gen token-ring --procs 1000 --events 30000 --seed 7 -o right.jsonl";
    folder.run(&words(right)).ends(0);
    for (kind, text) in [("--ctl", mutex), ("--ltl", one_by_one), ("--ctl", triples)] {
        let line = ["check", "right.jsonl", kind, text, "--json"];
        let report = folder.run(&line).ends(0).json();
        assert_eq!(report["results"][0]["verdict"], "holds", "{text}");
    }
    for (kind, text) in [("--ctl", mutex), ("--ltl", one_by_one)] {
        let line = ["check", "faulty.jsonl", kind, text, "--json"];
        let report = folder.run(&line).ends(1).json();
        let witness = &report["results"][0]["witness"];
        let instance = witness["instance"].as_str().expect("the processes");
        assert!(instance.starts_with("i = ") && instance.contains(", j = "));
        let told = folder.run(&["check", "faulty.jsonl", kind, text]).ends(1);
        assert!(told.stdout.contains("In short:"), "{}", told.stdout);
    }
}

/// What the recorded order says of labels stands when the search for an order that shows it ends at a limit.
#[test]
fn what_the_recorded_order_says_of_labels_is_never_unknown() {
    let folder = Folder::new();
    let generate = "gen random --procs 20 --events 1000 --seed 1 -o t.jsonl";
    folder.run(&words(generate)).ends(0);
    for (text, status) in [
        ("mu X. (<true> true && [not \"send\"] X)", 0),
        ("mu X. (<true> true && [not \"no such event\"] X)", 1),
        ("nu X. (<true> true && [true] X)", 1),
        ("[true*] <\"write\"> true", 1),
        ("mu X. ([\"send\"] false || <true> X)", 0),
    ] {
        let line = [
            "check",
            "t.jsonl",
            "--mu",
            text,
            "--json",
            "--timeout",
            "1s",
        ];
        folder.run(&line).ends(status);
    }
}
