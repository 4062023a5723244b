//! Properties that say nothing about a run because the left side of an implication is never true in it.
//!
//! First all values are looked at that a variable ever holds, each variable by itself, and the labels that a process ever
//! carries. Where that leaves it open, as with a conjunction of which each part is true at some time, a cut is looked for
//! at which the left side holds: by the planner's own choice of engines, within a few thousand steps. What is not found
//! out within these is not said.

use std::sync::atomic::{AtomicU32, Ordering};

use causet_base::budget::{Budget, Meter, Spent};
use causet_base::span::Span;
use causet_base::value::Value;
use causet_base::{Code, Diagnostic};
use causet_formula::core::{CmpOp, Ctl, EventAtom, Expr, Pred};
use causet_formula::names::VarRef;
use causet_formula::{Kind, Lowered};

use crate::decide::{answer, conclude};
use crate::engine::ist::Stock;
use crate::glance::has_events;
use crate::outcome::Verdict;
use crate::plan::{Choice, Plan};
use crate::prepare::Question;
use crate::records::Records;
use crate::subject::process_id;

/// Maximum number of left sides for which a cut is looked for, of one property.
const MAX_SEARCHES: usize = 4;
/// Maximum number of instances of a left side for which a cut is looked for.
const MAX_INSTANCES: usize = 100;
/// Maximum number of events of a run that is searched: to look at each of them takes time, too.
const MAX_EVENTS: usize = 200_000;
/// Maximum number of looks at the limit during a search; there are about a thousand steps between two of them.
const MAX_LOOKS: u32 = 256;
/// Maximum memory of a search.
const MAX_BYTES: u64 = 64 << 20;

/// A warning for each place where the left side of an implication is never true, whatever the instance.
pub(crate) fn never_asked(records: &Records<'_>, lowered: &Lowered) -> Vec<Diagnostic> {
    let mut places: Vec<(Span, Vec<&Pred>)> = Vec::new();
    for (pred, span) in &lowered.antecedents {
        match places.iter_mut().find(|(other, _)| other == span) {
            Some((_, preds)) => preds.push(pred),
            None => places.push((*span, vec![pred])),
        }
    }
    let mut searches = 0..MAX_SEARCHES;
    let silent = places
        .into_iter()
        .filter(|(_, preds)| is_silent(records, preds, || searches.next().is_some()));
    let warnings = silent.map(|(span, _)| {
        Diagnostic::at(
            Code::Vacuous,
            span,
            "this is never true in the run, so what follows `->` is never asked",
        )
        .with_label("the property says nothing here")
    });
    warnings.collect()
}

/// Whether it is known that no instance of a left side is true at any cut.
fn is_silent(records: &Records<'_>, preds: &[&Pred], may_search: impl FnOnce() -> bool) -> bool {
    // One instance that asks is enough.
    let mut open = preds.iter().filter(|pred| possible(records, pred).0);
    let Some(first) = open.next() else {
        return true;
    };
    let is_open = |pred: &Pred| !is_settled(pred) && !has_events(pred);
    let is_searched =
        preds.len() <= MAX_INSTANCES && is_open(first) && open.all(|pred| is_open(pred));
    is_searched && may_search() && is_unreachable(records, preds)
}

/// Whether all values of a variable say all about a predicate.
fn is_settled(pred: &Pred) -> bool {
    match pred {
        Pred::Const(_) => true,
        Pred::Not(inner) => is_settled(inner),
        Pred::Compare(CmpOp::Eq, Expr::Var(_), Expr::Literal(_))
        | Pred::Compare(CmpOp::Eq, Expr::Literal(_), Expr::Var(_)) => true,
        _ => false,
    }
}

/// Whether a short search shows that no cut satisfies any of some predicates.
fn is_unreachable(records: &Records<'_>, preds: &[&Pred]) -> bool {
    let trace = records.subject.trace;
    if trace.len() > MAX_EVENTS || !trace.holes().is_empty() {
        return false;
    }
    let goal = Pred::or(preds.iter().map(|&pred| pred.clone()));
    let question = Question {
        lowered: Lowered::of(Kind::Ctl, Ctl::ef(Ctl::State(goal))),
        warnings: Vec::new(),
    };
    let steps = Steps(AtomicU32::new(0));
    let budget = Budget::new(&steps).with_memory(MAX_BYTES, 0);
    let Ok(plan) = Plan::new(records.clone(), &[&question], Choice::Auto, &budget) else {
        return false;
    };
    let plan = plan.without_trails();
    let answers = answer(&plan, 0, &question, &Stock::new(&budget), &budget);
    let outcome = conclude(&records.subject, &question, answers, &budget);
    outcome.is_ok_and(|outcome| outcome.verdict == Verdict::Violated)
}

/// Stops a search after some steps, so that the same run gives the same warnings on any machine.
struct Steps(AtomicU32);

impl Meter for Steps {
    fn stop(&self) -> Option<Spent> {
        let looks = self.0.fetch_add(1, Ordering::Relaxed);
        (looks >= MAX_LOOKS).then_some(Spent::Time)
    }
}

/// Whether a predicate may be true at some cut, and whether it may be false.
fn possible(records: &Records<'_>, pred: &Pred) -> (bool, bool) {
    match pred {
        Pred::Const(truth) => (*truth, !*truth),
        Pred::Not(inner) => {
            let (holds, fails) = possible(records, inner);
            (fails, holds)
        }
        Pred::And(parts) => {
            let all = parts.iter().map(|part| possible(records, part));
            all.fold((true, false), |(holds, fails), part| {
                (holds && part.0, fails || part.1)
            })
        }
        Pred::Or(parts) => {
            let all = parts.iter().map(|part| possible(records, part));
            all.fold((false, true), |(holds, fails), part| {
                (holds || part.0, fails && part.1)
            })
        }
        Pred::Compare(CmpOp::Eq, Expr::Var(var), Expr::Literal(value))
        | Pred::Compare(CmpOp::Eq, Expr::Literal(value), Expr::Var(var)) => {
            (is_ever(records, *var, value), true)
        }
        Pred::On(atom) => (may_happen(records, atom), true),
        _ => (true, true),
    }
}

/// Whether there may be an event of which this is true. A label that no event carries has a warning of its own.
fn may_happen(records: &Records<'_>, atom: &EventAtom) -> bool {
    let trace = records.subject.trace;
    let order = trace.order();
    match atom {
        EventAtom::Label(_) => true,
        EventAtom::Process(process) => !order.chain(process_id(*process)).is_empty(),
        EventAtom::ProcessLabel(process, label) => {
            let carries = |event| trace.label(event) == Some(&**label);
            let mut own = order.chain(process_id(*process)).iter();
            own.any(|&event| carries(event)) || !trace.events().any(carries)
        }
        EventAtom::Wrote { now, .. } => possible(records, now).0,
    }
}

/// Whether a variable ever holds a value.
fn is_ever(records: &Records<'_>, var: VarRef, value: &Value) -> bool {
    let Some(history) = records.histories.get(&var) else {
        return true;
    };
    let written = history.writes.iter().map(|&(_, written)| written);
    let mut held = std::iter::once(history.initial).chain(written);
    held.any(|held| records.subject.trace.value(held) == *value)
}
