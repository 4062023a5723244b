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

use configurations::run as run_configurations;
use masks::run as run_masks;
pub(crate) use masks::supports;

use super::table::{Engine, OfRuns, Skill};

/// Its row in the table.
pub static MONITOR: Engine = Engine {
    name: "monitor",
    about: "Properties of runs: an automaton reads many orders at a time",
    skill: Skill::Runs(OfRuns {
        supports: |_, _| Ok(()),
        run: |task| run_configurations(task.scene, task.automaton, task.wants_steps, task.budget),
    }),
    takes_all: false,
};

/// Its row in the table.
pub static MASKS: Engine = Engine {
    name: "masks",
    about: "Properties of runs: backwards through the cuts, with sets of automaton states",
    skill: Skill::Runs(OfRuns {
        supports: |words, _| supports(&words.compiled.automaton),
        run: |task| run_masks(task.scene, task.automaton, task.wants_steps, task.budget),
    }),
    takes_all: false,
};
