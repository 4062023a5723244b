//! From questions to work: split each formula, find out what the parts can see, choose engines.
//!
//! ```text
//! Question --split--> parts --Survey::look--> sights            one survey for all questions
//!                             Survey::sweep                      one pass over the run
//! part --project--> Figures --choose--> attempts                 decide.rs runs them
//! ```
//!
//! [`choose`](mod@choose) is a pure function of figures; nothing here runs an engine.

pub mod choose;
pub(crate) mod folds;
pub(crate) mod modal;
mod need;
pub(crate) mod split;
pub(crate) mod words;

use causet_base::budget::{Budget, Spent};
use causet_formula::core::{Ctl, Equations};
use causet_solve::automaton::Guard;
use causet_solve::chains::Chains;

use crate::decide::deciding_truth;
use crate::engine::table::Skill;
use crate::engine::{
    ENGINES, Engine, bes, explicit, first_levels, monitor, only_temporal, rows, slice, unfolding,
};
use crate::linear::compile::Sizes;
use crate::observe::{Observation, observe, observe_modal};
use crate::prepare::Question;
use crate::project::{Projection, Sight, Survey};
use crate::records::Records;
use crate::subject::Subject;
use choose::{COUNTING, FEW, Figures, WordFigures};
use folds::without_folds;
use split::{Parts, split};
use words::{Part, Words};

/// What the person asked for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Choice {
    /// Whatever fits best.
    #[default]
    Auto,
    /// This one or none.
    Forced(&'static Engine),
}

impl Choice {
    /// Everything that can be asked for, what fits best first.
    pub fn all() -> impl Iterator<Item = Choice> {
        let forced = ENGINES.iter().copied().map(Choice::Forced);
        std::iter::once(Choice::Auto).chain(forced)
    }
}

/// The work for some questions about one run.
pub struct Plan<'t> {
    pub(crate) survey: Survey<'t>,
    /// One per question; a limit may have been reached for some.
    pub(crate) tasks: Vec<Result<Task, Spent>>,
    /// What was asked for.
    pub choice: Choice,
    /// How large automata may become.
    pub(crate) sizes: Sizes,
    /// How often a partial-order reduction may put off an event of another process in favour of one process.
    pub(crate) max_steps: Option<u32>,
}

/// The work for one question.
pub(crate) struct Task {
    /// One formula per instance of the quantifier, in parts.
    pub(crate) goals: Vec<Parts<Leaf>>,
}

impl Task {
    /// The parts for which an engine is needed: for a state the initial cut is enough.
    fn leaves(&self) -> Vec<&Leaf> {
        let mut leaves = Vec::new();
        for goal in &self.goals {
            goal.each(&mut |leaf| leaves.push(leaf));
        }
        leaves.retain(|leaf| !matches!(leaf.formula, Ctl::State(_)));
        leaves
    }

    /// Leaves nothing to decide where the recorded order shows of an instance what decides all of them.
    fn keep_deciding(&mut self, wanted: bool) {
        if self.goals.iter().any(|parts| parts.shows(wanted)) {
            let others = self.goals.iter_mut().filter(|parts| !parts.shows(wanted));
            others.for_each(|parts| *parts = Parts::constant(!wanted));
        }
    }
}

/// A formula that is not taken apart further, and what it can see.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) formula: Ctl,
    pub(crate) sight: Sight,
    pub(crate) way: Way,
}

/// How a formula is to be decided.
#[derive(Clone, Debug)]
pub(crate) enum Way {
    /// At the cuts of its projection.
    Cuts,
    /// As a language of runs, by its automaton.
    Words(Box<Words>),
    /// As a search for a cut that satisfies all of these conditions over the atoms of the sight.
    Conjunction(Vec<Guard>),
    /// By definition, since its automaton is too large.
    Definition,
    /// By equations about the labels of events.
    Modal(Equations),
}

impl<'t> Plan<'t> {
    /// Plans the work for some questions about a run, of which everything they name is on record.
    pub fn new(
        records: Records<'t>,
        questions: &[&Question],
        choice: Choice,
        budget: &Budget<'_>,
    ) -> Result<Self, Spent> {
        Plan::within(records, questions, choice, Sizes::default(), budget)
    }

