//! Shared, reduced and ordered decisions that end in sets of states: multi-terminal binary decision diagrams.

use std::convert::Infallible;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Look, State};

/// A place in the decisions: a question or a set of states.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place(u32);

impl Place {
    fn branch(index: usize) -> Self {
        Place((index as u32) << 1)
    }

    fn leaf(index: usize) -> Self {
        Place((index as u32) << 1 | 1)
    }

    fn index(self) -> usize {
        (self.0 >> 1) as usize
    }

    fn is_leaf(self) -> bool {
        self.0 & 1 == 1
    }
}

/// A condition on a letter.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Guard {
    /// Always, or never.
    Const(bool),
    /// The atom is true.
    Atom(usize),
    /// Negation.
    Not(Box<Guard>),
    /// Conjunction.
    All(Vec<Guard>),
    /// Disjunction.
    Any(Vec<Guard>),
}

impl Guard {
    /// Whether a letter satisfies it.
    pub fn holds(&self, truth: &dyn Fn(usize) -> bool) -> bool {
        match self {
            Guard::Const(always) => *always,
            Guard::Atom(atom) => truth(*atom),
            Guard::Not(part) => !part.holds(truth),
            Guard::All(parts) => parts.iter().all(|part| part.holds(truth)),
            Guard::Any(parts) => parts.iter().any(|part| part.holds(truth)),
        }
    }
}

/// How two sets of states become one, if the budget allows.
pub(super) type Join<'j, E> = dyn FnMut(&[State], &[State]) -> Result<Vec<State>, E> + 'j;

/// The table of all decisions of an automaton.
#[derive(Clone, Default, Debug)]
pub(super) struct Decisions {
    branches: Vec<(usize, Place, Place)>,
    leaves: Vec<Box<[State]>>,
    branch_of: FxHashMap<(usize, Place, Place), Place>,
    leaf_of: FxHashMap<Box<[State]>, Place>,
}

impl Decisions {
    pub(super) fn new() -> Self {
        Decisions::default()
    }

