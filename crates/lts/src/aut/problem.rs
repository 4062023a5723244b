//! What is wrong or odd in a file: the line, the words in it, what was expected instead and a way out.

use std::fmt;
use std::ops::Range;

/// How many bytes are shown before the underlined ones, of them, and after them.
const SHOWN: usize = 80;

/// A fault as a person wants to see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// The line, shortened around the span when it is long; empty when it is not at hand.
    pub text: String,
    /// The bytes of `text` to underline.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What was expected instead.
    pub expected: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Problem {}

/// Something odd that was let pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// The line, from 1.
    pub line: u32,
    /// What is odd.
    pub message: String,
    /// What was made of it.
    pub help: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.message)
    }
}

impl Problem {
    /// A problem with some bytes of a line; the line's number is found later.
    pub(super) fn new(
        line: &[u8],
        span: Range<usize>,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> Box<Problem> {
        let (text, shown) = shortened(line, span.clone());
        let before = String::from_utf8_lossy(&line[..span.start]);
        Box::new(Problem {
            line: 1,
            column: u32::try_from(before.chars().count() + 1).unwrap_or(u32::MAX),
            text,
            span: shown,
            message: message.into(),
            expected: expected.into(),
            help: None,
        })
    }

    pub(super) fn with_help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
        self
    }

    /// Moves the problem so many lines on.
    pub(super) fn after_lines(mut self: Box<Self>, before: u64) -> Box<Self> {
        let line = before + u64::from(self.line);
        self.line = u32::try_from(line).unwrap_or(u32::MAX);
        self
    }

    /// A line of which only the start was read.
    pub(super) fn long_line(start: &[u8]) -> Box<Problem> {
        let message = "this line is longer than 16 MiB";
        Problem::new(start, 0..1, message, "expected the end of the line")
            .with_help("check that this is a text file with one transition a line")
    }
}

/// The part of a line around a span, with dots where something was left out, and the span in it.
fn shortened(line: &[u8], span: Range<usize>) -> (String, Range<usize>) {
    let end = line.trim_ascii_end().len().max(span.start);
    let span = span.start..span.end.clamp(span.start, end);
    let first = boundary(&line[..span.start], span.start.saturating_sub(SHOWN));
    let marked = boundary(&line[..end], span.end.min(span.start + SHOWN));
    let last = boundary(&line[..end], end.min(marked + SHOWN));
    let mut text = String::from(if first > 0 { "…" } else { "" });
    text += &String::from_utf8_lossy(&line[first..span.start]);
    let start = text.len();
    text += &String::from_utf8_lossy(&line[span.start..marked]);
    let shown = start..text.len();
    text += &String::from_utf8_lossy(&line[marked..last]);
    text += if last < end { "…" } else { "" };
    (text, shown)
}

/// The next place from here on that is not inside a character, or the end.
fn boundary(line: &[u8], at: usize) -> usize {
    let inside = line[at..].iter().take_while(|&&byte| byte & 0xC0 == 0x80);
    at + inside.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_shown_around_the_fault() {
        let line = format!("{}X{}", "é".repeat(100), "b".repeat(100));
        let problem = Problem::new(line.as_bytes(), 200..201, "m", "e");
        assert_eq!(problem.column, 101);
        assert_eq!(&problem.text[problem.span.clone()], "X");
        let expected = format!("…{}X{}…", "é".repeat(40), "b".repeat(80));
        assert_eq!(problem.text, expected);
    }

    #[test]
    fn a_span_past_the_end_marks_the_end() {
        let problem = Problem::new(b"(0,a,1", 6..7, "m", "e");
        assert_eq!((problem.column, problem.span.clone()), (7, 6..6));
        assert_eq!(problem.text, "(0,a,1");
    }
}
