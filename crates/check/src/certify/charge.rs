//! Memory taken from a budget, given back with the value that holds it.

use causet_base::budget::{Budget, Spent};

/// How much has been taken.
pub(super) struct Charge<'b> {
    budget: &'b Budget<'b>,
    bytes: usize,
}

impl<'b> Charge<'b> {
    /// Nothing so far.
    pub(super) fn new(budget: &'b Budget<'b>) -> Self {
        Charge { budget, bytes: 0 }
    }

    /// Takes more; fails when the limit is reached.
    pub(super) fn take(&mut self, bytes: usize) -> Result<(), Spent> {
        self.budget.charge(bytes)?;
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for Charge<'_> {
    fn drop(&mut self) {
        self.budget.release(self.bytes);
    }
}
