//! The synchronous product of a specification and a purpose, built while it is explored.
//!
//! A state is a state of the specification followed by one of the purpose; both go along with every step, internal ones
//! included. Where the purpose accepts or refuses, there are no steps.

use causet_solve::keeper::Keeper;
use causet_solve::numbered::Numbered;
use causet_solve::space::Space;

use super::purpose::{Mark, Purpose};
use crate::system::Lts;
use crate::together::deal;

/// A stored system as a space whose states are single numbers.
#[derive(Clone, Copy, Debug)]
pub struct Stored<'a>(pub &'a Lts);

impl Stored<'_> {
    /// Whose a state of a product is: that of whoever has the state of the specification, so that a step stays at home where
    /// it does in the specification.
    pub fn keeper(&self, workers: usize, heap: Option<u32>) -> Keeper {
        Keeper::by_state(deal(self.0, workers, heap))
    }
}

impl Space for Stored<'_> {
    fn width(&self) -> usize {
        1
    }

    fn initial(&self, state: &mut [u32]) {
        state[0] = self.0.initial();
    }

    fn successors(&self, state: &[u32], each: &mut dyn FnMut(u32, &[u32])) {
        for step in self.0.steps(state[0]) {
            each(step.label, &[step.target]);
        }
    }
}

/// A specification that a purpose watches.
#[derive(Debug)]
pub struct Product<'a, S> {
    specification: &'a S,
    purpose: &'a Purpose,
}

impl<S> Clone for Product<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Product<'_, S> {}

impl<'a, S: Space> Product<'a, S> {
    /// The purpose must have been compiled for the labels of the specification.
    pub fn new(specification: &'a S, purpose: &'a Purpose) -> Self {
        Product {
            specification,
            purpose,
        }
    }

    /// What a state means for the test.
    pub fn mark(&self, row: &[u32]) -> Mark {
        self.purpose.mark(row[self.specification.width()])
    }
}

/// What a numbered state of a product means for the test.
pub(crate) fn mark_of<S: Space>(numbered: &Numbered<'_, Product<'_, S>>, state: u32) -> Mark {
    numbered.space().mark(numbered.row(state))
}

impl<S: Space> Space for Product<'_, S> {
    fn width(&self) -> usize {
        self.specification.width() + 1
    }

    fn initial(&self, state: &mut [u32]) {
        let width = self.specification.width();
        self.specification.initial(&mut state[..width]);
        state[width] = self.purpose.initial();
    }

    fn successors(&self, state: &[u32], each: &mut dyn FnMut(u32, &[u32])) {
        let (here, at) = state.split_at(self.specification.width());
        if self.purpose.mark(at[0]) != Mark::Open {
            return;
        }
        let mut row = state.to_vec();
        self.specification.successors(here, &mut |label, next| {
            row[..next.len()].copy_from_slice(next);
            row[next.len()] = self.purpose.next(at[0], label);
            each(label, &row);
        });
    }
}
