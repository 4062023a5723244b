//! Logs for ShiViz and TSViz, and those that GoVector writes, one for each process.
//!
//! ```text
//! Sending to b                     a {"a":2}                [x] [akka://s/user/a] {"a":2} Sending to b
//! a {"a":2}                        Sending to b
//! (event, then clock)              (clock, then event)      (all in one line)
//! ```
//!
//! Which of the three it is can be seen from the first lines. A log may also say how its records look, in its first line or
//! by `--regex`: then every match of that expression is an event, and groups other than host, clock, event and timestamp
//! are variables. Hosts are processes; their events are ordered by their own count, whatever the order of the lines.

use std::borrow::Cow;
use std::ops::Range;

use causet_base::{Code, Diagnostic};
use causet_trace::Time;
use rustc_hash::FxHashSet;

use super::ecmascript::{Found, Pattern};
use super::entry::Entry;
use super::head::Head;
use super::json::datum;
use super::lines::{self, Line, Say, Whole};
use super::scribe::Scribe;
use super::text::Text;
use super::unsorted::{Counts, Unsorted, clock_of, owns_its_clock};
use super::{Format, LogOptions, Open, Reader};
use crate::error::{ReadError, mistake};
use crate::words;

pub(super) const FORMAT: Format = Format {
    name: "shiviz",
    title: "ShiViz, TSViz and GoVector logs",
    about: "Hosts are processes, ordered by their vector clocks. Records are recognised, or described by a regular \
            expression in the first line or by --regex.",
    looks,
    open: Open::Log {
        reader: |options| Ok(Box::new(Shiviz::new(options)?)),
        tolerant: false,
    },
};

fn looks(head: &Head<'_>) -> bool {
    if head.full_lines().next().is_some_and(is_expression) {
        return true;
    }
    // A JSON object of its own is another format.
    let lines = head.full_lines().take(200);
    lines
        .filter(|line| !line.starts_with('{'))
        .any(|line| Record::of(line).is_some())
}

/// Whether a line says how records look.
fn is_expression(line: &str) -> bool {
    ["(?<host>", "(?<clock>", "(?<event>"]
        .iter()
        .all(|group| line.contains(group))
}

/// A clock within a line, whose it is, and what else is there.
struct Record<'l> {
    host: &'l str,
    clock: Vec<(Cow<'l, str>, u32)>,
    before: &'l str,
    after: &'l str,
}

