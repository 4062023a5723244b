//! The writes of one variable in causal order, and the value they leave at a cut.

use rustc_hash::FxHashMap;

use crate::ids::{EventId, VarId};
use crate::trace::Trace;
use crate::value::Value;

/// All writes of a variable, each before the next.
///
/// For a shared variable with a race this is just the recorded order; formulas may not name such a variable.
#[derive(Clone, Debug)]
pub struct History {
    /// The variable.
    pub var: VarId,
    /// What it holds before the first write.
    pub initial: Value,
    /// Who wrote it and what, in order.
    pub writes: Vec<(EventId, Value)>,
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
    fn push(&mut self, event: EventId, value: Value) {
        match self.writes.last_mut() {
            Some((last, written)) if *last == event => *written = value,
            _ => self.writes.push((event, value)),
        }
    }

    /// The value after the first `done` writes.
    pub fn value_after(&self, done: usize) -> Value {
        match done.checked_sub(1) {
            Some(last) => self.writes[last].1,
            None => self.initial,
        }
    }
}

impl Trace {
    /// The histories of some variables, gathered in one pass over the run.
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
        for event in self.order().recorded() {
            for write in self.writes(event) {
                if let Some(&slot) = slot_of.get(&write.var) {
                    histories[slot].push(event, write.value);
                }
            }
        }
        histories
    }
}
