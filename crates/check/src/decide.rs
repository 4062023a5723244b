//! The whole way from a question to an outcome: run the planned engine, have its trail re-checked, put it into words.

use causet_formula::Quantifier;
use causet_formula::core::Ctl;
use causet_solve::budget::{Budget, Spent};
use causet_trace::EventId;

use crate::certify;
use crate::engine::{Answer, Answers, EngineName, Trail, explicit};
use crate::outcome::{Outcome, Verdict, Witness};
use crate::plan::Plan;
use crate::prepare::Question;
use crate::subject::Subject;

/// An engine and the certifier disagree: a defect of this program, never an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disagreement {
    /// The engine whose trail was refuted.
    pub engine: EngineName,
    /// What it claimed.
    pub claim: String,
}

impl std::fmt::Display for Disagreement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the {} engine says that the property {}, but the order it gives does not show it",
            self.engine.word(),
            self.claim
        )
    }
}

impl std::error::Error for Disagreement {}

/// Decides a question: [`answer`], then [`conclude`].
pub fn decide(
    subject: &Subject<'_>,
    question: &Question,
    plan: &Plan,
    budget: &Budget<'_>,
) -> Result<Outcome, Disagreement> {
    let answers = answer(subject, question, plan, budget);
    conclude(subject, question, plan, answers, budget)
}

/// Lets the planned engine find the answers.
pub fn answer(
    subject: &Subject<'_>,
    question: &Question,
    plan: &Plan,
    budget: &Budget<'_>,
) -> Result<Answers, Spent> {
    let (quantifier, goals) = question.goals();
    let wanted = quantifier.filter(|_| goals.len() > 1).map(deciding_truth);
    match plan.engine {
        EngineName::Explicit => explicit::run(subject, &goals, wanted, budget),
        _ => Err(Spent::Cancelled),
    }
}

/// Makes an outcome of an engine's answers, with a witness that has been re-checked.
pub fn conclude(
    subject: &Subject<'_>,
    question: &Question,
    plan: &Plan,
    answers: Result<Answers, Spent>,
    budget: &Budget<'_>,
) -> Result<Outcome, Disagreement> {
    let (quantifier, goals) = question.goals();
    let answers = match answers {
        Ok(answers) => answers,
        Err(spent) => return Ok(unknown(plan.engine, spent)),
    };
    let (holds, deciding) = combine(quantifier, &answers.answers);
    let mut outcome = Outcome {
        verdict: if holds {
            Verdict::Holds
        } else {
            Verdict::Violated
        },
        engine: plan.engine,
        witness: None,
        notes: Vec::new(),
        divided_by_zero: answers.divided_by_zero,
        stats: answers.stats,
    };
    let Some(at) = deciding.filter(|&at| goals[at].as_const().is_none()) else {
        return Ok(outcome);
    };
    if let Answer {
        trail: Some(trail),
        holds,
    } = &answers.answers[at]
    {
        let instance = quantifier.map(|_| instance_name(subject, question, at));
        match witness(subject, goals[at], *holds, trail, instance, budget) {
            Ok(Some(witness)) => outcome.witness = Some(witness),
            Ok(None) => {
                return Err(Disagreement {
                    engine: plan.engine,
                    claim: outcome.verdict.word().to_owned(),
                });
            }
            Err(spent) => outcome.notes.push(format!(
                "the order that shows it could not be re-checked within the limits ({spent})"
            )),
        }
    }
    Ok(outcome)
}

fn unknown(engine: EngineName, spent: Spent) -> Outcome {
    Outcome {
        verdict: Verdict::Unknown(spent),
        engine,
        witness: None,
        notes: Vec::new(),
        divided_by_zero: false,
        stats: std::collections::BTreeMap::new(),
    }
}

/// The truth value of a single instance that decides all of them.
fn deciding_truth(quantifier: Quantifier) -> bool {
    match quantifier {
        Quantifier::Forall => false,
        Quantifier::Exists => true,
    }
}

/// The answer for all instances together, and the instance that decides it alone, if one does.
fn combine(quantifier: Option<Quantifier>, answers: &[Answer]) -> (bool, Option<usize>) {
    let Some(quantifier) = quantifier.filter(|_| answers.len() > 1) else {
        return (answers[0].holds, Some(0));
    };
    let wanted = deciding_truth(quantifier);
    let length = |answer: &Answer| {
        answer
            .trail
            .as_ref()
            .map_or(usize::MAX, |trail| trail.run.len())
    };
    let deciding = answers
        .iter()
        .enumerate()
        .filter(|(_, answer)| answer.holds == wanted);
    match deciding.min_by_key(|(_, answer)| length(answer)) {
        Some((at, _)) => (wanted, Some(at)),
        None => (!wanted, None),
    }
}

fn instance_name(subject: &Subject<'_>, question: &Question, at: usize) -> String {
    use causet_formula::Names;
    let bindings = &question.lowered.instances[at].bindings;
    let named = bindings
        .iter()
        .map(|(name, process)| format!("{name} = {}", subject.process_name(*process)));
    named.collect::<Vec<_>>().join(", ")
}

/// The trail as a witness, once it has been re-checked; `None` when it proves nothing.
fn witness(
    subject: &Subject<'_>,
    goal: &Ctl,
    truth: bool,
    trail: &Trail,
    instance: Option<String>,
    budget: &Budget<'_>,
) -> Result<Option<Witness>, Spent> {
    let trace = subject.trace;
    let opinion = certify::examine(trace, goal, truth, trail, budget)?;
    if !opinion.proven {
        return Ok(None);
    }
    let order = trace.order();
    let end = order.closure(trail.run.iter().copied());
    let complete =
        !trail.run.is_empty() && end == order.final_cut() && shows_by_whole_run(goal, truth);
    Ok(Some(Witness {
        run: trail.run.clone(),
        cut: (!complete).then_some(end),
        then: later_events(trail),
        observed: opinion.observed,
        instance,
    }))
}

/// Whether what a trail shows is something about all of its cuts rather than about its last one.
fn shows_by_whole_run(formula: &Ctl, truth: bool) -> bool {
    match formula {
        Ctl::Not(part) => shows_by_whole_run(part, !truth),
        Ctl::Au(..) => !truth,
        Ctl::And(parts) | Ctl::Or(parts) => {
            parts.iter().any(|part| shows_by_whole_run(part, truth))
        }
        Ctl::State(_) | Ctl::Ex(_) | Ctl::Eu(..) => false,
    }
}

fn later_events(trail: &Trail) -> Vec<EventId> {
    let mut events = Vec::new();
    let mut next = trail.then.as_deref();
    while let Some(trail) = next {
        events.extend_from_slice(&trail.run);
        next = trail.then.as_deref();
    }
    events
}
