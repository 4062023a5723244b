//! Why an input is refused: the file, the line and the column, the words underlined, what was expected and a way out.
//!
//! A fault in one line is found while the line is at hand. Faults of the whole run (a receive without send, a cycle) are
//! found when the input has streamed past: [`ReadError::Late`] says where, the caller fetches that line again, and
//! [`locate`] finds the words in it.

use std::fmt;
use std::io;
use std::ops::Range;

use causet_base::{Code, Diagnostic, Severity};
use causet_trace::{BuildError, Fault, Place, Warning};

use crate::native::Scan;

/// Why reading failed.
#[derive(Debug)]
pub enum ReadError {
    /// A line is at fault. Until it is known in which part, the file is empty and the text is the whole line.
    Fault(Diagnostic),
    /// The run as a whole is at fault; [`locate`] turns this into a [`Diagnostic`] once the line was fetched again.
    Late {
        /// What is wrong and on which line of which part.
        error: Box<BuildError>,
        /// The names of the parts.
        parts: Vec<String>,
    },
    /// The bytes could not be read or decompressed.
    Io {
        /// The name of the part.
        part: String,
        /// What the system says.
        error: io::Error,
    },
    /// The caller asked to stop.
    Stopped,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Fault(fault) => fault.fmt(f),
            ReadError::Late { error, parts } => locate(error, parts, None).fmt(f),
            ReadError::Io { part, error } => write!(f, "{part}: {error}"),
            ReadError::Stopped => f.write_str("reading was stopped"),
        }
    }
}

impl std::error::Error for ReadError {}

impl From<Diagnostic> for ReadError {
    fn from(fault: Diagnostic) -> Self {
        ReadError::Fault(fault)
    }
}

impl From<BuildError> for ReadError {
    fn from(error: BuildError) -> Self {
        ReadError::Late {
            error: Box::new(error),
            parts: Vec::new(),
        }
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        ReadError::Io {
            part: String::new(),
            error,
        }
    }
}

impl ReadError {
    /// A line is at fault, at a span of its bytes; in which part is not known yet.
    pub(crate) fn at(
        code: Code,
        line: u32,
        text: &str,
        span: Range<usize>,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        let end = |at: usize| (at..=text.len()).find(|&at| text.is_char_boundary(at));
        let span = end(span.start).unwrap_or(0)..end(span.end).unwrap_or(text.len());
        ReadError::on_line(line, text, mistake(code, span, message, expected))
    }

