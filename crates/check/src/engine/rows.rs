//! Every cut of a projection, row by row: the definition once more, made to run fast where the cuts are few.
//!
//! Fix how far all chains but the last have come: the cuts that remain are an interval of the last one, a *row*. Rows
//! hang in a trie whose nodes have an interval of children each, since the bounds between chains are closed: every choice
//! within them can be completed. So a cut is found by as many additions as there are chains, without hashing, and the
//! successors of a row are the rows below the neighbours of its ancestors, found on the way down.
//!
//! One pass from the last cut to the first decides all sub-formulas at once, a bit for each in a word per cut. The
//! explicit engine beside this one does the same sub-formula by sub-formula on the whole run, and stays as it is to be
//! compared with. For more than some ten million cuts the diagrams are the better choice.

use std::collections::BTreeMap;

use causet_formula::core::Ctl;
use causet_solve::budget::{Budget, Spent};
use causet_solve::chains::Chains;

use super::Finding;
use super::argue::{Decided, argue};
use super::subformulas::{Node, Subformulas};
use crate::project::Projection;

/// How many sub-formulas a formula may have: what sixteen words hold.
const MOST_SUBFORMULAS: usize = 16 * 64;

/// Any formula of the core that is not enormous.
pub fn supports(formula: &Ctl) -> Result<(), String> {
    // There are no more sub-formulas than operators, which are counted without a table.
    if formula.size() <= MOST_SUBFORMULAS {
        return Ok(());
    }
    match Subformulas::of(&[formula]).nodes.len() {
        0..=MOST_SUBFORMULAS => Ok(()),
        count => Err(format!(
            "the formula has {count} sub-formulas, more than {MOST_SUBFORMULAS}"
        )),
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
        trie: &trie,
        table,
        views: views(projection, table),
        truth: vec![[0_u64; WORDS]; trie.cuts],
        cut: projection.first_cut(),
        budget,
    };
    pass.descend(0, 0, &[])?;
    let rows = Rows {
        projection,
        trie: &trie,
        table,
        truth: pass.truth,
    };
    let holds = rows.holds(goal, &projection.first_cut());
    let route = argue(&rows, goal, holds, budget)?;
    let stats = BTreeMap::from([("visited", trie.cuts as u64)]);
    Ok(Finding {
        holds,
        route,
        stats,
    })
}

/// Per sub-formula that is a predicate: its number in the projection.
fn views(projection: &Projection<'_>, table: &Subformulas<'_>) -> Vec<usize> {
    let number = |node: &Node<'_>| match node {
        Node::State(pred) => projection.number_of(pred),
        _ => usize::MAX,
    };
    table.nodes.iter().map(number).collect()
}

/// The cuts of a projection: `levels[d]` has a node for every choice of the first `d` chains.
struct Trie {
    levels: Vec<Level>,
    cuts: usize,
}

#[derive(Default)]
struct Level {
    nodes: Vec<Choice>,
}

/// The positions a chain may have after the choices so far.
#[derive(Clone, Copy)]
struct Choice {
    low: u32,
    high: u32,
    /// Where the node for `low` stands in the next level, or the cut in the list of cuts.
    first: u32,
}

impl Choice {
    /// The child for a position.
    fn child(self, x: u32) -> Option<usize> {
        (self.low..=self.high)
            .contains(&x)
            .then(|| (self.first + (x - self.low)) as usize)
    }
}

impl Trie {
    fn build(projection: &Projection<'_>, budget: &Budget<'_>) -> Result<Trie, Spent> {
        let width = projection.count();
        let mut trie = Trie {
            levels: Vec::with_capacity(width),
            cuts: 1,
        };
        let mut bounds = Bounds::of(projection);
        for chain in 0..width {
            let mut level = Level::default();
            let mut next = Bounds::default();
            let mut first = 0_u64;
            for node in 0..bounds.low.len() / width {
                budget.tick()?;
                let (low, high) = bounds.at(node, width);
                let choice = Choice {
                    low: low[chain],
                    high: high[chain],
                    first: u32::try_from(first).map_err(|_| Spent::Memory)?,
                };
                first += u64::from(choice.high - choice.low) + 1;
                charge_growth(
                    budget,
                    level.nodes.len(),
                    level.nodes.capacity(),
                    size_of::<Choice>(),
                )?;
                level.nodes.push(choice);
                for x in choice.low..=choice.high {
                    if chain + 1 < width {
                        next.push(projection, chain, x, (low, high), budget)?;
                    }
                }
            }
            trie.cuts = usize::try_from(first).map_err(|_| Spent::Memory)?;
            trie.levels.push(level);
            budget.release(bounds.charged);
            bounds = next;
        }
        Ok(trie)
    }

