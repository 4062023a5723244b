//! Interval sharing trees in canonical form: sets of cuts by the million million, operated on as diagrams.
//!
//! Every sub-formula becomes the diagram of the cuts that satisfy it, from the atoms up (paper IST, section 5). Where the
//! paper iterates fixpoints of `pre`, one pass over the diagram computes an until (`solve::diagram`); everything else is
//! reduced to that, with the meaning at the final cut `E` that the runs give it and the paper's fixpoints miss:
//!
//! ```text
//! EX f       pre(f) ∩ cuts
//! E[f U g]   one pass
//! A[f U g]   cuts \ E[!g U (!g && (!f || E))]      the paper's fixpoint makes this a weak until
//! ```
//!
//! An atom is read layer by layer: after each layer it has shrunk to what the others must still satisfy, and equal
//! residues share their diagrams. Blocks of positions with one value are the paper's `A(e) ∩ B(e')`, without its
//! off-by-one at the end of a block.
//!
//! How large a diagram gets depends on the order of the layers more than on anything else: chains that talk to each other
//! belong next to each other. A greedy arrangement by the number of edges is tried first, one from the heaviest chain
//! outwards when that grows too large.

mod arrange;
mod residues;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use causet_base::budget::{Budget, Spent};
use causet_formula::core::{Ctl, Pred};
use causet_solve::chains::Chains;
use causet_solve::diagram::{Forest, Node};
use rustc_hash::FxHashMap;

use super::Finding;
use super::argue::{Decided, argue};
use super::table::{Engine, OfCuts, Skill};
use crate::project::{Projection, Track};
pub(crate) use arrange::arrange;
use residues::Residues;

/// Its row in the table.
pub static ENGINE: Engine = Engine {
    name: "ist",
    about: "Interval sharing trees in canonical form",
    skill: Skill::Cuts(OfCuts {
        supports: |_, _| Ok(()),
        run: |task| {
            let second = task.layout > 0;
            run(
                task.projection,
                task.formula,
                second,
                task.stock,
                task.budget,
            )
        },
        layouts: 2,
    }),
    takes_all: false,
};

/// Diagrams kept from one formula to the next that speaks of the same chains.
pub struct Stock<'b> {
    budget: &'b Budget<'b>,
    shelves: Mutex<Vec<Shelf<'b>>>,
}

/// A forest for some chains, with what is known of it.
struct Shelf<'b> {
    key: (Vec<(Track, usize)>, bool),
    forest: Forest<'b>,
    /// The chain of each layer.
    layers: Vec<usize>,
    /// All cuts.
    cuts: Node,
    /// The final one.
    last: Node,
    /// The cuts that satisfy a formula, for every until, what it leads to, and the whole.
    known: FxHashMap<Ctl, Node>,
    /// What operations under way still need.
    kept: Vec<Node>,
}

/// How many forests are kept.
const MOST_SHELVES: usize = 2;
/// A forest with more nodes is cleared of all but what later formulas may use.
const MANY_NODES: usize = 1 << 20;

impl<'b> Stock<'b> {
    /// An empty stock; what is put there is charged to this budget.
    pub fn new(budget: &'b Budget<'b>) -> Self {
        Stock {
            budget,
            shelves: Mutex::default(),
        }
    }

