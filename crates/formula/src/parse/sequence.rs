//! Orders of positions: sequences `{ a ; b }` and regular expressions `re( a . b* )`.
//!
//! The letters of a regular expression are predicates, and both sides want the same signs:
//!
//! ```text
//! .      joins a name when no blank stands on either side of it (`p1.x`); else one letter follows the other
//! * +    repeat when nothing they could multiply or add follows, or when a blank follows and none precedes;
//!        else they are arithmetic
//! |      is a choice between expressions; between predicates it is written `||` or `or`
//! ( )    hold an expression, unless an operator between predicates stands in them, or arithmetic around them
//! ```
//!
//! So a letter is a comparison, a name, a function or a negation, and any other predicate stands in parentheses.
//! Marking the letters with quotes would have been simpler to read for us, and harder to write for everybody else.

use super::expression::comparison_op;
use super::{Parsed, Parser};
use crate::lex::{Symbol, Token};
use crate::syntax::{Guard, Node, NodeKind, Repetition, Step};
use causet_base::span::Span;
use causet_base::{Code, Diagnostic};

impl Parser<'_> {
    /// `{ a ; [never t] b ; c }`
    pub(super) fn sequence(&mut self) -> Parsed<Node> {
        let opened = self.bump();
        if self.sees(0, Symbol::CloseBrace) {
            let error = Diagnostic::at(
                Code::EmptySequence,
                opened.to(self.here()),
                "a sequence without a position",
            );
            return Err(error.with_label("expected something like `{ a ; b }`"));
        }
        let mut steps = Vec::new();
        loop {
            steps.push(self.step()?);
            if !self.eat(Symbol::Semicolon) || self.sees(0, Symbol::CloseBrace) {
                break;
            }
        }
        if self.sees(0, Symbol::Comma) {
            let error = self.expected("`;` or `}`");
            return Err(error.with_help("the positions of a sequence are separated by `;`"));
        }
        self.expect_closer(Symbol::OpenBrace, opened)?;
        self.node(NodeKind::Sequence(steps), opened)
    }

    /// `[never t] [always u] b`
    fn step(&mut self) -> Parsed<Step> {
        let mut guards = Vec::new();
        while self.sees(0, Symbol::OpenSquare) {
            guards.push(self.guard()?);
        }
        let at = self.formula_in_parentheses()?;
        Ok(Step { guards, at })
    }

    fn guard(&mut self) -> Parsed<Guard> {
        let opened = self.bump();
        let always = match self.peek_word(0) {
            Some("always") => true,
            Some("never") => false,
            _ => return Err(self.expected("`never` or `always` and a predicate")),
        };
        self.bump();
        let what = self.formula_in_parentheses()?;
        self.expect_closer(Symbol::OpenSquare, opened)?;
        Ok(Guard { always, what })
    }

    /// `re( a . b* . (c | d) )`
    pub(super) fn regular(&mut self) -> Parsed<Node> {
        let start = self.bump();
        let opened = self.bump();
        let outside = std::mem::replace(&mut self.in_regular, true);
        let inside = self.alternation();
        self.in_regular = outside;
        let inside = inside?;
        self.close_regular(opened)?;
        self.node(NodeKind::Regular(Box::new(inside)), start)
    }

    fn alternation(&mut self) -> Parsed<Node> {
        self.nested(|this| {
            let start = this.here();
            let mut parts = vec![this.concatenation()?];
            while this.sees_bar(0) {
                this.bump();
                parts.push(this.concatenation()?);
            }
            this.one_or(parts, NodeKind::Either, start)
        })
    }

    fn concatenation(&mut self) -> Parsed<Node> {
        let start = self.here();
        let mut parts = vec![self.repetition()?];
        while self.eat(Symbol::Dot) {
            parts.push(self.repetition()?);
        }
        self.one_or(parts, NodeKind::Then, start)
    }

    fn repetition(&mut self) -> Parsed<Node> {
        let start = self.here();
        let mut node = self.letter()?;
        while self.repeats(0) {
            let sign = match self.peek(0) {
                Some(Token::Symbol(Symbol::Star)) => Repetition::Any,
                Some(Token::Symbol(Symbol::Plus)) => Repetition::Some,
                _ => Repetition::Optional,
            };
            self.bump();
            node = self.node(NodeKind::Repeat(sign, Box::new(node)), start)?;
        }
        Ok(node)
    }

    /// A predicate, the empty word, or an expression in parentheses.
    fn letter(&mut self) -> Parsed<Node> {
        let start = self.here();
        if self.sees(0, Symbol::Open) && self.sees(1, Symbol::Close) {
            self.at += 2;
            return self.node(NodeKind::EmptyWord, start);
        }
        if self.sees(0, Symbol::Open) && self.holds_expression() {
            let opened = self.bump();
            let inside = self.alternation()?;
            self.close_regular(opened)?;
            return self.node(NodeKind::Group(Box::new(inside)), start);
        }
        if matches!(self.peek_word(0), Some("_" | "any")) && self.ends_letter(1) {
            self.bump();
            return self.node(NodeKind::AnyLetter, start);
        }
        let letter = self.nested(Self::unary)?;
        match self.sees_connective(0) {
            true => Err(self.connective_in_regular()),
            false => Ok(letter),
        }
    }

    /// The parenthesis behind an expression.
    fn close_regular(&mut self, opened: Span) -> Parsed<()> {
        let starts_letter = matches!(
            self.peek(0),
            Some(Token::Word(_) | Token::Quoted(_) | Token::Symbol(Symbol::Open | Symbol::Not))
        );
        if starts_letter {
            let error = self.expected("`.`, `|` or `)`");
            return Err(error.with_help("one letter after the other is written `a . b`"));
        }
        self.expect_closer(Symbol::Open, opened).map(|_| ())
    }

    /// The only part, or all of them in one node.
    fn one_or(
        &self,
        mut parts: Vec<Node>,
        many: fn(Vec<Node>) -> NodeKind,
        start: Span,
    ) -> Parsed<Node> {
        match (parts.len(), parts.pop()) {
            (1, Some(only)) => Ok(only),
            (_, last) => {
                parts.extend(last);
                self.node(many(parts), start)
            }
        }
    }

    /// Whether the parenthesis that opens here holds an expression, and not a predicate or a number.
    fn holds_expression(&self) -> bool {
        if matches!(self.peek_word(1), Some("forall" | "exists")) {
            return false;
        }
        let mut depth = 0_usize;
        let mut ahead = 0;
        while let Some(token) = self.peek(ahead) {
            if let Token::Symbol(symbol) = token {
                match symbol {
                    symbol if symbol.closer().is_some() => depth += 1,
                    symbol if symbol.closes() => depth = depth.saturating_sub(1),
                    _ if depth == 1 && self.sees_connective(ahead) => return false,
                    _ => {}
                }
            }
            ahead += 1;
            if depth == 0 {
                break;
            }
        }
        !self.sees_arithmetic(ahead)
    }

    /// Whether a comparison or arithmetic goes on `ahead` places from here.
    fn sees_arithmetic(&self, ahead: usize) -> bool {
        match self.peek(ahead) {
            Some(Token::Symbol(Symbol::Minus | Symbol::Slash | Symbol::Percent)) => true,
            Some(Token::Symbol(Symbol::Star | Symbol::Plus)) => !self.repeats(ahead),
            Some(token) => comparison_op(token).is_some(),
            None => false,
        }
    }

    /// Whether a letter that is a lone word ends before the token `ahead` places from here.
    fn ends_letter(&self, ahead: usize) -> bool {
        !self.sees_arithmetic(ahead) && !self.sees(ahead, Symbol::Open) && !self.joins(ahead)
    }

    /// Whether the sign `ahead` places from here repeats what stands before it.
    pub(super) fn repeats(&self, ahead: usize) -> bool {
        match self.peek(ahead) {
            Some(Token::Symbol(Symbol::Question)) => true,
            Some(Token::Symbol(Symbol::Star | Symbol::Plus)) => {
                let clings = self.touches(ahead) && !self.touches(ahead + 1);
                clings || !self.starts_value(ahead + 1)
            }
            _ => false,
        }
    }

    /// Whether the dot `ahead` places from here joins two parts of a name.
    pub(super) fn joins(&self, ahead: usize) -> bool {
        let close = self.touches(ahead) && self.touches(ahead + 1);
        self.sees(ahead, Symbol::Dot) && (!self.in_regular || close)
    }

    /// Whether no blank stands before the token `ahead` places from here.
    fn touches(&self, ahead: usize) -> bool {
        let at = self.at + ahead;
        let before = at.checked_sub(1).and_then(|at| self.lexemes.get(at));
        match (before, self.lexemes.get(at)) {
            (Some(before), Some(lexeme)) => before.span.end == lexeme.span.start,
            _ => false,
        }
    }

    fn starts_value(&self, ahead: usize) -> bool {
        match self.peek(ahead) {
            Some(Token::Symbol(symbol)) => matches!(symbol, Symbol::Open | Symbol::Minus),
            Some(Token::Unknown) | None => false,
            Some(_) => true,
        }
    }

    /// A single `|`, not `||` or `or`.
    fn sees_bar(&self, ahead: usize) -> bool {
        let lexeme = self.lexemes.get(self.at + ahead);
        let one = |span: Span| span.end == span.start + 1;
        self.sees(ahead, Symbol::Or) && lexeme.is_some_and(|lexeme| one(lexeme.span))
    }

    /// An operator between predicates that no expression has.
    fn sees_connective(&self, ahead: usize) -> bool {
        let symbols = [Symbol::And, Symbol::Or, Symbol::Arrow, Symbol::Iff];
        !self.sees_bar(ahead) && symbols.iter().any(|&symbol| self.sees(ahead, symbol))
    }

    fn connective_in_regular(&self) -> Diagnostic {
        let error = self.expected("`.`, `|`, `*`, `+`, `?` or `)`");
        error.with_help("a letter with an operator between predicates stands in parentheses: `re( (a && b) . c )`")
    }
}
