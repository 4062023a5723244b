//! Models and diagnostics as JSON.

use std::io::{self, Write};

use serde::Serialize;

use super::{Evidence, ModelSize};

/// A report lists so many steps; a file all of them.
const MOST_STEPS: usize = 1000;

/// The size of a model, where a report on a run has that of the run.
#[derive(Serialize)]
pub(crate) struct Sizes<'a> {
    path: &'a str,
    states: Option<u64>,
    transitions: Option<u64>,
    labels: Option<usize>,
}

impl<'a> Sizes<'a> {
    pub(crate) fn of(path: &'a str, size: Option<ModelSize>) -> Sizes<'a> {
        let stored = size.and_then(|size| size.stored);
        Sizes {
            path,
            states: stored.map(|(states, _)| states),
            transitions: stored.map(|(_, transitions)| transitions),
            labels: size.map(|size| size.labels),
        }
    }
}

/// A part of a system. States have the numbers of the whole system; the first is the initial one.
#[derive(Serialize)]
pub(crate) struct Part<'a> {
    kind: &'static str,
    states: &'a [u32],
    steps: Vec<(u32, &'a str, u32)>,
    /// How many steps are not listed.
    left_out: usize,
    /// The states of the components, for each state of a network.
    rows: &'a [Vec<u32>],
}

impl<'a> Part<'a> {
    /// The part, without the steps that are too many for a report.
    pub(crate) fn of(evidence: Evidence<'a>) -> Part<'a> {
        Part::shortened(evidence, MOST_STEPS)
    }

    fn shortened(evidence: Evidence<'a>, most: usize) -> Part<'a> {
        let diagnostic = evidence.diagnostic;
        // Breadth-first numbers: what the first steps reach comes first among the states too.
        let shown = diagnostic.steps.len().min(most);
        let last = diagnostic.steps[..shown].iter().map(|step| step.to).max();
        let states = match shown == diagnostic.steps.len() {
            true => diagnostic.states.len(),
            false => last.unwrap_or(0) + 1,
        };
        let steps = diagnostic.steps[..shown].iter().map(|step| {
            let number = |index: usize| diagnostic.states[index];
            let label = evidence.labels.text(step.label);
            (number(step.from), label, number(step.to))
        });
        Part {
            kind: diagnostic.shape.word(),
            states: &diagnostic.states[..states],
            steps: steps.collect(),
            left_out: diagnostic.steps.len() - shown,
            rows: diagnostic.rows.get(..states).unwrap_or(&[]),
        }
    }
}

/// Writes a whole diagnostic as one object.
pub fn write_evidence(evidence: Evidence<'_>, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &Part::shortened(evidence, usize::MAX))?;
    writeln!(out)
}
