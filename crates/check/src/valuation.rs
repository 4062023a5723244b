//! The value of an expression at a cut, for engines that jump from cut to cut.
//!
//! The writes of a variable happen one after another, so the cut contains the first few of them: a binary search finds
//! how many. The same goes for sends and receives of a channel.

use std::cell::Cell;

use causet_formula::core::{Expr, Pred};
use causet_formula::names::{ProcRef, VarRef};
use causet_formula::number::Number;
use causet_formula::value::Value;
use causet_trace::{Channel, History, Trace};
use rustc_hash::FxHashMap;

use crate::subject::{formula_value, process_id, var_id};

/// The tables needed to evaluate some predicates at any cut.
pub(crate) struct Valuation<'t> {
    trace: &'t Trace,
    variables: FxHashMap<VarRef, Track>,
    channels: FxHashMap<(ProcRef, ProcRef), Channel>,
    divided_by_zero: Cell<bool>,
}

/// A variable's writes and the values they leave, as formulas see them.
struct Track {
    history: History,
    values: Vec<Value>,
}

impl<'t> Valuation<'t> {
    /// Gathers what the given predicates need.
    pub(crate) fn new<'p>(trace: &'t Trace, preds: impl IntoIterator<Item = &'p Pred>) -> Self {
        let mut needs = Needs::default();
        for pred in preds {
            needs.of_pred(pred);
        }
        needs.variables.sort_unstable();
        needs.variables.dedup();
        let ids: Vec<_> = needs.variables.iter().map(|&var| var_id(var)).collect();
        let tracks = trace.histories(&ids).into_iter().map(|history| Track {
            values: (0..=history.writes.len())
                .map(|done| formula_value(trace, history.value_after(done)))
                .collect(),
            history,
        });
        let variables = needs.variables.iter().copied().zip(tracks).collect();
        let channel = |&(from, to): &(ProcRef, ProcRef)| {
            let channel = trace.channel(process_id(from), process_id(to));
            ((from, to), channel)
        };
        Valuation {
            trace,
            variables,
            channels: needs.channels.iter().map(channel).collect(),
            divided_by_zero: Cell::new(false),
        }
    }

    /// Whether a predicate holds at a cut.
    pub(crate) fn holds(&self, pred: &Pred, cut: &[u32]) -> bool {
        match pred {
            Pred::Const(truth) => *truth,
            Pred::Compare(op, left, right) => {
                let values = (self.value(left, cut), self.value(right, cut));
                match values {
                    (Some(left), Some(right)) => op.apply(&left, &right).unwrap_or(false),
                    _ => false,
                }
            }
            Pred::Holds(expr) => {
                let value = self.value(expr, cut);
                value.and_then(|value| value.holds()).unwrap_or(false)
            }
            Pred::Done(process) => {
                let process = process_id(*process);
                cut[process.index()] as usize == self.trace.order().chain(process).len()
            }
            Pred::On(_) => false,
            Pred::Not(inner) => !self.holds(inner, cut),
            Pred::And(parts) => parts.iter().all(|part| self.holds(part, cut)),
            Pred::Or(parts) => parts.iter().any(|part| self.holds(part, cut)),
        }
    }

    /// The value of an expression; `None` where it divides by zero.
    fn value(&self, expr: &Expr, cut: &[u32]) -> Option<Value> {
        match expr {
            Expr::Literal(value) => Some(value.clone()),
            Expr::Var(var) => {
                let track = &self.variables[var];
                Some(track.values[track.history.done_in(self.trace, cut)].clone())
            }
            Expr::Inflight(from, to) => {
                let counts = (cut[from.0 as usize], cut[to.0 as usize]);
                let under_way = self.channels[&(*from, *to)].in_flight(counts.0, counts.1);
                Some(Value::from(under_way as i64))
            }
            Expr::Steps(process) => Some(Value::from(i64::from(cut[process.0 as usize]))),
            Expr::Truth(pred) => Some(Value::from(self.holds(pred, cut))),
            Expr::Count(preds) => {
                let count = preds.iter().filter(|pred| self.holds(pred, cut)).count();
                Some(Value::from(count as i64))
            }
            _ => self.number(expr, cut).map(Value::Number),
        }
    }

    fn number(&self, expr: &Expr, cut: &[u32]) -> Option<Number> {
        match expr {
            Expr::Neg(inner) => Some(-&self.number(inner, cut)?),
            Expr::Arith(op, left, right) => {
                let (left, right) = (self.number(left, cut)?, self.number(right, cut)?);
                let result = op.apply(&left, &right);
                if result.is_none() {
                    self.divided_by_zero.set(true);
                }
                result
            }
            Expr::Sum(parts) => parts.iter().try_fold(Number::from(0), |sum, part| {
                Some(&sum + &self.number(part, cut)?)
            }),
            Expr::Min(parts) => self.numbers(parts, cut)?.into_iter().min(),
            Expr::Max(parts) => self.numbers(parts, cut)?.into_iter().max(),
            _ => self.value(expr, cut)?.as_number().cloned(),
        }
    }

    fn numbers(&self, parts: &[Expr], cut: &[u32]) -> Option<Vec<Number>> {
        parts.iter().map(|part| self.number(part, cut)).collect()
    }

    /// Whether some division so far was by zero.
    pub(crate) fn divided_by_zero(&self) -> bool {
        self.divided_by_zero.get()
    }
}

/// The variables and channels some predicates speak of.
#[derive(Default)]
pub(crate) struct Needs {
    pub(crate) variables: Vec<VarRef>,
    pub(crate) channels: Vec<(ProcRef, ProcRef)>,
}

impl Needs {
    pub(crate) fn of_pred(&mut self, pred: &Pred) {
        match pred {
            Pred::Const(_) | Pred::Done(_) | Pred::On(_) => {}
            Pred::Compare(_, left, right) => {
                self.of_expr(left);
                self.of_expr(right);
            }
            Pred::Holds(expr) => self.of_expr(expr),
            Pred::Not(inner) => self.of_pred(inner),
            Pred::And(parts) | Pred::Or(parts) => parts.iter().for_each(|part| self.of_pred(part)),
        }
    }

    fn of_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Literal(_) | Expr::Steps(_) => {}
            Expr::Var(var) => self.variables.push(*var),
            Expr::Inflight(from, to) => self.channels.push((*from, *to)),
            Expr::Neg(inner) => self.of_expr(inner),
            Expr::Arith(_, left, right) => {
                self.of_expr(left);
                self.of_expr(right);
            }
            Expr::Count(preds) => preds.iter().for_each(|pred| self.of_pred(pred)),
            Expr::Sum(parts) | Expr::Min(parts) | Expr::Max(parts) => {
                parts.iter().for_each(|part| self.of_expr(part));
            }
            Expr::Truth(pred) => self.of_pred(pred),
        }
    }
}
