//! Deterministic, complete and complementary automata.
//!
//! The subset construction unites the decisions of the states of a set; each set that these end in is a state. The set of
//! no states is the trap.

use rustc_hash::FxHashMap;

use super::decisions::{Decisions, union};
use super::{Automaton, Place, State};
use causet_base::budget::{Budget, Spent};

impl Automaton {
    /// Whether no letter leaves a choice.
    pub fn is_deterministic(&self) -> bool {
        self.all_ends(|states| states.len() <= 1)
    }

    /// Whether every letter leads on from every state.
    pub fn is_complete(&self) -> bool {
        self.all_ends(|states| !states.is_empty())
    }

    /// A complete deterministic automaton of the same words; `None` if it has more than `limit` states.
    pub fn determinise(&self, limit: usize, budget: &Budget) -> Result<Option<Automaton>, Spent> {
        let branch = budget.branch();
        let mut subsets = Subsets::new(&self.decisions, &branch);
        let mut found: Vec<Box<[State]>> = vec![[self.initial].into()];
        let mut number_of = FxHashMap::from_iter([(found[0].clone(), 0)]);
        let mut decisions = Decisions::new();
        let mut known = FxHashMap::default();
        let mut moves = Vec::new();
        while let Some(subset) = found.get(moves.len()) {
            let starts = subset.iter().map(|&state| self.start(state));
            let united = subsets.unite(starts)?;
            let mut rename = |states: &[State]| {
                let fresh = found.len() as State;
                let number = *number_of.entry(states.into()).or_insert(fresh);
                if number == fresh {
                    found.push(states.into());
                }
                vec![number]
            };
            moves.push(decisions.copy(&subsets.decisions, united, &mut known, &mut rename));
            if found.len() > limit {
                return Ok(None);
            }
        }
        let accepts = |subset: &[State]| subset.iter().any(|&state| self.is_accepting(state));
        Ok(Some(Automaton {
            atoms: self.atoms,
            accepting: found.iter().map(|subset| accepts(subset)).collect(),
            decisions,
            moves,
            initial: 0,
        }))
    }

    /// The automaton with a trap wherever there was no way on; the same if there is none such.
    pub fn complete(&self) -> Automaton {
        let mut complete = self.clone();
        if self.is_complete() {
            return complete;
        }
        let trap = self.len() as State;
        let decisions = &mut complete.decisions;
        let to_trap = decisions.leaf(&[trap]);
        for place in &mut complete.moves {
            *place = decisions.fill(*place, to_trap);
        }
        complete.moves.push(to_trap);
        complete.accepting.push(false);
        complete
    }

    /// The automaton of all other words; `None` unless this one is deterministic and complete.
    pub fn complement(&self) -> Option<Automaton> {
        if !self.all_ends(|states| states.len() == 1) {
            return None;
        }
        let mut complement = self.clone();
        for accepting in &mut complement.accepting {
            *accepting = !*accepting;
        }
        Some(complement)
    }

    fn all_ends(&self, right: impl Fn(&[State]) -> bool) -> bool {
        let mut starts = self.moves.iter();
        starts.all(|&place| self.decisions.ends(place).all(&right))
    }
}

/// Decisions that end in sets, united within a budget.
pub(super) struct Subsets<'b> {
    pub(super) decisions: Decisions,
    known: FxHashMap<(Place, Place), Place>,
    budget: &'b Budget<'b>,
}

/// A pair of places and what comes of it, with its share of a map, in bytes.
const BYTES_PER_PAIR: usize = 64;

impl<'b> Subsets<'b> {
    pub(super) fn new(decisions: &Decisions, budget: &'b Budget<'b>) -> Self {
        Subsets {
            decisions: decisions.clone(),
            known: FxHashMap::default(),
            budget,
        }
    }

    /// The decisions of all these places together.
    pub(super) fn unite(&mut self, places: impl Iterator<Item = Place>) -> Result<Place, Spent> {
        let budget = self.budget;
        let tick = || {
            budget.tick()?;
            budget.charge(BYTES_PER_PAIR)
        };
        let mut all = self.decisions.leaf(&[]);
        for place in places {
            let join = &mut |one: &[State], other: &[State]| Ok(union(one, other));
            all = self
                .decisions
                .merge(all, place, &mut self.known, &tick, join)?;
        }
        Ok(all)
    }
}
