//! Files of every layout that was written once: each is read for ever, or refused by its version.
//!
//! `testdata/compat` holds one run in all of them. What is read is compared by the whole report on properties that ask for
//! each kind of value, message and edge, so a column that is read wrongly changes a verdict, a witness or its drawing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use causet::{Report, Run, Verdict};

/// The run as text, which the other files are compared with.
const NATIVE: &str = "native-1.jsonl";

/// The files that are read.
const READ: &[&str] = &[
    NATIVE,
    "journal-1.journal",
    "binary-2.causet",
    "binary-3.causet",
];

/// The files that are refused, with what the message says.
const REFUSED: &[(&str, &[&str])] = &[(
    "binary-1.causet",
    &["the file has version 1", "`causet convert LOG --to bin`"],
)];

/// The files beside them.
const OTHERS: &[&str] = &["README.md", "crossing.props"];

fn path(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join("testdata/compat").join(name)
}

#[track_caller]
fn opened(name: &str) -> Run {
    Run::open(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[track_caller]
fn checked(name: &str) -> Report {
    let report = opened(name).check_file(path("crossing.props"));
    report.unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_file_is_tested() {
    let folder = path("").read_dir().expect("the folder is there");
    let found: BTreeSet<String> = folder
        .map(|entry| entry.expect("an entry").file_name())
        .map(|name| name.into_string().expect("a name in UTF-8"))
        .collect();
    let refused = REFUSED.iter().map(|(name, _)| name);
    let tested = READ.iter().chain(refused).chain(OTHERS);
    assert_eq!(found, tested.map(|&name| name.to_owned()).collect());
}

#[test]
fn the_text_is_the_run_that_is_meant() {
    let run = opened(NATIVE);
    assert_eq!(run.processes(), ["car", "gate", "watch"]);
    assert_eq!(run.events(), 7);
    let report = checked(NATIVE);
    let verdicts: Vec<(&str, Verdict)> = report
        .findings()
        .iter()
        .map(|finding| (&*finding.name, finding.verdict))
        .collect();
    let expected = [
        ("gate-is-open", Verdict::Violated),
        ("values-are-kept", Verdict::Holds),
        ("decimals", Verdict::Holds),
        ("shared-order", Verdict::Holds),
        ("explicit-edge", Verdict::Holds),
        ("labels", Verdict::Violated),
    ];
    assert_eq!(verdicts, expected);
}

#[test]
fn every_layout_that_is_read_gives_the_same_run() {
    let expected = checked(NATIVE);
    for name in READ {
        let run = opened(name);
        assert_eq!(run.processes(), ["car", "gate", "watch"], "{name}");
        assert_eq!(run.events(), 7, "{name}");
        let report = checked(name);
        assert_eq!(report.findings(), expected.findings(), "{name}");
        assert_eq!(report.to_string(), expected.to_string(), "{name}");
    }
}

#[test]
fn every_other_layout_is_refused_by_its_version() {
    for (name, expected) in REFUSED {
        let error = Run::open(path(name)).expect_err(name).to_string();
        for words in *expected {
            assert!(error.contains(words), "{name}: {error}");
        }
    }
}
