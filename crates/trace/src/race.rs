//! Races: writes of one shared variable that nothing orders, so that its value at a cut is not defined.

use rustc_hash::FxHashMap;

use crate::clocks::sweep;
use crate::ids::{EventId, ProcessId, VarId};
use crate::trace::Trace;

/// Two writes of a shared variable, next to each other in the recorded order, neither of which happened before the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Race {
    /// The variable.
    pub var: VarId,
    /// The write recorded first.
    pub first: EventId,
    /// The write recorded second.
    pub second: EventId,
}

impl Trace {
    /// The races among neighbouring writes; a variable has a race if and only if one of its pairs is listed here.
    ///
    /// (If each write happened before the next recorded one, all writes are ordered.)
    pub fn races(&self) -> Vec<Race> {
        let suspects = self.shared_by_several();
        let mut columns: Vec<ProcessId> = suspects.values().flatten().copied().collect();
        columns.sort_unstable();
        columns.dedup();
        let mut races = Vec::new();
        if columns.is_empty() {
            return races;
        }
        let order = self.order();
        let mut last: FxHashMap<VarId, EventId> = FxHashMap::default();
        sweep(order, &columns, |event, clock| {
            for write in self.writes(event) {
                if !suspects.contains_key(&write.var) {
                    continue;
                }
                let Some(first) = last.insert(write.var, event) else {
                    continue;
                };
                let column = columns.binary_search(&order.process_of(first));
                let ordered = column.is_ok_and(|at| clock[at] >= order.position_of(first));
                if !ordered {
                    races.push(Race {
                        var: write.var,
                        first,
                        second: event,
                    });
                }
            }
        });
        races
    }

    /// Shared variables with more than one writing process.
    fn shared_by_several(&self) -> FxHashMap<VarId, Vec<ProcessId>> {
        let mut writers: FxHashMap<VarId, Vec<ProcessId>> = FxHashMap::default();
        if self.shared_names().next().is_none() {
            return writers;
        }
        for event in self.events() {
            let process = self.order().process_of(event);
            for write in self.writes(event).filter(|w| self.owner(w.var).is_none()) {
                let known = writers.entry(write.var).or_default();
                if !known.contains(&process) {
                    known.push(process);
                }
            }
        }
        writers.retain(|_, processes| processes.len() > 1);
        writers
    }
}
