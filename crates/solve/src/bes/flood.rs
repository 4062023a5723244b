//! The main variable of a disjunctive or conjunctive block whose cycles do not decide: a search for one deciding variable.
//!
//! This is `lean` for a question that is asked once. A variable met is taken not to have the decisive value, which is
//! right in the end unless one is found that has it; then the main variable has it too, the search is over, and what was
//! taken for granted is forgotten. No path, no numbers of components: a variable costs a look at its mark. The order is
//! breadth-first, so that states which were found together are looked at together.

use super::marks::{UNSEEN, encode};
use super::nested::{Nested, Outlook};
use super::{Equations, Variable};
use causet_base::budget::Spent;

/// So many variables are expanded before their operands are looked up: the processor fetches what they need together.
const BATCH: usize = 64;

impl<E: Equations> Nested<'_, E> {
    /// Resolves the main variable of a disjunctive (`decisive` is true) or conjunctive block.
    pub(super) fn flood(
        &mut self,
        main: Variable,
        block: usize,
        decisive: bool,
    ) -> Result<bool, Spent> {
        let start = self.waiting.len();
        let mut queue = vec![main];
        let mut paid = 0;
        self.marks.meet(main, encode(!decisive), self.budget)?;
        let mut next = 0;
        while next < queue.len() {
            let batch = next..queue.len().min(next + BATCH);
            self.equations.anticipate(&queue[batch.clone()]);
            for at in batch.clone() {
                if let Outlook::Known(value) = self.open_through(queue[at], block)?
                    && value == decisive
                {
                    queue.iter().for_each(|&met| self.marks.set(met, UNSEEN));
                    self.marks.settle(main, decisive);
                    self.waiting.truncate(start);
                    self.budget.release(paid);
                    return Ok(decisive);
                }
            }
            next = batch.end;
            for at in start..self.waiting.len() {
                let operand = self.waiting[at];
                if self.marks.get(operand) == UNSEEN {
                    self.marks.meet(operand, encode(!decisive), self.budget)?;
                    queue.push(operand);
                }
            }
            self.waiting.truncate(start);
            let size = queue.capacity() * size_of::<Variable>();
            if size > paid {
                self.budget.charge(size - paid)?;
                paid = size;
            }
        }
        self.budget.release(paid);
        Ok(!decisive)
    }
}
