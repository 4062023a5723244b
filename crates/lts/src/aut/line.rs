//! From lines to steps: one pass over the bytes of a block, and a sentence about the first line that is none.
//!
//! The scanner says what is missing and where it stood; the words for that are found afterwards, because they are rarely
//! needed.

use std::ops::Range;
use std::sync::Arc;

use causet_base::budget::Budget;
use causet_base::line_blocks::Filled;
use causet_base::{Code, Diagnostic};
use memchr::{memchr, memrchr};

use super::problem::{in_line, long_line};
use super::table::{BadLabel, Table};
use super::{Blocks, NotRead, fill};
use crate::portion::Kept;

/// The largest number of a state; one more is the largest number of states.
pub(super) const LAST_STATE: u32 = u32::MAX - 1;

/// So many states may always exist, however few transitions there are.
pub(super) const FREE_STATES: u64 = 1 << 20;

/// A transition whose label has the number its worker gave it. Once it is in a batch, its source is a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) source: u32,
    pub(super) label: u32,
    pub(super) target: u32,
}

/// What the lines of a block say.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// The steps that are kept, and how many there are in all.
    pub(super) steps: Vec<Step>,
    pub(super) transitions: u64,
    /// Labels that the worker met for the first time, in that order.
    pub(super) labels: Vec<Arc<str>>,
    pub(super) lines: u64,
    /// The largest state.
    pub(super) widest: u32,
    /// The line that names it, when it is larger than may be granted.
    pub(super) too_wide: Option<Diagnostic>,
    /// Why reading ends here.
    pub(super) end: Option<NotRead>,
}

impl Batch {
    /// A batch without steps that ends the reading.
    pub(super) fn ending(end: NotRead) -> Batch {
        Batch {
            end: Some(end),
            ..Batch::default()
        }
    }
}

/// Reads the lines of a block, up to the first one at fault, and keeps the steps of all sources or of some.
pub(super) fn parse_block(block: &[u8], table: &mut Table, kept: Option<&Kept>) -> Batch {
    let mut batch = Batch {
        // Lines are rarely shorter than this, and if they are the list grows.
        steps: Vec::with_capacity(expected(block.len() / 16, kept)),
        ..Batch::default()
    };
    let mut widest_line = 0..0;
    let mut start = 0;
    while start < block.len() {
        let end = memchr(b'\n', &block[start..]).map_or(block.len(), |length| start + length);
        match Scan::new(block, start..end).step(table) {
            Ok(Some(step)) => {
                let wider = step.source.max(step.target);
                if wider > batch.widest {
                    batch.widest = wider;
                    widest_line = start..end;
                }
                batch.transitions += 1;
                match kept {
                    None => batch.steps.push(step),
                    Some(kept) => batch
                        .steps
                        .extend(kept.row(step.source).map(|source| Step { source, ..step })),
                }
            }
            Ok(None) => {}
            Err((flaw, at)) => {
                let problem = flaw.explain(&block[start..end], at - start);
                batch.end = Some(problem.after_lines(batch.lines).into());
                break;
            }
        }
        batch.lines += 1;
        start = end + 1;
    }
    if u64::from(batch.widest) >= FREE_STATES {
        let before = memchr::memchr_iter(b'\n', &block[..widest_line.start]).count() as u64;
        let problem = too_wide(&block[widest_line], batch.widest);
        batch.too_wide = Some(problem.after_lines(before));
    }
    batch.labels = table.take_new();
    batch
}

/// How many of so many steps are likely to be kept.
fn expected(steps: usize, kept: Option<&Kept>) -> usize {
    kept.map_or(steps, |kept| {
        steps * kept.workers().len() / kept.deal().workers()
    })
}

/// A state that so few transitions cannot lead to; the collector knows whether that is so.
fn too_wide(line: &[u8], state: u32) -> Diagnostic {
    let digits = state.to_string();
    let start = memchr::memmem::rfind(line, digits.as_bytes()).unwrap_or(0);
    let message = format!("state {state} is far beyond what the transitions of this file lead to");
    in_line(
        Code::StateGap,
        line,
        start..start + digits.len(),
        message,
        "",
    )
    .with_help("number the states from 0 without large gaps")
}

