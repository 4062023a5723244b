//! What is known of each variable: a number per variable, in a table that grows with the variables met.

use super::Variable;
use causet_base::budget::{Budget, Spent};

/// Not met yet.
pub(super) const UNSEEN: u32 = 0;
/// Known to be false.
const FALSE: u32 = 1;
/// Known to be true.
const TRUE: u32 = 2;
/// The first of the numbers that an algorithm may use for a variable it is working on.
pub(super) const BUSY: u32 = 3;

/// The value of every variable that is known, and a mark for those being worked on.
#[derive(Clone, Default, Debug)]
pub struct Marks {
    marks: Vec<u32>,
    met: u64,
}

impl Marks {
    /// The value of a variable, if it is known.
    pub fn value(&self, variable: Variable) -> Option<bool> {
        decode(self.get(variable))
    }

    /// How many variables were ever met.
    pub fn met(&self) -> u64 {
        self.met
    }

    pub(super) fn get(&self, variable: Variable) -> u32 {
        self.marks.get(variable as usize).copied().unwrap_or(UNSEEN)
    }

    /// Marks a variable that was never marked before.
    pub(super) fn meet(
        &mut self,
        variable: Variable,
        mark: u32,
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        let index = variable as usize;
        if index >= self.marks.len() {
            grow(&mut self.marks, index, budget)?;
        }
        self.met += 1;
        self.marks[index] = mark;
        Ok(())
    }

    /// Changes the mark of a variable that was met.
    pub(super) fn set(&mut self, variable: Variable, mark: u32) {
        self.marks[variable as usize] = mark;
    }

    /// Notes the value of a variable that was met.
    pub(super) fn settle(&mut self, variable: Variable, value: bool) {
        self.set(variable, encode(value));
    }
}

/// The mark of a value.
pub(super) fn encode(value: bool) -> u32 {
    if value { TRUE } else { FALSE }
}

/// The value of a mark, if it is one.
pub(super) fn decode(mark: u32) -> Option<bool> {
    match mark {
        FALSE => Some(false),
        TRUE => Some(true),
        _ => None,
    }
}

/// Makes a table long enough for an index, by half of its length or more, and pays for it first.
pub(super) fn grow<T: Default + Clone>(
    table: &mut Vec<T>,
    index: usize,
    budget: &Budget<'_>,
) -> Result<(), Spent> {
    let length = (index + 1).max(table.len() + table.len() / 2).max(1024);
    let (more, old) = (length * size_of::<T>(), table.capacity() * size_of::<T>());
    // For a moment the new table lies beside the old one.
    budget.charge(more)?;
    table.reserve_exact(length - table.len());
    table.resize(length, T::default());
    budget.release(old);
    Ok(())
}
