//! Which events a page holds: all of them, or, of a large run, those near what matters.
//!
//! A report is one file that somebody sends to somebody else, so it cannot hold a million events. It keeps the events it
//! was told matter, and around them their neighbours on the same process and along messages, nearest first. What lies
//! between two kept events is replaced by one edge that says "through events that are not shown", so the order among the
//! kept events is exactly that of the run.
//!
//! A picture with thousands of lanes shows nothing, so of many processes it keeps the events of some tens only: those of
//! the events that matter, then those next to them.

use std::collections::VecDeque;
use std::rc::Rc;

use causet_base::budget::{Budget, Spent};
use causet_trace::{EventId, Order, ProcessId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum number of processes of an excerpt.
pub(super) const MOST_LANES: usize = 60;
/// What finding the neighbourhood takes for each event of the run, in bytes.
const BYTES_PER_EVENT: usize = 12;

/// The events of a page, by number.
#[derive(Clone, Debug)]
pub struct Kept {
    /// In ascending order; `None` for all.
    events: Option<Vec<EventId>>,
    total: usize,
}

impl Kept {
    /// Every event of a run.
    pub fn all(order: &Order) -> Kept {
        Kept {
            events: None,
            total: order.len(),
        }
    }

    /// All events when there are at most so many, else that many around those that matter.
    pub fn around(
        order: &Order,
        focus: impl IntoIterator<Item = EventId>,
        most: usize,
        budget: &Budget<'_>,
    ) -> Result<Kept, Spent> {
        Ok(match order.len() <= most {
            true => Kept::all(order),
            false => Kept {
                events: Some(neighbourhood(order, focus, most, budget)?),
                total: order.len(),
            },
        })
    }

    /// How many events are kept.
    pub fn len(&self) -> usize {
        self.events.as_ref().map_or(self.total, Vec::len)
    }

    /// Whether no event is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether something was left out.
    pub fn is_excerpt(&self) -> bool {
        self.events.is_some()
    }

    /// The kept events in ascending order.
    pub fn events(&self) -> impl Iterator<Item = EventId> + '_ {
        (0..self.len()).map(|place| match &self.events {
            None => EventId::new(place as u32),
            Some(events) => events[place],
        })
    }

    /// The place of an event among the kept ones.
    pub fn place(&self, event: EventId) -> Option<usize> {
        match &self.events {
            None => (event.index() < self.total).then_some(event.index()),
            Some(events) => events.binary_search(&event).ok(),
        }
    }
}

/// The events that matter and those around them, breadth first, in ascending order.
fn neighbourhood(
    order: &Order,
    focus: impl IntoIterator<Item = EventId>,
    most: usize,
    budget: &Budget<'_>,
) -> Result<Vec<EventId>, Spent> {
    let room = budget.branch();
    room.charge(BYTES_PER_EVENT * order.len() + 4 * order.crossing_count())?;
    budget.tick_many(2 * order.len() as u64)?;
    let out = Outgoing::of(order);
    let mut is_kept = vec![false; order.len()];
    let mut lanes: FxHashSet<ProcessId> = FxHashSet::default();
    let mut kept = Vec::with_capacity(most);
    let mut waiting = VecDeque::new();
    let mut add = |event: EventId, kept: &mut Vec<EventId>, waiting: &mut VecDeque<EventId>| {
        if event.index() < order.len() && !is_kept[event.index()] && kept.len() < most {
            let process = order.process_of(event);
            if lanes.len() < MOST_LANES {
                lanes.insert(process);
            } else if !lanes.contains(&process) {
                return;
            }
            is_kept[event.index()] = true;
            kept.push(event);
            waiting.push_back(event);
        }
    };
    for event in focus {
        budget.tick()?;
        add(event, &mut kept, &mut waiting);
    }
    if kept.is_empty() {
        // Nothing matters more than anything else: the page shows how the run begins.
        for event in order.recorded().take(most) {
            add(event, &mut kept, &mut waiting);
        }
    }
    while let Some(event) = waiting.pop_front() {
        budget.tick()?;
        for before in order.predecessors(event) {
            add(before, &mut kept, &mut waiting);
        }
        let process = order.process_of(event);
        if let Some(next) = order.event(process, order.position_of(event) + 1) {
            add(next, &mut kept, &mut waiting);
        }
        for &after in out.of_event(event) {
            add(after, &mut kept, &mut waiting);
        }
    }
    kept.sort_unstable();
    Ok(kept)
}

/// The events of other processes that directly follow each event, end to end.
struct Outgoing {
    starts: Vec<u32>,
    targets: Vec<EventId>,
}

impl Outgoing {
    fn of(order: &Order) -> Outgoing {
        let mut starts = vec![0; order.len() + 1];
        let events = || (0..order.len() as u32).map(EventId::new);
        for event in events() {
            for before in order.crossing_into(event) {
                starts[before.index() + 1] += 1;
            }
        }
        for place in 1..starts.len() {
            starts[place] += starts[place - 1];
        }
        let mut next = starts.clone();
        let mut targets = vec![EventId::new(0); order.crossing_count()];
        for event in events() {
            for before in order.crossing_into(event) {
                let place = &mut next[before.index()];
                targets[*place as usize] = event;
                *place += 1;
            }
        }
        Outgoing { starts, targets }
    }

