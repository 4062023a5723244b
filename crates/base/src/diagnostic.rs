//! What every crate says to a person: an error, a warning or a note, with a stable code, the place and a way out.
//!
//! A renderer prints the message as the headline, underlines the span in the source text, writes the label under the line
//! and the help below it. This module renders nothing.

use std::fmt;
use std::ops::{Deref, DerefMut, Range};

use crate::codes::Code;
use crate::span::Span;

/// Lines longer than this many characters are shown in part.
const SHOWN: usize = 200;

/// How much a diagnostic matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The work cannot be done.
    Error,
    /// A verdict may not mean what it seems to.
    Warning,
    /// Worth knowing.
    Note,
}

impl Severity {
    /// The word for it in reports.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A piece of a formula within a sentence: in backquotes unless it has some of its own.
pub fn shown(text: &str) -> String {
    match text.contains('`') {
        true => text.to_owned(),
        false => format!("`{text}`"),
    }
}

/// What a diagnostic holds; reached through [`Diagnostic`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Details {
    /// How much it matters.
    pub severity: Severity,
    /// Its stable code.
    pub code: Code,
    /// One sentence without a full stop.
    pub message: String,
    /// The file, as the caller named it; empty if unknown.
    pub file: String,
    /// The line, from 1; 0 if unknown.
    pub line: u32,
    /// The column, from 1, in characters; 0 if unknown.
    pub column: u32,
    /// The source text to show, shortened around the span when it is long; empty when it is not at hand.
    pub text: String,
    /// The bytes to underline: of `text`, or of the formula or file it is about when the caller has that text.
    pub span: Span,
    /// What was expected there; stands under the underlined text.
    pub label: Option<String>,
    /// A suggestion: the nearest name, the right operator.
    pub help: Option<String>,
    /// Other places that have to do with it: file and line.
    pub related: Vec<(String, u32)>,
}

/// One error, warning or note. It is one pointer wide, so that results that may hold one stay small.
#[derive(Clone, PartialEq, Eq)]
pub struct Diagnostic(Box<Details>);

impl Diagnostic {
    /// A diagnostic with the usual severity of its code, without a place.
    pub fn new(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic(Box::new(Details {
            severity: code.severity(),
            code,
            message: message.into(),
            file: String::new(),
            line: 0,
            column: 0,
            text: String::new(),
            span: Span::default(),
            label: None,
            help: None,
            related: Vec::new(),
        }))
    }

    /// The same about a span of the text that the caller has.
    pub fn at(code: Code, span: impl Into<Span>, message: impl Into<String>) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(code, message);
        diagnostic.span = span.into();
        diagnostic
    }

    /// The same with words under the underlined text.
    #[must_use]
    pub fn with_label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = Some(label.into());
        self
    }

    /// The same with a suggestion.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// The same with a suggestion, if there is one.
    #[must_use]
    pub fn with_help_if(mut self, help: Option<impl Into<String>>) -> Diagnostic {
        if let Some(help) = help {
            self.help = Some(help.into());
        }
        self
    }

    /// The same with `did you mean ...?` as its suggestion, when there is a near name.
    #[must_use]
    pub fn with_nearest(self, nearest: Option<impl fmt::Display>) -> Diagnostic {
        match nearest {
            Some(name) => self.with_help(format!("did you mean {}?", shown(&name.to_string()))),
            None => self,
        }
    }

    /// The same as a note with a code of its own.
    #[must_use]
    pub fn as_note(mut self, code: Code) -> Diagnostic {
        self.severity = Severity::Note;
        self.code = code;
        self
    }

    /// The same in a line of a file.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>, line: u32, column: u32) -> Diagnostic {
        self.file = file.into();
        self.line = line;
        self.column = column;
        self
    }

    /// The same in a line whose text is at hand; the text is shortened around the span.
    #[must_use]
    pub fn in_line(mut self, file: &str, line: u32, text: &str) -> Diagnostic {
        let span = self.span.range();
        let column = text[..span.start].chars().count() + 1;
        let (text, span) = shortened(text.trim_end(), span);
        self.text = text;
        self.span = span.into();
        self.in_file(file, line, u32::try_from(column).unwrap_or(u32::MAX))
    }

    /// The same, as many lines further on.
    #[must_use]
    pub fn after_lines(mut self, before: u64) -> Diagnostic {
        let line = before + u64::from(self.line);
        self.line = u32::try_from(line).unwrap_or(u32::MAX);
        self
    }

    /// The same with another severity than its code usually has.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Diagnostic {
        self.severity = severity;
        self
    }

    /// The message with what was expected and the suggestion, without the place.
    pub fn sentence(&self) -> String {
        let label = self.label.iter().map(|label| format!(": {label}"));
        let help = self.help.iter().map(|help| format!(" ({help})"));
        let parts = label.chain(help);
        parts.fold(self.message.clone(), |sentence, part| sentence + &part)
    }

    /// What was expected, or nothing.
    pub fn expected(&self) -> &str {
        self.label.as_deref().unwrap_or_default()
    }
}

