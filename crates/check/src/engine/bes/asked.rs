//! Equations that can be asked about more cuts than those that decided, for whoever looks for a run that shows a verdict.
//!
//! All cuts can be asked about, unless what is known is what several workers have shown. Then one value is sure where it
//! is found, the one that was to be explained; the other one only says that nothing is known. A formula is asked for in
//! the form in which it stands in the whole, as true or as false, so the sure value is the one that matters.

use std::cell::{Cell, RefCell};

use causet_base::budget::{Budget, Spent};
use causet_formula::core::{Ctl, Pred};
use causet_solve::bes::Resolution;
use causet_solve::bes::product::Product;
use causet_solve::bes::program::Program;
use causet_solve::chains::Chains;
use rustc_hash::FxHashMap;

use super::cuts::Known;
use super::table::Table;
use crate::engine::argue::{Decided, argue};
use crate::engine::evidence::{Judged, Onward};
use crate::project::{Projection, Route};

pub(super) type Asking<'a, K> = Resolution<'a, Product<'a, K>>;

/// A formula of CTL, what it has become, and where.
pub(super) struct Subject<'a, 's, 'f, N> {
    pub(super) projection: &'a Projection<'s>,
    pub(super) goal: &'f Ctl,
    pub(super) table: &'a Table<'f, N>,
    pub(super) program: &'a Program,
}

impl<N: Fn(&Pred) -> usize> Subject<'_, '_, '_, N> {
    /// The argument for the truth value of the formula, with the help of its equations; `sure` is the only value that
    /// can be relied on, if one is.
    pub(super) fn argue<K: Known>(
        &self,
        resolution: &mut Asking<'_, K>,
        truth: bool,
        sure: Option<bool>,
        budget: &Budget<'_>,
    ) -> Result<Option<Route>, Spent> {
        let nodes = 0..self.program.nodes().len();
        let asked = Asked {
            projection: self.projection,
            table: self.table,
            node_of: nodes
                .map(|node| (self.program.origin(node), node))
                .collect(),
            resolution: RefCell::new(resolution),
            sure,
            budget,
            spent: Cell::new(None),
        };
        let route = argue(&asked, self.goal, truth, budget)?;
        asked.spent.get().map_or(Ok(route), Err)
    }
}

/// A resolution that can be asked about cuts.
struct Asked<'a, 'r, 's, 'f, N, K> {
    projection: &'a Projection<'s>,
    table: &'a Table<'f, N>,
    /// Per node of the table: the node of the program it has become.
    node_of: FxHashMap<usize, usize>,
    resolution: RefCell<&'a mut Asking<'r, K>>,
    /// The value that can be relied on, if the other one cannot.
    sure: Option<bool>,
    budget: &'a Budget<'a>,
    /// The limit that was reached while it was asked.
    spent: Cell<Option<Spent>>,
}

impl<N: Fn(&Pred) -> usize, K: Known> Asked<'_, '_, '_, '_, N, K> {
    /// Whether a node is known to have a value at a cut.
    fn is(&self, node: usize, cut: &[u32], value: bool) -> Result<bool, Spent> {
        let mut resolution = self.resolution.borrow_mut();
        let steps = resolution.equations().steps_mut();
        let Some(state) = steps.number(cut, self.budget)? else {
            return Ok(false);
        };
        let found = match resolution.equations().variable(state, node)? {
            Some(variable) => resolution.value(variable)?,
            None => resolution.equations().read_off(state, node)?,
        };
        Ok(found == value)
    }

    /// The node that can tell of an until whether it has a truth value, and the value it must have for that.
    fn teller(&self, until: &Ctl, truth: bool) -> Option<(usize, bool)> {
        let of = |form: bool| {
            let node = self.table.until(until, form)?;
            Some((*self.node_of.get(&node)?, form == truth))
        };
        match self.sure {
            None => of(truth).or_else(|| of(!truth)),
            Some(sure) => of(sure == truth),
        }
    }

