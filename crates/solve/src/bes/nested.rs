//! Resolution block by block: a variable of a later block is resolved at once, by itself, when it is asked for.
//!
//! Every shape of block has its own algorithm, all of which work on the same marks. What they have in common is here:
//! which algorithm a variable is given to, and what becomes of a right-hand side when operands of later blocks are
//! resolved before operands of the same block are looked at. The depth of the recursion is that of the formula.

use super::lean::Search;
use super::marks::{BUSY, Marks};
use super::propagation::Propagation;
use super::{Equations, Shape, Variable};
use causet_base::budget::{Budget, Spent};

/// In which order a general block is explored, and whether the lean algorithms may be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// By the algorithm that needs least memory; general blocks breadth-first.
    Lean,
    /// Every block depth-first, with backward dependencies.
    DepthFirst,
}

/// A resolution under way.
pub struct Nested<'b, E> {
    pub(super) equations: E,
    pub(super) marks: Marks,
    pub(super) budget: &'b Budget<'b>,
    /// Operands waiting to be looked at, those of the innermost variable last.
    pub(super) waiting: Vec<Variable>,
    pub(super) operands: u64,
    pub(super) general: Propagation,
    /// Searches that are over, to be used again.
    pub(super) searches: Vec<Search>,
    order: Order,
    paid: usize,
    /// How many variables were expanded since the budget last heard of it.
    unreported: u64,
}

/// The budget is asked once for so many variables.
const REPORT: u64 = 1024;

/// What the right-hand side of a variable comes down to.
pub(super) enum Outlook {
    /// A value.
    Known(bool),
    /// The operands of its own block, known or not, which were appended to those waiting; none of the others decides.
    Open,
}

impl<'b, E: Equations> Nested<'b, E> {
    pub(super) fn new(equations: E, order: Order, budget: &'b Budget<'b>) -> Self {
        let blocks = equations.blocks().len();
        Nested {
            equations,
            marks: Marks::default(),
            budget,
            waiting: Vec::new(),
            operands: 0,
            general: Propagation::new(blocks),
            searches: Vec::new(),
            order,
            paid: 0,
            unreported: 0,
        }
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

    /// The value of the main variable, when nothing else was asked before.
    pub fn resolve_main(&mut self, main: Variable) -> Result<bool, Spent> {
        let number = self.equations.block(main);
        let block = self.equations.blocks()[number];
        let once = self.order == Order::Lean && self.marks.met() == 0;
        match block.deciding(true).filter(|_| once) {
            Some(decisive) => self.flood(main, number, decisive),
            None => self.resolve(main),
        }
    }

    /// The value of a variable.
    pub fn resolve(&mut self, variable: Variable) -> Result<bool, Spent> {
        if let Some(value) = self.marks.value(variable) {
            return Ok(value);
        }
        let block = self.equations.block(variable);
        let (sign, shape) = {
            let block = self.equations.blocks()[block];
            (block.sign, block.shape)
        };
        match (self.order, shape) {
            (Order::DepthFirst, _) => self.resolve_general(variable, block, true),
            (_, Shape::Acyclic) => self.resolve_acyclic(variable, block),
            (_, Shape::Disjunctive) => self.resolve_lean(variable, block, sign, true),
            (_, Shape::Conjunctive) => self.resolve_lean(variable, block, sign, false),
            (_, Shape::General) => self.resolve_general(variable, block, false),
        }
    }

    /// Expands a variable: operands of later blocks are resolved, those of its own block are left waiting.
    pub(super) fn open(&mut self, variable: Variable, block: usize) -> Result<Outlook, Spent> {
        self.unreported += 1;
        if self.unreported == REPORT {
            self.unreported = 0;
            self.budget.tick_many(REPORT)?;
        }
        let start = self.waiting.len();
        if let Some(value) = self.equations.expand(variable, &mut self.waiting)? {
            return Ok(Outlook::Known(value));
        }
        self.pay()?;
        let end = self.waiting.len();
        self.operands += (end - start) as u64;
        let decisive = self.equations.operator(variable).decisive();
        let mut kept = start;
        for at in start..end {
            let operand = self.waiting[at];
            // Those of the same block are looked up when their turn comes.
            if self.equations.block(operand) == block {
                self.waiting[kept] = operand;
                kept += 1;
                continue;
            }
            if self.resolve_below(operand)? == decisive {
                self.waiting.truncate(start);
                return Ok(Outlook::Known(decisive));
            }
        }
        self.waiting.truncate(kept);
        // Taken from the end, they come in the order they were written.
        self.waiting[start..].reverse();
        Ok(match kept == start {
            true => Outlook::Known(!decisive),
            false => Outlook::Open,
        })
    }

    /// The same, for searches that do not care which variable operands belong to: one that comes down to a single operand
    /// which nobody else asks for is replaced by that.
    pub(super) fn open_through(
        &mut self,
        mut variable: Variable,
        block: usize,
    ) -> Result<Outlook, Spent> {
        let start = self.waiting.len();
        loop {
            let outlook = self.open(variable, block)?;
            if let Outlook::Known(_) = outlook {
                return Ok(outlook);
            }
            let &[operand] = &self.waiting[start..] else {
                return Ok(outlook);
            };
            if !self.equations.is_private(operand) {
                return Ok(outlook);
            }
            self.waiting.truncate(start);
            if let Some(value) = self.marks.value(operand) {
                return Ok(Outlook::Known(value));
            }
            variable = operand;
        }
    }

    /// Resolves a variable of a later block; what is waiting stays where it is.
    fn resolve_below(&mut self, variable: Variable) -> Result<bool, Spent> {
        let length = self.waiting.len();
        let value = self.resolve(variable)?;
        debug_assert_eq!(self.waiting.len(), length, "what was waiting still is");
        Ok(value)
    }

    /// Meets a variable for the first time.
    pub(super) fn meet(&mut self, variable: Variable) -> Result<(), Spent> {
        self.marks.meet(variable, BUSY, self.budget)
    }

    /// Pays for the waiting operands once their table has grown.
    fn pay(&mut self) -> Result<(), Spent> {
        let size = self.waiting.capacity() * size_of::<Variable>();
        if size > self.paid {
            self.budget.charge(size - self.paid)?;
            self.paid = size;
        }
        Ok(())
    }
}
