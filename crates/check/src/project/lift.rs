//! From an argument on a projection back to the whole run.
//!
//! A visible event lifts to itself and everything it still waits for, in the order of the recording. All of that but the
//! event itself is invisible, so what the argument says of the cuts on the way stays true. That makes the shortest order
//! with these visible steps. An argument about a whole run has no use for a short one; it keeps to the recording
//! instead, putting off an event only when something it waits for is put off.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use causet_trace::{EventId, Ranks, Trace};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::Projection;
use crate::engine::Trail;

/// An argument like a [`Trail`], made of steps on the chains of a projection.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Route {
    /// Which part of each conjunction or disjunction on the way the argument is about.
    pub(crate) focus: Vec<usize>,
    /// The chains that advance, one after the other.
    pub(crate) steps: Vec<usize>,
    /// Whether the argument needs the run to be over after that.
    pub(crate) to_the_end: bool,
    /// The argument at the cut they lead to.
    pub(crate) then: Option<Box<Route>>,
}

impl Projection<'_> {
    /// An argument from the initial cut in terms of the run.
    pub(crate) fn lift(&self, route: &Route) -> Trail {
        let mut lifting = Lifting::new(self, None);
        lifting.lift(self, route)
    }

    /// A word in terms of the run, up to a cut or to the end: chains that advance one after the other. When they do not get
    /// there, nothing after them matters, and all that is left happens in the order of the recording.
    pub(crate) fn lift_word(&self, steps: &[usize], end: Option<&[u32]>) -> Trail {
        let trace = self.survey.subject.trace;
        let mut lifting = Lifting::new(self, end);
        let visible = lifting.visible(self, steps);
        let is_complete = lifting.cut == self.within(end);
        let mut run = Vec::with_capacity(trace.len());
        if is_complete {
            lifting.complete(&visible, &mut run);
            return Trail {
                run,
                ..Trail::default()
            };
        }
        for event in visible {
            lifting.happen([event].into(), &mut run);
        }
        let enough = Some(run.len());
        let left = trace.order().recorded();
        run.extend(left.filter(|&event| !lifting.has_happened(event) && !lifting.is_beyond(event)));
        Trail {
            run,
            enough,
            ..Trail::default()
        }
    }

    /// How many events of each chain lie within a cut of the run.
    pub(crate) fn within(&self, end: Option<&[u32]>) -> Vec<u32> {
        let Some(end) = end else {
            return self.last_cut();
        };
        let order = self.survey.subject.trace.order();
        let inside =
            |event: &EventId| order.position_of(*event) <= end[order.process_of(*event).index()];
        let chains = 0..self.chains.len();
        chains
            .map(|chain| self.chain(chain).partition_point(inside) as u32)
            .collect()
    }
}

/// A run being brought to its end.
struct Finish<'a> {
    visible: &'a [EventId],
    turn_of: FxHashMap<EventId, u32>,
    /// How many of the visible ones have happened.
    turn: u32,
    /// Per event, the ranks of those that wait for it.
    put_off: FxHashMap<EventId, Vec<u32>>,
}

struct Lifting<'t> {
    trace: &'t Trace,
    ranks: &'t Ranks,
    /// How far the chains of the projection are.
    cut: Vec<u32>,
    /// How far the processes are.
    happened: Vec<u32>,
    /// How far they may come, if not to the end.
    end: Option<Vec<u32>>,
}

impl<'t> Lifting<'t> {
    /// Nothing has happened yet.
    fn new(projection: &'t Projection<'_>, end: Option<&[u32]>) -> Self {
        let trace = projection.survey.subject.trace;
        Lifting {
            trace,
            ranks: &projection.survey.ranks,
            cut: projection.first_cut(),
            happened: vec![0; trace.order().process_count()],
            end: end.map(<[u32]>::to_vec),
        }
    }