    /// Whether some step, or every one, is known to lead to a cut that gives a formula a truth value.
    fn after(&self, formula: &Ctl, cut: &[u32], truth: bool, all: bool) -> bool {
        let mut next = cut.to_vec();
        let mut chains = (0..self.projection.count())
            .filter(|&chain| self.projection.may_advance(cut, chain))
            .map(|chain| {
                next[chain] += 1;
                let has = self.has(formula, &next, truth);
                next[chain] -= 1;
                has
            });
        match all {
            true => chains.all(|has| has),
            false => chains.any(|has| has),
        }
    }

    /// An until that no node tells of, by its definition.
    fn unfolded(&self, until: &Ctl, cut: &[u32], truth: bool) -> bool {
        let (Ctl::Eu(hold, goal) | Ctl::Au(hold, goal)) = until else {
            return false;
        };
        let on_all = matches!(until, Ctl::Au(..));
        let ends = *cut == self.projection.last_cut()[..];
        let later = || self.after(until, cut, truth, on_all == truth);
        match truth {
            true => {
                let goes_on = || self.has(hold, cut, true) && !(on_all && ends) && later();
                self.has(goal, cut, true) || goes_on()
            }
            false => {
                let stops = || self.has(hold, cut, false) || (on_all && ends) || later();
                self.has(goal, cut, false) && stops()
            }
        }
    }
}

impl<N: Fn(&Pred) -> usize, K: Known> Decided for Asked<'_, '_, '_, '_, N, K> {
    fn projection(&self) -> &Projection<'_> {
        self.projection
    }

    fn holds(&self, formula: &Ctl, cut: &[u32]) -> bool {
        self.has(formula, cut, true)
    }

    fn has(&self, formula: &Ctl, cut: &[u32], truth: bool) -> bool {
        match formula {
            Ctl::State(Pred::Const(value)) => *value == truth,
            Ctl::State(pred) => {
                self.projection.holds(self.projection.number_of(pred), cut) == truth
            }
            Ctl::Not(inner) => self.has(inner, cut, !truth),
            Ctl::And(parts) | Ctl::Or(parts) => {
                let has = |part: &Ctl| self.has(part, cut, truth);
                match matches!(formula, Ctl::And(_)) == truth {
                    true => parts.iter().all(has),
                    false => parts.iter().any(has),
                }
            }
            Ctl::Ex(inner) => self.after(inner, cut, truth, !truth),
            Ctl::Eu(..) | Ctl::Au(..) => {
                let Some((node, value)) = self.teller(formula, truth) else {
                    return self.unfolded(formula, cut, truth);
                };
                self.is(node, cut, value).unwrap_or_else(|spent| {
                    self.spent.set(Some(spent));
                    false
                })
            }
            Ctl::Run(_) | Ctl::Modal(_) => !truth,
        }
    }
}

/// The same for the mu-calculus: cuts are known by their numbers.
pub(super) struct Labelled<'r, 'a, 's, K> {
    pub(super) resolution: &'r mut Asking<'a, K>,
    pub(super) projection: &'r Projection<'s>,
    pub(super) budget: &'r Budget<'r>,
}

impl<K: Known> Judged for Labelled<'_, '_, '_, K> {
    type Cut = u32;

    fn holds(&mut self, node: usize, &cut: &u32) -> Result<bool, Spent> {
        match self.resolution.equations().variable(cut, node)? {
            Some(variable) => self.resolution.value(variable),
            None => self.resolution.equations().read_off(cut, node),
        }
    }

    fn steps(&mut self, &cut: &u32) -> Result<Vec<Onward<u32>>, Spent> {
        let known = self.resolution.equations().steps_mut();
        let edges = known.edges(cut, self.budget)?.to_vec();
        let chain = |to: u32| {
            let (cut, next) = (known.row(cut), known.row(to));
            let chain = cut.iter().zip(next).position(|(a, b)| a != b).unwrap_or(0);
            (self.projection.rank(chain, cut[chain]), chain)
        };
        let mut ranked: Vec<_> = edges
            .iter()
            .map(|edge| (chain(edge.target), edge))
            .collect();
        ranked.sort_unstable_by_key(|&(rank, _)| rank);
        let onward = ranked.into_iter().map(|((_, chain), edge)| Onward {
            by: chain,
            label: edge.label,
            to: edge.target,
        });
        Ok(onward.collect())
    }
}
