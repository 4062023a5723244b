//! `causet lts ioco` and `causet lts tests`: verdicts, statuses, files, mistakes, limits.

mod common;

use std::path::Path;

use common::{Folder, Ran};
use serde_json::json;

/// A folder with the coffee machines.
fn coffee() -> Folder {
    let folder = Folder::new();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/coffee");
    for entry in std::fs::read_dir(examples).expect("the example") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .expect("a name");
        folder.write(name, std::fs::read(&path).expect("a file"));
    }
    folder
}

fn ioco(folder: &Folder, arguments: &[&str]) -> Ran {
    folder.run(&[&["lts", "ioco"], arguments].concat())
}

fn tests(folder: &Folder, arguments: &[&str]) -> Ran {
    folder.run(
        &[
            &["lts", "tests", "machine.aut", "--purpose", "get-coffee.aut"],
            arguments,
        ]
        .concat(),
    )
}

#[test]
fn conformance_is_a_status_and_a_sentence() {
    let folder = coffee();
    let ran = ioco(&folder, &["coffee-only.aut", "machine.aut"]).ends(0);
    let expected =
        "coffee-only.aut conforms to machine.aut.   (4 pairs of sets of states compared)\n";
    assert_eq!(ran.stdout, expected);
    let ran = ioco(
        &folder,
        &["keeps-money.aut", "machine.aut", "--io", "coffee.io"],
    )
    .ends(1);
    for words in [
        "After 2 steps (?coin, ?button):",
        "Not allowed: nothing (delta).",
    ] {
        assert!(ran.stdout.contains(words), "{}", ran.stdout);
    }
    assert!(ran.stderr.is_empty(), "{}", ran.stderr);
}

#[test]
fn a_difference_as_json_has_the_promised_shape() {
    let folder = coffee();
    let report = ioco(&folder, &["no-refund.aut", "machine.aut", "--json"])
        .ends(1)
        .json();
    let difference = json!({
        "trace": ["?coin", "?cancel"],
        "implementation": ["!tea"],
        "specification": ["!refund"],
        "unexpected": ["!tea"],
    });
    assert_eq!(report["difference"], difference);
    assert_eq!(report["conforms"], json!(false));
    let report = ioco(&folder, &["machine.aut", "machine.aut", "--json"]);
    assert!(
        report.stderr.contains("does not take every input"),
        "{}",
        report.stderr
    );
    let report = report.ends(0).json();
    assert_eq!(report["difference"], json!(null));
    assert_eq!(
        report["refused_input"],
        json!({"state": 1, "input": "?coin"})
    );
}

