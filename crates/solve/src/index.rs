//! From the row of a state to its number: a hash table of numbers, whose keys stay with the rows.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::budget::{Budget, Spent};
use crate::store::Rows;

/// The numbers of the rows seen so far.
#[derive(Default)]
pub(crate) struct Index {
    numbers: HashTable<u32>,
    charged: usize,
}

impl Index {
    /// The number of a state, which is added when it is new.
    pub(crate) fn number(
        &mut self,
        state: &[u32],
        states: &mut Rows,
        budget: &Budget<'_>,
    ) -> Result<u32, Spent> {
        let hash = hash(state);
        let same = |&number: &u32| states.get(number as usize) == state;
        if let Some(&number) = self.numbers.find(hash, same) {
            return Ok(number);
        }
        self.make_room(states, budget)?;
        let number = u32::try_from(states.len()).map_err(|_| Spent::Memory)?;
        states.push(state, budget)?;
        self.numbers
            .insert_unique(hash, number, |&n| hash_of(states, n));
        Ok(number)
    }

    /// Grows the table, which takes the new one beside the old one for a moment.
    fn make_room(&mut self, states: &Rows, budget: &Budget<'_>) -> Result<(), Spent> {
        if self.numbers.len() < self.numbers.capacity() {
            return Ok(());
        }
        let grown = (2 * self.numbers.allocation_size()).max(64);
        budget.charge(grown)?;
        self.numbers.reserve(1, |&n| hash_of(states, n));
        budget.release(self.charged);
        self.charged = grown;
        Ok(())
    }

    /// Drops the table and gives its memory back.
    pub(crate) fn drop_charged(self, budget: &Budget<'_>) {
        budget.release(self.charged);
    }
}

fn hash_of(states: &Rows, number: u32) -> u64 {
    hash(states.get(number as usize))
}

fn hash(state: &[u32]) -> u64 {
    let mut hasher = FxHasher::default();
    for &word in state {
        hasher.write_u32(word);
    }
    hasher.finish()
}
