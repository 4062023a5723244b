//! The writes of one variable in causal order, and the value they leave at a cut.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::trace::Trace;
use crate::value::StoredValue;
use causet_base::ids::{EventId, ProcessId, VarId};

/// All writes of a variable, each before the next.
///
/// For a shared variable with a race this is just the recorded order; formulas may not name such a variable.
#[derive(Clone, Debug)]
pub struct History {
    /// The variable.
    pub var: VarId,
    /// What it holds before the first write.
    pub initial: StoredValue,
    /// Who wrote it and what, in order.
    pub writes: Vec<(EventId, StoredValue)>,
}

impl History {
    /// How many of the writes are in a cut; they are the first ones, since each happened before the next.
    pub fn done_in(&self, trace: &Trace, cut: &[u32]) -> usize {
        let order = trace.order();
        self.writes.partition_point(|&(event, _)| {
            order.position_of(event) <= cut[order.process_of(event).index()]
        })
    }

    /// Adds a write; of several by one event the last counts.
    fn push(&mut self, event: EventId, value: StoredValue) {
        match self.writes.last_mut() {
            Some((last, written)) if *last == event => *written = value,
            _ => self.writes.push((event, value)),
        }
    }

    /// The value after the first `done` writes.
    pub fn value_after(&self, done: usize) -> StoredValue {
        match done.checked_sub(1) {
            Some(last) => self.writes[last].1,
            None => self.initial,
        }
    }
}

impl Trace {
    /// The histories of some variables, gathered in one pass over the run, or over the processes that write them.
    pub fn histories(&self, vars: &[VarId]) -> Vec<History> {
        let slot_of: FxHashMap<VarId, usize> = vars.iter().copied().zip(0..).collect();
        let mut histories: Vec<History> = vars
            .iter()
            .map(|&var| History {
                var,
                initial: self.initial_value(var),
                writes: Vec::new(),
            })
            .collect();
        let mut gather = |event: EventId| {
            for write in self.writes(event) {
                if let Some(&slot) = slot_of.get(&write.var) {
                    histories[slot].push(event, write.value);
                }
            }
        };
        match self.few_writers(vars) {
            Some(writers) => writers
                .into_iter()
                .flat_map(|process| self.order().chain(process))
                .for_each(|&event| gather(event)),
            None => self.order().recorded().for_each(gather),
        }
        histories
    }

    /// The processes that write some variables, if these are local and the processes have no more than half of the
    /// events: one pass over all of them reads the memory in its order, which is the faster way to read most of it.
    fn few_writers(&self, vars: &[VarId]) -> Option<BTreeSet<ProcessId>> {
        let writers = vars.iter().map(|&var| self.owner(var));
        let writers: BTreeSet<ProcessId> = writers.collect::<Option<_>>()?;
        let events = |process: &ProcessId| self.order().chain(*process).len();
        let events: usize = writers.iter().map(events).sum();
        (events <= self.len() / 2).then_some(writers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Shape, run};

    #[test]
    fn the_writers_alone_give_the_histories_of_the_whole_run() {
        for seed in 0..50 {
            let shape = Shape {
                processes: 5,
                events: 60,
                messages: 0.3,
                writes: 0.9,
                shared: seed % 2 == 0,
            };
            let trace = run(&mut fastrand::Rng::with_seed(seed), shape);
            let vars: Vec<VarId> = trace.variables().collect();
            let all = trace.histories(&vars);
            for (&var, of_all) in vars.iter().zip(&all) {
                let writers = trace.few_writers(&[var]);
                assert!(trace.owner(var).is_none() || writers.is_some_and(|few| few.len() == 1));
                assert_eq!(
                    trace.histories(&[var])[0].writes,
                    of_all.writes,
                    "seed {seed}"
                );
            }
        }
    }
}
