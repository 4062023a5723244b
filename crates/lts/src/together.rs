//! A formula on a model, decided by many workers: each has some of the states, and all explain the value together.

use causet_base::budget::{Budget, Spent};
use causet_formula::modal::Modal;
use causet_solve::bes::product::{Matching, Product};
use causet_solve::bes::program::Program;
use causet_solve::bes::{Resolution, Strategy};
use causet_solve::deal::Deal;
use causet_solve::divided::Divided;
use causet_solve::fragment::Fragment;
use causet_solve::keeper::Keeper;
use causet_solve::space::Space;
use causet_solve::steps::Steps;
use causet_solve::workers::{Divide, Gather, NotSolved, Solved, WorkerSummary, Workers};

use crate::model::{Checked, Explained, Model, NotChecked, Options, explain, matching, program};
use crate::network::Network;
use crate::portion::{Mine, Portion};
use crate::system::{Labels, Lts};
use crate::waves::waves;

/// How many states in a row a worker gets at most, as a power of two: so many lie close together in memory.
const LARGEST_HEAP: u32 = 12;

/// So many heaps a worker gets at least, if there are enough states: then all are busy from the first levels of the search
/// on.
const HEAPS: u64 = 64;

/// How many states in a row a worker gets of so many, as a power of two, unless somebody says otherwise.
pub fn usual_heap(states: u64, workers: usize) -> u32 {
    let fair = states / (HEAPS * workers as u64);
    fair.checked_ilog2().unwrap_or(0).min(LARGEST_HEAP)
}

/// How the states of a system are dealt out: in heaps of a size that somebody asks for, by waves if it has any, in heaps of
/// the usual size otherwise. One worker gets everything anyway.
pub(crate) fn deal(lts: &Lts, workers: usize, heap: Option<u32>) -> Deal {
    let waves = match heap {
        None if workers > 1 => waves(lts),
        _ => None,
    };
    match waves {
        Some(ends) => Deal::waves(workers, &ends),
        None => {
            let usual = || usual_heap(u64::from(lts.states()), workers);
            Deal::heaps(workers, heap.unwrap_or_else(usual))
        }
    }
}

/// Decides whether the initial state of a model satisfies a formula, and says what each worker did. The heap is how many
/// states in a row a worker gets of a stored system, as a power of two, if not the usual number.
pub fn check(
    model: &Model,
    formula: &Modal,
    options: Options,
    (workers, heap): (&dyn Workers, Option<u32>),
    budget: &Budget<'_>,
) -> Result<(Checked, Vec<WorkerSummary>), NotChecked> {
    match model {
        Model::Stored(lts) => {
            let deal = &deal(lts, workers.count(), heap);
            let subject = Subject::numbered(lts.labels(), lts.initial());
            let question = &Question::new(formula, subject.labels);
            let states = States::All(lts, deal);
            let stored = Stored { states, question };
            subject.decide(question, &stored, options, workers, budget)
        }
        Model::Composed(network) => {
            let subject = Subject::composed(network);
            let question = &Question::new(formula, subject.labels);
            let composed = Composed { network, question };
            subject.decide(question, &composed, options, workers, budget)
        }
    }
}

/// The same for a stored system of which this process has the states of its own workers: they must be those given.
/// Nothing else can be done with a portion; whoever needs all states asks for a [`Model`].
pub fn check_portion(
    portion: &Portion,
    formula: &Modal,
    options: Options,
    workers: &dyn Workers,
    budget: &Budget<'_>,
) -> Result<(Checked, Vec<WorkerSummary>), NotChecked> {
    let kept = portion.kept();
    if (kept.deal().workers(), kept.workers().len()) != (workers.count(), workers.threads()) {
        let message = "the states were dealt out to other workers";
        return Err(NotSolved::Broken(message.to_owned()).into());
    }
    let subject = Subject::numbered(portion.labels(), portion.initial());
    let question = &Question::new(formula, subject.labels);
    let states = States::Some(portion);
    let stored = Stored { states, question };
    subject.decide(question, &stored, options, workers, budget)
}

/// What is asked of a model.
struct Question<'q> {
    formula: &'q Modal,
    program: Program,
    matching: Matching,
}

impl<'q> Question<'q> {
    fn new(formula: &'q Modal, labels: &Labels) -> Self {
        Question {
            formula,
            program: program(formula),
            matching: matching(formula, labels),
        }
    }

    /// The equations on some states.
    fn on<'b, T: Steps>(&'b self, steps: T, budget: &'b Budget<'b>) -> Product<'b, T> {
        Product::new(&self.program, &self.matching, steps, budget)
    }
}

/// A stored system that is dealt out by number.
struct Stored<'q> {
    states: States<'q>,
    question: &'q Question<'q>,
}

