//! The reachable part of a space, state by state: the plain thing every cleverer engine is measured against.
//!
//! Breadth-first, so states are numbered level by level. In a graded space (every step leads one level up, as in the
//! lattice of cuts) all successors of a state therefore have larger numbers than it has.

use crate::index::Index;
use crate::space::Space;
use crate::store::{Rows, Store};
use causet_base::budget::{Budget, Spent};

/// All reachable states, numbered from 0 (the initial one), and the steps between them.
#[derive(Debug)]
pub struct Graph {
    states: Rows,
    /// Where the successors of each state end.
    ends: Store<u32>,
    successors: Store<u32>,
}

impl Graph {
    /// Explores a space from its initial state.
    pub fn explore(space: &dyn Space, budget: &Budget<'_>) -> Result<Graph, Spent> {
        let mut graph = Graph {
            states: Rows::new(space.width()),
            ends: Store::default(),
            successors: Store::default(),
        };
        let mut index = Index::default();
        let mut state = vec![0; space.width()];
        space.initial(&mut state);
        index.number(&state, &mut graph.states, budget)?;
        let mut next = 0;
        while next < graph.states.len() {
            budget.tick()?;
            state.copy_from_slice(graph.states.get(next));
            graph.expand(space, &state, &mut index, budget)?;
            next += 1;
        }
        index.drop_charged(budget);
        Ok(graph)
    }

    fn expand(
        &mut self,
        space: &dyn Space,
        state: &[u32],
        index: &mut Index,
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        let mut outcome = Ok(());
        space.successors(state, &mut |_, successor| {
            if outcome.is_ok() {
                outcome = index
                    .number(successor, &mut self.states, budget)
                    .and_then(|number| self.successors.push(number, budget));
            }
        });
        outcome?;
        let end = u32::try_from(self.successors.len()).map_err(|_| Spent::Memory)?;
        self.ends.push(end, budget)
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Never: the initial state is always there.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// How many steps there are.
    pub fn step_count(&self) -> usize {
        self.successors.len()
    }

    /// A state's row.
    pub fn state(&self, number: usize) -> &[u32] {
        self.states.get(number)
    }

    /// The numbers of a state's successors.
    pub fn successors(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        let start = number
            .checked_sub(1)
            .map_or(0, |before| self.ends.get(before));
        let range = start as usize..self.ends.get(number) as usize;
        self.successors.range(range).map(|number| number as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counters that go up to a bound, one step at a time.
    struct Grid(Vec<u32>);

    impl Space for Grid {
        fn width(&self) -> usize {
            self.0.len()
        }

        fn initial(&self, state: &mut [u32]) {
            state.fill(0);
        }

        fn successors(&self, state: &[u32], each: &mut dyn FnMut(u32, &[u32])) {
            for (axis, &bound) in self.0.iter().enumerate() {
                let mut next = state.to_vec();
                next[axis] += 1;
                if next[axis] <= bound {
                    each(axis as u32, &next);
                }
            }
        }
    }

    #[test]
    fn a_grid_is_explored_once_each_and_upwards() {
        let graph = Graph::explore(&Grid(vec![3, 2]), &Budget::endless()).expect("no limit");
        // Fixture T1 of the thesis notes: 12 states, 17 steps.
        assert_eq!((graph.len(), graph.step_count()), (12, 17));
        for number in 0..graph.len() {
            assert!(graph.successors(number).all(|successor| successor > number));
        }
    }

    #[test]
    fn memory_is_not_exceeded() {
        let limit = 3_000_000;
        let budget = Budget::endless().with_memory(limit, 0);
        let spent = Graph::explore(&Grid(vec![200; 3]), &budget);
        assert_eq!(spent.err(), Some(Spent::Memory));
        assert!(budget.used() <= limit);
    }
}
