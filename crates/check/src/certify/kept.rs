//! The events a claim can see, with the order that the whole run imposes on them.
//!
//! A kept event needs so many kept events of every other process to have happened. Those numbers are a vector clock over
//! the processes with kept events only, and they travel along the edges of the run through events that are not kept. A
//! few processes are followed at a time, so that a pass over a long run with many processes takes little memory.

use causet_base::budget::{Budget, Spent};
use causet_trace::{EventId, Order, ProcessId, Trace};

use super::charge::Charge;
use super::rows::Rows;

/// How many processes are followed in one pass.
const WIDTH: usize = 8;

/// Some events that lie ahead of a cut, by process.
pub(super) struct Kept {
    /// The cut.
    since: Vec<u32>,
    lanes: Vec<Lane>,
    /// Per event of the lanes, by its number: how many events of which other lanes come first, as far as the event before
    /// it on its own lane did not need them already.
    needs: Rows<(usize, u32)>,
}

/// The kept events of one process.
struct Lane {
    process: ProcessId,
    events: Vec<EventId>,
    /// Their places in the recorded order of all kept events.
    numbers: Vec<usize>,
}

impl Kept {
    /// Orders those of the given events, which come as they were recorded, that are not in the cut.
    pub(super) fn new(
        trace: &Trace,
        since: &[u32],
        events: &[EventId],
        budget: &Budget<'_>,
    ) -> Result<Self, Spent> {
        let mut kept = Kept {
            since: since.to_vec(),
            lanes: Vec::new(),
            needs: Rows::new(),
        };
        kept.fill_lanes(trace, events);
        let mut needs = Vec::new();
        if kept.lanes.len() > 1 {
            for first in (0..kept.lanes.len()).step_by(WIDTH) {
                kept.follow(trace, first, &mut needs, budget)?;
            }
        }
        kept.needs = Rows::group(events.len(), needs);
        Ok(kept)
    }

    /// How many processes have events here.
    pub(super) fn width(&self) -> usize {
        self.lanes.len()
    }

    /// Where a later cut stands among these events; `None` when the cut is not a later one.
    pub(super) fn counts(&self, happened: &[u32], order: &Order) -> Option<Vec<u32>> {
        let later = happened
            .iter()
            .zip(&self.since)
            .all(|(now, then)| now >= then);
        let count = |lane: &Lane| {
            let reached = happened[lane.process.index()];
            let past = |&event: &EventId| order.position_of(event) <= reached;
            lane.events.partition_point(past) as u32
        };
        later.then(|| self.lanes.iter().map(count).collect())
    }

    /// The next event of a lane, when all it needs has happened.
    pub(super) fn possible(&self, counts: &[u32], lane: usize) -> Option<EventId> {
        let at = counts[lane] as usize;
        let number = *self.lanes[lane].numbers.get(at)?;
        let mut needs = self.needs.row(number).iter();
        needs
            .all(|&(other, count)| counts[other] >= count)
            .then(|| self.lanes[lane].events[at])
    }

    fn fill_lanes(&mut self, trace: &Trace, events: &[EventId]) {
        let order = trace.order();
        let mut lane_of = vec![None; order.process_count()];
        for (number, &event) in events.iter().enumerate() {
            let process = order.process_of(event);
            let lane = *lane_of[process.index()].get_or_insert_with(|| {
                self.lanes.push(Lane {
                    process,
                    events: Vec::new(),
                    numbers: Vec::new(),
                });
                self.lanes.len() - 1
            });
            self.lanes[lane].events.push(event);
            self.lanes[lane].numbers.push(number);
        }
    }

    /// Finds out what the kept events need of the lanes from `first` on, in one pass over everything after the cut.
    fn follow(
        &self,
        trace: &Trace,
        first: usize,
        needs: &mut Vec<Need>,
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        let order = trace.order();
        let mut charge = Charge::new(budget);
        charge.take(order.len() * size_of::<Clock>())?;
        let mut known: Vec<Clock> = vec![[0; WIDTH]; order.len()];
        let mut course = Course::new(self, order, first);
        for event in order.recorded() {
            budget.tick()?;
            let process = order.process_of(event).index();
            if order.position_of(event) <= self.since[process] {
                continue;
            }
            let mut clock = [0; WIDTH];
            for before in order.predecessors(event) {
                for (entry, &other) in clock.iter_mut().zip(&known[before.index()]) {
                    *entry = other.max(*entry);
                }
            }
            if let Some(lane) = course.lane_of[process] {
                course.meet(event, lane, &mut clock, needs);
            }
            known[event.index()] = clock;
        }
        Ok(())
    }
}

