//! Computation slices, and the special shapes that are decided in polynomial time.
//!
//! The cuts that satisfy a regular predicate form a lattice, and so do those that satisfy `EF`, `AG` and `EG` of it
//! (paper POTA, section 7: RCTL). A lattice of cuts is described by few facts, however many cuts it has; see
//! `sublattice`. This engine turns a formula into slices from the inside out and looks whether the initial cut is in
//! the last one. Where the paper grafts the slices of a disjunction into one that holds more and searches it (RCTL+), we
//! keep a union of slices, which stays exact, and search only for `EG` of what is not regular.
//!
//! | shape | technique | work |
//! |---|---|---|
//! | conjunction, `EF`, `AG`, `EG` of regular predicates, nested | `sublattice` | linear in chains × events |
//! | also disjunction and negation, under `EF` and `AG` | `kitchen`: a union of slices | the same per slice |
//! | `EF` of a conjunction of local predicates | weak conjunctive: least cut | the same |
//! | `EF` of a linear predicate (a slice and what only becomes false) | least cut | the same |
//! | `EF`, `AF` of what only becomes true (stable) or only false | one look at the last or the present cut | constant |
//! | `EF`, `AG`, `AF` of a disjunction of local predicates | the slices of its parts, or of its negation | linear |
//! | `AF` of a conjunction, `EG` of a disjunction of local ones | `overlap` of intervals | chains × intervals |
//! | `EF` of a sum of lines compared with a constant, perhaps with predicates that have slices | `sums`: heaviest cut | one assignment |
//! | `EF` of how far apart values of several chains are | `spread`: sliding windows | chains × events |
//! | `EG`, `AF` of any other combination | `search` | cuts that satisfy it |
//!
//! The last four know the truth at the initial cut only, so they are for operators that are not below another. `EX`, and
//! until with a left side, are not decided here.

mod atoms;
mod graft;
mod kitchen;
mod line;
mod overlap;
mod recipe;
mod search;
mod spread;
mod sublattice;
mod sums;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::rc::Rc;

use causet_base::Diagnostic;
use causet_base::budget::{Budget, Spent};
use causet_formula::core::{Ctl, Pred};

use super::Finding;
use super::argue::{Decided, argue};
use super::subformulas::{Node, Subformulas};
use super::table::{Engine, OfCuts, Skill};
use crate::project::Projection;
use crate::refusal::no_slice;
pub(crate) use graft::{Grafted, Unsliced, graft};
use kitchen::{Kitchen, Term};
use recipe::{Both, Kind, Monotone, Recipe};
use spread::Spread;
use sublattice::Slice;
use sums::Extreme;

/// Its row in the table.
pub static ENGINE: Engine = Engine {
    name: "slice",
    about: "Computation slices and detectors for special shapes",
    skill: Skill::Cuts(OfCuts {
        supports: |projection, formula| effort(projection, formula).map(drop),
        run: |task| run(task.projection, task.formula, task.budget),
        layouts: 1,
    }),
    takes_all: false,
};

/// How much work a formula can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// Slices alone decide it.
    Polynomial,
    /// The cuts that satisfy some part of it may have to be visited.
    Search,
}

/// How much work a formula is, if slices decide it; if not, why.
pub(crate) fn effort(projection: &Projection<'_>, goal: &Ctl) -> Result<Effort, Diagnostic> {
    let table = Subformulas::of(&[goal]);
    if let Some(reason) = table
        .nodes
        .iter()
        .find_map(|node| unsupported(&table, node))
    {
        return Err(no_slice(reason));
    }
    let methods = Methods::find(projection, &table, goal)?;
    let searches = |method: &Option<Method>| matches!(method, Some(Method::Search));
    match methods.methods.iter().any(searches) {
        true => Ok(Effort::Search),
        false => Ok(Effort::Polynomial),
    }
}

/// Decides a formula at the initial cut; one that is not supported is left undecided.
pub(crate) fn run(
    projection: &Projection<'_>,
    goal: &Ctl,
    budget: &Budget<'_>,
) -> Result<Finding, Spent> {
    let table = Subformulas::of(&[goal]);
    let methods = Methods::find(projection, &table, goal).map_err(|_| Spent::Cancelled)?;
    let sliced = Sliced::decide(projection, table, methods, budget)?;
    let holds = sliced.holds(goal, &projection.first_cut());
    let route = budget.explain(|| argue(&sliced, goal, holds, budget));
    let (slices, edges) = sliced.kitchen.figures();
    let mut stats = BTreeMap::from([("slices", slices), ("edges", edges)]);
    if sliced.known.iter().flatten().any(Known::is_weighed) {
        let events = projection.last_cut().into_iter().map(u64::from);
        stats.insert("weighed", events.sum());
    }
    Ok(Finding {
        holds,
        route,
        stats,
    })
}