    /// The number of a cut.
    fn find(&self, cut: &[u32]) -> usize {
        let mut node = 0;
        for (level, &x) in self.levels.iter().zip(cut) {
            let choice = level.nodes[node];
            node = (choice.first + (x - choice.low)) as usize;
        }
        node
    }
}

/// For each node of a level, within which bounds the chains may still be: rows of numbers, end to end.
#[derive(Default)]
struct Bounds {
    low: Vec<u32>,
    high: Vec<u32>,
    charged: usize,
}

impl Bounds {
    /// Those of the root.
    fn of(projection: &Projection<'_>) -> Self {
        Bounds {
            low: projection.first_cut(),
            high: projection.last_cut(),
            charged: 0,
        }
    }

    fn at(&self, node: usize, width: usize) -> (&[u32], &[u32]) {
        let row = node * width..(node + 1) * width;
        (&self.low[row.clone()], &self.high[row])
    }

    /// Adds what is left of a node's bounds once a chain has come so far.
    fn push(
        &mut self,
        projection: &Projection<'_>,
        chain: usize,
        x: u32,
        (low, high): (&[u32], &[u32]),
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        let row = self.low.len();
        for numbers in [&self.low, &self.high] {
            let length = numbers.len() + low.len();
            self.charged += charge_growth(budget, length, numbers.capacity(), 4)?;
        }
        self.low.extend_from_slice(low);
        self.high.extend_from_slice(high);
        projection.narrow(chain, x, &mut self.low[row..], &mut self.high[row..]);
        Ok(())
    }
}

/// Pays for a list that is about to double, while the old and the new one are both there; says how much.
fn charge_growth(
    budget: &Budget<'_>,
    length: usize,
    capacity: usize,
    size: usize,
) -> Result<usize, Spent> {
    if length < capacity {
        return Ok(0);
    }
    let bytes = (2 * capacity).max(length) * size;
    budget.charge(bytes)?;
    Ok(bytes)
}

/// The pass from the last cut to the first.
struct Pass<'a, 's, const WORDS: usize> {
    projection: &'a Projection<'s>,
    trie: &'a Trie,
    table: &'a Subformulas<'a>,
    views: Vec<usize>,
    truth: Vec<[u64; WORDS]>,
    cut: Vec<u32>,
    budget: &'a Budget<'a>,
}

impl<const WORDS: usize> Pass<'_, '_, WORDS> {
    /// Decides the cuts below a node; `after` are the nodes of the same level with one earlier chain a step further.
    fn descend(&mut self, depth: usize, node: usize, after: &[usize]) -> Result<(), Spent> {
        let Some(level) = self.trie.levels.get(depth) else {
            self.decide(node, &[]);
            return Ok(());
        };
        let choice = level.nodes[node];
        let is_row = depth + 1 == self.trie.levels.len();
        let mut below = Vec::with_capacity(after.len() + 1);
        for x in (choice.low..=choice.high).rev() {
            self.budget.tick()?;
            self.cut[depth] = x;
            below.clear();
            let neighbours = after.iter().map(|&node| level.nodes[node]);
            below.extend(neighbours.filter_map(|choice| choice.child(x)));
            below.extend(choice.child(x + 1));
            let child = (choice.first + (x - choice.low)) as usize;
            if is_row {
                self.decide(child, &below);
            } else {
                self.descend(depth + 1, child, &below)?;
            }
        }
        Ok(())
    }

    /// Decides every sub-formula at a cut whose successors are decided.
    fn decide(&mut self, cut: usize, after: &[usize]) {
        let mut some = [0_u64; WORDS];
        let mut all = [u64::MAX; WORDS];
        for &next in after {
            for word in 0..WORDS {
                some[word] |= self.truth[next][word];
                all[word] &= self.truth[next][word];
            }
        }
        let is_final = after.is_empty();
        let mut now = [0_u64; WORDS];
        for (number, node) in self.table.nodes.iter().enumerate() {
            let holds = match node {
                Node::State(_) => self.projection.holds(self.views[number], &self.cut),
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
        self.truth[cut] = now;
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
