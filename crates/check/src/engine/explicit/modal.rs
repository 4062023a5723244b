//! The mu-calculus by definition: every equation at every cut, iterated until nothing changes.
//!
//! Equations that depend on each other are iterated together, from all false for a least solution and from all true for
//! a greatest one, after everything else they depend on. That is the theorem of Knaster and Tarski and no more.

use causet_base::budget::{Budget, Spent};
use causet_formula::modal::{Equation, Modal, Operator, Sign, Term};
use causet_solve::graph::Graph;
use fixedbitset::FixedBitSet;

use super::event_between;
use crate::labels::Labels;
use crate::subject::Subject;

/// A formula decided at all cuts.
pub(super) struct Equations<'a> {
    pub(super) table: &'a Modal,
    pub(super) graph: &'a Graph,
    pub(super) subject: &'a Subject<'a>,
    pub(super) labels: Labels<'a>,
    /// Per action: whether it admits each label.
    pub(super) admits: Vec<Vec<bool>>,
    /// Per equation: the numbers of the cuts that satisfy it.
    pub(super) truth: Vec<FixedBitSet>,
}

impl<'a> Equations<'a> {
    /// Decides a formula.
    pub(super) fn decide(
        table: &'a Modal,
        graph: &'a Graph,
        subject: &'a Subject<'a>,
        budget: &Budget<'_>,
    ) -> Result<Self, Spent> {
        budget.charge(table.equations.len() * (graph.len() / 8 + 64))?;
        let labels = Labels::new(subject.trace);
        let mut equations = Equations {
            table,
            graph,
            subject,
            admits: labels.admitted(table),
            labels,
            truth: vec![FixedBitSet::with_capacity(graph.len()); table.equations.len()],
        };
        for block in blocks(table) {
            equations.iterate(&block, budget)?;
        }
        Ok(equations)
    }

    /// Whether the initial cut satisfies the formula.
    pub(super) fn holds(&self) -> bool {
        self.truth[self.table.main].contains(0)
    }

    fn iterate(&mut self, block: &[usize], budget: &Budget<'_>) -> Result<(), Spent> {
        for &member in block {
            if self.table.equations[member].sign == Sign::Nu {
                self.truth[member].insert_range(..);
            }
        }
        loop {
            let mut changed = false;
            for cut in (0..self.graph.len()).rev() {
                budget.tick()?;
                for &member in block {
                    let holds = self.satisfies(&self.table.equations[member], cut);
                    changed |= holds != self.truth[member].contains(cut);
                    self.truth[member].set(cut, holds);
                }
            }
            if !changed {
                return Ok(());
            }
        }
    }

    /// Whether a cut satisfies an equation, given what is known of the others.
    fn satisfies(&self, equation: &Equation, cut: usize) -> bool {
        let some = equation.operator == Operator::Or;
        let decides = |term: &Term| match *term {
            Term::Here(to) => self.truth[to].contains(cut) == some,
            Term::Step { action, to } => {
                let mut successors = self.graph.successors(cut);
                successors.any(|next| {
                    let event = event_between(self.subject, self.graph, cut, next);
                    self.admits[action][self.labels.of(event) as usize]
                        && self.truth[to].contains(next) == some
                })
            }
        };
        equation.terms.iter().any(decides) == some
    }
}

/// The equations in groups that depend on each other, each after what it depends on.
fn blocks(table: &Modal) -> Vec<Vec<usize>> {
    let count = table.equations.len();
    let reached: Vec<FixedBitSet> = (0..count).map(|from| reached(table, from)).collect();
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    let mut order: Vec<usize> = (0..count).collect();
    // Whoever reaches another one outside of its group reaches more.
    order.sort_by_key(|&equation| reached[equation].count_ones(..));
    for equation in order {
        let together = |block: &&mut Vec<usize>| {
            reached[block[0]].contains(equation) && reached[equation].contains(block[0])
        };
        match blocks.iter_mut().find(together) {
            Some(block) => block.push(equation),
            None => blocks.push(vec![equation]),
        }
    }
    blocks
}

/// The equations that one depends on, itself included.
fn reached(table: &Modal, from: usize) -> FixedBitSet {
    let mut reached = FixedBitSet::with_capacity(table.equations.len());
    let mut open = vec![from];
    while let Some(equation) = open.pop() {
        if !reached.put(equation) {
            for term in &table.equations[equation].terms {
                let (Term::Here(to) | Term::Step { to, .. }) = *term;
                open.push(to);
            }
        }
    }
    reached
}
