//! Blocks without cycles: one depth-first search with early exit, whatever the mixture of operators.
//!
//! The lattice of cuts of a recorded run has no cycles, and neither has a formula without recursion. (The algorithm A3 of
//! the sequential library behind paper MB-DSolve.)

use super::nested::{Nested, Outlook};
use super::{Equations, Variable};
use causet_base::budget::Spent;

/// A variable on the path of the search.
struct Visit {
    variable: Variable,
    /// Where its waiting operands start.
    start: usize,
    /// The value that one operand suffices to give it.
    decisive: bool,
}

impl<E: Equations> Nested<'_, E> {
    /// Resolves a variable that does not depend on itself.
    pub(super) fn resolve_acyclic(
        &mut self,
        variable: Variable,
        block: usize,
    ) -> Result<bool, Spent> {
        let mut path: Vec<Visit> = Vec::new();
        let mut paid = 0;
        // The value of the variable that was left last, until the one before it has heard of it.
        let mut news = self.enter(variable, block, &mut path)?;
        while let Some(visit) = path.last() {
            let (decisive, start) = (visit.decisive, visit.start);
            let decided = news.take() == Some(decisive);
            if !decided && self.waiting.len() > start {
                let operand = self.waiting.pop().unwrap_or(variable);
                news = match self.marks.value(operand) {
                    None => self.enter(operand, block, &mut path)?,
                    known => known,
                };
                let size = path.capacity() * size_of::<Visit>();
                if size > paid {
                    self.budget.charge(size - paid)?;
                    paid = size;
                }
                continue;
            }
            let value = decided == decisive;
            self.waiting.truncate(start);
            self.marks.settle(visit.variable, value);
            path.pop();
            news = Some(value);
        }
        self.budget.release(paid);
        Ok(news.unwrap_or_default())
    }

    /// Adds a variable to the path, unless its value shows at once.
    fn enter(
        &mut self,
        variable: Variable,
        block: usize,
        path: &mut Vec<Visit>,
    ) -> Result<Option<bool>, Spent> {
        let start = self.waiting.len();
        self.meet(variable)?;
        match self.open(variable, block)? {
            Outlook::Known(value) => {
                self.marks.settle(variable, value);
                Ok(Some(value))
            }
            Outlook::Open => {
                path.push(Visit {
                    variable,
                    start,
                    decisive: self.equations.operator(variable).decisive(),
                });
                Ok(None)
            }
        }
    }
}
