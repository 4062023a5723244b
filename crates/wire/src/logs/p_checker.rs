//! Traces that the checker of P writes, `*.trace.json`: an array of `{"type":...,"details":{...}}`.
//!
//! Machines and monitors are processes, ordered by the vector clocks of the trace. These count events that are not
//! written too, so the first may be the second: they are counted anew, by those that are written, which leaves the order
//! of these as it is. What is sent to a machine is a message, and the first that it dequeues of the same event and payload
//! is the first that was sent. The other details are variables. What belongs to no machine, as a failed assertion, is said
//! in a note.

use std::collections::{BTreeMap, VecDeque};

use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::Value;

use super::document::{Document, Word};
use super::entry::{Datum, Entry};
use super::head::Head;
use super::json::{fault_in_document, flatten};
use super::scribe::Scribe;
use super::text::Text;
use super::trouble::Trouble;
use super::unsorted::Counts;
use super::{Format, Open, Reader};

pub(super) const FORMAT: Format = Format {
    name: "p-checker",
    title: "Traces of the P checker",
    about: "Machines and monitors are processes, ordered by the vector clocks of the trace; sends and dequeues are \
            messages. States, events and payloads are variables.",
    looks: |head: &Head<'_>| {
        head.starts_with('[')
            && ["type", "details", "log", "clock"]
                .iter()
                .all(|key| head.mentions(key))
    },
    open: Open::Log {
        reader: |_| Ok(Box::new(PChecker)),
        tolerant: false,
    },
};

const EXPECTED: &str = "expected the trace of the P checker: [{\"type\":\"SendEvent\",\"details\":{...,\"clock\":{...}}}]";

struct PChecker;

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow, rename = "type")]
    kind: Word<'a>,
    #[serde(borrow)]
    details: Details<'a>,
}

#[derive(Deserialize)]
struct Details<'a> {
    #[serde(borrow, default)]
    clock: Option<Counts<'a>>,
    #[serde(borrow, default)]
    log: Option<Word<'a>>,
    #[serde(borrow, default)]
    id: Option<Word<'a>>,
    #[serde(borrow, default)]
    monitor: Option<Word<'a>>,
    #[serde(borrow, default)]
    sender: Option<Word<'a>>,
    #[serde(borrow, default)]
    target: Option<Word<'a>>,
    #[serde(borrow, default)]
    event: Option<Word<'a>>,
    #[serde(default)]
    payload: Value,
    #[serde(flatten)]
    others: BTreeMap<String, Value>,
}

impl Details<'_> {
    /// Whose event it is: a process that its clock counts, and how many events of that it counts.
    fn process(&self) -> Option<(&str, u32)> {
        let clock = self.clock.as_ref()?;
        let names = [&self.id, &self.monitor, &self.sender];
        let mut counted = names.into_iter().flatten().filter_map(|name| {
            let own = clock.0.iter().find(|(process, _)| **process == **name)?;
            Some((&**name, own.1))
        });
        counted.next()
    }
}

impl Reader for PChecker {
    fn part(&mut self, text: &mut Text<'_>, scribe: &mut Scribe<'_>) -> Result<(), Trouble> {
        let text = text.whole()?;
        if text.trim().is_empty() {
            return Ok(());
        }
        let document = Document::new(&text);
        let records: Vec<Record<'_>> = serde_json::from_str(&text)
            .map_err(|error| fault_in_document(&document, &error, EXPECTED))?;
        let counts = Counted::of(&records);
        counts.note(&records, &document, scribe);
        let mut mailboxes = Mailboxes::default();
        for record in &records {
            let line = document.line_of(&record.kind);
            match record.details.process() {
                Some((process, own)) => {
                    let entry = entry_of(record, process, own, line, &counts, &mut mailboxes);
                    scribe.add(&entry)?;
                }
                None if record.details.clock.is_some() => {
                    let shown = document.text_of(line);
                    let message = "the clock counts no event of a machine that is named here";
                    let expected = "expected id, monitor or sender, with a count in the clock";
                    return Err(Trouble::of_line(line, shown, message, expected));
                }
                None => {
                    let log = record.details.log.as_deref().unwrap_or_default();
                    let message = format!("{}: {log}", &*record.kind);
                    scribe.note(
                        line,
                        message,
                        "it belongs to no machine, and so it is not an event",
                    );
                }
            }
        }
        Ok(())
    }
}

/// The events of each process that are written, as the clocks count them.
struct Counted<'r>(FxHashMap<&'r str, Vec<u32>>);

