//! Traces that the checker of P writes, `*.trace.json`: an array of `{"type":...,"details":{...}}`.
//!
//! Machines and monitors are processes, ordered by the vector clocks of the trace. These count events that are not
//! written too, so the first may be the second: they are counted anew, by those that are written, which leaves the order
//! of these as it is. What is sent to a machine is a message, and the first that it dequeues of the same event and payload
//! is the first that was sent. The other details are variables. What belongs to no machine, as a failed assertion, is said
//! in a note.

use std::collections::VecDeque;
use std::fmt;

use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::ascending::Ascending;
use super::document::{Document, Word};
use super::elements::{self, line_within};
use super::entry::{Datum, Entry, Flat, Name};
use super::head::Head;
use super::json::{Flatten, Key, fault, flatten};
use super::scribe::Scribe;
use super::text::Text;
use super::trouble::Trouble;
use super::turns::Parse;
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

/// Whose event a record is, which is all that is counted of it.
#[derive(Deserialize)]
struct Brief<'a> {
    #[serde(borrow, rename = "type")]
    kind: Word<'a>,
    #[serde(borrow)]
    details: Owner<'a>,
}

/// Those who may be meant, and the clock that counts one of them.
#[derive(Deserialize, Default)]
struct Owner<'a> {
    #[serde(borrow)]
    clock: Option<Counts<'a>>,
    #[serde(borrow)]
    id: Option<Word<'a>>,
    #[serde(borrow)]
    monitor: Option<Word<'a>>,
    #[serde(borrow)]
    sender: Option<Word<'a>>,
}

/// What a record says of its event: some that has a meaning here, and variables.
#[derive(Default)]
struct Details<'a> {
    owner: Owner<'a>,
    log: Option<Word<'a>>,
    target: Option<Word<'a>>,
    event: Option<Word<'a>>,
    payload: Value,
    others: Vec<(Name<'a>, Datum<'a>)>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Details<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Details<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of details")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut details = Details::default();
                while let Some(Key(name)) = map.next_key()? {
                    match &*name {
                        "clock" => details.owner.clock = map.next_value()?,
                        "log" => details.log = map.next_value()?,
                        "id" => details.owner.id = map.next_value()?,
                        "monitor" => details.owner.monitor = map.next_value()?,
                        "sender" => details.owner.sender = map.next_value()?,
                        "target" => details.target = map.next_value()?,
                        "event" => details.event = map.next_value()?,
                        "payload" => details.payload = map.next_value()?,
                        _ => map.next_value_seed(Flatten::new(name, &mut details.others))?,
                    }
                }
                Ok(details)
            }
        }
        deserializer.deserialize_map(Object)
    }
}

impl<'a> Owner<'a> {
    /// Whose event it is: a process that its clock counts, and how many events of that it counts.
    fn process(&self) -> Option<(Name<'a>, u32)> {
        let clock = self.clock.as_ref()?;
        let names = [&self.id, &self.monitor, &self.sender];
        let mut counted = names.into_iter().flatten().filter_map(|name| {
            let own = clock.0.iter().find(|(process, _)| **process == **name)?;
            Some((name.0.clone(), own.1))
        });
        counted.next()
    }
}

impl Reader for PChecker {
    fn part(&mut self, text: &mut Text<'_>, scribe: &mut Scribe<'_>) -> Result<(), Trouble> {
        let workers = text.workers();
        let text = text.whole()?;
        if text.trim().is_empty() {
            return Ok(());
        }
        let mut written = Written::default();
        elements::each::<Record<'_>, _>(&text, workers, EXPECTED, &Owners, |(line, owner)| {
            written.count(line, owner);
            Ok(())
        })?;
        written.note(scribe);
        let mut teller = Teller {
            text: &text,
            counted: written.counted(),
            mailboxes: Mailboxes::default(),
            scribe,
        };
        elements::each::<Record<'_>, _>(&text, workers, EXPECTED, &Records, |(line, record)| {
            teller.tell(line, record)
        })
    }
}

/// Parses whose records are, each with the line of its type.
struct Owners;

impl Parse for Owners {
    type Item<'l> = (u32, Option<(Name<'l>, u32)>);

    fn parse<'l>(&self, number: u32, piece: &'l str) -> Result<Option<Self::Item<'l>>, Trouble> {
        let brief: Brief<'l> = record(number, piece)?;
        let line = line_within(number, piece, &brief.kind);
        Ok(Some((line, brief.details.process())))
    }
}

/// Parses records, each with the line of its type.
struct Records;

impl Parse for Records {
    type Item<'l> = (u32, Record<'l>);

    fn parse<'l>(&self, number: u32, piece: &'l str) -> Result<Option<Self::Item<'l>>, Trouble> {
        let record: Record<'l> = record(number, piece)?;
        let line = line_within(number, piece, &record.kind);
        Ok(Some((line, record)))
    }
}

