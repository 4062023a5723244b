//! Every cut of a projection, row by row: the definition once more, made to run fast where the cuts are few.
//!
//! The cuts hang in a trie, so that neither a cut nor its successors are ever looked up in a table.
//!
//! One pass from the last cut to the first decides all sub-formulas at once, a bit for each in a word per cut. The
//! explicit engine beside this one does the same sub-formula by sub-formula on the whole run, and stays as it is to be
//! compared with. For more than some ten million cuts the diagrams are the better choice.

use std::collections::BTreeMap;

use causet_base::Diagnostic;
use causet_base::budget::{Budget, Spent};
use causet_formula::core::Ctl;

use super::Finding;
use super::argue::{Decided, argue};
use super::subformulas::{Node, Subformulas};
use super::table::{Engine, OfCuts, Skill};
use super::tables::TruthTable;
use super::trie::{Next, Trie};
use crate::project::Projection;
use crate::refusal::refused;

/// Its row in the table.
pub static ENGINE: Engine = Engine {
    name: "rows",
    about: "Every cut of what the formula can see, row by row",
    skill: Skill::Cuts(OfCuts {
        supports: |_, formula| supports(formula),
        run: |task| run(task.projection, task.formula, task.budget),
        layouts: 1,
    }),
    takes_all: false,
};

/// How many sub-formulas a formula may have: what sixteen words hold.
const MOST_SUBFORMULAS: usize = 16 * 64;

/// Any formula of the core that is not enormous.
pub fn supports(formula: &Ctl) -> Result<(), Diagnostic> {
    // There are no more sub-formulas than operators, which are counted without a table.
    if formula.size() <= MOST_SUBFORMULAS {
        return Ok(());
    }
    match Subformulas::of(&[formula]).nodes.len() {
        0..=MOST_SUBFORMULAS => Ok(()),
        count => Err(refused(format!(
            "the formula has {count} sub-formulas, more than {MOST_SUBFORMULAS}"
        ))),
    }
}

/// Decides a formula at the initial cut.
pub(crate) fn run(
    projection: &Projection<'_>,
    goal: &Ctl,
    budget: &Budget<'_>,
) -> Result<Finding, Spent> {
    let table = Subformulas::of(&[goal]);
    match table.nodes.len().div_ceil(64) {
        0 | 1 => decide::<1>(projection, goal, &table, budget),
        2 => decide::<2>(projection, goal, &table, budget),
        3 | 4 => decide::<4>(projection, goal, &table, budget),
        _ => decide::<16>(projection, goal, &table, budget),
    }
}

fn decide<const WORDS: usize>(
    projection: &Projection<'_>,
    goal: &Ctl,
    table: &Subformulas<'_>,
    budget: &Budget<'_>,
) -> Result<Finding, Spent> {
    let trie = Trie::build(projection, budget)?;
    budget.charge(trie.cuts * size_of::<[u64; WORDS]>())?;
    let mut pass = Pass {
        projection,
        table,
        predicates: predicates(projection, table, budget)?,
        truth: vec![[0_u64; WORDS]; trie.cuts],
    };
    trie.descend(budget, |number, cut, after| pass.decide(number, cut, after))?;
    let rows = Rows {
        projection,
        trie: &trie,
        table,
        truth: pass.truth,
    };
    let holds = rows.holds(goal, &projection.first_cut());
    let route = budget.explain(|| argue(&rows, goal, holds, budget));
    let stats = BTreeMap::from([("visited", trie.cuts as u64)]);
    Ok(Finding {
        holds,
        route,
        stats,
    })
}

/// Per sub-formula: how its truth is looked up, if it is a predicate.
fn predicates<'a>(
    projection: &'a Projection<'_>,
    table: &Subformulas<'_>,
    budget: &Budget<'_>,
) -> Result<Vec<TruthTable<'a>>, Spent> {
    let mut predicates = Vec::with_capacity(table.nodes.len());
    for node in &table.nodes {
        let Node::State(pred) = node else {
            predicates.push(TruthTable::Const(false));
            continue;
        };
        let view = projection.view(projection.number_of(pred));
        let predicate = TruthTable::of(projection, view);
        budget.charge(predicate.bytes())?;
        predicates.push(predicate);
    }
    Ok(predicates)
}

/// The pass from the last cut to the first.
struct Pass<'a, 's, const WORDS: usize> {
    projection: &'a Projection<'s>,
    table: &'a Subformulas<'a>,
    predicates: Vec<TruthTable<'a>>,
    truth: Vec<[u64; WORDS]>,
}

impl<const WORDS: usize> Pass<'_, '_, WORDS> {
    /// Decides every sub-formula at a cut whose successors are decided.
    fn decide(&mut self, place: usize, cut: &[u32], after: &[Next]) {
        let mut some = [0_u64; WORDS];
        let mut all = [u64::MAX; WORDS];
        for next in after {
            let truth = &self.truth[next.node as usize];
            for word in 0..WORDS {
                some[word] |= truth[word];
                all[word] &= truth[word];
            }
        }
        let is_final = after.is_empty();
        let mut now = [0_u64; WORDS];
        for (number, node) in self.table.nodes.iter().enumerate() {
            let holds = match node {
                Node::State(_) => self.predicates[number].holds(self.projection, cut),
                Node::Not(part) => !bit(&now, *part),
                Node::And(parts) => parts.iter().all(|&part| bit(&now, part)),
                Node::Or(parts) => parts.iter().any(|&part| bit(&now, part)),
                Node::Ex(part) => bit(&some, *part),
                Node::Eu(hold, goal) => {
                    bit(&now, *goal) || (bit(&now, *hold) && bit(&some, number))
                }
                Node::Au(hold, goal) => {
                    bit(&now, *goal) || (bit(&now, *hold) && !is_final && bit(&all, number))
                }
            };
            now[number / 64] |= u64::from(holds) << (number % 64);
        }
        self.truth[place] = now;
    }
}

fn bit<const WORDS: usize>(words: &[u64; WORDS], number: usize) -> bool {
    words[number / 64] >> (number % 64) & 1 == 1
}

/// All cuts with all sub-formulas decided.
struct Rows<'a, 's, const WORDS: usize> {
    projection: &'a Projection<'s>,
    trie: &'a Trie,
    table: &'a Subformulas<'a>,
    truth: Vec<[u64; WORDS]>,
}

impl<const WORDS: usize> Decided for Rows<'_, '_, WORDS> {
    fn projection(&self) -> &Projection<'_> {
        self.projection
    }

    fn holds(&self, formula: &Ctl, cut: &[u32]) -> bool {
        bit(&self.truth[self.trie.find(cut)], self.table.number(formula))
    }
}
