//! Regular formulas and the action formulas in them.
//!
//! Parentheses may hold either, so both are read as regular formulas; an operator of actions asks its operands to be
//! single steps.

use super::{Parsed, Parser, too_deep};
use crate::mu::lex::{Kind, Symbol};
use crate::mu::syntax::{Label, LabelKind, Regular, RegularKind};
use crate::parse::MAX_DEPTH;
use causet_base::span::Span;

impl Parser<'_> {
    /// `<R>`, `[R]`; without anything in it, any step.
    pub(super) fn modality(&mut self, opener: Symbol, closer: Symbol) -> Parsed<Regular> {
        let opened = self.bump();
        if self.sees(closer) {
            let span = opened.to(self.bump());
            let any = Label {
                kind: LabelKind::Any,
                span,
            };
            return Ok(Regular {
                kind: RegularKind::Action(any),
                span,
            });
        }
        let path = self.regular()?;
        self.close(opener, opened)?;
        Ok(path)
    }

    /// A whole regular formula.
    pub(super) fn regular(&mut self) -> Parsed<Regular> {
        self.nested(Self::choice)
    }

    /// `R | S`, `R + S`
    fn choice(&mut self) -> Parsed<Regular> {
        let start = self.here();
        let mut all = vec![self.sequence()?];
        while self.sees(Symbol::Bar) || self.sees(Symbol::Plus) {
            self.bump();
            all.push(self.sequence()?);
        }
        Ok(self.joined(all, RegularKind::Choice, start))
    }

    /// `R . S`
    fn sequence(&mut self) -> Parsed<Regular> {
        let start = self.here();
        let mut all = vec![self.repeated()?];
        while self.eat(Symbol::Dot) {
            all.push(self.repeated()?);
        }
        Ok(self.joined(all, RegularKind::Sequence, start))
    }

    fn joined(
        &self,
        mut all: Vec<Regular>,
        join: fn(Vec<Regular>) -> RegularKind,
        start: Span,
    ) -> Regular {
        match all.pop() {
            Some(single) if all.is_empty() => single,
            last => {
                all.extend(last);
                self.path(join(all), start)
            }
        }
    }

    /// `R*`, `R+`, `R?`
    fn repeated(&mut self) -> Parsed<Regular> {
        let start = self.here();
        let mut path = self.nested(Self::equivalence)?;
        let outside = self.depth;
        while let Some(wrap) = self.repetition() {
            self.bump();
            path = self.path(wrap(Box::new(path)), start);
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err(too_deep(start));
            }
        }
        self.depth = outside;
        Ok(path)
    }

    /// The repetition that is next, if one is.
    fn repetition(&self) -> Option<fn(Box<Regular>) -> RegularKind> {
        match self.peek()?.kind {
            Kind::Symbol(Symbol::Star) => Some(RegularKind::Star),
            Kind::Symbol(Symbol::Question) => Some(RegularKind::Optional),
            Kind::Symbol(Symbol::Plus) if !self.starts_path(1) => Some(RegularKind::Plus),
            _ => None,
        }
    }

    /// Whether a regular formula can start there.
    fn starts_path(&self, ahead: usize) -> bool {
        self.peek_at(ahead).is_some_and(|token| match token.kind {
            Kind::Word | Kind::Text(_) | Kind::Regexp(_) => true,
            Kind::Symbol(symbol) => {
                matches!(symbol, Symbol::Not | Symbol::Open | Symbol::OpenBrace)
            }
            Kind::Other => false,
        })
    }

    /// `A equ B`
    pub(super) fn equivalence(&mut self) -> Parsed<Regular> {
        let start = self.here();
        let mut left = self.implied()?;
        let outside = self.depth;
        while self.sees(Symbol::Equivalent) {
            let operator = self.bump();
            let right = self.nested(Self::implied)?;
            let left_label = self.action(left, operator)?;
            let right_label = self.action(right, operator)?;
            let kind = LabelKind::Equivalent(Box::new(left_label), Box::new(right_label));
            left = self.step(kind, start);
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err(too_deep(start));
            }
        }
        self.depth = outside;
        Ok(left)
    }

    /// `A implies B`
    fn implied(&mut self) -> Parsed<Regular> {
        let start = self.here();
        let left = self.either()?;
        if !self.sees(Symbol::Implies) {
            return Ok(left);
        }
        let operator = self.bump();
        let right = self.nested(Self::implied)?;
        let left = self.action(left, operator)?;
        let right = self.action(right, operator)?;
        Ok(self.step(LabelKind::Implies(Box::new(left), Box::new(right)), start))
    }

    fn either(&mut self) -> Parsed<Regular> {
        self.actions(Symbol::Or, Self::both, LabelKind::Or)
    }

    fn both(&mut self) -> Parsed<Regular> {
        self.actions(Symbol::And, Self::unit, LabelKind::And)
    }

    /// Actions joined by one operator.
    fn actions(
        &mut self,
        symbol: Symbol,
        operand: fn(&mut Self) -> Parsed<Regular>,
        join: fn(Vec<Label>) -> LabelKind,
    ) -> Parsed<Regular> {
        let start = self.here();
        let first = operand(self)?;
        if !self.sees(symbol) {
            return Ok(first);
        }
        let mut all = vec![self.action(first, self.here())?];
        while self.sees(symbol) {
            let operator = self.bump();
            let next = operand(self)?;
            all.push(self.action(next, operator)?);
        }
        Ok(self.step(join(all), start))
    }

    /// `not A`, `(R)`, `exists n: Nat. A`, `nil`, a label
    fn unit(&mut self) -> Parsed<Regular> {
        let start = self.here();
        if self.sees(Symbol::Not) {
            let operator = self.bump();
            let inner = self.nested(Self::unit)?;
            let inner = self.action(inner, operator)?;
            return Ok(self.step(LabelKind::Not(Box::new(inner)), start));
        }
        if self.eat(Symbol::Open) {
            let inner = self.regular()?;
            self.close(Symbol::Open, start)?;
            return Ok(inner);
        }
        match self.word_at(0) {
            Some("nil") => {
                self.bump();
                Ok(self.path(RegularKind::Nil, start))
            }
            Some("exists") => self.quantified(true),
            Some("forall") => self.quantified(false),
            _ => {
                let kind = self.label()?;
                Ok(self.step(kind, start))
            }
        }
    }

    /// The single step that an operand of an action's operator has to be.
    pub(super) fn action(&self, path: Regular, operator: Span) -> Parsed<Label> {
        match path.kind {
            RegularKind::Action(label) => Ok(label),
            _ => Err(self.no_action(&path, operator)),
        }
    }

    pub(super) fn step(&self, kind: LabelKind, start: Span) -> Regular {
        let span = start.to(self.last());
        self.path(RegularKind::Action(Label { kind, span }), start)
    }

    fn path(&self, kind: RegularKind, start: Span) -> Regular {
        let span = start.to(self.last());
        Regular { kind, span }
    }
}