impl<'l> Record<'l> {
    /// The first object of counts in a line that follows one of the processes it counts.
    fn of(line: &'l str) -> Option<Record<'l>> {
        for (start, _) in line.match_indices('{') {
            let mut stream = serde_json::Deserializer::from_str(&line[start..]).into_iter();
            let Some(Ok(Counts(clock))) = stream.next() else {
                continue;
            };
            let end = start + stream.byte_offset();
            let before = line[..start].trim_end();
            let bare = before.trim_end_matches([']', ')', '>', ':', '|', ',']);
            let Some((before, host)) = split(before, &clock).or_else(|| split(bare, &clock)) else {
                continue;
            };
            return Some(Record {
                host,
                clock,
                before,
                after: line[end..].trim(),
            });
        }
        None
    }
}

/// A text that ends with the name of a process of a clock: what comes before, and the longest name that fits.
fn split<'l>(text: &'l str, clock: &[(Cow<'_, str>, u32)]) -> Option<(&'l str, &'l str)> {
    let hosts = clock.iter().filter_map(|(name, _)| {
        let rest = text.strip_suffix(&**name)?;
        let is_whole = rest.is_empty() || rest.ends_with(|c: char| !c.is_alphanumeric());
        is_whole.then_some(rest.len())
    });
    hosts.min().map(|at| text.split_at(at))
}

/// Reads logs for ShiViz.
struct Shiviz {
    /// How records look, if somebody says so.
    expression: Option<Pattern>,
    delimiter: Option<Pattern>,
    wanted: Option<String>,
}

impl Shiviz {
    fn new(options: &LogOptions) -> Result<Shiviz, ReadError> {
        let pattern = |text: &Option<String>, option: &str| {
            let pattern = text.as_deref().map(|text| {
                let pattern = Pattern::new(text);
                pattern.map_err(|complaint| ReadError::Fault(complaint.in_line(option, 1, text)))
            });
            pattern.transpose()
        };
        let expression = pattern(&options.regex, "--regex")?;
        if let (Some(pattern), Some(text)) = (&expression, &options.regex) {
            has_groups(pattern, text)
                .map_err(|complaint| ReadError::Fault(complaint.in_line("--regex", 1, text)))?;
        }
        Ok(Shiviz {
            expression,
            delimiter: pattern(&options.delimiter, "--delimiter")?,
            wanted: options.execution.clone(),
        })
    }
}

/// Whether an expression has the groups that an event needs.
fn has_groups(pattern: &Pattern, text: &str) -> Result<(), Diagnostic> {
    let names = pattern.names();
    let missing = ["host", "clock"]
        .into_iter()
        .find(|group| !names.iter().any(|name| name == group));
    match missing {
        None => Ok(()),
        Some(group) => Err(mistake(
            Code::BadExpression,
            0..text.len(),
            format!("this expression has no group `{group}`"),
            "expected the groups host and clock, and usually event",
        )
        .with_help(r"for example `(?<host>\S*) (?<clock>{.*})\n(?<event>.*)`")),
    }
}

/// The executions in a part, and the one that is told.
struct Executions<'u, 'a> {
    told: Unsorted<'u, 'a>,
    /// Which one is wanted, by its name or its number.
    wanted: Option<String>,
    /// The names of those that have entries; one without a name goes by its number.
    names: Vec<String>,
    /// The name of the one that goes on now.
    now: String,
    /// Whether it has no entry yet.
    is_new: bool,
    /// Whether it is the one to tell.
    is_wanted: bool,
    /// The hosts of the one to tell whose first event is there.
    begun: FxHashSet<String>,
    /// The first line where a host begins again, and its name.
    restart: Option<(u32, String)>,
}

impl<'u, 'a> Executions<'u, 'a> {
    fn new(wanted: Option<&str>, scribe: &'u mut Scribe<'a>) -> Self {
        Executions {
            told: Unsorted::new(scribe),
            wanted: wanted.map(str::to_owned),
            names: Vec::new(),
            now: String::new(),
            is_new: true,
            is_wanted: true,
            begun: FxHashSet::default(),
            restart: None,
        }
    }

    /// What follows belongs to the next execution.
    fn start(&mut self, name: &str) {
        name.clone_into(&mut self.now);
        self.is_new = true;
    }

    fn take(&mut self, entry: Entry<'_>) -> Result<(), ReadError> {
        if std::mem::take(&mut self.is_new) {
            self.begin();
        }
        if !self.is_wanted {
            return Ok(());
        }
        let is_first = entry.own_count() == Some(1);
        if is_first && !self.begun.insert(entry.process.to_string()) && self.restart.is_none() {
            self.restart = Some((entry.line, entry.process.to_string()));
        }
        self.told.take(entry)
    }

    /// The first entry of an execution is there.
    fn begin(&mut self) {
        let number = (self.names.len() + 1).to_string();
        let name = match self.now.is_empty() {
            true => number.clone(),
            false => self.now.clone(),
        };
        self.is_wanted = match &self.wanted {
            None => self.names.is_empty(),
            Some(wanted) => *wanted == name || *wanted == number,
        };
        self.names.push(name);
    }

    /// Tells the rest of the one execution, or of the one that is wanted.
    fn finish(self) -> Result<(), ReadError> {
        let names = || self.names.join(", ");
        match &self.wanted {
            None if self.names.len() > 1 => {
                let message = format!("this file holds {} executions", self.names.len());
                let expected = "expected one, or to be told which is meant";
                return Err(
                    ReadError::at(Code::SeveralExecutions, 1, "", 0..0, message, expected)
                        .with_help(format!("choose one with --execution: {}", names())),
                );
            }
            Some(wanted) if !self.has(wanted) => {
                let message = format!("there is no execution `{wanted}` in this file");
                let expected = format!("expected one of {}", names());
                return Err(ReadError::at(
                    Code::SeveralExecutions,
                    1,
                    "",
                    0..0,
                    message,
                    expected,
                ));
            }
            _ => {}
        }
        let restart = self.restart;
        self.told.finish().map_err(|trouble| match restart {
            Some((line, host)) => restarted(line, &host),
            None => trouble,
        })
    }

    fn has(&self, wanted: &str) -> bool {
        let number = wanted.parse::<usize>();
        self.names.iter().any(|name| name == wanted)
            || number.is_ok_and(|number| (1..=self.names.len()).contains(&number))
    }
}

/// A host begins again, which cannot be in one execution.
fn restarted(line: u32, host: &str) -> ReadError {
    let message = format!("the clock of `{host}` begins again at 1");
    let expected = "expected its next count: is this the beginning of another execution?";
    ReadError::at(Code::SeveralExecutions, line, "", 0..0, message, expected).with_help(
        "--delimiter REGEX says what separates executions, and --execution NAME which one is meant; without anything between \
         them, give each a file of its own",
    )
}

impl Reader for Shiviz {
    fn part(&mut self, text: &mut Text<'_>, scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        let mut executions = Executions::new(self.wanted.as_deref(), scribe);
        if let Some(expression) = &self.expression {
            let whole = text.whole()?;
            let delimiter = self.delimiter.as_ref();
            matches(&whole, 1, expression, delimiter, &mut executions)?;
        } else if let Some((line, first)) = text.next_full_line()? {
            let first = first.to_owned();
            if is_expression(&first) {
                described(line, &first, text, &mut executions)?;
            } else {
                self.recognised(line, &first, text, &mut executions)?;
            }
        }
        executions.finish()
    }
}

/// A log whose first line says how records look; the second may say what separates executions.
fn described(
    line: u32,
    first: &str,
    text: &mut Text<'_>,
    executions: &mut Executions<'_, '_>,
) -> Result<(), ReadError> {
    let expression = Pattern::new(first).map_err(|fault| ReadError::on_line(line, first, fault))?;
    has_groups(&expression, first).map_err(|fault| ReadError::on_line(line, first, fault))?;
    let delimiter = match text.next_line()? {
        Some((line, second)) if !second.trim().is_empty() => {
            let pattern = Pattern::new(second);
            Some(pattern.map_err(|fault| ReadError::on_line(line, second, fault))?)
        }
        _ => None,
    };
    let whole = text.whole()?;
    matches(
        &whole,
        line + 2,
        &expression,
        delimiter.as_ref(),
        executions,
    )
}

/// Every match of an expression is an event; what lies between them is nothing.
fn matches(
    text: &str,
    first_line: u32,
    expression: &Pattern,
    delimiter: Option<&Pattern>,
    executions: &mut Executions<'_, '_>,
) -> Result<(), ReadError> {
    let (mut at, mut counted, mut line) = (0, 0, first_line);
    let (mut unmatched, mut behind) = (Unmatched::default(), 0);
    let is_delimiter =
        |line: &str| delimiter.is_some_and(|pattern| pattern.find(line, 0).is_some());
    let mut next_delimiter = delimiter.and_then(|pattern| pattern.find(text, 0));
    while let Some(found) = expression.find(text, at) {
        if let Some(between) = next_delimiter.take_if(|between| between.start <= found.start) {
            executions.start(between.group("trace").unwrap_or_default().trim());
            next_delimiter =
                delimiter.and_then(|pattern| pattern.find(text, after(&between, text)));
            // What the delimiter took was not a record.
            at = at.max(between.end);
            if between.end > found.start {
                continue;
            }
        }
        let newlines = memchr::memchr_iter(b'\n', &text.as_bytes()[counted..found.start]).count();
        line = line.saturating_add(newlines as u32);
        counted = found.start;
        unmatched.add(text, behind..found.start, is_delimiter);
        behind = found.end;
        executions.take(entry_of(&found, line, &text[found.start..found.end])?)?;
        at = after(&found, text);
        if at > text.len() {
            break;
        }
    }
    unmatched.add(text, behind..text.len(), is_delimiter);
    unmatched.note(text, first_line, executions.told.scribe());
    Ok(())
}

/// The lines that are no part of a record.
#[derive(Default)]
struct Unmatched {
    count: usize,
    /// Where the first of them starts.
    first: usize,
}

impl Unmatched {
    /// Counts the whole lines between two matches.
    fn add(&mut self, text: &str, between: Range<usize>, is_delimiter: impl Fn(&str) -> bool) {
        let starts_line = between.start == 0 || text[..between.start].ends_with('\n');
        let mut start = between.start;
        for piece in text[between.clone()].split_inclusive('\n') {
            let is_whole = (start > between.start || starts_line)
                && (piece.ends_with('\n') || start + piece.len() == text.len());
            if is_whole && !piece.trim().is_empty() && !is_delimiter(piece.trim_end()) {
                if self.count == 0 {
                    self.first = start;
                }
                self.count += 1;
            }
            start += piece.len();
        }
    }

    fn note(&self, text: &str, first_line: u32, scribe: &mut Scribe<'_>) {
        let before = memchr::memchr_iter(b'\n', &text.as_bytes()[..self.first]).count();
        let line = first_line.saturating_add(before as u32);
        let first = text[self.first..].lines().next().unwrap_or_default();
        let first = words::short(first.trim(), 60);
        let message = match self.count {
            0 => return,
            1 => format!("1 line fits no record and was left out: {first}"),
            count => format!("{count} lines fit no record and were left out, the first: {first}"),
        };
        let help = "if they tell of events, the regular expression must match them too";
        scribe.note(line, message, help);
    }
}

/// Where to look for the next match: an empty one must not be found again.
fn after(found: &Found<'_, '_>, text: &str) -> usize {
    match found.end > found.start {
        true => found.end,
        false => found.end + text[found.end..].chars().next().map_or(1, char::len_utf8),
    }
}

fn entry_of<'t>(found: &Found<'_, 't>, line: u32, whole: &str) -> Result<Entry<'t>, ReadError> {
    let host = found.group("host").unwrap_or_default();
    let clock = found.group("clock").unwrap_or_default();
    let unescaped = clock.replace("\\\"", "\"");
    let counts = clock_of(clock).or_else(|error| clock_of(&unescaped).map_err(|_| error));
    let counts = counts.map_err(|error| {
        let mut lines = whole.lines();
        let shown = lines.find(|line| line.contains(clock)).unwrap_or(clock);
        let start = shown.find(clock).unwrap_or(0);
        let message = format!("this is no vector clock: {error}");
        let expected = "expected a JSON object of counts, such as {\"a\":3,\"b\":1}";
        ReadError::at(
            Code::BadLoggedClock,
            line,
            shown,
            start..start + clock.len(),
            message,
            expected,
        )
    })?;
    let mut entry = Entry::of(host, line);
    let counts = counts.into_iter();
    let owned = counts.map(|(name, count)| (Cow::Owned(name.into_owned()), count));
    entry.clock = Some(owned.collect());
    for &(name, text) in &found.groups {
        match name {
            "host" | "clock" => {}
            "event" => entry.label = label_of(text),
            "timestamp" => entry.time = seconds(text),
            _ => entry.sets.push((Cow::Owned(name.to_owned()), datum(text))),
        }
    }
    owns_its_clock(&entry, whole)?;
    Ok(entry)
}

fn label_of(event: &str) -> Option<Cow<'_, str>> {
    let event = event.trim();
    (!event.is_empty()).then_some(Cow::Borrowed(event))
}

/// A time in seconds, from whole seconds, milli-, micro- or nanoseconds as the number of digits suggests.
fn seconds(text: &str) -> Option<Time> {
    let text = text.trim();
    let places = match text.split('.').next().map_or(0, str::len) {
        0..=11 => 0,
        12..=14 => 3,
        15..=17 => 6,
        _ => 9,
    };
    Time::parse_scaled(text, places).ok()
}

/// The line with which GoVector begins another execution in the same file.
fn execution_of(line: &str) -> Option<&str> {
    let inner = line.trim().trim_matches('=').trim();
    inner.strip_prefix("Execution #").map(str::trim)
}

impl Shiviz {
    /// A log whose records are recognised.
    fn recognised(
        &self,
        line: u32,
        first: &str,
        text: &mut Text<'_>,
        executions: &mut Executions<'_, '_>,
    ) -> Result<(), ReadError> {
        let mut assembly = Assembly {
            delimiter: self.delimiter.as_ref(),
            executions,
            order: None,
            event: None,
            last: 0,
            waiting: None,
        };
        assembly.take(Line::of::<Records>(line, first))?;
        lines::each(text, &Whole(Records), |line| assembly.take(line))?;
        text.excuse(assembly.finish())
    }
}

/// The record that stands on a line.
struct Records;

impl Say for Records {
    type Said<'l> = Option<Record<'l>>;

