//! Whether some complete run of a scene is accepted by an automaton: two techniques that read both together.
//!
//! ```text
//!                +--> configurations   from the first cut on, many cuts at a time, only as far as needed
//! Scene x Automaton
//!                +--> masks            from the last cut back, cut by cut, all states at once
//! ```
//!
//! * `configurations` walks intervals of cuts with one state of the automaton each (paper TMP, algorithm 1). Events that
//!   the state does not care about cost nothing, and a run that is accepted early is found early.
//! * `masks` finds for every cut the states from which an accepting end can be reached. It never stops early and cares for
//!   every cut, but a cut costs a few machine instructions.
//!
//! Both read the automaton through its decisions, so atoms that do not matter are never asked for, and both leave out the
//! states from which no word is accepted; the first one also stops at states from which every word is.

mod configurations;
mod covering;
mod fate;
mod masks;
mod reading;
mod touches;
mod unwind;

#[cfg(test)]
mod tests;

pub(crate) use configurations::run as run_configurations;
pub(crate) use masks::{run as run_masks, supports};
