//! From a plan to an outcome: run the planned engines part by part, have the trail re-checked, put it into words.

mod conclude;
mod modal;
mod nearest;
mod template;
mod words;
mod work;

use causet_base::budget::{Budget, Spent};
use causet_solve::workers::{NotSolved, Workers};

pub use conclude::conclude;
pub(crate) use conclude::conclude_certain;
pub(crate) use conclude::deciding_truth;
use conclude::unknown;
use template::TemplateSearch;
use work::Work;

use crate::engine::bes::{Dealing, JointSolver};
use crate::engine::ist::Stock;
use crate::engine::{Answer, Answers, Engine, MOST_ARGUED, explicit, rows};
use crate::linear::compile::Sizes;
use crate::outcome::Outcome;
use crate::plan::split::Parts;
use crate::plan::{Choice, Leaf, Plan};
use crate::prepare::Question;
use crate::records::Records;
use crate::subject::Subject;

/// An engine and the certifier disagree: a defect of this program, never an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disagreement {
    /// The engine whose trail was refuted, when an engine was needed.
    pub engine: Option<&'static Engine>,
    /// What it claimed.
    pub claim: String,
}

impl std::fmt::Display for Disagreement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the {} engine says that the property {}, but the order it gives does not show it",
            self.engine.map_or("planned", |engine| engine.name),
            self.claim
        )
    }
}

impl std::error::Error for Disagreement {}

/// Why there is no outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The engine asked for cannot decide such a question.
    Refused(String),
    /// An engine and the certifier disagree.
    Disagrees(Disagreement),
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Refused(reason) => f.write_str(reason),
            Failure::Disagrees(disagreement) => disagreement.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}

/// The whole way for a single question: plan, [`answer`], [`conclude`].
pub fn decide(
    subject: &Subject<'_>,
    question: &Question,
    choice: Choice,
    budget: &Budget<'_>,
) -> Result<Outcome, Failure> {
    decide_within(subject, question, choice, Sizes::default(), budget)
}

/// The same, with automata that may become so large; what is larger is decided by definition.
pub fn decide_within(
    subject: &Subject<'_>,
    question: &Question,
    choice: Choice,
    sizes: Sizes,
    budget: &Budget<'_>,
) -> Result<Outcome, Failure> {
    let mentions = question.lowered.mentions.iter();
    let records = Records::of(*subject, mentions.map(|&(var, _)| var));
    let plan = match Plan::within(records, &[question], choice, sizes, budget) {
        Ok(plan) => plan,
        Err(spent) => return Ok(unknown(spent)),
    };
    match plan.refusal(0, budget) {
        Ok(None) => {}
        Ok(Some(reason)) => return Err(Failure::Refused(reason)),
        Err(spent) => return Ok(unknown(spent)),
    }
    let stock = Stock::new(budget);
    let answers = answer(&plan, 0, question, &stock, budget);
    conclude(subject, question, answers, budget).map_err(Failure::Disagrees)
}

/// How many instances of a property have the truth value of which one is enough, and how many there are; `None` where one
/// is not enough.
pub fn share(
    subject: &Subject<'_>,
    question: &Question,
    holds: bool,
    budget: &Budget<'_>,
) -> Result<Option<(usize, usize)>, Spent> {
    let (quantifier, goals) = question.goals();
    if quantifier.map(deciding_truth) != Some(holds) || goals.len() < 2 {
        return Ok(None);
    }
    let mentions = question.lowered.mentions.iter();
    let records = Records::of(*subject, mentions.map(|&(var, _)| var));
    let plan = Plan::new(records, &[question], Choice::Auto, budget)?.without_trails();
    let stock = Stock::new(budget);
    let task = plan.tasks[0].as_ref().map_err(|&spent| spent)?;
    let mut work = Work {
        plan: &plan,
        stock: &stock,
        budget,
        answers: Answers::default(),
        is_known: false,
        joint: None,
    };
    let mut count = 0;
    for parts in &task.goals {
        count += usize::from(work.solve(parts, true)?.0 == holds);
    }
    Ok(Some((count, goals.len())))
}

