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

use super::ecmascript::{Found, Pattern};
use super::entry::Entry;
use super::head::Head;
use super::json::datum;
use super::scribe::Scribe;
use super::text::Text;
use super::trouble::Trouble;
use super::unsorted::{Counts, Unsorted, clock_of, owns_its_clock};
use super::{Format, LogOptions, Open, Reader};
use crate::error::{Complaint, ReadError};

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
                pattern.map_err(|complaint| {
                    ReadError::Fault(Box::new(complaint.in_line(option, 1, text)))
                })
            });
            pattern.transpose()
        };
        let expression = pattern(&options.regex, "--regex")?;
        if let (Some(pattern), Some(text)) = (&expression, &options.regex) {
            has_groups(pattern, text).map_err(|complaint| {
                ReadError::Fault(Box::new(complaint.in_line("--regex", 1, text)))
            })?;
        }
        Ok(Shiviz {
            expression,
            delimiter: pattern(&options.delimiter, "--delimiter")?,
            wanted: options.execution.clone(),
        })
    }
}

/// Whether an expression has the groups that an event needs.
fn has_groups(pattern: &Pattern, text: &str) -> Result<(), Box<Complaint>> {
    let names = pattern.names();
    let missing = ["host", "clock"]
        .into_iter()
        .find(|group| !names.iter().any(|name| name == group));
    match missing {
        None => Ok(()),
        Some(group) => Err(Complaint::new(
            0..text.len(),
            format!("this expression has no group `{group}`"),
            "expected the groups host and clock, and usually event",
        )
        .with_help(r"for example `(?<host>\S*) (?<clock>{.*})\n(?<event>.*)`")),
    }
}

/// The executions in a part; the first has no name.
struct Executions {
    names: Vec<String>,
    entries: Vec<Unsorted>,
    counts: Vec<usize>,
}

impl Executions {
    fn new() -> Self {
        Executions {
            names: vec![String::new()],
            entries: vec![Unsorted::default()],
            counts: vec![0],
        }
    }

    fn start(&mut self, name: &str) {
        self.names.push(name.to_owned());
        self.entries.push(Unsorted::default());
        self.counts.push(0);
    }

    fn keep(&mut self, entry: Entry<'_>) {
        if let (Some(entries), Some(count)) = (self.entries.last_mut(), self.counts.last_mut()) {
            entries.keep(entry);
            *count += 1;
        }
    }

    /// Tells the one execution, or the one that is wanted.
    fn tell(mut self, wanted: Option<&str>, scribe: &mut Scribe<'_>) -> Result<(), Trouble> {
        let full: Vec<usize> = (0..self.counts.len())
            .filter(|&at| self.counts[at] > 0)
            .collect();
        let shown = |number: usize, at: usize| match self.names[at].is_empty() {
            true => (number + 1).to_string(),
            false => self.names[at].clone(),
        };
        let names: Vec<String> = full
            .iter()
            .enumerate()
            .map(|(number, &at)| shown(number, at))
            .collect();
        let chosen = match wanted {
            None if full.len() <= 1 => full.first().copied(),
            None => {
                let message = format!("this file holds {} executions", full.len());
                let expected = "expected one, or to be told which is meant";
                return Err(Trouble::at(1, "", 0..0, message, expected)
                    .with_help(format!("choose one with --execution: {}", names.join(", "))));
            }
            Some(wanted) => {
                let by_name = names.iter().position(|name| name == wanted);
                let by_number = || wanted.parse::<usize>().ok()?.checked_sub(1);
                let chosen = by_name
                    .or_else(by_number)
                    .and_then(|number| full.get(number));
                let Some(&chosen) = chosen else {
                    let message = format!("there is no execution `{wanted}` in this file");
                    let expected = format!("expected one of {}", names.join(", "));
                    return Err(Trouble::at(1, "", 0..0, message, expected));
                };
                Some(chosen)
            }
        };
        match chosen {
            Some(at) => self.entries[at].tell(scribe),
            None => Ok(()),
        }
    }
}

