//! An atomic integer: a shared variable with operations that read and write at once.

use super::shared::Shared;
use crate::recorder::Recorder;

/// An integer that several processes change without a lock. Its operations are sequentially consistent; the recording
/// must declare it, as with [`Shared`].
#[derive(Debug)]
pub struct AtomicInt {
    cell: Shared<i64>,
}

impl AtomicInt {
    /// An integer with its value at the beginning.
    pub fn new(name: &str, value: i64) -> Self {
        AtomicInt {
            cell: Shared::new(name, value),
        }
    }

    /// Lets a write come after the reads of the value it replaces.
    pub fn write_after_read(self) -> Self {
        AtomicInt {
            cell: self.cell.write_after_read(),
        }
    }

    /// Reads: an event `read`.
    pub fn load(&self, recorder: &mut Recorder) -> i64 {
        self.cell.read(recorder)
    }

    /// Writes: an event `write`.
    pub fn store(&self, recorder: &mut Recorder, value: i64) {
        self.cell.write(recorder, value);
    }

    /// Writes and gives the value that was there: an event `swap`.
    pub fn swap(&self, recorder: &mut Recorder, value: i64) -> i64 {
        self.cell.change(recorder, "swap", |_| Some(value))
    }

    /// Adds, wrapping around, and gives the value that was there: an event `add`.
    pub fn fetch_add(&self, recorder: &mut Recorder, value: i64) -> i64 {
        let add = |old: &i64| Some(old.wrapping_add(value));
        self.cell.change(recorder, "add", add)
    }

    /// Writes `new` if `expected` is there: an event `compare`, which is a mere read if not. Gives what was there, as
    /// an error if it was something else.
    pub fn compare_exchange(
        &self,
        recorder: &mut Recorder,
        expected: i64,
        new: i64,
    ) -> Result<i64, i64> {
        let compare = |old: &i64| (*old == expected).then_some(new);
        let old = self.cell.change(recorder, "compare", compare);
        if old == expected { Ok(old) } else { Err(old) }
    }
}
