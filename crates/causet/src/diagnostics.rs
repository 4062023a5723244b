//! What is wrong, shown in the text that is wrong: place, underline, what was expected, a way out.
//!
//! Everything goes to standard error. Texts that come from a log or a formula are made safe first; a character that
//! becomes an escape is longer than before, so the underlined span is moved along.

use std::io::Write;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use causet_formula::FormulaError;
use causet_wire::remarks::Remarks;
use causet_wire::report::words::clean;
use causet_wire::{Problem, ReadWarning, grouped};

/// A text that formulas are read from: a property file, or an argument.
#[derive(Clone, Debug)]
pub(crate) struct FormulaText {
    /// The file, or the flag.
    pub(crate) name: String,
    /// All of it.
    pub(crate) text: String,
}

/// Says that something is wrong, in a sentence.
pub(crate) fn sentence(message: &str, help: Option<&str>) {
    let group = Group::with_title(Level::ERROR.primary_title(clean(message)));
    print(&render(with_help(group, help)));
}

/// Says that something is odd.
pub(crate) fn warning(message: &str, help: Option<&str>) {
    let group = Group::with_title(Level::WARNING.primary_title(clean(message)));
    print(&render(with_help(group, help)));
}

/// Says something worth knowing.
pub(crate) fn note(message: &str) {
    print(&render(Group::with_title(
        Level::NOTE.primary_title(clean(message)),
    )));
}

/// Shows what is wrong in a line of a log.
pub(crate) fn problem(problem: &Problem) {
    let file = clean(&problem.file);
    let (line, column) = (problem.line as usize, problem.column as usize);
    let title = Level::ERROR.primary_title(clean(&problem.message));
    let (text, span) = safe(&problem.text, within(&problem.text, problem.span.clone()));
    let shown_column = text[..span.start].chars().count() + 1;
    let mut group = if text.is_empty() {
        let place = Origin::path(file.as_str()).line(line).char_column(column);
        title
            .element(place)
            .element(Level::NOTE.message(clean(&problem.expected)))
    } else {
        let annotation = AnnotationKind::Primary
            .span(span)
            .label(clean(&problem.expected));
        let snippet = Snippet::source(text).line_start(line).path(file.as_str());
        title.element(snippet.annotation(annotation))
    };
    let here = (problem.file.clone(), problem.line);
    for (file, line) in problem.related.iter().filter(|&other| *other != here) {
        let note = format!("see also {}:{line}", clean(file));
        group = group.element(Level::NOTE.message(note));
    }
    let rendered = render(with_help(group, problem.help.as_deref()));
    // The renderer counts columns in what it shows, which is not the whole line when that is long.
    let place = |column: usize| format!("{file}:{line}:{column}");
    let rendered = rendered.replacen(&place(shown_column), &place(column), 1);
    print(&rendered);
}

/// Says what was let pass in a log: each note, and of every other kind the first with their number.
pub(crate) fn read_warnings(found: &[ReadWarning]) {
    for found in grouped(found) {
        warning(&found.to_string(), Some(&found.help));
    }
}

/// Shows what is wrong with a formula.
pub(crate) fn formula_error(source: &FormulaText, error: &FormulaError) {
    formula(source, error, Level::ERROR);
}

/// Shows what is odd about a formula, or worth knowing.
pub(crate) fn formula_warning(source: &FormulaText, warning: &FormulaError) {
    let level = if warning.is_note {
        Level::NOTE
    } else {
        Level::WARNING
    };
    formula(source, warning, level);
}

/// Shows what is odd about a run as a whole.
pub(crate) fn remarks(remarks: &Remarks) {
    for remark in &remarks.warnings {
        warning(&remark.message, Some(remark.help));
    }
    for remark in &remarks.notes {
        let group = Group::with_title(Level::NOTE.primary_title(clean(&remark.message)));
        print(&render(with_help(group, Some(remark.help))));
    }
}

fn formula(source: &FormulaText, error: &FormulaError, level: Level<'_>) {
    let span = within(&source.text, error.span.range());
    let (lines, first) = lines_of(&source.text, &span);
    let span = span.start - lines.start..span.end - lines.start;
    let (text, span) = safe(&source.text[lines], span);
    let label = error.label.as_deref().map(clean);
    let annotation = AnnotationKind::Primary.span(span).label(label);
    let snippet = Snippet::source(text)
        .line_start(first)
        .path(clean(&source.name))
        .annotation(annotation);
    let group = level.primary_title(clean(&error.message)).element(snippet);
    print(&render(with_help(group, error.help.as_deref())));
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

fn render(group: Group<'_>) -> String {
    Renderer::styled().render(&[group])
}

/// Whether a message was printed last: an empty line sets it off from whatever comes next, if anything does.
static OPEN: AtomicBool = AtomicBool::new(false);

/// Sets the messages so far off from a report that a person is about to read on the same terminal.
pub(crate) fn before_report() {
    if OPEN.swap(false, Ordering::Relaxed) {
        let _ = writeln!(anstream::stderr().lock());
    }
}

/// Prints to standard error; when even that fails there is nobody left to tell.
fn print(text: &str) {
    before_report();
    OPEN.store(true, Ordering::Relaxed);
    let _ = writeln!(anstream::stderr().lock(), "{text}");
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
