//! The definition: visit every cut, decide every sub-formula at every cut, from the last cut back to the first.
//!
//! This is the meaning of CTL over runs written down (paper IST, section 3, with `U` read over `j < i`), and it stays
//! that: no reduction, no projection. It is the oracle the other engines are compared with, and good enough for traces
//! with up to some ten million cuts.
//!
//! Cuts are numbered breadth-first, so the successors of a cut have larger numbers and one pass downwards decides a
//! sub-formula everywhere. The final cut has no successor: `EX` is false there, an until is its goal (the fixpoints as
//! printed in section 5 of the paper go wrong exactly there).

mod evidence;
mod modal;
mod words;

use std::collections::{BTreeMap, VecDeque};

use causet_base::budget::{Budget, Spent};
use causet_formula::core::{Ctl, Pred};
use causet_solve::graph::Graph;
use causet_solve::space::Space;
use causet_trace::{EventId, Ranks};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::subformulas::{Node, Subformulas};
use super::table::{Engine, Skill};
use super::{Answer, Answers, MOST_ARGUED, Trail, only_temporal};
use crate::lattice::Lattice;
use crate::subject::Subject;
use crate::valuation::Valuation;

/// Its row in the table.
pub static ENGINE: Engine = Engine {
    name: "explicit",
    about: "Every cut, one by one: the definition",
    skill: Skill::Questions,
    takes_all: false,
};

/// Decides formulas at the initial cut; those with the truth value `wanted`, or all, are argued for.
#[expect(
    clippy::mutable_key_type,
    reason = "equations are told apart by their place, not by what their regular expressions keep"
)]
pub fn run(
    subject: &Subject<'_>,
    goals: &[&Ctl],
    wanted: Option<bool>,
    budget: &Budget<'_>,
) -> Result<Answers, Spent> {
    let table = Subformulas::of(goals);
    let mut preds: Vec<&Pred> = Vec::new();
    let mut languages: Vec<&Ctl> = Vec::new();
    goals
        .iter()
        .for_each(|goal| each_language(goal, &mut languages));
    for node in &table.nodes {
        if let Node::State(pred) = node {
            preds.push(pred);
        }
    }
    for language in &languages {
        if let Ctl::Run(runs) = language {
            preds.extend(runs.language.preds());
        }
    }
    let valuation = Valuation::new(subject.trace, preds);
    let mut runs = FxHashMap::default();
    let mut stats = BTreeMap::new();
    for &formula in &languages {
        if let Ctl::Run(looked_for) = formula {
            let reading = words::find(subject.trace, looked_for, &valuation, budget)?;
            runs.insert(formula, reading.run);
            for (name, value) in reading.stats {
                *stats.entry(name).or_default() += value;
            }
        }
    }
    // Where there is nothing but languages of runs, the cuts have been gone through already.
    let graph = match goals.iter().all(|goal| is_about_runs(goal)) {
        true => Graph::explore(&Nowhere, budget)?,
        false => Graph::explore(&Lattice(subject.trace.order()), budget)?,
    };
    let mut cuts = Cuts {
        subject,
        graph: &graph,
        table: &table,
        truth: Vec::with_capacity(table.nodes.len()),
        runs,
        modals: FxHashMap::default(),
        ranks: subject.trace.order().ranks(),
    };
    for formula in languages {
        if let Ctl::Modal(equations) = formula {
            let decided = modal::Equations::decide(equations, &graph, subject, budget)?;
            cuts.modals.insert(formula, decided);
        }
    }
    for node in &table.nodes {
        let truth = cuts.decide(node, &valuation, budget)?;
        cuts.truth.push(truth);
    }
    let mut answers = Vec::with_capacity(goals.len());
    let mut argued = 0;
    let mut trail_spent = None;
    for (number, goal) in goals.iter().enumerate() {
        let holds = cuts.holds(goal, 0);
        let mut trail = None;
        if argued < MOST_ARGUED && wanted.is_none_or(|wanted| wanted == holds) {
            match budget.explain(|| cuts.argue(goal, holds, 0, budget)) {
                Ok(found) => trail = found,
                Err(spent) => trail_spent = Some(spent),
            }
            argued += 1;
        }
        answers.push(Answer {
            goal: number,
            holds,
            trail,
        });
    }
    stats.extend([
        ("cuts", graph.len() as u64),
        ("steps", graph.step_count() as u64),
        ("subformulas", table.nodes.len() as u64),
    ]);
    Ok(Answers {
        answers,
        divided_by_zero: valuation.divided_by_zero(),
        stats,
        trail_spent,
        engine: Some(&ENGINE),
        ..Answers::default()
    })
}

