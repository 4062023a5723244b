//! What is suspicious in a formula but not wrong: a regular expression in the quotes of a label.

use causet_base::{Code, Diagnostic};

use super::syntax::{Label, LabelKind, State};

/// A warning for every label that looks like a regular expression.
pub(super) fn warnings(root: &State) -> Vec<Diagnostic> {
    root.labels().filter_map(warning).collect()
}

fn warning(label: &Label) -> Option<Diagnostic> {
    let LabelKind::Exact(text) = &label.kind else {
        return None;
    };
    if !text.contains(".*") && !text.contains(".+") {
        return None;
    }
    let warning = Diagnostic::at(
        Code::LiteralPattern,
        label.span,
        "this label is compared letter by letter",
    )
    .with_label("it looks like a regular expression");
    Some(warning.with_help(format!(
        "a regular expression stands in single quotes: '{text}'"
    )))
}
