//! What quantifiers and folds bind: names, the processes they range over, and a condition.

use causet_base::{Code, Diagnostic};

use super::{Parsed, Parser, is_reserved};
use crate::lex::{Symbol, Token};
use crate::syntax::{Binder, Ident, Range};

impl Parser<'_> {
    /// `i, j in procs, k in procs("w*") where i != j`
    pub(super) fn binder(&mut self) -> Parsed<Binder> {
        let start = self.here();
        let mut ranges: Vec<Range> = Vec::new();
        loop {
            let range = self.range(&ranges)?;
            ranges.push(range);
            if !self.eat(Symbol::Comma) {
                break;
            }
        }
        let condition = match self.eat_word("where") {
            true => Some(Box::new(self.formula()?)),
            false => None,
        };
        Ok(Binder {
            ranges,
            condition,
            span: start.to(self.last()),
        })
    }

    /// Whether a binder, and not a list of values, starts `ahead` places from here.
    pub(super) fn sees_binder(&self, mut ahead: usize) -> bool {
        while self.peek_word(ahead).is_some() {
            if self.peek_word(ahead + 1) == Some("in") {
                return true;
            }
            if !self.sees(ahead + 1, Symbol::Comma) {
                return false;
            }
            ahead += 2;
        }
        false
    }

    fn range(&mut self, before: &[Range]) -> Parsed<Range> {
        let mut names: Vec<Ident> = Vec::new();
        loop {
            let name = self.bound_name()?;
            let mut bound = before.iter().flat_map(|range| &range.names).chain(&names);
            if bound.any(|other| other.name == name.name) {
                let message = format!("`{}` is bound twice", name.name);
                return Err(Diagnostic::at(Code::BoundTwice, name.span, message)
                    .with_label("expected a new name"));
            }
            names.push(name);
            if !self.eat(Symbol::Comma) {
                break;
            }
        }
        if !self.eat_word("in") {
            return Err(self.expected("`in procs` behind the bound names"));
        }
        let start = self.here();
        if !self.eat_word("procs") {
            let error = self.expected("`procs` or `procs(\"glob*\")`");
            return Err(error.with_help("bound names range over the processes of the trace"));
        }
        let glob = self.glob()?;
        Ok(Range {
            names,
            glob,
            span: start.to(self.last()),
        })
    }

    /// A bare word that is free to be bound.
    pub(super) fn bound_name(&mut self) -> Parsed<Ident> {
        match self.peek(0) {
            Some(Token::Word(word)) if !is_reserved(word) => {
                let name = word.clone();
                Ok(Ident {
                    name,
                    span: self.bump(),
                })
            }
            Some(Token::Word(word)) => {
                let message = format!("`{word}` is a word of the language");
                Err(Diagnostic::at(Code::ReservedWord, self.here(), message)
                    .with_label("expected another name"))
            }
            _ => Err(self.expected("a name")),
        }
    }

    fn glob(&mut self) -> Parsed<Option<std::sync::Arc<str>>> {
        if !self.sees(0, Symbol::Open) {
            return Ok(None);
        }
        let opened = self.bump();
        let Some(glob) = self.text_literal() else {
            let error = self.expected("a pattern in double quotes");
            return Err(error.with_help("for example procs(\"worker*\")"));
        };
        self.expect_closer(Symbol::Open, opened)?;
        Ok(Some(glob))
    }
}
