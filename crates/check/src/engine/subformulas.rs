//! Every different sub-formula once, parts before the whole: what the engines that decide bottom-up go through.

use causet_formula::core::{Ctl, Pred};
use rustc_hash::FxHashMap;

/// The sub-formulas of some formulas.
#[derive(Default)]
pub(crate) struct Subformulas<'f> {
    /// The sub-formulas; parts are named by their place in this list.
    pub(crate) nodes: Vec<Node<'f>>,
    number: FxHashMap<&'f Ctl, usize>,
}

/// A sub-formula.
pub(crate) enum Node<'f> {
    /// A predicate.
    State(&'f Pred),
    /// Negation.
    Not(usize),
    /// Conjunction.
    And(Vec<usize>),
    /// Disjunction.
    Or(Vec<usize>),
    /// Some successor satisfies it.
    Ex(usize),
    /// On some run the second comes true, and the first holds until then.
    Eu(usize, usize),
    /// The same on every run.
    Au(usize, usize),
}

impl<'f> Subformulas<'f> {
    /// Those of the given formulas.
    pub(crate) fn of(goals: &[&'f Ctl]) -> Self {
        let mut table = Subformulas::default();
        for goal in goals {
            table.add(goal);
        }
        table
    }

    /// The number of a sub-formula.
    pub(crate) fn number(&self, formula: &Ctl) -> usize {
        self.number[formula]
    }

    fn add(&mut self, formula: &'f Ctl) -> usize {
        if let Some(&number) = self.number.get(formula) {
            return number;
        }
        let node = match formula {
            Ctl::State(pred) => Node::State(pred),
            Ctl::Not(inner) => Node::Not(self.add(inner)),
            Ctl::And(parts) => Node::And(parts.iter().map(|part| self.add(part)).collect()),
            Ctl::Or(parts) => Node::Or(parts.iter().map(|part| self.add(part)).collect()),
            Ctl::Ex(inner) => Node::Ex(self.add(inner)),
            Ctl::Eu(hold, goal) => Node::Eu(self.add(hold), self.add(goal)),
            Ctl::Au(hold, goal) => Node::Au(self.add(hold), self.add(goal)),
            // Languages of runs and modalities are decided by other engines; here they are never asked for.
            Ctl::Run(_) | Ctl::Modal(_) => Node::State(&Pred::FALSE),
        };
        let number = self.nodes.len();
        self.nodes.push(node);
        self.number.insert(formula, number);
        number
    }
}
