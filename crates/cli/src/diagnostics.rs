//! What is wrong, shown in the text that is wrong: place, underline, what was expected, a way out.
//!
//! Everything goes to standard error. Texts that come from a log or a formula are made safe first; a character that
//! becomes an escape is longer than before, so the underlined span is moved along.

use std::io::Write;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet, Title};
use causet_base::{Code, Diagnostic, Severity};
use causet_wire::diagnostics::write_errors;
use causet_wire::grouped;
use causet_wire::remarks::Remarks;
use causet_wire::report::words::clean;

use crate::output;

/// A text that formulas are read from: a property file, or an argument.
#[derive(Clone, Debug)]
pub(crate) struct FormulaText {
    /// The file, or the flag.
    pub(crate) name: String,
    /// All of it.
    pub(crate) text: String,
}

/// Says that something is wrong, in a sentence.
pub(crate) fn sentence(code: Code, message: &str, help: Option<&str>) {
    show(&Diagnostic::new(code, message).with_help_if(help));
}

/// Says that something is odd.
pub(crate) fn warning(code: Code, message: &str, help: Option<&str>) {
    let warning = Diagnostic::new(code, message).with_help_if(help);
    show(&warning.with_severity(Severity::Warning));
}

/// Says something worth knowing.
pub(crate) fn note(code: Code, message: &str) {
    show(&Diagnostic::new(code, message).with_severity(Severity::Note));
}

/// Shows a diagnostic: in its line if the column is known, otherwise in a sentence.
pub(crate) fn show(diagnostic: &Diagnostic) {
    remember(diagnostic);
    match diagnostic.column {
        0 => {
            // What a sentence about a line of a file begins with.
            let place = match diagnostic.line {
                0 => String::new(),
                line => format!("{}:{line}: ", diagnostic.file),
            };
            let text = clean(&format!("{place}{}", diagnostic.message));
            let group = Group::with_title(title(diagnostic, &text));
            print(&render(with_help(group, diagnostic.help.as_deref())));
        }
        _ => in_line(diagnostic),
    }
}

/// Shows what is wrong in a line of a log.
fn in_line(problem: &Diagnostic) {
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
    let rendered = render(with_help(group, problem.help.as_deref()));
    // The renderer counts columns in what it shows, which is not the whole line when that is long.
    let place = |column: usize| format!("{file}:{line}:{column}");
    let rendered = rendered.replacen(&place(shown_column), &place(column), 1);
    print(&rendered);
}

/// Says what was let pass in a log: each note, and of every other kind the first with their number.
pub(crate) fn read_warnings(found: &[Diagnostic]) {
    for found in grouped(found) {
        show(&found);
    }
}

/// Shows what is wrong with a formula, odd about it or worth knowing.
pub(crate) fn show_in(source: &FormulaText, diagnostic: &Diagnostic) {
    remember(&located(source, diagnostic));
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
    print(&render(with_help(group, diagnostic.help.as_deref())));
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

/// Shows what is odd about a run as a whole.
pub(crate) fn remarks(remarks: &Remarks) {
    remarks.all().for_each(show);
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

/// The errors shown so far, for `--json`.
static ERRORS: Mutex<Vec<Diagnostic>> = Mutex::new(Vec::new());

fn remember(diagnostic: &Diagnostic) {
    if diagnostic.severity == Severity::Error
        && let Ok(mut errors) = ERRORS.lock()
    {
        errors.push(diagnostic.clone());
    }
}

/// For `--json`: prints the errors shown so far as one object, unless a report was printed.
pub(crate) fn errors_as_json() {
    let Ok(errors) = ERRORS.lock() else { return };
    if asks_for_json() && !errors.is_empty() && !output::is_written() {
        // When even that fails there is nobody left to tell.
        let _ = output::stream_to_stdout(|out| write_errors(&errors, out));
    }
}

/// Whether the arguments of this program say `--json`, even if they are not understood.
fn asks_for_json() -> bool {
    let arguments = std::env::args_os().skip(1);
    let mut own = arguments.take_while(|argument| argument != "--");
    own.any(|argument| argument == "--json")
}

/// Notes that the command line was refused; `clap` has the words.
pub(crate) fn usage(text: &str) {
    let mut lines = text.lines().map(str::trim);
    let first = lines.next().unwrap_or_default();
    let mut message = first.strip_prefix("error: ").unwrap_or(first).to_owned();
    if message.ends_with(':') {
        // What is missing stands on the lines below, up to an empty one.
        let missing: Vec<&str> = lines.by_ref().take_while(|line| !line.is_empty()).collect();
        message = format!("{message} {}", missing.join(", "));
    }
    let help = lines.find_map(|line| line.strip_prefix("tip: "));
    remember(&Diagnostic::new(Code::Usage, message).with_help_if(help));
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
