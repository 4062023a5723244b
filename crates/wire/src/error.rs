//! Why an input is refused: the file, the line and the column, the words underlined, what was expected and a way out.
//!
//! A fault in one line is found while the line is at hand. Faults of the whole run (a receive without send, a cycle) are
//! found when the input has streamed past: [`ReadError::Late`] says where, the caller fetches that line again, and
//! [`locate`] finds the words in it.

use std::fmt;
use std::io;
use std::ops::Range;

use causet_trace::{BuildError, Fault, Place, Warning};

use crate::native::Scan;

/// Lines longer than this many characters are shown in part.
const SHOWN: usize = 200;

/// Why reading failed.
#[derive(Debug)]
pub enum ReadError {
    /// A line is at fault.
    Fault(Box<Problem>),
    /// The run as a whole is at fault; [`locate`] turns this into a [`Problem`] once the line was fetched again.
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
            ReadError::Fault(problem) => problem.fmt(f),
            ReadError::Late { error, parts } => locate(error, parts, None).fmt(f),
            ReadError::Io { part, error } => write!(f, "{part}: {error}"),
            ReadError::Stopped => f.write_str("reading was stopped"),
        }
    }
}

impl std::error::Error for ReadError {}

/// A fault as a person wants to see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The part, as the caller named it.
    pub file: String,
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
    /// Other lines that have to do with it: file and line.
    pub related: Vec<(String, u32)>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem {
            file,
            line,
            column,
            message,
            ..
        } = self;
        write!(f, "{file}:{line}:{column}: {message}")
    }
}

impl std::error::Error for Problem {}

/// Something odd that was let pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadWarning {
    /// The part, as the caller named it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// What kind of thing it is, in a word or two.
    pub rule: &'static str,
    /// What is odd.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

impl fmt::Display for ReadWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ReadWarning {
            file,
            line,
            message,
            ..
        } = self;
        write!(f, "{file}:{line}: {message}")
    }
}

/// What was let pass, for a person: each note, and of every other kind the first with how many there are.
pub fn grouped(warnings: &[ReadWarning]) -> Vec<ReadWarning> {
    let mut kinds: Vec<(&ReadWarning, usize)> = Vec::new();
    for warning in warnings {
        let mut same = kinds
            .iter_mut()
            .filter(|(first, _)| first.rule == warning.rule);
        match same.next().filter(|_| warning.rule != "note") {
            Some((_, count)) => *count += 1,
            None => kinds.push((warning, 1)),
        }
    }
    let told = kinds.into_iter().map(|(first, count)| {
        let mut told = first.clone();
        if count > 1 {
            told.message = format!("{}, and {} more of this kind", told.message, count - 1);
        }
        told
    });
    told.collect()
}

/// Shows a fault of the run in its line; without the line, says only where it is.
pub fn locate(error: &BuildError, parts: &[String], line_text: Option<&str>) -> Problem {
    let line = line_text.unwrap_or("");
    let mut problem = Complaint::new(
        find(line, error.field, &error.text),
        error.kind.to_string(),
        error.kind.expected(),
    )
    .with_help(error.kind.help())
    .in_line(part_name(parts, error.place), error.place.line, line);
    problem.related = related(&error.kind)
        .into_iter()
        .map(|place| (part_name(parts, place).to_owned(), place.line))
        .collect();
    problem
}

impl ReadWarning {
    /// The end of a part is cut off, and was left out.
    pub(crate) fn cut_off(file: &str, line: u32, what: &str) -> Self {
        ReadWarning {
            file: file.to_owned(),
            line,
            rule: "line-cut-off",
            message: format!("the last {what} is cut off and was left out"),
            help: "the event it told of is missing: the run ends before it".to_owned(),
        }
    }

    pub(crate) fn new(warning: &Warning, parts: &[String]) -> Self {
        ReadWarning {
            file: part_name(parts, warning.place).to_owned(),
            line: warning.place.line,
            rule: rule_of(&warning.kind),
            message: warning.kind.to_string(),
            help: let_pass(&warning.kind),
        }
    }
}

/// The rule that a fault breaks.
fn rule_of(kind: &Fault) -> &'static str {
    match kind {
        Fault::UnknownProcess { .. } => "unknown-process",
        Fault::ProcessTwice(_) => "process-twice",
        Fault::AfterEnd { .. } => "event-after-end",
        Fault::ReceiveWithoutSend(_) => "receive-without-send",
        Fault::SentTwice { .. } => "message-sent-twice",
        Fault::NameTwice { .. } => "duplicate-id",
        Fault::NoSuchEvent { .. } => "no-such-event",
        Fault::ClockWithoutOwn(_) => "clock-without-own-entry",
        Fault::ClockBackwards { .. } => "clock-goes-back",
        Fault::ClockSkips { .. } => "clock-skips",
        Fault::ClockBeyondLog { .. } => "clock-beyond-log",
        Fault::ClockContradicts { .. } => "clock-contradicts",
        Fault::ClockUnknownProcess { .. } => "clock-of-unknown-process",
        Fault::Cycle(_) => "cycle",
        Fault::UnknownInit { .. } => "unknown-init",
        Fault::ReadNotShared { .. } => "read-not-shared",
        Fault::HeaderDisagrees(_) => "headers-disagree",
        Fault::TooMany => "too-many-events",
        Fault::NotInPassing { .. } => "not-in-passing",
    }
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

/// A fault within a line whose place in the input is not known yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Complaint {
    pub(crate) span: Range<usize>,
    pub(crate) message: String,
    pub(crate) expected: String,
    pub(crate) help: Option<String>,
}

impl Complaint {
    pub(crate) fn new(
        span: Range<usize>,
        message: impl Into<String>,
        expected: impl Into<String>,
    ) -> Box<Self> {
        Box::new(Complaint {
            span,
            message: message.into(),
            expected: expected.into(),
            help: None,
        })
    }

    pub(crate) fn with_help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
        self
    }

    /// A fault the builder knows, at a span of the line.
    pub(crate) fn of(span: Range<usize>, kind: &Fault) -> Box<Self> {
        Complaint::new(span, kind.to_string(), kind.expected()).with_help(kind.help())
    }

    /// Completes the complaint with the place and the line.
    pub(crate) fn in_line(self, file: &str, line: u32, text: &str) -> Problem {
        let column = text[..self.span.start].chars().count() + 1;
        let (text, span) = shortened(text.trim_end(), self.span);
        Problem {
            file: file.to_owned(),
            line,
            column: u32::try_from(column).unwrap_or(u32::MAX),
            text,
            span,
            message: self.message,
            expected: self.expected,
            help: self.help,
            related: Vec::new(),
        }
    }
}

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