    fn of_event(&self, event: EventId) -> &[EventId] {
        let range = self.starts[event.index()] as usize..self.starts[event.index() + 1] as usize;
        &self.targets[range]
    }
}

/// The clocks of the kept events and the edges among them that only events left out explain.
#[derive(Clone, Default, Debug)]
pub(super) struct Between {
    /// For each kept event: how many events of each process happened before it or are it; zeros are not listed.
    pub(super) clocks: Vec<Vec<(u32, u32)>>,
    /// Places of kept events: each happened before the other, by way of events left out.
    pub(super) edges: Vec<(u32, u32)>,
}

impl Between {
    /// Looks at the whole run once; nothing is left out of a whole run, so there is nothing to say about it.
    pub(super) fn of(order: &Order, kept: &Kept, budget: &Budget<'_>) -> Result<Between, Spent> {
        if !kept.is_excerpt() {
            return Ok(Between::default());
        }
        let mut between = Between {
            clocks: vec![Vec::new(); kept.len()],
            edges: Vec::new(),
        };
        let mut sweep = Sweep::new(order, kept, budget)?;
        for event in order.recorded() {
            budget.tick()?;
            sweep.visit(event, &mut between, budget)?;
        }
        Ok(between)
    }
}

/// The clocks of the events, over the processes of kept ones, on the way through the run in recorded order. Only what
/// has kept events in its past, or is on their processes, has a clock, and events that pass one on share it.
struct Sweep<'a> {
    order: &'a Order,
    kept: &'a Kept,
    /// The processes of kept events, and their indices there.
    lanes: Vec<ProcessId>,
    lane_of: FxHashMap<ProcessId, usize>,
    /// The last clock of each process.
    latest: FxHashMap<ProcessId, Rc<[u32]>>,
    /// The clocks that events of other processes wait for, with their number.
    awaited: FxHashMap<EventId, (Rc<[u32]>, u32)>,
    /// How many events of other processes directly follow each event.
    readers: Vec<u32>,
    /// Of each lane: position and place of its kept events so far.
    shown: Vec<Vec<(u32, u32)>>,
}

impl<'a> Sweep<'a> {
    fn new(order: &'a Order, kept: &'a Kept, budget: &Budget<'_>) -> Result<Self, Spent> {
        let mut lanes: Vec<ProcessId> = kept.events().map(|e| order.process_of(e)).collect();
        lanes.sort_unstable();
        lanes.dedup();
        budget.tick_many(order.len() as u64)?;
        let mut readers = vec![0; order.len()];
        for event in order.recorded() {
            for before in order.crossing_into(event) {
                readers[before.index()] += 1;
            }
        }
        Ok(Sweep {
            order,
            kept,
            lane_of: lanes.iter().copied().zip(0..).collect(),
            latest: FxHashMap::default(),
            awaited: FxHashMap::default(),
            readers,
            shown: vec![Vec::new(); lanes.len()],
            lanes,
        })
    }

    fn visit(
        &mut self,
        event: EventId,
        between: &mut Between,
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        let process = self.order.process_of(event);
        let lane = self.lane_of.get(&process).copied();
        let mut clock = self.latest.remove(&process);
        for before in self.order.crossing_into(event) {
            if let Some(known) = self.arrive(*before) {
                budget.tick_many(self.lanes.len() as u64)?;
                clock = Some(clock.map_or_else(|| Rc::clone(&known), |own| joined(own, &known)));
            }
        }
        if let Some(lane) = lane {
            let mut own = clock.unwrap_or_else(|| vec![0; self.lanes.len()].into());
            Rc::make_mut(&mut own)[lane] = self.order.position_of(event);
            if let Some(place) = self.kept.place(event) {
                self.keep(event, lane, place as u32, &own, between);
            }
            clock = Some(own);
        }
        if let Some(clock) = clock {
            if self.readers[event.index()] > 0 {
                let readers = self.readers[event.index()];
                self.awaited.insert(event, (Rc::clone(&clock), readers));
            }
            self.latest.insert(process, clock);
        }
        Ok(())
    }

    /// The clock of an event that another one has waited for, if it has one.
    fn arrive(&mut self, event: EventId) -> Option<Rc<[u32]>> {
        let (clock, readers) = self.awaited.get_mut(&event)?;
        *readers -= 1;
        let clock = Rc::clone(clock);
        if *readers == 0 {
            self.awaited.remove(&event);
        }
        Some(clock)
    }

