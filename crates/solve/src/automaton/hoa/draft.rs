//! What the text says, before it is an automaton over finite words.

use super::super::{Place, State};
use super::label::Labels;
use super::tokens::At;

/// A whole text.
pub(super) struct Draft {
    pub(super) name: Option<String>,
    pub(super) atoms: Vec<String>,
    pub(super) starts: Vec<State>,
    pub(super) acceptance: Acceptance,
    pub(super) states: Vec<DraftState>,
    pub(super) labels: Labels,
}

/// Which infinite ways through the automaton are accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Acceptance {
    /// All of them, or none.
    Const(bool),
    /// Those that meet marked edges again and again; a marked state marks all its edges.
    Marks,
}

/// A state and where the text speaks of it, if it does.
#[derive(Clone, Default)]
pub(super) struct DraftState {
    pub(super) at: Option<At>,
    pub(super) marked: bool,
    pub(super) edges: Vec<DraftEdge>,
}

/// An edge whose label is in the table.
#[derive(Clone)]
pub(super) struct DraftEdge {
    pub(super) label: Place,
    pub(super) target: State,
    pub(super) marked: bool,
}
