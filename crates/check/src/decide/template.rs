//! A property of many instances, decided without expanding it.
//!
//! | step | why |
//! |---|---|
//! | *exclusion*: no two processes are in some state at the same time | one pass decides all pairs, see `engine/exclusion.rs` |
//! | *needed*: what must be true at some cut for an instance to decide | a process of which that is never true is in no such instance |
//! | instances of the processes that are left, some thousand at a time | each batch is planned and decided like a property of its own |
//!
//! An instance *decides* when it is false below `forall`, or true below `exists`.

use causet_base::budget::{Budget, Spent};
use causet_formula::core::{Ctl, Pred};
use causet_formula::linear::{Language, Ltl};
use causet_formula::{Instance, Lowered, ProcRef, Template};

use super::conclude::{combine, deciding_truth};
use super::find;
use crate::engine::bes::JointSolver;
use crate::engine::exclusion::{Exclusion, conjuncts};
use crate::engine::ist::Stock;
use crate::engine::table::OBSERVED;
use crate::engine::{Answer, Answers, Engine, exclusion};
use crate::plan::Plan;
use crate::prepare::Question;
use crate::project::Survey;
use crate::records::Records;

/// The least and the greatest number of instances in a batch.
const MIN_BATCH: usize = 4096;
const MAX_BATCH: usize = 65_536;

/// A property that is kept as a template, being decided.
pub(super) struct TemplateSearch<'a, 't, 'b> {
    pub(super) plan: &'a Plan<'t>,
    pub(super) question: &'a Question,
    pub(super) template: &'a Template,
    pub(super) stock: &'a Stock<'b>,
    pub(super) joint: Option<&'a JointSolver<'a>>,
    pub(super) budget: &'a Budget<'a>,
}

