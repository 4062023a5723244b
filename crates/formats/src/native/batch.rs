//! The events of one block in columns, names numbered within the block.
//!
//! Parsing and building run on different threads, so what passes between them is compact and refers to the block's own
//! bytes: a string is a place in the block, or in an arena when it had escapes. Names that repeat (processes, variables,
//! labels, text values) are numbered, and the builder is asked once per block and name; message ids hardly repeat and
//! stay text.

use causet_base::Diagnostic;
use causet_trace::{StoredValue, Time};

use super::scan::{Quoted, Scan};
use super::table::{NameSlot, Names};
use crate::logs::HELP_FOR_LINE;

/// A place in the block, or in the arena when the highest bit of the start is set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text {
    pub(super) start: u32,
    pub(super) length: u32,
}

pub(super) const IN_ARENA: u32 = 1 << 31;

/// A name, by its number in the block.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Name(pub(super) u32);

impl Name {
    /// Stands for a name that is not given.
    pub(super) const NONE: Name = Name(u32::MAX);
}

/// A value whose text, if it is one, is a name of the block.
#[derive(Clone, Copy, Debug)]
pub(super) enum RawValue {
    Ready(StoredValue),
    Text(Name),
}

/// Another event as `after` names it.
#[derive(Clone, Copy, Debug)]
pub(super) enum RawRef {
    Position(Name, u32),
    Id(Text),
}

/// One line: where its lists end in the columns; they start where those of the row before end.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Row {
    /// The line within the block, from 0.
    pub(super) line: u32,
    pub(super) process: Name,
    pub(super) label: Name,
    /// Whether the line has a row among the rare fields, too.
    pub(super) rare: bool,
    pub(super) sets: u32,
    pub(super) sends: u32,
    pub(super) to: u32,
    pub(super) recvs: u32,
}

/// The fields that few lines have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rare {
    pub(super) kind: Kind,
    pub(super) id: Option<Text>,
    pub(super) time: Option<Time>,
    pub(super) reads: u32,
    pub(super) clock: u32,
    pub(super) after: u32,
}

/// What a line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Event,
    EventWithClock,
    End,
}

/// The columns.
#[derive(Default, Debug)]
pub(super) struct Batch {
    pub(super) rows: Vec<Row>,
    pub(super) rare: Vec<Rare>,
    pub(super) sets: Vec<(Name, RawValue)>,
    pub(super) reads: Vec<Name>,
    pub(super) sends: Vec<Text>,
    pub(super) to: Vec<Name>,
    pub(super) recvs: Vec<Text>,
    pub(super) clock: Vec<(Name, u32)>,
    pub(super) after: Vec<RawRef>,
    names: Names,
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
    /// Whether it is the last one of its part, and goes wrong only where it ends.
    pub(super) is_cut_off: bool,
    pub(super) complaint: Diagnostic,
}

impl BadLine {
    pub(super) fn new(line: u32, text: &str, mut complaint: Diagnostic, is_cut_off: bool) -> Self {
        if is_cut_off {
            complaint.help = Some(HELP_FOR_LINE.into());
        }
        BadLine {
            line,
            text: text.to_owned(),
            is_cut_off,
            complaint,
        }
    }
}

impl Batch {
    /// Forgets everything but the room it has.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.rare.clear();
        self.sets.clear();
        self.reads.clear();
        self.sends.clear();
        self.to.clear();
        self.recvs.clear();
        self.clock.clear();
        self.after.clear();
        self.names.clear();
        self.arena.clear();
        self.object = 0;
        self.lines = 0;
        self.fault = None;
    }

    /// The characters of a text.
    pub(super) fn text<'a>(&'a self, block: &'a str, text: Text) -> &'a str {
        text.within(block, &self.arena)
    }

    /// The characters of a name.
    pub(super) fn name<'a>(&'a self, block: &'a str, name: Name) -> &'a str {
        self.text(block, self.names.slots[name.0 as usize].text)
    }

    /// How many names there are.
    pub(super) fn name_count(&self) -> usize {
        self.names.slots.len()
    }

    /// Keeps a string of a line that starts at `base` in the block.
    #[inline]
    pub(super) fn keep(&mut self, base: usize, line: &Scan<'_>, string: Quoted) -> Text {
        if string.is_escaped() {
            return self.keep_unescaped(&line.text(string));
        }
        Text {
            start: (base + string.start() + 1) as u32,
            length: string.length() as u32,
        }
    }

    #[cold]
    fn keep_unescaped(&mut self, text: &str) -> Text {
        let start = self.arena.len() as u32 | IN_ARENA;
        self.arena.push_str(text);
        Text {
            start,
            length: text.len() as u32,
        }
    }

    /// Keeps the text of an integer.
    pub(super) fn keep_digits(base: usize, at: usize, digits: &str) -> Text {
        Text {
            start: (base + at) as u32,
            length: digits.len() as u32,
        }
    }

    /// The number of a name, which is added when the block did not have it.
    #[inline]
    pub(super) fn intern(&mut self, block: &str, text: Text) -> Name {
        Name(self.names.intern(text, block, &self.arena))
    }

    /// Begins an object whose keys must differ.
    pub(super) fn start_object(&mut self) {
        self.object += 1;
    }

    /// Notes a key of the object; whether it is its first time.
    pub(super) fn first_time(&mut self, key: Name) -> bool {
        let slot: &mut NameSlot = &mut self.names.slots[key.0 as usize];
        let first = slot.object != self.object;
        slot.object = self.object;
        first
    }
}

impl Text {
    /// The characters, wherever they are.
    #[inline]
    pub(super) fn within<'a>(self, block: &'a str, arena: &'a str) -> &'a str {
        let (source, start) = self.source(block, arena);
        &source[start..start + self.length as usize]
    }

    /// The text that holds the characters, and where they start in it.
    #[inline]
    pub(super) fn source<'a>(self, block: &'a str, arena: &'a str) -> (&'a str, usize) {
        if self.start & IN_ARENA == 0 {
            (block, self.start as usize)
        } else {
            (arena, (self.start ^ IN_ARENA) as usize)
        }
    }
}
