//! From the row of a state to its number: a hash table of numbers, whose keys stay with the rows.
//!
//! Nearly all the time of an exploration is spent waiting for this table, so it is made to be waited for once: a slot
//! holds half of a row's hash beside its number, in one array, with linear probing. A look takes one line of memory, and
//! a row is compared only when it is almost certainly the right one. The table grows without reading rows. (The table
//! of `hashbrown` keeps control bytes apart from entries and hashes all rows again when it grows: it took half as long
//! again on ten million states.)

use crate::store::Rows;
use causet_base::budget::{Budget, Spent};

/// The numbers of the rows seen so far.
#[derive(Default)]
pub(crate) struct Index {
    /// A power of two of them, or none at all; at most three quarters are taken.
    slots: Vec<Slot>,
    taken: usize,
}

/// A number and the hash of its row.
#[derive(Clone, Copy)]
struct Slot {
    hash: u32,
    number: u32,
}

/// A slot without a number.
const EMPTY: Slot = Slot {
    hash: 0,
    number: u32::MAX,
};

impl Index {
    /// The number of a state, which is added when it is new.
    pub(crate) fn number(
        &mut self,
        state: &[u32],
        states: &mut Rows,
        budget: &Budget<'_>,
    ) -> Result<u32, Spent> {
        if self.taken >= self.slots.len() / 4 * 3 {
            self.grow(budget)?;
        }
        let hash = hash(state);
        let mut place = first_place(hash, self.slots.len());
        loop {
            let slot = self.slots[place];
            if slot.number == EMPTY.number {
                break;
            }
            if slot.hash == hash && states.get(slot.number as usize) == state {
                return Ok(slot.number);
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
        let number = u32::try_from(states.len()).map_err(|_| Spent::Memory)?;
        if number == EMPTY.number {
            return Err(Spent::Memory);
        }
        states.push(state, budget)?;
        self.slots[place] = Slot { hash, number };
        self.taken += 1;
        Ok(number)
    }

    /// Doubles the table, which takes the new one beside the old one for a moment.
    #[cold]
    fn grow(&mut self, budget: &Budget<'_>) -> Result<(), Spent> {
        let size = (2 * self.slots.len()).max(16);
        budget.charge(size * size_of::<Slot>())?;
        let old = std::mem::replace(&mut self.slots, vec![EMPTY; size]);
        for slot in old.iter().filter(|slot| slot.number != EMPTY.number) {
            let mut place = first_place(slot.hash, size);
            while self.slots[place].number != EMPTY.number {
                place = (place + 1) & (size - 1);
            }
            self.slots[place] = *slot;
        }
        budget.release(old.len() * size_of::<Slot>());
        Ok(())
    }

    /// Drops the table and gives its memory back.
    pub(crate) fn drop_charged(self, budget: &Budget<'_>) {
        budget.release(self.slots.len() * size_of::<Slot>());
    }
}

/// Where to look first: the table keeps the order of the hashes, so that it grows from one end to the other.
fn first_place(hash: u32, size: usize) -> usize {
    ((u64::from(hash) * size as u64) >> u32::BITS) as usize
}

/// The upper half of a product depends on all bits below; so every word is multiplied, and the sum once more.
fn hash(state: &[u32]) -> u32 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = 0_u64;
    for &word in state {
        hash = (hash ^ u64::from(word)).wrapping_mul(ODD).rotate_left(29);
    }
    (hash.wrapping_mul(ODD) >> u32::BITS) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_numbers_while_the_table_grows() {
        let budget = Budget::endless();
        let (mut index, mut rows) = (Index::default(), Rows::new(2));
        for number in 0..30_000 {
            let row = [number % 100, number / 100];
            assert_eq!(index.number(&row, &mut rows, &budget), Ok(number));
        }
        for number in (0..30_000).rev() {
            let row = [number % 100, number / 100];
            assert_eq!(index.number(&row, &mut rows, &budget), Ok(number));
        }
        assert_eq!(rows.len(), 30_000);
    }

    #[test]
    fn the_memory_of_a_dropped_table_is_given_back() {
        let budget = Budget::endless();
        let (mut index, mut rows) = (Index::default(), Rows::new(1));
        index.number(&[7], &mut rows, &budget).expect("no limit");
        let before = budget.used();
        index.drop_charged(&budget);
        assert_eq!(before - budget.used(), 16 * size_of::<Slot>() as u64);
    }

    /// Rows like those of a lattice must not crowd: the mean way to a slot stays that of random hashes.
    #[test]
    fn close_rows_do_not_crowd() {
        for step in [1_u32, 2, 64, 1 << 16] {
            let budget = Budget::endless();
            let (mut index, mut rows) = (Index::default(), Rows::new(3));
            for number in 0..27_000 {
                let row = [number % 30, number / 30 % 30, number / 900].map(|word| word * step);
                index.number(&row, &mut rows, &budget).expect("no limit");
            }
            let size = index.slots.len();
            let ways = index
                .slots
                .iter()
                .enumerate()
                .filter(|(_, slot)| slot.number != EMPTY.number);
            let ways =
                ways.map(|(place, slot)| (place + size - first_place(slot.hash, size)) % size);
            let total: usize = ways.sum();
            assert!(total < 2 * 27_000, "{total} places for steps of {step}");
        }
    }
}
