//! One event as a log tells it, in names: what a reader hands to the [`Scribe`](super::scribe::Scribe).

use std::borrow::Cow;

use causet_trace::{StoredValue, Time};

/// A name or a text, borrowed from the line where that is possible.
pub(crate) type Name<'a> = Cow<'a, str>;

/// What a variable is set to.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Datum<'a> {
    /// A number or a truth value.
    Plain(StoredValue),
    /// A text.
    Text(Name<'a>),
}

impl Datum<'_> {
    /// A whole number.
    pub(crate) fn int(number: i64) -> Self {
        Datum::Plain(StoredValue::Int(number))
    }

    /// A truth value.
    pub(crate) fn bool(value: bool) -> Self {
        Datum::Plain(StoredValue::Bool(value))
    }

    /// Independent of the line it was read from.
    pub(crate) fn into_owned(self) -> Datum<'static> {
        match self {
            Datum::Plain(value) => Datum::Plain(value),
            Datum::Text(text) => Datum::Text(own(text)),
        }
    }
}

/// Variables and what they are set to, under names of their own.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Flat<'a>(pub(crate) Vec<(Name<'a>, Datum<'a>)>);

impl<'a> Flat<'a> {
    /// The text under a name.
    pub(crate) fn text(&self, name: &str) -> Option<&Name<'a>> {
        let found = self.0.iter().find(|(member, _)| member == name)?;
        match &found.1 {
            Datum::Text(text) => Some(text),
            Datum::Plain(_) => None,
        }
    }

    /// Independent of the line it was read from.
    pub(crate) fn into_owned(self) -> Flat<'static> {
        let sets = self.0.into_iter();
        Flat(
            sets.map(|(name, datum)| (own(name), datum.into_owned()))
                .collect(),
        )
    }
}

/// A variable that belongs to something which has several, and what it is set to.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Member<'a> {
    /// What it belongs to.
    pub(crate) of: Name<'a>,
    /// Its name there; none if that is all there is.
    pub(crate) name: Name<'a>,
    pub(crate) datum: Datum<'a>,
}

impl<'a> Member<'a> {
    /// All variables of something.
    pub(crate) fn all(of: Name<'a>, flat: Flat<'a>) -> impl Iterator<Item = Member<'a>> {
        let members = flat.0.into_iter();
        members.map(move |(name, datum)| Member {
            of: of.clone(),
            name,
            datum,
        })
    }

    /// Its name and what it is set to.
    pub(crate) fn pair(&self) -> (&Name<'a>, &Datum<'a>) {
        (&self.name, &self.datum)
    }

    fn into_owned(self) -> Member<'static> {
        Member {
            of: own(self.of),
            name: own(self.name),
            datum: self.datum.into_owned(),
        }
    }
}

/// Another event that must come before.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Earlier<'a> {
    /// Its process.
    pub(crate) process: Name<'a>,
    /// Its position there, from 1.
    pub(crate) position: u32,
}

impl<'a> Earlier<'a> {
    /// The event of a process at a position counted from 1.
    pub(crate) fn new(process: Name<'a>, position: u32) -> Self {
        Earlier { process, position }
    }
}

/// One event.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Entry<'a> {
    /// The line it stands on, from 1.
    pub(crate) line: u32,
    /// The process that executed it.
    pub(crate) process: Name<'a>,
    /// Its action label.
    pub(crate) label: Option<Name<'a>>,
    /// Its unique name.
    pub(crate) id: Option<Name<'a>>,
    /// When it happened, in seconds; for display only.
    pub(crate) time: Option<Time>,
    /// What it wrote, under names local to its process.
    pub(crate) sets: Vec<(Name<'a>, Datum<'a>)>,
    /// What it wrote besides.
    pub(crate) under: Vec<Member<'a>>,
    /// The shared variables it read.
    pub(crate) reads: Vec<Name<'a>>,
    /// The messages it sent.
    pub(crate) sends: Vec<Name<'a>>,
    /// To whom.
    pub(crate) to: Vec<Name<'a>>,
    /// The messages it received.
    pub(crate) recvs: Vec<Name<'a>>,
    /// Who sent these, if the log says so: should a send be missing, it is known whose it is.
    pub(crate) from: Option<Name<'a>>,
    /// Its vector clock, own entry included.
    pub(crate) clock: Option<Vec<(Name<'a>, u32)>>,
    /// The events it must come after.
    pub(crate) after: Vec<Earlier<'a>>,
}

impl<'a> Entry<'a> {
    /// An event that does nothing.
    pub(crate) fn of(process: impl Into<Name<'a>>, line: u32) -> Self {
        Entry {
            line,
            process: process.into(),
            ..Entry::default()
        }
    }

    /// Sends a message that is known by a key.
    pub(crate) fn sends_to(&mut self, key: String, to: Name<'a>) {
        self.sends.push(Cow::Owned(key));
        self.to.push(to);
    }

    /// Receives a message that is known by a key.
    pub(crate) fn receives_from(&mut self, key: String, from: Name<'a>) {
        self.recvs.push(Cow::Owned(key));
        self.from = Some(from);
    }

    /// Independent of the line it was read from.
    pub(crate) fn into_owned(self) -> Entry<'static> {
        let names = |names: Vec<Name<'a>>| names.into_iter().map(own).collect();
        let after = self.after.into_iter();
        Entry {
            line: self.line,
            process: own(self.process),
            label: self.label.map(own),
            id: self.id.map(own),
            time: self.time,
            sets: Flat(self.sets).into_owned().0,
            under: self.under.into_iter().map(Member::into_owned).collect(),
            reads: names(self.reads),
            sends: names(self.sends),
            to: names(self.to),
            recvs: names(self.recvs),
            from: self.from.map(own),
            clock: self.clock.map(|clock| {
                let entries = clock.into_iter();
                entries.map(|(name, count)| (own(name), count)).collect()
            }),
            after: after
                .map(|earlier| Earlier::new(own(earlier.process), earlier.position))
                .collect(),
        }
    }

    /// The entry of its own process in its clock.
    pub(crate) fn own_count(&self) -> Option<u32> {
        let clock = self.clock.as_ref()?;
        let own = clock.iter().find(|(process, _)| *process == self.process);
        own.map(|&(_, count)| count)
    }
}

fn own(name: Name<'_>) -> Name<'static> {
    Cow::Owned(name.into_owned())
}
