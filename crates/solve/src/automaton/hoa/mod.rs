//! The Hanoi Omega-Automata format, version 1, which other tools read and write.
//!
//! The format is about infinite words and ours are finite: a state that is in the acceptance set is one in which a word may
//! end. An automaton with an atom called `alive`, as tools write them for logic over finite words, is read as one of the
//! words that end where `alive` does.
//!
//! ```text
//! text --tokens--> parse --> Draft --build--> Hoa
//! ```
//!
//! The crate `hoars` reads the same format, but panics on some texts and does not say where a mistake is.

mod body;
mod build;
mod draft;
mod header;
mod label;
mod parse;
mod tokens;
mod write;

use super::Automaton;
use crate::budget::Budget;
pub use write::write;

/// An automaton that was read.
#[derive(Clone, Debug)]
pub struct Hoa {
    /// What the automaton is called, if anything.
    pub name: Option<String>,
    /// The names of the atoms, without `alive`.
    pub atoms: Vec<String>,
    /// The automaton over finite words.
    pub automaton: Automaton,
}

/// Why a text was not understood, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// The line, from one.
    pub line: usize,
    /// The column, from one, in characters.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl std::fmt::Display for Mistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Mistake {
            line,
            column,
            message,
        } = self;
        write!(f, "line {line}, column {column}: {message}")
    }
}

impl std::error::Error for Mistake {}

/// Reads one automaton.
pub fn read(text: &str, budget: &Budget) -> Result<Hoa, Mistake> {
    let branch = budget.branch();
    let tokens = tokens::tokens(text)?;
    let draft = parse::parse(&tokens, &branch)?;
    build::build(draft, &branch)
}