    /// The same, with automata that may become so large; what is larger is decided by definition.
    pub fn within(
        records: Records<'t>,
        questions: &[&Question],
        choice: Choice,
        sizes: Sizes,
        budget: &Budget<'_>,
    ) -> Result<Self, Spent> {
        let mut survey = Survey::new(records);
        let mut tasks = Vec::with_capacity(questions.len());
        for question in questions {
            tasks.push(task(&mut survey, question, (choice, sizes), budget));
        }
        let swept = sweep(&mut survey, &tasks, budget);
        if let Err(spent) = swept {
            // What the recorded order shows needs no clocks.
            let needs_clocks = |task: &Task| !task.leaves().is_empty();
            for task in &mut tasks {
                if task.as_ref().is_ok_and(needs_clocks) {
                    *task = Err(spent);
                }
            }
        }
        Ok(Plan {
            survey,
            tasks,
            choice,
            sizes,
            max_steps: None,
        })
    }

    /// Limits how many events of one process the two-phase reduction takes in a row.
    pub fn with_max_steps(mut self, steps: Option<u32>) -> Self {
        self.max_steps = steps;
        self
    }

    /// Asks for the bare verdicts, without the orders that show them.
    pub fn without_trails(mut self) -> Self {
        self.survey.trails = false;
        self
    }

    /// The parts of a question for which an engine is needed.
    pub(crate) fn leaves(&self, question: usize) -> Result<Vec<&Leaf>, Spent> {
        match &self.tasks[question] {
            Ok(task) => Ok(task.leaves()),
            Err(spent) => Err(*spent),
        }
    }

    /// The run.
    pub fn subject(&self) -> Subject<'t> {
        self.survey.subject()
    }

    /// Why the engine asked for cannot decide a question, if it cannot.
    pub fn refusal(&self, question: usize, budget: &Budget<'_>) -> Result<Option<String>, Spent> {
        let (Choice::Forced(engine), Ok(task)) = (self.choice, &self.tasks[question]) else {
            return Ok(None);
        };
        for leaf in task.leaves() {
            let reason = match &leaf.way {
                Way::Definition => Some("its automaton is too large".to_owned()),
                Way::Conjunction(_) => None,
                Way::Modal(_) => match engine.skill {
                    Skill::Equations(..) => None,
                    _ => Some(
                        "the mu-calculus is decided by the engines bes and explicit".to_owned(),
                    ),
                },
                Way::Words(words) => self.refuses_runs(engine, words),
                Way::Cuts => self.refuses_formula(engine, leaf, budget)?,
            };
            if reason.is_some() {
                return Ok(reason);
            }
        }
        Ok(None)
    }

    fn refuses_runs(&self, engine: &Engine, words: &Words) -> Option<String> {
        match (engine.runs(), &engine.skill) {
            (Some(runs), _) => (runs.supports)(words, &self.subject())
                .err()
                .map(|reason| reason.to_string()),
            (None, Skill::Conjunctions) => Some("it looks for cuts, not for runs".to_owned()),
            (None, _) => Some(format!(
                "{}, so it is no formula of CTL",
                words.not_branching
            )),
        }
    }

    fn refuses_formula(
        &self,
        engine: &Engine,
        leaf: &Leaf,
        budget: &Budget<'_>,
    ) -> Result<Option<String>, Spent> {
        let Some(cuts) = engine.cuts() else {
            let reason = match engine.skill {
                Skill::Conjunctions => "it decides EF of a conjunction only",
                _ => "it reads runs: properties of runs, and untils of predicates",
            };
            return Ok(Some(reason.to_owned()));
        };
        let branch = budget.branch();
        let projection = self.survey.project(&leaf.sight, &branch)?;
        let supported = (cuts.supports)(&projection, &leaf.formula);
        Ok(supported.err().map(|reason| reason.to_string()))
    }
}

/// Finds the order among all events that some part needs an engine for.
fn sweep(
    survey: &mut Survey<'_>,
    tasks: &[Result<Task, Spent>],
    budget: &Budget<'_>,
) -> Result<(), Spent> {
    budget.charge(survey.size())?;
    let leaves = tasks.iter().flatten().flat_map(Task::leaves);
    let sights: Vec<&Sight> = leaves.map(|leaf| &leaf.sight).collect();
    survey.sweep(&sights, budget)
}

