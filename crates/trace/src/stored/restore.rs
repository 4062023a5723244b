//! From columns of numbers back to the run: every number is looked at once, and refused when no run could have it.

use rustc_hash::FxHashMap;

use super::blocks::{Actions, Limits, Orders, Writes};
use super::{
    ANYBODY, BLOCK, INITIAL, LIST_OPEN, META, NAMES, Numbers, OBSERVED, OPEN, ORDER, OUTSIDERS,
    Restored, TABLES,
};
use super::{WRITTEN, pieces, refused};
use crate::holes::Holes;
use crate::names::{NameTable, Names};
use crate::order::Order;
use crate::trace::{Tables, Trace, Variable};
use crate::value::StoredValue;
use causet_base::ids::{EventId, ProcessId, TextId, VarId};

/// The tables of a run, ready for its events.
#[derive(Debug)]
pub struct Restorer {
    limits: Limits,
    tables: Tables,
    /// The values that need more than 32 bits.
    aside: Vec<StoredValue>,
    explicit: Vec<(EventId, EventId)>,
    recorded: Option<Vec<EventId>>,
    holes: Holes,
    observed: bool,
    meta: Option<String>,
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
        let counts = counts.to_words(TABLES[0])?;
        let Some([events, acting, messages]) =
            counts.as_array().map(|all| all.map(|one| one as usize))
        else {
            return refused(TABLES[0], "there are not three of them");
        };
        let processes = NameTable::restored(process_names, process_ends, TABLES[1])?;
        let texts = NameTable::restored(texts, text_ends, TABLES[3])?;
        let event_names = Names::restored(event_names, event_ends, TABLES[12])?;
        if events >= u32::MAX as usize || acting > processes.len() {
            return refused(TABLES[0], "they do not fit the names of processes");
        }
        let inits = pieces::values(inits, init_kinds, texts.len(), TABLES[8])?;
        let aside = pieces::values(values, kinds, texts.len(), TABLES[10])?;
        let variables = variables([owners, names, marks], inits, processes.len(), texts.len())?;
        let variable_of = numbered(&variables)?;
        let limits = Limits {
            events,
            processes: acting,
            texts: texts.len(),
            variables: variables.len(),
            messages,
            event_names: event_names.len(),
        };
        let (marks, meta) = header(head)?;
        silent.below(limits.processes, TABLES[19])?;
        let silent = silent.to_words(TABLES[19])?;
        let silent: Vec<ProcessId> = silent.iter().map(|&one| ProcessId::new(one)).collect();
        let tables = Tables {
            processes,
            texts,
            variables,
            variable_of,
            messages: Names::default(),
            senders: Vec::new(),
            event_names,
            part_starts: starts(parts, limits.events)?,
        };
        Ok(Restorer {
            explicit: edges(sources, targets, limits.events)?,
            recorded: permutation(recorded, limits.events)?,
            aside,
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

    /// How many blocks of names of messages there are.
    pub fn name_blocks(&self) -> usize {
        self.limits.messages.div_ceil(BLOCK)
    }

    /// Takes the columns of [`NAMES`] of the next block of names. All of them come before the events.
    pub fn append_names(&mut self, columns: &[Numbers<'_>]) -> Restored<()> {
        let Some([text, ends]) = columns.as_array::<{ NAMES.len() }>() else {
            return refused("names", "there are not as many columns as expected");
        };
        let left = self.limits.messages - self.tables.messages.len();
        if ends.len() != left.min(BLOCK) {
            return refused(NAMES[1], "it has not one entry for each message");
        }
        self.tables.messages.append(text, ends, NAMES[0])
    }

    /// Takes the order of the blocks.
    pub fn orders(&self) -> Orders {
        Orders::new(self.limits, self.recorded.is_none())
    }

    /// Takes what the events of the blocks did.
    pub fn actions(&self) -> Actions {
        Actions::new(Limits {
            messages: self.tables.messages.len(),
            ..self.limits
        })
    }

    /// Takes what the events of the blocks wrote.
    pub fn writes(&mut self) -> Writes {
        Writes::new(self.limits, std::mem::take(&mut self.aside))
    }

    /// The run, once all blocks have been taken.
    pub fn finish(mut self, orders: Orders, actions: Actions, writes: Writes) -> Restored<Trace> {
        self.tables.messages.shrink();
        let events = self.limits.events;
        if [orders.events(), actions.events(), writes.events()] != [events; 3] {
            return refused(TABLES[0], "they do not fit the blocks of events");
        }
        let (mut columns, senders) = actions.into_columns();
        writes.complete(&mut columns);
        columns.shrink();
        let order = orders.into_order(self.recorded);
        if order.recorded.is_some() {
            respects(&order)?;
        }
        Ok(Trace {
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
        })
    }
}

fn variables(
    [owners, names, marks]: [&Numbers<'_>; 3],
    inits: Vec<StoredValue>,
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
    let text = head.to_text(TABLES[18])?;
    let Some(&marks) = text.as_bytes().first() else {
        return refused(TABLES[18], "it is empty");
    };
    let meta = text.get(1..).filter(|_| marks & META != 0);
    Ok((marks, meta.map(str::to_owned)))
}

/// The holes that marks and a list of processes stand for.
fn holes(marks: u8, silent: &[ProcessId]) -> Holes {
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
    if marks & LIST_OPEN != 0 {
        holes.open_list();
    }
    holes
}

fn starts(parts: &Numbers<'_>, events: usize) -> Restored<Vec<u32>> {
    parts.below(events + 1, TABLES[14])?;
    let parts = parts.to_words(TABLES[14])?;
    match parts.is_sorted() {
        true => Ok(parts.into_owned()),
        false => refused(TABLES[14], "the parts are not in order"),
    }
}

fn edges(
    sources: &Numbers<'_>,
    targets: &Numbers<'_>,
    events: usize,
) -> Restored<Vec<(EventId, EventId)>> {
    sources.below(events, TABLES[15])?;
    targets.below(events, TABLES[16])?;
    if sources.len() != targets.len() {
        return refused(TABLES[16], "it is not as long as that of the sources");
    }
    let (sources, targets) = (sources.to_words(TABLES[15])?, targets.to_words(TABLES[16])?);
    let edge = |(&from, &to): (&u32, &u32)| (EventId::new(from), EventId::new(to));
    Ok(sources.iter().zip(targets.iter()).map(edge).collect())
}

/// The recorded order, if it is not that of the numbers.
fn permutation(recorded: &Numbers<'_>, events: usize) -> Restored<Option<Vec<EventId>>> {
    if recorded.is_empty() {
        return Ok(None);
    }
    recorded.below(events, TABLES[17])?;
    let recorded = recorded.to_words(TABLES[17])?;
    let once = "it does not name every event once";
    if recorded.len() != events {
        return refused(TABLES[17], once);
    }
    let mut seen = vec![false; events];
    recorded
        .iter()
        .for_each(|&event| seen[event as usize] = true);
    if seen.contains(&false) {
        return refused(TABLES[17], once);
    }
    Ok(Some(
        recorded.iter().map(|&event| EventId::new(event)).collect(),
    ))
}

/// A recorded order of its own must come after all that precedes an event; then there is no cycle.
fn respects(order: &Order) -> Restored<()> {
    let ranks = order.ranks();
    let is_late = |event: EventId, earlier: EventId| ranks.of(earlier) < ranks.of(event);
    for (row, before) in order.before.filled_rows(&(0..order.len())) {
        let event = EventId::new(row as u32);
        if !before.iter().all(|&earlier| is_late(event, earlier)) {
            return refused(ORDER[3], "an event comes before one it depends on");
        }
    }
    for process in order.processes() {
        let chain = order.chain(process);
        if !chain.windows(2).all(|pair| is_late(pair[1], pair[0])) {
            return refused(TABLES[17], "it is not the order of a process");
        }
    }
    Ok(())
}
