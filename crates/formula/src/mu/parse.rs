//! Tokens to syntax: a hand-written climber, one function per level of precedence.
//!
//! ```text
//! F equ G                        left        parse.rs
//! F implies G                    right
//! F or G, F and G                any number of operands
//! not F  <R> F  [R] F  @(R)  mu X. F
//! true  X  (F)
//! R | S, R . S, R* R+ R?                     parse/path.rs
//! A equ B ... not A  exists n: Nat. A
//! word  "text"  'expression'  put(3)  {PUT !3}   parse/label.rs
//! ```
//!
//! A formula stops at its first mistake, since everything behind it would be guesswork.

mod label;
mod mistake;
mod path;
mod spread;

use std::collections::HashSet;
use std::sync::Arc;

use super::lex::{Kind, Symbol, Token};
use super::syntax::{State, StateKind};
use crate::modal::Sign;
use crate::parse::MAX_DEPTH;
use causet_base::span::Span;
use causet_base::{Code, Diagnostic};

/// Reads all tokens as one formula.
pub(super) fn formula(
    tokens: &[Token],
    end: Span,
    source: &str,
    names: Names<'_>,
) -> Result<State, Diagnostic> {
    let mut parser = Parser {
        tokens,
        at: 0,
        end,
        source,
        names,
        depth: 0,
        scope: Vec::new(),
        values: Vec::new(),
        words: tokens.iter().map(|token| &*token.text).collect(),
    };
    parser.whole().map_err(|error| parser.located(error))
}

/// The names that could have been meant.
#[derive(Clone, Copy)]
pub(super) struct Names<'a> {
    /// The macros of the text and its libraries.
    pub(super) macros: &'a [Arc<str>],
    /// The definitions of the file around it.
    pub(super) lets: &'a [Arc<str>],
}

/// A piece of syntax, or the error that stopped the parser.
type Parsed<T> = Result<T, Diagnostic>;

/// A position in the tokens, and what is known about the surroundings.
struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    /// The empty span behind the last token.
    end: Span,
    source: &'a str,
    names: Names<'a>,
    depth: usize,
    /// The fixpoints around, outermost first.
    scope: Vec<Bound>,
    /// The names of values that `exists` and `forall` bind here.
    values: Vec<Arc<str>>,
    /// Everything written, so that no name is made up that somebody uses.
    words: HashSet<&'a str>,
}

/// The variable of a fixpoint.
struct Bound {
    /// As it was written, and in which use of a macro.
    written: Arc<str>,
    mark: Option<usize>,
    /// As it is called in the syntax.
    name: Arc<str>,
}

