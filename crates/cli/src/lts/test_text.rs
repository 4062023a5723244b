//! A test case for people: what to send, what to wait for, and the verdicts.

use std::fmt::Write;

use causet_lts::conformance::graph::{TestGraph, Verdict};
use causet_solve::steps::Edge;

use super::trace_text::spoken;

/// The case, state by state; labels are made safe to print.
pub(crate) fn text(case: &TestGraph) -> String {
    let mut text = String::new();
    let open = (0..case.lts().states()).filter(|&state| case.verdict(state).is_none());
    for state in open {
        add_state(&mut text, case, state);
    }
    if text.is_empty() {
        text.push_str("  0  PASS\n");
    }
    text
}

fn add_state(text: &mut String, case: &TestGraph, state: u32) {
    let (sent, awaited): (Vec<&Edge>, Vec<&Edge>) = case
        .lts()
        .steps(state)
        .iter()
        .partition(|step| case.sends(step.label));
    let name = |step: &Edge| spoken(case.lts().labels().text(step.label));
    // Writing to a string cannot fail.
    for step in sent {
        let _ = writeln!(
            text,
            "  {state}  send {} -> {}",
            name(step),
            target(case, step)
        );
    }
    if awaited.is_empty() {
        return;
    }
    let _ = writeln!(text, "  {state}  wait");
    for step in awaited {
        if case.verdict(step.target) != Some(Verdict::Fail) {
            let _ = writeln!(text, "       {} -> {}", name(step), target(case, step));
        }
    }
    let _ = writeln!(text, "       anything else -> FAIL");
}

fn target(case: &TestGraph, step: &Edge) -> String {
    match case.verdict(step.target) {
        Some(verdict) => verdict.word().to_owned(),
        None => step.target.to_string(),
    }
}
