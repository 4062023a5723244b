//! The moves of a state for people: for each state that comes next, a short disjunction of conjunctions.
//!
//! Every path through the decisions would be such a conjunction, but there are too many and they say too much. The
//! procedure of Minato and Morreale finds an irredundant disjunction between a lower and an upper bound: it splits by an
//! atom, covers what needs the atom false, what needs it true, and what is left without asking.

use std::convert::Infallible;

use rustc_hash::FxHashMap;

use super::decisions::Decisions;
use super::{Automaton, Place, State};

/// A conjunction: these atoms are true or false as said, in ascending order; the other ones do not matter.
pub type Cube = Vec<(usize, bool)>;

/// When a state leads to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// One of these must hold; the conjunction of nothing always does.
    pub cubes: Vec<Cube>,
    /// The state that is next.
    pub target: State,
}

impl Automaton {
    /// The edges from a state, by ascending target.
    pub fn edges(&self, state: State) -> Vec<Edge> {
        let targets = self.targets(state).into_iter();
        let edge = |target| Edge {
            cubes: self.cubes(state, target),
            target,
        };
        targets.map(edge).collect()
    }

    fn cubes(&self, state: State, target: State) -> Vec<Cube> {
        let mut cover = Cover::new();
        let mut leads = |states: &[State]| {
            let leads = states.contains(&target);
            if leads { vec![0] } else { Vec::new() }
        };
        let mut known = FxHashMap::default();
        let start = self.start(state);
        let exact = cover
            .decisions
            .copy(&self.decisions, start, &mut known, &mut leads);
        cover.between(exact, exact).0
    }
}

/// Decisions that end in yes, a set of one state, or no, the set of none.
struct Cover {
    decisions: Decisions,
    no: Place,
    yes: Place,
}

impl Cover {
    fn new() -> Self {
        let mut decisions = Decisions::new();
        let no = decisions.leaf(&[]);
        let yes = decisions.leaf(&[0]);
        Cover { decisions, no, yes }
    }

    /// Conjunctions that cover the lower function and stay within the upper one, and what they cover.
    fn between(&mut self, lower: Place, upper: Place) -> (Vec<Cube>, Place) {
        if lower == self.no {
            return (Vec::new(), self.no);
        }
        if upper == self.yes {
            return (vec![Vec::new()], self.yes);
        }
        let first = |place: Place| self.decisions.look(place).first_atom();
        let atom = first(lower).min(first(upper));
        let part = |place: Place, truth: bool| self.decisions.cofactor(place, atom, truth);
        let (lower_no, lower_yes) = (part(lower, false), part(lower, true));
        let (upper_no, upper_yes) = (part(upper, false), part(upper, true));
        let needs_no = self.minus(lower_no, upper_yes);
        let (mut cubes, covered_no) = self.between(needs_no, upper_no);
        cubes
            .iter_mut()
            .for_each(|cube| cube.insert(0, (atom, false)));
        let needs_yes = self.minus(lower_yes, upper_no);
        let (with, covered_yes) = self.between(needs_yes, upper_yes);
        cubes.extend(with.into_iter().map(|mut cube| {
            cube.insert(0, (atom, true));
            cube
        }));
        let rest_no = self.minus(lower_no, covered_no);
        let rest_yes = self.minus(lower_yes, covered_yes);
        let rest = self.decisions.unite(rest_no, rest_yes);
        let only_no = self.minus(upper_no, upper_yes);
        let both = self.minus(upper_no, only_no);
        let (without, covered) = self.between(rest, both);
        cubes.extend(without);
        let no = self.decisions.unite(covered_no, covered);
        let yes = self.decisions.unite(covered_yes, covered);
        (cubes, self.decisions.branch(atom, no, yes))
    }

    /// Yes where the first is and the second is not.
    fn minus(&mut self, one: Place, other: Place) -> Place {
        let unlimited = || Ok::<(), Infallible>(());
        let join = &mut |one: &[State], other: &[State]| {
            let stays = other.is_empty();
            Ok(if stays { one.to_vec() } else { Vec::new() })
        };
        let mut known = FxHashMap::default();
        let Ok(place) = self
            .decisions
            .merge(one, other, &mut known, &unlimited, join);
        place
    }
}
