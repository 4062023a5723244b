//! Labels and traces for people: made safe to print, and silence by a name that everybody understands.

use std::collections::BTreeSet;

use causet_lts::conformance::roles::DELTA;
use causet_report::words::{clean, count};

/// A label.
pub(crate) fn spoken(label: &str) -> String {
    match label {
        DELTA => format!("nothing ({DELTA})"),
        label => clean(label),
    }
}

/// Labels in a row.
pub(crate) fn listed(labels: &BTreeSet<String>) -> String {
    let spoken: Vec<String> = labels.iter().map(|label| spoken(label)).collect();
    match spoken.is_empty() {
        true => "none".to_owned(),
        false => spoken.join(", "),
    }
}

/// What went before, for a sentence.
pub(crate) fn after(trace: &[String]) -> String {
    let labels: Vec<String> = trace.iter().map(|label| clean(label)).collect();
    match labels.is_empty() {
        true => "At the start".to_owned(),
        false => format!(
            "After {} ({})",
            count(labels.len(), "step"),
            labels.join(", ")
        ),
    }
}