impl<'a> Parser<'a> {
    fn peek_at(&self, ahead: usize) -> Option<&'a Token> {
        self.tokens.get(self.at + ahead)
    }

    fn peek(&self) -> Option<&'a Token> {
        self.peek_at(0)
    }

    /// The bare word `ahead` places from here.
    fn word_at(&self, ahead: usize) -> Option<&'a str> {
        let token = self.peek_at(ahead)?;
        (token.kind == Kind::Word).then_some(&*token.text)
    }

    /// Whether the symbol stands `ahead` places from here.
    fn sees_at(&self, ahead: usize, symbol: Symbol) -> bool {
        let token = self.peek_at(ahead);
        token.is_some_and(|token| token.kind == Kind::Symbol(symbol))
    }

    fn sees(&self, symbol: Symbol) -> bool {
        self.sees_at(0, symbol)
    }

    /// Where the next token stands, or the end.
    fn here(&self) -> Span {
        self.peek().map_or(self.end, |token| token.span)
    }

    /// Where the last token stood.
    fn last(&self) -> Span {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        before.map_or(self.here(), |token| token.span)
    }

    /// Steps over one token and says where it stood.
    fn bump(&mut self) -> Span {
        let span = self.here();
        self.at += 1;
        span
    }

    fn eat(&mut self, symbol: Symbol) -> bool {
        let found = self.sees(symbol);
        self.at += usize::from(found);
        found
    }

    /// Runs a part of the grammar one level deeper.
    fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(too_deep(self.here()));
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    /// Everything.
    fn whole(&mut self) -> Parsed<State> {
        self.declarations()?;
        let state = self.state()?;
        self.eat(Symbol::Semicolon);
        match self.peek() {
            None => Ok(state),
            Some(_) => Err(self.stray()),
        }
    }

    /// `act a, b: Nat; form`: what mCRL2 wants to know and we do not.
    fn declarations(&mut self) -> Parsed<()> {
        let Some(word) = self.word_at(0) else {
            return Ok(());
        };
        let is_form = |token: &Token| token.kind == Kind::Word && &*token.text == "form";
        match word {
            "form" => self.at += 1,
            "act" | "sort" => match self.tokens.iter().position(is_form) {
                Some(form) => self.at = form + 1,
                None => return Err(self.declarations_without_form(word)),
            },
            "cons" | "map" | "var" | "eqn" => return Err(self.data_definitions(word)),
            _ => {}
        }
        Ok(())
    }

    /// A whole state formula.
    fn state(&mut self) -> Parsed<State> {
        let start = self.here();
        let mut left = self.nested(Self::implication)?;
        let outside = self.depth;
        while self.eat(Symbol::Equivalent) {
            let right = self.nested(Self::implication)?;
            let kind = StateKind::Equivalent(Box::new(left), Box::new(right));
            left = self.node(kind, start);
            // The tree grows to the left, and must not become too high there either.
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err(too_deep(start));
            }
        }
        self.depth = outside;
        Ok(left)
    }

    fn implication(&mut self) -> Parsed<State> {
        let start = self.here();
        let left = self.disjunction()?;
        if !self.eat(Symbol::Implies) {
            return Ok(left);
        }
        let right = self.nested(Self::implication)?;
        let kind = StateKind::Implies(Box::new(left), Box::new(right));
        Ok(self.node(kind, start))
    }

    fn disjunction(&mut self) -> Parsed<State> {
        self.chain(Symbol::Or, Self::conjunction, StateKind::Or)
    }

    fn conjunction(&mut self) -> Parsed<State> {
        self.chain(Symbol::And, Self::operand, StateKind::And)
    }

    /// Operands joined by one operator.
    fn chain(
        &mut self,
        symbol: Symbol,
        operand: fn(&mut Self) -> Parsed<State>,
        join: fn(Vec<State>) -> StateKind,
    ) -> Parsed<State> {
        let start = self.here();
        let first = operand(self)?;
        if !self.sees(symbol) {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.eat(symbol) {
            all.push(operand(self)?);
        }
        Ok(self.node(join(all), start))
    }

    /// What a negation or a modality is about.
    fn inner(&mut self) -> Parsed<Box<State>> {
        self.nested(Self::operand).map(Box::new)
    }

    fn operand(&mut self) -> Parsed<State> {
        let start = self.here();
        let kind = match self.peek().map(|token| &token.kind) {
            Some(Kind::Symbol(Symbol::Not)) => {
                self.bump();
                StateKind::Not(self.inner()?)
            }
            Some(Kind::Symbol(Symbol::Less)) => return self.diamond(),
            Some(Kind::Symbol(Symbol::OpenSquare)) => return self.square(),
            Some(Kind::Symbol(Symbol::At)) => return self.looping(),
            Some(Kind::Symbol(Symbol::Open)) => {
                self.bump();
                let inner = self.state()?;
                self.close(Symbol::Open, start)?;
                return Ok(inner);
            }
            Some(Kind::Word) => return self.word(),
            _ => return Err(self.expected_state()),
        };
        Ok(self.node(kind, start))
    }

    /// `true`, `mu X. F`, `X`
    fn word(&mut self) -> Parsed<State> {
        let start = self.here();
        let kind = match self.word_at(0).unwrap_or("") {
            "true" => StateKind::True,
            "false" => StateKind::False,
            "mu" | "μ" | "µ" => return self.fixpoint(Sign::Mu),
            "nu" | "ν" => return self.fixpoint(Sign::Nu),
            _ => StateKind::Variable(self.variable()?),
        };
        self.bump();
        Ok(self.node(kind, start))
    }

    /// `mu X. F`
    fn fixpoint(&mut self, sign: Sign) -> Parsed<State> {
        let start = self.bump();
        let Some(token) = self.peek().filter(|token| token.kind == Kind::Word) else {
            return Err(self.expected("the name of a variable"));
        };
        if is_state_word(&token.text) {
            return Err(self.reserved(&token.text));
        }
        self.bump();
        if !self.eat(Symbol::Dot) {
            return Err(self.fixpoint_without_dot(&token.text));
        }
        let mark = mark_of(token);
        let name = self.name_for(token, mark);
        self.scope.push(Bound {
            written: token.text.clone(),
            mark,
            name: name.clone(),
        });
        let body = self.state();
        self.scope.pop();
        let kind = StateKind::Fixpoint(sign, name, Box::new(body?));
        Ok(self.node(kind, start))
    }

    /// The name for a variable bound here: one that a macro binds must not hide a variable of its arguments, nor the
    /// other way round. Where both come from the same text, hiding is what was written.
    fn name_for(&self, token: &Token, mark: Option<usize>) -> Arc<str> {
        let foreign = |bound: &Bound| bound.name == token.text && bound.mark != mark;
        if !self.scope.iter().any(foreign) {
            return token.text.clone();
        }
        let taken = |name: &str| {
            self.words.contains(name) || self.scope.iter().any(|bound| &*bound.name == name)
        };
        let names = (2_usize..).map(|number| format!("{}_{number}", token.text));
        let free = names.into_iter().find(|name| !taken(name));
        free.map_or(token.text.clone(), Arc::from)
    }

    /// The name of the variable that the next word means.
    fn variable(&self) -> Parsed<Arc<str>> {
        let Some(token) = self.peek() else {
            return Err(self.expected_state());
        };
        // A body means its own variables first; what else it says of its surroundings means those of the macro's use.
        let mut marks = vec![mark_of(token)];
        let mut origin = token.origin.as_ref();
        while let Some(inner) = origin {
            origin = inner.parent.as_ref();
            marks.push(origin.map(|outer| outer.mark));
        }
        let innermost = |mark: &Option<usize>| {
            let mut bounds = self.scope.iter().rev();
            bounds.find(|bound| bound.written == token.text && bound.mark == *mark)
        };
        match marks.iter().find_map(innermost) {
            Some(_) if self.sees_at(1, Symbol::Open) => Err(self.parameters(&token.text)),
            Some(bound) => Ok(bound.name.clone()),
            None => Err(self.unbound(&token.text)),
        }
    }

    /// `<R> F`, `<R> @`
    fn diamond(&mut self) -> Parsed<State> {
        let start = self.here();
        let path = self.modality(Symbol::Less, Symbol::Greater)?;
        if self.sees(Symbol::At) && !self.sees_at(1, Symbol::Open) {
            self.bump();
            return Ok(self.node(StateKind::Loops(path), start));
        }
        self.after_modality(&format!("<{path}>"), start)?;
        let inner = self.inner()?;
        Ok(self.node(StateKind::Diamond(path, inner), start))
    }

    /// `[R] F`, `[R] -|`
    fn square(&mut self) -> Parsed<State> {
        let start = self.here();
        let path = self.modality(Symbol::OpenSquare, Symbol::CloseSquare)?;
        if self.eat(Symbol::Saturates) {
            let loops = self.node(StateKind::Loops(path), start);
            return Ok(self.node(StateKind::Not(Box::new(loops)), start));
        }
        self.after_modality(&format!("[{path}]"), start)?;
        let inner = self.inner()?;
        Ok(self.node(StateKind::Box(path, inner), start))
    }

    /// `@(R)`
    fn looping(&mut self) -> Parsed<State> {
        let start = self.bump();
        let opened = self.here();
        if !self.eat(Symbol::Open) {
            return Err(self
                .expected("`(` and a regular formula")
                .with_help("infinite looping is written `@(R)`, or `<R> @`"));
        }
        let path = self.regular()?;
        self.close(Symbol::Open, opened)?;
        Ok(self.node(StateKind::Loops(path), start))
    }

    /// Steps over the bracket that closes `opener`.
    fn close(&mut self, opener: Symbol, opened: Span) -> Parsed<Span> {
        match self.sees(closer(opener)) {
            true => Ok(self.bump()),
            false => Err(self.not_closed(opener, opened)),
        }
    }

    /// A node from `start` to the last token.
    fn node(&self, kind: StateKind, start: Span) -> State {
        let span = start.to(self.last());
        State { kind, span }
    }
}

