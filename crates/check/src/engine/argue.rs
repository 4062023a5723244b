//! From decided sub-formulas to an argument: one order of events that shows the truth value, where one can.
//!
//! Whatever an engine keeps of a sub-formula, rows, diagrams or slices, it can say whether a cut satisfies it. That is
//! enough to walk: while an until is true and its goal is not, some step keeps it true; while it is false, some step
//! keeps it false. What a step may be comes from the projection.

use std::collections::VecDeque;

use causet_base::budget::{Budget, Spent};
use causet_formula::core::Ctl;
use causet_solve::chains::Chains;
use rustc_hash::FxHashMap;

use super::only_temporal;
use crate::project::{Projection, Route};

/// An engine's knowledge about every sub-formula at every cut of a projection.
pub(crate) trait Decided {
    /// What it was decided on.
    fn projection(&self) -> &Projection<'_>;

    /// Whether a cut satisfies a sub-formula.
    fn holds(&self, formula: &Ctl, cut: &[u32]) -> bool;

    /// Whether a cut is known to give a sub-formula a truth value. Who knows only some cuts answers no where nothing is
    /// known; all that is asked for an argument is then among what is known.
    fn has(&self, formula: &Ctl, cut: &[u32], truth: bool) -> bool {
        self.holds(formula, cut) == truth
    }

    /// A cut with few events, at or after a given one, that satisfies a sub-formula, if one is easily found.
    fn nearest(&self, _formula: &Ctl, _from: &[u32]) -> Option<Vec<u32>> {
        None
    }
}

/// The argument for the truth value of a formula at the initial cut, as far as one order of events can make it and if
/// anyone wants to see it.
pub(crate) fn argue(
    decided: &impl Decided,
    formula: &Ctl,
    truth: bool,
    budget: &Budget<'_>,
) -> Result<Option<Route>, Spent> {
    if !decided.projection().wants_routes() {
        return Ok(None);
    }
    let arguing = Arguing { decided, budget };
    arguing.argue(formula, truth, &decided.projection().first_cut())
}

/// Whether some order of events may show that a formula has a truth value, as far as its shape tells.
pub(crate) fn can_argue(formula: &Ctl, truth: bool) -> bool {
    match (formula, truth) {
        (Ctl::State(_), _) => true,
        (Ctl::Not(inner), _) => can_argue(inner, !truth),
        (Ctl::And(parts), false) | (Ctl::Or(parts), true) => {
            parts.iter().any(|part| can_argue(part, truth))
        }
        (Ctl::And(parts), true) | (Ctl::Or(parts), false) => {
            only_temporal(parts).is_some_and(|only| can_argue(&parts[only], truth))
        }
        (Ctl::Ex(_) | Ctl::Eu(..), _) => truth,
        (Ctl::Au(..), _) => !truth,
        (Ctl::Run(_) | Ctl::Modal(_), _) => false,
    }
}

struct Arguing<'a, 'b, D> {
    decided: &'a D,
    budget: &'a Budget<'b>,
}

impl<D: Decided> Arguing<'_, '_, D> {
    fn argue(&self, formula: &Ctl, truth: bool, cut: &[u32]) -> Result<Option<Route>, Spent> {
        let found = match (formula, truth) {
            (Ctl::State(_), _) => Some(Route::default()),
            (Ctl::Not(inner), _) => self.argue(inner, !truth, cut)?,
            (Ctl::And(parts), false) | (Ctl::Or(parts), true) => {
                let has = |part| self.decided.has(part, cut, truth);
                let deciding = parts.iter().position(has);
                self.argue_part(parts, deciding, truth, cut)?
            }
            (Ctl::And(parts), true) | (Ctl::Or(parts), false) => {
                self.argue_part(parts, only_temporal(parts), truth, cut)?
            }
            (Ctl::Ex(inner), true) => {
                let step = self
                    .steps(cut)
                    .into_iter()
                    .find(|&chain| self.decided.has(inner, &advanced(cut, chain), true));
                Some(self.route(cut, step.into_iter().collect(), inner, true)?)
            }
            (Ctl::Eu(hold, goal), true) => {
                let steps = self.way(formula, hold, goal, cut)?;
                Some(self.route(cut, steps, goal, true)?)
            }
            (Ctl::Au(hold, _), false) => Some(self.escape(formula, hold, cut)?),
            (Ctl::Ex(_), false) | (Ctl::Eu(..), false) | (Ctl::Au(..), true) => None,
            // Languages of runs and modalities are decided by other engines.
            (Ctl::Run(_) | Ctl::Modal(_), _) => None,
        };
        Ok(found)
    }

    fn argue_part(
        &self,
        parts: &[Ctl],
        chosen: Option<usize>,
        truth: bool,
        cut: &[u32],
    ) -> Result<Option<Route>, Spent> {
        let Some(chosen) = chosen else {
            return Ok(None);
        };
        let route = self.argue(&parts[chosen], truth, cut)?;
        Ok(route.map(|mut route| {
            route.focus.insert(0, chosen);
            route
        }))
    }

