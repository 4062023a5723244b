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
use causet_base::Diagnostic;
use causet_base::budget::Budget;
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

/// Reads one automaton.
pub fn read(text: &str, budget: &Budget) -> Result<Hoa, Diagnostic> {
    let branch = budget.branch();
    let tokens = tokens::tokens(text)?;
    let draft = parse::parse(&tokens, &branch)?;
    build::build(draft, &branch)
}
