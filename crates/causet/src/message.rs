//! What is wrong, shown in the text that is wrong: place, underline, what was expected, a way out.
//!
//! Texts that come from a log or a formula are made safe first; a character that becomes an escape is longer than before,
//! so the underlined span is moved along.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet, Title};
use causet_base::{Diagnostic, Severity};
use causet_report::words::clean;

/// A text that formulas are read from: a property file, or an argument.
#[derive(Clone, Debug)]
pub struct FormulaText {
    /// The file, or the flag.
    pub name: String,
    /// All of it.
    pub text: String,
}

/// An error, a warning or a note, with the text it is about.
#[derive(Clone, Debug)]
pub struct Message {
    diagnostic: Diagnostic,
    /// The formula or the file of formulas that the diagnostic is about, when it is about one.
    source: Option<Arc<FormulaText>>,
}

impl Message {
    /// A message about a formula.
    #[doc(hidden)]
    pub fn in_formula(source: &Arc<FormulaText>, diagnostic: &Diagnostic) -> Message {
        Message {
            diagnostic: diagnostic.clone(),
            source: Some(Arc::clone(source)),
        }
    }

    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.diagnostic.severity
    }

    /// The stable code, such as `E0101`; the book explains each.
    pub fn code(&self) -> String {
        self.diagnostic.code.to_string()
    }

    /// What is wrong, in a sentence.
    pub fn sentence(&self) -> &str {
        &self.diagnostic.message
    }

    /// What to do about it.
    pub fn help(&self) -> Option<&str> {
        self.diagnostic.help.as_deref()
    }

    /// The file, or what else was read, if the message is about one.
    pub fn file(&self) -> Option<String> {
        Some(self.located().file.clone()).filter(|file| !file.is_empty())
    }

    /// The line in it, from 1.
    pub fn line(&self) -> Option<u32> {
        Some(self.located().line).filter(|&line| line > 0)
    }

    /// The column in it, from 1, in characters.
    pub fn column(&self) -> Option<u32> {
        Some(self.located().column).filter(|&column| column > 0)
    }

    /// The diagnostic with its file, line and column.
    #[doc(hidden)]
    pub fn located(&self) -> Diagnostic {
        match &self.source {
            Some(source) => located(source, &self.diagnostic),
            None => self.diagnostic.clone(),
        }
    }

    /// The text a terminal shows, with or without colours.
    #[doc(hidden)]
    pub fn rendered(&self, renderer: &Renderer) -> String {
        match &self.source {
            Some(source) => in_formula(source, &self.diagnostic, renderer),
            None if self.diagnostic.column > 0 => in_line(&self.diagnostic, renderer),
            None => in_sentence(&self.diagnostic, renderer),
        }
    }
}

impl From<Diagnostic> for Message {
    fn from(diagnostic: Diagnostic) -> Message {
        Message {
            diagnostic,
            source: None,
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.rendered(&Renderer::plain()))
    }
}

fn in_sentence(diagnostic: &Diagnostic, renderer: &Renderer) -> String {
    // What a sentence about a line of a file begins with.
    let place = match diagnostic.line {
        0 => String::new(),
        line => format!("{}:{line}: ", diagnostic.file),
    };
    let text = clean(&format!("{place}{}", diagnostic.message));
    let group = Group::with_title(title(diagnostic, &text));
    renderer.render(&[with_help(group, diagnostic.help.as_deref())])
}

/// What is wrong in a line of a log.
fn in_line(problem: &Diagnostic, renderer: &Renderer) -> String {
    let file = clean(&problem.file);
    let (line, column) = (problem.line as usize, problem.column as usize);
    let message = clean(&problem.message);
    let title = title(problem, &message);
    let (text, span) = safe(&problem.text, within(&problem.text, problem.span.range()));
    let shown_column = text[..span.start].chars().count() + 1;
    let mut group = if text.is_empty() {
        let place = Origin::path(file.as_str()).line(line).char_column(column);
        title
            .element(place)
            .element(Level::NOTE.message(clean(problem.expected())))
    } else {
        let annotation = AnnotationKind::Primary
            .span(span)
            .label(clean(problem.expected()));
        let snippet = Snippet::source(text).line_start(line).path(file.as_str());
        title.element(snippet.annotation(annotation))
    };
    let here = (problem.file.clone(), problem.line);
    for (file, line) in problem.related.iter().filter(|&other| *other != here) {
        let note = format!("see also {}:{line}", clean(file));
        group = group.element(Level::NOTE.message(note));
    }
    let rendered = renderer.render(&[with_help(group, problem.help.as_deref())]);
    // The renderer counts columns in what it shows, which is not the whole line when that is long.
    let place = |column: usize| format!("{file}:{line}:{column}");
    rendered.replacen(&place(shown_column), &place(column), 1)
}

