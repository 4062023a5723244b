//! `causet test`: coffee machines that are programs, their verdicts, statuses, reports and recorded runs.

mod common;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::{Folder, Ran};
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};

fn has_python() -> bool {
    let asked = Command::new("python3").arg("--version").output();
    asked.is_ok_and(|ran| ran.status.success())
}

/// A folder with the coffee machines and three test cases; nothing where there is no Python.
fn coffee() -> Option<Folder> {
    if !has_python() {
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

/// Walks with several machines at the same time, since most of it is waiting: what each object says.
fn walks<const N: usize>(folder: &Folder, kinds: [&str; N], status: i32) -> [Value; N] {
    std::thread::scope(|scope| {
        kinds
            .map(|kind| scope.spawn(move || walk(folder, kind, &["--json"]).ends(status).json()))
            .map(|walking| walking.join().expect("a walk"))
    })
}

#[test]
fn walks_find_nothing_wrong_with_machines_that_conform() {
    let Some(folder) = coffee() else { return };
    for object in walks(&folder, ["fine", "coffee-only"], 0) {
        assert_eq!(object["walks"], 5);
        assert_eq!(object["failures"], json!([]));
        assert!(object["sent"].as_u64() > Some(5), "{object}");
    }
}

#[test]
fn walks_find_what_is_wrong_with_the_others() {
    let Some(folder) = coffee() else { return };
    let objects = walks(&folder, ["keeps-money", "no-refund", "hasty"], 1);
    let [keeps, no_refund, hasty] = objects.each_ref().map(|object| &object["failures"]);
    assert_eq!(keeps[0]["saw"], "delta");
    assert_eq!(keeps[0]["allowed"], json!(["!coffee", "!tea"]));
    assert_eq!(no_refund[0]["saw"], "!tea");
    assert_eq!(no_refund[0]["allowed"], json!(["!refund"]));
    assert_eq!(no_refund[0]["trace"], json!(["?coin", "?cancel"]));
    assert_eq!(no_refund[1], Value::Null, "one fault is one failure");
    // Which of its outputs is seen too much depends on when it comes.
    assert_ne!(hasty[0]["saw"], "delta");
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

/// A folder with a specification and an adapter for the shell, which is quick: `?a` makes it do what the script says.
fn quick(specification: &str, reaction: &str) -> Folder {
    let folder = Folder::new();
    folder.write("m.aut", specification);
    let script = format!(
        "echo $$ > adapter.pid\necho '{{\"ready\":true}}'\nwhile read -r line; do case $line in\n\
         *reset*) echo '{{\"ready\":true}}';;\n*) {reaction};;\nesac; done\n"
    );
    folder.write("adapter.sh", script);
    folder
}

/// Only silence is allowed, always.
const SILENT: &str = "des (0, 1, 1)\n(0, \"?a\", 0)\n";

/// Says what nobody expects.
const WRONG: &str = "echo '{\"saw\":\"!wrong\"}'";

fn quick_walk(folder: &Folder, arguments: &[&str]) -> Ran {
    let walk = ["test", "walk", "m.aut", "--adapter", "sh adapter.sh"];
    let quiet: &[&str] = match arguments.contains(&"--quiet-after") {
        true => &[],
        false => &["--quiet-after", "20"],
    };
    folder.run(&[&walk, quiet, arguments].concat())
}

#[test]
fn walks_go_on_until_the_time_is_over_or_there_were_enough() {
    let folder = quick(SILENT, ":");
    let walks = |arguments: &[&str]| {
        let arguments = [&["--json", "--steps", "3"], arguments].concat();
        quick_walk(&folder, &arguments).ends(0).json()
    };
    let by_default = walks(&[]);
    assert_eq!(
        (&by_default["walks"], &by_default["time_over"]),
        (&json!(20), &json!(false))
    );
    let timed = walks(&["--time", "3s"]);
    assert!(timed["walks"].as_u64() > Some(20), "{timed}");
    assert_eq!(timed["time_over"], true);
    let long = [
        "--json", "--steps", "1000000", "--walks", "1", "--time", "500ms",
    ];
    let long = quick_walk(&folder, &long).ends(0).json();
    assert_eq!(
        (&long["walks"], &long["time_over"]),
        (&json!(1), &json!(true))
    );
    let both = walks(&["--time", "10m", "--walks", "3"]);
    assert_eq!(
        (&both["walks"], &both["time_over"]),
        (&json!(3), &json!(false))
    );
}

#[test]
fn what_was_found_is_told_in_a_sentence_and_once() {
    let folder = quick(SILENT, WRONG);
    let ran = quick_walk(&folder, &["--steps", "30", "--walks", "9"]).ends(1);
    let expected = "FAIL  in 9 walks\n\n  After 1 step (?a):\n\n    the program did           !wrong\n    \
                    the specification allows  nothing (delta)\n\n9 walks along m.aut, ";
    assert!(ran.stdout.starts_with(expected), "{}", ran.stdout);
}

#[test]
fn who_is_who_can_be_said_by_options() {
    let plain = "des (0, 2, 2)\n(0, \"PUT\", 1)\n(1, \"GET\", 0)\n";
    let folder = quick(plain, "echo '{\"saw\":\"GET\"}'");
    let fine = ["--walks", "2", "--steps", "6", "--quiet-after", "5s"];
    quick_walk(&folder, &fine)
        .ends(2)
        .complains("`PUT` is neither");
    folder.write("roles.io", "input\nPUT\n");
    let ways: [&[&str]; 4] = [
        &["--inputs", "P.*"],
        &["--outputs", "GET"],
        &["--inputs", "PUT", "--outputs", "GET"],
        &["--io", "roles.io"],
    ];
    let case = "des (0, 4, 4)\n(0, \"PUT\", 1)\n(1, \"GET\", 2)\n(1, \"delta\", 3)\n(2, PASS, 2)\n";
    folder.write("case.aut", case.replace("4, 4", "5, 4") + "(3, FAIL, 3)\n");
    let run = [
        "test",
        "run",
        "case.aut",
        "--adapter",
        "sh adapter.sh",
        "--quiet-after",
        "5s",
    ];
    for way in ways {
        quick_walk(
            &folder,
            &[&["--walks", "1", "--steps", "2"], &fine[4..], way].concat(),
        )
        .ends(0);
        folder.run(&[&run, way].concat()).ends(0);
    }
    // The other way round the program ought to begin, and does not.
    let turned = [
        &["--walks", "1", "--quiet-after", "50"],
        &["--inputs", "GET"][..],
    ]
    .concat();
    quick_walk(&folder, &turned).ends(1);
}

#[test]
fn an_adapter_may_be_started_again_and_then_its_end_is_a_failure() {
    // At the second stimulus it ends, with its number in its last words.
    let folder = quick(
        SILENT,
        "n=$((n+1)); if [ $n = 2 ]; then echo gone $$ >&2; exit 9; fi",
    );
    // So many steps that every walk waits now and then, and notices.
    let all = [
        "--json", "--junit", "r.xml", "--walks", "6", "--steps", "60",
    ];
    let ran = quick_walk(&folder, &all).ends(2);
    ran.json()["error"]
        .as_str()
        .filter(|what| what.contains("exit status: 9"))
        .expect("an error");
    let report = folder.read("r.xml");
    assert!(
        report.contains("errors=\"1\"") && report.contains("<error message="),
        "{report}"
    );
    let ran = quick_walk(
        &folder,
        &[&all[..], &["--restart", "--record", "w.jsonl"]].concat(),
    );
    let object = ran.ends(1).json();
    assert_eq!(
        (&object["walks"], &object["error"]),
        (&json!(6), &Value::Null)
    );
    let failures = object["failures"].as_array().expect("failures");
    assert_eq!(failures.len(), 1, "{object}");
    assert_eq!(
        (&failures[0]["walks"], &failures[0]["saw"]),
        (&json!(6), &Value::Null)
    );
    let broke = failures[0]["broke"].as_str().expect("how it broke");
    assert!(
        broke.contains("exit status: 9") && broke.contains("gone"),
        "{broke}"
    );
    folder.run(&["lint", "w.jsonl"]).ends(0);
    let text = quick_walk(&folder, &["--restart"]).ends(1).stdout;
    assert!(text.contains("ended (exit status: 9)"), "{text}");
}

#[test]
fn one_that_cannot_be_started_is_in_the_report() {
    let folder = quick(SILENT, ":");
    let case = "des (0, 2, 2)\n(0, \"?a\", 1)\n(1, PASS, 1)\n";
    folder.write("case.aut", case);
    for what in [["walk", "m.aut"], ["run", "case.aut"]] {
        let rest = ["--adapter", "/nowhere/at-all", "--json", "--junit", "r.xml"];
        let ran = folder.run(&[&["test"], &what[..], &rest].concat()).ends(2);
        ran.json()["error"]
            .as_str()
            .filter(|what| what.contains("/nowhere/at-all"))
            .expect("an error");
        let report = folder.read("r.xml");
        assert!(report.contains("errors=\"1\""), "{report}");
        std::fs::remove_file(folder.path().join("r.xml")).expect("it was there");
    }
}

#[test]
fn hostile_labels_are_harmless() {
    let specification = "des (0, 1, 1)\n(0, \"?<a>&'\u{1b}[31m\", 0)\n";
    let hostile = r#"printf '%s\n' '{"saw":"]]>\u001b[31m<b>&\"\n"}'"#;
    let folder = quick(specification, hostile);
    let ran = quick_walk(&folder, &["--junit", "r.xml", "--walks", "2"]).ends(1);
    let report = folder.read("r.xml");
    for text in [&ran.stdout, &ran.stderr, &report] {
        assert!(!text.contains('\u{1b}'), "{text}");
    }
    assert!(
        !report.contains("<b>") && !report.contains("<a>"),
        "{report}"
    );
    assert!(report.contains("&lt;b&gt;&amp;"), "{report}");
    if has_python() {
        let parse = "import xml.dom.minidom; xml.dom.minidom.parse('r.xml')";
        let parsed = Command::new("python3")
            .args(["-c", parse])
            .current_dir(folder.path())
            .status();
        assert!(parsed.expect("it runs").success(), "{report}");
    }
    let object = quick_walk(&folder, &["--json", "--walks", "2"])
        .ends(1)
        .json();
    let failure = &object["failures"][0];
    assert_eq!(failure["saw"], "]]>\u{1b}[31m<b>&\"\n");
    assert_eq!(failure["trace"], json!(["?<a>&'\u{1b}[31m"]));
}

/// A walk that would go on for ten minutes, once it has found and recorded something.
fn long_walk(folder: &Folder) -> Child {
    let walk = [
        "test",
        "walk",
        "m.aut",
        "--adapter",
        "sh adapter.sh",
        "--quiet-after",
        "20",
    ];
    let mut child = Command::new(env!("CARGO_BIN_EXE_causet"))
        .args(walk)
        .args(["--time", "10m", "--record", "w.jsonl", "--steps", "5"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let record = folder.path().join("w.jsonl");
    for _ in 0..3000 {
        let text = std::fs::read_to_string(&record).unwrap_or_default();
        if text.matches("FAIL").count() > 2 {
            return child;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("it is there");
    child.wait().expect("it ends");
    panic!("nothing was recorded");
}

fn signal(number: u32, signal: Signal) {
    let process = Pid::from_raw(number as i32).expect("a number");
    kill_process(process, signal).expect("it is there");
}

fn adapter_is_there(folder: &Folder) -> bool {
    let number = folder.read("adapter.pid").trim().parse().expect("a number");
    test_kill_process(Pid::from_raw(number).expect("a number")).is_ok()
}

#[test]
fn who_is_interrupted_tells_what_was_found_and_leaves_nobody_behind() {
    for (how, words) in [(Signal::INT, "cancelled"), (Signal::TERM, "cancelled")] {
        let folder = quick(SILENT, WRONG);
        let child = long_walk(&folder);
        signal(child.id(), how);
        let ran = Ran::of(&child.wait_with_output().expect("it ends")).ends(1);
        assert!(
            ran.stdout.contains("the program did           !wrong"),
            "{ran:?}"
        );
        ran.complains(words);
        assert!(!adapter_is_there(&folder));
        folder.run(&["lint", "w.jsonl"]).ends(0);
    }
}

#[test]
fn who_is_killed_leaves_what_was_recorded() {
    let folder = quick(SILENT, WRONG);
    let mut child = long_walk(&folder);
    child.kill().expect("it is there");
    child.wait().expect("it ends");
    let never = ["check", "w.jsonl", "--ctl", "AG tester.verdict != \"FAIL\""];
    folder.run(&never).ends(1);
}

/// Thirty switches side by side: more states than any memory has room for.
fn switches(folder: &Folder) {
    let switch = "des (0, 2, 2)\n(0, \"?a\", 1)\n(1, \"!b\", 0)\n";
    folder.write("switch.aut", switch);
    let all = ["\"switch.aut\""; 30].join(" ||| ");
    folder.write("switches.exp", all);
}

#[test]
fn networks_are_explored_as_far_as_they_are_walked_and_compared() {
    let folder = quick(SILENT, "echo '{\"saw\":\"!b\"}'");
    switches(&folder);
    let walk = [
        "test",
        "walk",
        "switches.exp",
        "--adapter",
        "sh adapter.sh",
        "--memory",
        "300M",
    ];
    let few = ["--walks", "3", "--steps", "6", "--quiet-after", "5s"];
    folder.run(&[&walk[..], &few].concat()).ends(0);
    folder.write("adapter.sh", folder.read("adapter.sh").replace("!b", "!c"));
    folder.run(&[&walk[..], &few].concat()).ends(1);
    folder.write(
        "wrong.aut",
        "des (0, 2, 2)\n(0, \"?a\", 1)\n(1, \"!c\", 0)\n",
    );
    for systems in [["wrong.aut", "switches.exp"], ["switches.exp", "wrong.aut"]] {
        let compared = folder.run(&[&["lts", "ioco", "--memory", "300M"], &systems[..]].concat());
        let ran = compared.ends(1);
        assert!(ran.stdout.contains("After 1 step (?a):"), "{}", ran.stdout);
    }
}

#[test]
fn a_network_that_is_compared_is_warned_of_inputs_it_does_not_take() {
    let folder = Folder::new();
    folder.write(
        "once.aut",
        "des (0, 2, 3)\n(0, \"?a\", 1)\n(1, \"!b\", 2)\n",
    );
    folder.write("one.exp", "\"once.aut\"");
    let stored = folder.run(&["lts", "ioco", "once.aut", "once.aut"]).ends(0);
    let network = folder.run(&["lts", "ioco", "one.exp", "once.aut"]).ends(0);
    assert_eq!(stored.stderr, network.stderr);
    network.complains("does not take every input: state 1 not ?a");
}
