//! How one part of a formula is said, as plainly as its shape allows.
//!
//! ```text
//! a.leader was still true
//! p2.role was "leader"
//! p0.term and p2.term were both 4
//! a message from n0 to n4 was still on its way
//! n1.active, the last of 5, became false
//! ```
//!
//! A value that is told is the value at the cut. Where a part has another shape, it is quoted: `` `a.x + b.x > 3` was true``.

use causet_check::subject::{process_id, var_id};
use causet_formula::core::{CmpOp, Expr, Pred};
use causet_formula::{ProcRef, Value, VarRef};

use causet_formula::print::Printer;

use super::claim::Claim;
use super::facts::Facts;
use super::reasons::Reason;
use super::sentence::{Sentence, Telling, ticked};
use super::{Held, reasons};
use causet_formats::words;

/// Longer values are not told.
const LONGEST_VALUE: usize = 24;

/// When a part has its value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tense {
    Is,
    Was,
    WasStill,
    Became,
}

impl Tense {
    fn of_one(self) -> &'static str {
        match self {
            Tense::Is => "is",
            Tense::Was => "was",
            Tense::WasStill => "was still",
            Tense::Became => "became",
        }
    }

    fn of_many(self) -> &'static str {
        match self {
            Tense::Is => "are",
            Tense::Was => "were",
            Tense::WasStill => "were still",
            Tense::Became => "became",
        }
    }
}