/// What the first line says.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) initial: u64,
    pub(super) transitions: u64,
    pub(super) states: u64,
    /// The number of its line, from 1: so many lines lie behind.
    pub(super) line: u64,
    text: Vec<u8>,
    initial_span: Range<usize>,
}

impl Header {
    /// Finds the first line that is not blank and reads it; what follows it stays to be read.
    pub(super) fn read(blocks: &mut Blocks<'_>, budget: &Budget<'_>) -> Result<Header, NotRead> {
        let mut buffer = Vec::new();
        let mut before = 0;
        loop {
            let bytes = match fill(blocks, &mut buffer, budget)? {
                Filled::Nothing => return Err(no_header(before).into()),
                Filled::Lines(lines) => &buffer[lines],
                Filled::LongLine(start) => {
                    return Err(long_line(&buffer[start]).after_lines(before).into());
                }
            };
            let blank = bytes.len() - bytes.trim_ascii_start().len();
            let lines = memchr::memchr_iter(b'\n', &bytes[..blank]).count() as u64;
            if blank == bytes.len() {
                before += lines;
                continue;
            }
            let start = memrchr(b'\n', &bytes[..blank]).map_or(0, |newline| newline + 1);
            let end = memchr(b'\n', &bytes[blank..]).map_or(bytes.len(), |length| blank + length);
            blocks.put_back(&bytes[(end + 1).min(bytes.len())..]);
            return Header::parse(&bytes[start..end], before + lines);
        }
    }

    /// A problem with the number of the first state.
    pub(super) fn first_state_problem(&self, message: String, expected: String) -> Diagnostic {
        let span = self.initial_span.clone();
        in_line(Code::NoFirstState, &self.text, span, message, expected).after_lines(self.line - 1)
    }

    fn parse(line: &[u8], before: u64) -> Result<Header, NotRead> {
        let mut scan = Scan::new(line, 0..line.len());
        match scan.header() {
            Ok(([initial, transitions, states], initial_span)) => Ok(Header {
                initial,
                transitions,
                states,
                line: before + 1,
                text: line.to_vec(),
                initial_span,
            }),
            Err((flaw, at)) => Err(flaw.explain(line, at).after_lines(before).into()),
        }
    }
}

fn no_header(lines: u64) -> Diagnostic {
    in_line(Code::EmptyModel, b"", 0..0, "the file is empty", HEADER)
        .with_help("a system without transitions is written `des (0,0,1)`")
        .after_lines(lines)
}

const HEADER: &str = "expected `des (first state, transitions, states)`";

/// What a line lacks; the place says where.
#[derive(Clone, Copy, Debug)]
enum Flaw {
    NoHeader,
    NoHeaderOpening,
    HeaderComma,
    NoTransition,
    NoNumber(&'static str),
    LargeState,
    LargeCount,
    CommaBeforeLabel,
    CommaBeforeTarget,
    NoLabel,
    OpenQuote,
    AfterQuote,
    NoClosing,
    AfterClosing,
    SecondTransition,
    Nul,
    NotText,
}

impl Flaw {
    #[cold]
    fn explain(self, line: &[u8], at: usize) -> Diagnostic {
        let (message, expected, help) = self.words(line, at);
        let problem = in_line(
            self.code(&line[at..]),
            line,
            self.span(line, at),
            message,
            expected,
        );
        match help {
            "" => problem,
            help => problem.with_help(help),
        }
    }

    fn code(self, rest: &[u8]) -> Code {
        match self {
            Flaw::HeaderComma | Flaw::NoClosing if is_distribution(rest) => Code::Distribution,
            Flaw::NoHeader | Flaw::NoHeaderOpening | Flaw::HeaderComma => Code::BadModelHeader,
            Flaw::NoNumber(_) | Flaw::LargeState | Flaw::LargeCount => Code::BadStateNumber,
            Flaw::NoLabel | Flaw::OpenQuote | Flaw::AfterQuote | Flaw::Nul | Flaw::NotText => {
                Code::BadLabel
            }
            _ => Code::BadTransition,
        }
    }

