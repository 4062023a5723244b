//! Where the properties of a run are decided, one after another or several at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use causet_base::budget::Budget;
use causet_check::compare::compare;
use causet_check::decide::{answer, answer_together, conclude};
use causet_check::engine::Answers;
use causet_check::engine::bes::Dealing;
use causet_check::engine::ist::Stock;
use causet_check::plan::Plan;
use causet_check::prepare::Question;

use super::{Decided, Job};
use crate::failure::Failure;
use crate::team::not_solved;
use crate::watch;

/// Where the workers find the next property.
pub(super) struct Desk<'a> {
    pub(super) job: &'a Job,
    pub(super) plan: &'a Plan<'a>,
    pub(super) questions: &'a [Arc<Question>],
    pub(super) stock: Stock<'a>,
    pub(super) next: AtomicUsize,
    pub(super) budget: &'a Budget<'a>,
}

impl Desk<'_> {
    pub(super) fn decide_all(&self, workers: usize) -> Result<(), Failure> {
        if workers == 1 {
            return self.serve();
        }
        std::thread::scope(|scope| {
            let start = |number: usize| {
                std::thread::Builder::new()
                    .name(format!("check {number}"))
                    .stack_size(watch::STACK)
                    .spawn_scoped(scope, || self.serve())
            };
            let others: Vec<_> = (1..workers)
                .filter_map(|number| start(number).ok())
                .collect();
            let own = self.serve();
            let others = others.into_iter().map(|other| {
                let crashed = || Failure::Internal("a checking thread ended early".to_owned());
                other.join().unwrap_or_else(|_| Err(crashed()))
            });
            others.fold(own, Result::and)
        })
    }

    /// Decides one property after another until none is left or a limit is reached.
    fn serve(&self) -> Result<(), Failure> {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(question) = self.questions.get(number) else {
                return Ok(());
            };
            let start = Instant::now();
            let answers = self.answers(number, question)?;
            let checked = start.elapsed().as_secs_f64();
            let branch = self.budget.branch();
            let outcome = conclude(&self.plan.subject(), question, answers, &branch)
                .map_err(|disagreement| Failure::Internal(disagreement.to_string()))?;
            let seconds = start.elapsed().as_secs_f64();
            self.job.known().decided[number] = Some(Decided {
                certify_seconds: seconds - checked,
                ..Decided::alone(Arc::clone(question), outcome, seconds)
            });
            self.job.limits.verdict_reported();
            if self.job.compares {
                self.compare(number, question, &branch);
            }
        }
    }

    /// Adds a comparison of the searches level by level to what is known of a property, if the limits allow it.
    fn compare(&self, number: usize, question: &Question, budget: &Budget<'_>) {
        let compared = compare(self.plan.subject(), question, self.job.max_steps, budget);
        if let (Ok(comparisons), Some(decided)) = (compared, &mut self.job.known().decided[number])
        {
            decided.comparisons = comparisons;
        }
    }

    /// What the engines find out about a property, by themselves or with several workers.
    fn answers(&self, number: usize, question: &Question) -> Result<Answers, Failure> {
        let (plan, stock, budget) = (self.plan, &self.stock, self.budget);
        let Some(team) = &self.job.team else {
            return Ok(answer(plan, number, question, stock, budget));
        };
        let mut answers = Ok(Answers::default());
        team.solve(&mut |workers| {
            let workers = (workers, Dealing::Turns);
            answers = answer_together(plan, number, question, stock, workers, budget);
        });
        answers.or_else(|not| {
            not_solved(not).map(|spent| Answers {
                spent: Some(spent),
                ..Answers::default()
            })
        })
    }
}
