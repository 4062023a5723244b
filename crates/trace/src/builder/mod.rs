//! The only way to make a [`Trace`]: events are added line by line, everything is checked, nothing is dropped.
//!
//! What can be known at once is refused at once (an unknown process, an event after the end, a clock that goes
//! backwards). What depends on lines still to come waits for [`TraceBuilder::finish`], in this order:
//!
//! 1. messages: every receive finds its send ([`edges`]);
//! 2. `after` and clocks become edges ([`edges`]);
//! 3. the edges must be acyclic ([`crate::order`]);
//! 4. clocks must agree with what follows from the edges ([`claims`]);
//! 5. initial values find their variables.

mod claims;
mod edges;

use rustc_hash::FxHashMap;

use crate::error::{BuildError, Fault, Warning};
use crate::holes::Holes;
use crate::names::NameIndex;
use crate::order::Order;
use crate::time::Time;
use crate::trace::{Columns, Tables, Trace, Variable, Write};
use crate::value::StoredValue;
use causet_base::ids::{EventId, MessageId, Place, ProcessId, TextId, VarId};
use causet_base::nearest;
use claims::Claims;
use edges::Edges;

/// How strict to be.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct BuildOptions {
    /// Let receives without send and holes in clocks pass, with a warning: the order that is known is kept.
    pub lenient: bool,
    /// Note whatever is wrong and go on without it: for whoever wants to know everything that is wrong with a log, and
    /// nothing else.
    pub forgiving: bool,
}

/// One event as a reader found it; everything in it was named through the builder before.
#[derive(Clone, Copy, Debug)]
pub struct NewEvent<'a> {
    /// The process that executed it.
    pub process: ProcessId,
    /// The line it stands on.
    pub line: u32,
    /// Its action label.
    pub label: Option<TextId>,
    /// Its unique name.
    pub name: Option<&'a str>,
    /// Its wall-clock time.
    pub time: Option<Time>,
    /// What it wrote.
    pub writes: &'a [Write],
    /// The shared variables it read.
    pub reads: &'a [VarId],
    /// The messages it sent.
    pub sends: &'a [MessageId],
    /// To whom.
    pub to: &'a [ProcessId],
    /// The messages it received.
    pub recvs: &'a [MessageId],
    /// Its vector clock.
    pub clock: Option<&'a [(ProcessId, u32)]>,
    /// The events it must come after.
    pub after: &'a [EventRef<'a>],
}

impl NewEvent<'_> {
    /// An event that does nothing.
    pub fn of(process: ProcessId, line: u32) -> Self {
        NewEvent {
            process,
            line,
            label: None,
            name: None,
            time: None,
            writes: &[],
            reads: &[],
            sends: &[],
            to: &[],
            recvs: &[],
            clock: None,
            after: &[],
        }
    }
}

/// Another event as `after` names it; it may stand on a later line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventRef<'a> {
    /// The event of a process at a position counted from 1.
    Position(ProcessId, u32),
    /// The event with a name.
    Name(&'a str),
}

/// Collects a run and checks it.
#[derive(Debug, Default)]
pub struct TraceBuilder {
    options: BuildOptions,
    columns: Columns,
    tables: Tables,
    indexes: Indexes,
    lanes: Vec<Lane>,
    closed: bool,
    observed: bool,
    meta: Option<String>,
    inits: Vec<(String, StoredValue, Place)>,
    edges: Edges,
    claims: Claims,
    /// How many events have a clock.
    clocks: usize,
    /// Who is said to have sent messages, in case nobody is seen to.
    senders: FxHashMap<MessageId, ProcessId>,
    /// Messages that were received but never sent, where that was let pass.
    unsent: Vec<MessageId>,
    warnings: Vec<Warning>,
}

/// From names to numbers, as long as names are read.
#[derive(Debug, Default)]
struct Indexes {
    messages: NameIndex,
    event_names: NameIndex,
}

/// What the builder knows of a process.
#[derive(Debug, Default)]
struct Lane {
    events: Vec<EventId>,
    ended: Option<Place>,
    /// Declared in the header, the process of some event, or addressed by a message.
    real: bool,
}

impl TraceBuilder {
    /// An empty run.
    pub fn new(options: BuildOptions) -> Self {
        TraceBuilder {
            options,
            ..TraceBuilder::default()
        }
    }

    /// Says who sent a message: should that event be missing, it is known whose it is.
    pub fn expect_sender(&mut self, message: MessageId, sender: ProcessId) {
        self.senders.insert(message, sender);
    }

    /// How many events have been added.
    pub fn len(&self) -> usize {
        self.columns.line.len()
    }

    /// Whether no event has been added.
    pub fn is_empty(&self) -> bool {
        self.columns.line.is_empty()
    }

