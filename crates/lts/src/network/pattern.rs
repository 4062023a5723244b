//! Which labels a name in a network stands for, and what they are renamed to.
//!
//! A bare word is a gate: it stands for the label itself and for the label with offers, `PUT` for `PUT`, `PUT !3` and
//! `PUT(3)`. A text in double quotes is one label, a text in single quotes a regular expression for whole labels.

use causet_base::{Code, Diagnostic};
use causet_formula::Span;
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
    pub(super) fn expression(text: &str, span: Span) -> Result<Pattern, Diagnostic> {
        let regex = Regex::new(&format!("^(?:{text})$")).map_err(|error| {
            let error = error.to_string();
            let reason = error.lines().last().unwrap_or_default();
            let reason = reason.trim_start_matches("error: ").to_owned();
            Diagnostic::at(
                Code::BadNetworkPattern,
                span,
                "this is no regular expression",
            )
            .with_label(reason)
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
    /// This label.
    Label(String),
    /// This label with groups of the regular expression, each as `${1}` and a dollar sign as `$$`.
    Template(String),
}

impl Replacement {
    /// What labels that a pattern matches become; after a regular expression, `$1` stands for its first group.
    pub(super) fn after(self, pattern: &Pattern, span: Span) -> Result<Replacement, Diagnostic> {
        match (self, &pattern.kind) {
            (Replacement::Label(text), PatternKind::Matches(regex)) => {
                let missing = |group: &str| no_group(regex, group, span);
                template(&text, regex)
                    .map(Replacement::Template)
                    .map_err(missing)
            }
            (replacement, _) => Ok(replacement),
        }
    }

    /// The new text of a label that a pattern matches.
    pub(super) fn of(&self, pattern: &Pattern, label: &str) -> String {
        let (Replacement::Template(text), PatternKind::Matches(regex)) = (self, &pattern.kind)
        else {
            return self.with_offers(pattern.offers(label));
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
            Replacement::Label(text) | Replacement::Template(text) => text.clone(),
        }
    }

    /// The gate, if it is one.
    pub(super) fn gate(&self) -> Option<&str> {
        match self {
            Replacement::Gate(gate) => Some(gate),
            Replacement::Label(_) | Replacement::Template(_) => None,
        }
    }
}

/// The text with every group in braces, so that `$1x` is the first group and an `x`; or a group that does not exist.
fn template<'t>(text: &'t str, regex: &Regex) -> Result<String, &'t str> {
    let mut braced = String::new();
    let mut rest = text;
    while let Some(dollar) = rest.find('$') {
        let (before, behind) = (&rest[..dollar], &rest[dollar + 1..]);
        braced.push_str(before);
        let (group, length) = group_at(behind);
        match group {
            Some(group) if has_group(regex, group) => braced.push_str(&format!("${{{group}}}")),
            Some(group) => return Err(group),
            None => braced.push_str("$$"),
        }
        rest = &behind[length..];
    }
    braced.push_str(rest);
    Ok(braced)
}

/// The group that is named behind a dollar sign, unless that is only a sign, and how much text belongs to it.
fn group_at(behind: &str) -> (Option<&str>, usize) {
    let inside = behind.strip_prefix('{');
    if let Some((group, _)) = inside.and_then(|inside| inside.split_once('}')) {
        return (Some(group), group.len() + 2);
    }
    let digit = |c: char| c.is_ascii_digit();
    let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let length = match behind.starts_with(digit) {
        true => behind.len() - behind.trim_start_matches(digit).len(),
        false => behind.len() - behind.trim_start_matches(letter).len(),
    };
    match length {
        0 => (None, usize::from(behind.starts_with('$'))),
        length => (Some(&behind[..length]), length),
    }
}

fn has_group(regex: &Regex, group: &str) -> bool {
    match group.parse::<usize>() {
        Ok(number) => number < regex.captures_len(),
        Err(_) => regex.capture_names().flatten().any(|name| name == group),
    }
}

fn no_group(regex: &Regex, group: &str, span: Span) -> Diagnostic {
    let names = regex.capture_names().enumerate().skip(1);
    let names = names.map(|(number, name)| match name {
        Some(name) => format!("`{name}`"),
        None => format!("`{number}`"),
    });
    let names: Vec<String> = names.collect();
    let label = match names.is_empty() {
        true => "it has no groups".to_owned(),
        false => format!("its groups are {}", names.join(", ")),
    };
    let message = format!("there is no group `{group}` in the regular expression");
    let help = "`$1` is the first group, `${name}` one with a name and `$$` a dollar sign";
    let mistake = Diagnostic::at(Code::BadNetworkPattern, span, message);
    mistake.with_label(label).with_help(help)
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
        for (text, expected) in [
            ("GET !$2 !$1", "GET !2 !1"),
            ("$1x", "1x"),
            ("${2}_$1_$0", "2_1_PUT !1 !2"),
            ("$$1 $ $", "$1 $ $"),
        ] {
            let replacement = Replacement::Label(text.to_owned());
            let replacement = replacement.after(&pattern, span).expect("a template");
            assert_eq!(replacement.of(&pattern, "PUT !1 !2"), expected);
        }
        assert!(!pattern.matches("PUT !1 !2".strip_suffix(" !2").unwrap_or_default()));
    }
}
