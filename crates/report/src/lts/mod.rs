//! Transition systems and what was found out about them: text, JSON, drawings.
//!
//! ```text
//! Evidence (part of a system that forces a verdict) --evidence::write--> text, drawn
//!                                                   --json::Part-------> JSON
//!                                                   --dot::write-------> Graphviz
//! Info (what a system looks like)                   --info::write, info::write_json
//! Comparison (where two systems differ)             --comparison::write, comparison::write_json
//! ```

pub mod comparison;
pub mod dot;
pub mod evidence;
pub mod info;
pub(crate) mod json;

use causet_lts::Labels;
use causet_lts::counterexample::Counterexample;

use causet_formats::words::count;

pub use json::write_evidence;

/// How large a model is, as far as that is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ModelSize {
    /// How many states and transitions a stored system has; those of a network are not known before it is explored.
    pub stored: Option<(u64, u64)>,
    /// How many labels there are.
    pub labels: usize,
}

impl ModelSize {
    /// The size for a person.
    pub fn words(&self) -> String {
        match self.stored {
            Some((states, transitions)) => {
                let states = count(states as usize, "state");
                format!("{states}, {}", count(transitions as usize, "transition"))
            }
            None => format!("a network, {}", count(self.labels, "label")),
        }
    }
}

/// The part of a system that forces a verdict.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The part.
    pub diagnostic: &'a Counterexample,
    /// The labels of the whole system.
    pub labels: &'a Labels,
    /// Whether the last state of a path has no step in the whole system.
    pub is_stuck: bool,
}

impl Evidence<'_> {
    /// A state for a reader: its number, or the states of the components.
    pub fn state(&self, index: usize) -> String {
        match self.diagnostic.rows.get(index) {
            Some(row) => {
                let locals: Vec<String> = row.iter().map(u32::to_string).collect();
                format!("({})", locals.join(", "))
            }
            None => self.diagnostic.states[index].to_string(),
        }
    }
}
