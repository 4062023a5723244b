//! What the parser says when it is stuck: recognises the common mistakes by name.

use super::{Parser, closer, is_action_word};
use crate::mu::lex::{Kind, Symbol, Token};
use crate::mu::library;
use crate::mu::regexp::BadRegexp;
use crate::mu::syntax::{Regular, RegularKind};
use causet_base::nearest;
use causet_base::span::Span;
use causet_base::{Code, Diagnostic};

impl Parser<'_> {
    /// The error, with the macro it came from when the parser stands in one.
    pub(super) fn located(&self, mut error: Diagnostic) -> Diagnostic {
        let origin = self.peek().and_then(|token| token.origin.as_ref());
        if let Some(origin) = origin.filter(|_| error.span == self.here()) {
            error.message = format!("{}: {}", origin.place, error.message);
        }
        error
    }

    /// Something else had to stand here.
    pub(super) fn expected(&self, what: &str) -> Diagnostic {
        let (code, message) = match self.peek() {
            None => (Code::EndsEarly, "the formula ends too early".to_owned()),
            Some(token) => (Code::Unexpected, format!("unexpected {}", describe(token))),
        };
        Diagnostic::at(code, self.here(), message).with_label(format!("expected {what}"))
    }

    /// A state formula had to stand here.
    pub(super) fn expected_state(&self) -> Diagnostic {
        let error = self.expected("a formula");
        let Some(token) = self.peek() else {
            return error;
        };
        match &token.kind {
            Kind::Text(_) | Kind::Regexp(_) | Kind::Symbol(Symbol::OpenBrace) => error.with_help(
                format!("a label stands in a modality: `<{}> true`", token.text),
            ),
            Kind::Symbol(Symbol::And | Symbol::Or | Symbol::Implies | Symbol::Equivalent)
                if self.at == 0 =>
            {
                error.with_help(format!("the left side of `{}` is missing", token.text))
            }
            _ => with_operator(error, &token.text),
        }
    }

    /// An action had to stand here.
    pub(super) fn expected_action(&self) -> Diagnostic {
        let error = self.expected("an action");
        match self.word_at(0) {
            Some("val") => error.with_help("data expressions are not evaluated"),
            Some("_") => error
                .with_help("`any` stands for any label; `_` for any value within one: `put(_)`"),
            _ => match self.peek() {
                Some(token) => with_operator(error, &token.text),
                None => error,
            },
        }
    }

    /// A formula is complete, and what follows does not continue it.
    pub(super) fn stray(&self) -> Diagnostic {
        let Some(token) = self.peek() else {
            return self.expected("an operator");
        };
        let error = self.expected("an operator or the end of the formula");
        match token.kind {
            Kind::Symbol(Symbol::Close | Symbol::CloseSquare | Symbol::CloseBrace) => {
                Diagnostic::at(
                    Code::UnmatchedClosing,
                    token.span,
                    format!("unmatched `{}`", token.text),
                )
                .with_label("nothing is open here")
            }
            Kind::Symbol(Symbol::Bar) => error.with_help("disjunction is written `or` or `||`"),
            Kind::Symbol(Symbol::Dot | Symbol::Star | Symbol::Plus | Symbol::Question) => error
                .with_help(format!(
                    "`{}` joins or repeats steps, within `<...>` and `[...]`",
                    token.text
                )),
            Kind::Symbol(Symbol::At) => {
                error.with_help("infinite looping is written `@(R)`, or `<R> @`")
            }
            Kind::Symbol(Symbol::Saturates) => error.with_help("`-|` stands directly behind `[R]`"),
            Kind::Symbol(_) => error,
            Kind::Other => with_operator(error, &token.text),
            _ => self.missing_operator(token),
        }
    }

    fn missing_operator(&self, token: &Token) -> Diagnostic {
        let message = format!("expected an operator before {}", describe(token));
        let error = Diagnostic::at(Code::ExpectedOperator, token.span, message)
            .with_label("expected `and`, `or`, `implies`, `equ` or the end of the formula");
        match &*token.text {
            "library" | "macro" => error.with_help("libraries and macros stand before the formula"),
            word => error.with_nearest(operator_word(word)),
        }
    }

    /// A bracket that had to close here does not.
    pub(super) fn not_closed(&self, opener: Symbol, opened: Span) -> Diagnostic {
        let (opener_text, closer_text) = (bracket(opener), bracket(closer(opener)));
        let Some(token) = self.peek() else {
            return Diagnostic::at(
                Code::Unclosed,
                opened,
                format!("this `{opener_text}` is never closed"),
            )
            .with_label("opened here")
            .with_help(format!("add the missing `{closer_text}`"));
        };
        let closes = matches!(
            token.kind,
            Kind::Symbol(
                Symbol::Close | Symbol::CloseSquare | Symbol::CloseBrace | Symbol::Greater
            )
        );
        match closes {
            true => {
                let message = format!("`{}` does not close `{opener_text}`", token.text);
                Diagnostic::at(Code::WrongClosing, token.span, message)
                    .with_label(format!("expected `{closer_text}`"))
            }
            false if matches!(opener, Symbol::Less | Symbol::OpenSquare) => {
                self.stray_in_modality(token, opener, closer_text)
            }
            false => self.stray(),
        }
    }

    /// A regular formula is complete, and what follows does not continue it.
    fn stray_in_modality(&self, token: &Token, opener: Symbol, closer: &str) -> Diagnostic {
        let error = self.expected(&format!(
            "`.`, `|`, `*`, an operator of actions or `{closer}`"
        ));
        let last = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let behind_word = last.filter(|last| matches!(last.kind, Kind::Word));
        match (&token.kind, behind_word) {
            (Kind::Other, Some(_)) if matches!(&*token.text, "-" | "/" | "$") => error
                .with_help("a label with special characters stands in double quotes"),
            (Kind::Symbol(Symbol::Not), Some(gate)) => error.with_help(format!(
                "a label with offers is written in braces, `{{{} !3}}`, or in double quotes",
                gate.text
            )),
            (Kind::Symbol(Symbol::At), _) => error.with_help("time is not part of the labels"),
            (Kind::Symbol(Symbol::Comma | Symbol::Semicolon), _) => {
                error.with_help("a choice between steps is written `a | b`, one after the other `a . b`")
            }
            (Kind::Word | Kind::Text(_) | Kind::Regexp(_), Some(_)) => error.with_help(
                "one step after the other is written `a . b`; a label with a blank stands in double quotes",
            ),
            _ if opener == Symbol::Less && matches!(token.kind, Kind::Symbol(Symbol::Equals)) => {
                error.with_help("there are no comparisons; `<` opens a modality `<R> F`")
            }
            _ => with_operator(error, &token.text),
        }
    }

    /// A formula has to follow a modality, `written` in its canonical way.
    pub(super) fn after_modality(&self, written: &str, start: Span) -> Result<(), Diagnostic> {
        let ends = match self.peek().map(|token| &token.kind) {
            None => true,
            Some(Kind::Symbol(symbol)) => !matches!(
                symbol,
                Symbol::Not | Symbol::Less | Symbol::OpenSquare | Symbol::At | Symbol::Open
            ),
            Some(_) => false,
        };
        if !ends {
            return Ok(());
        }
        let (say, meaning) = match written.starts_with('<') {
            true => ("true", "such a step is possible"),
            false => ("false", "no such step is possible"),
        };
        let error = Diagnostic::at(
            Code::ModalityWithoutFormula,
            start.to(self.last()),
            "a modality needs a formula behind it",
        );
        Err(error
            .with_label("expected a formula after this")
            .with_help(format!("write `{written} {say}` for: {meaning}")))
    }

    /// A word that is neither a variable nor a keyword.
    pub(super) fn unbound(&self, word: &str) -> Diagnostic {
        let called = self.sees_at(1, Symbol::Open);
        let error = |message: String| Diagnostic::at(Code::UnboundVariable, self.here(), message);
        if let Some((library, has_parameters)) = library::of_macro(word) {
            let call = match called || !has_parameters {
                true => String::new(),
                false => format!(", and write `{word}(...)`"),
            };
            return error(format!("`{word}` is a macro of the library {library}"))
                .with_label("expected the library before the formula")
                .with_help(format!(
                    "add `library {library} end_library` before the formula{call}"
                ));
        }
        if self.names.lets.iter().any(|name| **name == *word) {
            return error(format!("`{word}` is a `let` of this file, and speaks of states"))
                .with_label("expected a formula over actions")
                .with_help("the mu-calculus has macros instead: `macro NAME (A) = ... end_macro` before the formula");
        }
        match word {
            "forall" | "exists" => error(format!("`{word}` outside of an action"))
                .with_label("expected a formula without data")
                .with_help("values can be bound within an action: `[exists n: Nat. put(n)] F`"),
            "val" | "delay" | "yaled" | "inf" | "sup" | "sum" => {
                error(format!("`{word}` is not part of this language"))
                    .with_label("expected a formula without data and time")
            }
            "library" | "macro" => error(format!("`{word}` within a formula"))
                .with_label("expected a formula")
                .with_help("libraries and macros stand before the formula"),
            _ if called => error(format!("unknown macro `{word}`"))
                .with_label("expected a macro of this text or of its libraries")
                .with_nearest(nearest(word, self.names.macros.iter())),
            _ if is_action_word(word) => error(format!("`{word}` is an action, not a formula"))
                .with_label("expected a formula")
                .with_help(format!(
                    "write `<{word}> true` for: such a step is possible"
                )),
            _ => self.unbound_variable(word),
        }
    }

    fn unbound_variable(&self, word: &str) -> Diagnostic {
        let names = self.scope.iter().rev().map(|bound| &*bound.written);
        let near = nearest(word, names).or_else(|| nearest(word, ["true", "false", "mu", "nu"]));
        let error = Diagnostic::at(
            Code::UnboundVariable,
            self.here(),
            format!("unbound variable `{word}`"),
        )
        .with_label("expected a variable of a fixpoint around this");
        match near {
            Some(_) => error.with_nearest(near),
            None => error.with_help(format!(
                "a variable is bound by `mu {word}. F` or `nu {word}. F`; a label stands in a modality: `<{word}> true`"
            )),
        }
    }

    pub(super) fn reserved(&self, word: &str) -> Diagnostic {
        Diagnostic::at(
            Code::ReservedWord,
            self.here(),
            format!("`{word}` is a word of the language"),
        )
        .with_label("expected the name of a variable")
    }

    pub(super) fn fixpoint_without_dot(&self, name: &str) -> Diagnostic {
        if self.sees(Symbol::Open) {
            return self.parameters(name);
        }
        let error = self.expected(&format!("`.` behind `{name}`"));
        match self.sees(Symbol::Equals) || self.sees(Symbol::Colon) {
            true => error.with_help(format!("a fixpoint is written `mu {name}. F`")),
            false => error,
        }
    }

    /// `X(...)`
    pub(super) fn parameters(&self, name: &str) -> Diagnostic {
        Diagnostic::at(
            Code::VariableWithParameters,
            self.here(),
            format!("the variable `{name}` has parameters"),
        )
        .with_label("expected a variable alone")
        .with_help("fixpoints with data are not read; write one fixpoint for each value")
    }

    pub(super) fn declarations_without_form(&self, word: &str) -> Diagnostic {
        Diagnostic::at(
            Code::DeclarationWithoutFormula,
            self.here(),
            format!("`{word}` declares something, and no formula follows"),
        )
        .with_label("expected `form` and a formula behind the declarations")
        .with_help("declarations are not needed and can be left out")
    }

    pub(super) fn data_definitions(&self, word: &str) -> Diagnostic {
        Diagnostic::at(
            Code::DataDefinition,
            self.here(),
            format!("`{word}` defines data"),
        )
        .with_label("expected a formula without data")
        .with_help("values in labels are compared as texts: `put(3)`, `put(_)`")
    }

    /// A regular formula where a single step had to be.
    pub(super) fn no_action(&self, path: &Regular, operator: Span) -> Diagnostic {
        let written = operator.text(self.source);
        let (what, help) = match path.kind {
            RegularKind::Choice(_) => (
                "a choice",
                "between actions write `or`; the label of a multi-action stands in double quotes: \"a|b\"",
            ),
            RegularKind::Sequence(_) => ("a sequence", "actions are about one step"),
            RegularKind::Nil => ("no step at all", "no label at all is `false`"),
            _ => ("a repetition", "actions are about one step"),
        };
        let message = match written.is_empty() {
            true => format!("an action is one step, and this is {what}"),
            false => format!("`{written}` is about single steps, and this is {what}"),
        };
        Diagnostic::at(Code::NotOneStep, path.span, message)
            .with_label("expected an action")
            .with_help(help)
    }

    /// The mistake within a regular expression, underlined where it stands.
    pub(super) fn bad_regexp(&self, token: &Token, bad: &BadRegexp) -> Diagnostic {
        let inside = token.span.start as usize + 1;
        let span = match token.origin {
            None => Span::from(inside + bad.part.start..inside + bad.part.end),
            Some(_) => token.span,
        };
        let error = Diagnostic::at(
            Code::BadRegularExpression,
            span,
            format!("bad regular expression: {}", bad.reason),
        );
        match token.origin.is_some() || bad.part.is_empty() {
            true => error.with_label(format!("in the expression {}", token.text)),
            false => error.with_label("in this expression"),
        }
        .with_help(
            "a label as it is stands in double quotes; a backslash makes a sign a letter: `\\(`",
        )
    }

    pub(super) fn value_as_action(&self, name: &str) -> Diagnostic {
        Diagnostic::at(
            Code::ValueAsAction,
            self.here(),
            format!("`{name}` is a value, not an action"),
        )
        .with_label("expected an action")
        .with_help(format!("a value stands within a label: `put({name})`"))
    }

    pub(super) fn word_as_call(&self, word: &str) -> Diagnostic {
        let help = match word {
            "val" => "data expressions are not evaluated".to_owned(),
            _ => format!("a label that starts so stands in double quotes: \"{word}(...)\""),
        };
        Diagnostic::at(
            Code::TakesNoValues,
            self.here(),
            format!("`{word}` takes no values"),
        )
        .with_label("expected the name of an action")
        .with_help(help)
    }

    pub(super) fn not_an_offer(&self, opened: Span) -> Diagnostic {
        if self.peek().is_none() {
            return self.not_closed(Symbol::OpenBrace, opened);
        }
        let error = self.expected("`!value`, `?name:type`, `...` or `}`");
        match self.word_at(0) {
            Some("where") => error.with_help("conditions on values are not read"),
            _ => error.with_help("a label with offers is written `{PUT !3 !_ ...}`"),
        }
    }

    pub(super) fn value_never_ends(&self, opened: Span) -> Diagnostic {
        let written = opened.text(self.source);
        let opener = if written == "{" {
            Symbol::OpenBrace
        } else {
            Symbol::Open
        };
        self.not_closed(opener, opened)
    }

    pub(super) fn computed_value(&self, token: &Token) -> Diagnostic {
        Diagnostic::at(
            Code::LabelValue,
            token.span,
            format!("`{}` within a larger value", token.text),
        )
        .with_label("expected a bound name alone")
        .with_help("values are compared as texts and never computed")
    }
}

