//! Properties of runs: every complete run is a word, and an automaton reads it.
//!
//! ```text
//! Runs --compile--> atoms + Automaton           some run is a word of it?
//! atoms + Survey --> Scene                      chains of the events the automaton can see, truth of the atoms at cuts
//! Scene x Automaton --engine--> Search          the engines monitor, masks and the guided family
//! ```

pub mod scene;

pub use scene::{Scene, Search};