/// How an operator is decided.
enum Method {
    /// By slices of the cuts that satisfy it, or of those that do not.
    Slices { recipe: Rc<Recipe>, truth: bool },
    /// `EF` by the least cut from where one is.
    Linear(Rc<Recipe>),
    /// `EF` of a comparison of a sum, at the initial cut.
    Extreme(Extreme),
    /// `EF` of how far apart values are, at the initial cut.
    Spread(Spread),
    /// `AF` of what can only become true, or only false.
    Steady(Rc<Monotone>),
    /// `AF` of a conjunction, at the initial cut.
    Overlap(Rc<Recipe>),
    /// `AF` of anything, at the initial cut.
    Search,
}

/// How every sub-formula is decided.
struct Methods {
    /// By sub-formula: the slices of the cuts that satisfy it, where there are such.
    recipes: Vec<Both>,
    /// By sub-formula: what to do, for those that are temporal operators.
    methods: Vec<Option<Method>>,
}

impl Methods {
    fn find(
        projection: &Projection<'_>,
        table: &Subformulas<'_>,
        goal: &Ctl,
    ) -> Result<Methods, Diagnostic> {
        let mut found = Methods {
            recipes: Vec::with_capacity(table.nodes.len()),
            methods: Vec::with_capacity(table.nodes.len()),
        };
        let below = below_operators(table, goal);
        for (number, node) in table.nodes.iter().enumerate() {
            let recipes = found.recipe(projection, table, node);
            let method = found.method(projection, table, node, &recipes, below[number])?;
            found.recipes.push(recipes);
            found.methods.push(method);
        }
        Ok(found)
    }

    fn recipe(
        &self,
        projection: &Projection<'_>,
        table: &Subformulas<'_>,
        node: &Node<'_>,
    ) -> Both {
        let of = |part: &usize| self.recipes[*part].clone();
        match node {
            Node::State(pred) => {
                let view = projection.view(projection.number_of(pred));
                atoms::of_view(projection, view)
            }
            Node::Not(part) => of(part).negated(),
            Node::And(parts) => Both::all(parts.iter().map(of)),
            Node::Or(parts) => Both::any(parts.iter().map(of)),
            Node::Eu(hold, goal) if is_true(table, *hold) => self.recipes[*goal].ef(projection),
            Node::Au(hold, goal) if is_true(table, *hold) => self.recipes[*goal].af(projection),
            Node::Ex(_) | Node::Eu(..) | Node::Au(..) => {
                Both::unknown(unsupported(table, node).unwrap_or_default())
            }
        }
    }

    fn method(
        &self,
        projection: &Projection<'_>,
        table: &Subformulas<'_>,
        node: &Node<'_>,
        recipes: &Both,
        is_below: bool,
    ) -> Result<Option<Method>, Diagnostic> {
        let (hold, goal) = match node {
            Node::Eu(hold, goal) | Node::Au(hold, goal) => (*hold, *goal),
            Node::Ex(_) => return by_slices(recipes).map(Some),
            Node::State(_) | Node::Not(_) | Node::And(_) | Node::Or(_) => return Ok(None),
        };
        let by_slices = by_slices(recipes);
        let method = by_slices.or_else(|reason| match is_true(table, hold) {
            true => otherwise(node, &self.recipes[goal].yes, is_below)
                .or_else(|| extreme(projection, table, node).filter(|_| !is_below))
                .ok_or(reason),
            false => Err(reason),
        });
        method.map(Some)
    }
}

/// How `EF` or `AF` of something is decided without a recipe of its own.
fn otherwise(
    node: &Node<'_>,
    goal: &Result<Rc<Recipe>, Diagnostic>,
    is_below: bool,
) -> Option<Method> {
    let goal = goal.as_ref().ok();
    if let Node::Eu(..) = node {
        let goal = goal.filter(|goal| goal.falls())?;
        return Some(Method::Linear(goal.clone()));
    }
    match goal.map(|goal| (goal, &goal.kind)) {
        Some((_, Kind::Monotone(literal))) => Some(Method::Steady(literal.clone())),
        _ if is_below => None,
        Some((goal, _)) if goal.is_conjunctive() => Some(Method::Overlap(goal.clone())),
        _ => Some(Method::Search),
    }
}