/// A token in words.
fn describe(token: &Token) -> String {
    match token.kind {
        Kind::Text(_) => format!("label {}", token.text),
        Kind::Regexp(_) => format!("expression {}", token.text),
        _ => format!("`{}`", token.text),
    }
}

fn bracket(symbol: Symbol) -> &'static str {
    match symbol {
        Symbol::OpenSquare => "[",
        Symbol::CloseSquare => "]",
        Symbol::OpenBrace => "{",
        Symbol::CloseBrace => "}",
        Symbol::Less => "<",
        Symbol::Greater => ">",
        Symbol::Open => "(",
        _ => ")",
    }
}

/// The error with the right spelling of an operator of another language.
fn with_operator(error: Diagnostic, text: &str) -> Diagnostic {
    match text {
        "~" => error.with_help("negation is written `not` or `!`"),
        "&" => error.with_help("conjunction is written `and` or `&&`"),
        "“" | "”" | "‘" | "’" => {
            error.with_help("a label stands in plain double quotes: \"text\"")
        }
        _ => error,
    }
}

/// The operator a word between two operands may have been meant as.
fn operator_word(word: &str) -> Option<&'static str> {
    match word.to_ascii_lowercase().as_str() {
        "and" | "then" => Some("and"),
        "or" => Some("or"),
        "implies" | "imp" => Some("implies"),
        "iff" | "equiv" | "equ" => Some("equ"),
        _ => None,
    }
}