/// What is wrong with a formula, odd about it or worth knowing.
fn in_formula(source: &FormulaText, diagnostic: &Diagnostic, renderer: &Renderer) -> String {
    let span = within(&source.text, diagnostic.span.range());
    let (lines, first) = lines_of(&source.text, &span);
    let span = span.start - lines.start..span.end - lines.start;
    let (text, span) = safe(&source.text[lines], span);
    let label = diagnostic.label.as_deref().map(clean);
    let annotation = AnnotationKind::Primary.span(span).label(label);
    let snippet = Snippet::source(text)
        .line_start(first)
        .path(clean(&source.name))
        .annotation(annotation);
    let message = clean(&diagnostic.message);
    let group = title(diagnostic, &message).element(snippet);
    renderer.render(&[with_help(group, diagnostic.help.as_deref())])
}

/// A diagnostic about a formula with the file, the line and the column of what it underlines.
pub(crate) fn located(source: &FormulaText, diagnostic: &Diagnostic) -> Diagnostic {
    let start = within(&source.text, diagnostic.span.range()).start;
    let before = &source.text[..start];
    let line = before.matches('\n').count() + 1;
    let column = before[before.rfind('\n').map_or(0, |newline| newline + 1)..].chars();
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let located = diagnostic.clone();
    located.in_file(&source.name, number(line), number(column.count() + 1))
}

/// The headline: severity, code and message.
fn title<'a>(diagnostic: &Diagnostic, message: &'a str) -> Title<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    level.primary_title(message).id(diagnostic.code.to_string())
}

/// A range that lies within the text, whatever it was.
fn within(text: &str, range: Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(range.start.min(text.len()));
    let end = text.ceil_char_boundary(range.end.min(text.len()));
    start..end.max(start)
}

/// The lines a range lies in, which are all that is shown of a long text, and the number of the first of them, from 1.
fn lines_of(text: &str, range: &Range<usize>) -> (Range<usize>, usize) {
    // What is missing at the end of a text is missing after its last line.
    let before = match range.start == text.len() {
        true => text.trim_end_matches('\n'),
        false => &text[..range.start],
    };
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[range.end..].find('\n');
    let end = end.map_or(text.len(), |length| range.end + length);
    let newlines = text.as_bytes()[..start]
        .iter()
        .filter(|&&byte| byte == b'\n');
    (start..end, newlines.count() + 1)
}

/// The text without characters that act, line ends and tabs excepted, and where the span has gone.
fn safe(text: &str, span: Range<usize>) -> (String, Range<usize>) {
    let keep = |part: &str| {
        let pieces = part.split_inclusive(['\n', '\t']).map(|piece| {
            let end = piece.len() - piece.ends_with(['\n', '\t']) as usize;
            let line = piece[..end].strip_suffix('\r').unwrap_or(&piece[..end]);
            format!("{}{}", clean(line), &piece[end..])
        });
        pieces.collect::<String>()
    };
    let (before, marked) = (keep(&text[..span.start]), keep(&text[span.clone()]));
    let after = keep(&text[span.end..]);
    let moved = before.len()..before.len() + marked.len();
    (format!("{before}{marked}{after}"), moved)
}

fn with_help<'a>(group: Group<'a>, help: Option<&str>) -> Group<'a> {
    match help {
        Some(help) => group.element(Level::HELP.message(clean(help))),
        None => group,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_moves_with_the_escapes_before_it() {
        let (text, span) = safe("a\u{1b}b cd", 4..5);
        assert_eq!((text.as_str(), &text[span]), ("a\\u{1b}b cd", "c"));
        let (text, span) = safe("x\r\n\ty\u{7}", 4..6);
        assert_eq!((text.as_str(), &text[span]), ("x\n\ty\\u{7}", "y\\u{7}"));
    }

    #[test]
    fn the_lines_of_a_span_are_cut_out() {
        let text = "one\ntwo\nthree\n";
        let shown = |range: Range<usize>| {
            let (lines, first) = lines_of(text, &range);
            (&text[lines], first)
        };
        assert_eq!(shown(0..3), ("one", 1));
        assert_eq!(shown(5..6), ("two", 2));
        assert_eq!(shown(5..9), ("two\nthree", 2));
        assert_eq!(shown(14..14), ("three\n", 3));
        assert_eq!(lines_of("", &(0..0)), (0..0, 1));
    }

    #[test]
    fn a_span_stays_within_the_text() {
        assert_eq!(within("aé", 2..9), 1..3);
        assert_eq!(within("", 3..4), 0..0);
    }
}
