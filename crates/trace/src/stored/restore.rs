//! From columns of numbers back to the run: every number is looked at once, and refused when no run could have it.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::{ACTIONS, ANYBODY, BLOCK, INITIAL, META, NotARun, Numbers, OBSERVED, OPEN, ORDER};
use super::{OUTSIDERS, Restored, TABLES, WRITTEN, pieces, refused};
use crate::holes::Holes;
use crate::ids::{EventId, MessageId, ProcessId, TextId, VarId};
use crate::names::{NameTable, Names};
use crate::order::Order;
use crate::packed::PackedValues;
use crate::ragged::Ragged;
use crate::trace::{Columns, Tables, Trace, Variable};

/// The tables of a run, ready for its events.
#[derive(Debug)]
pub struct Restorer {
    counts: Vec<u32>,
    limits: Limits,
    tables: Tables,
    values: PackedValues,
    explicit: Vec<(EventId, EventId)>,
    recorded: Option<Vec<EventId>>,
    holes: Holes,
    observed: bool,
    meta: Option<String>,
}

/// How many there are of what numbers refer to.
#[derive(Clone, Copy, Debug)]
struct Limits {
    events: usize,
    processes: usize,
    texts: usize,
    variables: usize,
    messages: usize,
    event_names: usize,
}

/// The order of a run as far as its blocks have come.
#[derive(Debug)]
pub struct Orders {
    order: Order,
    limits: Limits,
}

/// What the events of a run did as far as its blocks have come.
#[derive(Debug)]
pub struct Actions {
    columns: Columns,
    senders: Vec<Option<EventId>>,
    limits: Limits,
}

