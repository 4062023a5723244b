//! The limits of a story: every loop counts its steps here and ends early once they are spent, and what was found out
//! by then is thrown away.
//!
//! A refusal that every function passes on was the alternative. A story is put together from some forty functions that
//! say `None` where there is nothing to say, so one mark that is looked at in the end is less to read.

use std::cell::Cell;

use causet_base::budget::{Budget, Spent};

/// Steps between two looks at the limits.
const STEPS_PER_LOOK: u64 = 4096;

/// What a story may still take.
pub(super) struct StoryBudget<'a> {
    budget: &'a Budget<'a>,
    /// Steps that the budget does not know of yet.
    steps: Cell<u64>,
    spent: Cell<Option<Spent>>,
    /// Bytes to give back.
    charged: Cell<usize>,
}

impl Drop for StoryBudget<'_> {
    fn drop(&mut self) {
        self.budget.release(self.charged.get());
    }
}

impl<'a> StoryBudget<'a> {
    /// All of a budget.
    pub(super) fn new(budget: &'a Budget<'a>) -> Self {
        StoryBudget {
            budget,
            steps: Cell::new(0),
            spent: Cell::new(None),
            charged: Cell::new(0),
        }
    }

    /// The budget itself, for work that counts its own steps.
    pub(super) fn within(&self) -> &'a Budget<'a> {
        self.budget
    }

    /// Counts steps of work; false once the limits are spent.
    pub(super) fn allows(&self, steps: usize) -> bool {
        let counted = self.steps.get() + steps as u64;
        self.steps.set(counted);
        if counted >= STEPS_PER_LOOK {
            self.look();
        }
        self.spent.get().is_none()
    }

    /// Takes memory; false when there is not enough.
    pub(super) fn charge(&self, bytes: usize) -> bool {
        match self.budget.charge(bytes) {
            Ok(()) => self.charged.set(self.charged.get() + bytes),
            Err(spent) => self.spent.set(Some(spent)),
        }
        self.spent.get().is_none()
    }

    /// Which limit was reached, if one was: then nothing that was found out counts.
    pub(super) fn spent(&self) -> Option<Spent> {
        self.look();
        self.spent.get()
    }

    fn look(&self) {
        if let Err(spent) = self.budget.tick_many(self.steps.take()) {
            self.spent.set(Some(spent));
        }
    }
}
