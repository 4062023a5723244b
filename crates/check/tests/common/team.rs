//! Those who decide: whatever engine is asked for, or equations with some workers.

use causet_base::budget::Budget;
use causet_check::decide::{Failure, answer_together, conclude, decide_within};
use causet_check::engine::bes;
use causet_check::engine::bes::Dealing;
use causet_check::engine::ist::Stock;
use causet_check::linear::compile::Sizes;
use causet_check::outcome::Outcome;
use causet_check::plan::{Choice, Plan};
use causet_check::prepare::Question;
use causet_check::records::Records;
use causet_check::subject::Subject;
use causet_flow::WorkerPool;

/// Who decides.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum By {
    Engine(Choice),
    /// So many workers, and how cuts are dealt out to them.
    Workers(usize, Dealing),
}

impl By {
    /// Workers whose number, and what they see, depend on a seed.
    pub(crate) fn some_workers(seed: u64) -> By {
        let dealing = match (seed / 4).is_multiple_of(2) {
            true => Dealing::Hash,
            false => Dealing::Turns,
        };
        By::Workers(1 + seed as usize % 4, dealing)
    }

    /// The engine that is asked for.
    pub(crate) fn choice(self) -> Choice {
        match self {
            By::Engine(choice) => choice,
            By::Workers(..) => Choice::Forced(&bes::ENGINE),
        }
    }

    pub(crate) fn decide(
        self,
        subject: &Subject<'_>,
        question: &Question,
        sizes: Sizes,
    ) -> Result<Outcome, Failure> {
        let budget = Budget::endless();
        match self {
            By::Engine(choice) => decide_within(subject, question, choice, sizes, &budget),
            By::Workers(workers, dealing) => {
                let workers = (workers, dealing);
                decide_together(subject, question, workers, sizes, &budget)
            }
        }
    }
}

/// The whole way for a single question: plan, answer, conclude.
pub(crate) fn decide_together(
    subject: &Subject<'_>,
    question: &Question,
    (workers, dealing): (usize, Dealing),
    sizes: Sizes,
    budget: &Budget<'_>,
) -> Result<Outcome, Failure> {
    let mentions = question.lowered.mentions.iter();
    let records = Records::of(*subject, mentions.map(|&(var, _)| var));
    let choice = Choice::Forced(&bes::ENGINE);
    let plan = Plan::within(records, &[question], choice, sizes, budget).expect("no limit");
    if let Some(reason) = plan.refusal(0, budget).expect("no limit") {
        return Err(Failure::Refused(reason));
    }
    let stock = Stock::new(budget);
    let pool = WorkerPool::of_threads(workers);
    let answers = answer_together(&plan, 0, question, &stock, (&pool, dealing), budget);
    let answers = answers.unwrap_or_else(|trouble| panic!("{trouble:?}"));
    conclude(subject, question, answers, budget).map_err(Failure::Disagrees)
}
