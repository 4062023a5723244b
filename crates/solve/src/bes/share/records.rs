//! What a worker knows of each of its variables, in eight bytes: how far it is, and whom that concerns.
//!
//! The second number means one thing after another: while a variable is open, who waits for it; when it is known, when it
//! became so; where a block is flooded, who asked for it first.

use super::super::Variable;
use super::super::marks::grow;
use causet_base::budget::{Budget, Spent};

/// One variable.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Record {
    pub(super) mark: Mark,
    /// Who waits for it; or when it became known; or one more than the address of who asked for it first.
    pub(super) link: u32,
}

/// How far a variable is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Mark(u32);

const FALSE: u32 = 1;
const TRUE: u32 = 2;
/// The least mark of an open variable: twice the operands it waits for are added, and one in its second stage.
const OPEN: u32 = 4;
/// The bit of a variable that is flooded.
const FLOOD: u32 = 1 << 31;

impl Mark {
    /// Never met.
    pub(super) const UNSEEN: Mark = Mark(0);
    /// Met, and in the queue.
    pub(super) const QUEUED: Mark = Mark(OPEN);
    /// Met while its block is flooded.
    pub(super) const FLOODED: Mark = Mark(FLOOD | OPEN);

    pub(super) fn known(value: bool) -> Mark {
        Mark(if value { TRUE } else { FALSE })
    }

    pub(super) fn value(self) -> Option<bool> {
        match self.0 {
            FALSE => Some(false),
            TRUE => Some(true),
            _ => None,
        }
    }

    pub(super) fn is_flooded(self) -> bool {
        self.0 & FLOOD != 0
    }

    /// Whether the operands of later blocks have been dealt with.
    pub(super) fn is_again(self) -> bool {
        self.0 & !FLOOD >= OPEN && self.0 & 1 == 1
    }

    /// The same variable, waiting for a number of operands in the stage it is in.
    pub(super) fn waiting(self, operands: u32) -> Mark {
        Mark((self.0 & (FLOOD | 1)) | (OPEN + 2 * operands))
    }

    /// The same variable, in its second stage: the operands of later blocks are known and do not decide.
    pub(super) fn again(self) -> Mark {
        Mark(self.0 | 1)
    }

    /// For how many operands it waits.
    pub(super) fn count(self) -> u32 {
        ((self.0 & !FLOOD) - OPEN) / 2
    }

    /// One operand less to wait for.
    pub(super) fn one_less(self) -> Mark {
        Mark(self.0 - 2)
    }
}

/// The records of all variables of a worker.
#[derive(Default)]
pub(super) struct Records {
    records: Vec<Record>,
    met: u64,
}

impl Records {
    pub(super) fn get(&self, variable: Variable) -> Record {
        let record = self.records.get(variable as usize);
        record.copied().unwrap_or_default()
    }

    /// One more than the largest variable that may have been met.
    pub(super) fn len(&self) -> Variable {
        self.records.len() as Variable
    }

    /// How many variables were ever met.
    pub(super) fn met(&self) -> u64 {
        self.met
    }

    /// Notes a variable that was never met.
    pub(super) fn meet(
        &mut self,
        variable: Variable,
        mark: Mark,
        link: u32,
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        let index = variable as usize;
        if index >= self.records.len() {
            grow(&mut self.records, index, budget)?;
        }
        self.records[index] = Record { mark, link };
        self.met += 1;
        Ok(())
    }

    pub(super) fn mark(&mut self, variable: Variable, mark: Mark) {
        self.records[variable as usize].mark = mark;
    }

    pub(super) fn link(&mut self, variable: Variable) -> &mut u32 {
        &mut self.records[variable as usize].link
    }

    pub(super) fn set(&mut self, variable: Variable, record: Record) {
        self.records[variable as usize] = record;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_remember_what_they_were_told() {
        for flooded in [Mark::QUEUED, Mark::FLOODED] {
            let mark = flooded.waiting(3);
            assert_eq!(mark.count(), 3);
            assert_eq!(mark.one_less().count(), 2);
            assert_eq!(mark.is_flooded(), flooded.is_flooded());
            assert!(!mark.is_again());
            let mark = mark.waiting(0).again();
            assert!(mark.is_again());
            assert_eq!((mark.count(), mark.waiting(7).count()), (0, 7));
            assert!(mark.waiting(7).is_again());
            assert_eq!(mark.value(), None);
        }
        assert_eq!(Mark::known(true).value(), Some(true));
        assert_eq!(Mark::known(false).value(), Some(false));
        assert!(!Mark::UNSEEN.is_again() && !Mark::known(false).is_again());
    }
}
