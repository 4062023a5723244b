//! Conditions and terms of a translated run as modelling languages spell them: the languages differ in a few signs.

use causet_check::translate::{CmpOp, Cond, Model, Term};

use crate::identifier::identifier;

/// The signs in which one language differs from another.
pub(crate) struct Spelling {
    pub(crate) yes: &'static str,
    pub(crate) no: &'static str,
    pub(crate) equal: &'static str,
    pub(crate) and: &'static str,
    pub(crate) or: &'static str,
    /// Between a condition and what a term is if it holds.
    pub(crate) then: &'static str,
}

impl Spelling {
    /// A condition in parentheses.
    pub(crate) fn condition(&self, model: &Model, cond: &Cond) -> String {
        let list = |parts: &[Cond], between: &str| {
            let parts = parts.iter().map(|part| self.condition(model, part));
            let parts: Vec<String> = parts.collect();
            format!("({})", parts.join(between))
        };
        match cond {
            Cond::Const(truth) => (if *truth { self.yes } else { self.no }).to_owned(),
            Cond::Compare(op, left, right) => {
                let symbol = match op {
                    CmpOp::Eq => self.equal,
                    op => op.symbol(),
                };
                let (left, right) = (self.term(model, left), self.term(model, right));
                format!("({left} {symbol} {right})")
            }
            Cond::Not(part) => format!("(!{})", self.condition(model, part)),
            Cond::And(parts) => list(parts, self.and),
            Cond::Or(parts) => list(parts, self.or),
        }
    }

    /// A term, in parentheses unless it is one word.
    fn term(&self, model: &Model, of: &Term) -> String {
        let two = |left: &Term, sign: char, right: &Term| {
            format!(
                "({} {sign} {})",
                self.term(model, left),
                self.term(model, right)
            )
        };
        match of {
            Term::Const(code) if *code < 0 => format!("({code})"),
            Term::Const(code) => code.to_string(),
            Term::Variable(number) => variable(model, *number),
            Term::Steps(number) => counter(model, *number),
            Term::Inflight(number) => channel(*number),
            Term::Add(left, right) => two(left, '+', right),
            Term::Subtract(left, right) => two(left, '-', right),
            Term::Multiply(left, right) => two(left, '*', right),
            Term::Choose(when, then, other) => format!(
                "({} {} {} : {})",
                self.condition(model, when),
                self.then,
                self.term(model, then),
                self.term(model, other)
            ),
        }
    }
}

/// The name of the counter of a process.
pub(crate) fn counter(model: &Model, process: usize) -> String {
    identifier('c', process, &model.processes[process].name)
}

/// The name of a variable.
pub(crate) fn variable(model: &Model, number: usize) -> String {
    identifier('v', number, &model.variables[number].name)
}

/// The name of the count of messages under way on a channel.
pub(crate) fn channel(number: usize) -> String {
    identifier('m', number, "inflight")
}
