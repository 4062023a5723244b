//! Labels of edges, as decisions that end in yes or no.
//!
//! An alias stands for its decisions and not for its text, so a short text cannot grow without end.

use std::convert::Infallible;

use rustc_hash::FxHashMap;

use super::super::decisions::{Decisions, union};
use super::super::{Place, State};
use crate::budget::{Budget, Spent};

/// The table of all labels.
pub(super) struct Labels {
    pub(super) decisions: Decisions,
    pub(super) no: Place,
    pub(super) yes: Place,
}

impl Labels {
    pub(super) fn new() -> Self {
        let mut decisions = Decisions::new();
        let no = decisions.leaf(&[]);
        let yes = decisions.leaf(&[0]);
        Labels { decisions, no, yes }
    }

    pub(super) fn atom(&mut self, atom: usize) -> Place {
        self.decisions.branch(atom, self.no, self.yes)
    }

    pub(super) fn not(&mut self, one: Place) -> Place {
        let unlimited = || Ok::<(), Infallible>(());
        let join =
            &mut |one: &[State], _: &[State]| Ok(if one.is_empty() { vec![0] } else { Vec::new() });
        let mut known = FxHashMap::default();
        let no = self.no;
        let Ok(place) = self.decisions.merge(one, no, &mut known, &unlimited, join);
        place
    }

    pub(super) fn and(
        &mut self,
        one: Place,
        other: Place,
        budget: &Budget,
    ) -> Result<Place, Spent> {
        let join = &mut |one: &[State], other: &[State]| {
            Ok(if one.is_empty() { one } else { other }.to_vec())
        };
        let mut known = FxHashMap::default();
        let tick = || budget.tick();
        self.decisions.merge(one, other, &mut known, &tick, join)
    }

    pub(super) fn or(&mut self, one: Place, other: Place, budget: &Budget) -> Result<Place, Spent> {
        let join = &mut |one: &[State], other: &[State]| Ok(union(one, other));
        let mut known = FxHashMap::default();
        let tick = || budget.tick();
        self.decisions.merge(one, other, &mut known, &tick, join)
    }
}
