//! Vector clocks in the input: what they claim, turned into edges and held against each other.
//!
//! A clock is kept as the entries that changed since the last clock of its process. Entry `q = c` says that the `c`-th
//! event of `q` comes before, which is an edge; that nothing more of `q` does is checked when all edges are known, by
//! recomputing the clock. In a log with holes the entry counts events that are not in the log: the edge then comes from
//! the last one that is.

use super::{NewEvent, TraceBuilder, fault};
use crate::clocks::sweep_processes;
use crate::error::{BuildError, Fault, Warning};
use crate::order::Order;
use crate::ragged::Ragged;
use causet_base::ids::{EventId, ProcessId};
use causet_base::nearest;

/// The clocks read so far.
#[derive(Debug, Default)]
pub(super) struct Claims {
    /// Per event with a clock: its own entry, then the entries that grew.
    changes: Ragged<(ProcessId, u32)>,
    /// Per process: the entries of its last clock.
    last: Vec<Vec<u32>>,
    /// Per process: the number each event has by its clock, once that is no longer its position.
    numbers: Vec<Vec<u32>>,
    /// The first event whose clock names each process.
    named_by: Vec<Option<EventId>>,
}

impl Claims {
    fn make_room(&mut self, processes: usize) {
        if self.last.len() < processes {
            self.last.resize(processes, Vec::new());
            self.numbers.resize(processes, Vec::new());
            self.named_by.resize(processes, None);
        }
    }
}

impl TraceBuilder {
    /// Takes in the clock of an event that was just added.
    pub(super) fn add_clock(
        &mut self,
        id: EventId,
        event: &NewEvent<'_>,
        clock: &[(ProcessId, u32)],
    ) -> Result<(), BuildError> {
        self.claims.make_room(self.lanes.len());
        self.add_own_entry(id, event, clock)?;
        let processes = self.lanes.len();
        let mut last = std::mem::take(&mut self.claims.last[event.process.index()]);
        last.resize(processes, 0);
        let mut now = vec![0; processes];
        for &(process, count) in clock {
            now[process.index()] = count;
            self.claims.named_by[process.index()].get_or_insert(id);
        }
        for (number, (&now, was)) in now.iter().zip(&mut last).enumerate() {
            let process = ProcessId::from_len(number);
            if now < *was {
                let entry = self.name_of(process);
                let kind = Fault::ClockBackwards {
                    entry: entry.clone(),
                    was: *was,
                    now,
                };
                return Err(fault(self.place(event.line), "clock", &entry, kind));
            }
            if now > *was && process != event.process {
                self.claims.changes.push(id.index(), (process, now));
            }
            *was = now;
        }
        self.claims.last[event.process.index()] = last;
        Ok(())
    }

    /// The own entry must be the event's number in its process; a larger one means that events are missing.
    fn add_own_entry(
        &mut self,
        id: EventId,
        event: &NewEvent<'_>,
        clock: &[(ProcessId, u32)],
    ) -> Result<(), BuildError> {
        let own = clock.iter().find(|(process, _)| *process == event.process);
        let process = self.name_of(event.process);
        let place = self.place(event.line);
        let found = match own {
            Some(&(_, count)) if count > 0 => count,
            _ => {
                let kind = Fault::ClockWithoutOwn(process.clone());
                return Err(fault(place, "clock", &process, kind));
            }
        };
        let expected = self.next_number(event.process);
        if found < expected {
            let kind = Fault::ClockBackwards {
                entry: process.clone(),
                was: expected - 1,
                now: found,
            };
            return Err(fault(place, "clock", &process, kind));
        }
        if found > expected {
            let kind = Fault::ClockSkips {
                process: process.clone(),
                expected,
                found,
            };
            if !self.options.lenient {
                return Err(fault(place, "clock", &process, kind));
            }
            self.warnings.push(Warning { place, kind });
        }
        self.note_number(event.process, found);
        self.claims.changes.push(id.index(), (event.process, found));
        Ok(())
    }

    /// The number the event just added has if nothing was skipped before it.
    fn next_number(&self, process: ProcessId) -> u32 {
        let position = self.lanes[process.index()].events.len() as u32;
        let numbers = &self.claims.numbers[process.index()];
        match numbers.last() {
            Some(last) => last + (position - numbers.len() as u32),
            None => position,
        }
    }

    /// Notes a number; as long as numbers are positions there is nothing to keep.
    fn note_number(&mut self, process: ProcessId, number: u32) {
        let position = self.lanes[process.index()].events.len();
        let numbers = &mut self.claims.numbers[process.index()];
        if numbers.is_empty() && number as usize == position {
            return;
        }
        if numbers.is_empty() {
            numbers.extend(1..position as u32);
        }
        while numbers.len() + 1 < position {
            numbers.push(numbers.last().map_or(1, |last| last + 1));
        }
        numbers.push(number);
    }

