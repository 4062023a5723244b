//! Forward and backward through an equation system: who is to be explored, who waits for whom, who has become known.
//!
//! Every variable met counts the operands it still waits for and is on the lists of those it depends on. When a value
//! becomes known it is told to the dependents, which may become known in turn. When a block has nothing left to explore
//! and nothing it depends on is open, whatever is still open in it has the default value of the block.

use std::collections::VecDeque;

use super::dependents::{Dependents, Head};
use super::marks::{BUSY, Marks, UNSEEN, grow};
use super::{Equations, Variable};
use causet_base::budget::{Budget, Spent};

/// The variables that were met and are not known.
#[derive(Default)]
pub(super) struct Propagation {
    dependents: Dependents,
    /// Per variable: who waits for it.
    heads: Vec<Head>,
    /// Per variable: for how many operands it waits, once it is explored.
    counts: Vec<u32>,
    blocks: Vec<Frontier>,
    /// Variables that became known and were not told of yet; and a list to read dependents from.
    news: Vec<Variable>,
    told: Vec<Variable>,
}

/// The part of a block that is not settled.
#[derive(Clone, Default)]
struct Frontier {
    /// Met and not explored.
    queue: VecDeque<Variable>,
    /// Met and, when last looked at, not known.
    open: Vec<Variable>,
    paid: usize,
}

impl Propagation {
    pub(super) fn new(blocks: usize) -> Propagation {
        Propagation {
            blocks: vec![Frontier::default(); blocks],
            ..Propagation::default()
        }
    }

    /// Queues a variable for exploration, unless it was met before.
    pub(super) fn demand(
        &mut self,
        variable: Variable,
        block: usize,
        marks: &mut Marks,
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        if marks.get(variable) != UNSEEN {
            return Ok(());
        }
        marks.meet(variable, BUSY, budget)?;
        let frontier = &mut self.blocks[block];
        frontier.queue.push_back(variable);
        frontier.open.push(variable);
        let size = (frontier.queue.capacity() + frontier.open.capacity()) * size_of::<Variable>();
        if size > frontier.paid {
            budget.charge(size - frontier.paid)?;
            frontier.paid = size;
        }
        Ok(())
    }

    /// The variable to explore next in a block: the one met last, or the one that has waited longest.
    pub(super) fn next(&mut self, block: usize, last_first: bool) -> Option<Variable> {
        let queue = &mut self.blocks[block].queue;
        match last_first {
            true => queue.pop_back(),
            false => queue.pop_front(),
        }
    }

    /// Makes a variable wait for those operands that are not known, unless the others decide: then that is its value.
    pub(super) fn wait(
        &mut self,
        variable: Variable,
        operands: impl Iterator<Item = Variable> + Clone,
        equations: &impl Equations,
        marks: &mut Marks,
        budget: &Budget<'_>,
    ) -> Result<Option<bool>, Spent> {
        let decisive = equations.operator(variable).decisive();
        let mut open = 0;
        for operand in operands.clone() {
            match marks.value(operand) {
                Some(value) if value == decisive => return Ok(Some(decisive)),
                Some(_) => {}
                None => open += 1,
            }
        }
        if open == 0 {
            return Ok(Some(!decisive));
        }
        let index = variable as usize;
        if index >= self.counts.len() {
            grow(&mut self.counts, index, budget)?;
        }
        self.counts[index] = open;
        for operand in operands {
            if marks.value(operand).is_none() {
                self.demand(operand, equations.block(operand), marks, budget)?;
                self.note(operand, variable, budget)?;
            }
        }
        Ok(None)
    }

    /// Notes that `dependent` waits for `variable`.
    fn note(
        &mut self,
        variable: Variable,
        dependent: Variable,
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        let index = variable as usize;
        if index >= self.heads.len() {
            grow(&mut self.heads, index, budget)?;
        }
        let head = &mut self.heads[index];
        *head = self.dependents.add(*head, dependent, budget)?;
        Ok(())
    }

    /// A variable has become known: so do, perhaps, those that wait for it.
    pub(super) fn settle(
        &mut self,
        variable: Variable,
        value: bool,
        equations: &impl Equations,
        marks: &mut Marks,
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        marks.settle(variable, value);
        self.news.push(variable);
        self.spread(equations, marks, budget)
    }

    /// Nothing a block depends on will change: what is open in it has the default value.
    pub(super) fn finish(
        &mut self,
        block: usize,
        equations: &impl Equations,
        marks: &mut Marks,
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        let default = equations.blocks()[block].sign.default_value();
        let frontier = std::mem::take(&mut self.blocks[block]);
        // All of them before anybody is told: within the block there is nothing left to be said.
        for variable in frontier.open {
            if marks.value(variable).is_none() {
                marks.settle(variable, default);
                self.news.push(variable);
            }
        }
        budget.release(frontier.paid);
        self.spread(equations, marks, budget)
    }

    fn spread(
        &mut self,
        equations: &impl Equations,
        marks: &mut Marks,
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        while let Some(known) = self.news.pop() {
            budget.tick()?;
            let value = marks.value(known);
            if let Some(head) = self.heads.get_mut(known as usize) {
                let head = std::mem::take(head);
                self.dependents.take(head, &mut self.told);
            }
            for dependent in self.told.drain(..) {
                if marks.value(dependent).is_some() {
                    continue;
                }
                let decisive = equations.operator(dependent).decisive();
                let count = &mut self.counts[dependent as usize];
                *count -= 1;
                let settled = match value == Some(decisive) {
                    true => decisive,
                    false if *count == 0 => !decisive,
                    false => continue,
                };
                marks.settle(dependent, settled);
                self.news.push(dependent);
            }
        }
        Ok(())
    }
}