    pub(super) fn look(&self, place: Place) -> Look<'_> {
        if place.is_leaf() {
            return Look::Go(&self.leaves[place.index()]);
        }
        let (atom, no, yes) = self.branches[place.index()];
        Look::Ask { atom, no, yes }
    }

    /// The place that says these states, which are in ascending order.
    pub(super) fn leaf(&mut self, states: &[State]) -> Place {
        if let Some(&place) = self.leaf_of.get(states) {
            return place;
        }
        let place = Place::leaf(self.leaves.len());
        self.leaves.push(states.into());
        self.leaf_of.insert(states.into(), place);
        place
    }

    /// The place that asks for an atom; nothing is asked when the answer does not matter.
    pub(super) fn branch(&mut self, atom: usize, no: Place, yes: Place) -> Place {
        if no == yes {
            return no;
        }
        let fresh = Place::branch(self.branches.len());
        let place = *self.branch_of.entry((atom, no, yes)).or_insert(fresh);
        if place == fresh {
            self.branches.push((atom, no, yes));
        }
        place
    }

    /// `then` where the guard holds, else `otherwise`.
    pub(super) fn choose(&mut self, guard: &Guard, then: Place, otherwise: Place) -> Place {
        match guard {
            Guard::Const(true) => then,
            Guard::Const(false) => otherwise,
            Guard::Not(part) => self.choose(part, otherwise, then),
            Guard::All(parts) => {
                let mut place = then;
                for part in parts.iter().rev() {
                    place = self.choose(part, place, otherwise);
                }
                place
            }
            Guard::Any(parts) => {
                let mut place = otherwise;
                for part in parts.iter().rev() {
                    place = self.choose(part, then, place);
                }
                place
            }
            Guard::Atom(atom) => {
                let mut known = FxHashMap::default();
                self.split(*atom, otherwise, then, &mut known)
            }
        }
    }

    /// `no` where the atom is false, `yes` where it is true, whatever these ask themselves.
    fn split(
        &mut self,
        atom: usize,
        no: Place,
        yes: Place,
        known: &mut FxHashMap<(Place, Place), Place>,
    ) -> Place {
        if no == yes {
            return no;
        }
        if let Some(&place) = known.get(&(no, yes)) {
            return place;
        }
        let first = (self.look(no).first_atom()).min(self.look(yes).first_atom());
        let place = if first >= atom {
            let no = self.cofactor(no, atom, false);
            let yes = self.cofactor(yes, atom, true);
            self.branch(atom, no, yes)
        } else {
            let without = (
                self.cofactor(no, first, false),
                self.cofactor(yes, first, false),
            );
            let with = (
                self.cofactor(no, first, true),
                self.cofactor(yes, first, true),
            );
            let without = self.split(atom, without.0, without.1, known);
            let with = self.split(atom, with.0, with.1, known);
            self.branch(first, without, with)
        };
        known.insert((no, yes), place);
        place
    }

    /// The place once the truth of an atom is known, of which nothing before it is asked there.
    pub(super) fn cofactor(&self, place: Place, atom: usize, truth: bool) -> Place {
        match self.look(place) {
            Look::Ask {
                atom: asked,
                no,
                yes,
            } if asked == atom => {
                if truth {
                    yes
                } else {
                    no
                }
            }
            _ => place,
        }
    }

    /// The states of both.
    pub(super) fn unite(&mut self, one: Place, other: Place) -> Place {
        let unlimited = || Ok::<(), Infallible>(());
        let join = &mut |one: &[State], other: &[State]| Ok(union(one, other));
        let Ok(place) = self.merge(one, other, &mut FxHashMap::default(), &unlimited, join);
        place
    }

    /// The states of the first, or those of the second where the first has none.
    pub(super) fn fill(&mut self, one: Place, other: Place) -> Place {
        let unlimited = || Ok::<(), Infallible>(());
        let join = &mut |one: &[State], other: &[State]| {
            Ok(if one.is_empty() { other } else { one }.to_vec())
        };
        let Ok(place) = self.merge(one, other, &mut FxHashMap::default(), &unlimited, join);
        place
    }

    /// Goes through two diagrams side by side and joins what they say; `tick` may stop it at every step.
    pub(super) fn merge<E>(
        &mut self,
        one: Place,
        other: Place,
        known: &mut FxHashMap<(Place, Place), Place>,
        tick: &dyn Fn() -> Result<(), E>,
        join: &mut Join<'_, E>,
    ) -> Result<Place, E> {
        if let Some(&place) = known.get(&(one, other)) {
            return Ok(place);
        }
        tick()?;
        let place = match (self.look(one), self.look(other)) {
            (Look::Go(left), Look::Go(right)) => {
                let joined = join(left, right)?;
                self.leaf(&joined)
            }
            (left, right) => {
                let atom = left.first_atom().min(right.first_atom());
                let mut sides = [one; 2];
                for (side, truth) in sides.iter_mut().zip([false, true]) {
                    let (left, right) = (
                        self.cofactor(one, atom, truth),
                        self.cofactor(other, atom, truth),
                    );
                    *side = self.merge(left, right, known, tick, join)?;
                }
                self.branch(atom, sides[0], sides[1])
            }
        };
        known.insert((one, other), place);
        Ok(place)
    }

    /// Copies a diagram from another table, with other states at its ends.
    pub(super) fn copy(
        &mut self,
        from: &Decisions,
        place: Place,
        known: &mut FxHashMap<Place, Place>,
        rename: &mut dyn FnMut(&[State]) -> Vec<State>,
    ) -> Place {
        if let Some(&copied) = known.get(&place) {
            return copied;
        }
        let copied = match from.look(place) {
            Look::Go(states) => {
                let renamed = rename(states);
                self.leaf(&renamed)
            }
            Look::Ask { atom, no, yes } => {
                let no = self.copy(from, no, known, rename);
                let yes = self.copy(from, yes, known, rename);
                self.branch(atom, no, yes)
            }
        };
        known.insert(place, copied);
        copied
    }

    /// The diagram under the assumption that some atoms are false.
    pub(super) fn without(
        &mut self,
        place: Place,
        is_false: &dyn Fn(usize) -> bool,
        known: &mut FxHashMap<Place, Place>,
    ) -> Place {
        let Look::Ask { atom, no, yes } = self.look(place) else {
            return place;
        };
        if let Some(&without) = known.get(&place) {
            return without;
        }
        let mut without = self.without(no, is_false, known);
        if !is_false(atom) {
            let yes = self.without(yes, is_false, known);
            without = self.branch(atom, without, yes);
        }
        known.insert(place, without);
        without
    }

    /// One letter for each end of a diagram, with the end.
    pub(super) fn samples(&self, place: Place, atoms: usize) -> Vec<(Vec<bool>, Place)> {
        let mut seen = FxHashSet::default();
        let mut samples = Vec::new();
        let mut open = vec![(vec![false; atoms], place)];
        while let Some((letter, place)) = open.pop() {
            if !seen.insert(place) {
                continue;
            }
            match self.look(place) {
                Look::Go(_) => samples.push((letter, place)),
                Look::Ask { atom, no, yes } => {
                    let mut with = letter.clone();
                    with[atom] = true;
                    open.extend([(with, yes), (letter, no)]);
                }
            }
        }
        samples
    }

    /// All places from one on, each once.
    pub(super) fn below(&self, place: Place) -> Vec<Place> {
        let mut seen = FxHashSet::default();
        let mut found = Vec::new();
        let mut open = vec![place];
        while let Some(place) = open.pop() {
            if !seen.insert(place) {
                continue;
            }
            found.push(place);
            if let Look::Ask { no, yes, .. } = self.look(place) {
                open.extend([yes, no]);
            }
        }
        found
    }

    /// The sets of states that a diagram ends in.
    pub(super) fn ends(&self, place: Place) -> impl Iterator<Item = &[State]> {
        let ends = self.below(place).into_iter();
        ends.filter_map(|place| match self.look(place) {
            Look::Go(states) => Some(states),
            Look::Ask { .. } => None,
        })
    }
}

/// Two sets of states in ascending order as one.
pub(super) fn union(one: &[State], other: &[State]) -> Vec<State> {
    let mut both = [one, other].concat();
    both.sort_unstable();
    both.dedup();
    both
}