#[test]
fn labels_in_doubt_and_bad_patterns_are_refused() {
    let folder = coffee();
    folder.write("plain.aut", "des (0,1,2)\n(0,coin,1)\n");
    folder.write("silent.aut", "des (0,1,2)\n(0,delta,1)\n");
    folder.write("verdict.aut", "des (0,1,2)\n(0,PASS,1)\n");
    folder.write("wrong.io", "?.*\n");
    let refused = |arguments: &[&str], words: &str| {
        let ran = ioco(&folder, arguments).ends(2);
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    };
    refused(
        &["plain.aut", "plain.aut"],
        "`coin` is neither an input nor an output",
    );
    refused(
        &["plain.aut", "plain.aut", "--inputs", "(c"],
        "`(c` is not a regular expression",
    );
    refused(
        &["plain.aut", "plain.aut", "--io", "wrong.io"],
        "must come first",
    );
    refused(
        &["plain.aut", "plain.aut", "--io", "none.io"],
        "cannot be read",
    );
    refused(
        &["silent.aut", "silent.aut", "--inputs", ".*"],
        "`delta` is reserved",
    );
    ioco(&folder, &["plain.aut", "plain.aut", "--outputs", "coin"]).ends(0);
    let ran = folder.run(&[
        "lts",
        "tests",
        "verdict.aut",
        "--purpose",
        "get-coffee.aut",
        "--inputs",
        ".*",
    ]);
    assert!(ran.ends(2).stderr.contains("`PASS` is reserved"));
    let ran = folder.run(&["lts", "tests", "machine.aut", "--purpose", "machine.aut"]);
    let ran = ran.ends(2);
    assert!(ran.stderr.contains("is not a purpose"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains(r"\? is a question mark"),
        "{}",
        ran.stderr
    );
}

#[test]
fn both_methods_write_the_same_graph_up_to_bisimilarity() {
    let folder = coffee();
    let ran = tests(&folder, &["-o", "direct.aut"]).ends(0);
    assert!(ran.stdout.contains("complete test graph"), "{}", ran.stdout);
    let report = tests(
        &folder,
        &["-o", "equations.aut", "--method", "equations", "--json"],
    );
    let report = report.ends(0).json();
    assert!(report["explored"]["raw"]["states"].as_u64() > Some(0));
    folder
        .run(&["lts", "compare", "direct.aut", "equations.aut"])
        .ends(0);
    assert!(folder.read("direct.aut").contains("PASS"));
    let shared = [
        "-o",
        "shared.aut",
        "--method",
        "equations",
        "--workers",
        "2",
    ];
    tests(&folder, &shared).ends(0);
    folder
        .run(&["lts", "compare", "direct.aut", "shared.aut"])
        .ends(0);
    tests(&folder, &["-o", "short.aut", "--implicit-fail"]).ends(0);
    assert!(folder.read("direct.aut").contains("FAIL"));
    assert!(!folder.read("short.aut").contains("FAIL"));
    tests(&folder, &["-o", "graph.dot"]).ends(0);
    assert!(folder.read("graph.dot").starts_with("digraph"));
    assert!(
        tests(&folder, &["-o", "graph.txt"])
            .ends(2)
            .stderr
            .contains("what kind of file")
    );
}

#[test]
fn cases_are_printed_or_written_and_seeds_repeat() {
    let folder = coffee();
    let ran = tests(&folder, &["--shortest"]).ends(0);
    let expected = "
test case 1
  0  send ?coin -> 1
  1  send ?button -> 2
  2  wait
       !coffee -> PASS
       !tea -> 0
       anything else -> FAIL
";
    assert!(ran.stdout.ends_with(expected), "{}", ran.stdout);
    let report = tests(&folder, &["--cover", "--cases", "cases", "--json"])
        .ends(0)
        .json();
    let count = report["cases"].as_array().map(Vec::len).expect("a list");
    for number in 1..=count {
        for ending in ["aut", "dot", "txt"] {
            assert!(
                !folder
                    .read(&format!("cases/case-{number:03}.{ending}"))
                    .is_empty()
            );
        }
    }
    // Whoever runs all cases of a folder means those of one graph; other files stay.
    folder.write("cases/case-1.aut", "mine");
    assert!(count > 1);
    tests(&folder, &["--shortest", "--cases", "cases"]).ends(0);
    let entries = std::fs::read_dir(folder.path().join("cases")).expect("a folder");
    let names = entries.map(|entry| entry.expect("a file").file_name().into_string());
    let mut left: Vec<String> = names.map(|name| name.expect("text")).collect();
    left.sort();
    let written = ["aut", "dot", "txt"].map(|ending| format!("case-001.{ending}"));
    assert_eq!(left, [&written[..], &["case-1.aut".to_owned()]].concat());
    let random = |seed: &str| {
        tests(&folder, &["--random", "3", "--seed", seed])
            .ends(0)
            .stdout
    };
    assert_eq!(random("7"), random("7"));
    assert!((8..30).any(|seed| random(&seed.to_string()) != random("7")));
}

#[test]
fn without_a_test_and_without_time_there_is_a_status() {
    let folder = coffee();
    folder.write("never.aut", "des (0,2,2)\n(0,\"!soup\",1)\n(1,ACCEPT,1)\n");
    for method in ["direct", "equations"] {
        let ran = folder.run(&[
            "lts",
            "tests",
            "machine.aut",
            "--purpose",
            "never.aut",
            "--method",
            method,
        ]);
        let ran = ran.ends(1);
        assert!(ran.stdout.contains("there is no test"), "{}", ran.stdout);
        assert!(ran.stderr.contains("matches `!soup`"), "{}", ran.stderr);
        tests(&folder, &["--memory", "1K", "--method", method]).ends(3);
    }
    ioco(&folder, &["chocolate.aut", "machine.aut", "--memory", "1K"]).ends(3);
}

#[test]
fn a_network_is_tested_on_the_fly_like_the_system_it_stands_for() {
    let folder = Folder::new();
    folder.write(
        "two.aut",
        "des (0,3,3)\n(0,\"PUT.*\",1)\n(1,\"GET.*\",2)\n(2,ACCEPT,2)\n",
    );
    let family = ["lts", "gen", "bitalt", "--set", "labels=offer"];
    folder
        .run(&[&family[..], &["--network", "net"]].concat())
        .ends(0);
    folder
        .run(&[&family[..], &["-o", "whole.aut"]].concat())
        .ends(0);
    for (model, graph) in [("net/bitalt.exp", "one.aut"), ("whole.aut", "other.aut")] {
        let generate = [
            "lts",
            "tests",
            model,
            "--purpose",
            "two.aut",
            "--inputs",
            "PUT.*",
        ];
        folder
            .run(&[&generate[..], &["-o", graph]].concat())
            .ends(0);
    }
    folder
        .run(&["lts", "compare", "one.aut", "other.aut"])
        .ends(0);
}
