//! `causet test`: coffee machines that are programs, their verdicts, statuses, reports and recorded runs.

mod common;

use std::path::Path;
use std::process::Command;

use common::{Folder, Ran};
use serde_json::json;

/// A folder with the coffee machines and three test cases; nothing where there is no Python.
fn coffee() -> Option<Folder> {
    if !Command::new("python3")
        .arg("--version")
        .output()
        .is_ok_and(|ran| ran.status.success())
    {
        eprintln!("SKIPPED: there is no python3, and the example adapter needs it");
        return None;
    }
    let folder = Folder::new();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/coffee");
    for name in ["machine.aut", "get-coffee.aut", "adapter.py"] {
        folder.write(name, std::fs::read(examples.join(name)).expect("a file"));
    }
    let made = [
        "lts",
        "tests",
        "machine.aut",
        "--purpose",
        "get-coffee.aut",
        "--cover",
        "--cases",
        "cases",
    ];
    folder.run(&made).ends(0);
    Some(folder)
}

fn test(folder: &Folder, what: &[&str], kind: &str, arguments: &[&str]) -> Ran {
    let adapter = format!("python3 adapter.py {kind}");
    folder.run(&[&["test"], what, &["--adapter", &adapter], arguments].concat())
}

fn case(folder: &Folder, kind: &str, arguments: &[&str]) -> Ran {
    test(
        folder,
        &["run", "cases/case-001.aut"],
        kind,
        &[&["--quiet-after", "1000"], arguments].concat(),
    )
}

fn walk(folder: &Folder, kind: &str, arguments: &[&str]) -> Ran {
    let some = ["--walks", "5", "--steps", "8", "--quiet-after", "400"];
    test(
        folder,
        &["walk", "machine.aut"],
        kind,
        &[&some, arguments].concat(),
    )
}

#[test]
fn a_case_passes_what_conforms() {
    let Some(folder) = coffee() else { return };
    let ran = case(&folder, "coffee-only", &[]).ends(0);
    assert!(
        ran.stdout
            .contains("PASS  cases/case-001.aut  ?coin, ?button, !coffee\n"),
        "{ran:?}"
    );
    assert!(
        ran.stdout
            .ends_with("1 test case: 1 passed, 0 inconclusive, 0 failed\n"),
        "{ran:?}"
    );
}

#[test]
fn a_case_fails_a_machine_that_keeps_the_money() {
    let Some(folder) = coffee() else { return };
    let several = [
        "run",
        "cases/case-001.aut",
        "cases/case-001.aut",
        "cases/case-001.aut",
        "cases/case-001.aut",
    ];
    let ran = test(
        &folder,
        &several,
        "keeps-money",
        &["--json", "--junit", "r.xml", "--quiet-after", "1s"],
    )
    .ends(1);
    let object = ran.json();
    let cases = object["cases"].as_array().expect("cases");
    let failed = cases
        .iter()
        .find(|case| case["verdict"] == "FAIL")
        .expect("a failure");
    let trace = failed["trace"].as_array().expect("a trace");
    assert_eq!(
        trace[trace.len() - 3..],
        [json!("?coin"), json!("?button"), json!("delta")]
    );
    assert_eq!(failed["allowed"], json!(["!coffee", "!tea"]));
    let report = folder.read("r.xml");
    assert!(
        report.contains("<failure message=\"the program did nothing (delta)\">"),
        "{report}"
    );
}

#[test]
fn an_inconclusive_case_has_a_status_of_its_own() {
    let Some(folder) = coffee() else { return };
    let text = "des (0, 5, 5)\n(0, \"?coin\", 1)\n(1, \"?button\", 2)\n(2, \"!tea\", 3)\n(2, \"!coffee\", 4)\n";
    folder.write(
        "want-tea.aut",
        text.replace("(0, 5, 5)", "(0, 6, 5)") + "(3, PASS, 3)\n(4, INCONCLUSIVE, 4)\n",
    );
    let ran = test(
        &folder,
        &["run", "want-tea.aut"],
        "coffee-only",
        &["--junit", "r.xml"],
    )
    .ends(3);
    assert!(ran.stdout.contains("INCONCLUSIVE  want-tea.aut"), "{ran:?}");
    assert!(folder.read("r.xml").contains("skipped=\"1\""));
}

#[test]
fn what_is_no_case_is_refused() {
    let Some(folder) = coffee() else { return };
    let ran = test(&folder, &["run", "machine.aut"], "fine", &[]).ends(2);
    ran.complains("machine.aut is not a test case");
}

