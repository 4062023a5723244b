//! Quantifiers over the values in labels: `exists n: Nat. put(n)`.
//!
//! A label has its values, so a bound name is a wildcard as long as nothing else depends on it: `exists` spreads over
//! `or`, and over `and` where only one side has the name; `forall` the other way round. A name that has to be equal in
//! two places is beyond regular expressions, and refused.

use std::sync::Arc;

use super::{Parsed, Parser};
use crate::mu::lex::{Kind, Symbol};
use crate::mu::syntax::{Label, LabelKind, Regular, Value};
use causet_base::span::Span;
use causet_base::{Code, Diagnostic};

impl Parser<'_> {
    /// `exists n, m: Nat, b: Bool. A`
    pub(super) fn quantified(&mut self, exists: bool) -> Parsed<Regular> {
        let start = self.bump();
        let outside = self.values.len();
        let names = self.bound_values()?;
        self.values.extend(names.iter().cloned());
        let inner = self.nested(Self::equivalence_of_actions);
        self.values.truncate(outside);
        let mut label = inner?;
        for name in names.iter().rev() {
            let bound = Spread {
                name,
                quantifier: start,
            };
            bound.check(&label, exists)?;
            replace(&mut label, name);
        }
        Ok(self.step(label.kind, start))
    }

    fn equivalence_of_actions(&mut self) -> Parsed<Label> {
        let path = self.equivalence()?;
        self.action(path, self.last())
    }

    /// `n, m: Nat, b: Bool.`
    fn bound_values(&mut self) -> Parsed<Vec<Arc<str>>> {
        let mut names = Vec::new();
        loop {
            let Some(token) = self.peek().filter(|token| token.kind == Kind::Word) else {
                return Err(self.expected("the name of a value"));
            };
            names.push(token.text.clone());
            self.bump();
            if self.eat(Symbol::Colon) {
                self.skip_sort();
            }
            if self.eat(Symbol::Dot) {
                return Ok(names);
            }
            if !self.eat(Symbol::Comma) {
                return Err(self
                    .expected("`.` and an action")
                    .with_help("write `exists n: Nat. put(n)`"));
            }
        }
    }

    /// Steps over `Nat`, `List(Nat)`, `Nat -> Bool`.
    fn skip_sort(&mut self) {
        let mut depth = 0_usize;
        while let Some(token) = self.peek() {
            match token.kind {
                Kind::Symbol(Symbol::Open) => depth += 1,
                Kind::Symbol(Symbol::Close) if depth > 0 => depth -= 1,
                Kind::Symbol(Symbol::Comma | Symbol::Dot | Symbol::Close) if depth == 0 => return,
                Kind::Symbol(Symbol::Greater | Symbol::CloseSquare) => return,
                _ => {}
            }
            self.bump();
        }
    }
}

/// One bound name.
struct Spread<'a> {
    name: &'a str,
    quantifier: Span,
}

impl Spread<'_> {
    /// Whether the name can be a wildcard wherever it stands; `exists` turns at every negation.
    fn check(&self, label: &Label, exists: bool) -> Parsed<()> {
        match &label.kind {
            LabelKind::Call { values, .. } | LabelKind::Offers { values, .. } => {
                match values.iter().filter(|value| self.is(value)).count() {
                    0 => Ok(()),
                    1 if exists => Ok(()),
                    1 => Err(self.no_label_for_all(label)),
                    _ => Err(self.equal_values(label)),
                }
            }
            LabelKind::Not(inner) => self.check(inner, !exists),
            LabelKind::Or(all) => self.check_all(all, exists, exists, label),
            LabelKind::And(all) => self.check_all(all, exists, !exists, label),
            LabelKind::Implies(left, right) => {
                self.check(left, !exists)?;
                self.check(right, exists)?;
                match !exists && self.occurs(left) && self.occurs(right) {
                    true => Err(self.equal_values(label)),
                    false => Ok(()),
                }
            }
            LabelKind::Equivalent(..) if self.occurs(label) => Err(self.equal_values(label)),
            _ => Ok(()),
        }
    }

    /// A quantifier spreads over all parts, or there is only one that it concerns.
    fn check_all(&self, all: &[Label], exists: bool, spreads: bool, whole: &Label) -> Parsed<()> {
        if !spreads && all.iter().filter(|one| self.occurs(one)).count() > 1 {
            return Err(self.equal_values(whole));
        }
        all.iter().try_for_each(|one| self.check(one, exists))
    }

    fn is(&self, value: &Value) -> bool {
        matches!(value, Value::Bound(name) if **name == *self.name)
    }

    fn occurs(&self, label: &Label) -> bool {
        label.atoms().any(|atom| match &atom.kind {
            LabelKind::Call { values, .. } | LabelKind::Offers { values, .. } => {
                values.iter().any(|value| self.is(value))
            }
            _ => false,
        })
    }

    fn equal_values(&self, label: &Label) -> Diagnostic {
        let message = format!("`{}` has to be the same value in several places", self.name);
        Diagnostic::at(Code::QuantifiedLabel, label.span, message)
            .with_label("expected every bound name at most once")
            .with_help("labels are compared with patterns, which know no equal values; write one action for each value")
    }

    fn no_label_for_all(&self, label: &Label) -> Diagnostic {
        let message = format!("no single label has every value for `{}`", self.name);
        Diagnostic::at(Code::QuantifiedLabel, self.quantifier.to(label.span), message)
            .with_label("expected `exists`")
            .with_help(format!(
                "`exists {0}: S. A` is a step with any value; what must hold for all values is said of every such step: \
                 `[exists {0}: S. A] F`",
                self.name
            ))
    }
}

/// Makes a bound name a wildcard.
fn replace(label: &mut Label, name: &str) {
    match &mut label.kind {
        LabelKind::Call { values, .. } | LabelKind::Offers { values, .. } => {
            for value in values {
                if matches!(value, Value::Bound(bound) if **bound == *name) {
                    *value = Value::Any;
                }
            }
        }
        LabelKind::Not(inner) => replace(inner, name),
        LabelKind::And(all) | LabelKind::Or(all) => {
            all.iter_mut().for_each(|one| replace(one, name));
        }
        LabelKind::Implies(left, right) | LabelKind::Equivalent(left, right) => {
            replace(left, name);
            replace(right, name);
        }
        _ => {}
    }
}
