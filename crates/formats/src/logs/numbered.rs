//! Events in numbers: what readers tell that have kept the texts of a log as [`Symbols`] until its last line.
//!
//! ```text
//! symbol of the log --told first--> process, variable, value or label of the run
//!                   --told again--> the same, without a look at its text
//! ```
//!
//! A run has numbers of its own for names and texts. Each symbol is looked up there when it is told first, as it would be
//! if the event came by names, and never again.

use causet_trace::{BuildError, EventRef, NewEvent, ProcessId, StoredValue, TextId, Time, VarId};
use rustc_hash::FxHashMap;

use super::entry::Datum;
use super::scribe::{Columns, Scribe};
use super::symbols::{Symbol, Symbols};

/// One event; what it consists of are symbols.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Numbered {
    /// The line it stands on, from 1.
    pub(crate) line: u32,
    /// The process that executed it.
    pub(crate) process: Symbol,
    /// Its action label, one of the symbols for labels.
    pub(crate) label: Option<Symbol>,
    /// When it happened, in seconds; for display only.
    pub(crate) time: Option<Time>,
    /// What it wrote, under names local to its process.
    pub(crate) sets: Vec<(Symbol, Symbol)>,
    /// The shared variables it read.
    pub(crate) reads: Vec<Symbol>,
    /// The messages it sent.
    pub(crate) sends: Vec<String>,
    /// The messages it received.
    pub(crate) recvs: Vec<String>,
    /// The events it must come after: their processes, and their positions there, from 1.
    pub(crate) after: Vec<(Symbol, u32)>,
}

impl Numbered {
    /// Becomes an event that does nothing, whatever it was before.
    pub(crate) fn start(&mut self, process: Symbol, line: u32) {
        self.line = line;
        self.process = process;
        self.label = None;
        self.time = None;
        self.sets.clear();
        self.reads.clear();
        self.sends.clear();
        self.recvs.clear();
        self.after.clear();
    }
}

/// The symbols that events consist of.
#[derive(Clone, Copy)]
pub(crate) struct Wording<'t> {
    /// Those of labels, which may be the same as the others.
    pub(crate) labels: &'t Symbols,
    /// All others.
    pub(crate) texts: &'t Symbols,
    /// What a text means as a value.
    pub(crate) datum: fn(&str) -> Datum<'_>,
}

/// Tells events in numbers to whoever writes down a run.
pub(crate) struct Teller<'t, 's, 'a> {
    wording: Wording<'t>,
    scribe: &'s mut Scribe<'a>,
    processes: Told<ProcessId>,
    labels: Told<TextId>,
    values: Told<StoredValue>,
    shared: Told<VarId>,
    variables: FxHashMap<(ProcessId, Symbol), VarId>,
    columns: Columns,
}

/// What symbols are in the run, those that were told before.
struct Told<T>(Vec<Option<T>>);

impl<T: Copy> Told<T> {
    fn none_of(symbols: &Symbols) -> Self {
        Told(vec![None; symbols.len()])
    }

    fn of(&self, symbol: Symbol) -> Option<T> {
        self.0[symbol.index()]
    }

    /// Remembers what a symbol is.
    fn keep(&mut self, symbol: Symbol, found: T) -> T {
        self.0[symbol.index()] = Some(found);
        found
    }
}

impl<'t, 's, 'a> Teller<'t, 's, 'a> {
    pub(crate) fn new(wording: Wording<'t>, scribe: &'s mut Scribe<'a>) -> Self {
        Teller {
            wording,
            scribe,
            processes: Told::none_of(wording.texts),
            labels: Told::none_of(wording.labels),
            values: Told::none_of(wording.texts),
            shared: Told::none_of(wording.texts),
            variables: FxHashMap::default(),
            columns: Columns::default(),
        }
    }

    /// Tells the next event of a process.
    pub(crate) fn tell(&mut self, event: &Numbered) -> Result<(), BuildError> {
        let mut columns = std::mem::take(&mut self.columns);
        columns.clear();
        let told = self.tell_in(&mut columns, event);
        self.columns = columns;
        told
    }

    fn tell_in(&mut self, columns: &mut Columns, event: &Numbered) -> Result<(), BuildError> {
        let line = event.line;
        let process = self.process(event.process, "p", line)?;
        for &(name, value) in &event.sets {
            let var = self.variable(process, name);
            columns.set(var, self.value(value));
        }
        for &name in &event.reads {
            columns.reads.push(self.shared(name, line)?);
        }
        let sends = event.sends.iter();
        columns
            .sends
            .extend(sends.map(|id| self.scribe.message(id)));
        let recvs = event.recvs.iter();
        columns
            .recvs
            .extend(recvs.map(|id| self.scribe.message(id)));
        for &(other, position) in &event.after {
            let other = self.process(other, "after", line)?;
            columns.after.push(EventRef::Position(other, position));
        }
        let label = event.label.map(|label| self.label(label));
        self.scribe.write(&NewEvent {
            label,
            time: event.time,
            writes: &columns.writes,
            reads: &columns.reads,
            sends: &columns.sends,
            recvs: &columns.recvs,
            after: &columns.after,
            ..NewEvent::of(process, line)
        })
    }

    fn process(
        &mut self,
        name: Symbol,
        field: &'static str,
        line: u32,
    ) -> Result<ProcessId, BuildError> {
        if let Some(known) = self.processes.of(name) {
            return Ok(known);
        }
        let text = self.wording.texts.text(name);
        let process = self.scribe.process(text, field, line)?;
        Ok(self.processes.keep(name, process))
    }

    fn shared(&mut self, name: Symbol, line: u32) -> Result<VarId, BuildError> {
        if let Some(known) = self.shared.of(name) {
            return Ok(known);
        }
        let text = self.wording.texts.text(name);
        let var = self.scribe.shared_variable(text, line)?;
        Ok(self.shared.keep(name, var))
    }

    fn variable(&mut self, process: ProcessId, name: Symbol) -> VarId {
        let text = self.wording.texts.text(name);
        let look_up = || self.scribe.variable(process, text);
        *self
            .variables
            .entry((process, name))
            .or_insert_with(look_up)
    }

    fn value(&mut self, value: Symbol) -> StoredValue {
        self.values.of(value).unwrap_or_else(|| {
            let datum = (self.wording.datum)(self.wording.texts.text(value));
            self.values.keep(value, self.scribe.value(&datum))
        })
    }

    fn label(&mut self, label: Symbol) -> TextId {
        self.labels.of(label).unwrap_or_else(|| {
            let text = self.wording.labels.text(label);
            self.labels.keep(label, self.scribe.text(text))
        })
    }
}