impl Restorer {
    /// Takes the columns of [`TABLES`]; a file that could not hold so many events should not get here.
    pub fn new(columns: &[Numbers<'_>]) -> Restored<Restorer> {
        let Some(
            [
                counts,
                process_names,
                process_ends,
                texts,
                text_ends,
                owners,
                names,
                marks,
                inits,
                init_kinds,
                values,
                kinds,
                messages,
                message_ends,
                event_names,
                event_ends,
                parts,
                sources,
                targets,
                recorded,
                head,
                silent,
            ],
        ) = columns.as_array::<{ TABLES.len() }>()
        else {
            return refused("tables", "there are not as many columns as expected");
        };
        let counts = counts.to_words(TABLES[0])?.into_owned();
        let processes = NameTable::restored(process_names, process_ends, TABLES[1])?;
        let texts = NameTable::restored(texts, text_ends, TABLES[3])?;
        let messages = Names::restored(messages, message_ends, TABLES[12])?;
        let event_names = Names::restored(event_names, event_ends, TABLES[14])?;
        let events: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        if events >= u64::from(u32::MAX) || counts.len() > processes.len() {
            return refused(TABLES[0], "it does not fit the processes");
        }
        let inits = pieces::values(inits, init_kinds, texts.len(), TABLES[8])?;
        let aside = pieces::values(values, kinds, texts.len(), TABLES[10])?;
        let variables = variables([owners, names, marks], inits, processes.len(), texts.len())?;
        let variable_of = numbered(&variables)?;
        let limits = Limits {
            events: events as usize,
            processes: counts.len(),
            texts: texts.len(),
            variables: variables.len(),
            messages: messages.len(),
            event_names: event_names.len(),
        };
        let (marks, meta) = header(head)?;
        silent.below(limits.processes, TABLES[21])?;
        let silent = silent.to_words(TABLES[21])?;
        let silent: Vec<ProcessId> = silent.iter().map(|&one| ProcessId::new(one)).collect();
        let tables = Tables {
            processes,
            texts,
            variables,
            variable_of,
            messages,
            senders: Vec::new(),
            event_names,
            part_starts: starts(parts, limits.events)?,
        };
        Ok(Restorer {
            explicit: edges(sources, targets, limits.events)?,
            recorded: permutation(recorded, limits.events)?,
            values: PackedValues {
                codes: Vec::new(),
                aside,
            },
            counts,
            limits,
            tables,
            holes: holes(marks, &silent),
            observed: marks & OBSERVED != 0,
            meta,
        })
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.limits.events
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.limits.events == 0
    }

    /// Takes the order of the blocks; room is made for all events at once.
    pub fn orders(&self) -> Orders {
        let chains = self.counts.iter();
        Orders {
            order: Order {
                process: Vec::with_capacity(self.limits.events),
                position: Vec::with_capacity(self.limits.events),
                chains: chains
                    .map(|&count| Vec::with_capacity(count as usize))
                    .collect(),
                before: Ragged::default(),
                recorded: None,
            },
            limits: self.limits,
        }
    }

    /// Takes what the events of the blocks did.
    pub fn actions(&self) -> Actions {
        Actions {
            columns: Columns {
                values: self.values.clone(),
                ..Columns::default()
            },
            senders: vec![None; self.limits.messages],
            limits: self.limits,
        }
    }

    /// The run, once all blocks have been taken.
    pub fn finish(self, orders: Orders, actions: Actions) -> Restored<Trace> {
        let Orders { mut order, .. } = orders;
        let Actions {
            columns, senders, ..
        } = actions;
        let events = self.limits.events;
        let chains = order.chains.iter().map(Vec::len);
        if order.process.len() != events
            || columns.line.len() != events
            || !chains.eq(self.counts.iter().map(|&count| count as usize))
        {
            return refused(TABLES[0], "it does not fit the blocks of events");
        }
        order.recorded = self.recorded;
        respects(&order)?;
        let mut trace = Trace {
            order,
            columns,
            tables: Tables {
                senders,
                ..self.tables
            },
            explicit: self.explicit,
            holes: self.holes,
            observed: self.observed,
            meta: self.meta,
        };
        trace.columns.shrink();
        Ok(trace)
    }
}

impl Orders {
    /// Takes the columns of [`ORDER`] of the next block.
    pub fn append(&mut self, columns: &[Numbers<'_>]) -> Restored<()> {
        let Some([process, filled, ends, before]) = columns.as_array::<{ ORDER.len() }>() else {
            return refused("order", "there are not as many columns as expected");
        };
        let start = self.order.process.len();
        let events = next_block(start, self.limits.events)?;
        if process.len() != events.len() {
            return refused(ORDER[0], "it has not one entry for each event");
        }
        process.below(self.limits.processes, ORDER[0])?;
        match process {
            Numbers::Bytes(list) => self.push_all(start, list.iter().map(|&one| u32::from(one))),
            Numbers::Shorts(list) => self.push_all(start, list.iter().map(|&one| u32::from(one))),
            wide => self.push_all(start, wide.to_words(ORDER[0])?.iter().copied()),
        }
        before.below(self.limits.events, ORDER[3])?;
        let items = before.to_words(ORDER[3])?;
        let column = &mut self.order.before;
        column.append_rows(&events, filled, ends, items.len(), ORDER[3])?;
        column
            .items
            .extend(items.iter().map(|&event| EventId::new(event)));
        Ok(())
    }

    fn push_all(&mut self, start: usize, processes: impl ExactSizeIterator<Item = u32> + Clone) {
        let Order {
            process,
            position,
            chains,
            ..
        } = &mut self.order;
        process.extend(processes.clone().map(ProcessId::new));
        let events = (start as u32..).zip(processes);
        position.extend(events.map(|(event, owner)| {
            let chain = &mut chains[owner as usize];
            chain.push(EventId::new(event));
            chain.len() as u32
        }));
    }
}

impl Actions {
    /// Takes the columns of [`ACTIONS`] of the next block.
    pub fn append(&mut self, columns: &[Numbers<'_>]) -> Restored<()> {
        let Some(all) = columns.as_array::<{ ACTIONS.len() }>() else {
            return refused("actions", "there are not as many columns as expected");
        };
        let Actions {
            columns, limits, ..
        } = self;
        let events = next_block(columns.line.len(), limits.events)?;
        columns.line.append(&events, &all[0], &all[1], ACTIONS[1])?;
        let rows = |at: usize, limit: usize| {
            all[at + 2].below(limit, ACTIONS[at + 2])?;
            Ok::<_, NotARun>((&all[at], &all[at + 1], &all[at + 2], ACTIONS[at + 2]))
        };
        let (filled, ends, labels, column) = rows(2, limits.texts)?;
        let labelled = &mut columns.labelled;
        labelled.append_rows(&events, filled, ends, labels.len(), column)?;
        if labels.len() > events.len() || !ends.is_empty() {
            return refused(column, "an event has two of them");
        }
        labelled
            .items
            .resize(labelled.items.len() + labels.len(), ());
        columns.labels.append(labels, column)?;
        append(
            &mut columns.name,
            &events,
            rows(5, limits.event_names)?,
            |name| name,
        )?;
        let (filled, ends, times, column) = (&all[8], &all[9], &all[10], ACTIONS[10]);
        let times = times.longs(column)?;
        columns
            .time
            .append_rows(&events, filled, ends, times.len(), column)?;
        columns
            .time
            .items
            .extend(times.iter().map(|&bits| f64::from_bits(bits)));
        let (filled, ends, vars, column) = rows(11, limits.variables)?;
        let written = &mut columns.written;
        written.append_rows(&events, filled, ends, vars.len(), column)?;
        written.items.resize(written.items.len() + vars.len(), ());
        columns.vars.append(vars, column)?;
        if all[14].len() != vars.len() {
            return refused(ACTIONS[14], "it is not as long as that of the variables");
        }
        columns.values.append(&all[14], limits.texts, ACTIONS[14])?;
        append(
            &mut columns.reads,
            &events,
            rows(15, limits.variables)?,
            VarId::new,
        )?;
        append(
            &mut columns.sends,
            &events,
            rows(18, limits.messages)?,
            MessageId::new,
        )?;
        append(
            &mut columns.to,
            &events,
            rows(21, limits.processes)?,
            ProcessId::new,
        )?;
        append(
            &mut columns.recvs,
            &events,
            rows(24, limits.messages)?,
            MessageId::new,
        )?;
        self.note_senders(&events)
    }

    /// The senders of the messages that a block sends.
    fn note_senders(&mut self, events: &Range<usize>) -> Restored<()> {
        let sends = &self.columns.sends;
        if sends.items_of(events).is_empty() {
            return Ok(());
        }
        for event in events.clone() {
            for message in sends.row(event) {
                let sender = &mut self.senders[message.index()];
                if sender.replace(EventId::new(event as u32)).is_some() {
                    return refused(ACTIONS[20], "a message is sent twice");
                }
            }
        }
        Ok(())
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

/// The events of the block that begins with some event.
fn next_block(start: usize, events: usize) -> Restored<Range<usize>> {
    if !start.is_multiple_of(BLOCK) || start >= events {
        return refused("order", "there are more blocks than events");
    }
    Ok(start..events.min(start + BLOCK))
}

fn variables(
    [owners, names, marks]: [&Numbers<'_>; 3],
    inits: Vec<crate::value::Value>,
    processes: usize,
    texts: usize,
) -> Restored<Vec<Variable>> {
    owners.below(processes + 1, TABLES[5])?;
    names.below(texts, TABLES[6])?;
    let owners = owners.to_words(TABLES[5])?;
    let (names, marks) = (names.to_words(TABLES[6])?, marks.to_words(TABLES[7])?);
    if owners.len() != names.len() || names.len() != marks.len() {
        return refused(TABLES[7], "it is not as long as that of the names");
    }
    let mut inits = inits.into_iter();
    let mut variables = Vec::with_capacity(names.len());
    for ((&owner, &name), &mark) in owners.iter().zip(names.iter()).zip(marks.iter()) {
        let is = |bit: u8| mark & u32::from(bit) != 0;
        let init = match is(INITIAL) {
            false => None,
            true => match inits.next() {
                None => return refused(TABLES[8], "there are too few"),
                some => some,
            },
        };
        variables.push(Variable {
            process: owner.checked_sub(1).map(ProcessId::new),
            name: TextId::new(name),
            init,
            written: is(WRITTEN),
        });
    }
    match inits.next() {
        None => Ok(variables),
        Some(_) => refused(TABLES[8], "there are too many"),
    }
}

fn numbered(variables: &[Variable]) -> Restored<FxHashMap<(Option<ProcessId>, TextId), VarId>> {
    let mut numbers = FxHashMap::default();
    for (variable, number) in variables.iter().zip(0..) {
        let key = (variable.process, variable.name);
        if numbers.insert(key, VarId::new(number)).is_some() {
            return refused(TABLES[6], "a variable occurs twice");
        }
    }
    Ok(numbers)
}

/// The marks of a run, and what its header carried for its writer.
fn header(head: &Numbers<'_>) -> Restored<(u8, Option<String>)> {
    let text = head.to_text(TABLES[20])?;
    let Some(&marks) = text.as_bytes().first() else {
        return refused(TABLES[20], "it is empty");
    };
    let meta = text.get(1..).filter(|_| marks & META != 0);
    Ok((marks, meta.map(str::to_owned)))
}

/// The holes that marks and a list of processes stand for.
pub(super) fn holes(marks: u8, silent: &[ProcessId]) -> Holes {
    let mut holes = Holes::default();
    silent
        .iter()
        .for_each(|&process| holes.add_missing(process));
    if marks & ANYBODY != 0 {
        holes.add_anybody();
    }
    if marks & OUTSIDERS != 0 {
        holes.add_outsider();
    }
    if marks & OPEN != 0 {
        holes.open_order();
    }
    holes
}

fn starts(parts: &Numbers<'_>, events: usize) -> Restored<Vec<u32>> {
    parts.below(events + 1, TABLES[15])?;
    let parts = parts.to_words(TABLES[15])?;
    match parts.is_sorted() {
        true => Ok(parts.into_owned()),
        false => refused(TABLES[15], "the parts are not in order"),
    }
}

fn edges(
    sources: &Numbers<'_>,
    targets: &Numbers<'_>,
    events: usize,
) -> Restored<Vec<(EventId, EventId)>> {
    sources.below(events, TABLES[16])?;
    targets.below(events, TABLES[17])?;
    if sources.len() != targets.len() {
        return refused(TABLES[17], "it is not as long as that of the sources");
    }
    let (sources, targets) = (sources.to_words(TABLES[16])?, targets.to_words(TABLES[17])?);
    let edge = |(&from, &to): (&u32, &u32)| (EventId::new(from), EventId::new(to));
    Ok(sources.iter().zip(targets.iter()).map(edge).collect())
}

/// The recorded order, if it is not that of the numbers.
fn permutation(recorded: &Numbers<'_>, events: usize) -> Restored<Option<Vec<EventId>>> {
    if recorded.is_empty() {
        return Ok(None);
    }
    recorded.below(events, TABLES[18])?;
    let recorded = recorded.to_words(TABLES[18])?;
    let mut seen = vec![false; events];
    recorded
        .iter()
        .for_each(|&event| seen[event as usize] = true);
    if recorded.len() != events || seen.contains(&false) {
        return refused(TABLES[18], "it does not name every event once");
    }
    Ok(Some(
        recorded.iter().map(|&event| EventId::new(event)).collect(),
    ))
}

/// The recorded order must come after all that precedes an event; then there is no cycle.
fn respects(order: &Order) -> Restored<()> {
    let before = &order.before;
    let ranks = order.ranks();
    let is_late = |event: EventId, earlier: EventId| ranks.of(earlier) < ranks.of(event);
    let filled = before.filled.iter().enumerate();
    let words = filled.filter(|(_, word)| **word != 0);
    let rows = words.flat_map(|(word, _)| word * 64..(word + 1) * 64);
    for row in rows {
        let event = EventId::new(row as u32);
        if !before
            .row(row)
            .iter()
            .all(|&earlier| is_late(event, earlier))
        {
            return refused(ORDER[3], "an event comes before one it depends on");
        }
    }
    let chains = order.chains.iter().filter(|_| order.recorded.is_some());
    for chain in chains {
        if !chain.windows(2).all(|pair| is_late(pair[1], pair[0])) {
            return refused(TABLES[18], "it is not the order of a process");
        }
    }
    Ok(())
}
