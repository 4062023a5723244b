//! A growing array in pieces of equal size: nothing moves when it grows, and every piece is paid for beforehand.

use causet_base::budget::{Budget, Spent};

/// How many entries a piece has.
const PIECE: usize = 1 << 14;

/// An append-only array.
#[derive(Clone, Debug)]
pub struct Store<T> {
    pieces: Vec<Vec<T>>,
    len: usize,
}

impl<T> Default for Store<T> {
    fn default() -> Self {
        Store {
            pieces: Vec::new(),
            len: 0,
        }
    }
}

impl<T: Copy> Store<T> {
    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends an entry.
    pub fn push(&mut self, entry: T, budget: &Budget<'_>) -> Result<(), Spent> {
        if self.len == self.pieces.len() * PIECE {
            budget.charge(PIECE * size_of::<T>())?;
            self.pieces.push(Vec::with_capacity(PIECE));
        }
        self.pieces[self.len / PIECE].push(entry);
        self.len += 1;
        Ok(())
    }

    /// The entry at an index.
    pub fn get(&self, index: usize) -> T {
        self.pieces[index / PIECE][index % PIECE]
    }

    /// Replaces the entry at an index.
    pub fn set(&mut self, index: usize, entry: T) {
        self.pieces[index / PIECE][index % PIECE] = entry;
    }

    /// The entries of a range.
    pub fn range(&self, range: std::ops::Range<usize>) -> impl DoubleEndedIterator<Item = T> + '_ {
        range.map(|index| self.get(index))
    }
}

/// An append-only array of rows of one width, each in one piece of memory.
#[derive(Clone, Debug)]
pub struct Rows {
    width: usize,
    /// A piece has two to this power rows: places are found by shifting, which is done for every state that is met.
    shift: u32,
    pieces: Vec<Vec<u32>>,
    len: usize,
}

impl Rows {
    /// No rows yet.
    pub fn new(width: usize) -> Rows {
        Rows {
            width,
            shift: (PIECE / width.max(1)).max(1).ilog2(),
            pieces: Vec::new(),
            len: 0,
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Appends a row.
    pub fn push(&mut self, row: &[u32], budget: &Budget<'_>) -> Result<(), Spent> {
        debug_assert_eq!(row.len(), self.width);
        let rows = 1 << self.shift;
        if self.len == self.pieces.len() * rows {
            budget.charge(rows * self.width * size_of::<u32>())?;
            self.pieces.push(Vec::with_capacity(rows * self.width));
        }
        self.pieces[self.len >> self.shift].extend_from_slice(row);
        self.len += 1;
        Ok(())
    }

    /// The row at an index.
    pub fn get(&self, index: usize) -> &[u32] {
        let within = index & ((1 << self.shift) - 1);
        &self.pieces[index >> self.shift][within * self.width..][..self.width]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        let budget = Budget::endless();
        let mut store = Store::default();
        let mut rows = Rows::new(3);
        for number in 0..40_000u32 {
            store.push(number, &budget).expect("no limit");
            rows.push(&[number, 1, 2], &budget).expect("no limit");
        }
        assert_eq!((store.len(), store.get(39_999)), (40_000, 39_999));
        assert_eq!(rows.get(17_001), [17_001, 1, 2]);
        assert_eq!(
            store.range(16_383..16_385).collect::<Vec<_>>(),
            [16_383, 16_384]
        );
    }

    #[test]
    fn rows_of_no_width_are_counted() {
        let mut rows = Rows::new(0);
        rows.push(&[], &Budget::endless()).expect("no limit");
        assert_eq!((rows.len(), rows.get(0).len()), (1, 0));
    }

    #[test]
    fn a_piece_that_does_not_fit_is_refused() {
        let budget = Budget::endless().with_memory(100_000, 0);
        let mut store = Store::default();
        let pushed = (0..u32::MAX).take_while(|&n| store.push(n, &budget).is_ok());
        assert_eq!(pushed.count(), PIECE);
    }
}