fn record<'l, R: Deserialize<'l>>(number: u32, piece: &'l str) -> Result<R, Trouble> {
    serde_json::from_str(piece).map_err(|error| fault(number, piece, &error, EXPECTED))
}

/// The events of each process that are written, as the clocks count them.
#[derive(Default)]
struct Written {
    /// The line of the first record.
    first: Option<u32>,
    counts: FxHashMap<String, Vec<u32>>,
}

impl Written {
    fn count(&mut self, line: u32, owner: Option<(Name<'_>, u32)>) {
        self.first.get_or_insert(line);
        if let Some((process, own)) = owner {
            match self.counts.get_mut(&*process) {
                Some(counts) => counts.push(own),
                None => drop(self.counts.insert(process.into(), vec![own])),
            }
        }
    }

    fn note(&self, scribe: &mut Scribe<'_>) {
        let last = |counts: &Vec<u32>| counts.iter().max().map_or(0, |&last| u64::from(last));
        let counted: u64 = self.counts.values().map(last).sum();
        let written: u64 = self.counts.values().map(|counts| counts.len() as u64).sum();
        if let (Some(missing @ 1..), Some(first)) = (counted.checked_sub(written), self.first) {
            let message = format!("clocks count {missing} events that are not in the trace");
            let help = "the checker does not write all that it counts; the order of the others is not affected";
            scribe.note(first, message, help);
        }
    }

    fn counted(self) -> Counted {
        let lanes = self.counts.into_iter().map(|(process, mut counts)| {
            counts.sort_unstable();
            (process, Ascending::new(counts))
        });
        Counted(lanes.collect())
    }
}

/// How many events are written of those that a clock counts.
struct Counted(FxHashMap<String, Ascending<u32>>);

impl Counted {
    fn of(&self, process: &str, count: u32) -> u32 {
        let counts = self.0.get(process);
        counts.map_or(0, |counts| counts.count_up_to(count) as u32)
    }
}

/// Tells the events, once it is known how clocks count.
struct Teller<'r, 'a> {
    text: &'r str,
    counted: Counted,
    mailboxes: Mailboxes,
    scribe: &'r mut Scribe<'a>,
}

impl Teller<'_, '_> {
    fn tell(&mut self, line: u32, record: Record<'_>) -> Result<(), Trouble> {
        match record.details.owner.process() {
            Some((process, own)) => {
                let entry = self.entry_of(record, &process, own, line);
                self.scribe.add(&entry)?;
            }
            None if record.details.owner.clock.is_some() => {
                let document = Document::new(self.text);
                let shown = document.text_of(line);
                let message = "the clock counts no event of a machine that is named here";
                let expected = "expected id, monitor or sender, with a count in the clock";
                return Err(Trouble::of_line(line, shown, message, expected));
            }
            None => {
                let log = record.details.log.as_deref().unwrap_or_default();
                let message = format!("{}: {log}", &*record.kind);
                let help = "it belongs to no machine, and so it is not an event";
                self.scribe.note(line, message, help);
            }
        }
        Ok(())
    }

    fn entry_of<'r>(
        &mut self,
        record: Record<'r>,
        process: &Name<'r>,
        own: u32,
        line: u32,
    ) -> Entry<'r> {
        let Record { kind, details } = record;
        let mut entry = Entry::of(process.clone(), line);
        match (&*kind, &details.target) {
            ("SendEvent", Some(target)) => {
                let id = self.mailboxes.send(target, &details, (process, own));
                entry.sends.push(id.into());
                entry.to.push(target.0.clone());
            }
            ("DequeueEvent" | "ReceiveEvent", _) => {
                let id = self.mailboxes.receive(process, &details);
                entry.recvs.extend(id.map(Into::into));
            }
            _ => {}
        }
        let mut clock = details.owner.clock.map_or_else(Vec::new, |clock| clock.0);
        clock
            .iter_mut()
            .for_each(|(name, count)| *count = self.counted.of(name, *count));
        clock.retain(|&(_, count)| count > 0);
        entry.clock = Some(clock);
        if details.payload != "null" {
            let mut sets = Vec::new();
            flatten("payload", &details.payload, &mut sets);
            entry.sets.extend(Flat(sets).into_owned().0);
        }
        entry.sets.extend(details.others);
        entry.label = Some(match details.event {
            Some(Word(event)) => {
                let label = [&*kind, " ", &*event].concat();
                entry.sets.insert(0, ("event".into(), Datum::Text(event)));
                label.into()
            }
            None => kind.0,
        });
        entry
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
        let clock = details.owner.clock.as_ref()?;
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
