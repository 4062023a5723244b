//! What each event changes of what a claim can see, found in one pass over the recorded run.
//!
//! Most events of a long run change nothing a claim mentions. They must still be allowed to happen when they do, but no
//! predicate is evaluated after them.

use causet_base::value::Value;
use causet_trace::{EventId, ProcessId, Trace, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::claim::{Reading, Source, Thing};
use super::predicate::{Contents, Slot, Test};
use super::rows::Rows;

/// What an event does to a slot.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    Becomes(Slot, i64),
    Grows(Slot, i64),
}

impl Change {
    /// The slot it changes.
    pub(super) fn slot(self) -> Slot {
        match self {
            Change::Becomes(slot, _) | Change::Grows(slot, _) => slot,
        }
    }

    /// Carries it out.
    pub(super) fn apply(self, slots: &mut [i64]) {
        match self {
            Change::Becomes(slot, value) => slots[slot.index()] = value,
            Change::Grows(slot, by) => slots[slot.index()] += by,
        }
    }
}

/// A run as a claim sees it.
pub(super) struct Stage<'t> {
    trace: &'t Trace,
    values: Vec<Value>,
    initial: Vec<i64>,
    visible: Vec<EventId>,
    /// Per event: its row in `changes`.
    row_of: Vec<u32>,
    changes: Rows<Change>,
}

/// The row of an event that changes nothing.
const NONE: u32 = u32::MAX;

impl<'t> Stage<'t> {
    /// Looks at every event of a run.
    pub(super) fn new(trace: &'t Trace, reading: &Reading) -> Self {
        let traffic = traffic(trace, reading);
        let mut sweep = Sweep::new(trace, reading);
        let mut stage = Stage {
            trace,
            values: Vec::new(),
            initial: sweep.slots.clone(),
            visible: Vec::new(),
            row_of: vec![NONE; trace.len()],
            changes: Rows::new(),
        };
        for event in trace.order().recorded() {
            let messages = traffic
                .as_ref()
                .map_or(&[][..], |rows| rows.row(event.index()));
            sweep.pass(event, messages, &mut stage.changes);
            if !stage.changes.is_open_and_empty() {
                stage.row_of[event.index()] = stage.changes.len() as u32;
                stage.changes.close();
                stage.visible.push(event);
            }
        }
        stage.values = sweep.values.list;
        stage
    }

    /// The run.
    pub(super) fn trace(&self) -> &'t Trace {
        self.trace
    }

    /// What the slots hold before the first event.
    pub(super) fn initial(&self) -> &[i64] {
        &self.initial
    }

    /// The events that change something, as they were recorded.
    pub(super) fn visible(&self) -> &[EventId] {
        &self.visible
    }

    /// What an event changes.
    pub(super) fn changes(&self, event: EventId) -> &[Change] {
        match self.row_of[event.index()] {
            NONE => &[],
            row => self.changes.row(row as usize),
        }
    }

    /// Whether a predicate holds when the slots hold this.
    pub(super) fn satisfies(&self, slots: &[i64], test: &Test) -> bool {
        let values = &self.values;
        Contents { slots, values }.satisfy(test)
    }
}

/// The pass: what everything mentioned holds at the present event.
struct Sweep<'t, 'r> {
    trace: &'t Trace,
    reading: &'r Reading,
    /// Per slot: whether a claim sees it, rather than only a predicate about one process.
    seen: Vec<bool>,
    slots: Vec<i64>,
    values: Values,
    variables: Vec<Option<Slot>>,
    steps: Vec<Option<Slot>>,
    touched: Vec<Slot>,
}

impl<'t, 'r> Sweep<'t, 'r> {
    fn new(trace: &'t Trace, reading: &'r Reading) -> Self {
        let mut sweep = Sweep {
            trace,
            reading,
            seen: vec![false; reading.sources.len()],
            slots: vec![0; reading.sources.len()],
            values: Values::default(),
            variables: Vec::new(),
            steps: vec![None; trace.order().process_count()],
            touched: Vec::new(),
        };
        for slot in &reading.claim.sees {
            sweep.seen[slot.index()] = true;
        }
        for (index, source) in reading.sources.iter().enumerate() {
            sweep.begin(Slot::new(index), source);
        }
        sweep
    }

    /// Gives a slot what it holds at first; a predicate comes after everything it mentions.
    fn begin(&mut self, slot: Slot, source: &Source) {
        match source {
            Source::Thing(Thing::Variable(var)) => {
                let known = self.variables.len().max(var.index() + 1);
                self.variables.resize(known, None);
                self.variables[var.index()] = Some(slot);
                let initial = self.trace.initial_value(*var);
                self.slots[slot.index()] = self.values.number(self.trace, initial);
            }
            Source::Thing(Thing::Steps(process)) => self.steps[process.index()] = Some(slot),
            Source::Thing(Thing::Channel(..)) => {}
            Source::Local(test) => self.slots[slot.index()] = self.truth(test),
        }
    }