#[test]
fn walks_find_nothing_wrong_with_machines_that_conform() {
    let Some(folder) = coffee() else { return };
    for kind in ["fine", "coffee-only"] {
        let ran = walk(&folder, kind, &["--json"]).ends(0);
        let object = ran.json();
        assert_eq!(object["walks"], 5);
        assert_eq!(object["failures"], json!([]));
        assert!(object["sent"].as_u64() > Some(5), "{object}");
    }
}

#[test]
fn walks_find_what_is_wrong_with_the_others() {
    let Some(folder) = coffee() else { return };
    let failures = |kind: &str| walk(&folder, kind, &["--json"]).ends(1).json()["failures"].clone();
    let keeps = failures("keeps-money");
    assert_eq!(keeps[0]["saw"], "delta");
    assert_eq!(keeps[0]["allowed"], json!(["!coffee", "!tea"]));
    let no_refund = failures("no-refund");
    assert_eq!(no_refund[0]["saw"], "!tea");
    assert_eq!(no_refund[0]["allowed"], json!(["!refund"]));
    // Which of its outputs is seen too much depends on when it comes.
    let hasty = failures("hasty");
    assert_ne!(hasty[0]["saw"], "delta");
    let ran = walk(&folder, "no-refund", &[]).ends(1);
    for words in [
        "the program did           !tea",
        "the specification allows  !refund",
    ] {
        assert!(ran.stdout.contains(words), "{}", ran.stdout);
    }
}

#[test]
fn a_recorded_test_is_a_trace() {
    let Some(folder) = coffee() else { return };
    case(&folder, "coffee-only", &["--record", "t.jsonl"]).ends(0);
    let held = [
        "--ltl",
        "F on(\"!coffee\")",
        "--possibly",
        "tester.verdict == \"PASS\"",
    ];
    folder
        .run(&[&["check", "t.jsonl"], &held[..]].concat())
        .ends(0);
    let mu = "[any* . \"!coffee\" . any* . \"?coin\"] false";
    folder.run(&["check", "t.jsonl", "--mu", mu]).ends(0);
    walk(&folder, "no-refund", &["--record", "w.jsonl"]).ends(1);
    folder.run(&["lint", "w.jsonl"]).ends(0);
    let never = ["check", "w.jsonl", "--ctl", "AG tester.verdict != \"FAIL\""];
    folder.run(&never).ends(1);
}

#[test]
fn an_adapter_that_fails_is_an_error_with_its_name() {
    let Some(folder) = coffee() else { return };
    let ran = walk(&folder, "cocoa", &[]).ends(2);
    ran.complains("there is no machine of the kind cocoa");
    folder.write(
        "dies.py",
        "print('{\"ready\":true}', flush=True)\ninput()\nraise SystemExit('no\\x1b[31m water')\n",
    );
    let ran = folder
        .run(&[
            "test",
            "run",
            "cases/case-001.aut",
            "--adapter",
            "python3 dies.py",
        ])
        .ends(2);
    assert!(!ran.stderr.contains("\u{1b}[31m water"), "{}", ran.stderr);
    ran.complains("`python3 dies.py` ended (exit status: 1)")
        .complains("water");
}

#[test]
fn the_book_shows_what_a_walk_prints() {
    let Some(_) = coffee() else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let book =
        std::fs::read_to_string(root.join("docs/book/src/conformance.md")).expect("the book");
    let start = book.find("$ causet test walk").expect("a command");
    let block = &book[start..];
    let (command, shown) = block.split_once("\n? 1\n").expect("a status");
    let shown = shown.split("```").next().expect("an end");
    let (words, adapter) = command.split_once(" --adapter '").expect("an adapter");
    let (adapter, rest) = adapter.split_once('\'').expect("an end");
    let ran = Command::new(env!("CARGO_BIN_EXE_causet"))
        .args(words.split(' ').skip(2))
        .args(["--adapter", adapter, "--quiet-after", "600"])
        .args(rest.split_whitespace())
        .current_dir(root)
        .output()
        .expect("the binary runs");
    Ran::of(&ran).ends(1);
    assert_eq!(String::from_utf8_lossy(&ran.stdout), shown);
}

#[test]
fn a_limit_ends_a_wait_for_an_adapter() {
    let folder = Folder::new();
    folder.write("m.aut", "des (0, 1, 1)\n(0, \"?a\", 0)\n");
    let hangs = [
        "test",
        "walk",
        "m.aut",
        "--adapter",
        "sleep 600",
        "--ready-within",
        "10m",
    ];
    let ran = folder
        .run(&[&hangs[..], &["--timeout", "300ms"]].concat())
        .ends(3);
    ran.complains("the time was up");
}
