//! A run drawn by hand: one line per process, events from left to right.
//!
//! ```text
//! a: x=1  m!   x=0        # a writes x, sends m, writes x
//! b:      m?   y=2,@done  # b receives m, then writes y under the label `done`
//! ```
//!
//! Events of a line are parted by blanks; what stands in one column is meant to happen at about the same time: the
//! recorded order goes by columns, counted from the start of the line's text, then by lines. The parts of one event are
//! joined by commas:
//!
//! | part | meaning |
//! |---|---|
//! | `.` | nothing: an event without effect |
//! | `x=3` `x=2.5` `x=true` `x=idle` `x="two words"` | writes a variable; a bare word is text |
//! | `m!` `m!b` `m!b+c` | sends message `m`, to nobody in particular, to `b`, to `b` and `c` |
//! | `m?` | receives message `m` |
//! | `@label` | what the event is called |
//! | `?x` | reads the shared variable `x` |
//! | `<b.2` | comes after the second event of `b` |
//! | `^a:2+b:1` | has this vector clock |
//!
//! Lines of their own: `shared x y`, `init a.x=1 turn=0`, `observed`. A process without events is a name and a colon.

use std::fmt::{self, Write as _};

use crate::builder::{BuildOptions, EventRef, NewEvent, TraceBuilder};
use crate::error::BuildError;
use crate::trace::{Trace, Write};
use crate::value::StoredValue;
use causet_base::ids::EventId;

/// Why a drawing is not a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotationError {
    /// A line or a part of an event that means nothing.
    Meaningless {
        /// The line, from 1.
        line: usize,
        /// The text.
        text: String,
    },
    /// The drawing can be read, but the run is refused.
    Refused(Box<BuildError>),
}

impl fmt::Display for NotationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotationError::Meaningless { line, text } => {
                write!(f, "line {line} of the drawing: `{text}` means nothing")
            }
            NotationError::Refused(error) => {
                write!(f, "line {}: {}", error.place.line, error.kind)
            }
        }
    }
}

impl std::error::Error for NotationError {}

/// Reads a drawing.
pub fn parse(drawing: &str) -> Result<Trace, NotationError> {
    let sketch = Sketch::read(drawing)?;
    let mut builder = TraceBuilder::new(BuildOptions::default());
    sketch.declare(&mut builder)?;
    for token in &sketch.tokens {
        sketch.add(token, &mut builder)?;
    }
    let (trace, _) = builder.finish().map_err(refused)?;
    Ok(trace)
}

/// The lines of a drawing, sorted out.
#[derive(Default)]
struct Sketch<'a> {
    processes: Vec<&'a str>,
    shared: Vec<&'a str>,
    inits: Vec<(usize, &'a str)>,
    observed: bool,
    /// The events by column, then by line.
    tokens: Vec<Token<'a>>,
}

struct Token<'a> {
    column: usize,
    line: usize,
    process: &'a str,
    text: &'a str,
}

impl<'a> Sketch<'a> {
    fn read(drawing: &'a str) -> Result<Self, NotationError> {
        let mut sketch = Sketch::default();
        for (index, raw) in drawing.lines().enumerate() {
            let text = without_comment(raw).trim();
            if !text.is_empty() {
                sketch.read_line(index + 1, text)?;
            }
        }
        sketch
            .tokens
            .sort_by_key(|token| (token.column, token.line));
        Ok(sketch)
    }

