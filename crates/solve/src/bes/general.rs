//! Any block by itself: forward exploration interleaved with backward propagation of what has become known.
//!
//! These are the algorithms A1 and A2 of the sequential library behind paper MB-DSolve; they differ in the end of the
//! queue from which variables are taken. A search that is asked for one variable stops when that is known. What was met
//! and not explored stays in the queue for the next question.

use super::nested::{Nested, Outlook};
use super::{Equations, Variable};
use crate::budget::Spent;

impl<E: Equations> Nested<'_, E> {
    /// Resolves a variable by exploring its block, depth-first or breadth-first.
    pub(super) fn resolve_general(
        &mut self,
        variable: Variable,
        block: usize,
        depth_first: bool,
    ) -> Result<bool, Spent> {
        self.ask(variable, block)?;
        loop {
            if let Some(value) = self.marks.value(variable) {
                return Ok(value);
            }
            match self.general.next(block, depth_first) {
                Some(next) if self.marks.value(next).is_none() => self.explore(next, block)?,
                Some(_) => {}
                None => {
                    let sign = self.equations.blocks()[block].sign;
                    let (marks, equations) = (&mut self.marks, &self.equations);
                    let operator = |variable| equations.operator(variable);
                    self.general
                        .finish(block, sign, marks, operator, self.budget)?;
                }
            }
        }
    }

    fn ask(&mut self, variable: Variable, block: usize) -> Result<(), Spent> {
        self.general
            .demand(variable, block, &mut self.marks, self.budget)
    }

    /// Looks at a right-hand side: the variable becomes known or waits for its open operands.
    fn explore(&mut self, variable: Variable, block: usize) -> Result<(), Spent> {
        let start = self.waiting.len();
        let value = match self.open(variable, block)? {
            Outlook::Known(value) => Some(value),
            Outlook::Open => self.wait(variable, block, start)?,
        };
        self.waiting.truncate(start);
        let Some(value) = value else { return Ok(()) };
        let (marks, equations) = (&mut self.marks, &self.equations);
        let operator = |variable| equations.operator(variable);
        self.general
            .settle(variable, value, marks, operator, self.budget)
    }

    /// Makes a variable wait for those operands that are not known, unless the others decide.
    fn wait(
        &mut self,
        variable: Variable,
        block: usize,
        start: usize,
    ) -> Result<Option<bool>, Spent> {
        let decisive = self.equations.operator(variable).decisive();
        let mut count = 0;
        for &operand in &self.waiting[start..] {
            match self.marks.value(operand) {
                Some(value) if value == decisive => return Ok(Some(decisive)),
                Some(_) => {}
                None => count += 1,
            }
        }
        if count == 0 {
            return Ok(Some(!decisive));
        }
        self.general.expect(variable, count, self.budget)?;
        while self.waiting.len() > start {
            let operand = self.waiting.pop().unwrap_or(variable);
            if self.marks.value(operand).is_none() {
                self.ask(operand, block)?;
                self.general.link(operand, variable, self.budget)?;
            }
        }
        Ok(None)
    }
}