    /// The position of the last logged event of a process, which has `events` of them, among its first `count`.
    fn logged(&self, process: ProcessId, count: u32, events: u32) -> u32 {
        let numbers = match self.claims.numbers.get(process.index()) {
            Some(numbers) if !numbers.is_empty() => numbers,
            _ => return count.min(events),
        };
        let known = numbers.partition_point(|&number| number <= count) as u32;
        let beyond = count.saturating_sub(*numbers.last().unwrap_or(&0));
        let unnumbered = events - numbers.len() as u32;
        if known < numbers.len() as u32 {
            known
        } else {
            known + beyond.min(unnumbered)
        }
    }

    /// Refuses clocks that name a process of which nothing else is known.
    pub(super) fn check_clock_processes(&mut self) -> Result<(), BuildError> {
        for number in 0..self.claims.named_by.len() {
            let Some(event) = self.claims.named_by[number] else {
                continue;
            };
            if self.lanes[number].real {
                continue;
            }
            let name = self.tables.processes.get(number).to_owned();
            let others = self.lanes.iter().zip(self.tables.processes.iter());
            let real = others.filter(|(lane, _)| lane.real).map(|(_, name)| name);
            let kind = Fault::ClockUnknownProcess {
                nearest: nearest(&name, real).map(str::to_owned),
                name: name.clone(),
            };
            let place = self.place_of(event);
            if !self.options.lenient {
                return Err(fault(place, "clock", &name, kind));
            }
            self.warnings.push(Warning { place, kind });
        }
        Ok(())
    }

    /// An edge for each entry of each clock that grew.
    pub(super) fn claimed_edges(
        &mut self,
        edges: &mut Vec<(EventId, EventId)>,
    ) -> Result<(), BuildError> {
        let changes = std::mem::take(&mut self.claims.changes);
        for event in (0..self.len()).map(EventId::from_len) {
            for &(process, count) in changes.row(event.index()).iter().skip(1) {
                let events = self.lanes[process.index()].events.len() as u32;
                let position = self.logged(process, count, events);
                let numbers = &self.claims.numbers[process.index()];
                let numbered = numbers
                    .last()
                    .map_or(0, |last| last + events - numbers.len() as u32);
                if count > numbered.max(events) && self.lanes[process.index()].real {
                    self.beyond_log(event, process, count)?;
                }
                if let Some(index) = (position as usize).checked_sub(1) {
                    edges.push((self.lanes[process.index()].events[index], event));
                }
            }
        }
        self.claims.changes = changes;
        Ok(())
    }

    fn beyond_log(
        &mut self,
        event: EventId,
        process: ProcessId,
        count: u32,
    ) -> Result<(), BuildError> {
        let entry = self.name_of(process);
        let place = self.place_of(event);
        let kind = Fault::ClockBeyondLog {
            entry: entry.clone(),
            count,
            events: self.lanes[process.index()].events.len() as u32,
        };
        if !self.options.lenient {
            return Err(fault(place, "clock", &entry, kind));
        }
        self.warnings.push(Warning { place, kind });
        Ok(())
    }

    /// Recomputes every clock from the edges: it must not know more than the input says.
    pub(super) fn check_claims(&mut self, order: &Order) -> Result<(), BuildError> {
        if self.claims.changes.items().is_empty() {
            return Ok(());
        }
        let processes: Vec<ProcessId> = order.processes().collect();
        let mut claimed = vec![vec![0; processes.len()]; processes.len()];
        let mut contradiction = None;
        sweep_processes(order, &processes, |event, clock| {
            let own = order.process_of(event);
            let row = self.claims.changes.row(event.index());
            if row.is_empty() || contradiction.is_some() {
                return;
            }
            let claim = &mut claimed[own.index()];
            for &(process, count) in &row[1..] {
                let events = order.chain(process).len() as u32;
                claim[process.index()] = self.logged(process, count, events);
            }
            let more = |&process: &ProcessId| {
                process != own && clock[process.index()] > claim[process.index()]
            };
            contradiction = processes.iter().copied().find(more).map(|process| {
                let (says, follows) = (claim[process.index()], clock[process.index()]);
                (event, process, says, follows)
            });
        });
        let Some((event, process, says, follows)) = contradiction else {
            return Ok(());
        };
        let entry = self.name_of(process);
        let text = self.name_of(order.process_of(event));
        let kind = Fault::ClockContradicts {
            entry,
            says,
            follows,
        };
        Err(fault(self.place_of(event), "clock", &text, kind))
    }
}
