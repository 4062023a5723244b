//! From messages, `after` and observed accesses to edges between events.

use rustc_hash::FxHashMap;

use super::{NewEvent, TraceBuilder, fault};
use crate::error::{BuildError, Fault, NamedEvent, Warning};
use crate::order::Order;
use crate::trace::Tables;
use causet_base::ids::{EventId, ProcessId, VarId};

/// Edges known so far, and those that wait for events on later lines.
#[derive(Debug, Default)]
pub(super) struct Edges {
    after: Vec<(EventId, Target)>,
    named: Vec<Option<EventId>>,
    observed: Vec<(EventId, EventId)>,
    accesses: FxHashMap<VarId, Accesses>,
}

#[derive(Clone, Copy, Debug)]
enum Target {
    Position(ProcessId, u32),
    Name(u32),
}

/// The last write of a shared variable and, per process, the last read since.
#[derive(Debug, Default)]
struct Accesses {
    write: Option<EventId>,
    reads: Vec<(ProcessId, EventId)>,
}

impl Edges {
    /// Notes which event has a name; the one that had it before, if any, is returned.
    pub(super) fn name_event(&mut self, number: usize, event: EventId) -> Option<EventId> {
        if self.named.len() <= number {
            self.named.resize(number + 1, None);
        }
        self.named[number].replace(event)
    }

    pub(super) fn after_position(&mut self, event: EventId, process: ProcessId, position: u32) {
        self.after
            .push((event, Target::Position(process, position)));
    }

    pub(super) fn after_name(&mut self, event: EventId, name: usize) {
        self.after.push((event, Target::Name(name as u32)));
    }

    pub(super) fn take_observed(&mut self) -> Vec<(EventId, EventId)> {
        std::mem::take(&mut self.observed)
    }

    /// Orders the accesses of an event after the earlier ones they conflict with; earlier conflicts are implied.
    pub(super) fn observe(&mut self, id: EventId, event: &NewEvent<'_>, tables: &Tables) {
        let is_shared = |var: VarId| tables.variables[var.index()].process.is_none();
        let written = |var: VarId| event.writes.iter().any(|write| write.var == var);
        for &var in event.reads.iter().filter(|&&var| !written(var)) {
            let accesses = self.accesses.entry(var).or_default();
            self.observed
                .extend(accesses.write.map(|write| (write, id)));
            accesses
                .reads
                .retain(|&(process, _)| process != event.process);
            accesses.reads.push((event.process, id));
        }
        for write in event.writes.iter().filter(|write| is_shared(write.var)) {
            let accesses = self.accesses.entry(write.var).or_default();
            let earlier = accesses.reads.drain(..).map(|(_, read)| read);
            self.observed
                .extend(earlier.chain(accesses.write).map(|before| (before, id)));
            accesses.write = Some(id);
        }
    }
}

impl TraceBuilder {
    /// An edge from each send to each of its receives.
    pub(super) fn message_edges(&mut self) -> Result<Vec<(EventId, EventId)>, BuildError> {
        let mut edges = Vec::with_capacity(self.columns.recvs.items().len());
        for number in 0..self.len() {
            let event = EventId::from_len(number);
            for &message in self.columns.recvs.row(number) {
                if let Some(sender) = self.tables.senders[message.index()] {
                    edges.push((sender, event));
                    continue;
                }
                let name = self.tables.messages.get(message.index()).to_owned();
                let place = self.place_of(event);
                let kind = Fault::ReceiveWithoutSend(name.clone());
                if !self.options.lenient {
                    return Err(fault(place, "recv", &name, kind));
                }
                self.warnings.push(Warning { place, kind });
                self.unsent.push(message);
            }
        }
        Ok(edges)
    }

    /// The edges that `after` and clocks ask for.
    pub(super) fn explicit_edges(&mut self) -> Result<Vec<(EventId, EventId)>, BuildError> {
        let mut edges = Vec::new();
        for (event, target) in std::mem::take(&mut self.edges.after) {
            let Some(before) = self.find_target(target) else {
                self.object(self.no_such_event(event, target))?;
                continue;
            };
            edges.push((before, event));
        }
        self.claimed_edges(&mut edges)?;
        Ok(edges)
    }

    fn find_target(&self, target: Target) -> Option<EventId> {
        match target {
            Target::Position(process, position) => {
                let index = (position as usize).checked_sub(1)?;
                self.lanes[process.index()].events.get(index).copied()
            }
            Target::Name(name) => self.edges.named.get(name as usize).copied().flatten(),
        }
    }

    fn no_such_event(&self, event: EventId, target: Target) -> BuildError {
        let (named, text, events) = match target {
            Target::Position(process, position) => {
                let name = self.name_of(process);
                let count = self.lanes[process.index()].events.len() as u32;
                (format!("number {position} of `{name}`"), name, Some(count))
            }
            Target::Name(name) => {
                let name = self.tables.event_names.get(name as usize).to_owned();
                (format!("with the id `{name}`"), name, None)
            }
        };
        let kind = Fault::NoSuchEvent { named, events };
        fault(self.place_of(event), "after", &text, kind)
    }

    /// The order by all edges, or the cycle they form.
    pub(super) fn order(&mut self, edges: Vec<(EventId, EventId)>) -> Result<Order, BuildError> {
        let chains = self.lanes.iter_mut().map(|lane| {
            let mut events = std::mem::take(&mut lane.events);
            events.shrink_to_fit();
            events
        });
        let chains: Vec<Vec<EventId>> = chains.collect();
        // Who goes on without what is wrong goes on without all edges between processes.
        let spare = self.options.forgiving.then(|| chains.clone());
        let ordered = Order::new(chains, edges).map_err(|cycle| self.cycle(cycle));
        match (ordered, spare) {
            (Err(error), Some(chains)) => {
                self.object(error)?;
                Order::new(chains, Vec::new()).map_err(|cycle| self.cycle(cycle))
            }
            (ordered, _) => ordered,
        }
    }

    fn cycle(&self, events: Vec<(ProcessId, u32, EventId)>) -> BuildError {
        let named = events
            .into_iter()
            .map(|(process, position, event)| NamedEvent {
                process: self.name_of(process),
                position,
                place: self.place_of(event),
            });
        let events: Vec<NamedEvent> = named.collect();
        fault(events[0].place, "", "", Fault::Cycle(events))
    }
}
