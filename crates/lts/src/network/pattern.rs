//! Which labels a name in a network stands for, and what they are renamed to.
//!
//! A bare word is a gate: it stands for the label itself and for the label with offers, `PUT` for `PUT`, `PUT !3` and
//! `PUT(3)`. A text in double quotes is one label, a text in single quotes a regular expression for whole labels.

use causet_formula::{FormulaError, Span};
use regex::Regex;

/// A description of labels.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub(super) kind: PatternKind,
    pub(super) span: Span,
}

/// The ways to describe labels.
#[derive(Clone, Debug)]
pub(super) enum PatternKind {
    /// The labels of a gate, whatever they offer.
    Gate(String),
    /// One label.
    Exact(String),
    /// The labels that a regular expression matches from beginning to end.
    Matches(Regex),
}

impl Pattern {
    /// The labels that a regular expression matches.
    pub(super) fn expression(text: &str, span: Span) -> Result<Pattern, FormulaError> {
        let regex = Regex::new(&format!("^(?:{text})$")).map_err(|error| {
            let error = error.to_string();
            let reason = error.lines().last().unwrap_or_default();
            let reason = reason.trim_start_matches("error: ").to_owned();
            FormulaError::new(span, "this is no regular expression").with_label(reason)
        })?;
        let kind = PatternKind::Matches(regex);
        Ok(Pattern { kind, span })
    }

    /// Whether it describes a visible label.
    pub(super) fn matches(&self, label: &str) -> bool {
        match &self.kind {
            PatternKind::Gate(gate) => gate_of(label) == gate,
            PatternKind::Exact(text) => text == label,
            PatternKind::Matches(regex) => regex.is_match(label),
        }
    }

    /// The part of a matching label that a new gate keeps: what a gate offers, and nothing of an exact label.
    pub(super) fn offers<'l>(&self, label: &'l str) -> Option<&'l str> {
        match &self.kind {
            PatternKind::Gate(gate) => label.strip_prefix(gate.as_str()),
            _ => None,
        }
    }
}

/// What a label becomes.
#[derive(Clone, Debug)]
pub(super) enum Replacement {
    /// This gate, with the offers it had.
    Gate(String),
    /// This label; after a regular expression, `$1` stands for its first group.
    Label(String),
}

impl Replacement {
    /// The new text of a label that a pattern matches.
    pub(super) fn of(&self, pattern: &Pattern, label: &str) -> String {
        let Replacement::Label(text) = self else {
            return self.with_offers(pattern.offers(label));
        };
        let PatternKind::Matches(regex) = &pattern.kind else {
            return text.clone();
        };
        let mut replaced = String::new();
        if let Some(captures) = regex.captures(label) {
            captures.expand(text, &mut replaced);
        }
        replaced
    }

    /// The text of a label that has these offers.
    pub(super) fn with_offers(&self, offers: Option<&str>) -> String {
        match self {
            Replacement::Gate(gate) => format!("{gate}{}", offers.unwrap_or_default()),
            Replacement::Label(text) => text.clone(),
        }
    }

    /// The name itself.
    pub(super) fn text(&self) -> &str {
        match self {
            Replacement::Gate(text) | Replacement::Label(text) => text,
        }
    }
}

/// The gate of a label: its text up to the first offer.
pub(super) fn gate_of(label: &str) -> &str {
    let offer = |c: char| c.is_whitespace() || c == '(' || c == '!';
    &label[..label.find(offer).unwrap_or(label.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_ends_where_offers_begin() {
        for label in ["PUT", "PUT !3", "PUT(3)", "PUT!3", "PUT ?x"] {
            assert_eq!(gate_of(label), "PUT");
        }
        assert_eq!(gate_of("PUTTER !3"), "PUTTER");
        assert_eq!(gate_of("!3"), "");
    }

    #[test]
    fn groups_of_an_expression_can_be_kept() {
        let span = Span::default();
        let pattern = Pattern::expression("PUT !(.*) !(.*)", span).expect("an expression");
        let swapped = Replacement::Label("GET !$2 !$1".to_owned());
        assert_eq!(swapped.of(&pattern, "PUT !1 !2"), "GET !2 !1");
        assert!(!pattern.matches("PUT !1 !2".strip_suffix(" !2").unwrap_or_default()));
    }
}
