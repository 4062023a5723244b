//! Monitors: the states of an automaton and its edges, one statement after the other.
//!
//! ```text
//! { start s0;  s0 -> s1 on x = 1;  s1 -> oops when y = 2;  bad oops }
//! ```
//!
//! The tokens are cut at every `;`, and before every line that starts like a statement, so that lines need no `;`; each
//! piece is read by itself. A guard that goes on in the next line with a name and an arrow stands in parentheses.
//! Directly behind `on`, `("label")` and `(p, "label")` are the event's own, as in a formula.

use super::temporal::Prefix;
use super::{Dialect, Parsed, Parser};
use crate::lex::{Lexeme, Symbol, Token};
use crate::syntax::{Ident, Monitor, MonitorEdge, Node, NodeKind, Trigger};
use causet_base::nearest;
use causet_base::span::Span;
use causet_base::{Code, Diagnostic};

impl<'a> Parser<'a> {
    /// `{ ... }`, perhaps with quantifiers before it.
    pub(super) fn monitor(&mut self) -> Parsed<Node> {
        if let Some(Prefix::Quantifier(quantifier)) = self.prefix() {
            return self.nested(|this| this.quantified(quantifier, Self::monitor));
        }
        if !self.sees(0, Symbol::OpenBrace) {
            return Err(self.expected("`{` and the states of the monitor"));
        }
        let first = self.at + 1;
        let span = self.block()?;
        let inside = self
            .lexemes
            .get(first..self.at.saturating_sub(1))
            .unwrap_or(&[]);
        let mut draft = Draft::default();
        for statement in statements(inside) {
            if let Err(error) = draft.read(statement, &mut self.errors) {
                self.errors.push(error);
            }
        }
        let broken = !self.errors.is_empty();
        match draft.finish(span) {
            Ok(monitor) => self.node(NodeKind::Monitor(monitor), span),
            // What is missing may be in a statement that could not be read.
            Err(_) if broken => Err(self.errors.remove(0)),
            Err(mut errors) => {
                let first = errors.remove(0);
                self.errors.extend(errors);
                Err(first)
            }
        }
    }
}

