//! One question part by part: every leaf to an engine, every verdict and trail back up.

use causet_base::budget::{Budget, Spent};
use causet_formula::core::Ctl;

use crate::engine::bes::JointSolver;
use crate::engine::ist::Stock;
use crate::engine::slice::Effort;
use crate::engine::table::{AtCuts, OBSERVED, OfCuts};
use crate::engine::{Answers, Finding, MOST_ARGUED, Stats, Step, Trail, rows, slice};
use crate::observe::Observation;
use crate::plan::choose::{Attempt, Attempts, FEW, Figures, Manner, choose};
use crate::plan::split::{Parts, reached};
use crate::plan::{Leaf, Plan, Way, figures};
use crate::project::Projection;

use super::conclude::length;

/// Of how many parts of a formula it is remembered how they were decided.
const MOST_STEPS: usize = 12;

/// Parts that see nothing change are less interesting.
const FEW_CONSTANT_STEPS: usize = 2;

/// One question being decided.
pub(super) struct Work<'a, 't, 'b> {
    pub(super) plan: &'a Plan<'t>,
    pub(super) stock: &'a Stock<'b>,
    pub(super) budget: &'a Budget<'a>,
    pub(super) answers: Answers,
    /// Whether the verdict is known and only a shorter trail is looked for: worth little work, and none without trails.
    pub(super) is_known: bool,
    /// Those who resolve equations together, if anyone does.
    pub(super) joint: Option<&'a JointSolver<'a>>,
}

pub(super) type Solved = Result<(bool, Option<Trail>), Spent>;

