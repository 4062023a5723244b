//! What an engine for words knows of a run: chains of events with bounds between them, and the truth of atoms at cuts.

use causet_base::budget::Spent;
use causet_solve::chains::Chains;

use crate::engine::Stats;

/// A finite order on chains, and the letters that its cuts are.
///
/// The word of a run has one letter for the initial cut and one for every event. A letter is the truth of all atoms at the
/// cut the event has led to; an atom about events speaks of that event, of nothing else, and is false at the initial cut.
pub trait Scene: Chains {
    /// Whether an atom holds at a cut to which the last event of the chain `by` has led; `None` at the initial cut.
    fn truth(&self, atom: usize, cut: &[u32], by: Option<usize>) -> bool;

    /// Whether an atom is about the event just executed: at a cut to which an event has led that does not touch it, it is
    /// false.
    fn is_event(&self, atom: usize) -> bool;

    /// Whether the event with which a chain comes to have `x` events (`x` is at least 1) may change the truth of an atom,
    /// or make it true if it is about events. Never false when it does.
    fn touches(&self, atom: usize, chain: usize, x: u32) -> bool;
}

/// What an engine found out: whether some complete run is accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Search {
    /// Whether there is such a run.
    pub found: bool,
    /// The chains that advance along it, one after the other. When it does not come to the final cut, whatever follows is
    /// accepted too. An error is the limit that ended the search for them: that there is a run stands.
    pub steps: Result<Option<Vec<usize>>, Spent>,
    /// Figures about the work done.
    pub stats: Stats,
}
