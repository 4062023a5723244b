//! A column of short lists: one row per event, all rows in one array, empty tails free.

/// Rows of different lengths stored end to end; rows after the last non-empty one take no space.
#[derive(Clone, Debug)]
pub(crate) struct Ragged<T> {
    ends: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for Ragged<T> {
    fn default() -> Self {
        Self {
            ends: Vec::new(),
            items: Vec::new(),
        }
    }
}

impl<T> Ragged<T> {
    /// Appends to a row, which must not lie before the last row appended to.
    #[inline]
    pub(crate) fn push(&mut self, row: usize, item: T) {
        debug_assert!(row + 1 >= self.ends.len());
        let end = u32::try_from(self.items.len()).expect("fewer than 2^32 entries");
        self.items.push(item);
        while self.ends.len() < row {
            self.ends.push(end);
        }
        if self.ends.len() == row {
            self.ends.push(end + 1);
        } else {
            self.ends[row] = end + 1;
        }
    }

    /// The entries of a row.
    pub(crate) fn row(&self, row: usize) -> &[T] {
        &self.items[self.range(row)]
    }

    /// Where the entries of a row stand among all entries.
    pub(crate) fn range(&self, row: usize) -> std::ops::Range<usize> {
        let Some(&end) = self.ends.get(row) else {
            return 0..0;
        };
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..end as usize
    }

    /// All entries, row after row.
    pub(crate) fn items(&self) -> &[T] {
        &self.items
    }

    /// Gives back what growing had set aside.
    pub(crate) fn shrink(&mut self) {
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
    fn grouping_sorts_and_removes_repetition() {
        let column = Ragged::group(vec![(2, 5), (0, 1), (2, 4), (2, 5)]);
        assert_eq!((column.row(0), column.row(2)), (&[1][..], &[4, 5][..]));
    }
}
