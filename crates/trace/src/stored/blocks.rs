//! The blocks of events taken back, in three pieces that know nothing of each other: two threads can share the work.

use std::ops::Range;
use std::sync::OnceLock;

use super::{ACTIONS, BLOCK, NotARun, Numbers, ORDER, Restored, WRITES, refused};
use crate::narrow::Narrow;
use crate::order::Order;
use crate::packed::PackedValues;
use crate::ragged::Ragged;
use crate::time::Time;
use crate::trace::Columns;
use crate::value::StoredValue;
use causet_base::ids::{EventId, MessageId, ProcessId, VarId};

/// How many there are of what numbers refer to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) events: usize,
    pub(super) processes: usize,
    pub(super) texts: usize,
    pub(super) variables: usize,
    pub(super) messages: usize,
    pub(super) event_names: usize,
}

/// The order of a run as far as its blocks have come.
#[derive(Debug)]
pub struct Orders {
    process: Narrow,
    before: Ragged<EventId>,
    /// Whether the order of the numbers is that of the recording.
    is_numbered: bool,
    limits: Limits,
}

/// What the events of a run did as far as its blocks have come.
#[derive(Debug)]
pub struct Actions {
    columns: Columns,
    senders: Vec<Option<EventId>>,
    limits: Limits,
}

/// What the events of a run wrote as far as its blocks have come.
#[derive(Debug)]
pub struct Writes {
    events: usize,
    written: Ragged<()>,
    vars: Narrow,
    values: PackedValues,
    limits: Limits,
}

impl Orders {
    pub(super) fn new(limits: Limits, is_numbered: bool) -> Orders {
        Orders {
            process: Narrow::default(),
            before: Ragged::default(),
            is_numbered,
            limits,
        }
    }

    pub(super) fn events(&self) -> usize {
        self.process.len()
    }

    /// Takes the columns of [`ORDER`] of the next block.
    pub fn append(&mut self, columns: &[Numbers<'_>]) -> Restored<()> {
        let Some([process, filled, ends, before]) = columns.as_array::<{ ORDER.len() }>() else {
            return refused("order", "there are not as many columns as expected");
        };
        let events = next_block(self.events(), self.limits.events)?;
        if process.len() != events.len() {
            return refused(ORDER[0], "it has not one entry for each event");
        }
        process.below(self.limits.processes, ORDER[0])?;
        self.process.append(process, ORDER[0])?;
        before.below(self.limits.events, ORDER[3])?;
        let rows = (filled, ends, before, ORDER[3]);
        append(&mut self.before, &events, rows, EventId::new)?;
        // Then there is no cycle either.
        let mut rows = self.before.filled_rows(&events);
        let is_late =
            |(row, before): (usize, &[EventId])| before.iter().all(|earlier| earlier.index() < row);
        if self.is_numbered && !rows.all(is_late) {
            return refused(ORDER[3], "an event comes before one it depends on");
        }
        Ok(())
    }

    pub(super) fn into_order(mut self, recorded: Option<Vec<EventId>>) -> Order {
        self.process.shrink();
        self.before.shrink();
        Order {
            process: self.process,
            process_count: self.limits.processes,
            places: OnceLock::new(),
            before: self.before,
            recorded,
        }
    }
}

impl Actions {
    pub(super) fn new(limits: Limits) -> Actions {
        Actions {
            columns: Columns::default(),
            senders: vec![None; limits.messages],
            limits,
        }
    }

    pub(super) fn events(&self) -> usize {
        self.columns.line.len()
    }

