//! Whether an automaton notices that a position is repeated.
//!
//! Some atoms are about events, which only happen; the others are about states, which last. Repeating a position gives one
//! at which no event happens and the states are the same: the *quiet* letter. A complete deterministic automaton is
//! insensitive to that if and only if after every letter the quiet letter changes nothing, up to states that accept the
//! same. The first letter of a word is quiet, since nothing has happened yet.
//!
//! Letters are not enumerated: the decisions of the state before the letter and the quiet decisions of the state after it
//! are walked side by side, once for each pair of places.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::decisions::Decisions;
use super::{Automaton, Look, Place, State};
use crate::budget::{Budget, Spent};

/// Two words that differ by a repeated position, of which one is accepted and the other is not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stutter {
    /// The shorter word.
    pub word: Vec<Vec<bool>>,
    /// The longer word, with a quiet letter inserted.
    pub longer: Vec<Vec<bool>>,
    /// Where in the longer word the inserted letter stands.
    pub inserted: usize,
    /// Whether the shorter word is accepted.
    pub accepted: bool,
}

impl Automaton {
    /// How a complete deterministic automaton notices repeated positions; `None` if it does not.
    pub fn stutter(
        &self,
        is_event: &dyn Fn(usize) -> bool,
        budget: &Budget,
    ) -> Result<Option<Stutter>, Spent> {
        let mut walk = Walk::new(self, is_event, budget)?;
        let start = walk.quiet[self.initial as usize];
        let mut open = VecDeque::from([(start, Vec::new())]);
        let mut seen = FxHashSet::default();
        while let Some((place, word)) = open.pop_front() {
            budget.tick()?;
            for target in walk.targets(place) {
                if let Some(letter) = walk.restless(place, target, budget)? {
                    let repeated = Repeated {
                        word,
                        letter,
                        target,
                    };
                    return walk.tell(repeated, is_event, budget);
                }
            }
            for (letter, end) in walk.decisions.samples(place, self.atoms) {
                if let Look::Go(&[target]) = walk.decisions.look(end)
                    && seen.insert(target)
                {
                    open.push_back((self.start(target), [&word[..], &[letter]].concat()));
                }
            }
        }
        Ok(None)
    }
}

/// A word and a letter after it whose repetition is noticed, and the state it leads to.
struct Repeated {
    word: Vec<Vec<bool>>,
    letter: Vec<bool>,
    target: State,
}

struct Walk<'a> {
    automaton: &'a Automaton,
    /// The decisions of the automaton, and what is left of them when no event happens.
    decisions: Decisions,
    /// Per state, its decisions when no event happens.
    quiet: Vec<Place>,
    classes: Vec<State>,
    /// Per state, the pairs of places from which no letter leads to it that it notices when repeated.
    calm: FxHashMap<State, FxHashSet<(Place, Place)>>,
}

impl<'a> Walk<'a> {
    fn new(
        automaton: &'a Automaton,
        is_event: &dyn Fn(usize) -> bool,
        budget: &Budget,
    ) -> Result<Self, Spent> {
        let mut decisions = automaton.decisions.clone();
        let mut known = FxHashMap::default();
        let quiet = automaton.moves.iter();
        let quiet = quiet.map(|&place| decisions.without(place, is_event, &mut known));
        Ok(Walk {
            automaton,
            quiet: quiet.collect(),
            decisions,
            classes: automaton.classes(budget)?,
            calm: FxHashMap::default(),
        })
    }

    fn targets(&self, place: Place) -> Vec<State> {
        self.decisions.ends(place).flatten().copied().collect()
    }

    /// A letter that leads from a place to a state which its repetition leaves.
    fn restless(
        &mut self,
        place: Place,
        target: State,
        budget: &Budget,
    ) -> Result<Option<Vec<bool>>, Spent> {
        let mut calm = self.calm.remove(&target).unwrap_or_default();
        let mut letter = vec![false; self.automaton.atoms];
        let again = self.quiet[target as usize];
        let found = self.search((place, again), target, &mut calm, &mut letter, budget)?;
        self.calm.insert(target, calm);
        Ok(found.then_some(letter))
    }

    fn search(
        &self,
        (place, again): (Place, Place),
        target: State,
        calm: &mut FxHashSet<(Place, Place)>,
        letter: &mut [bool],
        budget: &Budget,
    ) -> Result<bool, Spent> {
        if !calm.insert((place, again)) {
            return Ok(false);
        }
        budget.tick()?;
        let class = |state: State| self.classes[state as usize];
        let (first, second) = (self.decisions.look(place), self.decisions.look(again));
        match (first, second) {
            (Look::Go(states), _) if *states != [target] => return Ok(false),
            (Look::Go(_), Look::Go(states)) => {
                return Ok(states.iter().any(|&state| class(state) != class(target)));
            }
            _ => {}
        }
        let atom = first.first_atom().min(second.first_atom());
        for truth in [false, true] {
            letter[atom] = truth;
            let sides = [place, again].map(|side| self.decisions.cofactor(side, atom, truth));
            if self.search(sides.into(), target, calm, letter, budget)? {
                return Ok(true);
            }
        }
        letter[atom] = false;
        Ok(false)
    }

    /// The two words, continued such that one is accepted.
    fn tell(
        &self,
        repeated: Repeated,
        is_event: &dyn Fn(usize) -> bool,
        budget: &Budget,
    ) -> Result<Option<Stutter>, Spent> {
        let Repeated {
            mut word,
            letter,
            target,
        } = repeated;
        let quiet = |(atom, &truth): (usize, &bool)| truth && !is_event(atom);
        let quiet: Vec<bool> = letter.iter().enumerate().map(quiet).collect();
        let Some(&after) = self.automaton.next(target, |atom| quiet[atom]).first() else {
            return Ok(None);
        };
        let Some(rest) = self.automaton.distinguish(target, after, budget)? else {
            return Ok(None);
        };
        word.push(letter);
        let inserted = word.len();
        let longer = [&word[..], &[quiet], &rest].concat();
        word.extend(rest);
        Ok(Some(Stutter {
            accepted: self.automaton.accepts(&word),
            word,
            longer,
            inserted,
        }))
    }
}
