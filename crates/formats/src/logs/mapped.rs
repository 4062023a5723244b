//! Any log of JSON lines, read as a mapping says: a file that names the places of process, event, variables and messages.
//!
//! ```text
//! process = "/node"                      mapping::Mapping --rules--> Mapped, line by line --> Entry
//! event = "/action"
//! [[send]]
//! key = ["/message/id"]
//! ```
//!
//! Places are JSON pointers. A line that does not pass all tests of `only` is no event. Of the others the process is
//! required, and the clock if the mapping names one; a line that lacks them is an error that names the rule. Clocks order
//! the events of a process, or else the lines do. Messages are known by their keys: each is sent once (`unique`), or the
//! n-th receive of a key is that of the n-th send (`fifo`).

use std::borrow::Cow;
use std::fmt;

use causet_base::Code;
use causet_trace::Time;

use super::calendar;
use super::entry::{Entry, Name};
use super::json::{fault, place};
use super::lines::{self, Parse};
use super::mapping::{Key, Mapping, Match, Pointer, Test, Unit};
use super::matching::Matching;
use super::places::Kept;
use super::scribe::Scribe;
use super::text::Text;
use super::tree::Tree;
use super::unsorted::{Unsorted, owns_its_clock};
use super::{Format, LogOptions, Open, Reader};
use crate::error::{ReadError, mistake};

pub(super) const FORMAT: Format = Format {
    name: "mapped",
    title: "Any JSON lines, with a mapping",
    about: "A mapping, given by --mapping, says where process, event, variables, clock and messages stand; `causet map \
            --guess LOG` proposes one.",
    looks: |_| false,
    open: Open::Log {
        reader: |options| Ok(Box::new(Mapped::new(options)?)),
        tolerant: false,
    },
};

/// Reads JSON lines by the rules of a mapping.
struct Mapped {
    /// What the person calls the mapping.
    name: String,
    mapping: Mapping,
    messages: Matching,
}

impl Mapped {
    fn new(options: &LogOptions) -> Result<Self, ReadError> {
        let Some(file) = &options.mapping else {
            let message = "the format mapped needs a mapping";
            let complaint = mistake(
                Code::MappingMissing,
                0..0,
                message,
                "expected --mapping FILE",
            )
            .with_help("`causet map --guess LOG` proposes one");
            return Err(ReadError::Fault(complaint.in_line("--mapping", 1, "")));
        };
        Ok(Mapped {
            name: file.name.clone(),
            mapping: Mapping::parse(file)?,
            messages: Matching::default(),
        })
    }
}

impl Reader for Mapped {
    fn part(&mut self, text: &mut Text<'_>, scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        let rules = Rules {
            name: &self.name,
            mapping: &self.mapping,
        };
        let is_fifo = self.mapping.matching == Match::Fifo;
        if self.mapping.clock.is_some() {
            let mut entries = Unsorted::new(scribe);
            if is_fifo {
                entries = entries.with_keys(&mut self.messages);
            }
            lines::each(text, &rules, |entry| entries.take(*entry))?;
            return entries.finish();
        }
        lines::each(text, &rules, |mut entry| {
            if is_fifo {
                self.messages.number(&mut entry);
            }
            scribe.add(&entry)?;
            Ok(())
        })
    }

    fn finish(&mut self, scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        self.messages.report(scribe);
        Ok(())
    }
}

/// Parses lines by the rules of a mapping.
struct Rules<'m> {
    name: &'m str,
    mapping: &'m Mapping,
}

impl Parse for Rules<'_> {
    type Item<'l> = Box<Entry<'l>>;

    fn parse<'l>(&self, number: u32, text: &'l str) -> Result<Option<Self::Item<'l>>, ReadError> {
        let kept = match self.mapping.places.parse(text) {
            Ok(kept) => kept,
            Err(_) if self.mapping.skip_text => return Ok(None),
            Err(error) => {
                let expected = "expected a JSON value on each line";
                let help = "`skip-text = true` in the mapping passes over lines that are no JSON";
                return Err(fault(number, text, &error, expected).with_help(help));
            }
        };
        if !self.mapping.only.iter().all(|test| test.holds(&kept)) {
            return Ok(None);
        }
        let line = Line {
            kept,
            number,
            text,
            mapping: self.name,
        };
        entry_of(&line, self.mapping).map(Some)
    }
}

/// A line, and whose rules it must fit.
struct Line<'l, 'm> {
    kept: Kept<'l>,
    number: u32,
    text: &'l str,
    mapping: &'m str,
}

impl<'l> Line<'l, '_> {
    /// What stands at a place.
    fn at(&self, pointer: &Pointer) -> Option<&Tree<'l>> {
        pointer.find(&self.kept)
    }

    /// It does not fit a rule.
    fn misfit(&self, pointer: &Pointer, rule: impl fmt::Display, wanted: &str) -> ReadError {
        let message = match self.at(pointer) {
            Some(_) => format!("what stands at `{pointer}` does not fit the mapping"),
            None => format!("there is nothing at `{pointer}`"),
        };
        let expected = format!(
            "expected {wanted}, by the rule `{rule}` of {}",
            self.mapping
        );
        let span = place(self.text, pointer.last());
        ReadError::at(Code::MappingMisfit, self.number, self.text, span, message, expected).with_help(
            "change the rule, or leave such lines out by a test under [[only]]: at, and exists or equals",
        )
    }

    /// A text, or a number or truth value as a text.
    fn word(
        &self,
        pointer: &Pointer,
        rule: impl fmt::Display,
        wanted: &str,
    ) -> Result<Name<'l>, ReadError> {
        match self.at(pointer) {
            Some(tree @ (Tree::Text(_) | Tree::Number(_) | Tree::Bool(_))) => Ok(tree.name()),
            _ => Err(self.misfit(pointer, rule, wanted)),
        }
    }
}