    /// The bytes to underline.
    fn span(self, line: &[u8], at: usize) -> Range<usize> {
        let rest = &line[at..];
        let length = match self {
            Flaw::NoHeader
            | Flaw::NoTransition
            | Flaw::AfterClosing
            | Flaw::SecondTransition
            | Flaw::OpenQuote => rest.trim_ascii_end().len(),
            Flaw::LargeState | Flaw::LargeCount => {
                rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
            }
            Flaw::NoClosing if is_distribution(rest) => memchr(b')', rest).unwrap_or(rest.len()),
            _ => 1,
        };
        at..at + length
    }

    fn words(self, line: &[u8], at: usize) -> (String, String, &'static str) {
        let rest = &line[at..];
        let (message, expected, help) = match self {
            Flaw::NoHeader => ("the header is missing", HEADER, HEADER_HELP),
            Flaw::NoHeaderOpening => ("the header is malformed", "expected `(`", HEADER_HELP),
            Flaw::HeaderComma if rest.first() == Some(&b')') => (
                "a number is missing in the header",
                "expected `,` and a number",
                HEADER_HELP,
            ),
            Flaw::HeaderComma if is_distribution(rest) => DISTRIBUTION,
            Flaw::HeaderComma => (
                "a comma is missing in the header",
                "expected `,`",
                HEADER_HELP,
            ),
            Flaw::NoTransition => no_transition(rest),
            Flaw::NoNumber(what) => return no_number(what, rest),
            Flaw::LargeState => return large(rest, u64::from(LAST_STATE), STATE_HELP),
            Flaw::LargeCount => return large(rest, u64::MAX, ""),
            Flaw::CommaBeforeLabel => (
                "a comma is missing",
                "expected `,` and the label",
                STEP_HELP,
            ),
            Flaw::CommaBeforeTarget => (
                "a comma is missing",
                "expected `,` and the number of the target",
                STEP_HELP,
            ),
            Flaw::NoLabel => (
                "the label is empty",
                "expected a label",
                "an internal step is labelled `i` or `tau`",
            ),
            Flaw::OpenQuote => (
                "this quote is not closed",
                "expected `\"` after the label",
                "a label ends on the line on which it starts",
            ),
            Flaw::AfterQuote => (
                "the label goes on after its closing quote",
                "expected `,` and the number of the target",
                "there is no way to write a quote inside a quoted label",
            ),
            Flaw::NoClosing if is_distribution(rest) => DISTRIBUTION,
            Flaw::NoClosing => ("a closing parenthesis is missing", "expected `)`", ""),
            Flaw::AfterClosing => (
                "something follows the closing parenthesis",
                "expected the end of the line",
                "write one transition a line",
            ),
            Flaw::SecondTransition => (
                "two transitions stand on one line",
                "expected the end of the line",
                "write one transition a line; if this is one, write its label in quotes",
            ),
            Flaw::Nul => ("this label holds a NUL byte", "expected text", DAMAGED),
            Flaw::NotText => return not_text(rest),
        };
        (message.to_owned(), expected.to_owned(), help)
    }
}

const HEADER_HELP: &str =
    "the first line of a file is like `des (0, 5, 4)`: first state, transitions, states";
const STEP_HELP: &str = "a transition is like `(0,\"label\",1)`: source, label, target";
const STATE_HELP: &str = "states are numbered with 32 bits";
const DAMAGED: &str =
    "check that the file was copied whole and is neither compressed nor encoded with 16 bits";

type Words = (&'static str, &'static str, &'static str);

const DISTRIBUTION: Words = (
    "this is a probability distribution over states",
    "expected one state",
    "probabilistic transition systems are not supported",
);

/// Whether what follows a state's number goes on like a distribution, `1/2 1`.
fn is_distribution(rest: &[u8]) -> bool {
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && rest[digits..].trim_ascii_start().first() == Some(&b'/')
}

fn no_transition(rest: &[u8]) -> Words {
    let expected = "expected a transition";
    match rest.first() {
        Some(b'd') if rest.starts_with(b"des") => (
            "this is a second header",
            expected,
            "a file holds one system: put the second one into a file of its own",
        ),
        Some(4) => (
            "this end-of-transmission character separates two systems",
            expected,
            "a file holds one system: put what follows into a file of its own",
        ),
        Some(0) => ("this line starts with a NUL byte", expected, DAMAGED),
        _ => ("this is no transition", "expected `(`", STEP_HELP),
    }
}

fn no_number(what: &str, rest: &[u8]) -> (String, String, &'static str) {
    let message = match rest.first() {
        Some(b'-') => format!("{what} cannot be negative"),
        None | Some(b',' | b')') => format!("{what} is missing"),
        Some(_) => format!("{what} is no number"),
    };
    let help = match rest.first() {
        Some(b'?') => "the program that wrote this file did not get to its end",
        _ => "",
    };
    (message, "expected a natural number".to_owned(), help)
}

fn large(rest: &[u8], most: u64, help: &'static str) -> (String, String, &'static str) {
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = String::from_utf8_lossy(&rest[..digits.min(40)]);
    let dots = if digits > 40 { "…" } else { "" };
    let message = format!("{number}{dots} is too large");
    (message, format!("expected at most {most}"), help)
}

fn not_text(rest: &[u8]) -> (String, String, &'static str) {
    let byte = rest.first().copied().unwrap_or(0);
    let message = format!("the byte {byte:#04x} is not UTF-8");
    let help = "convert the file, for example with iconv";
    (message, "expected UTF-8".to_owned(), help)
}

/// Where another transition starts in what looks like an unquoted label: at a parenthesis with
/// a number and a comma, behind a closing parenthesis that the label did not open. So `f(1,2) (3,4)` is a label.
#[inline]
fn second_transition(label: &[u8]) -> Option<usize> {
    let first = memchr(b')', label)?;
    let mut open = memchr::memchr_iter(b'(', &label[..first]).count();
    for (at, &byte) in label.iter().enumerate().skip(first) {
        match byte {
            b'(' => open += 1,
            b')' if open > 0 => open -= 1,
            b')' => {
                let behind = label[at + 1..].trim_ascii_start();
                if starts_transition(behind) {
                    return Some(label.len() - behind.len());
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether a text starts with `(`, a number and a comma.
fn starts_transition(text: &[u8]) -> bool {
    let Some(inside) = text.strip_prefix(b"(") else {
        return false;
    };
    let number = inside.trim_ascii_start();
    let digits = number.iter().take_while(|byte| byte.is_ascii_digit());
    let digits = digits.count();
    digits > 0 && number[digits..].trim_ascii_start().first() == Some(&b',')
}

type Scanned<T> = Result<T, (Flaw, usize)>;

/// Reads one line of a block, token by token.
struct Scan<'b> {
    block: &'b [u8],
    at: usize,
    end: usize,
}

impl<'b> Scan<'b> {
    #[inline]
    fn new(block: &'b [u8], line: Range<usize>) -> Self {
        Scan {
            block,
            at: line.start,
            end: line.end,
        }
    }

    /// A transition, or nothing when the line is blank.
    #[inline]
    fn step(&mut self, table: &mut Table) -> Scanned<Option<Step>> {
        self.skip_blanks();
        if self.at == self.end {
            return Ok(None);
        }
        self.expect(b'(', Flaw::NoTransition)?;
        let source = self.state("the number of the source")?;
        self.expect(b',', Flaw::CommaBeforeLabel)?;
        let place = self.label()?;
        let label = table.number(self.block, place.clone());
        let label = label.map_err(|bad| match bad {
            BadLabel::Nul(at) => (Flaw::Nul, place.start + at),
            BadLabel::NotText(at) => (Flaw::NotText, place.start + at),
        })?;
        let target = self.state("the number of the target")?;
        self.expect(b')', Flaw::NoClosing)?;
        self.finish()?;
        Ok(Some(Step {
            source,
            label,
            target,
        }))
    }

    /// The three numbers of a header, and where the first of them stands.
    fn header(&mut self) -> Scanned<([u64; 3], Range<usize>)> {
        self.skip_blanks();
        if !self.block[self.at..self.end].starts_with(b"des") {
            return Err((Flaw::NoHeader, self.at));
        }
        self.at += b"des".len();
        self.skip_blanks();
        self.expect(b'(', Flaw::NoHeaderOpening)?;
        let (initial, span) = self.count("the first state")?;
        self.expect(b',', Flaw::HeaderComma)?;
        let (transitions, _) = self.count("the number of transitions")?;
        self.expect(b',', Flaw::HeaderComma)?;
        let (states, _) = self.count("the number of states")?;
        self.expect(b')', Flaw::NoClosing)?;
        self.finish()?;
        Ok(([initial, transitions, states], span))
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        if self.at < self.end {
            self.block.get(self.at).copied()
        } else {
            None
        }
    }

    #[inline]
    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// Passes over one byte and the blanks after it.
    #[inline]
    fn expect(&mut self, byte: u8, otherwise: Flaw) -> Scanned<()> {
        if self.peek() != Some(byte) {
            return Err((otherwise, self.at));
        }
        self.at += 1;
        self.skip_blanks();
        Ok(())
    }

    /// The number of a state and the blanks after it.
    #[inline]
    fn state(&mut self, what: &'static str) -> Scanned<u32> {
        let start = self.at;
        let mut number = 0_u64;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            number = 10 * number + u64::from(digit - b'0');
            if number > u64::from(LAST_STATE) {
                return Err((Flaw::LargeState, start));
            }
            self.at += 1;
        }
        if self.at == start {
            return Err((Flaw::NoNumber(what), start));
        }
        self.skip_blanks();
        Ok(number as u32)
    }

    /// A number of the header, where it stands, and the blanks after it.
    fn count(&mut self, what: &'static str) -> Scanned<(u64, Range<usize>)> {
        let start = self.at;
        let mut number = 0_u64;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            let next = number.checked_mul(10);
            let next = next.and_then(|number| number.checked_add(u64::from(digit - b'0')));
            number = next.ok_or((Flaw::LargeCount, start))?;
            self.at += 1;
        }
        if self.at == start {
            return Err((Flaw::NoNumber(what), start));
        }
        let span = start..self.at;
        self.skip_blanks();
        Ok((number, span))
    }

    /// Where a label stands; passes over it, the comma after it and the blanks after that.
    #[inline]
    fn label(&mut self) -> Scanned<Range<usize>> {
        if self.peek() == Some(b'"') {
            self.quoted()
        } else {
            self.unquoted()
        }
    }

    #[inline]
    fn quoted(&mut self) -> Scanned<Range<usize>> {
        let start = self.at + 1;
        let Some(length) = memchr(b'"', &self.block[start..self.end]) else {
            return Err((Flaw::OpenQuote, self.at));
        };
        if length == 0 {
            return Err((Flaw::NoLabel, self.at));
        }
        self.at = start + length + 1;
        self.skip_blanks();
        let otherwise = match self.peek() {
            None | Some(b')') => Flaw::CommaBeforeTarget,
            Some(_) => Flaw::AfterQuote,
        };
        self.expect(b',', otherwise)?;
        Ok(start..start + length)
    }

    #[inline]
    fn unquoted(&mut self) -> Scanned<Range<usize>> {
        let line = &self.block[self.at..self.end];
        let Some(comma) = memrchr(b',', line) else {
            let missing = memchr(b')', line).unwrap_or(line.trim_ascii_end().len());
            return Err((Flaw::CommaBeforeTarget, self.at + missing));
        };
        let length = line[..comma].trim_ascii_end().len();
        if length == 0 {
            return Err((Flaw::NoLabel, self.at));
        }
        if let Some(second) = second_transition(&line[..length]) {
            return Err((Flaw::SecondTransition, self.at + second));
        }
        let place = self.at..self.at + length;
        self.at += comma + 1;
        self.skip_blanks();
        Ok(place)
    }

    /// Nothing more, but for blanks.
    #[inline]
    fn finish(&mut self) -> Scanned<()> {
        if self.at < self.end {
            return Err((Flaw::AfterClosing, self.at));
        }
        Ok(())
    }
}