    fn say(_: u32, text: &str) -> Self::Said<'_> {
        Record::of(text)
    }
}

/// Makes records of lines.
struct Assembly<'e, 'u, 'a> {
    delimiter: Option<&'e Pattern>,
    executions: &'e mut Executions<'u, 'a>,
    /// Whether clocks stand before their events, once that is known.
    order: Option<bool>,
    /// The line before, if it may be the event of the clock that follows.
    event: Option<String>,
    /// The number of the last line.
    last: u32,
    /// A record whose event is the next line.
    waiting: Option<Entry<'static>>,
}

impl Assembly<'_, '_, '_> {
    fn take(&mut self, line: Line<'_, Option<Record<'_>>>) -> Result<(), ReadError> {
        self.last = line.number;
        match line.said.filter(|_| self.waiting.is_none()) {
            Some(record) if record.after.is_empty() => {
                let clock_first = *self.order.get_or_insert(self.event.is_none());
                let entry = in_two_lines(record, line.number);
                let event = self.event.take();
                match clock_first {
                    true => self.waiting = Some(entry.into_owned()),
                    false => self.executions.take(with_event(entry, event.as_deref()))?,
                }
            }
            Some(record) => self.executions.take(in_one_line(record, line.number))?,
            None => self.text(line.text)?,
        }
        Ok(())
    }

    /// A line without a clock: it begins an execution, or it is an event.
    fn text(&mut self, text: &str) -> Result<(), ReadError> {
        let delimited = || self.delimiter.and_then(|pattern| pattern.find(text, 0));
        if let Some(name) = execution_of(text) {
            self.executions.start(name);
            self.event = None;
        } else if let Some(found) = delimited() {
            let name = found.group("trace").unwrap_or_default().trim();
            self.executions.start(name);
            self.event = None;
        } else if let Some(entry) = self.waiting.take() {
            self.executions.take(with_event(entry, Some(text)))?;
        } else {
            let event = self.event.get_or_insert_default();
            text.clone_into(event);
        }
        Ok(())
    }

    /// Takes a last record without an event. Behind the records other text may stand, but not half a record.
    fn finish(self) -> Result<(), ReadError> {
        if let Some(entry) = self.waiting {
            return self.executions.take(entry);
        }
        match self.event.filter(|text| is_cut_off(text)) {
            Some(text) => {
                let message = "the file ends within the clock of this record";
                let expected = "expected a JSON object of counts, such as {\"a\":3,\"b\":1}";
                Err(ReadError::of_line(
                    Code::BadLoggedClock,
                    self.last,
                    &text,
                    message,
                    expected,
                ))
            }
            None => Ok(()),
        }
    }
}

