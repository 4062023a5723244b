//! Formulas of the mu-calculus on a trace: labels that no event carries are told, with the nearest that one does.

use std::collections::BTreeSet;

use crate::mu::Formula;
use crate::mu::syntax::LabelKind;
use crate::names::Names;
use causet_base::nearest;
use causet_base::{Code, Diagnostic};

/// What internal events are called, whether or not one of them carries the word.
const INTERNAL: [&str; 2] = ["tau", "i"];

/// Warnings about the labels that a formula names and no event has, each once.
pub(super) fn unknown_labels(formula: &Formula, names: &dyn Names) -> Vec<Diagnostic> {
    let mut seen = BTreeSet::new();
    let forbidden = formula.root().forbidden_labels();
    let mut warnings = Vec::new();
    for label in formula.root().labels() {
        if let LabelKind::Exact(text) = &label.kind {
            let is_known = INTERNAL.contains(&&**text) || names.label_exists(text);
            if !is_known && seen.insert(text.clone()) {
                let labels = names.labels();
                let near = nearest(text, &labels);
                let warning = Diagnostic::at(
                    Code::UnknownLabel,
                    label.span,
                    format!("no event is called \"{text}\""),
                )
                .with_label("no step has this label in this trace");
                warnings.push(match near.is_none() && forbidden.contains(text) {
                    true => warning.as_note(Code::ForbiddenLabel),
                    false => warning.with_nearest(near),
                });
            }
        }
    }
    warnings
}