    fn lift(&mut self, projection: &Projection<'_>, route: &Route) -> Trail {
        let mut run = Vec::new();
        let visible = self.visible(projection, &route.steps);
        match route.to_the_end {
            true => self.complete(&visible, &mut run),
            false => {
                for event in visible {
                    self.happen([event].into(), &mut run);
                }
            }
        }
        let then = route.then.as_deref();
        Trail {
            focus: route.focus.clone(),
            run,
            then: then.map(|route| Box::new(self.lift(projection, route))),
            enough: None,
        }
    }

    /// The events with which chains advance one after the other.
    fn visible(&mut self, projection: &Projection<'_>, steps: &[usize]) -> Vec<EventId> {
        let mut visible = Vec::with_capacity(steps.len());
        for &chain in steps {
            visible.push(projection.chain(chain)[self.cut[chain] as usize]);
            self.cut[chain] += 1;
        }
        visible
    }

    /// Lets all events happen that have not, these in this order.
    fn complete(&mut self, visible: &[EventId], run: &mut Vec<EventId>) {
        let mut finish = Finish {
            turn_of: visible.iter().copied().zip(0..).collect(),
            visible,
            turn: 0,
            put_off: FxHashMap::default(),
        };
        for rank in 0..self.trace.len() as u32 {
            let mut now = BinaryHeap::from([Reverse(rank)]);
            while let Some(Reverse(rank)) = now.pop() {
                let event = self.ranks.at(rank);
                if self.has_happened(event) || self.is_beyond(event) {
                    continue;
                }
                if let Some(blocker) = self.blocker(event, &finish) {
                    finish.put_off.entry(blocker).or_default().push(rank);
                    continue;
                }
                let process = self.trace.order().process_of(event);
                self.happened[process.index()] += 1;
                finish.turn += u32::from(finish.turn_of.contains_key(&event));
                run.push(event);
                let waiting = finish.put_off.remove(&event).into_iter().flatten();
                now.extend(waiting.map(Reverse));
            }
        }
    }

    fn is_beyond(&self, event: EventId) -> bool {
        let order = self.trace.order();
        let process = order.process_of(event).index();
        let end = self.end.as_ref();
        end.is_some_and(|end| order.position_of(event) > end[process])
    }

    fn has_happened(&self, event: EventId) -> bool {
        let order = self.trace.order();
        order.position_of(event) <= self.happened[order.process_of(event).index()]
    }

    /// What an event still waits for: something that must come before it, or its turn among the visible ones.
    fn blocker(&self, event: EventId, finish: &Finish<'_>) -> Option<EventId> {
        let mut before = self.trace.order().predecessors(event);
        let missing = before.find(|&before| !self.has_happened(before));
        let turn = finish
            .turn_of
            .get(&event)
            .filter(|&&turn| turn > finish.turn);
        missing.or(turn.map(|&turn| finish.visible[turn as usize - 1]))
    }

    /// Lets events happen, after all they wait for.
    fn happen(&mut self, mut waiting: Vec<EventId>, run: &mut Vec<EventId>) {
        let order = self.trace.order();
        let start = run.len();
        while let Some(event) = waiting.pop() {
            let process = order.process_of(event);
            let (from, to) = (self.happened[process.index()], order.position_of(event));
            if from >= to {
                continue;
            }
            for &next in &order.chain(process)[from as usize..to as usize] {
                run.push(next);
                waiting.extend_from_slice(order.crossing_into(next));
            }
            self.happened[process.index()] = to;
        }
        self.arrange(&mut run[start..]);
    }

    /// Puts events into the order of the recording: a few by comparing them, many by marking their places.
    fn arrange(&self, events: &mut [EventId]) {
        if events.len() < self.trace.len() / 64 {
            events.sort_unstable_by_key(|&event| self.ranks.of(event));
            return;
        }
        let mut places = FixedBitSet::with_capacity(self.trace.len());
        for event in events.iter() {
            places.insert(self.ranks.of(*event) as usize);
        }
        for (slot, place) in events.iter_mut().zip(places.ones()) {
            *slot = self.ranks.at(place as u32);
        }
    }
}
