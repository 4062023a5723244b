//! Predicates of a projection as tables by position, for an engine that asks about many cuts.
//!
//! Most terms depend on one chain, so the truth of a term, and a number that another is compared with, is a list with an
//! entry for each position of that chain. Where that is not so, the view is evaluated as anywhere else.

use causet_formula::core::CmpOp;

use crate::project::view::{Figure, TermId, View};
use crate::project::{AtCut, Projection, Reading};

/// A predicate that is looked up.
pub(super) enum TruthTable<'v> {
    /// Always, or never.
    Const(bool),
    /// By the position of one chain.
    Position { chain: usize, truth: Vec<bool> },
    /// Negation.
    Not(Box<TruthTable<'v>>),
    /// Conjunction.
    And(Vec<TruthTable<'v>>),
    /// Disjunction.
    Or(Vec<TruthTable<'v>>),
    /// A comparison of integers.
    Compare(CmpOp, IntegerColumn, IntegerColumn),
    /// Anything else.
    View(&'v View),
}

/// An integer for each position of a chain.
pub(super) struct IntegerColumn {
    chain: usize,
    values: Vec<i64>,
}

impl IntegerColumn {
    /// The column of a term, if one chain decides it and it is an integer throughout.
    fn of(projection: &Projection<'_>, term: TermId) -> Option<IntegerColumn> {
        let Reading::One { chain, values } = projection.reading(term) else {
            return None;
        };
        let meanings = projection.values_of(term).iter();
        let integers: Option<Vec<i64>> = meanings
            .map(|value| value.as_ref()?.as_number()?.to_i64())
            .collect();
        let integers = integers?;
        let values = values.iter().map(|&value| integers[value as usize]);
        Some(IntegerColumn {
            chain: *chain,
            values: values.collect(),
        })
    }

    fn at(&self, cut: &[u32]) -> i64 {
        self.values[cut[self.chain] as usize]
    }
}

impl<'v> TruthTable<'v> {
    /// The table of a view.
    pub(super) fn of(projection: &Projection<'_>, view: &'v View) -> Self {
        let parts = |parts: &'v [View]| {
            let tables = parts.iter().map(|part| TruthTable::of(projection, part));
            tables.collect()
        };
        let table = match view {
            View::Const(truth) => Some(TruthTable::Const(*truth)),
            View::Term(term) => match projection.reading(*term) {
                Reading::One { chain, values } => Some(TruthTable::Position {
                    chain: *chain,
                    truth: values.iter().map(|&value| value == 1).collect(),
                }),
                Reading::Several { .. } => None,
            },
            View::Not(part) => Some(TruthTable::Not(Box::new(TruthTable::of(projection, part)))),
            View::And(all) => Some(TruthTable::And(parts(all))),
            View::Or(all) => Some(TruthTable::Or(parts(all))),
            View::Compare(op, Figure::Term(left), Figure::Term(right)) => {
                let column = |term: &TermId| IntegerColumn::of(projection, *term);
                let columns = column(left).zip(column(right));
                columns.map(|(left, right)| TruthTable::Compare(*op, left, right))
            }
            View::Compare(..) | View::Holds(_) => None,
        };
        table.unwrap_or(TruthTable::View(view))
    }

    /// Whether the predicate holds at a cut.
    pub(super) fn holds(&self, projection: &Projection<'_>, cut: &[u32]) -> bool {
        match self {
            TruthTable::Const(truth) => *truth,
            TruthTable::Position { chain, truth } => truth[cut[*chain] as usize],
            TruthTable::Not(part) => !part.holds(projection, cut),
            TruthTable::And(parts) => parts.iter().all(|part| part.holds(projection, cut)),
            TruthTable::Or(parts) => parts.iter().any(|part| part.holds(projection, cut)),
            TruthTable::Compare(op, left, right) => op.accepts(left.at(cut).cmp(&right.at(cut))),
            TruthTable::View(view) => view.holds(&AtCut { projection, cut }),
        }
    }

    /// How many bytes its lists take.
    pub(super) fn bytes(&self) -> usize {
        match self {
            TruthTable::Const(_) | TruthTable::View(_) => 0,
            TruthTable::Position { truth, .. } => truth.len(),
            TruthTable::Not(part) => part.bytes(),
            TruthTable::And(parts) | TruthTable::Or(parts) => {
                parts.iter().map(TruthTable::bytes).sum()
            }
            TruthTable::Compare(_, left, right) => {
                (left.values.len() + right.values.len()) * size_of::<i64>()
            }
        }
    }
}
