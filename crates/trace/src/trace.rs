//! The run in columns: what each event did, beside the [`Order`] that says when it could have done it.
//!
//! Every column has one row per event; rows are plain numbers into tables of names. Lists (writes, sends, receives) lie
//! end to end, so an event that does nothing special costs about fifteen bytes and ten million of them fit in memory.

use rustc_hash::FxHashMap;

use crate::holes::Holes;
use crate::lines::Lines;
use crate::names::{NameTable, Names};
use crate::narrow::Narrow;
use crate::order::Order;
use crate::packed::PackedValues;
use crate::ragged::Ragged;
use crate::time::Time;
use crate::value::StoredValue;
use causet_base::ids::{EventId, MessageId, Place, ProcessId, TextId, VarId};
use causet_base::value::Value;

/// A recorded run: events, their order, what they wrote, sent and received.
#[derive(Clone, Debug)]
pub struct Trace {
    pub(crate) order: Order,
    pub(crate) columns: Columns,
    pub(crate) tables: Tables,
    /// Edges that neither messages nor shared variables explain: `after` and clocks.
    pub(crate) explicit: Vec<(EventId, EventId)>,
    pub(crate) observed: bool,
    pub(crate) meta: Option<String>,
    pub(crate) holes: Holes,
}

/// What each event did, a row per event.
#[derive(Clone, Default, Debug)]
pub(crate) struct Columns {
    pub(crate) line: Lines,
    pub(crate) labelled: Ragged<()>,
    /// Parallel to the entries of `labelled`: texts.
    pub(crate) labels: Narrow,
    pub(crate) name: Ragged<u32>,
    pub(crate) time: Ragged<Time>,
    pub(crate) written: Ragged<()>,
    /// Parallel to the entries of `written`: variables.
    pub(crate) vars: Narrow,
    /// Parallel to the entries of `written`.
    pub(crate) values: PackedValues,
    pub(crate) reads: Ragged<VarId>,
    pub(crate) sends: Ragged<MessageId>,
    pub(crate) to: Ragged<ProcessId>,
    pub(crate) recvs: Ragged<MessageId>,
}

/// The names the columns refer to.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tables {
    pub(crate) processes: NameTable,
    pub(crate) texts: NameTable,
    pub(crate) variables: Vec<Variable>,
    pub(crate) variable_of: FxHashMap<(Option<ProcessId>, TextId), VarId>,
    pub(crate) messages: Names,
    /// The event that sent each message, when it is known.
    pub(crate) senders: Vec<Option<EventId>>,
    pub(crate) event_names: Names,
    /// The first event of each part of the input.
    pub(crate) part_starts: Vec<u32>,
}

/// A variable and what it holds before anything is written.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Variable {
    pub(crate) process: Option<ProcessId>,
    pub(crate) name: TextId,
    pub(crate) init: Option<StoredValue>,
    pub(crate) written: bool,
}

/// One assignment of an event.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Write {
    /// The variable.
    pub var: VarId,
    /// What it holds from this event on.
    pub value: StoredValue,
}

impl Trace {
    /// The same run with one more edge, as if an `after` said so; `None` if the second event comes before the first.
    pub fn with_edge(&self, first: EventId, second: EventId) -> Option<Trace> {
        let order = self.order.with_edge(first, second)?;
        let mut explicit = self.explicit.clone();
        explicit.push((first, second));
        Some(Trace {
            order,
            columns: self.columns.clone(),
            tables: self.tables.clone(),
            explicit,
            observed: self.observed,
            meta: self.meta.clone(),
            holes: self.holes.clone(),
        })
    }

    /// The happened-before order of the events.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// What is known to be missing from it.
    pub fn holes(&self) -> &Holes {
        &self.holes
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there is no event.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// All events, as they were read.
    pub fn events(&self) -> impl ExactSizeIterator<Item = EventId> + use<> {
        (0..self.len()).map(EventId::from_len)
    }

    /// The name of a process.
    pub fn process_name(&self, process: ProcessId) -> &str {
        self.tables.processes.get(process.index())
    }

    /// The process with a name.
    pub fn process(&self, name: &str) -> Option<ProcessId> {
        self.tables.processes.find(name).map(ProcessId::from_len)
    }

    /// A text by its number.
    pub fn text(&self, text: TextId) -> &str {
        self.tables.texts.get(text.index())
    }

    /// A value of this run.
    pub fn value(&self, stored: StoredValue) -> Value {
        stored.resolved(|text| Value::text(self.text(text)))
    }

    /// Where an event was read.
    pub fn place(&self, event: EventId) -> Place {
        let part = self
            .tables
            .part_starts
            .partition_point(|&start| start <= event.raw());
        Place {
            part: part.saturating_sub(1) as u32,
            line: self.columns.line.of(event),
        }
    }

    /// The name of what an event did, its action label.
    pub fn label(&self, event: EventId) -> Option<&str> {
        let at = self.columns.labelled.range(event.index()).next()?;
        Some(self.text(TextId::new(self.columns.labels.get(at))))
    }

    /// The unique name an event was given.
    pub fn event_name(&self, event: EventId) -> Option<&str> {
        let name = self.columns.name.row(event.index()).first()?;
        Some(self.tables.event_names.get(*name as usize))
    }

    /// The wall-clock time of an event, for display only.
    pub fn time(&self, event: EventId) -> Option<Time> {
        self.columns.time.row(event.index()).first().copied()
    }

    /// What an event wrote.
    pub fn writes(&self, event: EventId) -> impl ExactSizeIterator<Item = Write> + '_ {
        self.columns.written.range(event.index()).map(|at| Write {
            var: VarId::new(self.columns.vars.get(at)),
            value: self.columns.values.get(at),
        })
    }

