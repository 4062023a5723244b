//! Regular expressions as ShiViz takes them, in the dialect of ECMAScript.
//!
//! Two engines can run them: the one of `regex`, in time linear in the text, once braces that repeat nothing are escaped;
//! and one that goes back and forth, for look-around and back-references, which the first refuses.

use std::ops::Range;

use causet_base::{Code, Diagnostic};
use fancy_regex::Regex as Backtracking;
use regex::{Regex, RegexBuilder};

use crate::error::mistake;

/// A regular expression whose `^` and `$` match at every line.
#[derive(Debug)]
pub(crate) struct Pattern {
    engine: Engine,
    /// The names of its groups.
    names: Vec<String>,
}

#[derive(Debug)]
enum Engine {
    Linear(Regex),
    Backtracking(Box<Backtracking>),
}

/// Where something was found: the whole, and the groups that have names.
#[derive(Debug)]
pub(crate) struct Found<'p, 't> {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) groups: Vec<(&'p str, &'t str)>,
}

impl<'t> Found<'_, 't> {
    /// What a group matched.
    pub(crate) fn group(&self, name: &str) -> Option<&'t str> {
        let group = self.groups.iter().find(|(group, _)| *group == name);
        group.map(|&(_, text)| text)
    }
}

impl Pattern {
    /// Understands an expression; it matches whole lines, one or several.
    pub(crate) fn new(expression: &str) -> Result<Pattern, Diagnostic> {
        let translated = format!("^(?:{})$", escaped_braces(expression));
        let linear = RegexBuilder::new(&translated)
            .multi_line(true)
            .size_limit(64 << 20)
            .build();
        let engine = match linear {
            Ok(regex) => Engine::Linear(regex),
            Err(_) => Backtracking::new(&format!("(?m){translated}"))
                .map(|regex| Engine::Backtracking(Box::new(regex)))
                .map_err(|error| {
                    mistake(
                        Code::BadExpression,
                        0..expression.len(),
                        format!("this is no regular expression: {error}"),
                        "expected one of ECMAScript with groups such as `(?<host>\\S*)`",
                    )
                })?,
        };
        let names: Vec<Option<&str>> = match &engine {
            Engine::Linear(regex) => regex.capture_names().collect(),
            Engine::Backtracking(regex) => regex.capture_names().collect(),
        };
        let names = names.into_iter().flatten().map(str::to_owned).collect();
        Ok(Pattern { engine, names })
    }

    /// The names of its groups.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The next match from a place on. One that goes back and forth for too long finds nothing more.
    pub(crate) fn find<'p, 't>(&'p self, text: &'t str, from: usize) -> Option<Found<'p, 't>> {
        match &self.engine {
            Engine::Linear(regex) => {
                let captures = regex.captures_at(text, from)?;
                let group = |name: &str| Some(captures.name(name)?.as_str());
                Some(self.found(captures.get(0)?.range(), group))
            }
            Engine::Backtracking(regex) => {
                let captures = regex.captures_from_pos(text, from).ok()??;
                let group = |name: &str| Some(captures.name(name)?.as_str());
                Some(self.found(captures.get(0)?.range(), group))
            }
        }
    }

    fn found<'p, 't>(
        &'p self,
        whole: Range<usize>,
        group: impl Fn(&str) -> Option<&'t str>,
    ) -> Found<'p, 't> {
        let groups = self.names.iter();
        Found {
            start: whole.start,
            end: whole.end,
            groups: groups
                .filter_map(|name| Some((name.as_str(), group(name)?)))
                .collect(),
        }
    }
}

/// Escapes every `{` and `}` that does not belong to a repetition such as `{2}`, `{2,}` or `{2,3}`; ECMAScript takes it for
/// itself, and `regex` refuses it.
fn escaped_braces(expression: &str) -> String {
    let bytes = expression.as_bytes();
    let mut escaped = String::with_capacity(expression.len() + 8);
    let (mut at, mut in_class, mut has_atom) = (0, false, false);
    while let Some(&byte) = bytes.get(at) {
        let length = match byte {
            b'\\' => {
                1 + expression[at + 1..]
                    .chars()
                    .next()
                    .map_or(0, char::len_utf8)
            }
            b'{' if !in_class => match repetition(&bytes[at..]).filter(|_| has_atom) {
                Some(length) => length,
                None => {
                    escaped.push('\\');
                    1
                }
            },
            b'}' if !in_class => {
                escaped.push('\\');
                1
            }
            _ => expression[at..].chars().next().map_or(1, char::len_utf8),
        };
        match byte {
            b'[' if !in_class => in_class = true,
            b']' => in_class = false,
            _ => {}
        }
        has_atom = !matches!(byte, b'(' | b'|' | b'^');
        escaped.push_str(&expression[at..at + length]);
        at += length;
    }
    escaped
}

/// The length of a repetition at the start of some bytes.
fn repetition(bytes: &[u8]) -> Option<usize> {
    let end = bytes.iter().position(|&byte| byte == b'}')?;
    let inside = str::from_utf8(&bytes[1..end]).ok()?;
    let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    (!least.is_empty() && is_number(least) && is_number(most)).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_that_repeat_nothing_are_escaped() {
        for (given, wanted) in [
            (r"(?<clock>{.*})", r"(?<clock>\{.*\})"),
            (r"a{2}b{2,}c{2,3}", r"a{2}b{2,}c{2,3}"),
            (r"\{\}[{}]{", r"\{\}[{}]\{"),
            (r"{2}", r"\{2\}"),
            (r"x{,3}é{", r"x\{,3\}é\{"),
        ] {
            assert_eq!(escaped_braces(given), wanted);
        }
    }

    #[test]
    fn look_around_is_understood() {
        let pattern = Pattern::new(r"(?<host>\w+)(?= ) (?<clock>{.*})\n(?<event>.*)");
        let pattern = pattern.expect("an expression");
        assert!(matches!(pattern.engine, Engine::Backtracking(_)));
        let text = "noise\na {\"a\":1}\nhello\n";
        let found = pattern.find(text, 0).expect("a match");
        assert_eq!(found.group("host"), Some("a"));
        assert_eq!(found.group("clock"), Some("{\"a\":1}"));
        assert_eq!(found.group("event"), Some("hello"));
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        let complaint = Pattern::new("(?<host>").expect_err("refused");
        assert!(complaint.message.contains("no regular expression"));
    }
}