impl Reader for Shiviz {
    fn part(&mut self, text: &mut Text<'_>, scribe: &mut Scribe<'_>) -> Result<(), Trouble> {
        let mut executions = Executions::new();
        if let Some(expression) = &self.expression {
            let whole = text.whole()?;
            let delimiter = self.delimiter.as_ref();
            matches(&whole, 1, expression, delimiter, &mut executions)?;
        } else if let Some((line, first)) = text.next_full_line()? {
            let first = first.to_owned();
            if is_expression(&first) {
                described(line, &first, text, &mut executions)?;
            } else {
                self.recognised(line, first, text, &mut executions)?;
            }
        }
        executions.tell(self.wanted.as_deref(), scribe)
    }
}

/// A log whose first line says how records look; the second may say what separates executions.
fn described(
    line: u32,
    first: &str,
    text: &mut Text<'_>,
    executions: &mut Executions,
) -> Result<(), Trouble> {
    let refused = |line: u32, text: &str, complaint| Trouble::Line {
        line,
        text: text.to_owned(),
        complaint,
    };
    let expression = Pattern::new(first).map_err(|complaint| refused(line, first, complaint))?;
    has_groups(&expression, first).map_err(|complaint| refused(line, first, complaint))?;
    let delimiter = match text.next_line()? {
        Some((line, second)) if !second.trim().is_empty() => {
            let pattern = Pattern::new(second);
            Some(pattern.map_err(|complaint| refused(line, second, complaint))?)
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
    executions: &mut Executions,
) -> Result<(), Trouble> {
    let (mut at, mut counted, mut line) = (0, 0, first_line);
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
        executions.keep(entry_of(&found, line, &text[found.start..found.end])?);
        at = after(&found, text);
        if at > text.len() {
            break;
        }
    }
    Ok(())
}

/// Where to look for the next match: an empty one must not be found again.
fn after(found: &Found<'_, '_>, text: &str) -> usize {
    match found.end > found.start {
        true => found.end,
        false => found.end + text[found.end..].chars().next().map_or(1, char::len_utf8),
    }
}

fn entry_of<'t>(found: &Found<'_, 't>, line: u32, whole: &str) -> Result<Entry<'t>, Trouble> {
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
        Trouble::at(line, shown, start..start + clock.len(), message, expected)
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
fn seconds(text: &str) -> Option<f64> {
    let number: f64 = text.trim().parse().ok()?;
    let digits = text.trim().split('.').next().map_or(0, str::len);
    Some(match digits {
        0..=11 => number,
        12..=14 => number / 1e3,
        15..=17 => number / 1e6,
        _ => number / 1e9,
    })
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
        first: String,
        text: &mut Text<'_>,
        executions: &mut Executions,
    ) -> Result<(), Trouble> {
        let (mut line, mut current) = (line, Some(first));
        // The line before, if it may be the event of the clock that follows.
        let mut event: Option<String> = None;
        let mut order = None;
        let mut waiting: Option<Entry<'static>> = None;
        while let Some(now) = current.take() {
            let record = Record::of(&now).filter(|_| waiting.is_none());
            match record {
                Some(record) if record.after.is_empty() => {
                    let clock_first = *order.get_or_insert(event.is_none());
                    let entry = in_two_lines(&record, line);
                    match (clock_first, event.take()) {
                        (true, _) => waiting = Some(entry.into_owned()),
                        (false, event) => executions.keep(with_event(entry, event.as_deref())),
                    }
                }
                Some(record) => executions.keep(in_one_line(&record, line)),
                None => {
                    if let Some(name) = execution_of(&now) {
                        executions.start(name);
                        event = None;
                    } else if let Some(pattern) = &self.delimiter
                        && let Some(found) = pattern.find(&now, 0)
                    {
                        executions.start(found.group("trace").unwrap_or_default().trim());
                        event = None;
                    } else if let Some(entry) = waiting.take() {
                        executions.keep(with_event(entry, Some(&now)));
                    } else {
                        event = Some(now);
                    }
                }
            }
            if let Some((number, next)) = text.next_line()? {
                line = number;
                current = Some(next.to_owned());
            }
        }
        if let Some(entry) = waiting {
            executions.keep(entry);
        }
        Ok(())
    }
}

/// A line of host and clock.
fn in_two_lines<'l>(record: &Record<'l>, line: u32) -> Entry<'l> {
    let mut entry = Entry::of(record.host, line);
    entry.clock = Some(record.clock.clone());
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
fn in_one_line<'l>(record: &Record<'l>, line: u32) -> Entry<'l> {
    let mut entry = Entry::of(record.host, line);
    entry.clock = Some(record.clock.clone());
    entry.label = label_of(record.after);
    entry
}