/// The states in memory.
#[derive(Clone, Copy)]
enum States<'q> {
    /// Everybody's, and how they are dealt out.
    All(&'q Lts, &'q Deal),
    /// Those of the workers of this process.
    Some(&'q Portion),
}

impl Divide for Stored<'_> {
    type Part<'b>
        = Product<'b, Mine<'b>>
    where
        Self: 'b;

    fn part<'b>(
        &'b self,
        me: usize,
        _workers: usize,
        budget: &'b Budget<'b>,
    ) -> Result<Self::Part<'b>, Spent> {
        let mine = match self.states {
            States::All(lts, deal) => Mine::of_all(lts, deal, me),
            States::Some(portion) => Mine::of(portion, me),
        };
        Ok(self.question.on(mine, budget))
    }
}

/// Components, composed while they are explored.
struct Composed<'q> {
    network: &'q Network,
    question: &'q Question<'q>,
}

impl Divide for Composed<'_> {
    type Part<'b>
        = Product<'b, Divided<'b, Network>>
    where
        Self: 'b;

    fn part<'b>(
        &'b self,
        me: usize,
        workers: usize,
        budget: &'b Budget<'b>,
    ) -> Result<Self::Part<'b>, Spent> {
        let part = Divided::new(self.network, me, Keeper::by_hash(workers), budget)?;
        Ok(self.question.on(part, budget))
    }
}

/// What an explanation has to know of a model.
struct Subject<'m> {
    labels: &'m Labels,
    /// The name of the initial state.
    initial: Vec<u32>,
    is_composed: bool,
}

impl<'m> Subject<'m> {
    fn numbered(labels: &'m Labels, initial: u32) -> Self {
        Subject {
            labels,
            initial: vec![initial],
            is_composed: false,
        }
    }

    fn composed(network: &'m Network) -> Self {
        let mut initial = vec![0; network.width()];
        network.initial(&mut initial);
        Subject {
            labels: network.labels(),
            initial,
            is_composed: true,
        }
    }

    /// Lets all workers decide, each with its part of the division, and explains what they found.
    fn decide(
        &self,
        question: &Question<'_>,
        division: &impl Divide,
        options: Options,
        workers: &dyn Workers,
        budget: &Budget<'_>,
    ) -> Result<(Checked, Vec<WorkerSummary>), NotChecked> {
        let reasons = Gather::Reasons(options.most_claims);
        let solved = workers.solve(division, reasons, budget)?;
        let checked = conclude(self, question, &solved, options, budget)?;
        Ok((checked, solved.workers))
    }

    /// Explains a value on the states that were shown.
    fn explain(
        &self,
        question: &Question<'_>,
        pieces: &[u32],
        value: bool,
        options: Options,
        budget: &Budget<'_>,
    ) -> Result<Explained, NotChecked> {
        let fragment = Fragment::read(pieces, &self.initial, false)
            .ok_or_else(|| NotSolved::Broken("torn pieces of an account".to_owned()))?;
        let product = question
            .on(&fragment, budget)
            .with_outside(fragment.outside(), !value);
        let mut resolution = Resolution::new(product, Strategy::Lean, budget);
        if resolution.solve()? != value {
            let message = "the states that were shown do not explain the value";
            return Err(NotSolved::Broken(message.to_owned()).into());
        }
        let formula = question.formula;
        let mut explained = explain(
            &mut resolution,
            self.labels,
            formula,
            value,
            options,
            budget,
        )?;
        if let Some(diagnostic) = &mut explained.diagnostic {
            let name = |state| fragment.name(state).to_vec();
            match self.is_composed {
                false => diagnostic.renumber(|state| name(state)[0]),
                true => diagnostic.name_states(name),
            }
        }
        Ok(explained)
    }
}

/// The verdict, explained on the states that were shown.
fn conclude(
    subject: &Subject<'_>,
    question: &Question<'_>,
    solved: &Solved,
    options: Options,
    budget: &Budget<'_>,
) -> Result<Checked, NotChecked> {
    let mut all = WorkerSummary::default();
    solved.workers.iter().for_each(|&worker| all += worker);
    let (states, steps) = all.explored;
    let mut checked = Checked::unexplained(solved.value, (all.variables, all.operands));
    let explored = (states as usize, steps as usize);
    checked.explored = subject.is_composed.then_some(explored);
    checked.explanation_spent = solved.pieces_spent;
    let Some(pieces) = &solved.pieces else {
        return Ok(checked);
    };
    // What it takes to explain is given back in the end.
    let branch = budget.branch();
    checked.explain(&branch, || {
        subject.explain(question, pieces, solved.value, options, &branch)
    })?;
    Ok(checked)
}
