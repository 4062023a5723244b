//! From answers to an outcome: the instances together, the trail re-checked, the witness put together.

use causet_base::budget::{Budget, Spent};
use causet_formula::core::Ctl;
use causet_formula::{Instance, Quantifier};
use causet_trace::{EventId, Order};

use super::Disagreement;
use super::nearest::nearest;
use crate::certify;
use crate::doubt::{certain, explanation, stands};
use crate::engine::{Answer, Answers, Trail};
use crate::outcome::{Outcome, Verdict, Witness};
use crate::prepare::Question;
use crate::subject::Subject;

/// Makes an outcome of an engine's answers, with a witness that has been re-checked.
pub fn conclude(
    subject: &Subject<'_>,
    question: &Question,
    answers: Answers,
    budget: &Budget<'_>,
) -> Result<Outcome, Disagreement> {
    let (quantifier, goals) = question.goals();
    if let Some(spent) = answers.spent {
        return Ok(Outcome {
            divided_by_zero: answers.divided_by_zero,
            stats: answers.stats,
            steps: answers.steps,
            parts: answers.parts,
            workers: answers.workers,
            ..unknown(spent)
        });
    }
    let (holds, _) = combine(quantifier.filter(|_| goals.len() > 1), &answers.answers);
    if stands(question, subject.trace, budget).keeps(holds) {
        return conclude_certain(subject, question, &answers, budget);
    }
    if let Some(certain) = certain(subject, question, holds, budget)? {
        return Ok(certain);
    }
    let (outcome, _) = without_witness(question, &answers);
    let found = match holds {
        true => "it holds",
        false => "it is violated",
    };
    let missing = explanation(question, subject.trace, holds, budget);
    Ok(Outcome {
        verdict: Verdict::Doubtful,
        notes: vec![format!(
            "{missing}; among the events that were logged {found}"
        )],
        ..outcome
    })
}

/// The same for answers that nothing missing from the log can change.
pub(crate) fn conclude_certain(
    subject: &Subject<'_>,
    question: &Question,
    answers: &Answers,
    budget: &Budget<'_>,
) -> Result<Outcome, Disagreement> {
    let (_, goals) = question.goals();
    let (mut outcome, deciding) = without_witness(question, answers);
    let Some(deciding) = deciding.filter(|answer| goals[answer.goal].as_const().is_none()) else {
        return Ok(outcome);
    };
    let Some(trail) = &deciding.trail else {
        outcome.witness_spent = answers.trail_spent;
        outcome.notes.extend(answers.trail_spent.map(|spent| {
            format!("the search for an order that shows it was ended by a limit ({spent})")
        }));
        return Ok(outcome);
    };
    let instance = match &answers.instance {
        None => question.lowered.instances.get(deciding.goal),
        made => made.as_ref(),
    };
    let goal = instance.map_or(goals[deciding.goal], |instance| &instance.body);
    let found = (deciding.holds, trail);
    match budget.explain(|| witness(subject, goal, found, instance, budget)) {
        Ok(Some(witness)) => outcome.witness = Some(witness),
        Ok(None) => {
            return Err(Disagreement {
                engine: outcome.engine,
                claim: outcome.verdict.word().to_owned(),
            });
        }
        Err(spent) => {
            outcome.witness_spent = Some(spent);
            outcome.notes.push(format!(
                "the order that shows it could not be re-checked within the limits ({spent})"
            ));
        }
    }
    Ok(outcome)
}

/// The outcome without an order that shows it, and the answer that decides it alone, if one does.
fn without_witness<'a>(question: &Question, answers: &'a Answers) -> (Outcome, Option<&'a Answer>) {
    let (quantifier, goals) = question.goals();
    let (holds, deciding) = combine(quantifier.filter(|_| goals.len() > 1), &answers.answers);
    let outcome = Outcome {
        verdict: if holds {
            Verdict::Holds
        } else {
            Verdict::Violated
        },
        engine: answers.engine,
        witness: None,
        witness_spent: None,
        notes: Vec::new(),
        divided_by_zero: answers.divided_by_zero,
        stats: answers.stats.clone(),
        steps: answers.steps.clone(),
        parts: answers.parts,
        workers: answers.workers.clone(),
    };
    (outcome, deciding)
}

