//! From an argument on a projection back to the whole run.
//!
//! A visible event lifts to itself and everything it still waits for, in the order of the recording. All of that but the
//! event itself is invisible, so what the argument says of the cuts on the way stays true.

use causet_trace::{EventId, Ranks, Trace};
use fixedbitset::FixedBitSet;

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
        let trace = self.survey.subject.trace;
        let mut lifting = Lifting {
            trace,
            ranks: &self.survey.ranks,
            cut: self.first_cut(),
            happened: vec![0; trace.order().process_count()],
        };
        lifting.lift(self, route)
    }
}

struct Lifting<'t> {
    trace: &'t Trace,
    ranks: &'t Ranks,
    /// How far the chains of the projection are.
    cut: Vec<u32>,
    /// How far the processes are.
    happened: Vec<u32>,
}

impl Lifting<'_> {
    fn lift(&mut self, projection: &Projection<'_>, route: &Route) -> Trail {
        let mut run = Vec::new();
        for &chain in &route.steps {
            let event = projection.chain(chain)[self.cut[chain] as usize];
            self.cut[chain] += 1;
            self.happen([event].into(), &mut run);
        }
        if route.to_the_end {
            let order = self.trace.order();
            let last = order.processes().filter_map(|p| order.chain(p).last());
            self.happen(last.copied().collect(), &mut run);
        }
        let then = route.then.as_deref();
        Trail {
            focus: route.focus.clone(),
            run,
            then: then.map(|route| Box::new(self.lift(projection, route))),
        }
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