    fn truth(&self, test: &Test) -> i64 {
        let contents = Contents {
            slots: &self.slots,
            values: &self.values.list,
        };
        i64::from(contents.satisfy(test))
    }

    /// Lets an event happen and writes down what it changed.
    fn pass(&mut self, event: EventId, messages: &[(Slot, i64)], changes: &mut Rows<Change>) {
        let process = self.trace.order().process_of(event);
        if let Some(slot) = self.steps[process.index()] {
            self.change(Change::Grows(slot, 1), changes);
        }
        for write in self.trace.writes(event) {
            if let Some(slot) = self.slot_of(write.var) {
                let value = self.values.number(self.trace, write.value);
                if self.slots[slot.index()] != value {
                    self.change(Change::Becomes(slot, value), changes);
                }
            }
        }
        for &(slot, by) in messages {
            self.change(Change::Grows(slot, by), changes);
        }
        self.judge(changes);
    }

    fn slot_of(&self, var: VarId) -> Option<Slot> {
        self.variables.get(var.index()).copied().flatten()
    }

    fn change(&mut self, change: Change, changes: &mut Rows<Change>) {
        change.apply(&mut self.slots);
        self.touched.push(change.slot());
        if self.seen[change.slot().index()] {
            changes.push(change);
        }
    }

    /// Evaluates the predicates about one process that mention something just changed.
    fn judge(&mut self, changes: &mut Rows<Change>) {
        let reading = self.reading;
        while let Some(touched) = self.touched.pop() {
            for &slot in &reading.watchers[touched.index()] {
                let Source::Local(test) = &reading.sources[slot.index()] else {
                    continue;
                };
                let truth = self.truth(test);
                if self.slots[slot.index()] != truth {
                    self.slots[slot.index()] = truth;
                    changes.push(Change::Becomes(slot, truth));
                }
            }
        }
    }
}

/// The values of the run, each listed once.
#[derive(Default)]
struct Values {
    list: Vec<Value>,
    number: FxHashMap<causet_trace::StoredValue, i64>,
}

impl Values {
    fn number(&mut self, trace: &Trace, value: causet_trace::StoredValue) -> i64 {
        let fresh = self.list.len() as i64;
        let number = *self.number.entry(value).or_insert(fresh);
        if number == fresh {
            self.list.push(trace.value(value));
        }
        number
    }
}

/// Per event: how it changes the number of messages under way on the channels mentioned; nothing when none is.
///
/// A message is for those it was addressed to and for those who receive it; only the first receipt counts.
fn traffic(trace: &Trace, reading: &Reading) -> Option<Rows<(Slot, i64)>> {
    let channels = channels(reading);
    if channels.is_empty() {
        return None;
    }
    let senders: FxHashSet<ProcessId> = channels.keys().map(|&(from, _)| from).collect();
    let receivers: FxHashSet<ProcessId> = channels.keys().map(|&(_, to)| to).collect();
    let mut changes = Vec::new();
    for from in senders {
        count_addressed(trace, from, &channels, &mut changes);
    }
    for to in receivers {
        count_received(trace, to, &channels, &mut changes);
    }
    Some(Rows::group(trace.len(), changes))
}

type Channels = FxHashMap<(ProcessId, ProcessId), Slot>;

fn channels(reading: &Reading) -> Channels {
    let slots = reading.sources.iter().enumerate();
    let channels = slots.filter_map(|(index, source)| match source {
        Source::Thing(Thing::Channel(from, to)) => Some(((*from, *to), Slot::new(index))),
        _ => None,
    });
    channels.collect()
}

fn count_addressed(
    trace: &Trace,
    from: ProcessId,
    channels: &Channels,
    changes: &mut Vec<(usize, (Slot, i64))>,
) {
    for &event in trace.order().chain(from) {
        let messages = trace.sends(event).len() as i64;
        let destinations = trace.destinations(event);
        for (at, &to) in destinations.iter().enumerate() {
            if let Some(&slot) = channels.get(&(from, to))
                && messages > 0
                && !destinations[..at].contains(&to)
            {
                changes.push((event.index(), (slot, messages)));
            }
        }
    }
}

fn count_received(
    trace: &Trace,
    to: ProcessId,
    channels: &Channels,
    changes: &mut Vec<(usize, (Slot, i64))>,
) {
    let mut received = FxHashSet::default();
    for &event in trace.order().chain(to) {
        for &message in trace.receives(event) {
            let Some(sender) = trace.sender(message) else {
                continue;
            };
            let from = trace.order().process_of(sender);
            let Some(&slot) = channels.get(&(from, to)) else {
                continue;
            };
            if received.insert(message) {
                changes.push((event.index(), (slot, -1)));
                if !trace.destinations(sender).contains(&to) {
                    changes.push((sender.index(), (slot, 1)));
                }
            }
        }
    }
}
