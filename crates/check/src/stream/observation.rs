//! The order in which the events pass, read as one word by an automaton.
//!
//! The events pass in an order in which they can have happened, so what a beginning of that order shows of some order is
//! certain, and it is known at the event that shows it. This takes one step of the automaton per event that can be seen,
//! and the predicates are kept up to date ([`Incremental`]): a sum over a thousand processes costs as much as one over a
//! few. A search needs all orders; what this one order shows does not wait for it.

use causet_base::value::Value;
use causet_solve::automaton::{Automaton, Builder, Guard, State};

use crate::project::{Incremental, TermId, View};

/// What is known of the order in which the events pass.
pub(super) struct Observation {
    automaton: Automaton,
    /// Per state: whether every word that goes on from it is accepted, and whether none is.
    is_sure: Vec<bool>,
    is_dead: Vec<bool>,
    /// Per atom: the predicate; of an atom about events nothing is asked here.
    atoms: Incremental,
    /// Where the word read so far may have led, without dead states.
    states: Vec<State>,
}

impl Observation {
    /// Nothing has passed but the initial cut. Atoms about events have a view that never holds.
    pub(super) fn of_word(
        automaton: Automaton,
        views: &[View],
        terms: &[Option<Value>],
    ) -> Observation {
        let mut observation = Observation {
            is_sure: automaton.sure(),
            is_dead: automaton.dead(),
            atoms: Incremental::new(views, terms),
            states: vec![automaton.initial()],
            automaton,
        };
        observation.step(&[]);
        observation
    }

    /// Looks for a cut where all views hold.
    pub(super) fn of_cut(views: Vec<View>, terms: &[Option<Value>]) -> Observation {
        let mut builder = Builder::new(1);
        let (here, there) = (builder.state(false), builder.state(true));
        builder.moves(here, &[(Guard::Atom(0), there)], Some(here));
        builder.moves(there, &[], Some(there));
        Observation::of_word(builder.finish(), &[View::And(views)], terms)
    }

    /// Whether every order that begins like this one is accepted.
    pub(super) fn is_sure(&self) -> bool {
        let mut states = self.states.iter();
        states.any(|&state| self.is_sure[state as usize])
    }

    /// Whether no order that begins like this one is accepted.
    pub(super) fn is_dead(&self) -> bool {
        self.states.is_empty()
    }

    /// Whether the order is accepted if it ends here.
    pub(super) fn is_accepted(&self) -> bool {
        let mut states = self.states.iter();
        states.any(|&state| self.automaton.is_accepting(state))
    }

    /// Whether something was divided by zero so far.
    pub(super) fn divided_by_zero(&self) -> bool {
        self.atoms.divided_by_zero()
    }

    /// The event that passes changes a term.
    pub(super) fn change(&mut self, term: TermId, value: &Option<Value>) {
        if !self.is_dead() {
            self.atoms.change(term, value);
        }
    }

    /// Reads the cut to which the event has led; `marks` are the atoms about events that are true of it.
    pub(super) fn step(&mut self, marks: &[u32]) {
        if self.is_dead() {
            return;
        }
        self.atoms.settle();
        while self.atoms.next_changed().is_some() {}
        let truth = |atom: usize| self.atoms.holds(atom) || marks.contains(&(atom as u32));
        let mut after: Vec<State> = Vec::with_capacity(self.states.len());
        for &state in &self.states {
            after.extend_from_slice(self.automaton.next(state, truth));
        }
        after.retain(|&state| !self.is_dead[state as usize]);
        after.sort_unstable();
        after.dedup();
        self.states = after;
    }
}
