//! Deciding properties of a run while it is read, without ever having all of it.
//!
//! ```text
//! first reading  --Outline--> names, types, how far each variable is written        (no events are kept)
//! properties + Outline --> Question --Goals--> automata, and how their answers combine
//! second reading --Checker--> clocks --> Online searches, one per automaton --> Outcome
//!                                    +-> Observation: the order in which the events pass ---^
//! ```
//!
//! The file is read twice because a property can only be bound to names that are all known, and because it helps to know
//! how a process ends before it does. What is kept in the second reading follows how far the processes are apart, and not
//! how long the run is: the clock of each process, the messages under way, and in each search the events that some cut
//! of its level has not passed yet ([`crate::engine::guided`]). Guessing the names from the properties would save the
//! first reading, but then a misspelt name would be a variable that is always 0.
//!
//! A run that is still going on is never read to its end before it is followed; [`Monitor`] does both at a time, with an
//! outline that has no ends.
//!
//! What needs the whole run is refused: `EX` and nested temporal operators, which look at the same cut again; `after`
//! with the `id` of an event; a message that reaches more processes than it was sent to. The order of events that shows
//! a verdict is not given either.

mod checker;
mod directory;
mod goals;
mod letters;
mod mail;
mod meeting;
mod monitor;
mod observation;
mod outline;
mod past;
mod search;
mod world;

pub use checker::{Checker, Ending};
pub use goals::Goals;
pub use monitor::{Last, Means, Monitor, Replay, Shown, Standing};
pub use outline::Outline;
