//! Tokens to syntax: a hand-written climber, one function per level of precedence.
//!
//! ```text
//! f <-> g        temporal.rs   left
//! f -> g                       right
//! f || g, f && g               any number of operands
//! f U g                        right; in CTL only as E[f U g], A[f U g]
//! !f  AG f  forall i in procs: f
//! a < b <= c     expression.rs a comparison is one unit: `AG x = 1` is `AG (x = 1)`,
//! a + b, a * b, -a             and `!x = 1` is `!(x = 1)`
//! x, (f), done(p), count(...)
//! ```
//!
//! Sequences and regular expressions are operands (sequence.rs) and monitors stand alone (monitor.rs).
//!
//! A quantifier reaches as far to the right as it can. A generated parser was the alternative; it
//! lost because its errors speak of tokens, and ours have to speak of what the author meant.
//!
//! A formula stops at its first syntax error, since everything behind it would be guesswork, but
//! the tokens have all been checked by then, and a property file goes on with the next definition.

mod binder;
mod expression;
pub(crate) mod foreign;
mod mistake;
mod monitor;
pub(crate) mod property_file;
mod sequence;
mod temporal;

use std::sync::Arc;

use crate::lex::{Lexeme, Symbol, Token};
use crate::syntax::{Node, NodeKind, PathQuantifier, TemporalOp, UntilOp};
use causet_base::span::Span;
use causet_base::{Code, Diagnostic};

/// Which temporal operators are at home in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// `EF`, `A[f U g]`: CTL, and the predicates of `possibly` and `definitely`.
    Branching,
    /// `F`, `f U g`: LTL.
    Linear,
    /// Both: a definition that properties of either kind may use.
    Either,
}

/// The deepest nesting that is read; recursion over syntax is safe below it.
pub(crate) const MAX_DEPTH: usize = 200;

/// Reads all tokens as one formula.
pub(crate) fn formula(
    lexemes: &[Lexeme],
    end: Span,
    dialect: Dialect,
) -> Result<Node, Vec<Diagnostic>> {
    whole(Parser::new(lexemes, end, dialect), Parser::formula)
}

/// Reads all tokens as one monitor.
pub(crate) fn monitor(lexemes: &[Lexeme], end: Span) -> Result<Node, Vec<Diagnostic>> {
    whole(Parser::new(lexemes, end, Dialect::Either), Parser::monitor)
}

fn whole<'a>(
    mut parser: Parser<'a>,
    read: fn(&mut Parser<'a>) -> Parsed<Node>,
) -> Result<Node, Vec<Diagnostic>> {
    let result = read(&mut parser).and_then(|node| parser.finish().map(|()| node));
    match result {
        Ok(node) if parser.errors.is_empty() => Ok(node),
        Ok(_) => Err(parser.errors),
        Err(error) => {
            parser.errors.push(error);
            Err(parser.errors)
        }
    }
}

/// A piece of syntax, or the error that stopped the parser.
type Parsed<T> = Result<T, Diagnostic>;

/// A position in the tokens, and what is known about the surroundings.
struct Parser<'a> {
    lexemes: &'a [Lexeme],
    at: usize,
    /// The empty span behind the last token.
    end: Span,
    dialect: Dialect,
    depth: usize,
    /// Whether `f U g` is an operator here; within `E[...]` it is the bracket's own.
    infix_until: bool,
    /// Set within `A( ... )` and `E( ... )`, which may have been meant as brackets.
    path_call: Option<PathQuantifier>,
    /// Whether this is within `re( ... )`, where `.`, `*` and `+` may be operators of the expression.
    in_regular: bool,
    /// Mistakes that did not stop the parser.
    errors: Vec<Diagnostic>,
}

impl<'a> Parser<'a> {
    fn new(lexemes: &'a [Lexeme], end: Span, dialect: Dialect) -> Parser<'a> {
        Parser {
            lexemes,
            at: 0,
            end,
            dialect,
            depth: 0,
            infix_until: dialect != Dialect::Branching,
            path_call: None,
            in_regular: false,
            errors: Vec::new(),
        }
    }

    /// The token `ahead` places from here.
    fn peek(&self, ahead: usize) -> Option<&'a Token> {
        self.lexemes
            .get(self.at + ahead)
            .map(|lexeme| &lexeme.token)
    }

