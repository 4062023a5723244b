//! One record of a trace, worked out without knowing any other.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

use super::super::document::Word;
use super::super::entry::{Datum, Entry, Flat, Name};
use super::super::json::{Flatten, Key, flatten};
use super::super::tree::Tree;
use super::super::unsorted::Counts;

/// A record as it is written.
#[derive(Deserialize)]
pub(super) struct Record<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Word<'a>,
    /// On the heap, as events are: they are long, and handed on several times.
    #[serde(borrow)]
    details: Box<Details<'a>>,
}

/// What a record says.
pub(super) enum Told<'a> {
    /// A machine or monitor did something.
    Event(Box<Event<'a>>),
    /// Something that belongs to no machine.
    Remark(String),
    /// An event of nobody who is named.
    Nobody,
}

/// An event whose clock counts as the checker does.
pub(super) struct Event<'a> {
    pub(super) entry: Entry<'a>,
    /// How many events of its own process its clock counts.
    pub(super) own: u32,
    pub(super) mail: Option<Mail<'a>>,
}

/// What is put into a mailbox, or taken out of it.
pub(super) struct Mail<'a> {
    pub(super) is_sent: bool,
    /// The receiver, the event and the payload.
    pub(super) key: String,
    pub(super) event: Name<'a>,
}

impl<'a> Record<'a> {
    /// What it says.
    pub(super) fn told(self, line: u32) -> Told<'a> {
        match (self.details.owner(), &self.details.clock) {
            (Some((process, own)), _) => Told::Event(self.event(line, process, own)),
            (None, Some(_)) => Told::Nobody,
            (None, None) => {
                let log = self.details.log.as_deref().unwrap_or_default();
                Told::Remark(format!("{}: {log}", &*self.kind))
            }
        }
    }

    fn event(self, line: u32, process: Name<'a>, own: u32) -> Box<Event<'a>> {
        let mail = self.mail(&process);
        let Record { kind, details } = self;
        let details = *details;
        let mut event = Box::new(Event {
            entry: Entry::of(process, line),
            own,
            mail,
        });
        let entry = &mut event.entry;
        let is_sent = event.mail.as_ref().is_some_and(|mail| mail.is_sent);
        entry
            .to
            .extend(details.target.filter(|_| is_sent).map(|Word(to)| to));
        entry.clock = details.clock.map(|clock| clock.0);
        entry.label = Some(match details.event {
            Some(Word(event)) => {
                let label = [&*kind, " ", &*event].concat();
                entry.sets.push(("event".into(), Datum::Text(event)));
                label.into()
            }
            None => kind.0,
        });
        payload(&details.payload, &mut entry.sets);
        match entry.sets.is_empty() {
            true => entry.sets = details.others,
            false => entry.sets.extend(details.others),
        }
        event
    }

    /// What is sent, or received by a process.
    fn mail(&self, process: &str) -> Option<Mail<'a>> {
        let (is_sent, receiver) = match (&*self.kind, &self.details.target) {
            ("SendEvent", Some(target)) => (true, &**target),
            ("DequeueEvent" | "ReceiveEvent", _) => (false, process),
            _ => return None,
        };
        let event = self.details.event.clone().unwrap_or_default().0;
        let payload = &self.details.payload;
        // With the lengths of the names, so that no two keys look the same.
        let lengths = (receiver.len(), event.len());
        let key = format!("{} {} {receiver}{event}{payload}", lengths.0, lengths.1);
        Some(Mail {
            is_sent,
            key,
            event,
        })
    }
}

/// What a payload says as variables; a text `null` says nothing either.
fn payload<'a>(payload: &Tree<'a>, sets: &mut Vec<(Name<'a>, Datum<'a>)>) {
    match payload {
        Tree::Text(text) if text == "null" => {}
        Tree::List(_) | Tree::Object(_) => {
            let (value, mut said) = (payload.to_value(), Vec::new());
            flatten("payload", &value, &mut said);
            sets.extend(Flat(said).into_owned().0);
        }
        plain => plain.flatten("payload".into(), sets),
    }
}

/// What a record says of its event: some that has a meaning here, and variables.
struct Details<'a> {
    clock: Option<Counts<'a>>,
    log: Option<Word<'a>>,
    id: Option<Word<'a>>,
    monitor: Option<Word<'a>>,
    sender: Option<Word<'a>>,
    target: Option<Word<'a>>,
    event: Option<Word<'a>>,
    payload: Tree<'a>,
    others: Vec<(Name<'a>, Datum<'a>)>,
}

impl<'a> Details<'a> {
    /// Whose event it is: a process that its clock counts, and how many events of that it counts.
    fn owner(&self) -> Option<(Name<'a>, u32)> {
        let clock = self.clock.as_ref()?;
        let names = [&self.id, &self.monitor, &self.sender];
        let mut counted = names.into_iter().flatten().filter_map(|name| {
            let own = clock.0.iter().find(|(process, _)| **process == **name)?;
            Some((name.0.clone(), own.1))
        });
        counted.next()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Details<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Object)
    }
}

struct Object;

impl<'de> Visitor<'de> for Object {
    type Value = Details<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of details")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut details = Details {
            clock: None,
            log: None,
            id: None,
            monitor: None,
            sender: None,
            target: None,
            event: None,
            payload: Tree::Null,
            others: Vec::new(),
        };
        let mut met = Met::default();
        while let Some(Key(name)) = map.next_key()? {
            met.once::<M::Error>(&name)?;
            match &*name {
                "clock" => details.clock = map.next_value()?,
                "log" => details.log = map.next_value()?,
                "id" => details.id = map.next_value()?,
                "monitor" => details.monitor = map.next_value()?,
                "sender" => details.sender = map.next_value()?,
                "target" => details.target = map.next_value()?,
                "event" => details.event = map.next_value()?,
                "payload" => details.payload = map.next_value()?,
                _ => map.next_value_seed(Flatten::new(name, &mut details.others))?,
            }
        }
        Ok(details)
    }
}

/// The details that have a meaning, each of which may be said once.
const ONCE: [&str; 8] = [
    "clock", "log", "id", "monitor", "sender", "target", "event", "payload",
];

/// Which of them were met.
#[derive(Default)]
struct Met([bool; ONCE.len()]);

impl Met {
    fn once<E: Error>(&mut self, name: &str) -> Result<(), E> {
        match ONCE.iter().position(|&once| once == name) {
            Some(number) if std::mem::replace(&mut self.0[number], true) => {
                Err(E::duplicate_field(ONCE[number]))
            }
            _ => Ok(()),
        }
    }
}