    /// A forest for the chains of a projection: one from the stock, or a new one with all cuts.
    fn take(&self, projection: &Projection<'_>, second: bool) -> Result<Shelf<'b>, Spent> {
        let key = (projection.chains_key(), second);
        let mut shelves = self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = shelves.iter().position(|shelf| shelf.key == key) {
            return Ok(shelves.swap_remove(at));
        }
        drop(shelves);
        let layers = arrange(projection, second, self.budget)?;
        let lengths = layers.iter().map(|&chain| projection.length(chain));
        let mut forest = Forest::new(lengths.collect(), self.budget);
        let cuts = forest.all_cuts(projection, &layers)?;
        let last = forest.single(&reordered(&layers, &projection.last_cut()))?;
        Ok(Shelf {
            key,
            forest,
            layers,
            cuts,
            last,
            known: FxHashMap::default(),
            kept: Vec::new(),
        })
    }

    /// Keeps a forest for the next formula.
    fn put(&self, mut shelf: Shelf<'b>) {
        if shelf.forest.nodes() > MANY_NODES {
            shelf.known.clear();
            shelf.clean();
        }
        let mut shelves = self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
        if shelves.len() >= MOST_SHELVES {
            shelves.remove(0);
        }
        shelves.push(shelf);
    }

    /// Gives back all memory; says whether there was any to give.
    pub(crate) fn clear(&self) -> bool {
        let mut shelves = self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = !shelves.is_empty();
        shelves.clear();
        kept
    }
}

/// Decides a formula at the initial cut; `second` asks for the other arrangement of the layers.
pub(crate) fn run(
    projection: &Projection<'_>,
    goal: &Ctl,
    second: bool,
    stock: &Stock<'_>,
    budget: &Budget<'_>,
) -> Result<Finding, Spent> {
    let mut shelf = stock.take(projection, second)?;
    let (nodes, edges) = match shelf.known.is_empty() {
        true => (0, 0),
        false => (shelf.forest.nodes(), shelf.forest.edges()),
    };
    shelf.decide(projection, goal)?;
    let diagrams = Diagrams {
        projection,
        shelf: &shelf,
    };
    let holds = diagrams.holds(goal, &projection.first_cut());
    debug_assert!(shelf.known.contains_key(goal));
    let route = budget.explain(|| argue(&diagrams, goal, holds, budget));
    let stats = BTreeMap::from([
        ("nodes", shelf.forest.nodes().saturating_sub(nodes) as u64),
        ("edges", shelf.forest.edges().saturating_sub(edges) as u64),
    ]);
    stock.put(shelf);
    Ok(Finding {
        holds,
        route,
        stats,
    })
}

impl<'b> Shelf<'b> {
    /// The cuts that satisfy a formula.
    fn decide(&mut self, projection: &Projection<'_>, formula: &Ctl) -> Result<Node, Spent> {
        if let Some(&known) = self.known.get(formula) {
            return Ok(known);
        }
        let set = match formula {
            Ctl::Eu(hold, goal) => {
                let hold = self.decide(projection, hold)?;
                let goal = self.decide(projection, goal)?;
                self.with(&[hold, goal], |forest| forest.until(hold, goal))?
            }
            Ctl::Au(hold, goal) => self.always_until(projection, hold, goal)?,
            _ => self.inside(projection, formula, true, self.cuts)?,
        };
        self.known.insert(formula.clone(), set);
        Ok(set)
    }

    /// The cuts of `within` at which a formula has a truth value. In a conjunction each part is looked at only where the
    /// parts before it hold, predicates first: what `EX` says matters only there, and there may be few such cuts.
    fn inside(
        &mut self,
        projection: &Projection<'_>,
        formula: &Ctl,
        truth: bool,
        within: Node,
    ) -> Result<Node, Spent> {
        self.kept.push(within);
        let set = self.inside_kept(projection, formula, truth, within);
        self.kept.pop();
        set
    }

    /// The same, where nothing takes `within` away.
    fn inside_kept(
        &mut self,
        projection: &Projection<'_>,
        formula: &Ctl,
        truth: bool,
        within: Node,
    ) -> Result<Node, Spent> {
        let set = match formula {
            Ctl::Not(part) => return self.inside(projection, part, !truth, within),
            Ctl::And(parts) | Ctl::Or(parts) => {
                let all = matches!(formula, Ctl::And(_)) == truth;
                return self.junction(projection, parts, truth, all, within);
            }
            Ctl::Eu(..) | Ctl::Au(..) | Ctl::Ex(_) | Ctl::Run(_) | Ctl::Modal(_) => {
                self.temporal(projection, formula, within)?
            }
            Ctl::State(pred) => self.atom(projection, pred, within)?,
        };
        self.with(&[set], |forest| match truth {
            true => forest.intersection(within, set),
            false => forest.difference(within, set),
        })
    }

    /// The cuts that satisfy a temporal formula, as far as they lie in `within`.
    fn temporal(
        &mut self,
        projection: &Projection<'_>,
        formula: &Ctl,
        within: Node,
    ) -> Result<Node, Spent> {
        let Ctl::Ex(part) = formula else {
            return self.decide(projection, formula);
        };
        let part = self.decide(projection, part)?;
        self.with(&[part, within], |forest| forest.before_within(part, within))
    }

    fn junction(
        &mut self,
        projection: &Projection<'_>,
        parts: &[Ctl],
        truth: bool,
        all: bool,
        within: Node,
    ) -> Result<Node, Spent> {
        let (states, others): (Vec<&Ctl>, Vec<&Ctl>) =
            parts.iter().partition(|part| matches!(part, Ctl::State(_)));
        let mut parts = states.into_iter().chain(others);
        if all {
            return parts.try_fold(within, |within, part| {
                self.inside(projection, part, truth, within)
            });
        }
        parts.try_fold(Node::EMPTY, |sofar, part| {
            self.kept.push(sofar);
            let set = self.inside(projection, part, truth, within);
            self.kept.pop();
            let set = set?;
            self.with(&[sofar, set], |forest| forest.union(sofar, set))
        })
    }

