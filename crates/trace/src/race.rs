//! Races: writes of one shared variable that nothing orders, so that its value at a cut is not defined.
//!
//! The writes come by in recorded order. An earlier write of another process either happened before the present one, and
//! then so did all still earlier ones of that process, or it races with it: the racing ones are the last few of a list.

use rustc_hash::FxHashMap;

use crate::clocks::sweep_processes;
use crate::trace::Trace;
use causet_base::ids::{EventId, ProcessId, VarId};

/// Two writes of a shared variable, neither of which happened before the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Race {
    /// The variable.
    pub var: VarId,
    /// The write recorded first.
    pub first: EventId,
    /// The write recorded second.
    pub second: EventId,
}

/// The races of a run.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Races {
    /// Some of them, as many per variable as were asked for.
    pub pairs: Vec<Race>,
    /// How many there are in all.
    pub total: u64,
}

impl Trace {
    /// The races, at most `most` of each variable listed; a variable that has one has one listed.
    pub fn races(&self, most: usize) -> Races {
        self.races_of(|_| true, most)
    }

    /// The same for some variables.
    pub fn races_of(&self, is_meant: impl Fn(VarId) -> bool, most: usize) -> Races {
        let writers = self.shared_by_several(is_meant);
        let mut columns: Vec<ProcessId> = writers.values().flatten().copied().collect();
        columns.sort_unstable();
        columns.dedup();
        let mut races = Races::default();
        if columns.is_empty() {
            return races;
        }
        let mut earlier: FxHashMap<VarId, Earlier> = writers
            .into_keys()
            .map(|var| (var, Earlier::new(columns.len(), most)))
            .collect();
        sweep_processes(self.order(), &columns, |event, clock| {
            for write in self.writes(event) {
                if let Some(earlier) = earlier.get_mut(&write.var) {
                    earlier.race(write.var, event, clock, &mut races);
                    let process = self.order().process_of(event);
                    if let Ok(column) = columns.binary_search(&process) {
                        let position = self.order().position_of(event);
                        earlier.writes[column].push((position, event));
                    }
                }
            }
        });
        races
    }

    /// Those of the shared variables with more than one writing process.
    fn shared_by_several(
        &self,
        is_meant: impl Fn(VarId) -> bool,
    ) -> FxHashMap<VarId, Vec<ProcessId>> {
        let mut writers: FxHashMap<VarId, Vec<ProcessId>> = FxHashMap::default();
        if self.shared_names().next().is_none() {
            return writers;
        }
        for event in self.events() {
            let process = self.order().process_of(event);
            let is_shared = |var: VarId| self.owner(var).is_none() && is_meant(var);
            for write in self.writes(event).filter(|write| is_shared(write.var)) {
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

/// The writes of a variable so far, per process, with their positions.
struct Earlier {
    writes: Vec<Vec<(u32, EventId)>>,
    /// How many races may still be listed.
    room: usize,
}

impl Earlier {
    fn new(processes: usize, room: usize) -> Self {
        Earlier {
            writes: vec![Vec::new(); processes],
            room,
        }
    }

    /// Adds the races of a write with those before it; its clock knows its own process best, so it has none there.
    fn race(&mut self, var: VarId, second: EventId, clock: &[u32], races: &mut Races) {
        for (writes, &known) in self.writes.iter().zip(clock) {
            let ordered = writes.partition_point(|&(position, _)| position <= known);
            let racing = &writes[ordered..];
            races.total += racing.len() as u64;
            let listed = racing.len().min(self.room);
            self.room -= listed;
            let pairs = racing[..listed].iter();
            races
                .pairs
                .extend(pairs.map(|&(_, first)| Race { var, first, second }));
        }
    }
}
