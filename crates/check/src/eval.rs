//! The value of an expression, given a way to look things up.
//!
//! Who asks decides what the looking up means: [`crate::valuation`] looks at a cut of the whole run, a projection at how
//! far a few chains have come. The arithmetic, the comparisons and the treatment of division by zero are the same.

use causet_base::number::Number;
use causet_base::value::Value;
use causet_formula::core::{Expr, Pred};
use causet_formula::names::{ProcRef, VarRef};

/// What expressions are made of, at some point of a run.
pub(crate) trait Look {
    /// What a variable holds.
    fn variable(&self, var: VarRef) -> Value;

    /// How many messages are under way.
    fn in_flight(&self, from: ProcRef, to: ProcRef) -> i64;

    /// How many events a process has executed.
    fn steps(&self, process: ProcRef) -> i64;

    /// Whether a process has executed all of its events.
    fn is_done(&self, process: ProcRef) -> bool;

    /// Told of a division by zero, which makes its comparison false.
    fn divided_by_zero(&self);
}

/// Whether a predicate holds; one about events never does.
pub(crate) fn holds(pred: &Pred, look: &impl Look) -> bool {
    match pred {
        Pred::Const(truth) => *truth,
        Pred::Compare(op, left, right) => match (value(left, look), value(right, look)) {
            (Some(left), Some(right)) => op.apply(&left, &right).unwrap_or(false),
            _ => false,
        },
        Pred::Holds(expr) => {
            let value = value(expr, look);
            value.and_then(|value| value.holds()).unwrap_or(false)
        }
        Pred::Done(process) => look.is_done(*process),
        Pred::On(_) => false,
        Pred::Not(inner) => !holds(inner, look),
        Pred::And(parts) => parts.iter().all(|part| holds(part, look)),
        Pred::Or(parts) => parts.iter().any(|part| holds(part, look)),
    }
}

/// The value of an expression; `None` where it divides by zero.
pub(crate) fn value(expr: &Expr, look: &impl Look) -> Option<Value> {
    match expr {
        Expr::Literal(value) => Some(value.clone()),
        Expr::Var(var) => Some(look.variable(*var)),
        Expr::Inflight(from, to) => Some(Value::from(look.in_flight(*from, *to))),
        Expr::Steps(process) => Some(Value::from(look.steps(*process))),
        Expr::Truth(pred) => Some(Value::from(holds(pred, look))),
        Expr::Count(preds) => {
            let count = preds.iter().filter(|pred| holds(pred, look)).count();
            Some(Value::from(count as i64))
        }
        Expr::Neg(_) | Expr::Arith(..) | Expr::Sum(_) | Expr::Min(_) | Expr::Max(_) => {
            number(expr, look).map(Value::Number)
        }
    }
}

fn number(expr: &Expr, look: &impl Look) -> Option<Number> {
    match expr {
        Expr::Neg(inner) => Some(-&number(inner, look)?),
        Expr::Arith(op, left, right) => {
            let (left, right) = (number(left, look)?, number(right, look)?);
            let result = op.apply(&left, &right);
            if result.is_none() {
                look.divided_by_zero();
            }
            result
        }
        Expr::Sum(parts) => parts.iter().try_fold(Number::from(0), |sum, part| {
            Some(&sum + &number(part, look)?)
        }),
        Expr::Min(parts) => numbers(parts, look)?.into_iter().min(),
        Expr::Max(parts) => numbers(parts, look)?.into_iter().max(),
        _ => value(expr, look)?.as_number().cloned(),
    }
}

fn numbers(parts: &[Expr], look: &impl Look) -> Option<Vec<Number>> {
    parts.iter().map(|part| number(part, look)).collect()
}
