//! Formulas of the mu-calculus on a trace: labels that no event carries are told, with the nearest that one does.

use std::collections::BTreeSet;

use crate::action::Action;
use crate::error::FormulaError;
use crate::modal::{Modal, Term};
use crate::names::Names;
use crate::span::Span;
use crate::suggest::nearest;

/// What internal events are called, whether or not one of them carries the word.
const INTERNAL: [&str; 2] = ["tau", "i"];

/// Warnings about the labels that a formula names and no event has, each once.
pub(super) fn unknown_labels(table: &Modal, names: &dyn Names) -> Vec<FormulaError> {
    let mut seen = BTreeSet::new();
    let mut warnings = Vec::new();
    for (number, action) in table.actions.iter().enumerate() {
        let mut named = Vec::new();
        each_exact(action, &mut named);
        for label in named {
            let is_known = INTERNAL.contains(&label) || names.label_exists(label);
            if !is_known && seen.insert(label) {
                warnings.push(unknown(label, place(table, number), names));
            }
        }
    }
    warnings
}

fn unknown(label: &str, span: Span, names: &dyn Names) -> FormulaError {
    let labels = names.labels();
    FormulaError::new(span, format!("no event is called \"{label}\""))
        .with_label("no step has this label in this trace")
        .with_nearest(nearest(label, &labels))
}

/// The first sub-formula that takes steps of an action.
fn place(table: &Modal, number: usize) -> Span {
    let steps = |term: &Term| matches!(term, Term::Step { action, .. } if *action == number);
    let mut equations = table.equations.iter();
    let first = equations.find(|equation| equation.terms.iter().any(steps));
    first.map_or_else(Span::default, |equation| equation.span)
}

fn each_exact<'a>(action: &'a Action, found: &mut Vec<&'a str>) {
    match action {
        Action::Any | Action::Internal | Action::Matches(_) => {}
        Action::Exact(label) => found.push(label),
        Action::Not(inner) => each_exact(inner, found),
        Action::Same(left, right) => {
            each_exact(left, found);
            each_exact(right, found);
        }
        Action::And(parts) | Action::Or(parts) => {
            parts.iter().for_each(|part| each_exact(part, found));
        }
    }
}
