//! A level of the lattice: its cuts in rows of one width, each with a set of automaton states and a note.
//!
//! All steps lead one level up, so a cut can only be met again while its own level is being built (thesis, 5.2.2, p. 99).
//! That is why one table a level is enough and none of visited cuts is needed. Cuts, sets and notes lie in flat arrays, a
//! table of numbers with open addressing finds them, and all of it is paid for before it is taken.

use std::hash::Hasher;

use causet_base::budget::{Budget, Spent};
use rustc_hash::FxHasher;

/// A place of the table that is free.
const FREE: u32 = u32::MAX;

/// The cuts of one level.
#[derive(Clone, Default, Debug)]
pub struct Cuts {
    /// How many chains a cut has.
    width: usize,
    /// How many words of states a cut has.
    states: usize,
    /// How many words of notes a cut has.
    notes: usize,
    len: usize,
    rows: Vec<u32>,
    words: Vec<u64>,
    /// Numbers of cuts by hash; a power of two, or none.
    slots: Vec<u32>,
    charged: usize,
}

impl Cuts {
    /// No cuts yet, of so many chains and with so many words of states and notes each.
    pub fn new(width: usize, states: usize, notes: usize) -> Self {
        Cuts {
            width,
            states,
            notes,
            ..Cuts::default()
        }
    }

    /// How many cuts there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A cut.
    pub fn cut(&self, number: usize) -> &[u32] {
        &self.rows[number * self.width..][..self.width]
    }

    /// The automaton states at a cut, a bit each.
    pub fn states(&self, number: usize) -> &[u64] {
        &self.words[number * (self.states + self.notes)..][..self.states]
    }

    /// The note at a cut.
    pub fn note(&self, number: usize) -> &[u64] {
        &self.words[number * (self.states + self.notes) + self.states..][..self.notes]
    }

    /// The automaton states and the note at a cut, to be changed.
    pub fn parts(&mut self, number: usize) -> (&mut [u64], &mut [u64]) {
        let both = self.states + self.notes;
        self.words[number * both..][..both].split_at_mut(self.states)
    }

    /// The number of a cut, if it is here.
    pub fn find(&self, cut: &[u32]) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        match self.slots[self.slot(cut)] {
            FREE => None,
            number => Some(number as usize),
        }
    }

    /// The number of a cut, and whether it was not here before; a new one has no states and a note of zeros.
    pub fn enter(&mut self, cut: &[u32], budget: &Budget<'_>) -> Result<(usize, bool), Spent> {
        if (self.len + 1) * 2 > self.slots.len() {
            self.rehash(budget)?;
        }
        let slot = self.slot(cut);
        if self.slots[slot] != FREE {
            return Ok((self.slots[slot] as usize, false));
        }
        let number = u32::try_from(self.len).map_err(|_| Spent::Memory)?;
        let words = self.states + self.notes;
        self.charged += make_room(&mut self.rows, self.width, budget)?;
        self.charged += make_room(&mut self.words, words, budget)?;
        self.rows.extend_from_slice(cut);
        self.words.resize(self.words.len() + words, 0);
        self.slots[slot] = number;
        self.len += 1;
        Ok((self.len - 1, true))
    }

    /// Forgets all cuts but keeps the room they had; as many as `expected` may come.
    pub fn clear(&mut self, expected: usize) {
        let enough = (4 * expected).next_power_of_two().max(16);
        self.slots.truncate(enough);
        self.slots.fill(FREE);
        self.rows.clear();
        self.words.clear();
        self.len = 0;
    }

    /// A copy without spare room.
    pub fn copy(&self, budget: &Budget<'_>) -> Result<Cuts, Spent> {
        let bytes =
            size_of_val(&*self.rows) + size_of_val(&*self.words) + size_of_val(&*self.slots);
        budget.charge(bytes)?;
        Ok(Cuts {
            rows: self.rows.clone(),
            words: self.words.clone(),
            slots: self.slots.clone(),
            charged: bytes,
            ..*self
        })
    }

    /// Gives the memory back.
    pub fn free(self, budget: &Budget<'_>) {
        budget.release(self.charged);
    }

    /// Where a cut is or would be.
    fn slot(&self, cut: &[u32]) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash(cut) & mask;
        while self.slots[slot] != FREE && self.cut(self.slots[slot] as usize) != cut {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// Doubles the table.
    fn rehash(&mut self, budget: &Budget<'_>) -> Result<(), Spent> {
        let size = (2 * self.slots.len()).max(16);
        let missing = size - self.slots.len();
        self.charged += make_room(&mut self.slots, missing, budget)?;
        self.slots.resize(size, FREE);
        self.slots.fill(FREE);
        for number in 0..self.len {
            let slot = self.slot(self.cut(number));
            self.slots[slot] = number as u32;
        }
        Ok(())
    }
}

/// Room for so many more entries: how many bytes were taken for it.
fn make_room<T>(list: &mut Vec<T>, more: usize, budget: &Budget<'_>) -> Result<usize, Spent> {
    if list.len() + more <= list.capacity() {
        return Ok(0);
    }
    let before = list.capacity();
    let grown = (2 * before).max(list.len() + more);
    // The new list stands beside the old one for a moment.
    budget.charge(grown * size_of::<T>())?;
    list.reserve_exact(grown - list.len());
    budget.release(before * size_of::<T>());
    Ok((grown - before) * size_of::<T>())
}

fn hash(cut: &[u32]) -> usize {
    let mut hasher = FxHasher::default();
    for &x in cut {
        hasher.write_u32(x);
    }
    let hash = hasher.finish();
    (hash ^ (hash >> 32)) as usize
}