/// An event, on the heap because it is long and handed on several times.
fn entry_of<'l>(line: &Line<'l, '_>, mapping: &Mapping) -> Result<Box<Entry<'l>>, ReadError> {
    let process = line.word(&mapping.process, "process", "the name of a process")?;
    let mut entry = Box::new(Entry::of(mapping.process_name(process), line.number));
    if let Some(pointer) = &mapping.event
        && line.at(pointer).is_some()
    {
        entry.label = Some(line.word(pointer, "event", "the name of an event")?);
    }
    if let Some(pointer) = &mapping.id
        && line.at(pointer).is_some()
    {
        entry.id = Some(line.word(pointer, "id", "the unique name of an event")?);
    }
    if let Some(pointer) = &mapping.time
        && let Some(value) = line.at(pointer)
    {
        let seconds = seconds(value, mapping.time_unit);
        let wanted = "a number or a time such as 2023-04-13T16:42:59Z";
        entry.time = Some(seconds.ok_or_else(|| line.misfit(pointer, "time", wanted))?);
    }
    if let Some(pointer) = &mapping.clock {
        entry.clock = Some(clock(line, pointer, mapping)?);
        owns_its_clock(&entry, line.text)?;
    }
    for (name, pointer) in &mapping.variables {
        if let Some(value) = line.at(pointer) {
            match matches!(value, Tree::Object(_)) || !name.is_empty() {
                true => value.flatten(name.clone().into(), &mut entry.sets),
                false => {
                    let wanted = "an object, because the variable has no name";
                    return Err(line.misfit(pointer, "variables.\"\"", wanted));
                }
            }
        }
    }
    for (number, rule) in mapping.send.iter().enumerate() {
        let path = format_args!("send[{number}]");
        if let Some(key) = key(line, &rule.when, &rule.key, path)? {
            entry.sends.push(key);
            if let Some(pointer) = &rule.to {
                let to = line.word(pointer, format_args!("{path}.to"), "the name of a process")?;
                entry.to.push(mapping.process_name(to));
            }
        }
    }
    for (number, rule) in mapping.receive.iter().enumerate() {
        let path = format_args!("receive[{number}]");
        if let Some(key) = key(line, &rule.when, &rule.key, path)? {
            entry.recvs.push(key);
            if let Some(pointer) = &rule.from {
                let from = line.word(
                    pointer,
                    format_args!("{path}.from"),
                    "the name of a process",
                )?;
                entry.from = Some(mapping.process_name(from));
            }
        }
    }
    Ok(entry)
}

fn clock<'l>(
    line: &Line<'l, '_>,
    pointer: &Pointer,
    mapping: &Mapping,
) -> Result<Vec<(Name<'l>, u32)>, ReadError> {
    let misfit = || {
        line.misfit(
            pointer,
            "clock",
            "an object of counts such as {\"a\":3,\"b\":1}",
        )
    };
    let Some(Tree::Object(counts)) = line.at(pointer) else {
        return Err(misfit());
    };
    let mut clock = Vec::with_capacity(counts.len());
    for (name, count) in counts {
        let count = match count {
            Tree::Number(number) => number.parse::<u64>().ok(),
            _ => None,
        };
        let count = count.and_then(|count| u32::try_from(count).ok());
        match count.ok_or_else(misfit)? {
            0 => {}
            count => clock.push((mapping.process_name(name.clone()), count)),
        }
    }
    Ok(clock)
}

/// The key of a message, if the line is about one. A rule without conditions is about the lines that have all of its key.
fn key<'l>(
    line: &Line<'l, '_>,
    when: &[Test],
    key: &Key,
    path: fmt::Arguments<'_>,
) -> Result<Option<Name<'l>>, ReadError> {
    if !when.iter().all(|test| test.holds(&line.kept)) {
        return Ok(None);
    }
    let pointers = key.pointers();
    if let Some(missing) = pointers.iter().find(|pointer| line.at(pointer).is_none()) {
        if when.is_empty() {
            return Ok(None);
        }
        let rule = format_args!("{path}.key");
        return Err(line.misfit(missing, rule, "a part of the key"));
    }
    let mut parts = pointers.iter().filter_map(|pointer| line.at(pointer));
    Ok(Some(match (pointers, parts.next()) {
        ([_], Some(value)) => value.name(),
        (_, first) => {
            let parts = first.into_iter().chain(parts).map(ToString::to_string);
            Cow::Owned(parts.collect::<Vec<_>>().join(" "))
        }
    }))
}

fn seconds(value: &Tree<'_>, unit: Unit) -> Option<Time> {
    let number = |text: &str| Time::parse_scaled(text, unit.places()).ok();
    match value {
        Tree::Number(text) => number(text),
        Tree::Text(text) => number(text.trim()).or_else(|| calendar::seconds(text)),
        _ => None,
    }
}