    /// Takes the columns of [`ACTIONS`] of the next block.
    pub fn append(&mut self, columns: &[Numbers<'_>]) -> Restored<()> {
        match columns.split_last() {
            Some((places, others)) => self.append_all(others, Some(places)),
            None => self.append_all(columns, None),
        }
    }

    /// Takes the columns of the next block of a file of version 2: all but the last, and times are doubles.
    pub fn append_version_2(&mut self, columns: &[Numbers<'_>]) -> Restored<()> {
        self.append_all(columns, None)
    }

    fn append_all(&mut self, all: &[Numbers<'_>], places: Option<&Numbers<'_>>) -> Restored<()> {
        let Some(all) = all.as_array::<{ ACTIONS.len() - 1 }>() else {
            return refused("actions", "there are not as many columns as expected");
        };
        let events = next_block(self.events(), self.limits.events)?;
        let Actions {
            columns, limits, ..
        } = self;
        columns.line.append(&events, &all[0], &all[1], ACTIONS[1])?;
        let rows = |at: usize, limit: usize| {
            all[at + 2].below(limit, ACTIONS[at + 2])?;
            Ok::<_, NotARun>((&all[at], &all[at + 1], &all[at + 2], ACTIONS[at + 2]))
        };
        let (filled, ends, labels, column) = rows(2, limits.texts)?;
        append_rows(&mut columns.labelled, &events, filled, ends, labels, column)?;
        if labels.len() > events.len() || !ends.is_empty() {
            return refused(column, "an event has two of them");
        }
        columns.labels.append(labels, column)?;
        let names = rows(5, limits.event_names)?;
        append(&mut columns.name, &events, names, |name| name)?;
        let (filled, ends, times, column) = (&all[8], &all[9], &all[10], ACTIONS[10]);
        let time = &mut columns.time;
        time.append_rows(&events, filled, ends, times.len(), column)?;
        time.items
            .extend(restored_times(times.longs(column)?, places)?);
        let reads = rows(11, limits.variables)?;
        append(&mut columns.reads, &events, reads, VarId::new)?;
        let sends = rows(14, limits.messages)?;
        append(&mut columns.sends, &events, sends, MessageId::new)?;
        let to = rows(17, limits.processes)?;
        append(&mut columns.to, &events, to, ProcessId::new)?;
        let recvs = rows(20, limits.messages)?;
        append(&mut columns.recvs, &events, recvs, MessageId::new)?;
        self.note_senders(&events)
    }

    /// The senders of the messages that a block sends.
    fn note_senders(&mut self, events: &Range<usize>) -> Restored<()> {
        for (event, messages) in self.columns.sends.filled_rows(events) {
            for message in messages {
                let sender = &mut self.senders[message.index()];
                if sender.replace(EventId::new(event as u32)).is_some() {
                    return refused(ACTIONS[16], "a message is sent twice");
                }
            }
        }
        Ok(())
    }

    /// The columns but for what was written, and who sent each message.
    pub(super) fn into_columns(self) -> (Columns, Vec<Option<EventId>>) {
        (self.columns, self.senders)
    }
}

impl Writes {
    pub(super) fn new(limits: Limits, aside: Vec<StoredValue>) -> Writes {
        Writes {
            events: 0,
            written: Ragged::default(),
            vars: Narrow::default(),
            values: PackedValues {
                codes: Vec::new(),
                aside,
            },
            limits,
        }
    }

    pub(super) fn events(&self) -> usize {
        self.events
    }

    /// Takes the columns of [`WRITES`] of the next block.
    pub fn append(&mut self, columns: &[Numbers<'_>]) -> Restored<()> {
        let Some([filled, ends, vars, values]) = columns.as_array::<{ WRITES.len() }>() else {
            return refused("writes", "there are not as many columns as expected");
        };
        let events = next_block(self.events, self.limits.events)?;
        vars.below(self.limits.variables, WRITES[2])?;
        append_rows(&mut self.written, &events, filled, ends, vars, WRITES[2])?;
        self.vars.append(vars, WRITES[2])?;
        if values.len() != vars.len() {
            return refused(WRITES[3], "it is not as long as that of the variables");
        }
        self.values.append(values, self.limits.texts, WRITES[3])?;
        self.events = events.end;
        Ok(())
    }

    /// Puts what was written beside the other columns.
    pub(super) fn complete(self, columns: &mut Columns) {
        columns.written = self.written;
        columns.vars = self.vars;
        columns.values = self.values;
    }
}

/// The columns of rows with a single list of entries, and their name.
type RowColumns<'c, 'n> = (
    &'c Numbers<'n>,
    &'c Numbers<'n>,
    &'c Numbers<'n>,
    &'static str,
);

fn append<T>(
    column: &mut Ragged<T>,
    events: &Range<usize>,
    (filled, ends, items, name): RowColumns<'_, '_>,
    entry: impl Fn(u32) -> T,
) -> Restored<()> {
    let items = items.to_words(name)?;
    column.append_rows(events, filled, ends, items.len(), name)?;
    column.items.extend(items.iter().map(|&item| entry(item)));
    Ok(())
}

/// Appends rows whose entries stand in a list of their own.
fn append_rows(
    rows: &mut Ragged<()>,
    events: &Range<usize>,
    filled: &Numbers<'_>,
    ends: &Numbers<'_>,
    entries: &Numbers<'_>,
    column: &'static str,
) -> Restored<()> {
    rows.append_rows(events, filled, ends, entries.len(), column)?;
    rows.items.resize(rows.items.len() + entries.len(), ());
    Ok(())
}

/// Times from their digits and places, or from doubles where there is no column of places.
fn restored_times(digits: &[u64], places: Option<&Numbers<'_>>) -> Restored<Vec<Time>> {
    let Some(places) = places else {
        let seconds = digits.iter().map(|&bits| f64::from_bits(bits));
        return Ok(seconds.map(Time::nearest).collect());
    };
    let column = ACTIONS[ACTIONS.len() - 1];
    let Numbers::Bytes(places) = places else {
        return refused(column, "its numbers do not have 8 bits");
    };
    if places.len() != digits.len() {
        return refused(column, "it has not one entry for each time");
    }
    let pairs = digits.iter().zip(places.iter());
    let times = pairs.map(|(&digits, &places)| Time::new(digits.cast_signed(), places));
    let times: Option<Vec<Time>> = times.collect();
    times.map_or_else(|| refused(column, "a time has too many places"), Ok)
}

/// The events of the block that begins with some event.
fn next_block(start: usize, events: usize) -> Restored<Range<usize>> {
    if !start.is_multiple_of(BLOCK) || start >= events {
        return refused("order", "there are more blocks than events");
    }
    Ok(start..events.min(start + BLOCK))
}
