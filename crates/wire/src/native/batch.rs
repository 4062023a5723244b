//! The events of one block in columns, names numbered within the block.
//!
//! Parsing and building run on different threads, so what passes between them is compact and refers to the block's own
//! bytes: a string is a place in the block, or in an arena when it had escapes. Names that repeat (processes, variables,
//! labels, text values) are numbered, and the builder is asked once per block and name; message ids hardly repeat and
//! stay text.

use std::borrow::Cow;
use std::hash::Hasher;

use causet_trace::Value;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxHasher;

use super::scan::Quoted;
use crate::error::Complaint;

/// A place in the block, or in the arena when the highest bit of the start is set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text {
    start: u32,
    length: u32,
}

const IN_ARENA: u32 = 1 << 31;

/// A name, by its number in the block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Name(pub(super) u32);

impl Name {
    /// Stands for a name that is not given.
    pub(super) const NONE: Name = Name(u32::MAX);
}

/// A value whose text, if it is one, is a name of the block.
#[derive(Clone, Copy, Debug)]
pub(super) enum RawValue {
    Ready(Value),
    Text(Name),
}

/// Another event as `after` names it.
#[derive(Clone, Copy, Debug)]
pub(super) enum RawRef {
    Position(Name, u32),
    Id(Text),
}

/// One line: where its lists end in the columns; they start where those of the row before end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The line within the block, from 0.
    pub(super) line: u32,
    pub(super) process: Name,
    pub(super) label: Name,
    pub(super) kind: Kind,
    pub(super) id: Option<Text>,
    pub(super) time: Option<f64>,
    pub(super) ends: Ends,
}

/// What a line says besides its lists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Event,
    EventWithClock,
    End,
}

/// The lengths of the columns.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Ends {
    pub(super) sets: u32,
    pub(super) reads: u32,
    pub(super) sends: u32,
    pub(super) to: u32,
    pub(super) recvs: u32,
    pub(super) clock: u32,
    pub(super) after: u32,
}

/// The columns.
#[derive(Default, Debug)]
pub(super) struct Batch {
    pub(super) rows: Vec<Row>,
    pub(super) sets: Vec<(Name, RawValue)>,
    pub(super) reads: Vec<Name>,
    pub(super) sends: Vec<Text>,
    pub(super) to: Vec<Name>,
    pub(super) recvs: Vec<Text>,
    pub(super) clock: Vec<(Name, u32)>,
    pub(super) after: Vec<RawRef>,
    names: Vec<NameSlot>,
    numbers: HashTable<u32>,
    arena: String,
    object: u32,
    /// How many lines the block has.
    pub(super) lines: u32,
    /// The first line that is at fault; the rows are those before it.
    pub(super) fault: Option<BadLine>,
}

/// A line that cannot be read.
#[derive(Debug)]
pub(super) struct BadLine {
    /// The line within the block, from 0.
    pub(super) line: u32,
    pub(super) text: String,
    pub(super) complaint: Box<Complaint>,
}

#[derive(Debug)]
struct NameSlot {
    text: Text,
    /// The last object in which the name was a key.
    object: u32,
}

impl Batch {
    /// Room for about as many events as a block of this size has.
    pub(super) fn for_block(bytes: usize) -> Self {
        Batch {
            rows: Vec::with_capacity(bytes / 80),
            sets: Vec::with_capacity(bytes / 80),
            ..Batch::default()
        }
    }

    /// The characters of a text.
    pub(super) fn text<'a>(&'a self, block: &'a str, text: Text) -> &'a str {
        text.within(block, &self.arena)
    }

    /// The characters of a name.
    pub(super) fn name<'a>(&'a self, block: &'a str, name: Name) -> &'a str {
        self.text(block, self.names[name.0 as usize].text)
    }

    /// How many names there are.
    pub(super) fn name_count(&self) -> usize {
        self.names.len()
    }

    /// The lengths of all columns now.
    pub(super) fn ends(&self) -> Ends {
        Ends {
            sets: self.sets.len() as u32,
            reads: self.reads.len() as u32,
            sends: self.sends.len() as u32,
            to: self.to.len() as u32,
            recvs: self.recvs.len() as u32,
            clock: self.clock.len() as u32,
            after: self.after.len() as u32,
        }
    }

    /// Keeps a string; `base` is where its line starts in the block.
    pub(super) fn keep(&mut self, base: usize, string: &Quoted<'_>) -> Text {
        match &string.text {
            Cow::Borrowed(text) => Text {
                start: (base + string.span.start + 1) as u32,
                length: text.len() as u32,
            },
            Cow::Owned(text) => {
                let start = self.arena.len() as u32 | IN_ARENA;
                self.arena.push_str(text);
                Text {
                    start,
                    length: text.len() as u32,
                }
            }
        }
    }

    /// Keeps the text of an integer.
    pub(super) fn keep_digits(&mut self, base: usize, at: usize, digits: &str) -> Text {
        Text {
            start: (base + at) as u32,
            length: digits.len() as u32,
        }
    }

    /// The number of a name, which is added when the block did not have it.
    pub(super) fn intern(&mut self, block: &str, base: usize, string: &Quoted<'_>) -> Name {
        let wanted: &str = &string.text;
        let hash = hash(wanted);
        let Batch {
            numbers,
            names,
            arena,
            ..
        } = self;
        let text_of = |number: &u32| names[*number as usize].text.within(block, arena);
        if let Some(&number) = numbers.find(hash, |number| text_of(number) == wanted) {
            return Name(number);
        }
        self.add_name(block, base, string, hash)
    }

    fn add_name(&mut self, block: &str, base: usize, string: &Quoted<'_>, hash_of: u64) -> Name {
        let text = self.keep(base, string);
        let number = self.names.len() as u32;
        self.names.push(NameSlot { text, object: 0 });
        let Batch {
            numbers,
            names,
            arena,
            ..
        } = self;
        let rehash = |number: &u32| hash(names[*number as usize].text.within(block, arena));
        match numbers.entry(hash_of, |_| false, rehash) {
            Entry::Vacant(slot) => drop(slot.insert(number)),
            Entry::Occupied(_) => {}
        }
        Name(number)
    }

    /// Begins an object whose keys must differ.
    pub(super) fn start_object(&mut self) {
        self.object += 1;
    }

    /// Notes a key of the object; whether it is its first time.
    pub(super) fn first_time(&mut self, key: Name) -> bool {
        let slot = &mut self.names[key.0 as usize];
        let first = slot.object != self.object;
        slot.object = self.object;
        first
    }
}

impl Text {
    fn within<'a>(self, block: &'a str, arena: &'a str) -> &'a str {
        let (source, start) = if self.start & IN_ARENA == 0 {
            (block, self.start as usize)
        } else {
            (arena, (self.start ^ IN_ARENA) as usize)
        };
        &source[start..start + self.length as usize]
    }
}

fn hash(name: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(name.as_bytes());
    hasher.finish()
}