impl Deref for Diagnostic {
    type Target = Details;

    fn deref(&self) -> &Details {
        &self.0
    }
}

impl DerefMut for Diagnostic {
    fn deref_mut(&mut self) -> &mut Details {
        &mut self.0
    }
}

impl fmt::Debug for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Diagnostic").field(&*self.0).finish()
    }
}

impl fmt::Display for Diagnostic {
    /// On one line: with the place if it is known, else with what was expected and the suggestion.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column, message) = (self.line, self.column, &self.message);
        match (self.file.as_str(), line, column) {
            ("", 0, _) => f.write_str(&self.sentence()),
            ("", _, 0) => write!(f, "line {line}: {message}"),
            ("", ..) => write!(f, "line {line}, column {column}: {message}"),
            (file, 0, _) => write!(f, "{file}: {message}"),
            (file, _, 0) => write!(f, "{file}:{line}: {message}"),
            (file, ..) => write!(f, "{file}:{line}:{column}: {message}"),
        }
    }
}

impl std::error::Error for Diagnostic {}

/// The part of a long line around a span, with dots where something was left out.
fn shortened(text: &str, span: Range<usize>) -> (String, Range<usize>) {
    let span = span.start.min(text.len())..span.end.min(text.len());
    if text.chars().count() <= SHOWN {
        return (text.to_owned(), span);
    }
    let marked = text[span.clone()].chars().count().min(SHOWN / 2);
    let beside = (SHOWN - marked) / 2;
    let start = nth_before(text, span.start, beside);
    let end = nth_after(text, span.start, beside + marked);
    let (front, back) = (dots(start > 0), dots(end < text.len()));
    let shown = format!("{front}{}{back}", &text[start..end]);
    let shift = |at: usize| front.len() + at.clamp(start, end) - start;
    let span = shift(span.start)..shift(span.end);
    (shown, span)
}

fn dots(cut: bool) -> &'static str {
    if cut { "…" } else { "" }
}

/// The place `count` characters before another, or the start.
fn nth_before(text: &str, at: usize, count: usize) -> usize {
    let mut back = text[..at].char_indices().rev().map(|(place, _)| place);
    count
        .checked_sub(1)
        .map_or(at, |last| back.nth(last).unwrap_or(0))
}

/// The place `count` characters after another, or the end.
fn nth_after(text: &str, at: usize, count: usize) -> usize {
    let mut forth = text[at..].char_indices().map(|(place, _)| at + place);
    forth.nth(count).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagnostic_names_what_is_known_of_its_place() {
        let bare = || Diagnostic::new(Code::MalformedJson, "m").with_label("l");
        assert_eq!(bare().with_help("h").to_string(), "m: l (h)");
        assert_eq!(bare().in_file("", 2, 3).to_string(), "line 2, column 3: m");
        assert_eq!(bare().in_file("f", 2, 0).to_string(), "f:2: m");
        assert_eq!(bare().in_file("f", 2, 3).to_string(), "f:2:3: m");
    }
}