/// The tokens cut at `;` and at lines that start like a statement, outside of all brackets.
fn statements(lexemes: &[Lexeme]) -> Vec<&[Lexeme]> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, lexeme) in lexemes.iter().enumerate() {
        if depth == 0 && starts_statement(lexemes, at) {
            found.push(&lexemes[start..at]);
            start = at;
        }
        match lexeme.token {
            Token::Symbol(symbol) if symbol.closer().is_some() => depth += 1,
            Token::Symbol(symbol) if symbol.closes() => depth = depth.saturating_sub(1),
            Token::Symbol(Symbol::Semicolon) if depth == 0 => {
                found.push(&lexemes[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&lexemes[start..]);
    found.retain(|statement| !statement.is_empty());
    found
}

fn starts_statement(lexemes: &[Lexeme], at: usize) -> bool {
    let arrow = lexemes
        .get(at + 1)
        .is_some_and(|next| next.token == Token::Symbol(Symbol::Arrow));
    let statement = match &lexemes[at].token {
        Token::Word(word) => arrow || matches!(&**word, "start" | "bad"),
        Token::Quoted(_) => arrow,
        _ => false,
    };
    lexemes[at].leads_line && statement
}

/// A monitor of which some statements have been read.
#[derive(Default)]
struct Draft {
    starts: Vec<Ident>,
    edges: Vec<MonitorEdge>,
    bad: Vec<Ident>,
}

impl Draft {
    fn read(&mut self, statement: &[Lexeme], errors: &mut Vec<Diagnostic>) -> Parsed<()> {
        let end = statement
            .last()
            .map_or(Span::default(), |last| last.span.after());
        let mut parser = Parser::new(statement, end, Dialect::Either);
        parser.infix_until = false;
        let result = self.statement(&mut parser);
        errors.append(&mut parser.errors);
        result
    }

    fn statement(&mut self, parser: &mut Parser<'_>) -> Parsed<()> {
        match parser.peek_word(0) {
            _ if parser.sees(1, Symbol::Arrow) => self.edges.push(edge(parser)?),
            Some("start") => {
                parser.bump();
                self.starts.extend(state_list(parser)?);
            }
            Some("bad") => {
                parser.bump();
                self.bad.extend(state_list(parser)?);
            }
            other => {
                let near = nearest(other.unwrap_or(""), ["start", "bad"]);
                let error = parser.expected("`start s`, `bad s` or an edge `s -> t on P`");
                return Err(error.with_nearest(near));
            }
        }
        match parser.peek(0) {
            None => Ok(()),
            Some(_) => Err(parser.expected("`;`, a new line or `}` behind the statement")),
        }
    }

    /// Checks that everything is there and fits together.
    fn finish(mut self, span: Span) -> Result<Monitor, Vec<Diagnostic>> {
        let mut errors = Vec::new();
        if self.edges.is_empty() {
            let error = Diagnostic::at(Code::MonitorWithoutEdges, span, "the monitor has no edges");
            return Err(vec![
                error.with_label("expected something like `s0 -> s1 on x = 1`"),
            ]);
        }
        if self.bad.is_empty() {
            let error = Diagnostic::at(
                Code::MonitorWithoutBad,
                span,
                "the monitor has no bad state",
            )
            .with_label("expected `bad s` for the states that are a violation")
            .with_help("without one it never finds anything");
            errors.push(error);
        }
        for state in self.starts.iter().chain(&self.bad) {
            errors.extend(self.unknown(state));
        }
        if let [_, second, ..] = self.starts.as_slice() {
            let error = Diagnostic::at(
                Code::SecondStart,
                second.span,
                "a second start of one monitor",
            );
            errors.push(error.with_label("expected exactly one `start s`"));
        }
        let Some(start) = self.starts.drain(..).next() else {
            let error = Diagnostic::at(
                Code::MonitorWithoutStart,
                span,
                "the monitor starts nowhere",
            )
            .with_label("expected `start s`")
            .with_help(format!("for example `start {}`", self.edges[0].from.name));
            errors.push(error);
            return Err(errors);
        };
        let (edges, bad) = (self.edges, self.bad);
        match errors.is_empty() {
            true => Ok(Monitor { start, edges, bad }),
            false => Err(errors),
        }
    }

    /// A state that no edge mentions is a slip of the pen.
    fn unknown(&self, state: &Ident) -> Option<Diagnostic> {
        let mentioned = || self.edges.iter().flat_map(|edge| [&edge.from, &edge.to]);
        if mentioned().any(|other| other.name == state.name) {
            return None;
        }
        let names: Vec<&str> = mentioned().map(|other| &*other.name).collect();
        let near = nearest(&state.name, names);
        let error = Diagnostic::at(
            Code::UnknownState,
            state.span,
            format!("unknown state `{}`", state.name),
        )
        .with_label("expected a state of some edge");
        Some(error.with_nearest(near))
    }
}

/// `s -> t on P`, `s -> t when P`
fn edge(parser: &mut Parser<'_>) -> Parsed<MonitorEdge> {
    let from = state(parser)?;
    parser.expect(Symbol::Arrow, "and the state it leads to")?;
    let to = state(parser)?;
    let trigger = match parser.peek_word(0) {
        Some("on") if sees_event(parser) => Trigger::When,
        Some("on") => {
            parser.bump();
            Trigger::On
        }
        Some("when") => {
            parser.bump();
            Trigger::When
        }
        _ => {
            let error = parser.expected("`on P` or `when P` behind the states");
            return Err(error.with_help(
                "`on P`: the event wrote a variable of P and P holds now; `when P`: P holds after the event",
            ));
        }
    };
    let guard = parser.formula()?;
    Ok(MonitorEdge {
        from,
        to,
        trigger,
        guard,
    })
}

/// Whether `on("label")` or `on(p, "label")` stands here: a guard that begins with an event atom.
fn sees_event(parser: &Parser<'_>) -> bool {
    let text = matches!(parser.peek(2), Some(Token::Text(_)));
    parser.sees(1, Symbol::Open)
        && ((text && parser.sees(3, Symbol::Close)) || comma_within(parser, 1))
}

/// Whether a comma stands directly within the parenthesis that opens `ahead` places from here.
fn comma_within(parser: &Parser<'_>, mut ahead: usize) -> bool {
    let mut depth = 0_usize;
    while let Some(token) = parser.peek(ahead) {
        match token {
            Token::Symbol(symbol) if symbol.closer().is_some() => depth += 1,
            Token::Symbol(symbol) if symbol.closes() => depth = depth.saturating_sub(1),
            Token::Symbol(Symbol::Comma) if depth == 1 => return true,
            _ => {}
        }
        if depth == 0 {
            return false;
        }
        ahead += 1;
    }
    false
}

fn state_list(parser: &mut Parser<'_>) -> Parsed<Vec<Ident>> {
    let mut states = vec![state(parser)?];
    while parser.eat(Symbol::Comma) {
        states.push(state(parser)?);
    }
    Ok(states)
}

fn state(parser: &mut Parser<'_>) -> Parsed<Ident> {
    let name = match parser.peek(0) {
        Some(Token::Word(name) | Token::Quoted(name)) => name.clone(),
        Some(Token::Number(_)) => {
            let error = parser.expected("the name of a state");
            return Err(error.with_help("a name of digits needs backquotes: `0`"));
        }
        _ => return Err(parser.expected("the name of a state")),
    };
    Ok(Ident {
        name,
        span: parser.bump(),
    })
}
