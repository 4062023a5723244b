//! What is wrong or odd in a file: the line, the words in it, what was expected instead and a way out.

use std::ops::Range;

use causet_base::{Code, Diagnostic};

/// How many bytes are shown before the underlined ones, of them, and after them.
const SHOWN: usize = 80;

/// A fault in some bytes of a line; the number of the line is found later.
pub(super) fn in_line(
    code: Code,
    line: &[u8],
    span: Range<usize>,
    message: impl Into<String>,
    expected: impl Into<String>,
) -> Diagnostic {
    let (text, shown) = shortened(line, span.clone());
    let before = String::from_utf8_lossy(&line[..span.start]);
    let column = u32::try_from(before.chars().count() + 1).unwrap_or(u32::MAX);
    let mut fault = Diagnostic::at(code, shown, message)
        .with_label(expected)
        .in_file("", 1, column);
    fault.text = text;
    fault
}

/// A line of which only the start was read.
pub(super) fn long_line(start: &[u8]) -> Diagnostic {
    let message = "this line is longer than 16 MiB";
    let expected = "expected the end of the line";
    in_line(Code::LongModelLine, start, 0..1, message, expected)
        .with_help("check that this is a text file with one transition a line")
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
        let problem = in_line(Code::BadLabel, line.as_bytes(), 200..201, "m", "e");
        assert_eq!(problem.column, 101);
        assert_eq!(&problem.text[problem.span.range()], "X");
        let expected = format!("…{}X{}…", "é".repeat(40), "b".repeat(80));
        assert_eq!(problem.text, expected);
    }

    #[test]
    fn a_span_past_the_end_marks_the_end() {
        let problem = in_line(Code::BadTransition, b"(0,a,1", 6..7, "m", "e");
        assert_eq!((problem.column, problem.span.range()), (7, 6..6));
        assert_eq!(problem.text, "(0,a,1");
    }
}