/// How `EF` of a predicate is decided at the initial cut by a cut where some value is extreme.
fn extreme(
    projection: &Projection<'_>,
    table: &Subformulas<'_>,
    node: &Node<'_>,
) -> Option<Method> {
    let Node::Eu(_, goal) = node else {
        return None;
    };
    let Node::State(pred) = table.nodes[*goal] else {
        return None;
    };
    let view = projection.view(projection.number_of(pred));
    let by_sum = sums::extreme(projection, view).map(Method::Extreme);
    by_sum.or_else(|| spread::spread(projection, view).map(Method::Spread))
}

/// The cheaper of the two recipes.
fn by_slices(recipes: &Both) -> Result<Method, Diagnostic> {
    let slices = |recipe: &Rc<Recipe>, truth| Method::Slices {
        recipe: recipe.clone(),
        truth,
    };
    match (&recipes.yes, &recipes.no) {
        (Ok(yes), Ok(no)) if yes.bound <= no.bound => Ok(slices(yes, true)),
        (_, Ok(no)) => Ok(slices(no, false)),
        (Ok(yes), Err(_)) => Ok(slices(yes, true)),
        (Err(reason), Err(_)) => Err(reason.clone()),
    }
}

/// Why an operator is never decided by slices, whatever it is about.
fn unsupported(table: &Subformulas<'_>, node: &Node<'_>) -> Option<&'static str> {
    match node {
        Node::Ex(_) => Some("it speaks of the next event"),
        Node::Eu(hold, _) | Node::Au(hold, _) if !is_true(table, *hold) => {
            Some("it has an until with a left side")
        }
        _ => None,
    }
}

fn is_true(table: &Subformulas<'_>, number: usize) -> bool {
    matches!(table.nodes[number], Node::State(Pred::Const(true)))
}

/// Which sub-formulas stand below a temporal operator, so that they are asked about at other cuts than the first.
fn below_operators(table: &Subformulas<'_>, goal: &Ctl) -> Vec<bool> {
    let mut below = vec![false; table.nodes.len()];
    let goal = table.number(goal);
    // Parts have smaller numbers than the whole.
    for number in (0..=goal).rev() {
        let is_below = below[number];
        let mut mark = |part: &usize, now: bool| below[*part] |= now;
        match &table.nodes[number] {
            Node::State(_) => {}
            Node::Not(part) => mark(part, is_below),
            Node::And(parts) | Node::Or(parts) => {
                parts.iter().for_each(|part| mark(part, is_below));
            }
            Node::Ex(part) => mark(part, true),
            Node::Eu(hold, goal) | Node::Au(hold, goal) => {
                mark(hold, true);
                mark(goal, true);
            }
        }
    }
    below
}

/// What is known of a temporal operator.
enum Known {
    /// It is true at the cuts of these slices, or at all others.
    Slices(Vec<Slice>, bool),
    /// It is true where one of these can be reached.
    Linear(Vec<Term>),
    /// It is true where this holds or will.
    Steady(Rc<Monotone>),
    /// It is true at the initial cut if there is such a cut; elsewhere nobody asks.
    Cut(Option<Vec<u32>>),
    /// It is false along this run, by the number of events; elsewhere nobody asks.
    Way(Option<Vec<Vec<u32>>>),
}

/// All sub-formulas decided.
struct Sliced<'a, 'b> {
    kitchen: Kitchen<'a, 'b>,
    table: Subformulas<'a>,
    recipes: Vec<Both>,
    known: Vec<Option<Known>>,
}

impl<'a, 'b> Sliced<'a, 'b> {
    fn decide(
        projection: &'a Projection<'a>,
        table: Subformulas<'a>,
        methods: Methods,
        budget: &'a Budget<'b>,
    ) -> Result<Self, Spent> {
        let mut sliced = Sliced {
            kitchen: Kitchen::new(projection, budget),
            known: Vec::with_capacity(table.nodes.len()),
            table,
            recipes: methods.recipes,
        };
        for (number, method) in methods.methods.into_iter().enumerate() {
            let known = method.map(|method| sliced.find_out(number, method));
            sliced.known.push(known.transpose()?);
        }
        Ok(sliced)
    }