/// How many events of each lane followed have happened.
type Clock = [u32; WIDTH];

/// The number of a kept event, and how many events of which lane it needs.
type Need = (usize, (usize, u32));

/// How far a pass has come on each lane.
struct Course<'k> {
    kept: &'k Kept,
    /// The first lane followed.
    first: usize,
    lane_of: Vec<Option<usize>>,
    /// Per lane: how many of its events have been met.
    met: Vec<u32>,
    /// Per lane: what the last of them needed.
    needed: Vec<Clock>,
}

impl<'k> Course<'k> {
    fn new(kept: &'k Kept, order: &Order, first: usize) -> Self {
        let mut lane_of = vec![None; order.process_count()];
        for (number, lane) in kept.lanes.iter().enumerate() {
            lane_of[lane.process.index()] = Some(number);
        }
        Course {
            kept,
            first,
            lane_of,
            met: vec![0; kept.lanes.len()],
            needed: vec![[0; WIDTH]; kept.lanes.len()],
        }
    }

    /// Notes what an event needs, if it is kept, and counts it.
    fn meet(&mut self, event: EventId, lane: usize, clock: &mut Clock, needs: &mut Vec<Need>) {
        let Lane {
            events, numbers, ..
        } = &self.kept.lanes[lane];
        let at = self.met[lane] as usize;
        if events.get(at) != Some(&event) {
            return;
        }
        for (followed, (&now, before)) in clock.iter().zip(self.needed[lane]).enumerate() {
            let other = self.first + followed;
            if now > before && other != lane {
                needs.push((numbers[at], (other, now)));
            }
        }
        self.needed[lane] = *clock;
        self.met[lane] += 1;
        if let Some(own) = lane
            .checked_sub(self.first)
            .and_then(|own| clock.get_mut(own))
        {
            *own = self.met[lane];
        }
    }
}

#[cfg(test)]
mod tests {
    use causet_trace::random::{self, Shape};
    use causet_trace::{Clocks, Cut};

    use super::*;

    /// Which kept events may happen after others, by the definition.
    fn possible(
        order: &Order,
        clocks: &Clocks,
        kept: &[EventId],
        done: &[EventId],
    ) -> Vec<EventId> {
        let may_happen = |&event: &EventId| {
            let is_before = |&before: &EventId| clocks.happened_before(order, before, event);
            let mut before = kept.iter().copied().filter(is_before);
            !done.contains(&event) && before.all(|before| done.contains(&before))
        };
        kept.iter().copied().filter(may_happen).collect()
    }

    fn walk(rng: &mut fastrand::Rng, trace: &Trace, since: &Cut, events: &[EventId]) {
        let order = trace.order();
        let clocks = Clocks::new(order);
        let kept = Kept::new(trace, since.counts(), events, &Budget::endless());
        let kept = kept.expect("no limit");
        let mut counts = vec![0; kept.width()];
        let mut done = Vec::new();
        loop {
            let lanes = (0..kept.width()).filter(|&lane| kept.possible(&counts, lane).is_some());
            let lanes: Vec<usize> = lanes.collect();
            let next = |lane: &usize| kept.lanes[*lane].events[counts[*lane] as usize];
            let mut found: Vec<EventId> = lanes.iter().map(next).collect();
            let mut expected = possible(order, &clocks, events, &done);
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "after {done:?}");
            let Some(&lane) = rng.choice(&lanes) else {
                break;
            };
            done.push(kept.lanes[lane].events[counts[lane] as usize]);
            counts[lane] += 1;
        }
        assert_eq!(done.len(), events.len());
    }

    #[test]
    fn a_kept_event_waits_for_every_kept_event_before_it() {
        for seed in 0..400 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let shape = Shape {
                processes: rng.usize(1..=2 * WIDTH + 3),
                events: 60,
                messages: 0.8,
                writes: 0.0,
                shared: false,
            };
            let trace = random::run(&mut rng, shape);
            let order = trace.order();
            let since = order.closure(order.recorded().take(rng.usize(0..40)));
            let ahead = order
                .recorded()
                .filter(|&event| !order.contains(&since, event));
            let events: Vec<EventId> = ahead.filter(|_| rng.bool()).collect();
            walk(&mut rng, &trace, &since, &events);
        }
    }
}