    fn read_line(&mut self, line: usize, text: &'a str) -> Result<(), NotationError> {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        match word {
            "shared" => self.shared.extend(rest.split_whitespace()),
            "init" => {
                let words = split_outside_quotes(rest, char::is_whitespace);
                self.inits.extend(words.map(|(_, init)| (line, init)));
            }
            "observed" => self.observed = true,
            _ => {
                let Some((name, events)) = text.split_once(':') else {
                    return Err(meaningless(line, text));
                };
                let offset = name.chars().count() + 1;
                self.processes.push(name.trim());
                for (column, event) in split_outside_quotes(events, char::is_whitespace) {
                    self.tokens.push(Token {
                        column: offset + column,
                        line,
                        process: name.trim(),
                        text: event,
                    });
                }
            }
        }
        Ok(())
    }

    fn declare(&self, builder: &mut TraceBuilder) -> Result<(), NotationError> {
        if let Err(kind) = builder.declare_processes(self.processes.iter().copied()) {
            return Err(meaningless(0, &kind.to_string()));
        }
        for name in &self.shared {
            builder.declare_shared(name);
        }
        if self.observed {
            builder.declare_observed();
        }
        for &(line, init) in &self.inits {
            let (name, value) = init
                .split_once('=')
                .ok_or_else(|| meaningless(line, init))?;
            let value = read_value(value, builder);
            builder.init(name, value, line as u32);
        }
        Ok(())
    }

    fn add(&self, token: &Token<'a>, builder: &mut TraceBuilder) -> Result<(), NotationError> {
        let mut parts = Parts::default();
        for (_, part) in split_outside_quotes(token.text, |c| c == ',') {
            parts
                .read(token.process, part, builder)
                .ok_or_else(|| meaningless(token.line, part))?;
        }
        let process = builder
            .process(token.process)
            .map_err(|kind| meaningless(token.line, &kind.to_string()))?;
        let event = NewEvent {
            label: parts.label,
            writes: &parts.writes,
            reads: &parts.reads,
            sends: &parts.sends,
            to: &parts.to,
            recvs: &parts.recvs,
            clock: (!parts.clock.is_empty()).then_some(&parts.clock[..]),
            after: &parts.after,
            ..NewEvent::of(process, token.line as u32)
        };
        builder.add(&event).map_err(refused)?;
        Ok(())
    }
}

/// What the parts of one event say.
#[derive(Default)]
struct Parts<'a> {
    label: Option<causet_base::ids::TextId>,
    writes: Vec<Write>,
    reads: Vec<causet_base::ids::VarId>,
    sends: Vec<causet_base::ids::MessageId>,
    to: Vec<causet_base::ids::ProcessId>,
    recvs: Vec<causet_base::ids::MessageId>,
    clock: Vec<(causet_base::ids::ProcessId, u32)>,
    after: Vec<EventRef<'a>>,
}

impl Parts<'_> {
    /// Takes in one part; `None` when it means nothing.
    fn read(&mut self, process: &str, part: &str, builder: &mut TraceBuilder) -> Option<()> {
        if part == "." {
        } else if let Some(label) = part.strip_prefix('@') {
            self.label = Some(builder.text(label));
        } else if let Some(name) = part.strip_prefix('?') {
            self.reads.push(builder.shared_variable(name).ok()?);
        } else if let Some(target) = part.strip_prefix('<') {
            let (name, position) = target.rsplit_once('.')?;
            let process = builder.process(name).ok()?;
            self.after
                .push(EventRef::Position(process, position.parse().ok()?));
        } else if let Some(clock) = part.strip_prefix('^') {
            for entry in clock.split('+') {
                let (name, count) = entry.rsplit_once(':')?;
                let process = builder.clock_process(name).ok()?;
                self.clock.push((process, count.parse().ok()?));
            }
        } else if let Some((name, value)) = part.split_once('=') {
            let owner = builder.process(process).ok()?;
            let var = builder.variable(owner, name);
            let value = read_value(value, builder);
            self.writes.push(Write { var, value });
        } else if let Some(message) = part.strip_suffix('?') {
            self.recvs.push(builder.message(message));
        } else {
            let (message, to) = part.split_once('!')?;
            self.sends.push(builder.message(message));
            for name in to.split('+').filter(|name| !name.is_empty()) {
                self.to.push(builder.process(name).ok()?);
            }
        }
        Some(())
    }
}

fn read_value(text: &str, builder: &mut TraceBuilder) -> StoredValue {
    let quoted = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    match (text, quoted) {
        (_, Some(inside)) => StoredValue::Text(builder.text(inside)),
        ("true", _) => StoredValue::Bool(true),
        ("false", _) => StoredValue::Bool(false),
        _ => StoredValue::parse_number(text)
            .unwrap_or_else(|_| StoredValue::Text(builder.text(text))),
    }
}