    /// Steps from a cut, going on with what is claimed of the cut they lead to.
    fn route(
        &self,
        from: &[u32],
        steps: Vec<usize>,
        claim: &Ctl,
        truth: bool,
    ) -> Result<Route, Spent> {
        let mut last = from.to_vec();
        steps.iter().for_each(|&chain| last[chain] += 1);
        let goes_on = !matches!(claim, Ctl::State(_)) && self.decided.has(claim, &last, truth);
        let then = match goes_on {
            true => self.argue(claim, truth, &last)?.map(Box::new),
            false => None,
        };
        Ok(Route {
            steps,
            then,
            ..Route::default()
        })
    }

    /// The chains that may advance, those recorded first in front, so that what is swapped is swapped for a reason.
    fn steps(&self, cut: &[u32]) -> Vec<usize> {
        let projection = self.decided.projection();
        let mut steps: Vec<usize> = (0..projection.count())
            .filter(|&chain| projection.may_advance(cut, chain))
            .collect();
        steps.sort_by_key(|&chain| projection.rank(chain, cut[chain]));
        steps
    }

    /// A way to a goal through cuts where `hold` holds; the caller knows that there is one.
    fn way(&self, until: &Ctl, hold: &Ctl, goal: &Ctl, from: &[u32]) -> Result<Vec<usize>, Spent> {
        if hold.as_const() == Some(true)
            && let Some(target) = self.decided.nearest(goal, from)
        {
            return Ok(self.straight(from, &target));
        }
        match self.shortest(hold, goal, from)? {
            Some(steps) => Ok(steps),
            None => self.any_way(until, goal, from),
        }
    }

    /// From a cut to a later one in the order of the recording.
    fn straight(&self, from: &[u32], to: &[u32]) -> Vec<usize> {
        let projection = self.decided.projection();
        let mut steps: Vec<(u32, usize)> = Vec::new();
        for chain in 0..projection.count() {
            let positions = from[chain]..to[chain];
            steps.extend(positions.map(|x| (projection.rank(chain, x), chain)));
        }
        steps.sort_unstable();
        steps.into_iter().map(|(_, chain)| chain).collect()
    }

    /// The shortest way, unless looking for it would visit too many cuts.
    fn shortest(&self, hold: &Ctl, goal: &Ctl, from: &[u32]) -> Result<Option<Vec<usize>>, Spent> {
        if from.len() < 2 {
            return Ok(None);
        }
        let mut came_by: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
        let mut queue = VecDeque::from([from.to_vec()]);
        while let Some(cut) = queue.pop_front() {
            self.budget.tick()?;
            if self.decided.has(goal, &cut, true) {
                return Ok(Some(walk_back(&came_by, from, cut)));
            }
            if came_by.len() > MOST_VISITED {
                return Ok(None);
            }
            if !self.decided.has(hold, &cut, true) {
                continue;
            }
            for chain in self.steps(&cut) {
                let next = advanced(&cut, chain);
                if !came_by.contains_key(&next) {
                    came_by.insert(next.clone(), chain);
                    queue.push_back(next);
                }
            }
        }
        Ok(None)
    }

    /// Some way: from where an until is true but its goal is not, a step leads to where it is true.
    fn any_way(&self, until: &Ctl, goal: &Ctl, from: &[u32]) -> Result<Vec<usize>, Spent> {
        let mut steps = Vec::new();
        let mut cut = from.to_vec();
        while !self.decided.has(goal, &cut, true) {
            self.budget.tick()?;
            let next = self
                .steps(&cut)
                .into_iter()
                .find(|&chain| self.decided.has(until, &advanced(&cut, chain), true));
            let Some(chain) = next else { break };
            cut[chain] += 1;
            steps.push(chain);
        }
        Ok(steps)
    }

    /// A way on which an until fails for ever: it stays where the until is false, close to the recorded order, and ends
    /// where `hold` fails or with the run.
    fn escape(&self, until: &Ctl, hold: &Ctl, from: &[u32]) -> Result<Route, Spent> {
        let mut steps = Vec::new();
        let mut cut = from.to_vec();
        let mut to_the_end = false;
        while !self.decided.has(hold, &cut, false) {
            self.budget.tick()?;
            let next = self
                .steps(&cut)
                .into_iter()
                .find(|&chain| self.decided.has(until, &advanced(&cut, chain), false));
            let Some(chain) = next else {
                to_the_end = true;
                break;
            };
            cut[chain] += 1;
            steps.push(chain);
        }
        let mut route = self.route(from, steps, hold, false)?;
        route.to_the_end = to_the_end;
        Ok(route)
    }
}

/// How many cuts may be visited to make an argument shorter.
const MOST_VISITED: usize = 20_000;

fn advanced(cut: &[u32], chain: usize) -> Vec<u32> {
    let mut next = cut.to_vec();
    next[chain] += 1;
    next
}

fn walk_back(came_by: &FxHashMap<Vec<u32>, usize>, from: &[u32], to: Vec<u32>) -> Vec<usize> {
    let mut steps = Vec::new();
    let mut cut = to;
    while cut != from {
        let chain = came_by[&cut];
        cut[chain] -= 1;
        steps.push(chain);
    }
    steps.reverse();
    steps
}
