//! Happened-before as it is stored: one chain per process and the direct edges between chains.
//!
//! Process order is implied by position, so only edges that cross processes take space. The relation of the run is the
//! transitive closure of both; nothing here computes that closure. [`crate::clocks`] does, when someone needs it.
//!
//! Who executed each event is kept in a byte or two. Where an event stands on its process, and which events a process
//! has, follow from that; they take eight bytes per event, more than all the rest, so they are worked out when somebody
//! first asks. A run that is opened from its binary form is there before they are, and a sweep of clocks needs neither.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::OnceLock;

use crate::narrow::Narrow;
use crate::ragged::Ragged;
use causet_base::ids::{EventId, ProcessId};

/// A finite set of events on `k` processes with a strict partial order.
#[derive(Clone, Debug)]
pub struct Order {
    /// The process of each event.
    pub(crate) process: Narrow,
    pub(crate) process_count: usize,
    /// Follows from `process`: the numbers of the events of a process are in its order.
    pub(crate) places: OnceLock<Places>,
    pub(crate) before: Ragged<EventId>,
    /// `None` when the events were read in an order that respects happened-before.
    pub(crate) recorded: Option<Vec<EventId>>,
}

/// Where the events stand on their processes.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    position: Vec<u32>,
    chains: Vec<Vec<EventId>>,
}

impl Places {
    fn new(process: &Narrow, processes: usize) -> Places {
        match process {
            Narrow::Bytes(list) => Places::counted(list, processes),
            Narrow::Shorts(list) => Places::counted(list, processes),
            Narrow::Words(list) => Places::counted(list, processes),
        }
    }

    fn counted<T: Copy + Into<u32>>(process: &[T], processes: usize) -> Places {
        let mut counts = vec![0; processes];
        for &owner in process {
            counts[owner.into() as usize] += 1;
        }
        let mut chains: Vec<Vec<EventId>> = counts.into_iter().map(Vec::with_capacity).collect();
        let position = process.iter().enumerate().map(|(event, &owner)| {
            let chain = &mut chains[owner.into() as usize];
            chain.push(EventId::from_len(event));
            chain.len() as u32
        });
        Places {
            position: position.collect(),
            chains,
        }
    }
}

/// Events, with process and position, each of which directly precedes the next and the last of which precedes the first.
pub(crate) type Cycle = Vec<(ProcessId, u32, EventId)>;

impl Order {
    /// Orders events by their processes and by `edges` (from, to); fails with a cycle when that is no partial order.
    ///
    /// `chains` lists the events of each process; together they hold every number below the number of events once.
    pub(crate) fn new(
        chains: Vec<Vec<EventId>>,
        edges: Vec<(EventId, EventId)>,
    ) -> Result<Order, Cycle> {
        let count = chains.iter().map(Vec::len).sum();
        let mut process = Narrow::zeros(count, chains.len());
        let mut position = vec![0; count];
        for (number, chain) in chains.iter().enumerate() {
            for (index, event) in chain.iter().enumerate() {
                process.set(event.index(), number as u32);
                position[event.index()] = index as u32 + 1;
            }
        }
        let mut order = Order {
            process,
            process_count: chains.len(),
            places: OnceLock::from(Places { position, chains }),
            before: Ragged::default(),
            recorded: None,
        };
        let crossing = order.crossing(edges)?;
        order.before = Ragged::group(crossing);
        order.before.shrink();
        order.arrange()?;
        Ok(order)
    }

    /// The same order with one more edge; `None` if that closes a cycle.
    pub(crate) fn with_edge(&self, first: EventId, second: EventId) -> Option<Order> {
        let into = |event: EventId| {
            self.crossing_into(event)
                .iter()
                .map(move |&from| (from, event))
        };
        let mut edges: Vec<(EventId, EventId)> = (0..self.len())
            .map(EventId::from_len)
            .flat_map(into)
            .collect();
        edges.push((first, second));
        Order::new(self.places().chains.clone(), edges).ok()
    }

