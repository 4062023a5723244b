//! The predicates of a claim as the certifier reads them: about numbered slots, whose contents change as events happen.
//!
//! A slot holds a plain number: how many messages are under way, how often a process has moved, one or zero for a truth,
//! or the place of a value in the list of all values the run writes.

use std::cmp::Ordering;

use causet_base::number::Number;
use causet_base::value::Value;
use causet_formula::core::{ArithOp, CmpOp};

/// One thing that changes as events happen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Slot(u32);

impl Slot {
    /// The slot with this number.
    pub(super) fn new(index: usize) -> Self {
        Slot(u32::try_from(index).expect("a formula names fewer than 2^32 things"))
    }

    /// Its number.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A predicate.
#[derive(Clone, Debug)]
pub(super) enum Test {
    Const(bool),
    /// The slot holds the truth of a predicate that was evaluated when it last changed.
    Known(Slot),
    Not(Box<Test>),
    All(Vec<Test>),
    Any(Vec<Test>),
    Holds(Term),
    Compare(CmpOp, Term, Term),
}

/// An expression.
#[derive(Clone, Debug)]
pub(super) enum Term {
    Literal(Value),
    /// The slot says which of the run's values it is.
    Variable(Slot),
    /// The slot is the number itself.
    Counter(Slot),
    Truth(Box<Test>),
    Neg(Box<Term>),
    Arith(ArithOp, Box<Term>, Box<Term>),
    HowMany(Vec<Test>),
    Sum(Vec<Term>),
    Min(Vec<Term>),
    Max(Vec<Term>),
}

/// What the slots hold, and the values some of them refer to.
#[derive(Clone, Copy)]
pub(super) struct Contents<'a> {
    pub(super) slots: &'a [i64],
    pub(super) values: &'a [Value],
}

impl Contents<'_> {
    /// Whether a predicate holds.
    pub(super) fn satisfy(self, test: &Test) -> bool {
        match test {
            Test::Const(truth) => *truth,
            Test::Known(slot) => self.slots[slot.index()] != 0,
            Test::Not(part) => !self.satisfy(part),
            Test::All(parts) => !parts.iter().any(|part| !self.satisfy(part)),
            Test::Any(parts) => parts.iter().any(|part| self.satisfy(part)),
            Test::Holds(term) => match self.eval(term) {
                Some(Value::Bool(truth)) => truth,
                Some(Value::Number(number)) => number != Number::from(0),
                Some(Value::Text(_)) | None => false,
            },
            Test::Compare(op, left, right) => match (self.eval(left), self.eval(right)) {
                (Some(left), Some(right)) => compare(*op, &left, &right),
                _ => false,
            },
        }
    }

    /// The value of an expression; nothing where it is undefined.
    fn eval(self, term: &Term) -> Option<Value> {
        Some(match term {
            Term::Literal(value) => value.clone(),
            Term::Variable(slot) => self.values[self.slots[slot.index()] as usize].clone(),
            Term::Counter(slot) => Value::from(self.slots[slot.index()]),
            Term::Truth(test) => Value::Bool(self.satisfy(test)),
            Term::Neg(part) => Value::Number(&Number::from(0) - &self.eval_number(part)?),
            Term::Arith(op, left, right) => {
                let (left, right) = (self.eval_number(left)?, self.eval_number(right)?);
                Value::Number(op.apply(&left, &right)?)
            }
            Term::HowMany(tests) => {
                let ones = tests.iter().map(|test| i64::from(self.satisfy(test)));
                Value::from(ones.sum::<i64>())
            }
            Term::Sum(parts) => Value::Number(self.fold(parts, |sum, next| &sum + &next)?),
            Term::Min(parts) => Value::Number(self.fold(parts, Ord::min)?),
            Term::Max(parts) => Value::Number(self.fold(parts, Ord::max)?),
        })
    }

    fn eval_number(self, term: &Term) -> Option<Number> {
        match self.eval(term)? {
            Value::Number(number) => Some(number),
            Value::Bool(_) | Value::Text(_) => None,
        }
    }

    fn fold(self, parts: &[Term], combine: impl Fn(Number, Number) -> Number) -> Option<Number> {
        let mut result = self.eval_number(parts.first()?)?;
        for part in &parts[1..] {
            result = combine(result, self.eval_number(part)?);
        }
        Some(result)
    }
}

fn compare(op: CmpOp, left: &Value, right: &Value) -> bool {
    let order = match (left, right) {
        (Value::Number(left), Value::Number(right)) => Some(left.cmp(right)),
        _ => None,
    };
    match op {
        CmpOp::Eq => left == right,
        CmpOp::Ne => left != right,
        CmpOp::Lt => order.is_some_and(Ordering::is_lt),
        CmpOp::Le => order.is_some_and(Ordering::is_le),
        CmpOp::Gt => order.is_some_and(Ordering::is_gt),
        CmpOp::Ge => order.is_some_and(Ordering::is_ge),
    }
}