    /// The bare word `ahead` places from here.
    fn peek_word(&self, ahead: usize) -> Option<&'a str> {
        match self.peek(ahead) {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    /// Whether the symbol stands `ahead` places from here.
    fn sees(&self, ahead: usize, symbol: Symbol) -> bool {
        self.peek(ahead) == Some(&Token::Symbol(symbol))
    }

    /// Where the next token stands, or the end.
    fn here(&self) -> Span {
        self.lexemes
            .get(self.at)
            .map_or(self.end, |lexeme| lexeme.span)
    }

    /// Where the last token stood.
    fn last(&self) -> Span {
        let before = self.at.checked_sub(1).and_then(|at| self.lexemes.get(at));
        before.map_or(Span::new(self.end.start, self.end.start), |lexeme| {
            lexeme.span
        })
    }

    /// Steps over one token and says where it stood.
    fn bump(&mut self) -> Span {
        let span = self.here();
        self.at += 1;
        span
    }

    /// Steps over the symbol if it is next.
    fn eat(&mut self, symbol: Symbol) -> bool {
        let found = self.sees(0, symbol);
        if found {
            self.at += 1;
        }
        found
    }

    /// Steps over the word if it is next.
    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek_word(0) == Some(word);
        if found {
            self.at += 1;
        }
        found
    }

    /// Steps over the symbol, which has to be next.
    fn expect(&mut self, symbol: Symbol, why: &str) -> Parsed<Span> {
        if self.sees(0, symbol) {
            return Ok(self.bump());
        }
        Err(self.expected(&format!("`{}` {why}", symbol.text())))
    }

    /// Steps over the bracket that closes `opener`.
    fn expect_closer(&mut self, opener: Symbol, opened: Span) -> Parsed<Span> {
        let closer = opener.closer().unwrap_or(Symbol::Close);
        if self.sees(0, closer) {
            return Ok(self.bump());
        }
        Err(self.not_closed(opener, closer, opened))
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

    /// A node from `start` to the last token, unless it is too high.
    fn node(&self, kind: NodeKind, start: Span) -> Parsed<Node> {
        let node = Node::new(kind, start.to(self.last()));
        match node.height() <= MAX_DEPTH {
            true => Ok(node),
            false => Err(too_deep(start)),
        }
    }

    /// Everything has to be read.
    fn finish(&self) -> Parsed<()> {
        match self.peek(0) {
            None => Ok(()),
            Some(_) => Err(self.unexpected()),
        }
    }

    /// A text in double quotes; single quotes are reported and read all the same.
    fn text_literal(&mut self) -> Option<Arc<str>> {
        let text = match self.peek(0) {
            Some(Token::Text(text)) => text.clone(),
            Some(Token::SingleQuoted(text)) => {
                let error = Diagnostic::at(
                    Code::SingleQuotes,
                    self.here(),
                    "a text stands in double quotes",
                )
                .with_label("expected double quotes")
                .with_help(format!("write \"{text}\""));
                self.errors.push(error);
                text.clone()
            }
            _ => return None,
        };
        self.at += 1;
        Some(text)
    }

    /// Steps over a balanced block, `opener` included.
    fn block(&mut self) -> Parsed<Span> {
        let start = self.here();
        let mut open: Vec<(Symbol, Span)> = Vec::new();
        while let Some(token) = self.peek(0) {
            let span = self.here();
            if let Token::Symbol(symbol) = *token {
                if symbol.closer().is_some() {
                    open.push((symbol, span));
                } else if symbol.closes() {
                    let Some((opener, opened)) = open.pop() else {
                        return Err(self.unexpected());
                    };
                    self.expect_closer(opener, opened)?;
                    if open.is_empty() {
                        return Ok(start.to(span));
                    }
                    continue;
                }
            }
            self.at += 1;
        }
        let (opener, opened) = open.pop().unwrap_or((Symbol::OpenBrace, start));
        Err(self.not_closed(opener, opener.closer().unwrap_or(Symbol::Close), opened))
    }
}

/// Words that are never bound names, parameters or definitions.
pub(crate) fn is_reserved(word: &str) -> bool {
    const WORDS: [&str; 13] = [
        "in", "where", "procs", "inflight", "empty", "done", "steps", "on", "count", "sum", "min",
        "max", "re",
    ];
    WORDS.contains(&word) || is_keyword(word)
}

/// Words that need backquotes to start the name of a process or variable, or may need them: in
/// some places they are something else.
pub(crate) fn is_keyword(word: &str) -> bool {
    const WORDS: [&str; 12] = [
        "true", "false", "initial", "final", "forall", "exists", "let", "property", "monitor", "A",
        "E", "where",
    ];
    WORDS.contains(&word)
        || is_operator_word(word)
        || TemporalOp::from_word(word).is_some()
        || UntilOp::from_word(word).is_some()
}

/// Words that are operators wherever they stand.
pub(crate) fn is_operator_word(word: &str) -> bool {
    matches!(word, "not" | "and" | "or")
}

pub(crate) fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::at(
        Code::NestedTooDeeply,
        span,
        "the formula is nested too deeply",
    )
    .with_label(format!("more than {MAX_DEPTH} levels"))
    .with_help("long sums can be written as `sum(a, b, ...)`; parts can be named with `let`")
}
