//! A run taken apart into columns of plain numbers, and put together again without reading a line of a log.
//!
//! ```text
//! Trace --tables, name_block, order_block, action_block, write_block--> Numbers --Restorer--> the same Trace
//! ```
//!
//! The tables (names, variables, numbers that need more than 32 bits) come first, then in blocks the names of messages
//! and the events: who executed them and what came before, what they did, and what they wrote, which is most of it. The
//! pieces of a block are restored independently, so that two threads can share the work. Columns are kept as the run
//! keeps them: to take one back is to look for its largest number and to copy it. Positions and chains are not among
//! them; [`Order`] works them out from the processes of the events when they are asked for.
//!
//! [`Order`]: crate::Order
//!
//! The numbers may come from anywhere: whatever could not have come from a run is refused, and nothing panics.

mod blocks;
mod pieces;
mod restore;

use std::borrow::Cow;
use std::ops::Range;

use crate::narrow::Narrow;
use crate::ragged::Ragged;
use crate::trace::{Trace, Variable};
use causet_base::ids::MessageId;

pub use blocks::{Actions, Orders, Writes};
pub use restore::Restorer;

/// How many events a block has, all but the last; a block of names has as many.
pub const BLOCK: usize = 1 << 16;

/// A column of numbers of one width; texts are columns of bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Numbers<'a> {
    /// Of 8 bits.
    Bytes(Cow<'a, [u8]>),
    /// Of 16 bits.
    Shorts(Cow<'a, [u16]>),
    /// Of 32 bits.
    Words(Cow<'a, [u32]>),
    /// Of 64 bits.
    Longs(Cow<'a, [u64]>),
}

/// Why some columns are not those of a run: which one, and what is wrong with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotARun {
    /// The column.
    pub column: &'static str,
    /// What is wrong with it.
    pub reason: &'static str,
}

type Restored<T> = Result<T, NotARun>;

fn refused<T>(column: &'static str, reason: &'static str) -> Restored<T> {
    Err(NotARun { column, reason })
}

impl<'a> Numbers<'a> {
    fn words(numbers: impl IntoIterator<Item = u32>) -> Numbers<'a> {
        Numbers::Words(numbers.into_iter().collect())
    }

    fn text(text: &'a str) -> Numbers<'a> {
        Numbers::Bytes(Cow::Borrowed(text.as_bytes()))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Numbers::Bytes(list) => list.len(),
            Numbers::Shorts(list) => list.len(),
            Numbers::Words(list) => list.len(),
            Numbers::Longs(list) => list.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// As 32-bit numbers, whatever their width; those of 64 bits are refused.
    fn to_words(&self, column: &'static str) -> Restored<Cow<'_, [u32]>> {
        Ok(match self {
            Numbers::Bytes(list) => list.iter().map(|&number| u32::from(number)).collect(),
            Numbers::Shorts(list) => list.iter().map(|&number| u32::from(number)).collect(),
            Numbers::Words(list) => Cow::Borrowed(list),
            Numbers::Longs(_) => return refused(column, "its numbers have 64 bits"),
        })
    }

    fn longs(&self, column: &'static str) -> Restored<&[u64]> {
        match self {
            Numbers::Longs(list) => Ok(list),
            _ => refused(column, "its numbers do not have 64 bits"),
        }
    }

    fn to_text(&self, column: &'static str) -> Restored<&str> {
        let Numbers::Bytes(bytes) = self else {
            return refused(column, "it is not a text");
        };
        str::from_utf8(bytes).or_else(|_| refused(column, "it is not UTF-8"))
    }

    /// The largest of them, 0 of none. Written as a fold, which the compiler turns into vector instructions.
    fn most(&self) -> u64 {
        match self {
            Numbers::Bytes(list) => u64::from(list.iter().fold(0, |most, &one| one.max(most))),
            Numbers::Shorts(list) => u64::from(list.iter().fold(0, |most, &one| one.max(most))),
            Numbers::Words(list) => u64::from(list.iter().fold(0, |most, &one| one.max(most))),
            Numbers::Longs(list) => list.iter().fold(0, |most, &one| one.max(most)),
        }
    }

    /// Whether all are below a limit.
    fn below(&self, limit: usize, column: &'static str) -> Restored<()> {
        if self.is_empty() || self.most() < limit as u64 {
            return Ok(());
        }
        refused(column, "it refers to something that is not there")
    }
}

/// The columns of the tables, in order.
pub const TABLES: [&str; 20] = [
    "numbers of events, processes and messages",
    "process names",
    "ends of process names",
    "texts",
    "ends of texts",
    "owners of variables",
    "names of variables",
    "marks of variables",
    "initial values",
    "kinds of initial values",
    "long values",
    "kinds of long values",
    "event names",
    "ends of event names",
    "first events of parts",
    "sources of edges",
    "targets of edges",
    "recorded order",
    "header",
    "processes with holes",
];

/// The columns of a block of names of messages; there are so many that they are not among the tables.
pub const NAMES: [&str; 2] = ["message names", "ends of message names"];

/// The columns of the order of a block.
pub const ORDER: [&str; 4] = ["process", "before: rows", "before: ends", "before"];

/// The columns of what the events of a block did. The last one was not there in version 2 of the binary form, where times
/// were doubles.
pub const ACTIONS: [&str; 24] = [
    "lines: first events",
    "lines",
    "labels: rows",
    "labels: ends",
    "labels",
    "ids: rows",
    "ids: ends",
    "ids",
    "times: rows",
    "times: ends",
    "times",
    "reads: rows",
    "reads: ends",
    "reads",
    "sends: rows",
    "sends: ends",
    "sends",
    "destinations: rows",
    "destinations: ends",
    "destinations",
    "receives: rows",
    "receives: ends",
    "receives",
    "times: places",
];

/// The columns of what the events of a block wrote.
pub const WRITES: [&str; 4] = [
    "writes: rows",
    "writes: ends",
    "written variables",
    "written values",
];

/// A variable that some event writes.
const WRITTEN: u8 = 1;
/// A variable with an initial value.
const INITIAL: u8 = 2;
/// The order of the lines was one real execution.
const OBSERVED: u8 = 1;
/// The header carried something for its writer.
const META: u8 = 2;
/// Events are missing of nobody knows whom.
const ANYBODY: u8 = 4;
/// Some events may be ordered that are not known to be.
const OPEN: u8 = 8;
/// A process may be missing that the log does not name.
const OUTSIDERS: u8 = 16;
/// Missing lines may change the order of the processes.
const LIST_OPEN: u8 = 32;

impl Trace {
    /// What comes before the events, the columns of [`TABLES`].
    pub fn tables(&self) -> Vec<Numbers<'_>> {
        let variables = &self.tables.variables;
        let inits = variables.iter().filter_map(|variable| variable.init);
        let owner = |variable: &Variable| variable.process.map_or(0, |process| process.raw() + 1);
        let marks = |variable: &Variable| {
            (u8::from(variable.written) * WRITTEN) | (u8::from(variable.init.is_some()) * INITIAL)
        };
        let messages = self.tables.messages.len();
        let counts = [self.len(), self.order.process_count(), messages];
        let edges = || self.explicit.iter();
        let (processes, texts) = (&self.tables.processes.names, &self.tables.texts.names);
        let mut columns = vec![Numbers::words(counts.map(|count| count as u32))];
        columns.extend(processes.columns());
        columns.extend(texts.columns());
        columns.push(Numbers::words(variables.iter().map(owner)));
        columns.push(Numbers::words(
            variables.iter().map(|variable| variable.name.raw()),
        ));
        columns.push(Numbers::Bytes(variables.iter().map(marks).collect()));
        columns.extend(pieces::value_columns(inits));
        columns.extend(pieces::value_columns(
            self.columns.values.aside.iter().copied(),
        ));
        columns.extend(self.tables.event_names.columns());
        columns.push(Numbers::words(self.tables.part_starts.iter().copied()));
        columns.push(Numbers::words(edges().map(|edge| edge.0.raw())));
        columns.push(Numbers::words(edges().map(|edge| edge.1.raw())));
        let recorded = self.order.recorded.iter().flatten();
        columns.push(Numbers::words(recorded.map(|event| event.raw())));
        columns.push(Numbers::Bytes(self.head().into()));
        let silent = self.holes.silent().iter();
        columns.push(Numbers::words(silent.map(|process| process.raw())));
        columns
    }

    fn head(&self) -> Vec<u8> {
        let holes = &self.holes;
        let mut marks =
            (u8::from(self.observed) * OBSERVED) | (u8::from(self.meta.is_some()) * META);
        marks |=
            (u8::from(holes.is_anybody()) * ANYBODY) | (u8::from(holes.is_order_open()) * OPEN);
        marks |= (u8::from(holes.has_outsiders()) * OUTSIDERS)
            | (u8::from(holes.is_list_open()) * LIST_OPEN);
        let mut head = vec![marks];
        head.extend(self.meta.iter().flat_map(|meta| meta.bytes()));
        head
    }

    /// The blocks of names of messages.
    pub fn name_blocks(&self) -> impl ExactSizeIterator<Item = Range<usize>> + use<> {
        blocks(self.tables.messages.len())
    }

    /// Names of messages, the columns of [`NAMES`].
    pub fn name_block(&self, messages: Range<usize>) -> Vec<Numbers<'_>> {
        self.tables.messages.slice(messages).into()
    }

    /// The blocks of events.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = Range<usize>> + use<> {
        blocks(self.len())
    }

    /// Who executed the events of a block and what came before them, the columns of [`ORDER`].
    pub fn order_block(&self, events: Range<usize>) -> Vec<Numbers<'_>> {
        let mut columns = vec![self.order.process.slice(events.clone())];
        let before = &self.order.before;
        before.columns(events, &mut columns, |items| {
            Numbers::words(items.iter().map(|event| event.raw()))
        });
        columns
    }

    /// What the events of a block did, the columns of [`ACTIONS`].
    pub fn action_block(&self, events: Range<usize>) -> Vec<Numbers<'_>> {
        let mut columns = Vec::with_capacity(ACTIONS.len());
        columns.extend(self.columns.line.columns(&events));
        narrow_rows(
            &self.columns.labelled,
            &self.columns.labels,
            &events,
            &mut columns,
        );
        let name = &self.columns.name;
        name.columns(events.clone(), &mut columns, |items| {
            Numbers::words(items.iter().copied())
        });
        let time = &self.columns.time;
        time.columns(events.clone(), &mut columns, |items| {
            Numbers::Longs(
                items
                    .iter()
                    .map(|time| time.parts().0.cast_unsigned())
                    .collect(),
            )
        });
        let reads = &self.columns.reads;
        reads.columns(events.clone(), &mut columns, |items| {
            Numbers::words(items.iter().map(|var| var.raw()))
        });
        messages(&self.columns.sends, &events, &mut columns);
        let to = &self.columns.to;
        to.columns(events.clone(), &mut columns, |items| {
            Numbers::words(items.iter().map(|process| process.raw()))
        });
        messages(&self.columns.recvs, &events, &mut columns);
        let times = time.items[time.items_of(&events)].iter();
        columns.push(Numbers::Bytes(times.map(|time| time.parts().1).collect()));
        columns
    }

    /// What the events of a block wrote, the columns of [`WRITES`].
    pub fn write_block(&self, events: Range<usize>) -> Vec<Numbers<'_>> {
        let mut columns = Vec::with_capacity(WRITES.len());
        let written = &self.columns.written;
        narrow_rows(written, &self.columns.vars, &events, &mut columns);
        let values = &self.columns.values;
        columns.push(values.slice(written.items_of(&events)));
        columns
    }
}

fn blocks(count: usize) -> impl ExactSizeIterator<Item = Range<usize>> {
    (0..count.div_ceil(BLOCK)).map(move |block| block * BLOCK..count.min((block + 1) * BLOCK))
}

/// The columns of rows whose entries stand in a list of their own.
fn narrow_rows<'a>(
    rows: &'a Ragged<()>,
    entries: &'a Narrow,
    events: &Range<usize>,
    columns: &mut Vec<Numbers<'a>>,
) {
    rows.columns(events.clone(), columns, |_| {
        entries.slice(rows.items_of(events))
    });
}

fn messages<'a>(
    rows: &'a Ragged<MessageId>,
    events: &Range<usize>,
    columns: &mut Vec<Numbers<'a>>,
) {
    rows.columns(events.clone(), columns, |items| {
        Numbers::words(items.iter().map(|message| message.raw()))
    });
}
