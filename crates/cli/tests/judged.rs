//! `causet test` with outputs that cross stimuli on their way, and adapters that end too soon: what is believed, what is
//! told, and what is never called fine.

mod common;

use common::{Folder, Ran};
use serde_json::json;

/// `!x`, then `!y` in answer to `?a`.
const ANSWER: &str = "des (0, 3, 4)\n(0, \"!x\", 1)\n(1, \"?a\", 2)\n(2, \"!y\", 3)\n";
const GET_Y: &str = "des (0, 4, 4)\n(0, \"!x\", 1)\n(1, \"?a\", 2)\n(2, \"!y\", 3)\n(3, PASS, 3)\n";

/// Either `!tea` comes, and the button does nothing, or the button brings coffee.
const RACE: &str = "des (0, 4, 4)\n(0, \"!tea\", 1)\n(1, \"?button\", 1)\n(0, \"?button\", 2)\n(2, \"!coffee\", 3)\n";
const GET_COFFEE: &str = "des (0, 3, 3)\n(0, \"?button\", 1)\n(1, \"!coffee\", 2)\n(2, PASS, 2)\n";

/// A case judged by its specification; a machine that is busy must not make its program silent.
const JUDGED_PATIENTLY: [&str; 6] = [
    "run",
    "case.aut",
    "--spec",
    "spec.aut",
    "--quiet-after",
    "5s",
];

const READY: &str = "echo '{\"ready\":true}'\n";

fn folder(files: &[(&str, &str)], script: &str) -> Folder {
    let folder = Folder::new();
    for (name, text) in files {
        folder.write(name, text);
    }
    folder.write("adapter.sh", READY.to_owned() + script);
    folder
}

fn test(folder: &Folder, arguments: &[&str]) -> Ran {
    let adapter = ["--adapter", "sh adapter.sh"];
    folder.run(&[&["test"], arguments, &adapter].concat())
}

#[test]
fn an_output_on_its_way_fails_nobody_who_is_judged_by_the_specification() {
    // It has made tea before the button is pressed, and tells so only after that.
    let script = "read line; echo '{\"saw\":\"!tea\"}'; cat > /dev/null\n";
    let folder = folder(&[("spec.aut", RACE), ("case.aut", GET_COFFEE)], script);
    let alone = test(&folder, &["run", "case.aut"]).ends(1);
    assert!(alone.stdout.contains("the test case allows  !coffee"));
    let judged = ["run", "case.aut", "--spec", "spec.aut"];
    let ran = test(&folder, &[&judged[..], &["--junit", "r.xml"]].concat()).ends(3);
    for words in [
        "INCONCLUSIVE  case.aut",
        "would fail, but the specification allows this",
    ] {
        assert!(ran.stdout.contains(words), "{}", ran.stdout);
    }
    let report = folder.read("r.xml");
    assert!(report.contains("skipped=\"1\"") && report.contains("would fail"));
    let object = test(&folder, &[&judged[..], &["--json"]].concat())
        .ends(3)
        .json();
    assert_eq!(object["specification"], "spec.aut");
    let case = &object["cases"][0];
    assert_eq!(
        (&case["claimed"], &case["last"]),
        (&json!("FAIL"), &json!("!tea"))
    );
    // What no order allows is a failure.
    folder.write(
        "adapter.sh",
        READY.to_owned() + &script.replace("!tea", "!milk"),
    );
    let ran = test(&folder, &judged).ends(1);
    let allowed = "the specification allows  !coffee, !tea";
    assert!(ran.stdout.contains(allowed), "{}", ran.stdout);
}

#[test]
fn what_the_specification_does_not_allow_fails_even_if_the_case_awaits_it() {
    let script = "echo '{\"saw\":\"!x\"}'; echo '{\"saw\":\"!y\"}'; cat > /dev/null\n";
    let case = "des (0, 3, 3)\n(0, \"!x\", 1)\n(1, \"!y\", 2)\n(2, PASS, 2)\n";
    let folder = folder(&[("spec.aut", ANSWER), ("case.aut", case)], script);
    test(&folder, &["run", "case.aut", "--quiet-after", "5s"]).ends(0);
    let ran = test(&folder, &JUDGED_PATIENTLY).ends(1);
    let words = "the specification allows  nothing (delta)";
    assert!(ran.stdout.contains(words), "{}", ran.stdout);
}

#[test]
fn a_case_of_another_specification_is_refused() {
    let folder = folder(&[("spec.aut", ANSWER), ("case.aut", GET_COFFEE)], "cat\n");
    let ran = test(&folder, &["run", "case.aut", "--spec", "spec.aut"]).ends(2);
    ran.complains("case.aut sends ?button, which is no input of spec.aut");
}