    /// Drops the edges process order implies; an edge against process order closes a cycle by itself.
    fn crossing(&self, edges: Vec<(EventId, EventId)>) -> Result<Vec<(u32, EventId)>, Cycle> {
        let mut crossing = Vec::with_capacity(edges.len());
        for (from, to) in edges {
            if self.process_of(from) != self.process_of(to) {
                crossing.push((to.raw(), from));
            } else if self.position_of(from) >= self.position_of(to) {
                let chain = self.chain(self.process_of(from));
                let (first, last) = (self.position_of(to), self.position_of(from));
                return Err(self.described(&chain[first as usize - 1..last as usize]));
            }
        }
        Ok(crossing)
    }

    /// Finds the recorded order: the events as they were read, each delayed until what precedes it has passed.
    fn arrange(&mut self) -> Result<(), Cycle> {
        let respected = |event: EventId| self.predecessors(event).all(|before| before < event);
        if (0..self.len()).map(EventId::from_len).all(respected) {
            return Ok(());
        }
        let after = self.successors();
        let mut missing: Vec<u32> = (0..self.len())
            .map(|event| self.predecessors(EventId::from_len(event)).count() as u32)
            .collect();
        let mut ready: BinaryHeap<Reverse<EventId>> = (0..self.len())
            .map(EventId::from_len)
            .filter(|event| missing[event.index()] == 0)
            .map(Reverse)
            .collect();
        let mut recorded = Vec::with_capacity(self.len());
        while let Some(Reverse(event)) = ready.pop() {
            recorded.push(event);
            for &next in after.row(event.index()) {
                missing[next.index()] -= 1;
                if missing[next.index()] == 0 {
                    ready.push(Reverse(next));
                }
            }
        }
        if recorded.len() < self.len() {
            return Err(self.cycle_among(&missing));
        }
        self.recorded = Some(recorded);
        Ok(())
    }

    /// A cycle among the events that still miss a predecessor: walk backwards until an event comes up twice.
    fn cycle_among(&self, missing: &[u32]) -> Cycle {
        let stuck = |event: &EventId| missing[event.index()] > 0;
        let first = (0..self.len()).map(EventId::from_len).find(stuck);
        let mut seen_at = vec![usize::MAX; self.len()];
        let mut walk: Vec<EventId> = Vec::new();
        let mut current = first;
        while let Some(event) = current {
            if seen_at[event.index()] != usize::MAX {
                let mut cycle = walk.split_off(seen_at[event.index()]);
                cycle.reverse();
                return self.described(&cycle);
            }
            seen_at[event.index()] = walk.len();
            walk.push(event);
            current = self.predecessors(event).find(stuck);
        }
        self.described(&walk)
    }

    fn described(&self, events: &[EventId]) -> Cycle {
        let describe = |&event: &EventId| (self.process_of(event), self.position_of(event), event);
        events.iter().map(describe).collect()
    }

    /// How many events there are.
    pub fn len(&self) -> usize {
        self.process.len()
    }

    /// Whether there is no event.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many processes there are.
    pub fn process_count(&self) -> usize {
        self.process_count
    }

    /// All processes.
    pub fn processes(&self) -> impl ExactSizeIterator<Item = ProcessId> + use<> {
        (0..self.process_count).map(ProcessId::from_len)
    }

    /// The process that executed an event.
    pub fn process_of(&self, event: EventId) -> ProcessId {
        ProcessId::new(self.process.get(event.index()))
    }

    /// Which event of its process this is, counted from 1.
    pub fn position_of(&self, event: EventId) -> u32 {
        self.places().position[event.index()]
    }

    /// The events of a process, in its order.
    pub fn chain(&self, process: ProcessId) -> &[EventId] {
        &self.places().chains[process.index()]
    }

