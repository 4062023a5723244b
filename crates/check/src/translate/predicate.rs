//! Predicates of the core language as conditions over the integers of a model, or the reason why not.
//!
//! A value is either a number under a power of ten, with bounds that hold at every cut, or one of finitely many values,
//! each with the condition under which it is that one. Equality between the two kinds is a disjunction over the cases;
//! order and arithmetic exist for numbers alone.

use causet_base::Diagnostic;
use causet_base::value::Value;
use causet_formula::core::{ArithOp, CmpOp, Ctl, Expr, Pred};
use causet_formula::names::{ProcRef, VarRef};
use rustc_hash::FxHashMap;

use super::{Coding, Cond, Formula, LARGEST, Model, Term, scaled, scaled_by};
use crate::refusal::not_translated;

/// What a predicate may speak of, by the names the core language has for it.
pub(super) struct Translator<'m> {
    model: &'m Model,
    table: &'m [Value],
    variables: FxHashMap<VarRef, usize>,
    channels: FxHashMap<(ProcRef, ProcRef), usize>,
}

/// The value of an expression.
enum Operand {
    Number(Scaled),
    /// One of these, by cases that exclude each other and leave nothing out.
    Cases(Vec<(Cond, Value)>),
}

/// A number: `term / 10^places`, where `term` lies within the bounds at every cut.
#[derive(Clone)]
struct Scaled {
    term: Term,
    places: u32,
    low: i128,
    high: i128,
}

impl<'m> Translator<'m> {
    pub(super) fn new(
        model: &'m Model,
        table: &'m [Value],
        vars: &[VarRef],
        pairs: &[(ProcRef, ProcRef)],
    ) -> Self {
        Translator {
            model,
            table,
            variables: vars.iter().copied().zip(0..).collect(),
            channels: pairs.iter().copied().zip(0..).collect(),
        }
    }

    pub(super) fn formula(&self, formula: &Ctl) -> Result<Formula, Diagnostic> {
        let boxed = |part: &Ctl| self.formula(part).map(Box::new);
        let all = |parts: &[Ctl]| {
            let parts = parts.iter().map(|part| self.formula(part));
            parts.collect::<Result<Vec<_>, _>>()
        };
        Ok(match formula {
            Ctl::State(pred) => Formula::State(self.pred(pred)?),
            Ctl::Not(part) => Formula::Not(boxed(part)?),
            Ctl::And(parts) => Formula::And(all(parts)?),
            Ctl::Or(parts) => Formula::Or(all(parts)?),
            Ctl::Ex(part) => Formula::Ex(boxed(part)?),
            Ctl::Eu(hold, goal) => Formula::Eu(boxed(hold)?, boxed(goal)?),
            Ctl::Au(hold, goal) => Formula::Au(boxed(hold)?, boxed(goal)?),
            Ctl::Run(_) => return Err(not_translated("properties of runs are not translated")),
            Ctl::Modal(_) => return Err(not_translated("the mu-calculus is not translated")),
        })
    }

    fn pred(&self, pred: &Pred) -> Result<Cond, Diagnostic> {
        Ok(match pred {
            Pred::Const(truth) => Cond::Const(*truth),
            Pred::Compare(CmpOp::Eq, left, right) => self.equality(left, right)?,
            Pred::Compare(CmpOp::Ne, left, right) => Cond::not(self.equality(left, right)?),
            Pred::Compare(op, left, right) => {
                let (left, right) = aligned(self.number(left)?, self.number(right)?)?;
                Cond::Compare(*op, left.term, right.term)
            }
            Pred::Holds(expr) => match self.operand(expr)? {
                Operand::Number(number) => Cond::Compare(CmpOp::Ne, number.term, Term::Const(0)),
                Operand::Cases(cases) => Cond::or(
                    cases
                        .into_iter()
                        .filter(|(_, value)| value.holds() == Some(true))
                        .map(|(when, _)| when),
                ),
            },
            Pred::Done(process) => {
                let process = process.0 as usize;
                let last = self.model.processes[process].steps.len() as i64;
                Cond::Compare(CmpOp::Eq, Term::Steps(process), Term::Const(last))
            }
            Pred::On(_) => {
                return Err(not_translated(
                    "`on(...)` speaks of the last event, which a state of the model does not show",
                ));
            }
            Pred::Not(part) => Cond::not(self.pred(part)?),
            Pred::And(parts) => Cond::and(self.preds(parts)?),
            Pred::Or(parts) => Cond::or(self.preds(parts)?),
        })
    }

