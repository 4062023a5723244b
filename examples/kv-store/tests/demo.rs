//! The store runs for real, and what its processes recorded is checked: hasty breaks the property, careful keeps it.

use std::fs::File;
use std::path::Path;
use std::process::Command;

use causet_base::budget::Budget;
use causet_check::decide::decide;
use causet_check::outcome::{Outcome, Verdict};
use causet_check::plan::Choice;
use causet_check::prepare::prepare;
use causet_check::subject::Subject;
use causet_formats::native::{Part, ReadOptions, read};
use causet_formula::PropertyFile;

/// Runs the store and decides its properties over all orders of the recorded run.
fn run(arguments: &[&str]) -> Vec<Outcome> {
    let folder = tempfile::tempdir().expect("a folder");
    let status = Command::new(env!("CARGO_BIN_EXE_kv-store"))
        .arg("demo")
        .arg(folder.path())
        .args(arguments)
        .status()
        .expect("the store starts");
    assert!(status.success());
    let parts = ["backup1", "backup2", "client", "primary"].map(|name| {
        let path = folder.path().join(format!("{name}.jsonl"));
        Part::new(name, File::open(path).expect("a log"))
    });
    let reading = read(parts.into(), &ReadOptions::default(), &()).expect("one run in four logs");
    assert_eq!(reading.trace.len(), 12);
    let subject = Subject::of(&reading.trace);
    let props = Path::new(env!("CARGO_MANIFEST_DIR")).join("kv.props");
    let text = std::fs::read_to_string(props).expect("the properties");
    let file = PropertyFile::parse(&text).expect("well-formed");
    let outcomes = file.properties.iter().map(|property| {
        let question = prepare(&subject, property, &file.lets).expect("meaningful");
        let budget = Budget::endless();
        decide(&subject, &question, Choice::Auto, &budget).expect("engines agree")
    });
    outcomes.collect()
}

#[test]
fn a_hasty_primary_is_found_out_by_an_order_that_did_not_happen() {
    let outcomes = run(&[]);
    assert_eq!(outcomes[0].verdict, Verdict::Violated);
    let witness = outcomes[0].witness.as_ref().expect("an order");
    assert_eq!(witness.observed, Some(false));
    assert_eq!(outcomes[1].verdict, Verdict::Holds);
}

#[test]
fn a_careful_primary_is_not() {
    let outcomes = run(&["--careful"]);
    assert!(
        outcomes
            .iter()
            .all(|outcome| outcome.verdict == Verdict::Holds)
    );
}