#[test]
fn cases_after_a_broken_one_are_in_the_report_and_what_failed_has_failed() {
    let files = [
        ("one.aut", GET_COFFEE),
        ("two.aut", GET_COFFEE),
        ("three.aut", GET_COFFEE),
    ];
    let cases = ["run", "one.aut", "two.aut", "three.aut", "--junit", "r.xml"];
    // The first case fails, the second meets an adapter that ends.
    let script = "read line; echo '{\"saw\":\"!milk\"}'; read line; echo '{\"ready\":true}'; read line; exit 4\n";
    let broken = folder(&files, script);
    let ran = test(&broken, &cases)
        .ends(1)
        .complains("not everything was tested")
        .complains("exit status: 4");
    assert!(
        ran.stdout
            .contains("1 of 3 test cases: 0 passed, 0 inconclusive, 1 failed")
    );
    let report = broken.read("r.xml");
    for words in [
        "tests=\"3\"",
        "failures=\"1\"",
        "errors=\"1\"",
        "skipped=\"1\"",
        "not tested",
    ] {
        assert!(report.contains(words), "{report}");
    }
    // Without a failure it is the adapter that counts.
    let passing = folder(&files, &script.replace("!milk", "!coffee"));
    test(&passing, &cases).ends(2);
    // The same for walks.
    let walk = ["walk", "spec.aut", "--walks", "2", "--quiet-after", "2s"];
    broken.write(
        "spec.aut",
        "des (0, 2, 2)\n(0, \"?button\", 1)\n(1, \"!coffee\", 0)\n",
    );
    test(&broken, &walk).ends(1).complains("exit status: 4");
}

#[test]
fn what_was_never_tested_is_not_called_fine() {
    let folder = folder(&[("spec.aut", RACE), ("case.aut", GET_COFFEE)], "exit 1\n");
    let ran = test(&folder, &["walk", "spec.aut"]).ends(2);
    assert!(!ran.stdout.contains("nothing wrong"), "{}", ran.stdout);
    assert!(
        ran.stdout.ends_with("nothing was tested\n"),
        "{}",
        ran.stdout
    );
    let ran = test(&folder, &["run", "case.aut"]).ends(2);
    assert!(
        ran.stdout.starts_with("0 of 1 test case: "),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_night_survives_a_start_that_fails() {
    // Every third start fails, and whoever starts ends at the first stimulus.
    let script =
        "n=$(cat n 2>/dev/null || echo 0); n=$((n+1)); echo $n > n\n[ $((n%3)) = 0 ] && exit 1\n";
    let folder = folder(&[("spec.aut", "des (0, 1, 1)\n(0, \"?a\", 0)\n")], "");
    let rest = "while read -r line; do case $line in *reset*) echo '{\"ready\":true}';; *) exit 9;; esac; done\n";
    folder.write("adapter.sh", script.to_owned() + READY + rest);
    let walk = [
        "walk",
        "spec.aut",
        "--restart",
        "--json",
        "--walks",
        "8",
        "--quiet-after",
        "20",
    ];
    let object = test(&folder, &walk).ends(1).json();
    assert_eq!(
        (&object["walks"], &object["error"]),
        (&json!(8), &json!(null))
    );
}

#[test]
fn one_that_dies_at_once_is_not_started_as_fast_as_the_machine_can() {
    let folder = folder(&[("spec.aut", RACE)], "echo x >> starts; exit 1\n");
    let walk = ["walk", "spec.aut", "--restart", "--time", "2s"];
    test(&folder, &walk).ends(1);
    assert!(folder.read("starts").lines().count() < 8);
}

#[test]
fn times_that_no_clock_can_count_are_taken() {
    let script = "read line; echo '{\"saw\":\"!coffee\"}'; cat > /dev/null\n";
    let folder = folder(&[("case.aut", GET_COFFEE)], script);
    let long = "5000000000000000h";
    let times = ["--ready-within", long, "--quiet-after", long];
    test(&folder, &[&["run", "case.aut"][..], &times].concat()).ends(0);
}

#[test]
fn the_first_failure_may_be_enough() {
    let script = "while read -r line; do case $line in *reset*) echo '{\"ready\":true}';; \
                  *) echo '{\"saw\":\"!wrong\"}';; esac; done\n";
    let folder = folder(&[("spec.aut", "des (0, 1, 1)\n(0, \"?a\", 0)\n")], script);
    let walk = [
        "walk",
        "spec.aut",
        "--fail-fast",
        "--json",
        "--quiet-after",
        "2s",
    ];
    let object = test(&folder, &walk).ends(1).json();
    assert_eq!(object["walks"], 1);
}

#[test]
fn the_case_of_the_answer_passes_when_it_comes_in_time() {
    let script = "echo '{\"saw\":\"!x\"}'; read line; echo '{\"saw\":\"!y\"}'; cat > /dev/null\n";
    let folder = folder(&[("spec.aut", ANSWER), ("case.aut", GET_Y)], script);
    test(&folder, &JUDGED_PATIENTLY).ends(0);
}
