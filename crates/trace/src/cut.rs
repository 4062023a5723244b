//! Cuts: how far each process has come, and the lattice they form.
//!
//! A cut is a set of events closed under happened-before. It is written as one count per process, so the lattice's
//! order, join and meet are the component-wise `<=`, maximum and minimum (paper IST, section 4).

use crate::order::Order;
use causet_base::ids::{EventId, ProcessId};

/// Counts per process: the first `counts[p]` events of process `p` have happened.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cut(Box<[u32]>);

impl Cut {
    /// A cut from its counts; whether it is consistent is asked of an [`Order`].
    pub fn new(counts: impl Into<Box<[u32]>>) -> Cut {
        Cut(counts.into())
    }

    /// The counts, one per process.
    pub fn counts(&self) -> &[u32] {
        &self.0
    }

    /// How many events of a process have happened.
    pub fn of(&self, process: ProcessId) -> u32 {
        self.0[process.index()]
    }

    /// How many events have happened in all: the level of the lattice the cut lies on.
    pub fn level(&self) -> u64 {
        self.0.iter().map(|&count| u64::from(count)).sum()
    }

    /// Whether every event of this cut is in the other.
    pub fn is_within(&self, other: &Cut) -> bool {
        self.0.iter().zip(&other.0).all(|(mine, its)| mine <= its)
    }

    /// The least cut that contains both.
    pub fn join(&self, other: &Cut) -> Cut {
        Cut(self
            .0
            .iter()
            .zip(&other.0)
            .map(|(&mine, &its)| mine.max(its))
            .collect())
    }

    /// The greatest cut contained in both.
    pub fn meet(&self, other: &Cut) -> Cut {
        Cut(self
            .0
            .iter()
            .zip(&other.0)
            .map(|(&mine, &its)| mine.min(its))
            .collect())
    }

    /// The cut after one more event of a process.
    pub fn advanced(&self, process: ProcessId) -> Cut {
        let mut counts = self.0.clone();
        counts[process.index()] += 1;
        Cut(counts)
    }
}

impl Order {
    /// The cut before anything has happened.
    pub fn initial_cut(&self) -> Cut {
        Cut(vec![0; self.process_count()].into())
    }

    /// The cut after everything has happened.
    pub fn final_cut(&self) -> Cut {
        Cut(self
            .processes()
            .map(|process| self.chain(process).len() as u32)
            .collect())
    }

    /// Whether an event is in a cut.
    pub fn contains(&self, cut: &Cut, event: EventId) -> bool {
        self.position_of(event) <= cut.of(self.process_of(event))
    }

    /// Whether the counts describe a cut: no count too large, no event without its predecessors.
    pub fn is_consistent(&self, cut: &Cut) -> bool {
        cut.counts().len() == self.process_count()
            && cut.is_within(&self.final_cut())
            && self.events_of(cut).all(|event| {
                self.crossing_into(event)
                    .iter()
                    .all(|&before| self.contains(cut, before))
            })
    }

    /// The events of a cut, process by process.
    pub fn events_of(&self, cut: &Cut) -> impl Iterator<Item = EventId> + '_ {
        let counts = cut.counts().to_vec();
        self.processes()
            .zip(counts)
            .flat_map(|(process, count)| self.chain(process)[..count as usize].iter().copied())
    }

    /// The next event of a process, when everything it depends on is in the cut.
    pub fn enabled_on(&self, cut: &[u32], process: ProcessId) -> Option<EventId> {
        let event = *self.chain(process).get(cut[process.index()] as usize)?;
        let happened =
            |&before: &EventId| self.position_of(before) <= cut[self.process_of(before).index()];
        self.crossing_into(event)
            .iter()
            .all(happened)
            .then_some(event)
    }

    /// The events that may happen next: at most one per process.
    pub fn enabled<'a>(&'a self, cut: &'a Cut) -> impl Iterator<Item = EventId> + 'a {
        self.processes()
            .filter_map(|process| self.enabled_on(cut.counts(), process))
    }

    /// The least cut that contains the given events.
    pub fn closure(&self, events: impl IntoIterator<Item = EventId>) -> Cut {
        let mut counts = vec![0; self.process_count()];
        let mut waiting: Vec<EventId> = events.into_iter().collect();
        while let Some(event) = waiting.pop() {
            let process = self.process_of(event);
            let (from, to) = (counts[process.index()], self.position_of(event));
            for &reached in self
                .chain(process)
                .get(from as usize..to as usize)
                .unwrap_or(&[])
            {
                waiting.extend_from_slice(self.crossing_into(reached));
            }
            counts[process.index()] = from.max(to);
        }
        Cut(counts.into())
    }
}
