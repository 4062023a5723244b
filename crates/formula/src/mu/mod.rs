//! The alternation-free regular mu-calculus: what EVALUATOR 3 reads, and the common core of mCRL2's formulas.
//!
//! The way of a formula, each arrow one module:
//!
//! ```text
//! text --lex--> tokens --macros--> tokens --parse--> syntax --lower--> equations (crate::modal)
//!                 ^                                    |         |
//!              libraries                             print   alternation
//! ```
//!
//! Both spellings of every operator are read: `not` and `!`, `and` and `&&`, `or` and `||`, `implies`, `->` and `=>`,
//! `equ`, `<->` and `<=>`. From tight to loose: `not`, `<R>`, `[R]`, `@(R)`; `and`; `or`; `implies` (to the right); `equ`;
//! the body of `mu X.` and `nu X.` goes as far to the right as it can. Within `<R>` and `[R]` the operators of actions
//! bind tighter than those of regular formulas, so that `not a*` is `(not a)*` and `a or b.c` is `(a or b).c`; then come
//! `*`, `+`, `?`, then `.`, then `|`. A `+` is a choice, as in mCRL2, where something follows that can be chosen
//! (`a + b`), and an iteration elsewhere (`a+`, `a+.b`).
//!
//! Macros are replaced in the tokens, as their authors expect, but not blindly: arguments and bodies are put in
//! parentheses, and a variable that a macro binds cannot catch a variable of an argument.

mod alternation;
mod lex;
pub mod library;
mod lower;
mod macros;
mod parse;
mod pattern;
mod print;
mod regexp;
mod suspect;
pub mod syntax;

use std::ops::Range;
use std::sync::Arc;

use crate::modal::Modal;
use crate::property::in_order;
use causet_base::Diagnostic;
use causet_base::span::Span;
use syntax::State;

/// A formula as it was read: macros are expanded, and every variable has its fixpoint.
///
/// Its [`Display`](std::fmt::Display) is the canonical spelling, which reads back as the same formula.
#[derive(Clone, Debug)]
pub struct Formula {
    root: State,
    source: Arc<str>,
}

/// Reads a whole text: libraries, macros, then one formula.
///
/// `libraries` gives the text of a library by its name; those of [`library::BUNDLED`] are found without it.
pub fn read(
    text: &str,
    libraries: &dyn Fn(&str) -> Option<String>,
) -> Result<Formula, Vec<Diagnostic>> {
    read_part(&Arc::from(text), 0..text.len(), &[], libraries)
}

/// Reads the formula in a part of a longer text; all places are places of the whole.
///
/// `lets` are the names of definitions around it: they are about states, and cannot be used here.
pub(crate) fn read_part(
    source: &Arc<str>,
    part: Range<usize>,
    lets: &[Arc<str>],
    libraries: &dyn Fn(&str) -> Option<String>,
) -> Result<Formula, Vec<Diagnostic>> {
    let (tokens, errors) = lex::tokenise(source, part.clone());
    if !errors.is_empty() {
        return Err(in_order(errors));
    }
    let end = Span::from(part.end..part.end);
    let end = tokens.last().map_or(end, |last| last.span.after());
    let expansion = macros::expand(&tokens, source, libraries).map_err(in_order)?;
    let names = parse::Names {
        macros: &expansion.macros,
        lets,
    };
    let root = parse::formula(&expansion.tokens, end, source, names);
    let root = root.map_err(|error| vec![error])?;
    Ok(Formula {
        root,
        source: source.clone(),
    })
}

impl Formula {
    /// The syntax of the formula.
    pub fn root(&self) -> &State {
        &self.root
    }

    /// The formula as equations, if it is monotone and alternation-free.
    pub fn lower(&self) -> Result<Modal, Vec<Diagnostic>> {
        lower::lower(self)
    }

    /// What is suspicious in the formula, but not wrong.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        suspect::warnings(&self.root)
    }

    /// Where a place is, in words.
    pub(crate) fn place(&self, span: Span) -> String {
        place(&self.source, span.start as usize)
    }
}

/// A place of a text in words: `line 2, column 7`.
pub(crate) fn place(source: &str, at: usize) -> String {
    let before = source.get(..at).unwrap_or(source);
    let line = 1 + before.matches('\n').count();
    let column = 1 + before.chars().rev().take_while(|&c| c != '\n').count();
    format!("line {line}, column {column}")
}
