//! What the parser says when it is stuck: recognises the common mistakes by name.

use super::{Dialect, Parsed, Parser, foreign};
use crate::lex::{Symbol, Token};
use crate::syntax::{TemporalOp, UntilOp};
use causet_base::nearest;
use causet_base::span::Span;
use causet_base::{Code, Diagnostic};

impl Parser<'_> {
    /// Something else had to stand here.
    pub(super) fn expected(&self, what: &str) -> Diagnostic {
        let (code, message) = match self.peek(0) {
            None => (Code::EndsEarly, "the formula ends too early".to_owned()),
            Some(token) => (Code::Unexpected, format!("unexpected {}", describe(token))),
        };
        Diagnostic::at(code, self.here(), message).with_label(format!("expected {what}"))
    }

    /// A value or formula had to stand here.
    pub(super) fn expected_operand(&self) -> Diagnostic {
        let error = self.expected("a variable, a value or a formula");
        match self.peek(0) {
            Some(Token::Symbol(Symbol::OpenSquare)) => {
                error.with_help("square brackets belong to `E[f U g]` and `A[f U g]`")
            }
            Some(Token::Symbol(Symbol::Arrow)) if self.at == 0 => {
                error.with_help("the left side of `->` is missing")
            }
            _ => error,
        }
    }

    /// A formula is complete, and what follows does not continue it.
    pub(super) fn unexpected(&self) -> Diagnostic {
        let here = self.here();
        match self.peek(0) {
            Some(Token::Symbol(symbol)) if symbol.closes() => Diagnostic::at(
                Code::UnmatchedClosing,
                here,
                format!("unmatched `{}`", symbol.text()),
            )
            .with_label("nothing is open here"),
            Some(Token::Symbol(Symbol::Diamond)) => {
                Diagnostic::at(Code::UnknownOperator, here, "unknown operator `<>`")
                    .with_label("expected `!=`")
                    .with_help("inequality is written `!=`")
            }
            Some(Token::Symbol(Symbol::OpenSquare | Symbol::Box)) => self.stray_square(),
            Some(Token::Symbol(Symbol::Dot)) => self.stray_dot(),
            Some(Token::Symbol(Symbol::Question)) => self
                .expected("an operator or the end of the formula")
                .with_help("a name with special characters needs backquotes"),
            Some(Token::Word(word)) if UntilOp::from_word(word).is_some() => self.stray_until(word),
            Some(Token::Word(word)) if self.leads_line() => self.stray_line(word),
            Some(Token::Word(word)) => {
                let error = self.missing_operator();
                match error.help.is_some() {
                    true => error,
                    false => error.with_nearest(operator_word(word)),
                }
            }
            Some(Token::Symbol(_)) => {
                self.in_our_words(self.expected("an operator or the end of the formula"))
            }
            _ => self.missing_operator(),
        }
    }

    /// A bracket that had to close here does not.
    pub(super) fn not_closed(&self, opener: Symbol, closer: Symbol, opened: Span) -> Diagnostic {
        let (opener, closer) = (opener.text(), closer.text());
        match self.peek(0) {
            None => Diagnostic::at(
                Code::Unclosed,
                opened,
                format!("this `{opener}` is never closed"),
            )
            .with_label("opened here")
            .with_help(format!("add the missing `{closer}`")),
            Some(Token::Symbol(found)) if found.closes() => {
                let message = format!("`{}` does not close `{opener}`", found.text());
                Diagnostic::at(Code::WrongClosing, self.here(), message)
                    .with_label(format!("expected `{closer}`"))
            }
            Some(_) => self.unexpected(),
        }
    }

    /// A temporal operator of the other logic.
    pub(super) fn refuse_foreign(&self, op: TemporalOp, span: Span, written: &str) -> Parsed<()> {
        match self.dialect {
            Dialect::Branching if op.is_linear() => {
                let letter = op.word();
                let both = match op {
                    TemporalOp::WeakNext => "AX".to_owned(),
                    _ => format!("A{letter}` (on every run) or `E{letter}"),
                };
                let message = format!("`{written}` is an operator of LTL");
                let help = format!("write `{both}`, or give the formula as LTL (`--ltl`)");
                Err(Diagnostic::at(Code::WrongLogic, span, message)
                    .with_label("expected an operator of CTL")
                    .with_help(help))
            }
            Dialect::Linear if !op.is_linear() => Err(self.branching_in_linear(span, written)),
            _ => Ok(()),
        }
    }

    /// A path quantifier in LTL.
    pub(super) fn branching_in_linear(&self, span: Span, written: &str) -> Diagnostic {
        Diagnostic::at(
            Code::WrongLogic,
            span,
            format!("`{written}` is an operator of CTL"),
        )
        .with_label("expected an operator of LTL: X N F G U W R M")
        .with_help("LTL speaks of every run by itself; give the formula as CTL (`--ctl`)")
    }

    /// `A[]`, `E<>`: how UPPAAL writes `AG` and `EF`.
    pub(super) fn box_after_path(&self, letter: &str, square: bool) -> Diagnostic {
        let (written, meant) = if square { ("[]", "G") } else { ("<>", "F") };
        let span = self
            .here()
            .to(self.lexemes.get(self.at + 1).map_or(self.end, |l| l.span));
        Diagnostic::at(
            Code::UnknownOperator,
            span,
            format!("unknown operator `{letter}{written}`"),
        )
        .with_label(format!("expected `{letter}{meant}`"))
        .with_help(format!(
            "`{letter}{written} f` is written `{letter}{meant} f`"
        ))
    }

    /// `E[f]`: the bracket holds only one formula.
    pub(super) fn missing_until(&self, letter: &str, opened: Span) -> Diagnostic {
        if self.peek(0).is_none() {
            return self.not_closed(Symbol::OpenSquare, Symbol::CloseSquare, opened);
        }
        if !self.sees(0, Symbol::CloseSquare) {
            return self
                .unexpected()
                .with_label("expected `U`, `W`, `R` or another operator");
        }
        Diagnostic::at(
            Code::NeedsTwoFormulas,
            self.here(),
            format!("`{letter}[...]` needs two formulas"),
        )
        .with_label("expected `U`, `W` or `R` and a second formula before this")
        .with_help(format!(
            "for one formula write `{letter}G f` or `{letter}F f`"
        ))
    }

    /// `E[f U g U h]`
    pub(super) fn second_until(&self, letter: &str, word: &str) -> Diagnostic {
        Diagnostic::at(
            Code::SecondUntil,
            self.here(),
            format!("a second `{word}` in one bracket"),
        )
        .with_label("expected `]`")
        .with_help(format!("nest them: `{letter}[f U {letter}[g U h]]`"))
    }

    fn missing_operator(&self) -> Diagnostic {
        let what = self.peek(0).map_or_else(String::new, describe);
        let error = Diagnostic::at(
            Code::ExpectedOperator,
            self.here(),
            format!("expected an operator before {what}"),
        )
        .with_label("expected `&&`, `||`, `->`, a comparison or the end of the formula");
        match self.before() {
            Some(Token::Word(path)) if matches!(&**path, "A" | "E") => error.with_help(format!(
                "write `{path}G f`, `{path}F f`, `{path}X f` or `{path}[f U g]`"
            )),
            _ => self.in_our_words(error),
        }
    }

    /// With the name that an operator of another notation has here: it stands before this place, or at it.
    fn in_our_words(&self, error: Diagnostic) -> Diagnostic {
        let before = self.before().into_iter().chain(self.peek(0));
        let mut words = before.filter_map(|token| match token {
            Token::Word(word) => foreign::operator(word, self.dialect),
            _ => None,
        });
        match words.next() {
            Some(help) => error.with_help(help),
            None => error,
        }
    }

    fn stray_until(&self, word: &str) -> Diagnostic {
        let error = Diagnostic::at(
            Code::UntilOutside,
            self.here(),
            format!("`{word}` outside of brackets"),
        );
        match self.path_call {
            Some(path) => error.with_label("expected `)`").with_help(format!(
                "write `{0}[f {word} g]`, with square brackets",
                path.word()
            )),
            None => error
                .with_label(format!("expected `A[f {word} g]` or `E[f {word} g]`"))
                .with_help("an operator without `A` or `E` belongs to LTL (`--ltl`)"),
        }
    }

    fn stray_square(&self) -> Diagnostic {
        let error = self.expected("an operator or the end of the formula");
        match self.before() {
            Some(Token::Word(word)) if TemporalOp::from_word(word).is_some() => error.with_help(
                format!("write `{word} (...)`; square brackets belong to `A[f U g]`, `E[f U g]`"),
            ),
            Some(Token::Word(path)) if matches!(&**path, "a" | "e") => {
                let path = path.to_ascii_uppercase();
                error.with_help(format!(
                    "operators are written in capitals: `{path}[f U g]`"
                ))
            }
            Some(Token::Word(word)) => {
                let help = "there are no arrays; a variable's own name may need backquotes";
                error.with_help(format!("{help}: `{word}[...]`"))
            }
            _ => error,
        }
    }

    fn stray_dot(&self) -> Diagnostic {
        let error = self.expected("an operator or the end of the formula");
        match self.before() {
            Some(Token::Number(_)) => {
                error.with_help("a name with `-` or a leading digit needs backquotes: `node-1`.x")
            }
            _ => error,
        }
    }

    fn stray_line(&self, word: &str) -> Diagnostic {
        let error = self.missing_operator();
        match nearest(word, ["let", "property", "monitor"]) {
            Some(near) => error.with_help(format!("did you mean `{near}`?")),
            None => error.with_help("a new definition starts with `let`, `property` or `monitor`"),
        }
    }

    /// The token that was read last.
    fn before(&self) -> Option<&Token> {
        let at = self.at.checked_sub(1)?;
        self.lexemes.get(at).map(|lexeme| &lexeme.token)
    }

    /// Whether the next token starts a line other than the first.
    fn leads_line(&self) -> bool {
        self.at > 0
            && self
                .lexemes
                .get(self.at)
                .is_some_and(|lexeme| lexeme.leads_line)
    }
}

/// The operator a word between two operands may have been meant as.
fn operator_word(word: &str) -> Option<&'static str> {
    match word.to_ascii_lowercase().as_str() {
        "and" => Some("&&"),
        "or" => Some("||"),
        "implies" | "imp" => Some("->"),
        "iff" | "equiv" => Some("<->"),
        "is" | "eq" | "equals" => Some("="),
        "ne" | "neq" => Some("!="),
        "mod" => Some("%"),
        "div" => Some("/"),
        "until" => Some("U"),
        _ => None,
    }
}

/// A token in words.
pub(super) fn describe(token: &Token) -> String {
    match token {
        Token::Word(word) => format!("`{word}`"),
        Token::Quoted(name) => format!("`{name}`"),
        Token::Number(number) => format!("number {number}"),
        Token::Text(text) | Token::SingleQuoted(text) => format!("text \"{text}\""),
        Token::Symbol(symbol) => format!("`{}`", symbol.text()),
        Token::Unknown => "character".to_owned(),
    }
}