    fn preds(&self, parts: &[Pred]) -> Result<Vec<Cond>, Diagnostic> {
        parts.iter().map(|part| self.pred(part)).collect()
    }

    fn equality(&self, left: &Expr, right: &Expr) -> Result<Cond, Diagnostic> {
        Ok(match (self.operand(left)?, self.operand(right)?) {
            (Operand::Number(left), Operand::Number(right)) => {
                let (left, right) = aligned(left, right)?;
                Cond::Compare(CmpOp::Eq, left.term, right.term)
            }
            (Operand::Number(number), Operand::Cases(cases))
            | (Operand::Cases(cases), Operand::Number(number)) => Cond::or(
                cases
                    .into_iter()
                    .map(|(when, value)| Cond::and([when, number.equals(&value)])),
            ),
            (Operand::Cases(left), Operand::Cases(right)) => {
                let mut same = Vec::new();
                for (when, value) in &left {
                    let others = right.iter().filter(|(_, other)| other == value);
                    same.extend(others.map(|(other, _)| Cond::and([when.clone(), other.clone()])));
                }
                Cond::or(same)
            }
        })
    }

    fn operand(&self, expr: &Expr) -> Result<Operand, Diagnostic> {
        match expr {
            Expr::Literal(value) => Ok(match value.as_number().and_then(scaled) {
                Some((places, code)) => Operand::Number(Scaled::fixed(places, code)),
                None => Operand::Cases(vec![(Cond::Const(true), value.clone())]),
            }),
            Expr::Var(var) => Ok(self.variable(*var)),
            Expr::Truth(pred) => {
                let holds = self.pred(pred)?;
                let fails = Cond::not(holds.clone());
                let cases = vec![(holds, Value::Bool(true)), (fails, Value::Bool(false))];
                Ok(Operand::Cases(cases))
            }
            _ => self.number(expr).map(Operand::Number),
        }
    }

    fn variable(&self, var: VarRef) -> Operand {
        let index = self.variables[&var];
        let variable = &self.model.variables[index];
        let term = Term::Variable(index);
        let mut codes = vec![variable.initial];
        codes.extend(variable.writes.iter().map(|&(_, code)| code));
        codes.sort_unstable();
        codes.dedup();
        match variable.coding {
            Coding::Scaled(places) => Operand::Number(Scaled {
                term,
                places,
                low: i128::from(codes[0]),
                high: i128::from(codes[codes.len() - 1]),
            }),
            Coding::Table => Operand::Cases(
                codes
                    .into_iter()
                    .map(|code| {
                        let is_it = Cond::Compare(CmpOp::Eq, term.clone(), Term::Const(code));
                        (is_it, self.table[code as usize].clone())
                    })
                    .collect(),
            ),
        }
    }

