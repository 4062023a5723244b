//! Finds and numbers the states of a system that is given by its steps, breadth first.
//!
//! The states are kept once, in the order of their numbers; the table that finds a number again holds numbers only.

use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxBuildHasher;

/// The states that were found, and how many steps lead from one to another.
pub(super) struct Explored<S> {
    /// The states by their numbers.
    pub(super) states: Vec<S>,
    /// How many steps there are.
    pub(super) steps: u64,
    numbers: HashTable<u32>,
}

/// Explores everything that can be reached; `steps` pushes the states after one, in the order in which they are numbered.
pub(super) fn explore<S: Copy + Eq + Hash>(
    initial: S,
    mut steps: impl FnMut(S, &mut Vec<S>),
) -> Explored<S> {
    let mut explored = Explored {
        states: Vec::new(),
        steps: 0,
        numbers: HashTable::new(),
    };
    explored.insert(initial);
    let mut after = Vec::new();
    let mut next = 0;
    while let Some(&state) = explored.states.get(next) {
        steps(state, &mut after);
        for state in after.drain(..) {
            explored.insert(state);
            explored.steps += 1;
        }
        next += 1;
    }
    explored
}

impl<S: Copy + Eq + Hash> Explored<S> {
    /// The number of a state that was found.
    pub(super) fn number(&self, state: S) -> Option<u32> {
        let same = |&number: &u32| self.states[number as usize] == state;
        self.numbers.find(hash(&state), same).copied()
    }

    fn insert(&mut self, state: S) {
        let Explored {
            states, numbers, ..
        } = self;
        let entry = numbers.entry(
            hash(&state),
            |&number| states[number as usize] == state,
            |&number| hash(&states[number as usize]),
        );
        if let Entry::Vacant(place) = entry {
            let number = u32::try_from(states.len());
            place.insert(number.expect("the settings keep the number of states below 2^32"));
            states.push(state);
        }
    }
}

fn hash(state: &impl Hash) -> u64 {
    FxBuildHasher.hash_one(state)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_numbered_as_they_are_met() {
        let explored = explore(10, |state: u8, after| after.extend([state / 2, state / 3]));
        assert_eq!(explored.states, [10, 5, 3, 2, 1, 0]);
        assert_eq!(explored.steps, 12);
        assert_eq!((explored.number(2), explored.number(7)), (Some(3), None));
    }
}