impl TemplateSearch<'_, '_, '_> {
    /// The answer for all instances together, and the instance that decides it, if one does.
    pub(super) fn find(&self) -> Answers {
        self.search().unwrap_or_else(Answers::given_up)
    }

    fn search(&self) -> Result<Answers, Spent> {
        let mut ranges = self.template.ranges.clone();
        let branch = self.budget.branch();
        let mut survey = Survey::new(self.records());
        if let Some(exclusion) = Exclusion::of(self.template)
            && let Some(overlap) = exclusion.overlap(self.template, &mut survey, &branch)?
        {
            return match overlap {
                None => Ok(self.undecided(&exclusion::ENGINE)),
                Some(pair) => {
                    let batch = self.decide(&[pair])?;
                    Ok(batch.unwrap_or_else(|_| Answers::given_up(Spent::Memory)))
                }
            };
        }
        self.narrow(&mut ranges, &mut survey, &branch)?;
        self.in_batches(&ranges)
    }

    /// Decides instances some thousand at a time.
    fn in_batches(&self, ranges: &[Vec<ProcRef>]) -> Result<Answers, Spent> {
        let events = self.plan.subject().trace.len();
        let size = (events / 8).clamp(MIN_BATCH, MAX_BATCH);
        let mut tuples = self.template.tuples(ranges);
        let (mut engine, mut spent) = (None, None);
        loop {
            let batch: Vec<Vec<ProcRef>> = tuples.by_ref().take(size).collect();
            if batch.is_empty() {
                break;
            }
            match self.decide(&batch) {
                Ok(Ok(answers)) => return Ok(answers),
                Ok(Err(by)) => engine = by.or(engine),
                // What another instance says may be enough.
                Err(Spent::Memory) => spent = Some(Spent::Memory),
                Err(spent) => return Err(spent),
            }
        }
        spent.map_or_else(|| Ok(self.undecided(engine.unwrap_or(&OBSERVED))), Err)
    }

    /// What follows when no instance decides.
    fn undecided(&self, engine: &'static Engine) -> Answers {
        let answer = Answer {
            goal: 0,
            holds: !deciding_truth(self.template.quantifier),
            trail: None,
        };
        Answers {
            answers: vec![answer],
            engine: Some(engine),
            ..Answers::default()
        }
    }

    /// The answer if one of these instances decides, else the engine that decided them.
    fn decide(
        &self,
        batch: &[Vec<ProcRef>],
    ) -> Result<Result<Answers, Option<&'static Engine>>, Spent> {
        let instances = batch.iter().map(|tuple| self.template.instance(tuple));
        let question = self.question_of(instances.collect());
        let choice = self.plan.choice;
        let plan = Plan::within(
            self.records(),
            &[&question],
            choice,
            self.plan.sizes,
            self.budget,
        )?;
        let mut plan = plan.with_max_steps(self.plan.max_steps);
        plan.survey.trails = self.plan.survey.trails;
        let mut answers = find(&plan, 0, &question, self.stock, self.joint, self.budget);
        if let Some(spent) = answers.spent {
            return Err(spent);
        }
        let (_, deciding) = combine(Some(self.template.quantifier), &answers.answers);
        let Some(answer) = deciding.cloned() else {
            return Ok(Err(answers.engine));
        };
        let mut instances = question.lowered.instances;
        answers.instance = Some(instances.swap_remove(answer.goal));
        answers.answers = vec![Answer { goal: 0, ..answer }];
        Ok(Ok(answers))
    }

    /// A question about some instances only.
    fn question_of(&self, instances: Vec<Instance>) -> Question {
        Question {
            lowered: Lowered {
                instances,
                template: None,
                ..self.question.lowered.clone()
            },
            warnings: Vec::new(),
        }
    }

    fn records(&self) -> Records<'_> {
        let mentions = self.question.lowered.mentions.iter();
        Records::of(self.plan.subject(), mentions.map(|&(var, _)| var))
    }

    /// Leaves out the processes with which no instance decides.
    fn narrow(
        &self,
        ranges: &mut [Vec<ProcRef>],
        survey: &mut Survey<'_>,
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        let mut needed = Vec::new();
        let wanted = deciding_truth(self.template.quantifier);
        needed_for(&self.template.body, wanted, &mut needed);
        for pred in needed.iter().flat_map(conjuncts) {
            let Some(place) = self.template.place_of(&pred) else {
                continue;
            };
            let mut kept = Vec::new();
            for &process in &ranges[place] {
                budget.tick()?;
                let tuple = vec![process; ranges.len()];
                let stretches = survey.stretches(&self.template.predicate(&pred, &tuple));
                if stretches.is_none_or(|stretches| !stretches.is_empty()) {
                    kept.push(process);
                }
            }
            ranges[place] = kept;
        }
        Ok(())
    }
}

/// Predicates that are true at some cut, each by itself, if a formula has a truth value somewhere.
fn needed_for(formula: &Ctl, truth: bool, needed: &mut Vec<Pred>) {
    for (part, truth) in formula.conjuncts(truth) {
        match part {
            Ctl::State(pred) => needed.push(signed(pred, truth)),
            Ctl::Ex(part) if truth => needed_for(part, truth, needed),
            // Where it is true the goal comes true on some order, and where it is false the goal is false.
            Ctl::Eu(_, goal) | Ctl::Au(_, goal) => needed_for(goal, truth, needed),
            // There is at least one run: if none is of a language, it is of the complement.
            Ctl::Run(runs) => {
                if let Language::Ltl(formula) = &runs.language {
                    needed_along(formula, truth != runs.complement, needed);
                }
            }
            _ => {}
        }
    }
}

/// The same for a formula about the positions of a run.
fn needed_along(formula: &Ltl, truth: bool, needed: &mut Vec<Pred>) {
    for (part, truth) in formula.conjuncts(truth) {
        match part {
            Ltl::State(pred) => needed.push(signed(pred, truth)),
            Ltl::Next(part) if truth => needed_along(part, truth, needed),
            Ltl::Until(_, goal) => needed_along(goal, truth, needed),
            _ => {}
        }
    }
}

fn signed(pred: &Pred, truth: bool) -> Pred {
    if truth {
        pred.clone()
    } else {
        Pred::not(pred.clone())
    }
}