    fn number(&self, expr: &Expr) -> Result<Scaled, Diagnostic> {
        match expr {
            Expr::Inflight(from, to) => {
                let channel = self.channels[&(*from, *to)];
                let changes = self.model.channels[channel].changes.iter();
                let most = changes.map(|&(_, change)| change.max(0)).sum();
                Ok(Scaled::count(Term::Inflight(channel), most))
            }
            Expr::Steps(process) => {
                let process = process.0 as usize;
                let most = self.model.processes[process].steps.len() as i64;
                Ok(Scaled::count(Term::Steps(process), most))
            }
            Expr::Neg(part) => Scaled::fixed(0, 0).minus(self.number(part)?),
            Expr::Arith(op, left, right) => {
                let (left, right) = (self.number(left)?, self.number(right)?);
                match op {
                    ArithOp::Add => left.plus(right),
                    ArithOp::Sub => left.minus(right),
                    ArithOp::Mul => left.times(right),
                    ArithOp::Div | ArithOp::Rem => Err(not_translated(format!(
                        "`{}` is exact here and rounds in the model: multiply both sides instead",
                        op.symbol()
                    ))),
                }
            }
            Expr::Count(preds) => {
                let one = |holds| {
                    let (yes, no) = (Box::new(Term::Const(1)), Box::new(Term::Const(0)));
                    Scaled::count(Term::Choose(Box::new(holds), yes, no), 1)
                };
                let mut ones = self.preds(preds)?.into_iter().map(one);
                ones.try_fold(Scaled::fixed(0, 0), Scaled::plus)
            }
            Expr::Sum(parts) => {
                let mut parts = self.numbers(parts)?.into_iter();
                parts.try_fold(Scaled::fixed(0, 0), Scaled::plus)
            }
            Expr::Min(parts) => best(CmpOp::Le, &self.numbers(parts)?),
            Expr::Max(parts) => best(CmpOp::Ge, &self.numbers(parts)?),
            Expr::Literal(_) | Expr::Var(_) | Expr::Truth(_) => match self.operand(expr)? {
                Operand::Number(number) => Ok(number),
                Operand::Cases(cases) => {
                    let far = cases.iter().map(|(_, value)| value);
                    let shown: Vec<String> = far.take(3).map(ToString::to_string).collect();
                    let shown = shown.join(", ");
                    Err(not_translated(format!(
                        "order and arithmetic need numbers of 32 bits, which these are not: {shown}"
                    )))
                }
            },
        }
    }

    fn numbers(&self, parts: &[Expr]) -> Result<Vec<Scaled>, Diagnostic> {
        parts.iter().map(|part| self.number(part)).collect()
    }
}

impl Scaled {
    fn fixed(places: u32, code: i64) -> Scaled {
        Scaled {
            term: Term::Const(code),
            places,
            low: i128::from(code),
            high: i128::from(code),
        }
    }

    /// A number between zero and the given one.
    fn count(term: Term, most: i64) -> Scaled {
        Scaled {
            term,
            places: 0,
            low: 0,
            high: i128::from(most),
        }
    }

    /// Whether the number is this value; one that lies between the codes, or beyond them, is never met.
    fn equals(&self, value: &Value) -> Cond {
        let code = value
            .as_number()
            .and_then(|number| scaled_by(number, self.places));
        match code {
            Some(code) => Cond::Compare(CmpOp::Eq, self.term.clone(), Term::Const(code)),
            None => Cond::Const(false),
        }
    }

    fn plus(self, other: Scaled) -> Result<Scaled, Diagnostic> {
        let (left, right) = aligned(self, other)?;
        let bounds = (left.low + right.low, left.high + right.high);
        let term = match (left.term, right.term) {
            (Term::Const(0), term) | (term, Term::Const(0)) => term,
            (left, right) => Term::Add(Box::new(left), Box::new(right)),
        };
        bounded(term, right.places, bounds)
    }

    fn minus(self, other: Scaled) -> Result<Scaled, Diagnostic> {
        let (left, right) = aligned(self, other)?;
        let bounds = (left.low - right.high, left.high - right.low);
        let term = Term::Subtract(Box::new(left.term), Box::new(right.term));
        bounded(term, right.places, bounds)
    }

    fn times(self, other: Scaled) -> Result<Scaled, Diagnostic> {
        let corners = [
            self.low * other.low,
            self.low * other.high,
            self.high * other.low,
            self.high * other.high,
        ];
        let bounds = corners
            .iter()
            .fold((corners[0], corners[0]), |(low, high), &corner| {
                (low.min(corner), high.max(corner))
            });
        let term = Term::Multiply(Box::new(self.term), Box::new(other.term));
        bounded(term, self.places + other.places, bounds)
    }