    fn find_out(&self, number: usize, method: Method) -> Result<Known, Spent> {
        let projection = self.kitchen.projection;
        let budget = self.kitchen.budget;
        Ok(match method {
            Method::Slices { recipe, truth } => Known::Slices(self.kitchen.slices(&recipe)?, truth),
            Method::Linear(recipe) => Known::Linear(self.kitchen.terms(&recipe)?),
            Method::Extreme(extreme) => Known::Cut(extreme.some_cut(&self.kitchen)?),
            Method::Spread(spread) => Known::Cut(spread.some_cut(projection, budget)?),
            Method::Steady(literal) => Known::Steady(literal),
            Method::Overlap(recipe) => {
                let conjunction = self.kitchen.slices(&recipe)?.pop();
                Known::Way(match conjunction {
                    Some(conjunction) => overlap::avoiding_run(projection, &conjunction, budget)?,
                    None => search::staying_run(projection, |_| true, budget)?,
                })
            }
            Method::Search => {
                let Node::Au(_, goal) = self.table.nodes[number] else {
                    return Err(Spent::Cancelled);
                };
                let fails = |cut: &[u32]| !self.holds_at(goal, cut);
                Known::Way(search::staying_run(projection, fails, budget)?)
            }
        })
    }

    /// A cut at or after a given one that was found for `EF` of a sub-formula.
    fn known_cut(&self, number: usize, from: &[u32]) -> Option<&Vec<u32>> {
        let mut nodes = self.table.nodes.iter().zip(&self.known);
        let cut = nodes.find_map(|known| match known {
            (Node::Eu(_, goal), Some(Known::Cut(cut))) if *goal == number => cut.as_ref(),
            _ => None,
        });
        cut.filter(|cut| cut.iter().zip(from).all(|(x, from)| x >= from))
    }

    fn holds_at(&self, number: usize, cut: &[u32]) -> bool {
        match &self.table.nodes[number] {
            Node::State(pred) => {
                let projection = self.kitchen.projection;
                projection.holds(projection.number_of(pred), cut)
            }
            Node::Not(part) => !self.holds_at(*part, cut),
            Node::And(parts) => parts.iter().all(|&part| self.holds_at(part, cut)),
            Node::Or(parts) => parts.iter().any(|&part| self.holds_at(part, cut)),
            Node::Ex(_) | Node::Eu(..) | Node::Au(..) => self.known[number]
                .as_ref()
                .is_some_and(|known| known.holds(self.kitchen.projection, cut)),
        }
    }
}

impl Known {
    /// Whether events were weighed for it.
    fn is_weighed(&self) -> bool {
        matches!(self, Known::Cut(_))
    }

    fn holds(&self, projection: &Projection<'_>, cut: &[u32]) -> bool {
        match self {
            Known::Slices(slices, truth) => {
                slices.iter().any(|slice| slice.contains(cut)) == *truth
            }
            Known::Linear(terms) => terms
                .iter()
                .any(|term| term.some_cut(projection, cut).is_some()),
            Known::Steady(literal) if literal.rises => {
                literal.holds(projection, &projection.last_cut())
            }
            Known::Steady(literal) => literal.holds(projection, cut),
            Known::Cut(found) => found.is_some(),
            Known::Way(way) => {
                let events: u32 = cut.iter().sum();
                let there = way.as_ref().and_then(|way| way.get(events as usize));
                there.is_none_or(|there| there != cut)
            }
        }
    }
}

impl Decided for Sliced<'_, '_> {
    fn projection(&self) -> &Projection<'_> {
        self.kitchen.projection
    }

    fn holds(&self, formula: &Ctl, cut: &[u32]) -> bool {
        self.holds_at(self.table.number(formula), cut)
    }

    fn nearest(&self, formula: &Ctl, from: &[u32]) -> Option<Vec<u32>> {
        let number = self.table.number(formula);
        if let Some(cut) = self.known_cut(number, from) {
            return Some(cut.clone());
        }
        let recipe = self.recipes[number].yes.as_ref();
        // What must first come true is found at the greatest cut, which is no near one.
        let recipe = recipe.ok().filter(|recipe| !recipe.rises())?;
        let terms = self.kitchen.terms(recipe).ok()?;
        let cuts = terms
            .iter()
            .filter_map(|term| term.some_cut(self.kitchen.projection, from));
        cuts.min_by_key(|cut| cut.iter().map(|&x| u64::from(x)).sum::<u64>())
    }
}