/// Lets the planned engines find the answers.
pub fn answer(
    plan: &Plan<'_>,
    number: usize,
    question: &Question,
    stock: &Stock<'_>,
    budget: &Budget<'_>,
) -> Answers {
    find(plan, number, question, stock, None, budget)
}

/// The same, with equations that are resolved by several workers.
///
/// All processes that have such workers must ask the same questions in the same order, one at a time, and with the engine `bes`
/// asked for: then they resolve the same equations. The verdict is everybody's; what shows it is found where the first
/// worker is.
pub fn answer_together(
    plan: &Plan<'_>,
    number: usize,
    question: &Question,
    stock: &Stock<'_>,
    (workers, dealing): (&dyn Workers, Dealing),
    budget: &Budget<'_>,
) -> Result<Answers, NotSolved> {
    let joint = JointSolver::new(workers, dealing);
    let answers = find(plan, number, question, stock, Some(&joint), budget);
    let workers = joint.end()?;
    Ok(Answers { workers, ..answers })
}

fn find(
    plan: &Plan<'_>,
    number: usize,
    question: &Question,
    stock: &Stock<'_>,
    joint: Option<&JointSolver<'_>>,
    budget: &Budget<'_>,
) -> Answers {
    if let Some(template) = &question.lowered.template {
        let search = TemplateSearch {
            plan,
            question,
            template,
            stock,
            joint,
            budget,
        };
        return search.find();
    }
    let (quantifier, goals) = question.goals();
    let wanted = quantifier.filter(|_| goals.len() > 1).map(deciding_truth);
    if plan.choice == Choice::Forced(&explicit::ENGINE) {
        let answers = explicit::run(&plan.subject(), &goals, wanted, &budget.branch());
        return answers.unwrap_or_else(Answers::given_up);
    }
    let task = match &plan.tasks[number] {
        Ok(task) => task,
        Err(spent) => return Answers::given_up(*spent),
    };
    let mut work = Work {
        plan,
        stock,
        budget,
        answers: Answers::default(),
        is_known: false,
        joint,
    };
    if let Some(goal) = shortest_observed(&task.goals, wanted) {
        let (holds, trail) = match work.solve(&task.goals[goal], true) {
            Ok(solved) => solved,
            Err(spent) => return Answers::given_up(spent),
        };
        work.answers.answers.push(Answer { goal, holds, trail });
        return work.answers;
    }
    let mut deciding = 0;
    for (goal, parts) in task.goals.iter().enumerate() {
        match work.solve(parts, true) {
            Ok((holds, trail)) => {
                deciding += usize::from(wanted == Some(holds));
                work.answers.answers.push(Answer { goal, holds, trail });
            }
            Err(spent) => {
                work.answers.spent = Some(spent);
                // What another instance says may be enough.
                if spent != Spent::Memory {
                    break;
                }
            }
        }
        work.is_known = deciding > 0;
        if deciding >= MOST_ARGUED || (work.is_known && !plan.survey.trails) {
            break;
        }
    }
    if deciding > 0 {
        work.answers.spent = None;
    }
    // A state needs no engine but the eyes; it is the smallest case of going through cuts.
    work.answers.engine = work.answers.engine.or(match plan.choice {
        Choice::Auto => Some(&rows::ENGINE),
        Choice::Forced(engine) => Some(engine),
    });
    work.answers
}

/// The instance that the shortest beginning of the recorded order decides, if one decides them all.
fn shortest_observed(goals: &[Parts<Leaf>], wanted: Option<bool>) -> Option<usize> {
    let observed = goals.iter().enumerate().filter_map(|(goal, parts)| {
        let (holds, length) = parts.observed()?;
        (wanted == Some(holds)).then_some((length, goal))
    });
    observed.min().map(|(_, goal)| goal)
}