/// All cuts with the truth of every sub-formula decided so far.
struct Cuts<'a, 't> {
    subject: &'a Subject<'t>,
    graph: &'a Graph,
    table: &'a Subformulas<'a>,
    /// Per sub-formula: the numbers of the cuts that satisfy it.
    truth: Vec<FixedBitSet>,
    /// For every language, a run of it that starts at the first cut, if there is one.
    runs: FxHashMap<&'a Ctl, Option<Vec<EventId>>>,
    /// Every formula of the mu-calculus, decided.
    modals: FxHashMap<&'a Ctl, modal::Equations<'a>>,
    ranks: Ranks,
}

/// The languages of runs in a formula, and its parts in the mu-calculus.
fn each_language<'f>(formula: &'f Ctl, found: &mut Vec<&'f Ctl>) {
    match formula {
        Ctl::Run(_) | Ctl::Modal(_) if !found.contains(&formula) => found.push(formula),
        Ctl::Not(part) => each_language(part, found),
        Ctl::And(parts) | Ctl::Or(parts) => {
            parts.iter().for_each(|part| each_language(part, found));
        }
        _ => {}
    }
}

/// Whether a formula is a boolean combination of languages of runs, for which no other cut than the first matters.
fn is_about_runs(formula: &Ctl) -> bool {
    match formula {
        Ctl::Run(_) => true,
        Ctl::Not(part) => is_about_runs(part),
        Ctl::And(parts) | Ctl::Or(parts) => parts.iter().all(is_about_runs),
        _ => false,
    }
}

/// The space with a single state.
struct Nowhere;

impl Space for Nowhere {
    fn width(&self) -> usize {
        0
    }

    fn initial(&self, _: &mut [u32]) {}

    fn successors(&self, _: &[u32], _: &mut dyn FnMut(u32, &[u32])) {}
}

impl Cuts<'_, '_> {
    /// The cuts that satisfy a sub-formula whose parts are decided.
    fn decide(
        &self,
        node: &Node<'_>,
        valuation: &Valuation<'_>,
        budget: &Budget<'_>,
    ) -> Result<FixedBitSet, Spent> {
        budget.charge(self.graph.len() / 8 + 64)?;
        let mut satisfying = FixedBitSet::with_capacity(self.graph.len());
        for cut in (0..self.graph.len()).rev() {
            budget.tick()?;
            let after = |set: &FixedBitSet, all: bool| {
                let mut successors = self.graph.successors(cut);
                if all {
                    successors.all(|next| set.contains(next))
                } else {
                    successors.any(|next| set.contains(next))
                }
            };
            let is_final = self.graph.successors(cut).next().is_none();
            let at = |part: usize| self.truth[part].contains(cut);
            let holds = match node {
                Node::State(pred) => valuation.holds(pred, self.graph.state(cut)),
                Node::Not(part) => !at(*part),
                Node::And(parts) => parts.iter().all(|&part| at(part)),
                Node::Or(parts) => parts.iter().any(|&part| at(part)),
                Node::Ex(part) => after(&self.truth[*part], false),
                Node::Eu(hold, goal) => at(*goal) || (at(*hold) && after(&satisfying, false)),
                Node::Au(hold, goal) => {
                    at(*goal) || (at(*hold) && !is_final && after(&satisfying, true))
                }
            };
            satisfying.set(cut, holds);
        }
        Ok(satisfying)
    }

    fn holds(&self, formula: &Ctl, cut: usize) -> bool {
        match formula {
            Ctl::Run(_) => self.runs[formula].is_some(),
            Ctl::Modal(_) => self.modals[formula].holds(),
            Ctl::Not(part) => !self.holds(part, cut),
            Ctl::And(parts) => parts.iter().all(|part| self.holds(part, cut)),
            Ctl::Or(parts) => parts.iter().any(|part| self.holds(part, cut)),
            _ => self.truth[self.table.number(formula)].contains(cut),
        }
    }

    /// The argument for the truth value of a formula at a cut, as far as one order of events can make it.
    fn argue(
        &self,
        formula: &Ctl,
        truth: bool,
        cut: usize,
        budget: &Budget<'_>,
    ) -> Result<Option<Trail>, Spent> {
        let found = match (formula, truth) {
            (Ctl::State(_), _) => Some(Trail::default()),
            (Ctl::Not(inner), _) => self.argue(inner, !truth, cut, budget)?,
            (Ctl::And(parts), false) | (Ctl::Or(parts), true) => {
                let deciding = parts.iter().position(|part| self.holds(part, cut) == truth);
                self.argue_part(parts, deciding, truth, cut, budget)?
            }
            (Ctl::And(parts), true) | (Ctl::Or(parts), false) => {
                self.argue_part(parts, only_temporal(parts), truth, cut, budget)?
            }
            (Ctl::Ex(inner), true) => {
                let next = self
                    .graph
                    .successors(cut)
                    .find(|&next| self.holds(inner, next));
                let path: Vec<usize> = [cut].into_iter().chain(next).collect();
                Some(self.trail(&path, inner, true, budget)?)
            }
            (Ctl::Eu(hold, goal), true) => {
                let path = self.shortest(hold, goal, cut, budget)?;
                Some(self.trail(&path, goal, true, budget)?)
            }
            (Ctl::Au(hold, _), false) => {
                let path = self.escape(formula, hold, cut, budget)?;
                Some(self.trail(&path, hold, false, budget)?)
            }
            (Ctl::Ex(_), false) | (Ctl::Eu(..), false) | (Ctl::Au(..), true) => None,
            (Ctl::Run(_), _) => self.runs[formula].clone().map(|run| Trail {
                run,
                ..Trail::default()
            }),
            (Ctl::Modal(_), _) => {
                let run = self.modals[formula].run(&self.ranks, budget)?;
                run.map(|run| Trail {
                    run,
                    ..Trail::default()
                })
            }
        };
        Ok(found)
    }