impl Telling<'_> {
    /// What a part of the formula is or was; what is claimed with that is added to the sentence.
    pub(super) fn clause(
        &self,
        facts: &Facts<'_>,
        reason: &Reason<'_>,
        tense: Tense,
        sentence: &mut Sentence,
    ) -> String {
        let said = match reason.pred {
            Pred::Compare(op, Expr::Var(var), Expr::Literal(_))
            | Pred::Compare(op, Expr::Literal(_), Expr::Var(var)) => {
                self.value_clause(*op, *var, reason, tense, sentence)
            }
            Pred::Compare(CmpOp::Eq, Expr::Var(one), Expr::Var(other)) => {
                self.same_clause(*one, *other, reason, tense, sentence)
            }
            Pred::Compare(_, Expr::Inflight(from, to), _) => {
                self.message_clause(*from, *to, reason, tense, sentence)
            }
            Pred::Compare(_, Expr::Count(parts), _) => {
                self.count_clause(facts, parts, reason, tense, sentence)
            }
            _ => None,
        };
        said.unwrap_or_else(|| {
            let part = self.quoted(reason.pred);
            let values = self.values_clause(facts, reason, tense, sentence);
            format!("{part} {} {}{values}", tense.of_one(), reason.truth)
        })
    }

    /// ` (the sum was 105)`: what is compared with a fixed value, at the cut.
    fn values_clause(
        &self,
        facts: &Facts<'_>,
        reason: &Reason<'_>,
        tense: Tense,
        sentence: &mut Sentence,
    ) -> String {
        let Pred::Compare(op, left, right) = reason.pred else {
            return String::new();
        };
        // An equation that holds says the value itself.
        if matches!((op, reason.truth), (CmpOp::Eq, true) | (CmpOp::Ne, false)) {
            return String::new();
        }
        let (expr, noun) = match (left, right) {
            (Expr::Literal(_), Expr::Literal(_)) => return String::new(),
            (expr, Expr::Literal(_)) | (Expr::Literal(_), expr) => (expr, self.noun(expr)),
            // Of two that change it is enough to know by how much they differ from what was wanted.
            (expr, _) => (expr, "the left side".to_owned()),
        };
        let Some(value) = facts.value(expr) else {
            return String::new();
        };
        let is_text = |value: &Value| value.to_string().chars().count() > LONGEST_VALUE;
        let other = match (left, right) {
            (Expr::Literal(_), _) | (_, Expr::Literal(_)) => None,
            (_, right) => facts.value(right),
        };
        if is_text(&value) || other.as_ref().is_some_and(is_text) {
            return String::new();
        }
        let verb = match tense {
            Tense::Is => "is",
            _ => "was",
        };
        let mut said = format!("{noun} {verb} {}", self.shown(expr, &value));
        let mut claimed = vec![(expr, value)];
        if let Some(other) = other {
            said += &format!(", the right side {}", self.shown(right, &other));
            claimed.push((right, other));
        }
        let last = self.path.run.last().map(|event| event.raw());
        let claims = claimed.into_iter().map(|(expr, value)| Claim::At {
            event: last,
            part: format!("{} = {value}", self.expr_text(expr)),
            value: true,
        });
        sentence.claims.extend(claims);
        format!(" ({said})")
    }

    /// The value of an expression, which is no number of the log where a variable is unset.
    fn shown(&self, expr: &Expr, value: &Value) -> String {
        let held = |var: VarRef| Some((var, self.held(var)?));
        let unset = match expr {
            Expr::Var(var) => held(*var).is_some_and(|(var, held)| self.is_unset(var, &held)),
            _ => false,
        };
        match unset {
            true => "unset".to_owned(),
            false => value.to_string(),
        }
    }

    /// What an expression is called where it stands in the sentence already.
    fn noun(&self, expr: &Expr) -> String {
        match expr {
            expr if self.defined.iter().any(|(defined, _)| defined == expr) => {
                ticked(&self.printer().expr(expr))
            }
            Expr::Sum(_) => "the sum".to_owned(),
            Expr::Count(_) => "the count".to_owned(),
            Expr::Min(_) => "the least".to_owned(),
            Expr::Max(_) => "the greatest".to_owned(),
            expr => ticked(&self.expr_text(expr)),
        }
    }

    fn expr_text(&self, expr: &Expr) -> String {
        Printer::new(&self.subject).expr(expr)
    }

    /// `p2.role was "leader"`: the value at the cut, of a variable that is compared with a fixed value.
    fn value_clause(
        &self,
        op: CmpOp,
        var: VarRef,
        reason: &Reason<'_>,
        tense: Tense,
        sentence: &mut Sentence,
    ) -> Option<String> {
        let is_equal = match op {
            CmpOp::Eq => reason.truth,
            CmpOp::Ne => !reason.truth,
            // The value alone would not say which side of the bound it is on.
            _ => return None,
        };
        let held = self.held(var)?;
        let since = reason.made.map(|index| self.path.run[index].raw());
        // It may have gone from one wrong value to another since.
        if !is_equal && tense == Tense::Became && held.event != since {
            return None;
        }
        let value = match self.is_unset(var, &held) {
            true => "unset",
            false => &held.value,
        };
        let name = ticked(&self.printer().variable(var));
        let said = format!("{name} {} {value}", tense.of_one());
        sentence.claims.push(Claim::Value {
            name: held.name,
            value: held.value,
        });
        Some(said)
    }

    /// `p0.term and p2.term were both 4`.
    fn same_clause(
        &self,
        one: VarRef,
        other: VarRef,
        reason: &Reason<'_>,
        tense: Tense,
        sentence: &mut Sentence,
    ) -> Option<String> {
        if !reason.truth || tense == Tense::Became || one == other {
            return None;
        }
        let names = [one, other].map(|var| ticked(&self.printer().variable(var)));
        let held = (self.held(one)?, self.held(other)?);
        let unset = (self.is_unset(one, &held.0), self.is_unset(other, &held.1));
        if held.0.value != held.1.value || unset.0 != unset.1 {
            return None;
        }
        let value = match unset.0 {
            true => "unset",
            false => &held.0.value,
        };
        let said = format!("{} {} both {value}", names.join(" and "), tense.of_many());
        for Held { name, value, .. } in [held.0, held.1] {
            sentence.claims.push(Claim::Value { name, value });
        }
        Some(said)
    }

    /// `a message from n0 to n4 was still on its way`.
    fn message_clause(
        &self,
        from: ProcRef,
        to: ProcRef,
        reason: &Reason<'_>,
        tense: Tense,
        sentence: &mut Sentence,
    ) -> Option<String> {
        let is_empty = reasons::says_empty(reason.pred, reason.truth)?;
        let name = |process: ProcRef| words::process(self.path.trace, process_id(process));
        let ends = format!("from {} to {}", name(from), name(to));
        if is_empty {
            return (tense != Tense::Became)
                .then(|| format!("no message {ends} {} on its way", tense.of_one()));
        }
        if let Some(carried) = reason.carried {
            sentence.claims.push(Claim::OnItsWay {
                send: carried.send.raw(),
                receive: carried.receive.raw(),
            });
        }
        Some(match (tense, reason.carried) {
            (Tense::Became, _) => format!("a message {ends} was sent"),
            (_, Some(carried)) => format!(
                "the message of {} to {} {} on its way",
                self.event(carried.send),
                name(to),
                tense.of_one()
            ),
            _ => format!("a message {ends} {} on its way", tense.of_one()),
        })
    }

    /// `n1.active, the last of 5, became false`: counted things that are all alike.
    fn count_clause(
        &self,
        facts: &Facts<'_>,
        parts: &[Pred],
        reason: &Reason<'_>,
        tense: Tense,
        sentence: &mut Sentence,
    ) -> Option<String> {
        let counts = self.path.cut.counts();
        let value = facts.holds(parts.first()?, counts);
        let alike = |part: &Pred| facts.holds(part, counts) == value;
        if parts.len() < 2 || !parts.iter().all(alike) {
            return None;
        }
        let made: Vec<Option<usize>> = parts.iter().map(|part| facts.made(part, value)).collect();
        let newest = made.iter().copied().max().flatten();
        let last = made.iter().rposition(|&one| one == newest)?;
        let named = self.quoted(&parts[last]);
        let said = match tense {
            Tense::Became if newest != reason.made => return None,
            Tense::Became => format!("{named}, the last of {}, became {value}", parts.len()),
            _ if parts.len() == 2 => {
                let other = self.quoted(&parts[1 - last]);
                format!("{other} and {named} {} {value}", tense.of_many())
            }
            _ => format!(
                "{named} and {} others {} {value}",
                parts.len() - 1,
                tense.of_many()
            ),
        };
        for (part, made) in parts.iter().zip(made) {
            sentence.claims.push(Claim::Holds {
                part: self.text(part),
                value,
                since: made.map(|index| self.path.run[index].raw()),
            });
        }
        Some(said)
    }

    /// Whether nothing has given a variable the value it has at the cut.
    fn is_unset(&self, var: VarRef, held: &Held) -> bool {
        held.event.is_none() && self.path.trace.given_init(var_id(var)).is_none()
    }

    fn held(&self, var: VarRef) -> Option<Held> {
        self.path.values(&[var_id(var)]).pop()
    }
}
