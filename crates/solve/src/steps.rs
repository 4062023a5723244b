//! Transition systems whose states have numbers: what is stored, or what has been explored so far.

use crate::deal::Locator;
use causet_base::budget::{Budget, Spent};

/// A step to a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    /// The number of its label.
    pub label: u32,
    /// The number of the state it leads to, as a [`Locator`] takes it.
    pub target: u32,
}

/// Numbered states and the steps between them.
pub trait Steps {
    /// The bit of a target that is a state of somebody else; none when all states are here.
    const FOREIGN: u32 = 0;

    /// The initial state.
    fn initial(&self) -> u32;

    /// The steps from a state, which may have to be worked out first.
    fn edges(&mut self, state: u32, budget: &Budget<'_>) -> Result<&[Edge], Spent>;

    /// The same, with how their targets are spoken of here: with the bit, if they are states of somebody else.
    fn located_edges(
        &mut self,
        state: u32,
        budget: &Budget<'_>,
    ) -> Result<(&[Edge], &Locator<'_>), Spent> {
        Ok((self.edges(state, budget)?, &Locator::HOME))
    }

    /// Looks at the steps of states that are going to be asked for, so that the processor has them by then.
    fn anticipate(&self, _states: impl Iterator<Item = u32>) {}

    /// Whether no state can be reached from itself.
    fn is_acyclic(&self) -> bool {
        false
    }

    /// Whether a state satisfies an atomic proposition of the formula at hand; a bare system has none.
    fn holds(&self, _atom: u32, _state: u32) -> bool {
        false
    }
}
