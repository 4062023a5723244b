//! Automata against the definition of what they accept, on random formulas, expressions and words.

mod logic;
mod random;