pub(super) fn unknown(spent: Spent) -> Outcome {
    Outcome {
        verdict: Verdict::Unknown(spent),
        engine: None,
        witness: None,
        witness_spent: None,
        notes: Vec::new(),
        divided_by_zero: false,
        stats: std::collections::BTreeMap::new(),
        steps: Vec::new(),
        parts: 0,
        workers: Vec::new(),
    }
}

/// The truth value of a single instance that decides all of them.
pub(crate) fn deciding_truth(quantifier: Quantifier) -> bool {
    match quantifier {
        Quantifier::Forall => false,
        Quantifier::Exists => true,
    }
}

/// The answer for all instances together, and that for the instance which decides it alone, if one does.
pub(super) fn combine(
    quantifier: Option<Quantifier>,
    answers: &[Answer],
) -> (bool, Option<&Answer>) {
    let Some(quantifier) = quantifier else {
        return (answers[0].holds, Some(&answers[0]));
    };
    let wanted = deciding_truth(quantifier);
    let deciding = answers.iter().filter(|answer| answer.holds == wanted);
    match deciding.min_by_key(|answer| length(&answer.trail)) {
        Some(answer) => (wanted, Some(answer)),
        None => (!wanted, None),
    }
}

/// How long a trail is; none is longer than any.
pub(super) fn length(trail: &Option<Trail>) -> usize {
    trail.as_ref().map_or(usize::MAX, |trail| trail.run.len())
}

fn instance_name(subject: &Subject<'_>, instance: &Instance) -> String {
    use causet_formula::Names;
    let bindings = instance.bindings.iter();
    let named =
        bindings.map(|(name, process)| format!("{name} = {}", subject.process_name(*process)));
    named.collect::<Vec<_>>().join(", ")
}

/// The trail as a witness, once it has been re-checked; `None` when it proves nothing.
fn witness(
    subject: &Subject<'_>,
    goal: &Ctl,
    (truth, trail): (bool, &Trail),
    instance: Option<&Instance>,
    budget: &Budget<'_>,
) -> Result<Option<Witness>, Spent> {
    let trace = subject.trace;
    let opinion = certify::examine(trace, goal, truth, trail, budget)?;
    if !opinion.proven {
        return Ok(None);
    }
    let trail = &match nearest(trace, (goal, truth), trail, budget) {
        Ok(nearer) => nearer,
        Err(_) => trail.clone(),
    };
    let order = trace.order();
    let end = match trail.run.len() == trace.len() {
        true => order.final_cut(),
        false => order.closure(trail.run.iter().copied()),
    };
    let complete =
        !trail.run.is_empty() && end == order.final_cut() && shows_by_whole_run(goal, truth);
    Ok(Some(Witness {
        run: trail.run.clone(),
        cut: (!complete).then_some(end),
        then: later_events(trail),
        enough: trail.enough.filter(|_| complete),
        observed: opinion.observed.or_else(|| is_recorded(order, trail)),
        instance: instance.map(|instance| instance_name(subject, instance)),
        processes: instance.map_or_else(Vec::new, Instance::processes),
    }))
}

/// That a run which shows something is the beginning of the recorded order, if it is.
fn is_recorded(order: &Order, trail: &Trail) -> Option<bool> {
    let mut together = order.recorded().zip(&trail.run);
    let is_beginning = together.all(|(recorded, &event)| recorded == event);
    (is_beginning && trail.then.is_none()).then_some(true)
}

/// Whether what a trail shows is something about all of its cuts rather than about its last one.
fn shows_by_whole_run(formula: &Ctl, truth: bool) -> bool {
    formula.atoms().any(|(atom, positive)| match atom {
        Ctl::Au(..) => truth != positive,
        Ctl::Run(_) => truth == positive,
        _ => false,
    })
}

pub(super) fn later_events(trail: &Trail) -> Vec<EventId> {
    let mut events = Vec::new();
    let mut next = trail.then.as_deref();
    while let Some(trail) = next {
        events.extend_from_slice(&trail.run);
        next = trail.then.as_deref();
    }
    events
}
