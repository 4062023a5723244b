//! Equations on the fly: a formula and the cuts make a boolean equation system, of which only what matters is looked at.
//!
//! A variable says that a cut satisfies a sub-formula. Its right-hand side is found when somebody asks for it, and the
//! work stops when the initial cut is decided. The lattice of cuts has no cycles, so one depth-first search resolves
//! every variable it meets. `rows` beside this one goes through all cuts, with less memory for each; this engine is the
//! better choice where a few cuts decide, and the only one beside the definition that knows the labels of events.

mod cuts;
mod table;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use causet_formula::core::{Ctl, Pred};
use causet_formula::modal::Modal;
use causet_solve::bes::product::{Matching, Product};
use causet_solve::bes::program::Program;
use causet_solve::bes::{Resolution, Strategy};
use causet_solve::budget::{Budget, Spent};
use causet_solve::chains::Chains;
use causet_solve::steps::Steps;
use rustc_hash::FxHashMap;

use super::argue::{Decided, argue};
use super::evidence::{Judged, Onward, evidence};
use super::{Finding, Stats};
use crate::equations::nodes;
use crate::labels::Labels;
use crate::project::{Projection, Route};
use cuts::{Cuts, Walk};
use table::Table;

/// How many operators and operands a formula may have: every cut that is looked at has a variable for many of them.
const LARGEST: usize = 1 << 16;

/// Any formula of the core that is not enormous.
pub fn supports(formula: &Ctl) -> Result<(), String> {
    match formula.size() {
        0..=LARGEST => Ok(()),
        size => Err(format!(
            "the formula has {size} operators and operands, more than {LARGEST}"
        )),
    }
}

/// Decides a formula of CTL at the initial cut.
pub(crate) fn run(
    projection: &Projection<'_>,
    goal: &Ctl,
    budget: &Budget<'_>,
) -> Result<Finding, Spent> {
    let (mut table, main) = Table::new(goal, |pred: &Pred| projection.number_of(pred));
    let program = Program::new(std::mem::take(&mut table.nodes), main);
    let matching = Matching::new(1, 1, |_, _| true);
    let cuts = Cuts {
        projection,
        labels: None,
    };
    let steps = Walk::new(&cuts, budget)?;
    let product = Product::new(&program, &matching, steps, budget);
    let mut resolution = Resolution::new(product, Strategy::Lean, budget);
    let holds = resolution.solve()?;
    let nodes = 0..program.nodes().len();
    let asked = Asked {
        projection,
        table,
        node_of: nodes.map(|node| (program.origin(node), node)).collect(),
        resolution: RefCell::new(resolution),
        budget,
        spent: Cell::new(None),
    };
    let route = argue(&asked, goal, holds, budget)?;
    if let Some(spent) = asked.spent.get() {
        return Err(spent);
    }
    let stats = figures(&mut asked.resolution.into_inner());
    Ok(Finding {
        holds,
        route,
        stats,
    })
}

/// Decides a formula of the mu-calculus at the initial cut of a projection that leaves nothing out.
pub(crate) fn run_modal(
    projection: &Projection<'_>,
    table: &Modal,
    labels: &Labels<'_>,
    budget: &Budget<'_>,
) -> Result<Finding, Spent> {
    let program = Program::new(nodes(table), table.main);
    let admits = |action: usize, label| labels.admits(&table.actions[action], label);
    let matching = Matching::new(table.actions.len(), labels.len(), admits);
    let cuts = Cuts {
        projection,
        labels: Some(labels),
    };
    let steps = Walk::new(&cuts, budget)?;
    let product = Product::new(&program, &matching, steps, budget);
    let mut resolution = Resolution::new(product, Strategy::Lean, budget);
    let holds = resolution.solve()?;
    let mut route = None;
    if projection.wants_routes() {
        let mut asked = Labelled {
            resolution: &mut resolution,
            budget,
        };
        let start = (program.main(), 0);
        let steps = evidence(&mut asked, program.nodes(), start, &matching, holds, budget)?;
        route = steps.map(|steps| Route {
            steps,
            ..Route::default()
        });
    }
    let stats = figures(&mut resolution);
    Ok(Finding {
        holds,
        route,
        stats,
    })
}

type Asking<'a, 's> = Resolution<'a, Product<'a, Walk<'a, 's>>>;

fn figures(resolution: &mut Asking<'_, '_>) -> Stats {
    let (variables, _) = resolution.figures();
    let visited = resolution.equations().steps().explored() as u64;
    BTreeMap::from([("visited", visited), ("variables", variables)])
}

