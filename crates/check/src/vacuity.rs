//! Properties that say nothing about a run because the left side of an implication is never true in it.
//!
//! Decided from all values a variable ever holds, each variable by itself: what is said to be never true is so at every
//! cut, and some conditions that are never true are not found out.

use causet_formula::core::{CmpOp, Expr, Pred};
use causet_formula::names::VarRef;
use causet_formula::span::Span;
use causet_formula::value::Value;
use causet_formula::{FormulaError, Lowered};

use crate::records::Records;
use crate::subject::formula_value;

/// A warning for each place where the left side of an implication is never true, whatever the instance.
pub(crate) fn never_asked(records: &Records<'_>, lowered: &Lowered) -> Vec<FormulaError> {
    let mut places: Vec<(Span, bool)> = Vec::new();
    for (pred, span) in &lowered.antecedents {
        let at = places.iter().position(|(other, _)| other == span);
        let at = at.unwrap_or_else(|| {
            places.push((*span, false));
            places.len() - 1
        });
        // One instance that asks is enough.
        places[at].1 = places[at].1 || possible(records, pred).0;
    }
    let silent = places.into_iter().filter(|(_, is_asked)| !is_asked);
    let warnings = silent.map(|(span, _)| {
        FormulaError::new(
            span,
            "this is never true in the run, so what follows `->` is never asked",
        )
        .with_label("the property says nothing here")
    });
    warnings.collect()
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
        _ => (true, true),
    }
}

/// Whether a variable ever holds a value.
fn is_ever(records: &Records<'_>, var: VarRef, value: &Value) -> bool {
    let Some(history) = records.histories.get(&var) else {
        return true;
    };
    let written = history.writes.iter().map(|&(_, written)| written);
    let mut held = std::iter::once(history.initial).chain(written);
    held.any(|held| formula_value(records.subject.trace, held) == *value)
}
