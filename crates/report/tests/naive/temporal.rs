//! Temporal formulas by their definition: over all cuts that follow one, or along one order.

use std::collections::HashMap;

use causet_trace::{EventId, Trace};
use fastrand::Rng;

use super::{Form, Naive};

/// Whether a formula says more than something about one cut.
pub(crate) fn is_temporal(form: &Form) -> bool {
    match form {
        Form::Temporal(..) | Form::Until(..) => true,
        Form::Not(inner) => is_temporal(inner),
        Form::And(one, other) | Form::Or(one, other) | Form::Implies(one, other) => {
            is_temporal(one) || is_temporal(other)
        }
        _ => false,
    }
}

/// Whether a formula of CTL holds at a cut.
pub(crate) fn branching(trace: &Trace, form: &Form, counts: &[u32]) -> bool {
    Lattice {
        trace,
        known: HashMap::new(),
    }
    .holds(form, counts)
}

/// Whether a formula of LTL holds at a position of a complete order.
pub(crate) fn linear(trace: &Trace, form: &Form, run: &[EventId], at: usize) -> bool {
    let later = |form, from: usize| linear(trace, form, run, from);
    let last = run.len();
    match form {
        Form::Temporal(op, inner) => match op.as_str() {
            "G" => (at..=last).all(|at| later(inner, at)),
            "F" => (at..=last).any(|at| later(inner, at)),
            "N" => at == last || later(inner, at + 1),
            "X" => at < last && later(inner, at + 1),
            other => panic!("{other} is not of LTL"),
        },
        Form::Until(op, before, goal) => match (at..=last).find(|&at| later(goal, at)) {
            Some(end) => (at..end).all(|at| later(before, at)),
            None => op == "W" && (at..=last).all(|at| later(before, at)),
        },
        Form::Not(inner) => !later(inner, at),
        Form::And(one, other) => later(one, at) && later(other, at),
        Form::Or(one, other) => later(one, at) || later(other, at),
        Form::Implies(one, other) => !later(one, at) || later(other, at),
        plain => {
            let mut counts = vec![0; trace.order().process_count()];
            for &event in &run[..at] {
                counts[trace.order().process_of(event).index()] += 1;
            }
            let event = at.checked_sub(1).map(|index| run[index]);
            Naive::behind(trace, &counts, event).is(plain)
        }
    }
}

/// Some way to go on with an order to the end.
pub(crate) fn some_completion(trace: &Trace, run: &[EventId], rng: &mut Rng) -> Vec<EventId> {
    let mut run = run.to_vec();
    while run.len() < trace.len() {
        let can_follow = |event: &EventId| {
            let mut before = trace.order().predecessors(*event);
            !run.contains(event) && before.all(|one| run.contains(&one))
        };
        let open: Vec<EventId> = trace.order().recorded().filter(can_follow).collect();
        run.push(open[rng.usize(..open.len())]);
    }
    run
}

struct Lattice<'t> {
    trace: &'t Trace,
    known: HashMap<(*const Form, Vec<u32>), bool>,
}

impl Lattice<'_> {
    fn holds(&mut self, form: &Form, counts: &[u32]) -> bool {
        let key = (std::ptr::from_ref(form), counts.to_vec());
        if let Some(&truth) = self.known.get(&key) {
            return truth;
        }
        let truth = match form {
            Form::Temporal(op, inner) => {
                let here = self.holds(inner, counts);
                let next = self.next(counts);
                let mut later = |counts: &Vec<u32>| self.holds(form, counts);
                match op.as_str() {
                    "AG" => here && next.iter().all(&mut later),
                    "EF" => here || next.iter().any(&mut later),
                    "AF" => here || (!next.is_empty() && next.iter().all(&mut later)),
                    "EG" => here && (next.is_empty() || next.iter().any(&mut later)),
                    other => panic!("{other} is not of CTL"),
                }
            }
            Form::Not(inner) => !self.holds(inner, counts),
            Form::And(one, other) => self.holds(one, counts) && self.holds(other, counts),
            Form::Or(one, other) => self.holds(one, counts) || self.holds(other, counts),
            Form::Implies(one, other) => !self.holds(one, counts) || self.holds(other, counts),
            plain => Naive::at(self.trace, counts).is(plain),
        };
        self.known.insert(key, truth);
        truth
    }

    fn next(&self, counts: &[u32]) -> Vec<Vec<u32>> {
        let order = self.trace.order();
        let inside =
            |event: EventId| order.position_of(event) <= counts[order.process_of(event).index()];
        let ahead = order.processes().filter_map(|process| {
            let chain = order.chain(process);
            chain.get(counts[process.index()] as usize).copied()
        });
        let ready = ahead.filter(|&event| order.predecessors(event).all(inside));
        let step = |event| {
            let mut next = counts.to_vec();
            next[order.process_of(event).index()] += 1;
            next
        };
        ready.map(step).collect()
    }
}