fn task(
    survey: &mut Survey<'_>,
    question: &Question,
    (choice, sizes): (Choice, Sizes),
    budget: &Budget<'_>,
) -> Result<Task, Spent> {
    let (quantifier, goals) = question.goals();
    let wanted = quantifier.filter(|_| goals.len() > 1).map(deciding_truth);
    let is_much = survey.subject().trace.len() * goals.len() > LARGE;
    let mut task = Task {
        goals: Vec::with_capacity(goals.len()),
    };
    // The definition looks at nothing but the run, and instances of a template are planned when they are decided.
    let by_definition = matches!(choice, Choice::Forced(engine) if engine == &explicit::ENGINE);
    if by_definition || question.lowered.template.is_some() {
        return Ok(task);
    }
    // The paper's trees are compared on the whole run.
    let whole = matches!(choice, Choice::Forced(engine) if engine.takes_all);
    let subject = survey.subject();
    for goal in goals {
        budget.look()?;
        let known = match (choice, goal) {
            (Choice::Auto, Ctl::Modal(table)) => observe_modal(subject.trace, table, budget)?,
            _ => None,
        };
        if let Some(holds) = known
            && is_large(&subject)
        {
            let observation = Observation::bare(holds);
            task.goals.push(Parts::Observed(goal.clone(), observation));
            continue;
        }
        let in_parts = is_taken_apart(goal, choice);
        let parts = match choice {
            Choice::Auto => observed(survey, &without_folds(goal), budget)?,
            Choice::Forced(engine) if engine == &slice::ENGINE => Parts::Leaf(without_folds(goal)),
            Choice::Forced(_) => Parts::Leaf(goal.clone()),
        };
        let parts = match parts.observed() {
            Some(_) => parts.without_undecided(),
            None => parts,
        };
        let parts = parts.expand(&mut |goal| match in_parts {
            true => affordable(&goal, budget),
            false => whole_goal(&goal, budget),
        })?;
        let parts =
            parts.expand(&mut |formula| words::part(formula, &subject, choice, sizes, budget))?;
        let parts = parts.expand(&mut |part| {
            let (formula, sight, way) = match part {
                Part::Formula(formula) => {
                    let sight = survey.look(&[&formula], whole);
                    (formula, sight, Way::Cuts)
                }
                Part::TooLarge(formula) => (formula, survey.look(&[], false), Way::Definition),
                Part::Modal(table) => {
                    let formula = Ctl::Modal(table.clone());
                    (formula, survey.look(&[], true), Way::Modal(table))
                }
                Part::Conjunction(formula, atoms, conditions) => {
                    let sight = survey.look_for(&atoms, whole);
                    (formula, sight, Way::Conjunction(conditions))
                }
                Part::Words(formula, words) => {
                    // Of labels the recorded order was not asked yet.
                    let run = Ctl::Run(words.runs.clone());
                    if matches!(goal, Ctl::Modal(_))
                        && let Some(observation) = cheaply(observe(survey, &run, budget))?
                    {
                        return Ok(Parts::Observed(formula, observation));
                    }
                    let whole = whole || !words.may_project();
                    let sight = survey.look_for(&words.compiled.atoms, whole);
                    (formula, sight, Way::Words(words))
                }
            };
            let leaf = Leaf {
                formula,
                sight,
                way,
            };
            Ok(Parts::Leaf(leaf))
        })?;
        task.goals.push(match known {
            Some(holds) => Parts::Known(holds, Box::new(parts)),
            None => parts,
        });
        // One instance is enough; a shorter order of another is worth little work.
        let decides = |wanted| task.goals.last().is_some_and(|parts| parts.shows(wanted));
        if is_much && wanted.is_some_and(decides) {
            break;
        }
    }
    if let Some(wanted) = wanted {
        task.keep_deciding(wanted);
    }
    Ok(task)
}

/// Whether it is much work to find the order among all events of a run.
fn is_large(subject: &Subject<'_>) -> bool {
    let order = subject.trace.order();
    subject.trace.len() * order.process_count() > LARGE
}

