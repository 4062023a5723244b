//! All blocks at once, breadth-first: the resolution of paper MB-DSolve, as the share of one worker.
//!
//! Expansion goes forward from the variables asked for; stabilisation goes backward from those that have become known.
//! Nothing here waits for anything: a driver decides which block to expand next and when a block is finished, which is
//! the only moment at which open variables get the default value of their block. One thread drives a share with
//! [`resolve`]; many workers would each have one, tell each other what they ask for and what has become known, and finish a
//! block when it is quiet everywhere.
//!
//! The paper's strategy is kept: what has become known is told at once; of the blocks to expand the one farthest from the
//! main variable comes first, so that the queues of those before it stay short; and a block is finished as soon as
//! nothing it depends on is open.

use super::marks::Marks;
use super::propagation::Propagation;
use super::{Equations, Variable};
use crate::budget::{Budget, Spent};

/// The variables of one worker.
pub struct Share<'b, E> {
    equations: E,
    budget: &'b Budget<'b>,
    marks: Marks,
    propagation: Propagation,
    operands: u64,
    /// The operands of the variable being expanded.
    right: Vec<Variable>,
}

/// Resolves a variable on one thread.
pub fn resolve<E: Equations>(share: &mut Share<'_, E>, variable: Variable) -> Result<bool, Spent> {
    share.demand(variable)?;
    loop {
        if let Some(value) = share.marks.value(variable) {
            return Ok(value);
        }
        // While the variable is not known its block is open.
        let block = share.farthest().unwrap_or_default();
        match share.is_quiet(block) {
            true => share.finish(block)?,
            false => share.expand_one(block)?,
        }
    }
}

impl<'b, E: Equations> Share<'b, E> {
    /// Nothing asked for yet.
    pub fn new(equations: E, budget: &'b Budget<'b>) -> Self {
        Share {
            propagation: Propagation::new(equations.blocks().len()),
            equations,
            budget,
            marks: Marks::default(),
            operands: 0,
            right: Vec::new(),
        }
    }

    /// Asks for the value of a variable.
    pub fn demand(&mut self, variable: Variable) -> Result<(), Spent> {
        let block = self.equations.block(variable);
        self.propagation
            .demand(variable, block, &mut self.marks, self.budget)
    }

    /// The last block that has anything to expand or to finish.
    pub fn farthest(&self) -> Option<usize> {
        self.propagation.farthest()
    }

    /// Whether a block has nothing to expand.
    pub fn is_quiet(&self, block: usize) -> bool {
        self.propagation.is_quiet(block)
    }

    /// Expands the variable that has waited longest in a block.
    pub fn expand_one(&mut self, block: usize) -> Result<(), Spent> {
        self.budget.tick()?;
        let Some(variable) = self.propagation.next(block, false) else {
            return Ok(());
        };
        if self.marks.value(variable).is_some() {
            return Ok(());
        }
        self.right.clear();
        let value = match self.equations.expand(variable, &mut self.right)? {
            Some(value) => Some(value),
            None => {
                self.operands += self.right.len() as u64;
                let operands = self.right.iter().copied();
                let (equations, marks) = (&self.equations, &mut self.marks);
                self.propagation
                    .wait(variable, operands, equations, marks, self.budget)?
            }
        };
        match value {
            Some(value) => self.settle(variable, value),
            None => Ok(()),
        }
    }

    /// A variable has become known: those that wait for it are told, and so on.
    pub fn settle(&mut self, variable: Variable, value: bool) -> Result<(), Spent> {
        let (equations, marks) = (&self.equations, &mut self.marks);
        self.propagation
            .settle(variable, value, equations, marks, self.budget)
    }

    /// Gives the open variables of a block its default value: nothing they depend on is going to change.
    pub fn finish(&mut self, block: usize) -> Result<(), Spent> {
        let (equations, marks) = (&self.equations, &mut self.marks);
        self.propagation
            .finish(block, equations, marks, self.budget)
    }

    /// The equations.
    pub fn equations(&mut self) -> &mut E {
        &mut self.equations
    }

    /// The equations, to look at.
    pub(super) fn about(&self) -> &E {
        &self.equations
    }

    /// What is known so far.
    pub fn marks(&self) -> &Marks {
        &self.marks
    }

    /// How many operands were looked at.
    pub fn operands(&self) -> u64 {
        self.operands
    }
}
