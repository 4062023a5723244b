//! Automata against the definition of what they accept, on random formulas, expressions and words.

mod classes;
mod exchange;
mod expressions;
mod logic;
mod operations;
mod patterns;
mod random;
