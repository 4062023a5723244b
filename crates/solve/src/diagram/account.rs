//! What a part of the work has taken from the budget, given back when that part is over.
//!
//! Arrays and tables that grow are charged for the new memory before the old is given back, because for a moment both
//! are there: a limit that only counts the entries is exceeded by half. So that the moment costs little, arrays grow by a
//! quarter only.

use hashbrown::HashTable;

use causet_base::budget::{Budget, Spent};

/// A share of a budget's memory.
pub(super) struct Account<'b> {
    budget: &'b Budget<'b>,
    charged: usize,
}

impl<'b> Account<'b> {
    /// Nothing taken yet.
    pub(super) fn new(budget: &'b Budget<'b>) -> Self {
        Account { budget, charged: 0 }
    }

    /// An empty account of the same budget, for the memory of one operation.
    pub(super) fn beside(&self) -> Account<'b> {
        Account::new(self.budget)
    }

    /// Counts one step of work.
    pub(super) fn tick(&self) -> Result<(), Spent> {
        self.budget.tick()
    }

    /// Takes memory.
    pub(super) fn charge(&mut self, bytes: usize) -> Result<(), Spent> {
        self.budget.charge(bytes)?;
        self.charged += bytes;
        Ok(())
    }

    /// Gives memory back.
    pub(super) fn release(&mut self, bytes: usize) {
        debug_assert!(bytes <= self.charged);
        self.budget.release(bytes);
        self.charged -= bytes;
    }

    /// An array of equal entries.
    pub(super) fn array<T: Clone>(&mut self, entry: T, len: usize) -> Result<Vec<T>, Spent> {
        self.charge(len * size_of::<T>())?;
        Ok(vec![entry; len])
    }

    /// Gives back the memory of an array.
    pub(super) fn give_back<T>(&mut self, array: Vec<T>) {
        self.release(array.capacity() * size_of::<T>());
        drop(array);
    }

    /// Makes room for `more` entries at the end of an array.
    pub(super) fn room<T>(&mut self, array: &mut Vec<T>, more: usize) -> Result<(), Spent> {
        if array.capacity() - array.len() >= more {
            return Ok(());
        }
        let before = array.capacity() * size_of::<T>();
        let grown = array.capacity() + array.capacity() / 4;
        let wanted = grown.max(array.len() + more).max(64);
        self.charge(wanted * size_of::<T>())?;
        array.reserve_exact(wanted - array.len());
        self.release(before);
        Ok(())
    }

    /// Makes room for one more entry in a hash table.
    pub(super) fn room_in<T>(
        &mut self,
        table: &mut HashTable<T>,
        hash: impl Fn(&T) -> u64,
    ) -> Result<(), Spent> {
        if table.len() < table.capacity() {
            return Ok(());
        }
        let before = table.allocation_size();
        let charged = (2 * before).max(256);
        self.charge(charged)?;
        table.reserve(1, hash);
        self.release(before + charged.saturating_sub(table.allocation_size()));
        Ok(())
    }
}

impl Drop for Account<'_> {
    fn drop(&mut self) {
        self.budget.release(self.charged);
    }
}
