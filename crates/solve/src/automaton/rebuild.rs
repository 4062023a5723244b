//! Automata made from others: states renamed, merged and dropped, what cannot be reached left out.

use rustc_hash::FxHashMap;

use super::decisions::Decisions;
use super::{Automaton, State};

impl Automaton {
    /// The automaton without the states that no word reaches or that lead to no accepting one.
    ///
    /// The initial state stays. A trap vanishes, so the result may be incomplete.
    pub fn trim(&self) -> Automaton {
        let dead = self.dead();
        self.rebuild(|state| (!dead[state as usize]).then_some(state))
    }

    /// An automaton of the same non-empty words in which the initial state is left out if another one has the same moves.
    ///
    /// Whether the initial state accepts matters only if a word comes back to it.
    pub fn without_empty_word(&self) -> Automaton {
        let initial = self.initial;
        let mut states = 0..self.len() as State;
        let entered = self.moves.iter().any(|&place| {
            let mut ends = self.decisions.ends(place);
            ends.any(|states| states.contains(&initial))
        });
        let twin = states
            .find(|&state| state != initial && self.start(state) == self.start(initial))
            .filter(|_| !entered);
        match twin {
            None => self.clone(),
            Some(twin) => self.rebuild(|state| Some(if state == initial { twin } else { state })),
        }
    }

    /// The automaton in which each state stands for its representative, or for nothing; the states that can be reached are
    /// numbered in the order in which they are found, breadth first.
    pub(super) fn rebuild(&self, representative: impl Fn(State) -> Option<State>) -> Automaton {
        let mut found = vec![representative(self.initial).unwrap_or(self.initial)];
        let mut number_of = FxHashMap::from_iter([(found[0], 0)]);
        let mut decisions = Decisions::new();
        let mut known = FxHashMap::default();
        let mut moves = Vec::new();
        while let Some(&state) = found.get(moves.len()) {
            let mut rename = |states: &[State]| {
                let mut numbers: Vec<State> = states
                    .iter()
                    .filter_map(|&state| representative(state))
                    .map(|state| {
                        *number_of.entry(state).or_insert_with(|| {
                            found.push(state);
                            found.len() as State - 1
                        })
                    })
                    .collect();
                numbers.sort_unstable();
                numbers.dedup();
                numbers
            };
            moves.push(decisions.copy(&self.decisions, self.start(state), &mut known, &mut rename));
        }
        let accepting = found.iter().map(|&state| self.is_accepting(state));
        Automaton {
            atoms: self.atoms,
            accepting: accepting.collect(),
            decisions,
            moves,
            initial: 0,
        }
    }
}
