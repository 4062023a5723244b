//! Letting an event happen: the clocks it inherits from messages, shared variables and recorded clocks, and what it leaves.

use causet_formula::names::ProcRef;
use causet_trace::{BuildError, Fault, Place, ProcessId};

use super::intake::Deed;
use super::{Checker, PATIENCE, unplaced};
use crate::clock::Clock;
use crate::stream::mail::UnderWay;
use crate::stream::search::Passing;

impl Checker<'_> {
    /// An event happens.
    pub(super) fn execute(&mut self, deed: &Deed) -> Result<(), BuildError> {
        let own = deed.process;
        let mut clock = std::mem::take(&mut self.clocks[own]);
        self.receive(deed, &mut clock)?;
        for &(process, number) in &deed.after {
            if !self.pasts[process.index()].join(process, number, &mut clock) {
                let name = self.name_of_process(process).to_owned();
                return Err(deed.fault("after", &name, too_far_back(&name, number)));
            }
        }
        self.follow_accesses(deed, &mut clock);
        let position = clock.get(own) + 1;
        clock.raise(own, position);
        self.compare_clock(deed, &mut clock)?;
        self.send(deed, &clock)?;
        self.note_accesses(deed, &clock);
        self.pasts[own].note(own, &clock);
        self.note_writes(deed, &clock);
        for (&var, value) in deed.wrote.iter().zip(&deed.values) {
            self.world.write(var, value.clone());
        }
        self.world.steps[own] += 1;
        let event = Passing {
            position,
            clock: &clock,
            rank: self.passed + 1,
            label: deed.label.as_deref(),
            wrote: &deed.wrote,
        };
        for &(search, chain) in &self.audience[own] {
            if let Ok(search) = &mut self.searches[search] {
                let passed = search.pass(chain, &event, &self.world);
                passed.map_err(unplaced)?;
            }
        }
        self.clocks[own] = clock;
        self.passed += 1;
        if self.passed.is_multiple_of(PATIENCE) {
            self.keep_up();
            self.forget_pasts();
            if let Err(reached) = self.budget.look() {
                self.spent = Some(reached);
            }
        }
        Ok(())
    }

    /// Takes over what the senders of the messages received knew.
    pub(super) fn receive(&mut self, deed: &Deed, clock: &mut Clock) -> Result<(), BuildError> {
        let by = ProcessId::new(deed.process as u32);
        for &message in &deed.recvs {
            let name = self.mail.called(message).to_owned();
            let Some(arrived) = self.mail.receive(message, by) else {
                if deed.has_clock {
                    // The clock says what the message would have.
                    continue;
                }
                let kind = Fault::NotInPassing {
                    message: format!("message `{name}` has reached all it was sent to before"),
                    help: "say in `to` who gets a message that several receive, or check without --stream",
                };
                return Err(deed.fault("recv", &name, kind));
            };
            clock.join(&arrived.clock);
            let ends = (ProcRef(arrived.sender.raw()), ProcRef(by.raw()));
            let mut channels = self.world.channels.iter_mut();
            if let Some(channel) = channels.find(|channel| (channel.from, channel.to) == ends) {
                if !arrived.addressed.contains(&by) {
                    return Err(deed.fault("recv", &name, unaddressed(&name)));
                }
                let left = arrived.left.unwrap_or_default();
                channel.received += i64::from(left.contains(&by));
            }
        }
        Ok(())
    }

    pub(super) fn send(&mut self, deed: &Deed, clock: &Clock) -> Result<(), BuildError> {
        if deed.sends.is_empty() {
            return Ok(());
        }
        let own = ProcessId::new(deed.process as u32);
        let mut destinations = deed.to.clone();
        destinations.sort_unstable();
        destinations.dedup();
        for channel in self.world.channels_of(own) {
            if channel.from.0 != own.raw() {
                continue;
            }
            if destinations.is_empty() {
                let name = self.mail.called(deed.sends[0]).to_owned();
                return Err(deed.fault("send", &name, unaddressed(&name)));
            }
            if destinations.contains(&ProcessId::new(channel.to.0)) {
                channel.sent += deed.sends.len() as i64;
            }
        }
        for &message in &deed.sends {
            let under_way = UnderWay {
                sender: own,
                place: deed.place.unwrap_or(Place { part: 0, line: 0 }),
                clock: clock.clone(),
                left: (!destinations.is_empty()).then(|| destinations.clone()),
                addressed: destinations.as_slice().into(),
            };
            let name = || self.mail.called(message).to_owned();
            let name = name();
            if let Err(first) = self.mail.send(message, under_way) {
                let kind = Fault::SentTwice {
                    message: name.clone(),
                    first,
                };
                return Err(deed.fault("send", &name, kind));
            }
        }
        Ok(())
    }

    /// Takes over what the earlier accesses knew with which this event's accesses conflict.
    pub(super) fn follow_accesses(&self, deed: &Deed, clock: &mut Clock) {
        if !self.outline.directory.observed {
            return;
        }
        for var in deed.reads.iter().filter(|var| !deed.wrote.contains(var)) {
            let write = self
                .accesses
                .get(var)
                .and_then(|known| known.write.as_ref());
            if let Some(write) = write {
                clock.join(write);
            }
        }
        for accesses in deed.wrote.iter().filter_map(|var| self.accesses.get(var)) {
            let reads = accesses.reads.iter().map(|(_, read)| read);
            for earlier in reads.chain(&accesses.write) {
                clock.join(earlier);
            }
        }
    }

    pub(super) fn note_accesses(&mut self, deed: &Deed, clock: &Clock) {
        if !self.outline.directory.observed {
            return;
        }
        let own = ProcessId::new(deed.process as u32);
        for &var in deed.reads.iter().filter(|var| !deed.wrote.contains(var)) {
            let reads = &mut self.accesses.entry(var).or_default().reads;
            reads.retain(|(process, _)| *process != own);
            reads.push((own, clock.clone()));
        }
        for &var in &deed.wrote {
            if self.outline.owner(var).is_none() {
                let accesses = self.accesses.entry(var).or_default();
                accesses.reads.clear();
                accesses.write = Some(clock.clone());
            }
        }
    }

    /// Holds the clock that was recorded against what is known, and believes it where it says more.
    pub(super) fn compare_clock(&self, deed: &Deed, clock: &mut Clock) -> Result<(), BuildError> {
        if !deed.has_clock {
            return Ok(());
        }
        for &(process, count) in &deed.clock {
            if process.index() != deed.process && self.world.steps[process.index()] == count {
                clock.join(&self.clocks[process.index()]);
            }
        }
        let mut claimed = Clock::default();
        for &(process, count) in &deed.clock {
            claimed.raise(process.index(), count);
        }
        if let Some(process) = clock.first_beyond(&claimed, deed.process) {
            let kind = Fault::ClockContradicts {
                entry: self
                    .name_of_process(ProcessId::new(process as u32))
                    .to_owned(),
                says: claimed.get(process),
                follows: clock.get(process),
            };
            let own = self.name_of_process(ProcessId::new(deed.process as u32));
            return Err(deed.fault("clock", own, kind));
        }
        clock.join(&claimed);
        Ok(())
    }

    /// Forgets the clocks that nobody can learn from any more.
    pub(super) fn forget_pasts(&mut self) {
        for (process, past) in self.pasts.iter_mut().enumerate() {
            match self.outline.goes_on() {
                true => past.keep_few(),
                false => past.forget(|p| self.clocks[p].get(process), &self.world.steps),
            }
        }
    }

    /// Looks for writes that nothing orders.
    pub(super) fn note_writes(&mut self, deed: &Deed, clock: &Clock) {
        if self.last_writes.is_empty() {
            return;
        }
        let own = ProcessId::new(deed.process as u32);
        let place = deed.place.unwrap_or(Place { part: 0, line: 0 });
        for &var in &deed.wrote {
            let Some(last) = self.last_writes.get_mut(&var) else {
                continue;
            };
            let now = (own, clock.get(deed.process), place);
            let Some(before) = last.replace(now) else {
                continue;
            };
            if clock.get(before.0.index()) >= before.1 {
                continue;
            }
            let name = |(process, position, place): (ProcessId, u32, Place)| {
                let place = crate::subject::place_name(&self.outline.parts, place);
                format!("{}#{position} ({place})", self.name_of_process(process))
            };
            let names = (name(before), name(now));
            self.races.insert(var, names);
        }
    }
}

/// The last write of a shared variable and the reads since, as the clocks of those events.
#[derive(Default)]
pub(super) struct Accesses {
    pub(super) write: Option<Clock>,
    pub(super) reads: Vec<(ProcessId, Clock)>,
}

fn too_far_back(name: &str, number: u32) -> Fault {
    Fault::NotInPassing {
        message: format!("event {number} of `{name}` lies too far back to be remembered"),
        help: "let events refer to recent ones, or check the run when it is over",
    }
}

fn unaddressed(name: &str) -> Fault {
    Fault::NotInPassing {
        message: format!("a channel counts message `{name}`, which does not say whom it is for"),
        help: "say in `to` who gets each message, or check without --stream",
    }
}
