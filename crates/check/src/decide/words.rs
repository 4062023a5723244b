//! Deciding languages of runs: the engines that read words, and what their runs say about the question.

use causet_base::budget::{Budget, Spent};
use causet_formula::core::{Ctl, Pred};
use causet_solve::automaton::Guard;

use super::conclude::later_events;
use super::work::{Solved, Work, step};
use crate::engine::guided::{self, persistent};
use crate::engine::table::{OfRuns, OverRuns};
use crate::engine::{Trail, explicit};
use crate::linear::Search;
use crate::linear::upto::Upto;
use crate::plan::choose::{Attempt, FEW, Manner, choose_words};
use crate::plan::split::Parts;
use crate::plan::words::Words;
use crate::plan::{Leaf, figures_of_all, word_figures};
use crate::project::letters::Letters;
use crate::project::{Projection, Route};
use crate::valuation::Valuation;

/// So many bytes are little memory.
const BRIEFLY: u64 = 1 << 20;

impl Work<'_, '_, '_> {
    /// Decides whether some run is a word of a language, which may need some things to be reachable.
    pub(super) fn words(
        &mut self,
        formula: &Ctl,
        (words, needs): (&Words, &[Parts<Leaf>]),
        projection: &Projection<'_>,
        as_is: bool,
        budget: &Budget<'_>,
    ) -> Solved {
        let letters = Letters::new(projection);
        let mut figures = word_figures(projection, words);
        figures.figures.needs = !needs.is_empty();
        let mut attempts = choose_words(&figures, self.plan.choice);
        if self.is_known && figures.figures.cuts.is_none_or(|cuts| cuts > FEW) {
            attempts.clear();
        }
        let end = words.runs.end.as_deref();
        let scene = Upto::new(&letters, projection.within(end));
        let step = step(formula, as_is, Some(figures.figures));
        let found = self.try_all(step, attempts, budget, |work, (attempt, runs), share| {
            let found = match attempt.manner {
                Manner::Briefly => work.read_briefly(&scene, words, runs, share)?,
                Manner::Need => Search {
                    found: false,
                    steps: Ok(None),
                    stats: work.out_of_reach(needs, projection, share)?,
                },
                Manner::Usual | Manner::Layout(_) => {
                    work.with_room(|| work.read(&scene, words, runs, &share.branch()))?
                }
            };
            Ok((found.stats.clone(), found))
        })?;
        self.add(&found.stats, projection.divided_by_zero());
        let steps = self.shown(found.steps);
        let steps = steps.filter(|_| self.plan.survey.trails);
        let trail = steps.map(|steps| projection.lift_word(&steps, end));
        Ok((found.found, trail))
    }

    /// Reads with little memory. Where that is enough for the verdict but not for the steps that show it, it is read
    /// once more with all of the memory.
    fn read_briefly(
        &self,
        scene: &Upto<'_, Letters<'_, '_>>,
        words: &Words,
        runs: OfRuns,
        budget: &Budget<'_>,
    ) -> Result<Search, Spent> {
        let found = self.read(scene, words, runs, &budget.branch_within(BRIEFLY))?;
        if found.steps != Err(Spent::Memory) {
            return Ok(found);
        }
        let again = self.with_room(|| self.read(scene, words, runs, &budget.branch()));
        Ok(again.unwrap_or(found))
    }

    fn read(
        &self,
        scene: &Upto<'_, Letters<'_, '_>>,
        words: &Words,
        runs: OfRuns,
        budget: &Budget<'_>,
    ) -> Result<Search, Spent> {
        (runs.run)(&OverRuns {
            scene,
            automaton: &words.compiled.automaton,
            wants_steps: self.plan.survey.trails,
            max_steps: self.plan.max_steps,
            joint: self.joint,
            budget,
        })
    }

    /// Decides a language whose automaton is too large, by going through all orders.
    pub(super) fn by_definition(&mut self, formula: &Ctl, budget: &Budget<'_>) -> Solved {
        let found = explicit::run(&self.plan.subject(), &[formula], None, budget)?;
        self.answers.engine = Some(&explicit::ENGINE);
        self.add(&found.stats, found.divided_by_zero);
        self.answers.trail_spent = self.answers.trail_spent.or(found.trail_spent);
        let answer = found.answers.into_iter().next();
        let answer = answer.ok_or(Spent::Memory)?;
        let trail = answer.trail.filter(|_| self.plan.survey.trails);
        Ok((answer.holds, trail))
    }

    /// Decides whether all conditions hold at some cut.
    pub(super) fn conjunction(
        &mut self,
        formula: &Ctl,
        conditions: &[Guard],
        projection: &Projection<'_>,
        budget: &Budget<'_>,
    ) -> Solved {
        let letters = Letters::new(projection);
        let wants_steps = self.plan.survey.trails;
        let attempt = Attempt {
            engine: &guided::PERSISTENT,
            manner: Manner::Usual,
            reason: "asked for",
        };
        let step = step(formula, true, Some(figures_of_all(projection)));
        let found = self.try_all(step, vec![(attempt, ())], budget, |_, _, share| {
            let found = persistent::run(&letters, conditions, wants_steps, share)?;
            Ok((found.stats.clone(), found))
        })?;
        self.add(&found.stats, projection.divided_by_zero());
        let route = self.shown(found.steps).map(|steps| Route {
            steps,
            ..Route::default()
        });
        Ok((found.found, route.map(|route| projection.lift(&route))))
    }

    /// An argument as a complete run: what is left after it happens as it was recorded.
    pub(super) fn completed(&self, trail: &Trail) -> Trail {
        let order = self.plan.subject().trace.order();
        let mut run = trail.run.clone();
        run.extend(later_events(trail));
        let decided = run.len();
        let done = order.closure(run.iter().copied());
        let left = order
            .recorded()
            .filter(|&event| !order.contains(&done, event));
        run.extend(left);
        Trail {
            enough: Some(decided).filter(|&decided| decided < run.len()),
            run,
            ..Trail::default()
        }
    }

    /// A run that decides an until of predicates, cut where it is decided.
    pub(super) fn decided_along(&self, until: &Ctl, mut trail: Trail) -> Trail {
        let (Ctl::Eu(hold, goal) | Ctl::Au(hold, goal)) = until else {
            return trail;
        };
        let (Ctl::State(hold), Ctl::State(goal)) = (&**hold, &**goal) else {
            return trail;
        };
        let decides = match until {
            Ctl::Eu(..) => goal.clone(),
            _ => Pred::and([Pred::not(hold.clone()), Pred::not(goal.clone())]),
        };
        let trace = self.plan.subject().trace;
        let valuation = Valuation::new(trace, [&decides]);
        let mut cut = vec![0; trace.order().process_count()];
        for length in 0..=trail.run.len() {
            if valuation.holds(&decides, &cut) {
                trail.run.truncate(length);
                break;
            }
            if let Some(&event) = trail.run.get(length) {
                cut[trace.order().process_of(event).index()] += 1;
            }
        }
        trail
    }
}
