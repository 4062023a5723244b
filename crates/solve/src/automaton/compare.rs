//! Words that tell two automata apart.
//!
//! Both automata are put side by side and read the same word; the first set of states of which one side accepts and the
//! other does not ends a shortest such word. Every set is followed by one letter for each set that comes next.

use rustc_hash::{FxHashMap, FxHashSet};

use super::determinise::Subsets;
use super::{Automaton, Look, State};
use causet_base::budget::{Budget, Spent};

impl Automaton {
    /// A shortest non-empty word that one of the automata accepts and the other does not; `None` if they accept the same.
    pub fn difference(
        &self,
        other: &Automaton,
        budget: &Budget,
    ) -> Result<Option<Vec<Vec<bool>>>, Spent> {
        let both = self.beside(other);
        let right = self.len() as State + other.initial;
        both.separate(self.len(), [self.initial, right], false, budget)
    }

    /// A shortest word that is accepted from one state and not from the other.
    pub(super) fn distinguish(
        &self,
        one: State,
        other: State,
        budget: &Budget,
    ) -> Result<Option<Vec<Vec<bool>>>, Spent> {
        let both = self.beside(self);
        let right = self.len() as State + other;
        both.separate(self.len(), [one, right], true, budget)
    }

    /// The states of both automata, those of the other one after all of this one.
    fn beside(&self, other: &Automaton) -> Automaton {
        let mut both = self.clone();
        let shift = self.len() as State;
        both.atoms = self.atoms.max(other.atoms);
        let mut known = FxHashMap::default();
        let mut rename = |states: &[State]| states.iter().map(|&state| state + shift).collect();
        for &place in &other.moves {
            let place = both
                .decisions
                .copy(&other.decisions, place, &mut known, &mut rename);
            both.moves.push(place);
        }
        both.accepting.extend_from_slice(&other.accepting);
        both
    }

    /// The search, from a state of each of two automata that were put side by side; the first has so many states.
    fn separate(
        &self,
        border: usize,
        from: [State; 2],
        may_be_empty: bool,
        budget: &Budget,
    ) -> Result<Option<Vec<Vec<bool>>>, Spent> {
        let branch = budget.branch();
        let mut subsets = Subsets::new(&self.decisions, &branch);
        let mut found: Vec<Step> = vec![(from.into(), 0, Vec::new())];
        let mut seen = FxHashSet::default();
        if may_be_empty {
            seen.insert(found[0].0.clone());
        }
        let accepts = |side: &[State]| side.iter().any(|&state| self.is_accepting(state));
        let mut index = 0;
        while let Some((set, _, _)) = found.get(index) {
            let (one, other) =
                set.split_at(set.partition_point(|&state| (state as usize) < border));
            if accepts(one) != accepts(other) && (index > 0 || may_be_empty) {
                return Ok(Some(spell(&found, index)));
            }
            let united = subsets.unite(set.iter().map(|&state| self.start(state)))?;
            for (letter, place) in subsets.decisions.samples(united, self.atoms) {
                if let Look::Go(states) = subsets.decisions.look(place)
                    && seen.insert(states.into())
                {
                    found.push((states.into(), index, letter));
                }
            }
            index += 1;
        }
        Ok(None)
    }
}

/// A set of states, the number of the set before it, and the letter between them.
pub(super) type Step = (Box<[State]>, usize, Vec<bool>);

/// The letters on the way to a set.
pub(super) fn spell(found: &[Step], mut index: usize) -> Vec<Vec<bool>> {
    let mut word = Vec::new();
    while index > 0 {
        let (_, before, letter) = &found[index];
        word.push(letter.clone());
        index = *before;
    }
    word.reverse();
    word
}