fn without_comment(line: &str) -> &str {
    split_outside_quotes(line, |c| c == '#')
        .next()
        .map_or("", |(start, text)| if start == 0 { text } else { "" })
}

/// The non-empty pieces between separators that stand outside quotes, each with its column.
fn split_outside_quotes(
    text: &str,
    is_separator: impl Fn(char) -> bool,
) -> impl Iterator<Item = (usize, &str)> {
    let mut pieces = Vec::new();
    let mut quoted = false;
    let mut start: Option<(usize, usize)> = None;
    for (column, (at, c)) in text.char_indices().enumerate() {
        quoted ^= c == '"';
        if is_separator(c) && !quoted {
            if let Some((column, from)) = start.take() {
                pieces.push((column, &text[from..at]));
            }
        } else {
            start.get_or_insert((column, at));
        }
    }
    if let Some((column, from)) = start {
        pieces.push((column, &text[from..]));
    }
    pieces.into_iter()
}

fn meaningless(line: usize, text: &str) -> NotationError {
    NotationError::Meaningless {
        line,
        text: text.to_owned(),
    }
}

fn refused(error: BuildError) -> NotationError {
    NotationError::Refused(Box::new(error))
}

/// Draws a run, one column per event in recorded order; reading the drawing gives the run again.
pub fn draw(trace: &Trace) -> String {
    let mut drawing = String::new();
    let shared: Vec<&str> = trace.shared_names().collect();
    if !shared.is_empty() {
        let _ = writeln!(drawing, "shared {}", shared.join(" "));
    }
    if trace.is_observed() {
        drawing.push_str("observed\n");
    }
    for var in trace.variables() {
        if let Some(value) = trace.given_init(var) {
            let name = trace.variable_name(var);
            let _ = writeln!(drawing, "init {name}={}", value_text(trace, value));
        }
    }
    drawing.push_str(&draw_lanes(trace));
    drawing
}

fn draw_lanes(trace: &Trace) -> String {
    let order = trace.order();
    let names: Vec<&str> = order.processes().map(|p| trace.process_name(p)).collect();
    let margin = names.iter().map(|name| name.len()).max().unwrap_or(0);
    let mut lanes: Vec<String> = names
        .iter()
        .map(|name| format!("{name}:{}", " ".repeat(margin - name.len())))
        .collect();
    for event in order.recorded() {
        let text = draw_event(trace, event);
        let own = order.process_of(event).index();
        for (number, lane) in lanes.iter_mut().enumerate() {
            let width = text.chars().count();
            let cell = if number == own { text.as_str() } else { "" };
            let _ = write!(lane, " {cell:width$}");
        }
    }
    lanes
        .iter()
        .map(|lane| format!("{}\n", lane.trim_end()))
        .collect()
}

fn draw_event(trace: &Trace, event: EventId) -> String {
    let order = trace.order();
    let mut parts: Vec<String> = Vec::new();
    let receives = trace.receives(event).iter();
    parts.extend(receives.map(|&m| format!("{}?", trace.message_name(m))));
    for write in trace.writes(event) {
        let value = value_text(trace, write.value);
        parts.push(format!("{}={value}", trace.short_name(write.var)));
    }
    parts.extend(
        trace
            .reads(event)
            .iter()
            .map(|&v| format!("?{}", trace.short_name(v))),
    );
    let to: Vec<&str> = trace
        .destinations(event)
        .iter()
        .map(|&process| trace.process_name(process))
        .collect();
    for &message in trace.sends(event) {
        parts.push(format!("{}!{}", trace.message_name(message), to.join("+")));
    }
    for (before, _) in trace.explicit_edges().iter().filter(|edge| edge.1 == event) {
        let process = trace.process_name(order.process_of(*before));
        parts.push(format!("<{process}.{}", order.position_of(*before)));
    }
    parts.extend(trace.label(event).map(|label| format!("@{label}")));
    if parts.is_empty() {
        parts.push(".".to_owned());
    }
    parts.join(",")
}

fn value_text(trace: &Trace, value: StoredValue) -> String {
    value.spelled(|text| format!("\"{}\"", trace.text(text)))
}
