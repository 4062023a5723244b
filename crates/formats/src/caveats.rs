//! What a format leaves out of the order, said with a verdict that may rest on it.
//!
//! ```text
//! a history of clients     says when operations were asked for and answered, not when they took effect
//! spans of one host        were timed by one clock, which orders nothing unless it is trusted
//! ```
//!
//! A verdict that the log's own order shows rests on neither.

use rustc_hash::FxHashMap;

/// What orders fewer events than happened one after the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Caveat {
    /// The completion of an operation comes before later invocations only.
    Completions,
    /// The clocks of hosts are not trusted: the host of each process that ran on a known one.
    Clocks(FxHashMap<String, String>),
}
