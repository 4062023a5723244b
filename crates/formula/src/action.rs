//! Action formulas: which labels a step may have.

use std::sync::Arc;

use regex::Regex;

/// A predicate on labels.
#[derive(Clone, Debug)]
pub enum Action {
    /// Every label.
    Any,
    /// The internal action, whatever it is called.
    Internal,
    /// The label with exactly this text.
    Exact(Arc<str>),
    /// Every label that the expression matches from beginning to end.
    Matches(Arc<Regex>),
    /// All other labels.
    Not(Box<Action>),
    /// The labels of all of these; of none of them, every label.
    And(Vec<Action>),
    /// The labels of any of these; of none of them, no label.
    Or(Vec<Action>),
    /// The labels of both of these, and the labels of neither.
    Same(Box<Action>, Box<Action>),
}

impl Action {
    /// Whether a label satisfies it.
    pub fn admits(&self, label: &str, internal: bool) -> bool {
        match self {
            Action::Any => true,
            Action::Internal => internal,
            Action::Exact(text) => &**text == label,
            Action::Matches(pattern) => pattern.is_match(label),
            Action::Not(inner) => !inner.admits(label, internal),
            Action::And(parts) => parts.iter().all(|part| part.admits(label, internal)),
            Action::Or(parts) => parts.iter().any(|part| part.admits(label, internal)),
            Action::Same(left, right) => {
                left.admits(label, internal) == right.admits(label, internal)
            }
        }
    }
}