    fn argue_part(
        &self,
        parts: &[Ctl],
        chosen: Option<usize>,
        truth: bool,
        cut: usize,
        budget: &Budget<'_>,
    ) -> Result<Option<Trail>, Spent> {
        let Some(chosen) = chosen else {
            return Ok(None);
        };
        let trail = self.argue(&parts[chosen], truth, cut, budget)?;
        Ok(trail.map(|trail| trail.within(chosen)))
    }

    /// A path as a trail that goes on with what is claimed of its last cut.
    fn trail(
        &self,
        path: &[usize],
        claim: &Ctl,
        truth: bool,
        budget: &Budget<'_>,
    ) -> Result<Trail, Spent> {
        let run = path.windows(2).map(|step| self.event(step[0], step[1]));
        let last = path[path.len() - 1];
        let goes_on = !matches!(claim, Ctl::State(_)) && self.holds(claim, last) == truth;
        let then = if goes_on {
            self.argue(claim, truth, last, budget)?.map(Box::new)
        } else {
            None
        };
        Ok(Trail {
            focus: Vec::new(),
            run: run.collect(),
            then,
            enough: None,
        })
    }

    /// A shortest path to a goal through cuts where `hold` holds; the caller knows that there is one. Of several, the one
    /// that keeps closest to the recorded order, so that what is swapped in it is swapped for a reason.
    fn shortest(
        &self,
        hold: &Ctl,
        goal: &Ctl,
        from: usize,
        budget: &Budget<'_>,
    ) -> Result<Vec<usize>, Spent> {
        let mut came_from: FxHashMap<usize, usize> = FxHashMap::default();
        let mut queue = VecDeque::from([from]);
        while let Some(cut) = queue.pop_front() {
            budget.tick()?;
            if self.holds(goal, cut) {
                return Ok(walk_back(&came_from, from, cut));
            }
            if !self.holds(hold, cut) {
                continue;
            }
            let mut successors: Vec<usize> = self.graph.successors(cut).collect();
            successors.sort_by_key(|&next| self.recorded_at(cut, next));
            for next in successors {
                if let std::collections::hash_map::Entry::Vacant(entry) = came_from.entry(next) {
                    budget.charge(ENTRY_COST)?;
                    entry.insert(cut);
                    queue.push_back(next);
                }
            }
        }
        Ok(vec![from])
    }

    /// A path on which an until fails for ever: it stays where the until is false, close to the recorded order, and
    /// ends where `hold` fails or at the final cut.
    fn escape(
        &self,
        until: &Ctl,
        hold: &Ctl,
        from: usize,
        budget: &Budget<'_>,
    ) -> Result<Vec<usize>, Spent> {
        let mut path = vec![from];
        let mut cut = from;
        while self.holds(hold, cut) {
            budget.tick()?;
            let failing = self
                .graph
                .successors(cut)
                .filter(|&next| !self.holds(until, next));
            let Some(next) = failing.min_by_key(|&next| self.recorded_at(cut, next)) else {
                break;
            };
            path.push(next);
            cut = next;
        }
        Ok(path)
    }

    fn recorded_at(&self, cut: usize, next: usize) -> u32 {
        self.ranks.of(self.event(cut, next))
    }

    /// The event that leads from a cut to a successor.
    fn event(&self, cut: usize, next: usize) -> EventId {
        event_between(self.subject, self.graph, cut, next)
    }
}

/// The event that leads from a cut to a successor.
fn event_between(subject: &Subject<'_>, graph: &Graph, cut: usize, next: usize) -> EventId {
    let order = subject.trace.order();
    let (before, after) = (graph.state(cut), graph.state(next));
    let stepped = order
        .processes()
        .find(|process| before[process.index()] < after[process.index()]);
    let process = stepped.expect("a step advances one process");
    order.chain(process)[before[process.index()] as usize]
}

/// What the search keeps per cut: an entry of the table, a place in the queue.
const ENTRY_COST: usize = 48;

fn walk_back(came_from: &FxHashMap<usize, usize>, from: usize, to: usize) -> Vec<usize> {
    let mut path = vec![to];
    let mut cut = to;
    while cut != from {
        cut = came_from[&cut];
        path.push(cut);
    }
    path.reverse();
    path
}
