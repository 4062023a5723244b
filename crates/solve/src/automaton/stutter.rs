//! Whether an automaton notices that a position is repeated.
//!
//! Some atoms are about events, which only happen; the others are about states, which last. Repeating a position gives one
//! at which no event happens and the states are the same: the *quiet* letter. A complete deterministic automaton is
//! insensitive to that if and only if after every letter the quiet letter changes nothing, up to states that accept the
//! same. The first letter of a word is quiet, since nothing has happened yet.
//!
//! Letters are not enumerated: the decisions before the letter and the quiet decisions after it are walked side by side, for
//! each state that the letter may lead to, and only through places from which it can.

use rustc_hash::{FxHashMap, FxHashSet};

use super::compare::{Step, spell};
use super::decisions::Decisions;
use super::{Automaton, Look, Place, State};
use causet_base::budget::{Budget, Spent};

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
        let parents = walk.parents();
        let mut first: Option<Repeated> = None;
        for target in walk.reached() {
            let nearer = first.as_ref().map_or(usize::MAX, |first| first.step);
            let leading = walk.leading_to(target, &parents);
            if let Some(repeated) = walk.restless(target, &leading, nearer, budget)? {
                first = Some(repeated);
            }
        }
        match first {
            None => Ok(None),
            Some(repeated) => walk.tell(repeated, is_event, budget),
        }
    }
}

/// A letter whose repetition is noticed, the number of the step before it, and the state it leads to.
struct Repeated {
    step: usize,
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
    /// The beginning, then the states that can be reached, breadth first, with where their decisions start.
    steps: Vec<Step>,
    starts: Vec<Place>,
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
        let quiet: Vec<Place> = quiet.collect();
        let mut walk = Walk {
            automaton,
            starts: vec![quiet[automaton.initial as usize]],
            quiet,
            decisions,
            classes: automaton.classes(budget)?,
            steps: vec![([].into(), 0, Vec::new())],
        };
        walk.reach();
        Ok(walk)
    }

    /// Finds all states that can be reached, each with a shortest word.
    fn reach(&mut self) {
        let mut seen = FxHashSet::default();
        let mut index = 0;
        while let Some(&place) = self.starts.get(index) {
            for (letter, end) in self.decisions.samples(place, self.automaton.atoms) {
                let Look::Go(states) = self.decisions.look(end) else {
                    continue;
                };
                for &state in states {
                    if seen.insert(state) {
                        self.steps.push(([state].into(), index, letter.clone()));
                        self.starts.push(self.automaton.start(state));
                    }
                }
            }
            index += 1;
        }
    }

    fn reached(&self) -> Vec<State> {
        let states = self.steps.iter().flat_map(|(states, _, _)| states);
        states.copied().collect()
    }

    /// Per place, those that lead to it at once.
    fn parents(&self) -> FxHashMap<Place, Vec<Place>> {
        let mut parents: FxHashMap<Place, Vec<Place>> = FxHashMap::default();
        let mut seen = FxHashSet::default();
        let mut open = self.starts.clone();
        while let Some(place) = open.pop() {
            if let Look::Ask { no, yes, .. } = self.decisions.look(place)
                && seen.insert(place)
            {
                for child in [no, yes] {
                    parents.entry(child).or_default().push(place);
                    open.push(child);
                }
            }
        }
        parents
    }

    /// The places from which a letter may lead to a state.
    fn leading_to(
        &mut self,
        target: State,
        parents: &FxHashMap<Place, Vec<Place>>,
    ) -> FxHashSet<Place> {
        let mut leading = FxHashSet::default();
        let mut open = vec![self.decisions.leaf(&[target])];
        while let Some(place) = open.pop() {
            if leading.insert(place) {
                open.extend(parents.get(&place).into_iter().flatten());
            }
        }
        leading
    }

    /// The first step, if it is nearer than one known, after which a letter leads to a state that its repetition leaves.
    fn restless(
        &self,
        target: State,
        leading: &FxHashSet<Place>,
        nearer: usize,
        budget: &Budget,
    ) -> Result<Option<Repeated>, Spent> {
        let mut search = Search {
            walk: self,
            target,
            leading,
            calm: FxHashSet::default(),
            letter: vec![false; self.automaton.atoms],
            budget,
        };
        let again = self.quiet[target as usize];
        for (step, &place) in self.starts.iter().enumerate().take(nearer) {
            if leading.contains(&place) && search.run(place, again)? {
                let letter = search.letter;
                return Ok(Some(Repeated {
                    step,
                    letter,
                    target,
                }));
            }
        }
        Ok(None)
    }

    /// The two words, continued such that one is accepted.
    fn tell(
        &self,
        repeated: Repeated,
        is_event: &dyn Fn(usize) -> bool,
        budget: &Budget,
    ) -> Result<Option<Stutter>, Spent> {
        let Repeated {
            step,
            letter,
            target,
        } = repeated;
        let mut word = spell(&self.steps, step);
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

/// The search for a letter that leads to a state and whose repetition leads away.
struct Search<'w, 'a> {
    walk: &'w Walk<'a>,
    target: State,
    /// The places from which a letter may lead to the state.
    leading: &'w FxHashSet<Place>,
    /// The pairs of places that have been walked through in vain.
    calm: FxHashSet<(Place, Place)>,
    letter: Vec<bool>,
    budget: &'w Budget<'w>,
}

impl Search<'_, '_> {
    fn run(&mut self, place: Place, again: Place) -> Result<bool, Spent> {
        if !self.leading.contains(&place) || !self.calm.insert((place, again)) {
            return Ok(false);
        }
        self.budget.tick()?;
        let decisions = &self.walk.decisions;
        let class = |state: State| self.walk.classes[state as usize];
        let (first, second) = (decisions.look(place), decisions.look(again));
        if let (Look::Go(_), Look::Go(states)) = (first, second) {
            let leaves = |&state: &State| class(state) != class(self.target);
            return Ok(states.iter().any(leaves));
        }
        let atom = first.first_atom().min(second.first_atom());
        for truth in [false, true] {
            self.letter[atom] = truth;
            let [place, again] = [place, again].map(|side| decisions.cofactor(side, atom, truth));
            if self.run(place, again)? {
                return Ok(true);
            }
        }
        self.letter[atom] = false;
        Ok(false)
    }
}