impl<'r> Counted<'r> {
    fn of(records: &'r [Record<'_>]) -> Self {
        let mut counts: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
        for (process, own) in records.iter().filter_map(|record| record.details.process()) {
            counts.entry(process).or_default().push(own);
        }
        counts
            .values_mut()
            .for_each(|counts| counts.sort_unstable());
        Counted(counts)
    }

    /// How many events of a process are written of those that a clock counts.
    fn written(&self, process: &str, count: u32) -> u32 {
        let counts = self.0.get(process);
        counts.map_or(0, |counts| {
            counts.partition_point(|&own| own <= count) as u32
        })
    }

    fn note(&self, records: &[Record<'_>], document: &Document<'_>, scribe: &mut Scribe<'_>) {
        let last = |counts: &Vec<u32>| counts.last().map_or(0, |&last| u64::from(last));
        let counted: u64 = self.0.values().map(last).sum();
        let written: u64 = self.0.values().map(|counts| counts.len() as u64).sum();
        if let (Some(missing @ 1..), Some(first)) = (counted.checked_sub(written), records.first())
        {
            let message = format!("clocks count {missing} events that are not in the trace");
            let help = "the checker does not write all that it counts; the order of the others is not affected";
            scribe.note(document.line_of(&first.kind), message, help);
        }
    }
}

/// Messages on their way, by receiver, event and payload.
#[derive(Default)]
struct Mailboxes {
    sent: FxHashMap<(String, String, String), VecDeque<Sent>>,
    count: u64,
}

/// A message on its way.
struct Sent {
    id: String,
    sender: String,
    /// The number of its send, as the clock of its sender counts.
    count: u32,
}

impl Mailboxes {
    fn send(&mut self, target: &str, details: &Details<'_>, sender: (&str, u32)) -> String {
        self.count += 1;
        let event = details.event.as_deref().unwrap_or_default();
        let id = format!("{event}-{}", self.count);
        let key = key_of(target, details);
        let waiting = self.sent.entry(key).or_default();
        waiting.push_back(Sent {
            id: id.clone(),
            sender: sender.0.to_owned(),
            count: sender.1,
        });
        id
    }

    /// The message that is dequeued, if it was sent before as the clock counts.
    fn receive(&mut self, process: &str, details: &Details<'_>) -> Option<String> {
        let waiting = self.sent.get_mut(&key_of(process, details))?;
        let first = waiting.front()?;
        let clock = details.clock.as_ref()?;
        let known = clock
            .0
            .iter()
            .find(|(process, _)| **process == first.sender)?;
        if known.1 < first.count {
            return None;
        }
        waiting.pop_front().map(|sent| sent.id)
    }
}

fn key_of(target: &str, details: &Details<'_>) -> (String, String, String) {
    let event = details.event.as_deref().unwrap_or_default();
    (
        target.to_owned(),
        event.to_owned(),
        details.payload.to_string(),
    )
}

fn entry_of<'r>(
    record: &'r Record<'_>,
    process: &'r str,
    own: u32,
    line: u32,
    counts: &Counted<'_>,
    mailboxes: &mut Mailboxes,
) -> Entry<'r> {
    let details = &record.details;
    let mut entry = Entry::of(process, line);
    let event = details.event.as_deref();
    entry.label = Some(match event {
        Some(event) => format!("{} {event}", &*record.kind).into(),
        None => (&*record.kind).into(),
    });
    let clock = details.clock.iter().flat_map(|clock| &clock.0);
    let clock = clock.map(|(name, count)| ((&**name).into(), counts.written(name, *count)));
    entry.clock = Some(clock.filter(|&(_, count)| count > 0).collect());
    match (&*record.kind, details.target.as_deref()) {
        ("SendEvent", Some(target)) => {
            let id = mailboxes.send(target, details, (process, own));
            entry.sends.push(id.into());
            entry.to.push(target.into());
        }
        ("DequeueEvent" | "ReceiveEvent", _) => {
            let id = mailboxes.receive(process, details);
            entry.recvs.extend(id.map(Into::into));
        }
        _ => {}
    }
    if let Some(event) = event {
        let event = Datum::Text(event.into());
        entry.sets.push(("event".into(), event));
    }
    if details.payload != "null" {
        flatten("payload", &details.payload, &mut entry.sets);
    }
    for (name, value) in &details.others {
        flatten(name, value, &mut entry.sets);
    }
    entry
}