    /// The same number under a larger power of ten.
    fn with_places(self, places: u32) -> Result<Scaled, Diagnostic> {
        let more = places - self.places;
        if more == 0 {
            return Ok(self);
        }
        let factor = 10_i64.checked_pow(more).ok_or_else(too_large)?;
        let bounds = (
            self.low.checked_mul(i128::from(factor)),
            self.high.checked_mul(i128::from(factor)),
        );
        let (Some(low), Some(high)) = bounds else {
            return Err(too_large());
        };
        let term = match self.term {
            Term::Const(code) => Term::Const(code.checked_mul(factor).ok_or_else(too_large)?),
            term => {
                if factor > LARGEST {
                    return Err(too_large());
                }
                Term::Multiply(Box::new(Term::Const(factor)), Box::new(term))
            }
        };
        bounded(term, places, (low, high))
    }
}

/// Two numbers under one power of ten.
fn aligned(left: Scaled, right: Scaled) -> Result<(Scaled, Scaled), Diagnostic> {
    let places = left.places.max(right.places);
    Ok((left.with_places(places)?, right.with_places(places)?))
}

/// The least or the greatest of some numbers, as a balanced tree of choices: a chain would double with every number.
fn best(keep_first: CmpOp, numbers: &[Scaled]) -> Result<Scaled, Diagnostic> {
    match numbers {
        [] => Err(not_translated("`min` and `max` of nothing have no value")),
        [only] => Ok(only.clone()),
        several => {
            let (left, right) = several.split_at(several.len() / 2);
            let (left, right) = aligned(best(keep_first, left)?, best(keep_first, right)?)?;
            let bounds = (left.low.min(right.low), left.high.max(right.high));
            let first = Cond::Compare(keep_first, left.term.clone(), right.term.clone());
            let term = Term::Choose(Box::new(first), Box::new(left.term), Box::new(right.term));
            bounded(term, left.places, bounds)
        }
    }
}

fn bounded(term: Term, places: u32, (low, high): (i128, i128)) -> Result<Scaled, Diagnostic> {
    let largest = i128::from(LARGEST);
    if low < -largest || high > largest {
        return Err(too_large());
    }
    Ok(Scaled {
        term,
        places,
        low,
        high,
    })
}

fn too_large() -> Diagnostic {
    not_translated(
        "some value of this arithmetic may not fit in 32 bits, which is all that the model has",
    )
}

impl Cond {
    /// `!c`
    #[expect(
        clippy::should_implement_trait,
        reason = "`!` would hide that this normalises"
    )]
    pub fn not(cond: Cond) -> Cond {
        match cond {
            Cond::Const(truth) => Cond::Const(!truth),
            Cond::Not(inner) => *inner,
            cond => Cond::Not(Box::new(cond)),
        }
    }

    /// `c && d && ...`, true for none.
    pub fn and(parts: impl IntoIterator<Item = Cond>) -> Cond {
        joined(parts, true, Cond::And)
    }

    /// `c || d || ...`, false for none.
    pub fn or(parts: impl IntoIterator<Item = Cond>) -> Cond {
        joined(parts, false, Cond::Or)
    }
}

/// The parts without those that change nothing; one that decides alone stands alone.
fn joined(
    parts: impl IntoIterator<Item = Cond>,
    neutral: bool,
    join: fn(Vec<Cond>) -> Cond,
) -> Cond {
    let mut kept = Vec::new();
    for part in parts {
        match part {
            Cond::Const(truth) if truth == neutral => {}
            Cond::Const(truth) => return Cond::Const(truth),
            part => kept.push(part),
        }
    }
    match kept.len() {
        0 => Cond::Const(neutral),
        1 => kept.swap_remove(0),
        _ => join(kept),
    }
}