    /// Adds the clock of a kept event and the edges into it: from the last kept event of each process that it knows of
    /// and its predecessor on its own process does not, unless another of these knows of that one too.
    fn keep(
        &mut self,
        event: EventId,
        own: usize,
        place: u32,
        clock: &[u32],
        between: &mut Between,
    ) {
        let direct: Vec<EventId> = self.order.crossing_into(event).to_vec();
        let known = self.shown[own].last().map(|&(_, before)| before);
        let earlier = known.map(|before| &between.clocks[before as usize]);
        let mut sources: Vec<(u32, u32, u32)> = Vec::new();
        for (lane, &count) in clock.iter().enumerate() {
            if lane == own || count == 0 {
                continue;
            }
            let process = self.lanes[lane].raw();
            let shown = &self.shown[lane];
            let seen = shown.partition_point(|&(position, _)| position <= count);
            let Some(&(position, from)) = seen.checked_sub(1).map(|last| &shown[last]) else {
                continue;
            };
            if earlier.is_none_or(|clock| entry(clock, process) < position) {
                sources.push((process, position, from));
            }
        }
        for &(process, position, from) in &sources {
            let by_another = sources.iter().any(|&(_, _, other)| {
                other != from && entry(&between.clocks[other as usize], process) >= position
            });
            let directly = direct.iter().any(|&before| {
                let order = self.order;
                (order.process_of(before).raw(), order.position_of(before)) == (process, position)
            });
            if !by_another && !directly {
                between.edges.push((from, place));
            }
        }
        let entries = self
            .lanes
            .iter()
            .zip(clock)
            .filter(|&(_, &count)| count > 0);
        let entries = entries.map(|(process, &count)| (process.raw(), count));
        between.clocks[place as usize] = entries.collect();
        self.shown[own].push((self.order.position_of(event), place));
    }
}

/// The maximum of two clocks.
fn joined(mut clock: Rc<[u32]>, other: &[u32]) -> Rc<[u32]> {
    for (entry, &known) in Rc::make_mut(&mut clock).iter_mut().zip(other) {
        *entry = known.max(*entry);
    }
    clock
}

/// The entry of a clock without zeros.
fn entry(clock: &[(u32, u32)], process: u32) -> u32 {
    let found = clock.binary_search_by_key(&process, |&(process, _)| process);
    found.map_or(0, |place| clock[place].1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use causet_trace::random::{Shape, run};
    use causet_trace::{Clocks, Trace};

    fn random_run(seed: u64) -> Trace {
        let shape = Shape {
            processes: 4,
            events: 40,
            messages: 0.4,
            writes: 0.5,
            shared: true,
        };
        run(&mut fastrand::Rng::with_seed(seed), shape)
    }

    #[test]
    fn the_order_among_kept_events_is_that_of_the_run() {
        for seed in 0..60 {
            let trace = random_run(seed);
            let order = trace.order();
            let focus = order.recorded().nth(order.len() / 2);
            let room = Budget::endless();
            let kept = Kept::around(order, focus, order.len() / 2, &room).expect("no limit");
            let between = Between::of(order, &kept, &room).expect("no limit");
            let clocks = Clocks::new(order);
            let places: Vec<EventId> = kept.events().collect();
            let reached = reached(order, &kept, &between);
            for (one, &first) in places.iter().enumerate() {
                for (other, &second) in places.iter().enumerate() {
                    let truly = clocks.happened_before(order, first, second);
                    assert_eq!(reached[other][one], truly, "seed {seed}");
                }
            }
        }
    }

    /// For each kept event, which kept events come before it along chains and edges.
    fn reached(order: &Order, kept: &Kept, between: &Between) -> Vec<Vec<bool>> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); kept.len()];
        for &(from, to) in &between.edges {
            before[to as usize].push(from as usize);
        }
        for (place, event) in kept.events().enumerate() {
            let direct = order.crossing_into(event).iter();
            before[place].extend(direct.filter_map(|&event| kept.place(event)));
            let chain = order.chain(order.process_of(event)).iter();
            let earlier = chain.take_while(|&&other| other != event);
            before[place].extend(earlier.filter_map(|&event| kept.place(event)));
        }
        let mut reached = vec![vec![false; kept.len()]; kept.len()];
        for event in order.recorded() {
            let Some(place) = kept.place(event) else {
                continue;
            };
            for &source in &before[place] {
                let further = reached[source].clone();
                reached[place][source] = true;
                for (known, more) in reached[place].iter_mut().zip(further) {
                    *known |= more;
                }
            }
        }
        reached
    }

    #[test]
    fn a_small_run_is_kept_whole() {
        let trace = random_run(1);
        let kept = Kept::around(trace.order(), None, trace.len(), &Budget::endless());
        let kept = kept.expect("no limit");
        assert!(!kept.is_excerpt());
        assert_eq!(kept.len(), trace.len());
    }

    #[test]
    fn the_focus_is_kept() {
        let trace = random_run(3);
        let last = EventId::new(trace.len() as u32 - 1);
        let kept = Kept::around(trace.order(), [last], 2, &Budget::endless());
        let kept = kept.expect("no limit");
        assert_eq!(kept.len(), 2);
        assert!(kept.place(last).is_some());
    }
}
