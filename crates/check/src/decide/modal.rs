//! Deciding formulas of the mu-calculus: by equations, or from what runs say.

use causet_base::budget::{Budget, Spent};
use causet_formula::core::{Ctl, Equations};

use super::conclude::later_events;
use super::work::{Solved, Work, step};
use crate::engine::table::OBSERVED;
use crate::engine::{Trail, bes};
use crate::labels::Labels;
use crate::observe::observe_modal;
use crate::plan::choose::{Attempt, Manner};
use crate::plan::modal::decided_after;
use crate::plan::split::Parts;
use crate::plan::{Choice, Leaf, figures_of_all};
use crate::project::{Projection, Survey};
use crate::records::Records;

/// How many bytes the search for an order may take that shows a verdict which is known already.
const WITNESS_MEMORY: u64 = 64 << 20;

impl Work<'_, '_, '_> {
    /// Decides equations about labelled steps at the initial cut.
    pub(super) fn modal(
        &mut self,
        formula: &Ctl,
        table: &Equations,
        projection: &Projection<'_>,
        as_is: bool,
        budget: &Budget<'_>,
    ) -> Solved {
        let labels = Labels::new(self.plan.subject().trace);
        let attempt = Attempt {
            engine: &bes::ENGINE,
            manner: Manner::Usual,
            reason: match self.plan.choice {
                Choice::Auto => "what follows a step is asked for as the formula needs it",
                Choice::Forced(_) => "asked for",
            },
        };
        let step = step(formula, as_is, Some(figures_of_all(projection)));
        let known = self.recorded_value(table, budget)?;
        let half = budget.branch_for_half_the_time();
        let small = half.branch_within(WITNESS_MEMORY);
        let budget = if known.is_some() { &small } else { budget };
        let found = self.try_all(step, vec![(attempt, ())], budget, |work, _, share| {
            let found =
                work.with_room(|| bes::run_modal(projection, table, &labels, work.joint, share))?;
            Ok((found.stats.clone(), found))
        });
        let found = match (found, known) {
            (Err(spent @ (Spent::Time | Spent::Memory)), Some(holds)) => {
                return Ok(self.known(holds, spent));
            }
            (found, _) => found?,
        };
        debug_assert!(
            known.is_none_or(|holds| holds == found.holds),
            "{formula:?}"
        );
        self.add(&found.stats, projection.divided_by_zero());
        let route = self.shown(found.route);
        Ok((found.holds, route.map(|route| projection.lift(&route))))
    }

    /// Decides a formula by what runs say, or else by its equations.
    pub(super) fn about_runs(
        &mut self,
        table: &Equations,
        runs: &Parts<Leaf>,
        as_is: bool,
    ) -> Solved {
        match self.solve(runs, as_is) {
            Ok((holds, trail)) => {
                let trail = trail.and_then(|trail| self.begun(table, holds, &trail));
                Ok((holds, trail))
            }
            Err(Spent::Memory) => self.by_equations(table, as_is),
            Err(Spent::Time) => match self.recorded_value(table, self.budget) {
                Ok(Some(holds)) => Ok(self.known(holds, Spent::Time)),
                _ => Err(Spent::Time),
            },
            Err(Spent::Cancelled) => Err(Spent::Cancelled),
        }
    }

    /// The truth value that the recorded order decides, if the planner may choose how to find it.
    fn recorded_value(
        &self,
        table: &Equations,
        budget: &Budget<'_>,
    ) -> Result<Option<bool>, Spent> {
        match self.plan.choice {
            Choice::Auto => observe_modal(self.plan.subject().trace, table, budget),
            Choice::Forced(_) => Ok(None),
        }
    }

    /// The verdict of the recorded order, where a limit ended the search for an order that shows it.
    fn known(&mut self, holds: bool, spent: Spent) -> (bool, Option<Trail>) {
        self.answers.trail_spent = Some(spent);
        self.answers.engine.get_or_insert(&OBSERVED);
        (holds, None)
    }

    /// Decides a formula by its equations although it was planned as a question about runs.
    fn by_equations(&mut self, table: &Equations, as_is: bool) -> Solved {
        let branch = self.budget.branch();
        let mut survey = Survey::new(Records::of(self.plan.subject(), []));
        survey.trails = self.plan.survey.trails;
        let sight = survey.look(&[], true);
        survey.sweep(&[&sight], &branch)?;
        let projection = self.with_room(|| survey.project(&sight, &branch))?;
        let formula = Ctl::Modal(table.clone());
        self.modal(&formula, table, &projection, as_is, &branch)
    }

    /// A run that decides equations, cut where they are decided.
    fn begun(&self, table: &Equations, truth: bool, trail: &Trail) -> Option<Trail> {
        let labels = Labels::new(self.plan.subject().trace);
        let mut run = trail.run.clone();
        run.extend(later_events(trail));
        run.truncate(decided_after(table, &labels, truth, &run)?);
        Some(Trail {
            run,
            ..Trail::default()
        })
    }
}
