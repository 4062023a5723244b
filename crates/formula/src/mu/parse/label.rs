//! Single labels: words, texts, regular expressions, and labels with values.

use std::sync::Arc;

use super::{Parsed, Parser};
use crate::mu::lex::{Kind, Symbol, Token};
use crate::mu::syntax::{LabelKind, Value};
use crate::mu::{pattern, regexp};
use causet_base::span::Span;
use causet_base::{Code, Diagnostic};

impl<'a> Parser<'a> {
    /// One label, or what stands for a set of them.
    pub(super) fn label(&mut self) -> Parsed<LabelKind> {
        let Some(token) = self.peek() else {
            return Err(self.expected_action());
        };
        match &token.kind {
            Kind::Word => self.label_word(token),
            Kind::Text(text) => {
                self.bump();
                Ok(LabelKind::Exact(text.clone()))
            }
            Kind::Regexp(written) => {
                self.bump();
                match regexp::compile(written) {
                    Ok(regex) => Ok(LabelKind::Matches {
                        written: written.clone(),
                        regex,
                    }),
                    Err(bad) => Err(self.bad_regexp(token, &bad)),
                }
            }
            Kind::Symbol(Symbol::OpenBrace) => self.offers(),
            _ => Err(self.expected_action()),
        }
    }

    fn label_word(&mut self, token: &'a Token) -> Parsed<LabelKind> {
        if self.sees_at(1, Symbol::Open) {
            return self.call(token);
        }
        if self.values.contains(&token.text) {
            return Err(self.value_as_action(&token.text));
        }
        let kind = match &*token.text {
            "true" | "any" => LabelKind::Any,
            "false" => LabelKind::None,
            "tau" => LabelKind::Internal,
            "i" => LabelKind::InternalOrI,
            "_" | "val" => return Err(self.expected_action()),
            _ => LabelKind::Exact(token.text.clone()),
        };
        self.bump();
        Ok(kind)
    }

    /// `put(3, _)`
    fn call(&mut self, name: &'a Token) -> Parsed<LabelKind> {
        if super::is_action_word(&name.text) {
            return Err(self.word_as_call(&name.text));
        }
        let start = self.bump();
        let opened = self.bump();
        let mut values = Vec::new();
        loop {
            values.push(self.value(&[Symbol::Comma, Symbol::Close], opened)?);
            if !self.eat(Symbol::Comma) {
                break;
            }
        }
        self.close(Symbol::Open, opened)?;
        let regex = pattern::call(&name.text, &values);
        Ok(LabelKind::Call {
            name: name.text.clone(),
            values,
            regex: self.compiled(regex, start)?,
        })
    }

    /// `{PUT !3 ?x:nat ...}`
    fn offers(&mut self) -> Parsed<LabelKind> {
        let opened = self.bump();
        let Some(gate) = self.peek().filter(|token| token.kind == Kind::Word) else {
            return Err(self
                .expected("the name of a gate")
                .with_help("a label with offers is written `{PUT !3 !_ ...}`"));
        };
        self.bump();
        let mut values = Vec::new();
        let ends = [
            Symbol::Not,
            Symbol::Question,
            Symbol::Ellipsis,
            Symbol::CloseBrace,
        ];
        loop {
            if self.eat(Symbol::Not) {
                values.push(self.value(&ends, opened)?);
            } else if self.eat(Symbol::Question) {
                self.skip_declaration(&ends);
                values.push(Value::Any);
            } else {
                break;
            }
        }
        let open = self.eat(Symbol::Ellipsis);
        if !self.sees(Symbol::CloseBrace) {
            return Err(self.not_an_offer(opened));
        }
        self.bump();
        let regex = pattern::offers(&gate.text, &values, open);
        Ok(LabelKind::Offers {
            gate: gate.text.clone(),
            values,
            open,
            regex: self.compiled(regex, opened)?,
        })
    }

    /// Steps over `x:nat`.
    fn skip_declaration(&mut self, ends: &[Symbol]) {
        while self.peek().is_some() && !ends.iter().any(|&end| self.sees(end)) {
            self.bump();
        }
    }

    /// The tokens of one value, up to one of the symbols outside of all brackets.
    fn value(&mut self, ends: &[Symbol], opened: Span) -> Parsed<Value> {
        let from = self.at;
        let mut depth = 0_usize;
        while let Some(token) = self.peek() {
            match token.kind {
                Kind::Symbol(symbol) if depth == 0 && ends.contains(&symbol) => break,
                Kind::Word if &*token.text == "where" => break,
                Kind::Symbol(Symbol::Open | Symbol::OpenSquare | Symbol::OpenBrace) => depth += 1,
                Kind::Symbol(Symbol::Close | Symbol::CloseSquare | Symbol::CloseBrace) => {
                    let Some(less) = depth.checked_sub(1) else {
                        return Err(self.expected("the end of the value"));
                    };
                    depth = less;
                }
                _ => {}
            }
            self.bump();
        }
        let tokens = self.tokens.get(from..self.at).unwrap_or(&[]);
        match tokens {
            _ if self.peek().is_none() => Err(self.value_never_ends(opened)),
            [] => Err(self
                .expected("a value")
                .with_help("`_` stands for any value")),
            [single] if &*single.text == "_" => Ok(Value::Any),
            [single] if self.values.contains(&single.text) => Ok(Value::Bound(single.text.clone())),
            _ => self.exact(tokens),
        }
    }

    fn exact(&self, tokens: &[Token]) -> Parsed<Value> {
        let bound = |token: &&Token| token.kind == Kind::Word && self.values.contains(&token.text);
        if let Some(token) = tokens.iter().find(bound) {
            return Err(self.computed_value(token));
        }
        let words = tokens.iter().map(|token| token.text.clone());
        Ok(Value::Exact(words.collect()))
    }

    fn compiled(&self, regex: Option<Arc<regex::Regex>>, start: Span) -> Parsed<Arc<regex::Regex>> {
        regex.ok_or_else(|| {
            Diagnostic::at(
                Code::LongLabel,
                start.to(self.last()),
                "the values of this label are too long",
            )
            .with_label("expected a shorter label")
        })
    }
}
