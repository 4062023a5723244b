//! Properties of runs: every complete run is a word, and an automaton reads it.
//!
//! ```text
//! Runs --compile--> atoms + Automaton           some run is a word of it?
//!                        |
//!                        +--branching--> a formula of CTL, when the automaton is simple enough
//!                        |
//! atoms + Survey --> Scene                      chains of the events the automaton can see, truth of the atoms at cuts
//! Scene x Automaton --engine--> Search          the engines monitor, masks and the guided family
//! ```

pub(crate) mod branching;
pub mod compile;
pub(crate) mod decided;
pub mod describe;
pub mod scene;
pub(crate) mod until;
pub(crate) mod upto;

pub use scene::{Scene, Search};
