//! Merging states that nothing tells apart, by refining a partition until it is stable.
//!
//! The signature of a state is its class and its decisions with states replaced by their classes. Decisions are canonical,
//! so two signatures are compared in one step, whatever the number of letters. For a complete deterministic automaton the
//! stable classes are the residual languages, and the result is the least automaton; for others they are the classes of the
//! coarsest bisimulation. Hopcroft's choice of the smaller half would need the inverse of the decisions.

use rustc_hash::FxHashMap;

use super::decisions::Decisions;
use super::{Automaton, State};
use causet_base::budget::{Budget, Spent};

impl Automaton {
    /// The automaton with bisimilar states merged, which for a complete deterministic one is the least.
    pub fn minimise(&self, budget: &Budget) -> Result<Automaton, Spent> {
        let reached = self.rebuild(Some);
        let classes = reached.classes(budget)?;
        let mut representative_of = FxHashMap::default();
        for (state, &class) in classes.iter().enumerate() {
            representative_of.entry(class).or_insert(state as State);
        }
        Ok(reached.rebuild(|state| Some(representative_of[&classes[state as usize]])))
    }

    /// The class of each state, such that states are in one class if and only if they are bisimilar.
    pub(super) fn classes(&self, budget: &Budget) -> Result<Vec<State>, Spent> {
        let mut classes: Vec<State> = self.accepting.iter().map(|&end| end.into()).collect();
        let mut count = 0;
        loop {
            let mut decisions = Decisions::new();
            let mut known = FxHashMap::default();
            let mut class_of = FxHashMap::default();
            let mut finer = Vec::with_capacity(classes.len());
            for (&place, &class) in self.moves.iter().zip(&classes) {
                budget.tick()?;
                let mut rename = |states: &[State]| {
                    let mut ends: Vec<_> = states.iter().map(|&s| classes[s as usize]).collect();
                    ends.sort_unstable();
                    ends.dedup();
                    ends
                };
                let place = decisions.copy(&self.decisions, place, &mut known, &mut rename);
                let fresh = class_of.len() as State;
                finer.push(*class_of.entry((class, place)).or_insert(fresh));
            }
            classes = finer;
            if class_of.len() == count {
                return Ok(classes);
            }
            count = class_of.len();
        }
    }
}
