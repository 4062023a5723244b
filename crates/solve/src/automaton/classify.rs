//! What can be said about the words of an automaton by looking at its states.

use super::{Automaton, Look, State};

impl Automaton {
    /// The states that a state leads to, in ascending order.
    pub fn targets(&self, state: State) -> Vec<State> {
        let ends = self.decisions.ends(self.start(state));
        let mut targets: Vec<State> = ends.flatten().copied().collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// The atoms that the decisions of a state ask for, in ascending order.
    pub fn support(&self, state: State) -> Vec<usize> {
        let places = self.decisions.below(self.start(state)).into_iter();
        let mut atoms: Vec<usize> = places
            .filter_map(|place| match self.look(place) {
                Look::Ask { atom, .. } => Some(atom),
                Look::Go(_) => None,
            })
            .collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    /// How many places that ask there are in the decisions of all states together.
    pub fn questions(&self) -> usize {
        let mut places: Vec<_> = self
            .moves
            .iter()
            .flat_map(|&place| self.decisions.below(place))
            .collect();
        places.sort_unstable();
        places.dedup();
        places.retain(|&place| matches!(self.look(place), Look::Ask { .. }));
        places.len()
    }

    /// Per state, whether no word from there on is accepted.
    pub fn dead(&self) -> Vec<bool> {
        let alive = self.leading_to(self.accepting.clone());
        alive.into_iter().map(|alive| !alive).collect()
    }

    /// Per state of a complete deterministic automaton, whether every word from there on is accepted.
    pub fn sure(&self) -> Vec<bool> {
        let refuses = |state: State| {
            let mut ends = self.decisions.ends(self.start(state));
            !self.is_accepting(state) || ends.any(<[State]>::is_empty)
        };
        let unsure = self.leading_to(self.states().map(refuses).collect());
        unsure.into_iter().map(|unsure| !unsure).collect()
    }

    /// Whether all continuations of a rejected word are rejected; for a deterministic automaton.
    pub fn is_safety(&self) -> bool {
        let dead = self.dead();
        let mut entered = self.entered().into_iter();
        entered.all(|state| self.is_accepting(state) || dead[state as usize])
    }

    /// Whether all continuations of an accepted word are accepted; for a complete deterministic automaton.
    pub fn is_cosafety(&self) -> bool {
        let sure = self.sure();
        let mut entered = self.entered().into_iter();
        entered.all(|state| !self.is_accepting(state) || sure[state as usize])
    }

    /// The states such that each leads only to itself and later ones; `None` if there is a cycle through several.
    pub fn very_weak(&self) -> Option<Vec<State>> {
        let mut sources = vec![0_usize; self.len()];
        let onward: Vec<Vec<State>> = self
            .states()
            .map(|state| {
                let mut targets = self.targets(state);
                targets.retain(|&target| target != state);
                targets
            })
            .collect();
        for &target in onward.iter().flatten() {
            sources[target as usize] += 1;
        }
        let mut order: Vec<State> = self
            .states()
            .filter(|&state| sources[state as usize] == 0)
            .collect();
        let mut done = 0;
        while let Some(&state) = order.get(done) {
            done += 1;
            for &target in &onward[state as usize] {
                sources[target as usize] -= 1;
                if sources[target as usize] == 0 {
                    order.push(target);
                }
            }
        }
        (order.len() == self.len()).then_some(order)
    }

    pub(super) fn states(&self) -> std::ops::Range<State> {
        0..self.len() as State
    }

    /// The states that some non-empty word leads to.
    fn entered(&self) -> Vec<State> {
        let mut seen = vec![false; self.len()];
        let mut entered = Vec::new();
        let mut open = self.targets(self.initial);
        while let Some(state) = open.pop() {
            if !std::mem::replace(&mut seen[state as usize], true) {
                entered.push(state);
                open.extend(self.targets(state));
            }
        }
        entered
    }

    /// The states from which a marked one can be reached, the marked ones included.
    fn leading_to(&self, mut marked: Vec<bool>) -> Vec<bool> {
        let mut sources: Vec<Vec<State>> = vec![Vec::new(); self.len()];
        for state in self.states() {
            for target in self.targets(state) {
                sources[target as usize].push(state);
            }
        }
        let mut open: Vec<State> = self
            .states()
            .filter(|&state| marked[state as usize])
            .collect();
        while let Some(state) = open.pop() {
            for &source in &sources[state as usize] {
                if !std::mem::replace(&mut marked[source as usize], true) {
                    open.push(source);
                }
            }
        }
        marked
    }
}