    /// A line is at fault as a whole.
    pub(crate) fn of_line(
        code: Code,
        line: u32,
        text: &str,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> Self {
        let start = text.len() - text.trim_start().len();
        let end = text.trim_end().len().max(start);
        ReadError::at(code, line, text, start..end, message, expected)
    }

    /// A fault whose span is one of a line.
    pub(crate) fn on_line(line: u32, text: &str, mut fault: Diagnostic) -> Self {
        fault.line = line;
        text.clone_into(&mut fault.text);
        ReadError::Fault(fault)
    }

    /// The line at fault, if one is.
    #[cfg(test)]
    pub(crate) fn line(&self) -> Option<u32> {
        match self {
            ReadError::Fault(fault) => Some(fault.line),
            _ => None,
        }
    }

    /// With a way out, if a line is at fault.
    pub(crate) fn with_help(self, help: impl Into<String>) -> Self {
        match self {
            ReadError::Fault(fault) => ReadError::Fault(fault.with_help(help)),
            other => other,
        }
    }

    /// The same in one of the parts, which is now known.
    pub(crate) fn in_part(self, part: usize, names: &[String]) -> ReadError {
        let name = names.get(part).map_or("", String::as_str);
        match self {
            ReadError::Fault(mut fault) => {
                let text = std::mem::take(&mut fault.text);
                let line = fault.line;
                ReadError::Fault(fault.in_line(name, line, &text))
            }
            ReadError::Late { error, .. } => ReadError::Late {
                error,
                parts: names.to_vec(),
            },
            ReadError::Io { error, .. } => ReadError::Io {
                part: name.to_owned(),
                error,
            },
            ReadError::Stopped => ReadError::Stopped,
        }
    }
}

/// A fault at a span of a line that is not known yet.
pub(crate) fn mistake(
    code: Code,
    span: Range<usize>,
    message: impl Into<String>,
    expected: impl Into<String>,
) -> Diagnostic {
    Diagnostic::at(code, span, message).with_label(expected)
}

/// A fault that the builder knows, at a span of a line.
pub(crate) fn built(span: Range<usize>, kind: &Fault) -> Diagnostic {
    mistake(kind.code(), span, kind.to_string(), kind.expected()).with_help(kind.help())
}

/// What was let pass, for a person: each note, and of every other kind the first with how many there are.
pub fn grouped(warnings: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut kinds: Vec<(&Diagnostic, usize)> = Vec::new();
    for warning in warnings {
        let mut same = kinds
            .iter_mut()
            .filter(|(first, _)| first.code == warning.code);
        match same.next().filter(|_| warning.code != Code::LogNote) {
            Some((_, count)) => *count += 1,
            None => kinds.push((warning, 1)),
        }
    }
    let grouped = kinds.into_iter().map(|(first, count)| {
        let mut grouped = first.clone();
        if count > 1 {
            grouped.message = format!("{}, and {} more of this kind", first.message, count - 1);
        }
        grouped
    });
    grouped.collect()
}

/// Shows a fault of the run in its line; without the line, says only where it is.
pub fn locate(error: &BuildError, parts: &[String], line_text: Option<&str>) -> Diagnostic {
    let line = line_text.unwrap_or("");
    let span = find(line, error.field, &error.text);
    let file = part_name(parts, error.place);
    let mut located = built(span, &error.kind).in_line(file, error.place.line, line);
    located.related = related(&error.kind)
        .into_iter()
        .map(|place| (part_name(parts, place).to_owned(), place.line))
        .collect();
    located
}

/// The end of a part is cut off, and was left out.
pub(crate) fn cut_off(file: &str, line: u32, what: &str) -> Diagnostic {
    let message = format!("the last {what} is cut off and was left out");
    Diagnostic::new(Code::LineCutOff, message)
        .with_help("the event it told of is missing: the run ends before it")
        .with_severity(Severity::Warning)
        .in_file(file, line, 0)
}

/// A fault of the run that was let pass.
pub(crate) fn passed(warning: &Warning, parts: &[String]) -> Diagnostic {
    Diagnostic::new(warning.kind.code(), warning.kind.to_string())
        .with_help(let_pass(&warning.kind))
        .with_severity(Severity::Warning)
        .in_file(part_name(parts, warning.place), warning.place.line, 0)
}

/// What it means that a fault was let pass; how to read leniently is known to those who do.
fn let_pass(kind: &Fault) -> String {
    match kind {
        Fault::ReceiveWithoutSend(_) => {
            "nothing is known to come before this receive: orders are checked that its send may rule out".into()
        }
        Fault::ClockSkips { .. } | Fault::ClockBeyondLog { .. } => {
            "events are missing from the log: orders are checked that they may rule out".into()
        }
        Fault::ClockUnknownProcess { nearest: None, .. } => {
            "this entry orders nothing: the log of that process is missing".into()
        }
        kind => kind.help(),
    }
}

fn part_name(parts: &[String], place: Place) -> &str {
    parts.get(place.part as usize).map_or("", String::as_str)
}

fn related(kind: &Fault) -> Vec<Place> {
    match kind {
        Fault::AfterEnd { ended, .. } => vec![*ended],
        Fault::SentTwice { first, .. } | Fault::NameTwice { first, .. } => vec![*first],
        Fault::Cycle(events) => events.iter().map(|event| event.place).collect(),
        _ => Vec::new(),
    }
}

/// Where `text` stands within the value of the top-level field `field`; the value, or the whole line, failing that.
fn find(line: &str, field: &str, text: &str) -> Range<usize> {
    let whole = line.len() - line.trim_start().len()..line.trim_end().len();
    if field.is_empty() {
        return whole.start.min(whole.end)..whole.end;
    }
    find_field(line, field, text).unwrap_or(whole.start.min(whole.end)..whole.end)
}

fn find_field(line: &str, field: &str, text: &str) -> Option<Range<usize>> {
    let mut scan = Scan::new(line);
    let mut inside = scan.open_object("").ok()?;
    while let Some(key) = scan.next_key(&mut inside).ok()? {
        let value = scan.value_span();
        if scan.text(key) == field {
            return Some(find_token(line, value.clone(), text).unwrap_or(value));
        }
        scan.skip_value().ok()?;
    }
    None
}

/// The first string or number within a value that reads as `text`.
fn find_token(line: &str, value: Range<usize>, text: &str) -> Option<Range<usize>> {
    let mut scan = Scan::new(&line[..value.end]);
    scan.move_to(value.start);
    while let Some(byte) = scan.next() {
        let start = scan.at();
        let same = match byte {
            b'"' => {
                let string = scan.string().ok()?;
                scan.text(string) == text
            }
            b'-' | b'0'..=b'9' => scan.number().ok()? == text,
            _ => {
                scan.move_to(start + 1);
                false
            }
        };
        if same {
            return Some(start..scan.at());
        }
    }
    None
}