/// Whether a line ends within a clock.
fn is_cut_off(line: &str) -> bool {
    let clock = line.rfind('{').map(|start| clock_of(&line[start..]));
    clock.is_some_and(|clock| clock.is_err_and(|error| error.is_eof()))
}

/// A line of host and clock.
fn in_two_lines(record: Record<'_>, line: u32) -> Entry<'_> {
    let mut entry = Entry::of(record.host, line);
    entry.clock = Some(record.clock);
    entry.time = seconds(record.before);
    entry
}

/// With its event, which may begin with a time.
fn with_event<'l>(mut entry: Entry<'l>, event: Option<&'l str>) -> Entry<'l> {
    let Some(event) = event else { return entry };
    let (first, rest) = event.split_once(' ').unwrap_or((event, ""));
    let is_time = first.len() >= 10 && first.bytes().all(|byte| byte.is_ascii_digit());
    match is_time {
        true => {
            entry.time = seconds(first);
            entry.label = label_of(rest);
        }
        false => entry.label = label_of(event),
    }
    entry
}

/// A line with everything.
fn in_one_line(record: Record<'_>, line: u32) -> Entry<'_> {
    let mut entry = Entry::of(record.host, line);
    entry.clock = Some(record.clock);
    entry.label = label_of(record.after);
    entry
}