    /// The event of a process at a position counted from 1.
    pub fn event(&self, process: ProcessId, position: u32) -> Option<EventId> {
        let index = (position as usize).checked_sub(1)?;
        let chain = self.places().chains.get(process.index())?;
        chain.get(index).copied()
    }

    #[inline]
    fn places(&self) -> &Places {
        self.places
            .get_or_init(|| Places::new(&self.process, self.process_count))
    }

    /// The event just before this one on the same process.
    pub fn previous(&self, event: EventId) -> Option<EventId> {
        self.event(self.process_of(event), self.position_of(event) - 1)
    }

    /// The events of other processes that directly precede this one.
    pub fn crossing_into(&self, event: EventId) -> &[EventId] {
        self.before.row(event.index())
    }

    /// Where the edges into an event stand among all crossing edges.
    pub(crate) fn crossing_range(&self, event: EventId) -> std::ops::Range<usize> {
        self.before.range(event.index())
    }

    /// All direct predecessors: the previous event of the process, then those of other processes.
    pub fn predecessors(&self, event: EventId) -> impl Iterator<Item = EventId> + '_ {
        self.previous(event)
            .into_iter()
            .chain(self.crossing_into(event).iter().copied())
    }

    /// Where the direct edges between different processes start, one entry per edge.
    pub(crate) fn crossing_sources(&self) -> &[EventId] {
        self.before.items()
    }

    /// How many direct edges between different processes there are.
    pub fn crossing_count(&self) -> usize {
        self.before.items().len()
    }

    /// The direct successors of every event, computed afresh.
    pub(crate) fn successors(&self) -> Ragged<EventId> {
        let mut pairs = Vec::with_capacity(self.len() + self.crossing_count());
        for event in (0..self.len()).map(EventId::from_len) {
            pairs.extend(self.predecessors(event).map(|before| (before.raw(), event)));
        }
        Ragged::group(pairs)
    }

    /// The order of the recording: as the events were read, except that none comes before what it depends on.
    pub fn recorded(&self) -> impl ExactSizeIterator<Item = EventId> + '_ {
        (0..self.len()).map(|index| match &self.recorded {
            None => EventId::from_len(index),
            Some(order) => order[index],
        })
    }

    /// Where each event stands in the recorded order, and back.
    pub fn ranks(&self) -> Ranks {
        Ranks(self.recorded.as_ref().map(|recorded| {
            let mut ranks = vec![0; recorded.len()];
            for (rank, event) in recorded.iter().enumerate() {
                ranks[event.index()] = rank as u32;
            }
            (ranks, recorded.clone())
        }))
    }
}

/// The places of events in the recorded order; nearly always that is the order of their numbers.
#[derive(Clone, Debug)]
pub struct Ranks(Option<(Vec<u32>, Vec<EventId>)>);

impl Ranks {
    /// The place of an event.
    #[inline]
    pub fn of(&self, event: EventId) -> u32 {
        match &self.0 {
            None => event.raw(),
            Some((ranks, _)) => ranks[event.index()],
        }
    }

    /// The event at a place.
    pub fn at(&self, rank: u32) -> EventId {
        match &self.0 {
            None => EventId::new(rank),
            Some((_, recorded)) => recorded[rank as usize],
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::notation;

    #[test]
    fn an_edge_more_orders_two_events_and_what_they_lead_to() {
        let trace = notation::parse("a: x=1  x=2\nb: y=1  y=2").unwrap();
        let order = trace.order();
        let [a, b] = [0, 1].map(|at| order.chain(order.processes().nth(at).unwrap()).to_vec());
        let changed = trace.with_edge(b[1], a[0]).unwrap();
        let recorded: Vec<_> = changed.order().recorded().collect();
        assert_eq!(recorded, [b[0], b[1], a[0], a[1]]);
        assert_eq!(changed.order().crossing_into(a[0]), [b[1]]);
        assert!(changed.with_edge(a[0], b[0]).is_none());
        assert!(trace.with_edge(a[1], a[0]).is_none());
    }
}
