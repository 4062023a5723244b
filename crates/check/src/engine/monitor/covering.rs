//! The configurations met so far, and which of them others cover.
//!
//! A configuration is covered by another one with the same state when the interval of the other one holds its own (paper
//! TMP, definition 8). To look for that among all configurations costs far more than it saves; so it is looked for only
//! among those with the same state and the same upper end, which a table finds at once. Their lower ends are kept as an
//! antichain: a new one that is above an old one is covered, and old ones above a new one are forgotten.

use std::hash::Hasher;

use causet_base::budget::{Budget, Spent};
use causet_solve::automaton::State;
use causet_solve::store::Rows;
use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// No configuration.
pub(super) const NONE: u32 = u32::MAX;

/// All cuts between two, in one state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Configuration<'a> {
    pub(super) low: &'a [u32],
    pub(super) high: &'a [u32],
    pub(super) state: State,
    /// From which configuration it came, and how.
    pub(super) parent: u32,
    pub(super) by: u32,
}

/// The configurations met so far, by number.
pub(super) struct Met<'a> {
    width: usize,
    budget: &'a Budget<'a>,
    /// Lower end, upper end, state, origin.
    rows: Rows,
    /// Per configuration the next one with the same upper end and state.
    others: Vec<u32>,
    /// The first configuration for every upper end and state.
    heads: HashTable<u32>,
    charged: usize,
    /// How many were covered.
    pub(super) covered: u64,
}

impl<'a> Met<'a> {
    pub(super) fn new(width: usize, budget: &'a Budget<'a>) -> Self {
        Met {
            width,
            budget,
            rows: Rows::new(2 * width + 3),
            others: Vec::new(),
            heads: HashTable::new(),
            charged: 0,
            covered: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn get(&self, number: u32) -> Configuration<'_> {
        read(self.rows.get(number as usize), self.width)
    }

    /// The number of a new configuration, given as a row; `None` when another one covers it.
    pub(super) fn admit(&mut self, row: &[u32]) -> Result<Option<u32>, Spent> {
        let head = match self.head(row) {
            Some(head) if self.is_covered(head, row)? => {
                self.covered += 1;
                return Ok(None);
            }
            Some(head) => self.without_covered(head, row),
            None => NONE,
        };
        let number = self.push(row)?;
        self.others[number as usize] = head;
        let (rows, width) = (&self.rows, self.width);
        let hash = hash(row, width);
        let same = |&other: &u32| key(rows.get(other as usize), width) == key(row, width);
        match self.heads.find_mut(hash, same) {
            Some(head) => *head = number,
            None => {
                self.make_room()?;
                let (rows, width) = (&self.rows, self.width);
                let hasher = |&n: &u32| self::hash(rows.get(n as usize), width);
                self.heads.insert_unique(hash, number, hasher);
            }
        }
        Ok(Some(number))
    }

    /// The number of a configuration that is only kept to come back to where it is from.
    pub(super) fn push(&mut self, row: &[u32]) -> Result<u32, Spent> {
        let number = u32::try_from(self.rows.len()).map_err(|_| Spent::Memory)?;
        reserve(&mut self.others, 1, self.budget)?;
        self.rows.push(row, self.budget)?;
        self.others.push(NONE);
        Ok(number)
    }

    fn head(&self, row: &[u32]) -> Option<u32> {
        let same =
            |&other: &u32| key(self.rows.get(other as usize), self.width) == key(row, self.width);
        self.heads.find(hash(row, self.width), same).copied()
    }

    fn is_covered(&self, head: u32, row: &[u32]) -> Result<bool, Spent> {
        let low = &row[..self.width];
        let mut other = head;
        while other != NONE {
            self.budget.tick()?;
            if is_below(self.get(other).low, low) {
                return Ok(true);
            }
            other = self.others[other as usize];
        }
        Ok(false)
    }

    /// The list without the configurations that a new one covers.
    fn without_covered(&mut self, head: u32, row: &[u32]) -> u32 {
        let low = &row[..self.width];
        let mut kept = NONE;
        let mut other = head;
        while other != NONE {
            let next = self.others[other as usize];
            if !is_below(low, self.get(other).low) {
                self.others[other as usize] = kept;
                kept = other;
            }
            other = next;
        }
        kept
    }

    /// Grows the table, which takes the new one beside the old one for a moment.
    fn make_room(&mut self) -> Result<(), Spent> {
        if self.heads.len() < self.heads.capacity() {
            return Ok(());
        }
        let grown = (2 * self.heads.allocation_size()).max(64);
        self.budget.charge(grown)?;
        let (rows, width) = (&self.rows, self.width);
        self.heads
            .reserve(1, |&n| hash(rows.get(n as usize), width));
        self.budget.release(self.charged);
        self.charged = grown;
        Ok(())
    }
}

/// A row as a configuration.
pub(super) fn read(row: &[u32], width: usize) -> Configuration<'_> {
    Configuration {
        low: &row[..width],
        high: &row[width..2 * width],
        state: row[2 * width],
        parent: row[2 * width + 1],
        by: row[2 * width + 2],
    }
}

/// Makes room in a list that may have to be copied to a larger place.
pub(super) fn reserve(list: &mut Vec<u32>, more: usize, budget: &Budget<'_>) -> Result<(), Spent> {
    if list.len() + more <= list.capacity() {
        return Ok(());
    }
    let old = list.capacity();
    let new = (2 * old).max(list.len() + more);
    budget.charge(new * size_of::<u32>())?;
    list.reserve_exact(new - list.len());
    budget.release(old * size_of::<u32>());
    Ok(())
}

fn is_below(one: &[u32], other: &[u32]) -> bool {
    one.iter().zip(other).all(|(one, other)| one <= other)
}

/// The upper end and the state.
fn key(row: &[u32], width: usize) -> &[u32] {
    &row[width..=2 * width]
}

fn hash(row: &[u32], width: usize) -> u64 {
    let mut hasher = FxHasher::default();
    for &word in key(row, width) {
        hasher.write_u32(word);
    }
    hasher.finish()
}
