//! Which events a page holds: all of them, or, of a large run, those near what matters.
//!
//! A report is one file that somebody sends to somebody else, so it cannot hold a million events. It keeps the events it
//! was told matter, and around them their neighbours on the same process and along messages, nearest first. What lies
//! between two kept events is replaced by one edge that says "through events that are not shown", so the order among the
//! kept events is exactly that of the run.

use std::collections::VecDeque;

use causet_trace::{EventId, Order, sweep};

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
    pub fn around(order: &Order, focus: impl IntoIterator<Item = EventId>, most: usize) -> Kept {
        match order.len() <= most {
            true => Kept::all(order),
            false => Kept {
                events: Some(neighbourhood(order, focus, most)),
                total: order.len(),
            },
        }
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
) -> Vec<EventId> {
    let out = Outgoing::of(order);
    let mut is_kept = vec![false; order.len()];
    let mut kept = Vec::with_capacity(most);
    let mut waiting = VecDeque::new();
    let mut add = |event: EventId, kept: &mut Vec<EventId>, waiting: &mut VecDeque<EventId>| {
        if event.index() < order.len() && !is_kept[event.index()] && kept.len() < most {
            is_kept[event.index()] = true;
            kept.push(event);
            waiting.push_back(event);
        }
    };
    for event in focus {
        add(event, &mut kept, &mut waiting);
    }
    if kept.is_empty() {
        // Nothing matters more than anything else: the page shows how the run begins.
        for event in order.recorded().take(most) {
            add(event, &mut kept, &mut waiting);
        }
    }
    while let Some(event) = waiting.pop_front() {
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
    kept
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
    pub(super) fn of(order: &Order, kept: &Kept) -> Between {
        if !kept.is_excerpt() {
            return Between::default();
        }
        let mut between = Between {
            clocks: vec![Vec::new(); kept.len()],
            edges: Vec::new(),
        };
        let mut so_far = Progress {
            shown: vec![Vec::new(); order.process_count()],
            known: vec![None; order.process_count()],
        };
        let swept: Result<(), std::convert::Infallible> =
            sweep(order, order.process_count(), |event, clock| {
                clock[order.process_of(event).index()] = order.position_of(event);
                if let Some(place) = kept.place(event) {
                    let counted = (0..).zip(clock.iter().copied());
                    between.clocks[place] = counted.filter(|&(_, count)| count > 0).collect();
                    so_far.arrive(order, event, place as u32, &mut between);
                }
                Ok(())
            });
        match swept {
            Ok(()) => between,
            Err(never) => match never {},
        }
    }
}

/// The kept events seen so far.
struct Progress {
    /// Of each process: position and place of its kept events.
    shown: Vec<Vec<(u32, u32)>>,
    /// Of each process: the place of its last kept event.
    known: Vec<Option<u32>>,
}

impl Progress {
    /// Adds the edges into an event: from the last kept event of each process that it knows of and its predecessor on
    /// its own process does not, unless another of these knows of that one too.
    fn arrive(&mut self, order: &Order, event: EventId, place: u32, between: &mut Between) {
        let own = order.process_of(event).index();
        let direct: Vec<EventId> = order.crossing_into(event).to_vec();
        let earlier = self.known[own].map(|before| &between.clocks[before as usize]);
        let mut sources: Vec<(u32, u32, u32)> = Vec::new();
        for &(process, count) in &between.clocks[place as usize] {
            if process as usize == own {
                continue;
            }
            let shown = &self.shown[process as usize];
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
            let directly = direct.iter().any(|before| {
                (order.process_of(*before).raw(), order.position_of(*before)) == (process, position)
            });
            if !by_another && !directly {
                between.edges.push((from, place));
            }
        }
        self.shown[own].push((order.position_of(event), place));
        self.known[own] = Some(place);
    }
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
            let kept = Kept::around(order, focus, order.len() / 2);
            let between = Between::of(order, &kept);
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
        let kept = Kept::around(trace.order(), None, trace.len());
        assert!(!kept.is_excerpt());
        assert_eq!(kept.len(), trace.len());
    }

    #[test]
    fn the_focus_is_kept() {
        let trace = random_run(3);
        let last = EventId::new(trace.len() as u32 - 1);
        let kept = Kept::around(trace.order(), [last], 2);
        assert_eq!(kept.len(), 2);
        assert!(kept.place(last).is_some());
    }
}