/// A resolution that can be asked about more cuts than those that decided.
struct Asked<'a, 's, 'f, N> {
    projection: &'a Projection<'s>,
    table: Table<'f, N>,
    /// Per node of the table: the node of the program it has become.
    node_of: FxHashMap<usize, usize>,
    resolution: RefCell<Asking<'a, 's>>,
    budget: &'a Budget<'a>,
    /// The limit that was reached while it was asked.
    spent: Cell<Option<Spent>>,
}

impl<N: Fn(&Pred) -> usize> Asked<'_, '_, '_, N> {
    /// Whether a cut satisfies an until, or whatever else has a variable.
    fn resolved(&self, node: usize, cut: &[u32]) -> Result<bool, Spent> {
        let mut resolution = self.resolution.borrow_mut();
        let state = resolution
            .equations()
            .steps_mut()
            .number(cut, self.budget)?;
        match resolution.equations().variable(state, node)? {
            Some(variable) => resolution.value(variable),
            None => resolution.equations().read_off(state, node),
        }
    }

    /// Whether some step, or every one, leads to a cut that satisfies a formula.
    fn after(&self, formula: &Ctl, cut: &[u32], all: bool) -> bool {
        let mut next = cut.to_vec();
        let mut chains = (0..self.projection.count())
            .filter(|&chain| self.projection.may_advance(cut, chain))
            .map(|chain| {
                next[chain] += 1;
                let holds = self.holds(formula, &next);
                next[chain] -= 1;
                holds
            });
        match all {
            true => chains.all(|holds| holds),
            false => chains.any(|holds| holds),
        }
    }

    /// An until that is no variable, by its definition.
    fn unfolded(&self, until: &Ctl, cut: &[u32]) -> bool {
        match until {
            Ctl::Eu(hold, goal) => {
                self.holds(goal, cut) || (self.holds(hold, cut) && self.after(until, cut, false))
            }
            Ctl::Au(hold, goal) => {
                let ends = *cut == self.projection.last_cut()[..];
                self.holds(goal, cut)
                    || (self.holds(hold, cut) && !ends && self.after(until, cut, true))
            }
            _ => false,
        }
    }
}

impl<N: Fn(&Pred) -> usize> Decided for Asked<'_, '_, '_, N> {
    fn projection(&self) -> &Projection<'_> {
        self.projection
    }

    fn holds(&self, formula: &Ctl, cut: &[u32]) -> bool {
        match formula {
            Ctl::State(Pred::Const(value)) => *value,
            Ctl::State(pred) => self.projection.holds(self.projection.number_of(pred), cut),
            Ctl::Not(inner) => !self.holds(inner, cut),
            Ctl::And(parts) => parts.iter().all(|part| self.holds(part, cut)),
            Ctl::Or(parts) => parts.iter().any(|part| self.holds(part, cut)),
            Ctl::Ex(inner) => self.after(inner, cut, false),
            Ctl::Eu(..) | Ctl::Au(..) => {
                let made = self.table.until(formula);
                let node = made.and_then(|(node, truth)| Some((*self.node_of.get(&node)?, truth)));
                let Some((node, truth)) = node else {
                    return self.unfolded(formula, cut);
                };
                match self.resolved(node, cut) {
                    Ok(value) => value == truth,
                    Err(spent) => {
                        self.spent.set(Some(spent));
                        false
                    }
                }
            }
            Ctl::Run(_) | Ctl::Modal(_) => false,
        }
    }
}

/// The same for the mu-calculus: cuts are known by their numbers.
struct Labelled<'r, 'a, 's> {
    resolution: &'r mut Asking<'a, 's>,
    budget: &'r Budget<'r>,
}

impl Judged for Labelled<'_, '_, '_> {
    type Cut = u32;

    fn holds(&mut self, node: usize, &cut: &u32) -> Result<bool, Spent> {
        match self.resolution.equations().variable(cut, node)? {
            Some(variable) => self.resolution.value(variable),
            None => self.resolution.equations().read_off(cut, node),
        }
    }

    fn steps(&mut self, &cut: &u32) -> Result<Vec<Onward<u32>>, Spent> {
        let walk = self.resolution.equations().steps_mut();
        let edges = walk.edges(cut, self.budget)?.to_vec();
        let mut ranked: Vec<_> = edges
            .iter()
            .map(|edge| (walk.chain(cut, edge.target), edge))
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