    /// Begins the next part (file) of the run; the first one begins by itself.
    pub fn start_part(&mut self) {
        self.tables.part_starts.push(self.columns.line.len() as u32);
    }

    /// How many parts have begun.
    pub(crate) fn parts(&self) -> u32 {
        self.tables.part_starts.len() as u32
    }

    /// Where a line of the current part is.
    pub fn place(&self, line: u32) -> Place {
        Place {
            part: self.tables.part_starts.len().saturating_sub(1) as u32,
            line,
        }
    }

    /// Lists the processes; from now on any other is refused.
    pub fn declare_processes<'a>(
        &mut self,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), Fault> {
        for name in names {
            if self.tables.processes.find(name).is_some() {
                return Err(Fault::ProcessTwice(name.to_owned()));
            }
            let process = self.lane(name);
            self.lanes[process.index()].real = true;
        }
        self.closed = true;
        Ok(())
    }

    /// Says that a variable name is shared by all processes.
    pub fn declare_shared(&mut self, name: &str) -> VarId {
        let text = self.text(name);
        self.variable_slot(None, text)
    }

    /// Says that the order of the lines is one real execution: it orders conflicting accesses to shared variables.
    pub fn declare_observed(&mut self) {
        self.observed = true;
    }

    /// Keeps what the header carries for its writer's own use.
    pub fn set_meta(&mut self, meta: &str) {
        self.meta = Some(meta.to_owned());
    }

    /// Gives a variable, named as in formulas, its initial value.
    pub fn init(&mut self, name: &str, value: StoredValue, line: u32) {
        let place = self.place(line);
        self.inits.push((name.to_owned(), value, place));
    }

    /// The process with a name; an unknown one is added unless the processes were listed.
    pub fn process(&mut self, name: &str) -> Result<ProcessId, Fault> {
        if let Some(number) = self.tables.processes.find(name) {
            let process = ProcessId::from_len(number);
            self.lanes[number].real = true;
            return Ok(process);
        }
        if self.closed {
            let near = nearest(name, self.tables.processes.iter());
            return Err(Fault::UnknownProcess {
                name: name.to_owned(),
                nearest: near.map(str::to_owned),
            });
        }
        let process = self.lane(name);
        self.lanes[process.index()].real = true;
        Ok(process)
    }

    /// The process a clock entry names; whether it exists is known at the end.
    pub fn clock_process(&mut self, name: &str) -> Result<ProcessId, Fault> {
        match self.tables.processes.find(name) {
            Some(number) => Ok(ProcessId::from_len(number)),
            None if self.closed => {
                let near = nearest(name, self.tables.processes.iter());
                Err(Fault::ClockUnknownProcess {
                    name: name.to_owned(),
                    nearest: near.map(str::to_owned),
                })
            }
            None => Ok(self.lane(name)),
        }
    }

    fn lane(&mut self, name: &str) -> ProcessId {
        let number = self.tables.processes.intern(name);
        self.lanes.resize_with(number + 1, Lane::default);
        ProcessId::from_len(number)
    }

    /// The number of a text.
    pub fn text(&mut self, text: &str) -> TextId {
        TextId::from_len(self.tables.texts.intern(text))
    }

    /// The variable an event of `process` means by `name`: the shared one if there is one, else its own.
    pub fn variable(&mut self, process: ProcessId, name: &str) -> VarId {
        let text = self.text(name);
        match self.tables.variable_of.get(&(None, text)) {
            Some(&shared) => shared,
            None => self.variable_slot(Some(process), text),
        }
    }

    /// The shared variable with a name, for `read`.
    pub fn shared_variable(&mut self, name: &str) -> Result<VarId, Fault> {
        let text = self.text(name);
        let known = self.tables.variable_of.get(&(None, text)).copied();
        known.ok_or_else(|| {
            let shared = self.tables.variables.iter().filter(|v| v.process.is_none());
            let names = shared.map(|v| self.tables.texts.get(v.name.index()));
            Fault::ReadNotShared {
                name: name.to_owned(),
                nearest: nearest(name, names).map(str::to_owned),
            }
        })
    }

    fn variable_slot(&mut self, process: Option<ProcessId>, name: TextId) -> VarId {
        let Tables {
            variables,
            variable_of,
            ..
        } = &mut self.tables;
        *variable_of.entry((process, name)).or_insert_with(|| {
            variables.push(Variable {
                process,
                name,
                init: None,
                written: false,
            });
            VarId::from_len(variables.len() - 1)
        })
    }

    /// The message with an id.
    pub fn message(&mut self, id: &str) -> MessageId {
        let names = &mut self.tables.messages;
        let number = self.indexes.messages.intern(names, id);
        if number == self.tables.senders.len() {
            self.tables.senders.push(None);
        }
        MessageId::from_len(number)
    }

    /// Adds the next event of a process.
    pub fn add(&mut self, event: &NewEvent<'_>) -> Result<EventId, BuildError> {
        let place = self.place(event.line);
        let lane = &self.lanes[event.process.index()];
        if let Some(ended) = lane.ended {
            self.object(self.after_end(event.process, ended, place))?;
        }
        if self.len() >= u32::MAX as usize - 1 || !self.columns.values.has_room(event.writes.len())
        {
            return Err(fault(place, "", "", Fault::TooMany));
        }
        let id = EventId::from_len(self.len());
        if self.tables.part_starts.is_empty() {
            self.start_part();
        }
        self.columns.line.push(event.line);
        self.lanes[event.process.index()].events.push(id);
        self.add_state(id, event);
        self.add_messages(id, event)?;
        self.add_name(id, event)?;
        self.add_edges(id, event)?;
        Ok(id)
    }

    fn add_state(&mut self, id: EventId, event: &NewEvent<'_>) {
        let row = id.index();
        for write in event.writes {
            self.columns.written.push(row, ());
            self.columns.vars.push(write.var.raw());
            self.columns.values.push(write.value);
            self.tables.variables[write.var.index()].written = true;
        }
        for &var in event.reads {
            self.columns.reads.push(row, var);
        }
        if let Some(label) = event.label {
            self.columns.labelled.push(row, ());
            self.columns.labels.push(label.raw());
        }
        if let Some(time) = event.time {
            self.columns.time.push(row, time);
        }
    }

    fn add_messages(&mut self, id: EventId, event: &NewEvent<'_>) -> Result<(), BuildError> {
        for &message in event.sends {
            if let Some(first) = self.tables.senders[message.index()].replace(id) {
                let name = self.tables.messages.get(message.index()).to_owned();
                let first = self.place_of(first);
                let place = self.place(event.line);
                let kind = Fault::SentTwice {
                    message: name.clone(),
                    first,
                };
                self.object(fault(place, "send", &name, kind))?;
                continue;
            }
            self.columns.sends.push(id.index(), message);
        }
        for &process in event.to {
            self.columns.to.push(id.index(), process);
        }
        for &message in event.recvs {
            self.columns.recvs.push(id.index(), message);
        }
        Ok(())
    }

    fn add_name(&mut self, id: EventId, event: &NewEvent<'_>) -> Result<(), BuildError> {
        let Some(name) = event.name else {
            return Ok(());
        };
        let names = &mut self.tables.event_names;
        let number = self.indexes.event_names.intern(names, name);
        if let Some(first) = self.edges.name_event(number, id) {
            let kind = Fault::NameTwice {
                name: name.to_owned(),
                first: self.place_of(first),
            };
            return self.object(fault(self.place(event.line), "id", name, kind));
        }
        self.columns.name.push(id.index(), number as u32);
        Ok(())
    }

    fn add_edges(&mut self, id: EventId, event: &NewEvent<'_>) -> Result<(), BuildError> {
        for target in event.after {
            match *target {
                EventRef::Position(process, position) => {
                    self.edges.after_position(id, process, position);
                }
                EventRef::Name(name) => {
                    let names = &mut self.tables.event_names;
                    let number = self.indexes.event_names.intern(names, name);
                    self.edges.after_name(id, number);
                }
            }
        }
        if self.observed {
            self.edges.observe(id, event, &self.tables);
        }
        if let Some(clock) = event.clock {
            self.clocks += 1;
            let added = self.add_clock(id, event, clock);
            added.or_else(|error| self.object(error))?;
        }
        Ok(())
    }

    /// Refuses what is wrong, or notes it.
    fn object(&mut self, error: BuildError) -> Result<(), BuildError> {
        if !self.options.forgiving {
            return Err(error);
        }
        let BuildError { place, kind, .. } = error;
        self.warnings.push(Warning { place, kind });
        Ok(())
    }

    /// Marks the end of a process.
    pub fn end(&mut self, process: ProcessId, line: u32) -> Result<(), BuildError> {
        let place = self.place(line);
        match self.lanes[process.index()].ended.replace(place) {
            Some(ended) => self.object(self.after_end(process, ended, place)),
            None => Ok(()),
        }
    }

    fn after_end(&self, process: ProcessId, ended: Place, place: Place) -> BuildError {
        let process = self.name_of(process);
        let kind = Fault::AfterEnd {
            process: process.clone(),
            ended,
        };
        fault(place, "p", &process, kind)
    }

    fn name_of(&self, process: ProcessId) -> String {
        self.tables.processes.get(process.index()).to_owned()
    }

    fn place_of(&self, event: EventId) -> Place {
        let starts = &self.tables.part_starts;
        Place {
            part: starts
                .partition_point(|&start| start <= event.raw())
                .saturating_sub(1) as u32,
            line: self.columns.line.of(event),
        }
    }

    /// Completes the run: resolves what waited for later lines and checks the whole.
    pub fn finish(mut self) -> Result<(Trace, Vec<Warning>), BuildError> {
        self.indexes = Indexes::default();
        self.columns.shrink();
        self.tables.shrink();
        self.check_clock_processes()?;
        let explicit = self.explicit_edges()?;
        let mut edges = self.message_edges()?;
        edges.extend_from_slice(&explicit);
        edges.append(&mut self.edges.take_observed());
        let order = self.order(edges)?;
        let checked = self.check_claims(&order);
        checked.or_else(|error| self.object(error))?;
        self.resolve_inits()?;
        let holes = self.holes(&order);
        let trace = Trace {
            holes,
            order,
            columns: self.columns,
            tables: self.tables,
            explicit,
            observed: self.observed,
            meta: self.meta,
        };
        Ok((trace, self.warnings))
    }

    /// What is missing, by what was let pass.
    fn holes(&self, order: &Order) -> Holes {
        let mut holes = Holes::default();
        let has_all_clocks = self.clocks == self.len();
        // Whatever is missing, clocks count it.
        for message in self.unsent.iter().filter(|_| !has_all_clocks) {
            holes.open_order();
            match self.senders.get(message) {
                Some(&sender) => holes.add_missing(sender),
                None => holes.add_anybody(),
            }
        }
        for warning in &self.warnings {
            match &warning.kind {
                Fault::ReceiveWithoutSend(_) => {}
                Fault::ClockSkips { process: name, .. }
                | Fault::ClockBeyondLog { entry: name, .. }
                | Fault::ClockUnknownProcess { name, .. } => {
                    let process = self.tables.processes.find(name).map(ProcessId::from_len);
                    process
                        .into_iter()
                        .for_each(|process| holes.add_missing(process));
                }
                _ => holes.open_order(),
            }
        }
        if holes.has_missing_events() && !has_all_clocks {
            holes.open_order();
        }
        if holes.has_missing_events() && !self.closed {
            holes.open_list();
        }
        // A sender that is not known may be a process that is not known.
        if holes.is_anybody() && !self.closed {
            holes.add_outsider();
        }
        for process in order.processes().filter(|&p| self.is_unheard(p, order)) {
            holes.add_missing(process);
            // Nobody received anything from it, but its accesses may have ordered those of others.
            if self.observed && !has_all_clocks {
                holes.open_order();
            }
        }
        holes
    }

    /// Whether the header lists a process of which a lenient reader finds neither an event nor the end.
    fn is_unheard(&self, process: ProcessId, order: &Order) -> bool {
        let is_listed = self.options.lenient && self.closed;
        is_listed && order.chain(process).is_empty() && self.lanes[process.index()].ended.is_none()
    }

    fn resolve_inits(&mut self) -> Result<(), BuildError> {
        for (name, value, place) in std::mem::take(&mut self.inits) {
            let Some(var) = self.find_init(&name) else {
                let kind = Fault::UnknownInit { name: name.clone() };
                self.object(fault(place, "init", &name, kind))?;
                continue;
            };
            self.tables.variables[var.index()].init = Some(value);
        }
        Ok(())
    }

    /// A shared variable, or `process.variable` with the longest process name that fits.
    fn find_init(&mut self, name: &str) -> Option<VarId> {
        let shared = self.tables.texts.find(name).and_then(|text| {
            let key = (None, TextId::from_len(text));
            self.tables.variable_of.get(&key).copied()
        });
        if shared.is_some() {
            return shared;
        }
        let (process, local) = name.rmatch_indices('.').find_map(|(dot, _)| {
            let process = self.tables.processes.find(&name[..dot])?;
            Some((ProcessId::from_len(process), &name[dot + 1..]))
        })?;
        let text = self.text(local);
        Some(self.variable_slot(Some(process), text))
    }
}

impl Columns {
    pub(crate) fn shrink(&mut self) {
        self.line.shrink();
        self.labelled.shrink();
        self.labels.shrink();
        self.name.shrink();
        self.time.shrink();
        self.written.shrink();
        self.vars.shrink();
        self.values.shrink();
        self.reads.shrink();
        self.sends.shrink();
        self.to.shrink();
        self.recvs.shrink();
    }
}

impl Tables {
    fn shrink(&mut self) {
        self.messages.shrink();
        self.senders.shrink_to_fit();
        self.event_names.shrink();
    }
}

fn fault(place: Place, field: &'static str, text: &str, kind: Fault) -> BuildError {
    BuildError {
        place,
        field,
        text: text.to_owned(),
        kind,
    }
}
