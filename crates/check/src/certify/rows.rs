//! Lists of different lengths stored end to end, written once from the first to the last.

/// Rows of items.
#[derive(Debug)]
pub(super) struct Rows<T> {
    /// Where each row ends.
    ends: Vec<usize>,
    items: Vec<T>,
}

impl<T> Rows<T> {
    /// No rows.
    pub(super) fn new() -> Self {
        Rows {
            ends: Vec::new(),
            items: Vec::new(),
        }
    }

    /// Distributes items to `count` rows; those of one row stay in their order.
    pub(super) fn group(count: usize, mut items: Vec<(usize, T)>) -> Self {
        items.sort_by_key(|&(row, _)| row);
        let mut rows = Rows::new();
        let mut items = items.into_iter().peekable();
        for row in 0..count {
            while let Some((_, item)) = items.next_if(|&(of, _)| of == row) {
                rows.push(item);
            }
            rows.close();
        }
        rows
    }

    /// Adds an item to the row being written.
    pub(super) fn push(&mut self, item: T) {
        self.items.push(item);
    }

    /// Whether the row being written has no item yet.
    pub(super) fn is_open_and_empty(&self) -> bool {
        self.items.len() == self.ends.last().copied().unwrap_or(0)
    }

    /// Ends a row.
    pub(super) fn close(&mut self) {
        self.ends.push(self.items.len());
    }

    /// How many rows have been ended.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The items of a row.
    pub(super) fn row(&self, row: usize) -> &[T] {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.items[start..self.ends[row]]
    }
}
