//! A column of short lists: one row per event, all rows in one array, empty rows nearly free.
//!
//! Most columns have few rows that are not empty, and most of those hold one entry. So a bit says whether a row is
//! empty, a running count per 64 rows tells how many others come before it, and where each row ends is kept only once
//! some row has two entries. A plain array of ends would take four bytes per event and column.

/// Rows of different lengths stored end to end.
#[derive(Clone, Debug)]
pub(crate) struct Ragged<T> {
    /// One bit per row: whether it has entries.
    pub(crate) filled: Vec<u64>,
    /// How many filled rows come before each word of `filled`.
    pub(crate) filled_before: Vec<u32>,
    /// How many rows are filled.
    pub(crate) count: u32,
    /// Where each filled row ends; empty as long as they have one entry each.
    pub(crate) ends: Vec<u32>,
    pub(crate) items: Vec<T>,
}

impl<T> Default for Ragged<T> {
    fn default() -> Self {
        Self {
            filled: Vec::new(),
            filled_before: Vec::new(),
            count: 0,
            ends: Vec::new(),
            items: Vec::new(),
        }
    }
}

impl<T> Ragged<T> {
    /// Appends to a row, which must not lie before the last row appended to.
    #[inline]
    pub(crate) fn push(&mut self, row: usize, item: T) {
        let (word, bit) = (row / 64, 1 << (row % 64));
        while self.filled.len() <= word {
            self.filled.push(0);
            self.filled_before.push(self.count);
        }
        debug_assert!(word + 1 == self.filled.len() && self.filled[word] >> (row % 64) <= 1);
        if self.filled[word] & bit == 0 {
            self.filled[word] |= bit;
            self.count += 1;
            if !self.ends.is_empty() {
                self.ends.push(self.items.len() as u32);
            }
        } else if self.ends.is_empty() {
            self.ends.extend(1..=self.count);
        }
        self.items.push(item);
        if let Some(end) = self.ends.last_mut() {
            *end = u32::try_from(self.items.len()).expect("fewer than 2^32 entries");
        }
    }

    /// The entries of a row.
    #[inline]
    pub(crate) fn row(&self, row: usize) -> &[T] {
        &self.items[self.range(row)]
    }

    /// Where the entries of a row stand among all entries.
    #[inline]
    pub(crate) fn range(&self, row: usize) -> std::ops::Range<usize> {
        let (word, bit) = (row / 64, 1_u64 << (row % 64));
        let Some(&filled) = self.filled.get(word).filter(|&filled| filled & bit != 0) else {
            return 0..0;
        };
        let before = (filled & (bit - 1)).count_ones() + self.filled_before[word];
        let at = before as usize;
        match self.ends.get(at) {
            None => at..at + 1,
            Some(&end) => {
                let start = at.checked_sub(1).map_or(0, |last| self.ends[last]);
                start as usize..end as usize
            }
        }
    }

    /// All entries, row after row.
    pub(crate) fn items(&self) -> &[T] {
        &self.items
    }

    /// Gives back what growing had set aside.
    pub(crate) fn shrink(&mut self) {
        self.filled.shrink_to_fit();
        self.filled_before.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.items.shrink_to_fit();
    }
}

impl<T: Copy + Ord> Ragged<T> {
    /// Groups `(row, item)` pairs by row; each row comes out sorted, without repetition.
    pub(crate) fn group(mut pairs: Vec<(u32, T)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let mut grouped = Self::default();
        for (row, item) in pairs {
            grouped.push(row as usize, item);
        }
        grouped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_may_be_empty_anywhere() {
        let mut column = Ragged::default();
        column.push(1, 'a');
        column.push(1, 'b');
        column.push(3, 'c');
        let rows: Vec<&[char]> = (0..6).map(|row| column.row(row)).collect();
        assert_eq!(rows, [&[][..], &['a', 'b'], &[], &['c'], &[], &[]]);
    }

    #[test]
    fn rows_far_apart_and_of_any_length() {
        let lengths = |row: usize| if row.is_multiple_of(7) { row % 3 } else { 0 };
        for most in [1, 2] {
            let mut column = Ragged::default();
            for row in 0..1000 {
                (0..lengths(row).min(most)).for_each(|item| column.push(row, (row, item)));
            }
            for row in 0..1100 {
                let items = (0..lengths(row).min(most)).map(|item| (row, item));
                let expected: Vec<(usize, usize)> = items.filter(|_| row < 1000).collect();
                assert_eq!(column.row(row), expected);
            }
        }
    }

    #[test]
    fn grouping_sorts_and_removes_repetition() {
        let column = Ragged::group(vec![(2, 5), (0, 1), (2, 4), (2, 5)]);
        assert_eq!((column.row(0), column.row(2)), (&[1][..], &[4, 5][..]));
    }
}
