//! What is suspicious in a formula but not wrong: a regular expression in the quotes of a label.

use super::syntax::{Label, LabelKind, Regular, RegularKind, State, StateKind};
use crate::error::FormulaError;

/// A warning for every label that looks like a regular expression.
pub(super) fn warnings(root: &State) -> Vec<FormulaError> {
    let mut found = Vec::new();
    in_state(root, &mut found);
    found
}

fn in_state(state: &State, found: &mut Vec<FormulaError>) {
    match &state.kind {
        StateKind::True | StateKind::False | StateKind::Variable(_) => {}
        StateKind::Not(inner) | StateKind::Fixpoint(_, _, inner) => in_state(inner, found),
        StateKind::And(all) | StateKind::Or(all) => all.iter().for_each(|one| in_state(one, found)),
        StateKind::Implies(left, right) | StateKind::Equivalent(left, right) => {
            in_state(left, found);
            in_state(right, found);
        }
        StateKind::Diamond(path, inner) | StateKind::Box(path, inner) => {
            in_path(path, found);
            in_state(inner, found);
        }
        StateKind::Loops(path) => in_path(path, found),
    }
}

fn in_path(path: &Regular, found: &mut Vec<FormulaError>) {
    match &path.kind {
        RegularKind::Nil => {}
        RegularKind::Action(label) => in_label(label, found),
        RegularKind::Sequence(all) | RegularKind::Choice(all) => {
            all.iter().for_each(|one| in_path(one, found));
        }
        RegularKind::Star(inner) | RegularKind::Plus(inner) | RegularKind::Optional(inner) => {
            in_path(inner, found);
        }
    }
}

fn in_label(label: &Label, found: &mut Vec<FormulaError>) {
    match &label.kind {
        LabelKind::Exact(text) if text.contains(".*") || text.contains(".+") => {
            let message = "this label is compared letter by letter";
            let warning = FormulaError::new(label.span, message)
                .with_label("it looks like a regular expression")
                .with_help(format!(
                    "a regular expression stands in single quotes: '{text}'"
                ));
            found.push(warning);
        }
        LabelKind::Not(inner) => in_label(inner, found),
        LabelKind::And(all) | LabelKind::Or(all) => all.iter().for_each(|one| in_label(one, found)),
        LabelKind::Implies(left, right) | LabelKind::Equivalent(left, right) => {
            in_label(left, found);
            in_label(right, found);
        }
        _ => {}
    }
}