    /// The shared variables an event read.
    pub fn reads(&self, event: EventId) -> &[VarId] {
        self.columns.reads.row(event.index())
    }

    /// The messages an event sent.
    pub fn sends(&self, event: EventId) -> &[MessageId] {
        self.columns.sends.row(event.index())
    }

    /// To whom an event's messages were addressed, where the log says so.
    pub fn destinations(&self, event: EventId) -> &[ProcessId] {
        self.columns.to.row(event.index())
    }

    /// The messages an event received.
    pub fn receives(&self, event: EventId) -> &[MessageId] {
        self.columns.recvs.row(event.index())
    }

    /// How many messages were sent.
    pub fn message_count(&self) -> usize {
        self.tables.senders.iter().flatten().count()
    }

    /// The name of a message.
    pub fn message_name(&self, message: MessageId) -> &str {
        self.tables.messages.get(message.index())
    }

    /// The event that sent a message; unknown only for a receive without send that was let pass.
    pub fn sender(&self, message: MessageId) -> Option<EventId> {
        self.tables.senders[message.index()]
    }

    /// Edges that stand for themselves: given by `after`, or by a clock.
    pub fn explicit_edges(&self) -> &[(EventId, EventId)] {
        &self.explicit
    }

    /// Whether the order of the lines was one real execution that orders accesses to shared variables.
    pub fn is_observed(&self) -> bool {
        self.observed
    }

    /// What the header carried for its writer's own use, as text.
    pub fn meta(&self) -> Option<&str> {
        self.meta.as_deref()
    }

    /// The variables: those written by some event or given an initial value.
    pub fn variables(&self) -> impl Iterator<Item = VarId> + '_ {
        (0..self.tables.variables.len())
            .map(VarId::from_len)
            .filter(|&var| self.exists(var))
    }

    fn exists(&self, var: VarId) -> bool {
        let variable = &self.tables.variables[var.index()];
        variable.written || variable.init.is_some()
    }

    /// All names the header lists as shared, whether something writes them or not.
    pub fn shared_names(&self) -> impl Iterator<Item = &str> {
        self.tables
            .variables
            .iter()
            .filter(|variable| variable.process.is_none())
            .map(|variable| self.text(variable.name))
    }

    /// The shared variable with a name.
    pub fn shared_variable(&self, name: &str) -> Option<VarId> {
        self.variable(None, name)
    }

    /// The variable of a process with a name.
    pub fn local_variable(&self, process: ProcessId, name: &str) -> Option<VarId> {
        self.variable(Some(process), name)
    }

    fn variable(&self, process: Option<ProcessId>, name: &str) -> Option<VarId> {
        let text = TextId::from_len(self.tables.texts.find(name)?);
        let var = *self.tables.variable_of.get(&(process, text))?;
        self.exists(var).then_some(var)
    }

    /// The process a variable belongs to; `None` when it is shared.
    pub fn owner(&self, var: VarId) -> Option<ProcessId> {
        self.tables.variables[var.index()].process
    }

    /// The name of a variable within its process.
    pub fn short_name(&self, var: VarId) -> &str {
        self.text(self.tables.variables[var.index()].name)
    }

    /// The name of a variable as formulas use it: `process.name`, or the bare name when it is shared.
    pub fn variable_name(&self, var: VarId) -> String {
        match self.owner(var) {
            Some(process) => format!("{}.{}", self.process_name(process), self.short_name(var)),
            None => self.short_name(var).to_owned(),
        }
    }

    /// The initial value the header gives, if it gives one.
    pub fn given_init(&self, var: VarId) -> Option<StoredValue> {
        self.tables.variables[var.index()].init
    }

    /// What a variable holds in the initial cut.
    pub fn initial_value(&self, var: VarId) -> StoredValue {
        self.given_init(var).unwrap_or(StoredValue::ZERO)
    }
}
