//! Finite automata whose letters are valuations of atoms, with decisions instead of letters.
//!
//! A property with twenty atoms has a million letters, of which it can tell a handful apart. So the moves of a state are a
//! decision diagram: it asks for the truth of one atom after the other, as few as it needs and always in the same order,
//! until it comes to the states that are next. Diagrams are shared and canonical, so two states with the same moves have
//! the same [`Place`].
//!
//! ```text
//! guards of a monitor --Builder--+
//! LTL --ltl::translate-----------+--> Automaton --determinise--> minimise --> classify
//! regular expression --regular---+        |
//!                                         +--> print, dot, HOA
//! ```
//!
//! Words are finite. A word is accepted when some way through it ends in an accepting state; the empty word never occurs.

mod classify;
mod compare;
mod decisions;
mod determinise;
mod dot;
mod edges;
mod functions;
pub mod hoa;
pub mod linear;
pub mod ltl;
mod minimise;
mod print;
mod rebuild;
pub mod regular;
mod stutter;
mod tableau;

use decisions::Decisions;
pub use decisions::{Guard, Place};
pub use edges::{Cube, Edge};
pub use stutter::Stutter;

/// The number of a state.
pub type State = u32;

/// A finite automaton over valuations of numbered atoms; it may be non-deterministic and incomplete.
#[derive(Clone, Debug)]
pub struct Automaton {
    atoms: usize,
    decisions: Decisions,
    /// Per state, where its decisions start.
    moves: Vec<Place>,
    initial: State,
    accepting: Vec<bool>,
}

/// What a place in the decisions of a state asks or says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look<'a> {
    /// Is the atom true?
    Ask {
        /// The atom.
        atom: usize,
        /// Where to look on if it is not.
        no: Place,
        /// Where to look on if it is.
        yes: Place,
    },
    /// These states are next, in ascending order; none means that there is no way on.
    Go(&'a [State]),
}

impl Look<'_> {
    /// The atom asked for, or one after all others.
    fn first_atom(self) -> usize {
        match self {
            Look::Ask { atom, .. } => atom,
            Look::Go(_) => usize::MAX,
        }
    }
}

impl Automaton {
    /// How many atoms there are.
    pub fn atoms(&self) -> usize {
        self.atoms
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether there are no states, which never happens.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Where words begin.
    pub fn initial(&self) -> State {
        self.initial
    }

    /// Whether a word may end in this state.
    pub fn is_accepting(&self, state: State) -> bool {
        self.accepting[state as usize]
    }

    /// Where the decisions of a state start.
    pub fn start(&self, state: State) -> Place {
        self.moves[state as usize]
    }

    /// What a place asks or says.
    pub fn look(&self, place: Place) -> Look<'_> {
        self.decisions.look(place)
    }

    /// The states after a letter, which is asked only for the atoms that matter.
    pub fn next(&self, state: State, mut truth: impl FnMut(usize) -> bool) -> &[State] {
        let mut place = self.start(state);
        loop {
            match self.look(place) {
                Look::Ask { atom, no, yes } => place = if truth(atom) { yes } else { no },
                Look::Go(states) => return states,
            }
        }
    }

    /// Whether a word is accepted; each letter lists the truth of all atoms.
    pub fn accepts(&self, word: &[Vec<bool>]) -> bool {
        let mut now = vec![self.initial];
        for letter in word {
            let mut next: Vec<State> = Vec::new();
            for &state in &now {
                next.extend_from_slice(self.next(state, |atom| letter[atom]));
            }
            next.sort_unstable();
            next.dedup();
            now = next;
        }
        now.iter().any(|&state| self.is_accepting(state))
    }
}

/// An automaton in the making, from guards.
#[derive(Debug)]
pub struct Builder {
    automaton: Automaton,
}

impl Builder {
    /// An automaton over so many atoms; the first state added is the initial one.
    pub fn new(atoms: usize) -> Self {
        let decisions = Decisions::new();
        Builder {
            automaton: Automaton {
                atoms,
                decisions,
                moves: Vec::new(),
                initial: 0,
                accepting: Vec::new(),
            },
        }
    }

    /// Adds a state, so far without a way on.
    pub fn state(&mut self, accepting: bool) -> State {
        let nowhere = self.automaton.decisions.leaf(&[]);
        self.automaton.moves.push(nowhere);
        self.automaton.accepting.push(accepting);
        (self.automaton.moves.len() - 1) as State
    }

    /// Says where a state leads: to every target whose guard holds, and to `otherwise` when none does.
    pub fn moves(&mut self, state: State, targets: &[(Guard, State)], otherwise: Option<State>) {
        let decisions = &mut self.automaton.decisions;
        let mut place = decisions.leaf(&[]);
        for (guard, target) in targets {
            let there = decisions.leaf(&[*target]);
            let nowhere = decisions.leaf(&[]);
            let one = decisions.choose(guard, there, nowhere);
            place = decisions.unite(place, one);
        }
        if let Some(otherwise) = otherwise {
            let otherwise = decisions.leaf(&[otherwise]);
            place = decisions.fill(place, otherwise);
        }
        self.automaton.moves[state as usize] = place;
    }

    /// Makes another state than the first the initial one.
    pub fn start_at(&mut self, state: State) {
        self.automaton.initial = state;
    }

    /// The automaton.
    pub fn finish(self) -> Automaton {
        self.automaton
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guards_decide_where_to_go() {
        let mut builder = Builder::new(2);
        let (here, there) = (builder.state(false), builder.state(true));
        let both = Guard::All(vec![Guard::Atom(0), Guard::Atom(1)]);
        builder.moves(here, &[(both, there), (Guard::Atom(1), here)], Some(here));
        builder.moves(there, &[], Some(there));
        let automaton = builder.finish();
        assert_eq!(automaton.next(here, |atom| atom == 0), [here]);
        assert_eq!(automaton.next(here, |_| true), [here, there]);
        let letter = |a, b| vec![a, b];
        assert!(automaton.accepts(&[letter(false, true), letter(true, true)]));
        assert!(!automaton.accepts(&[letter(false, true), letter(true, false)]));
    }

    #[test]
    fn no_atom_is_asked_in_vain() {
        let mut builder = Builder::new(3);
        let here = builder.state(true);
        let either = Guard::Any(vec![
            Guard::Atom(2),
            Guard::Not(Box::new(Guard::Atom(2))),
            Guard::Atom(0),
        ]);
        builder.moves(here, &[(either, here)], None);
        let automaton = builder.finish();
        assert_eq!(automaton.look(automaton.start(here)), Look::Go(&[here]));
    }
}
