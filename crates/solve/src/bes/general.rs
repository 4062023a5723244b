//! Any block by itself: forward exploration interleaved with backward propagation of what has become known.
//!
//! These are the algorithms A1 and A2 of the sequential library behind paper MB-DSolve; they differ in the end of the
//! queue from which variables are taken. A search that is asked for one variable stops when that is known. What was met
//! and not explored stays in the queue for the next question.

use super::nested::{Nested, Outlook};
use super::{Equations, Variable};
use causet_base::budget::Spent;

impl<E: Equations> Nested<'_, E> {
    /// Resolves a variable by exploring its block, depth-first or breadth-first.
    pub(super) fn resolve_general(
        &mut self,
        variable: Variable,
        block: usize,
        depth_first: bool,
    ) -> Result<bool, Spent> {
        self.general
            .demand(variable, block, &mut self.marks, self.budget)?;
        loop {
            if let Some(value) = self.marks.value(variable) {
                return Ok(value);
            }
            match self.general.next(block, depth_first) {
                Some(next) if self.marks.value(next).is_none() => self.explore(next, block)?,
                Some(_) => {}
                None => {
                    let (equations, marks) = (&self.equations, &mut self.marks);
                    self.general.finish(block, equations, marks, self.budget)?;
                }
            }
        }
    }

    /// Looks at a right-hand side: the variable becomes known or waits for its open operands.
    fn explore(&mut self, variable: Variable, block: usize) -> Result<(), Spent> {
        let start = self.waiting.len();
        let outlook = self.open(variable, block)?;
        let (equations, marks) = (&self.equations, &mut self.marks);
        let value = match outlook {
            Outlook::Known(value) => Some(value),
            Outlook::Open => {
                let operands = self.waiting[start..].iter().rev().copied();
                self.general
                    .wait(variable, operands, equations, marks, self.budget)?
            }
        };
        self.waiting.truncate(start);
        match value {
            Some(value) => self
                .general
                .settle(variable, value, equations, marks, self.budget),
            None => Ok(()),
        }
    }
}