    /// `A[hold U goal]`: no run can avoid the goal until `hold` fails or the run is over.
    fn always_until(
        &mut self,
        projection: &Projection<'_>,
        hold: &Ctl,
        goal: &Ctl,
    ) -> Result<Node, Spent> {
        let avoids = self.inside(projection, goal, false, self.cuts)?;
        self.kept.push(avoids);
        let fails = self.inside(projection, hold, false, avoids);
        self.kept.pop();
        let fails = fails?;
        let last = self.last;
        let over = self.with(&[avoids, fails], |forest| forest.intersection(avoids, last))?;
        let lost = self.with(&[avoids, fails, over], |forest| forest.union(fails, over))?;
        let avoidable = self.with(&[avoids, lost], |forest| forest.until(avoids, lost))?;
        let cuts = self.cuts;
        self.with(&[avoidable], |forest| forest.difference(cuts, avoidable))
    }

    fn atom(
        &mut self,
        projection: &Projection<'_>,
        pred: &Pred,
        within: Node,
    ) -> Result<Node, Spent> {
        let view = projection.view(projection.number_of(pred));
        let mut reading = Residues::new(projection, &self.layers, view);
        self.with(&[within], |forest| forest.filter(within, &mut reading))
    }

    /// Carries out an operation; when it runs out of memory, once more without the rubbish of earlier ones.
    fn with(
        &mut self,
        operands: &[Node],
        mut operation: impl FnMut(&mut Forest<'b>) -> Result<Node, Spent>,
    ) -> Result<Node, Spent> {
        match operation(&mut self.forest) {
            Err(Spent::Memory) => {
                self.clean_but(operands);
                operation(&mut self.forest)
            }
            done => done,
        }
    }

    fn clean(&mut self) {
        self.clean_but(&[]);
    }

    fn clean_but(&mut self, operands: &[Node]) {
        let mut roots: Vec<Node> = self.known.values().copied().collect();
        roots.extend_from_slice(operands);
        roots.extend_from_slice(&self.kept);
        roots.extend([self.cuts, self.last]);
        self.forest.collect(&roots);
    }
}

/// Every sub-formula decided.
struct Diagrams<'a, 's, 'b> {
    projection: &'a Projection<'s>,
    shelf: &'a Shelf<'b>,
}

impl Decided for Diagrams<'_, '_, '_> {
    fn projection(&self) -> &Projection<'_> {
        self.projection
    }

    fn holds(&self, formula: &Ctl, cut: &[u32]) -> bool {
        if let Some(&set) = self.shelf.known.get(formula) {
            let point = reordered(&self.shelf.layers, cut);
            return self.shelf.forest.contains(set, &point);
        }
        match formula {
            Ctl::State(pred) => {
                let number = self.projection.number_of(pred);
                self.projection.holds(number, cut)
            }
            Ctl::Not(part) => !self.holds(part, cut),
            Ctl::And(parts) => parts.iter().all(|part| self.holds(part, cut)),
            Ctl::Or(parts) => parts.iter().any(|part| self.holds(part, cut)),
            Ctl::Ex(part) => {
                let mut chains = 0..self.projection.count();
                let mut next = cut.to_vec();
                chains.any(|chain| {
                    let may = self.projection.may_advance(cut, chain);
                    next[chain] += 1;
                    let holds = may && self.holds(part, &next);
                    next[chain] -= 1;
                    holds
                })
            }
            Ctl::Eu(..) | Ctl::Au(..) | Ctl::Run(_) | Ctl::Modal(_) => false,
        }
    }

    fn nearest(&self, formula: &Ctl, from: &[u32]) -> Option<Vec<u32>> {
        if from.iter().any(|&x| x > 0) {
            return None;
        }
        let point = self.shelf.forest.lowest(*self.shelf.known.get(formula)?)?;
        let mut cut = vec![0; point.len()];
        for (&chain, x) in self.shelf.layers.iter().zip(point) {
            cut[chain] = x;
        }
        Some(cut)
    }
}

/// A cut with its numbers in the order of the layers.
fn reordered(layers: &[usize], cut: &[u32]) -> Vec<u32> {
    layers.iter().map(|&chain| cut[chain]).collect()
}
