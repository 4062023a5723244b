//! What every test graph must look like, whoever made it (paper MB-DSolve, section 3.2).
//!
//! `Fail` and `Inconclusive` are entered only by what the tester sees, never by what it sends; from every state a
//! verdict can be reached; where the tester waits it is ready for everything; verdicts are the end; and a test case
//! leaves the tester no choice: one label to send and nothing else, or waiting. No label leads to two states.

use std::fmt;

use super::graph::{Failures, TestGraph, Verdict};
use super::roles::Role;

/// What is wrong with a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// A state with a verdict has a step.
    GoesOn(u32),
    /// A step that the tester decides on leads to `Fail` or `Inconclusive`.
    Unfair(u32),
    /// A state waits and is not ready for a label.
    NotReady(u32, u32),
    /// A state has two steps with a label.
    Undecided(u32, u32),
    /// No verdict can be reached.
    Endless(u32),
    /// A test case leaves a choice.
    Choice(u32),
    /// A step has an internal label.
    Internal(u32),
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::GoesOn(state) => write!(f, "state {state} has a verdict and a step"),
            Flaw::Unfair(state) => {
                write!(
                    f,
                    "state {state} sends something that leads to FAIL or INCONCLUSIVE"
                )
            }
            Flaw::NotReady(state, label) => {
                write!(f, "state {state} is not ready for label {label}")
            }
            Flaw::Undecided(state, label) => {
                write!(f, "state {state} has several steps with label {label}")
            }
            Flaw::Endless(state) => write!(f, "state {state} reaches no verdict"),
            Flaw::Choice(state) => write!(f, "state {state} leaves a choice to the tester"),
            Flaw::Internal(state) => write!(f, "state {state} has an internal step"),
        }
    }
}

/// The first flaw of a graph, if it has any; a test case must leave no choice.
pub fn flaw(graph: &TestGraph, is_case: bool) -> Option<Flaw> {
    let local = (0..graph.lts().states()).find_map(|state| local(graph, state, is_case));
    local.or_else(|| endless(graph).map(Flaw::Endless))
}

fn local(graph: &TestGraph, state: u32, is_case: bool) -> Option<Flaw> {
    let steps = graph.lts().steps(state);
    if graph.verdict(state).is_some() {
        return (!steps.is_empty()).then_some(Flaw::GoesOn(state));
    }
    let has = |label: u32| steps.iter().filter(|step| step.label == label).count();
    let sent = steps.iter().filter(|step| graph.sends(step.label)).count();
    for step in steps {
        let end = graph.verdict(step.target);
        if graph.roles()[step.label as usize] == Role::Internal {
            return Some(Flaw::Internal(state));
        }
        if graph.sends(step.label) && matches!(end, Some(Verdict::Fail | Verdict::Inconclusive)) {
            return Some(Flaw::Unfair(state));
        }
        if has(step.label) > 1 {
            return Some(Flaw::Undecided(state, step.label));
        }
    }
    if is_case && sent > 0 && steps.len() > 1 {
        return Some(Flaw::Choice(state));
    }
    let mut awaited = (0..)
        .zip(graph.roles())
        .filter(|(_, role)| **role == Role::Output);
    let missing = awaited.find(|&(label, _)| has(label) == 0);
    let waits = steps.len() > sent && graph.failures() == Failures::Explicit;
    missing
        .filter(|_| waits)
        .map(|(label, _)| Flaw::NotReady(state, label))
}

/// A state from which no verdict can be reached.
fn endless(graph: &TestGraph) -> Option<u32> {
    let states = graph.lts().states();
    let mut before = vec![Vec::new(); states as usize];
    for (source, step) in graph.lts().transitions() {
        before[step.target as usize].push(source);
    }
    let ends = (0..states).filter(|&state| graph.verdict(state).is_some());
    let mut waiting: Vec<u32> = ends.collect();
    let mut met = vec![false; states as usize];
    waiting.iter().for_each(|&state| met[state as usize] = true);
    while let Some(state) = waiting.pop() {
        for &source in &before[state as usize] {
            if !std::mem::replace(&mut met[source as usize], true) {
                waiting.push(source);
            }
        }
    }
    (0..states).find(|&state| !met[state as usize])
}