/// More events times processes than this are many.
const LARGE: usize = 4_000_000;

/// A goal with the parts set apart that the recorded order decides.
fn observed(survey: &mut Survey<'_>, goal: &Ctl, budget: &Budget<'_>) -> Result<Parts<Ctl>, Spent> {
    Ok(match goal {
        Ctl::State(_) => Parts::Leaf(goal.clone()),
        Ctl::Not(part) => Parts::Not(Box::new(observed(survey, part, budget)?)),
        Ctl::And(parts) | Ctl::Or(parts) => {
            let temporal = only_temporal(parts);
            let parts = parts.iter().map(|part| observed(survey, part, budget));
            Parts::Join {
                all: matches!(goal, Ctl::And(_)),
                parts: parts.collect::<Result<_, _>>()?,
                temporal,
            }
        }
        _ => match cheaply(observe(survey, goal, budget))? {
            Some(observation) => Parts::Observed(goal.clone(), observation),
            None => Parts::Leaf(goal.clone()),
        },
    })
}

/// A look that takes too much memory shows nothing; an engine may still decide.
fn cheaply(observed: Result<Option<Observation>, Spent>) -> Result<Option<Observation>, Spent> {
    match observed {
        Err(Spent::Memory) => Ok(None),
        observed => observed,
    }
}

/// Whether a goal is decided in parts.
fn is_taken_apart(goal: &Ctl, choice: Choice) -> bool {
    match choice {
        Choice::Auto => true,
        Choice::Forced(engine) => {
            engine == &slice::ENGINE || engine.reads_words() || !goal.is_about_cuts()
        }
    }
}

/// A goal in parts, or whole when there are too many of them for the memory that is left.
fn affordable(goal: &Ctl, budget: &Budget<'_>) -> Result<Parts<Ctl>, Spent> {
    let parts = split(goal);
    let mut cost = 0;
    parts.each(&mut |formula| cost += LEAF_COST + formula.size() * OPERATOR_COST);
    match budget.charge(cost) {
        Ok(()) => Ok(parts),
        Err(_) => whole_goal(goal, budget),
    }
}

fn whole_goal(goal: &Ctl, budget: &Budget<'_>) -> Result<Parts<Ctl>, Spent> {
    budget.charge(LEAF_COST + goal.size() * OPERATOR_COST)?;
    Ok(Parts::Leaf(goal.clone()))
}

/// About what is kept per part, and per operator of it.
const LEAF_COST: usize = 640;
const OPERATOR_COST: usize = 320;

/// What the choice of an engine for a formula depends on.
pub(crate) fn figures(projection: &Projection<'_>, formula: &Ctl, choice: Choice) -> Figures {
    let chains: Vec<u32> = (0..projection.count())
        .map(|chain| projection.length(chain))
        .collect();
    let cuts = projection.cuts_within(COUNTING);
    let asks_slice =
        choice == Choice::Auto && chains.len() > 1 && cuts.is_none_or(|cuts| cuts > FEW);
    let slice = asks_slice.then(|| slice::effort(projection, formula).ok());
    Figures {
        chains,
        whole: projection.is_whole(),
        cuts,
        slice: slice.flatten(),
        rows: rows::supports(formula).is_ok(),
        bes: bes::supports(formula).is_ok(),
        first_levels: first_levels::supports(formula) || unfolding::supports(formula),
        needs: false,
    }
}

/// What the choice of an engine for a language of runs depends on.
pub(crate) fn word_figures(projection: &Projection<'_>, words: &Words) -> WordFigures {
    let automaton = &words.compiled.automaton;
    WordFigures {
        figures: figures_of_all(projection),
        stops_early: automaton.sure().contains(&true),
        masks: monitor::supports(automaton).is_ok(),
    }
}

/// How much there is to see, whoever looks; for parts that no engine for formulas decides.
pub(crate) fn figures_of_all(projection: &Projection<'_>) -> Figures {
    let chains = 0..projection.count();
    Figures {
        chains: chains.map(|chain| projection.length(chain)).collect(),
        whole: projection.is_whole(),
        cuts: projection.cuts_within(COUNTING),
        slice: None,
        rows: false,
        bes: false,
        first_levels: false,
        needs: false,
    }
}