impl Work<'_, '_, '_> {
    /// Decides parts; `as_is` is false below a negation, where people would rather read the opposite.
    pub(super) fn solve(&mut self, parts: &Parts<Leaf>, as_is: bool) -> Solved {
        match parts {
            Parts::Leaf(leaf) => self.leaf(leaf, &[], as_is),
            Parts::Needing { needs, part } => self.leaf(part, needs, as_is),
            Parts::Observed(formula, observation) => Ok(self.observed(formula, observation, as_is)),
            Parts::Known(holds, part) => {
                let budget = self.budget;
                let shown = budget.explain(|| self.solve(part, as_is));
                debug_assert!(
                    shown.as_ref().is_ok_and(|shown| shown.0 == *holds) || shown.is_err()
                );
                Ok(shown.unwrap_or_else(|spent| {
                    self.answers.trail_spent = Some(spent);
                    self.answers.engine = Some(&OBSERVED);
                    (*holds, None)
                }))
            }
            Parts::Not(part) => {
                let (holds, trail) = self.solve(part, !as_is)?;
                Ok((!holds, trail))
            }
            Parts::Join {
                all,
                parts,
                temporal,
            } => self.join(*all, parts, *temporal, as_is),
            Parts::Reach { ways } => self.reach(ways, as_is),
            Parts::Complete(part) => {
                let (holds, trail) = self.solve(part, as_is)?;
                let trail = trail.filter(|_| holds);
                Ok((holds, trail.map(|trail| self.completed(&trail))))
            }
            Parts::Begun(table, runs) => self.about_runs(table, runs, as_is),
            Parts::Along(until, part) => {
                let (holds, trail) = self.solve(part, as_is)?;
                Ok((holds, trail.map(|trail| self.decided_along(until, trail))))
            }
        }
    }

    /// All parts, or until one decides. A part that takes too much memory does not matter when another one decides.
    fn join(
        &mut self,
        all: bool,
        parts: &[Parts<Leaf>],
        temporal: Option<usize>,
        as_is: bool,
    ) -> Solved {
        let deciding = |part: &Parts<Leaf>| part.observed().filter(|&(holds, _)| holds != all);
        let observed = parts.iter().enumerate();
        let observed = observed.filter_map(|(at, part)| Some((deciding(part)?.1, at)));
        if let Some((_, at)) = observed.min() {
            let (holds, trail) = self.solve(&parts[at], as_is)?;
            return Ok((holds, trail.map(|trail| trail.within(at))));
        }
        let mut spent = None;
        let mut only = None;
        for (at, part) in parts.iter().enumerate() {
            match self.solve(part, as_is) {
                Ok((holds, trail)) if holds != all => {
                    return Ok((holds, trail.map(|trail| trail.within(at))));
                }
                Ok((_, trail)) if temporal == Some(at) => {
                    only = trail.map(|trail| trail.within(at));
                }
                Ok(_) => {}
                Err(Spent::Memory) => spent = Some(Spent::Memory),
                Err(spent) => return Err(spent),
            }
        }
        spent.map_or(Ok((all, only)), Err)
    }

    /// The ways to make `EF` true: the one with the shortest trail, of few, else the first.
    fn reach(&mut self, ways: &[(Parts<Leaf>, Option<usize>)], as_is: bool) -> Solved {
        let mut spent = None;
        let mut best: Option<Option<Trail>> = None;
        let was_known = self.is_known;
        for (way, part) in ways {
            match self.solve(way, as_is) {
                Ok((true, trail)) => {
                    let trail = reached(trail, *part);
                    if best
                        .as_ref()
                        .is_none_or(|best| length(&trail) < length(best))
                    {
                        best = Some(trail);
                    }
                    self.is_known = true;
                    if ways.len() > MOST_ARGUED || !self.plan.survey.trails {
                        break;
                    }
                }
                Ok((false, _)) => {}
                Err(reached) => {
                    spent = Some(reached);
                    if reached != Spent::Memory {
                        break;
                    }
                }
            }
        }
        self.is_known = was_known;
        match (best, spent) {
            (Some(trail), _) => Ok((true, trail)),
            (None, Some(spent)) => Err(spent),
            (None, None) => Ok((false, None)),
        }
    }

    /// What the recorded order shows.
    fn observed(
        &mut self,
        formula: &Ctl,
        observation: &Observation,
        as_is: bool,
    ) -> (bool, Option<Trail>) {
        let attempt = Attempt {
            engine: &OBSERVED,
            manner: Manner::Usual,
            reason: "the recorded order shows it",
        };
        let mut step = step(formula, as_is, None);
        step.tried.push((attempt, Ok(Stats::new())));
        self.note(step);
        self.answers.engine.get_or_insert(&OBSERVED);
        self.answers.divided_by_zero |= observation.divided_by_zero;
        let order = self.plan.subject().trace.order();
        let wants_trail = self.plan.survey.trails;
        let trail = wants_trail.then(|| observation.trail(order));
        (observation.holds, trail.flatten())
    }

    /// Decides a part that may need some things to be reachable.
    fn leaf(&mut self, leaf: &Leaf, needs: &[Parts<Leaf>], as_is: bool) -> Solved {
        let plan = self.plan;
        let branch = self.budget.branch();
        if let Ctl::State(pred) = &leaf.formula {
            let (holds, divided) = plan.survey.holds_at_first(&leaf.sight, pred);
            self.answers.divided_by_zero |= divided;
            return Ok((holds, plan.survey.trails.then(Trail::default)));
        }
        if let Way::Definition = leaf.way {
            return self.by_definition(&leaf.formula, &branch);
        }
        let projection = self.with_room(|| plan.survey.project(&leaf.sight, &branch))?;
        match &leaf.way {
            Way::Conjunction(conditions) => {
                return self.conjunction(&leaf.formula, conditions, &projection, &branch);
            }
            Way::Words(words) => {
                let words = (&**words, needs);
                return self.words(&leaf.formula, words, &projection, as_is, &branch);
            }
            Way::Modal(table) => {
                return self.modal(&leaf.formula, table, &projection, as_is, &branch);
            }
            Way::Cuts | Way::Definition => {}
        }
        let mut figures = figures(&projection, &leaf.formula, plan.choice);
        figures.needs = !needs.is_empty();
        let mut attempts = choose(&figures, plan.choice);
        if self.is_known && figures.cuts.is_none_or(|cuts| cuts > FEW) {
            attempts.clear();
        }
        let step = step(&leaf.formula, as_is, Some(figures));
        let found = self.try_all(step, attempts, &branch, |work, (attempt, cuts), share| {
            if attempt.manner == Manner::Need {
                let stats = work.out_of_reach(needs, &projection, share)?;
                let found = Finding {
                    holds: false,
                    route: Ok(None),
                    stats: stats.clone(),
                };
                return Ok((stats, found));
            }
            let found = work
                .with_room(|| work.attempt(&projection, &leaf.formula, (attempt, cuts), share))?;
            Ok((found.stats.clone(), found))
        })?;
        self.add(&found.stats, projection.divided_by_zero());
        let route = self.shown(found.route);
        Ok((found.holds, route.map(|route| projection.lift(&route))))
    }

    /// Finds a part false since something that it needs cannot be reached, if polynomial methods tell; else it gives up as
    /// if memory were spent. Divisions by zero are noted where the part is projected.
    pub(super) fn out_of_reach(
        &self,
        needs: &[Parts<Leaf>],
        whole: &Projection<'_>,
        budget: &Budget<'_>,
    ) -> Result<Stats, Spent> {
        for need in needs {
            match self.is_unreachable(need, whole, budget) {
                Err(Spent::Memory) => {}
                found => return found,
            }
        }
        Err(Spent::Memory)
    }

    /// What it took to find that `EF` of a predicate, in parts, is false.
    fn is_unreachable(
        &self,
        need: &Parts<Leaf>,
        whole: &Projection<'_>,
        budget: &Budget<'_>,
    ) -> Result<Stats, Spent> {
        let plan = self.plan;
        let mut leaves = Vec::new();
        need.each(&mut |leaf| leaves.push(leaf));
        let mut stats = Stats::new();
        for leaf in leaves {
            let branch = budget.branch();
            let projection = self.with_room(|| plan.survey.project(&leaf.sight, &branch))?;
            let figures = figures(&projection, &leaf.formula, plan.choice);
            let attempts = choose(&figures, plan.choice);
            let is_polynomial = |(first, _): &&(Attempt, OfCuts)| {
                let slices = first.engine == &slice::ENGINE;
                first.engine == &rows::ENGINE || slices && figures.slice == Some(Effort::Polynomial)
            };
            let first = attempts.first().filter(is_polynomial);
            let first = first.ok_or(Spent::Memory)?;
            let found = self.attempt(&projection, &leaf.formula, *first, &branch)?;
            if projection.divided_by_zero() {
                whole.note_division_by_zero();
            }
            if found.holds {
                return Err(Spent::Memory);
            }
            for (name, value) in found.stats {
                *stats.entry(name).or_default() += value;
            }
        }
        Ok(stats)
    }

    /// What shows a verdict. A limit that ended the search for it is remembered; the verdict stands.
    pub(super) fn shown<T>(&mut self, found: Result<Option<T>, Spent>) -> Option<T> {
        found.unwrap_or_else(|spent| {
            self.answers.trail_spent = Some(spent);
            None
        })
    }

    /// Lets engines try in turn until one does not run out of memory or of its share of the time, and remembers how that
    /// went. Each but the last gets half of the time that is left.
    pub(super) fn try_all<S: Copy, T>(
        &mut self,
        mut step: Step,
        attempts: Attempts<S>,
        budget: &Budget<'_>,
        mut engage: impl FnMut(&Self, (Attempt, S), &Budget<'_>) -> Result<(Stats, T), Spent>,
    ) -> Result<T, Spent> {
        let mut last = Err(Spent::Memory);
        let mut left = attempts.len();
        for (attempt, skill) in attempts {
            left -= 1;
            let share = if left == 0 {
                budget.branch()
            } else {
                budget.branch_for_half_the_time()
            };
            let (figures, found) = match engage(self, (attempt, skill), &share) {
                Ok((stats, found)) => (Ok(stats), Ok(found)),
                Err(spent) => (Err(spent), Err(spent)),
            };
            step.tried.push((attempt, figures));
            if found.is_ok() {
                self.answers.engine = Some(attempt.engine);
            }
            last = found;
            let is_over = match last {
                Ok(_) | Err(Spent::Cancelled) => true,
                Err(Spent::Memory) => false,
                Err(Spent::Time) => budget.look().is_err(),
            };
            if is_over {
                break;
            }
        }
        self.note(step);
        last
    }

    /// Adds to the figures about the work done.
    pub(super) fn add(&mut self, stats: &Stats, divided_by_zero: bool) {
        for (&name, &value) in stats {
            *self.answers.stats.entry(name).or_default() += value;
        }
        self.answers.divided_by_zero |= divided_by_zero;
    }

    /// Does something; when there is too little memory, once more without what is kept for later.
    pub(super) fn with_room<T>(&self, work: impl Fn() -> Result<T, Spent>) -> Result<T, Spent> {
        match work() {
            Err(Spent::Memory) if self.stock.clear() => work(),
            done => done,
        }
    }

    fn attempt(
        &self,
        projection: &Projection<'_>,
        formula: &Ctl,
        (attempt, cuts): (Attempt, OfCuts),
        budget: &Budget<'_>,
    ) -> Result<Finding, Spent> {
        (cuts.run)(&AtCuts {
            projection,
            formula,
            layout: match attempt.manner {
                Manner::Layout(layout) => layout,
                Manner::Usual | Manner::Briefly | Manner::Need => 0,
            },
            stock: self.stock,
            joint: self.joint,
            budget: &budget.branch(),
        })
    }

    /// Remembers how a part was decided, for those who ask.
    pub(super) fn note(&mut self, step: Step) {
        self.answers.parts += 1;
        let steps = &mut self.answers.steps;
        let is_constant = |figures: &Figures| figures.chains.is_empty();
        let most = match step.figures.as_ref().is_some_and(is_constant) {
            true => FEW_CONSTANT_STEPS,
            false => MOST_STEPS,
        };
        if steps.len() < most {
            steps.push(step);
        }
    }
}

/// A part that is about to be decided, as people would rather read it.
pub(super) fn step(formula: &Ctl, as_is: bool, figures: Option<Figures>) -> Step {
    Step {
        formula: match as_is {
            true => formula.clone(),
            false => Ctl::not(formula.clone()),
        },
        figures,
        tried: Vec::new(),
    }
}
