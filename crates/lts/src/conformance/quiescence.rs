//! Where a system may be silent for ever, if nobody sends it anything.
//!
//! A state is quiescent when it has no step at all (deadlock), when it waits for inputs only (outputlock), or when it
//! lies on a cycle of internal steps (livelock): it may go round for ever. The last is a strongly connected component
//! of the internal steps with a step inside. States are looked at as they are met, each once, so that a product that is
//! explored on the fly need not be explored for this.

use causet_base::budget::{Budget, Spent};
use causet_solve::steps::{Edge, Steps};

use super::roles::{Alphabet, Role};
use crate::system::Lts;

/// Which states of a stored system are quiescent.
pub fn quiescent_states(
    lts: &Lts,
    alphabet: &Alphabet,
    budget: &Budget<'_>,
) -> Result<Vec<bool>, Spent> {
    budget.charge(lts.states() as usize * (size_of::<u32>() + size_of::<bool>()))?;
    let all: Vec<u32> = (0..lts.states()).collect();
    let mut cycles = Cycles::default();
    cycles.look_at(&mut &*lts, alphabet, &all, budget)?;
    let quiescent = |&state: &u32| cycles.contain(state) || waits(lts.steps(state), alphabet);
    Ok(all.iter().map(quiescent).collect())
}

/// Whether none of the steps of a state is an output or internal.
pub(crate) fn waits(steps: &[Edge], alphabet: &Alphabet) -> bool {
    let mut steps = steps.iter();
    steps.all(|step| alphabet.role(step.label) == Role::Input)
}

/// Given to states whose component is complete.
const DONE: u32 = u32::MAX;

/// The states on cycles of internal steps, as far as they have been looked at: Tarjan's search, which can be continued.
#[derive(Default)]
pub(crate) struct Cycles {
    /// For each state: 0 before it is met, then the least number it is known to reach on the stack, then [`DONE`].
    low: Vec<u32>,
    on_cycle: Vec<bool>,
    /// Whose component is not complete.
    open: Vec<u32>,
    visits: Vec<Visit>,
    numbered: u32,
}

/// A state on the way, the number it was given, and its next step to look at.
struct Visit {
    state: u32,
    number: u32,
    next: usize,
}

impl Cycles {
    /// Whether a state that has been looked at lies on a cycle.
    pub(crate) fn contain(&self, state: u32) -> bool {
        self.on_cycle[state as usize]
    }

    /// Looks at states and all that they reach by internal steps.
    pub(crate) fn look_at<T: Steps>(
        &mut self,
        steps: &mut T,
        alphabet: &Alphabet,
        states: &[u32],
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        for &state in states {
            self.make_room(state, budget)?;
            if self.low[state as usize] == 0 {
                self.enter(state);
            }
            while !self.visits.is_empty() {
                budget.tick()?;
                self.go_on(steps, alphabet, budget)?;
            }
        }
        Ok(())
    }

    fn make_room(&mut self, state: u32, budget: &Budget<'_>) -> Result<(), Spent> {
        let wanted = state as usize + 1;
        if wanted > self.low.len() {
            let more = wanted.next_power_of_two() - self.low.len();
            budget.charge(more * (size_of::<u32>() + size_of::<bool>()))?;
            self.low.resize(wanted.next_power_of_two(), 0);
            self.on_cycle.resize(wanted.next_power_of_two(), false);
        }
        Ok(())
    }

    fn enter(&mut self, state: u32) {
        self.numbered += 1;
        self.low[state as usize] = self.numbered;
        self.open.push(state);
        let number = self.numbered;
        let next = 0;
        self.visits.push(Visit {
            state,
            number,
            next,
        });
    }

    /// Follows the next internal step of the last state on the way, or leaves it.
    fn go_on<T: Steps>(
        &mut self,
        steps: &mut T,
        alphabet: &Alphabet,
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        let Some(Visit { state, next, .. }) = self.visits.last_mut() else {
            return Ok(());
        };
        let state = *state;
        let edges = steps.edges(state, budget)?;
        let internal = |edge: &Edge| alphabet.role(edge.label) == Role::Internal;
        let found = edges[*next..].iter().position(internal);
        let Some(found) = found else {
            self.leave();
            return Ok(());
        };
        let target = edges[*next + found].target;
        *next += found + 1;
        self.make_room(target, budget)?;
        self.on_cycle[state as usize] |= target == state;
        match self.low[target as usize] {
            0 => self.enter(target),
            DONE => {}
            low => self.low[state as usize] = self.low[state as usize].min(low),
        }
        Ok(())
    }

    fn leave(&mut self) {
        let Some(Visit { state, number, .. }) = self.visits.pop() else {
            return;
        };
        let low = self.low[state as usize];
        if let Some(before) = self.visits.last() {
            let before = &mut self.low[before.state as usize];
            *before = low.min(*before);
        }
        if low != number {
            return;
        }
        let first = self.open.iter().rposition(|&open| open == state);
        let component = self.open.split_off(first.unwrap_or(0));
        for &member in &component {
            self.low[member as usize] = DONE;
            self.on_cycle[member as usize] |= component.len() > 1;
        }
    }
}