/// The use of a macro that a token comes from.
fn mark_of(token: &Token) -> Option<usize> {
    token.origin.as_ref().map(|origin| origin.mark)
}

fn closer(opener: Symbol) -> Symbol {
    match opener {
        Symbol::OpenSquare => Symbol::CloseSquare,
        Symbol::OpenBrace => Symbol::CloseBrace,
        Symbol::Less => Symbol::Greater,
        _ => Symbol::Close,
    }
}

/// Words that cannot be variables.
pub(super) fn is_state_word(word: &str) -> bool {
    matches!(
        word,
        "true"
            | "false"
            | "mu"
            | "nu"
            | "μ"
            | "µ"
            | "ν"
            | "forall"
            | "exists"
            | "form"
            | "act"
            | "sort"
            | "cons"
            | "map"
            | "var"
            | "eqn"
            | "library"
            | "macro"
            | "end_library"
            | "end_macro"
            | "val"
            | "delay"
            | "yaled"
    )
}

/// Words that are no labels unless they are quoted.
pub(super) fn is_action_word(word: &str) -> bool {
    matches!(
        word,
        "true"
            | "false"
            | "any"
            | "tau"
            | "i"
            | "nil"
            | "not"
            | "and"
            | "or"
            | "implies"
            | "equ"
            | "forall"
            | "exists"
            | "val"
            | "library"
            | "macro"
            | "end_library"
            | "end_macro"
            | "_"
    )
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::at(
        Code::NestedTooDeeply,
        span,
        "the formula is nested too deeply",
    )
    .with_label(format!("more than {MAX_DEPTH} levels"))
}
