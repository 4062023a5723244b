//! Exploration guided by the automaton: what can no longer be accepted is not followed (thesis, chapter 6).
//!
//! A state is *dead* when no accepting state can be reached from it. An event is followed only if it leads some state
//! of `R` to one that is not dead (figure 6.2, p. 118), and dead states are not stored. By induction along a path all of
//! whose states are alive: the reduced search reaches every cut at which `R` has a living state, and finds there just
//! the living states of `R` (theorem 6.1). So `SOME` and "on some run" are preserved whatever the property, on line and
//! off line. The test is applied to the initial cut too, which the figure leaves out: nothing is explored if the first
//! letter already decides.
//!
//! `ALL` is not preserved: a dead state that only a pruned path contributes is lost, though the introduction to the
//! chapter promises otherwise (theorem 6.2 has one direction only). It is decided by the same search on the complement:
//! all paths are accepted when none is accepted by the automaton of the other words. The loser was to keep the minimal
//! cuts at which a path died and compare every cut with them, which costs more than a second search.
//!
//! The dual of dead is *sure*: every continuation is accepted. One sure state ends the search for a run. For a
//! deterministic automaton these are the states from which only accepting states can be reached; in general, the largest
//! set of accepting states from which every letter leads into the set.

use causet_solve::automaton::{Automaton, Look, Place, State};
use causet_solve::budget::{Budget, Spent};
use rustc_hash::FxHashSet;

use super::arrivals::Complete;
use super::labelling::{Labels, has, put, states_at};
use crate::linear::Scene;

/// What can still become of a word, by the state it has led to.
#[derive(Clone, Debug)]
pub struct Outlook {
    dead: Vec<u64>,
    sure: Vec<u64>,
}

impl Outlook {
    /// Finds the dead and the sure states; the lost state after the last one is dead.
    pub fn of(automaton: &Automaton) -> Self {
        let states = automaton.len();
        let ways: Vec<Vec<&[State]>> = (0..states).map(|state| ways(automaton, state)).collect();
        let is_accepting = |state: usize| automaton.is_accepting(state as State);
        let alive = grow(&ways, is_accepting);
        let sure = shrink(&ways, is_accepting);
        let mut outlook = Outlook {
            dead: vec![0; states / 64 + 1],
            sure: vec![0; states / 64 + 1],
        };
        put(&mut outlook.dead, states);
        for state in 0..states {
            if !alive[state] {
                put(&mut outlook.dead, state);
            }
            if sure[state] {
                put(&mut outlook.sure, state);
            }
        }
        outlook
    }

    /// The states from which nothing is accepted any more.
    pub fn dead(&self) -> &[u64] {
        &self.dead
    }

    /// The states from which everything is accepted.
    pub fn sure(&self) -> &[u64] {
        &self.sure
    }

    /// Whether everything is accepted from a state.
    pub fn is_sure(&self, state: usize) -> bool {
        has(&self.sure, state)
    }
}

/// Whether some path to a consistent cut is accepted, by a guided search below it.
pub fn some_at<S: Scene>(
    scene: &S,
    automaton: &Automaton,
    cut: &[u32],
    budget: &Budget<'_>,
) -> Result<bool, Spent> {
    let labels = Labels::new(automaton);
    let known = Complete::new(scene, automaton.atoms());
    let set = states_at(&known, &labels, cut, true, budget)?;
    Ok(labels.some(&set))
}

/// Whether all paths to a consistent cut are accepted by the automaton whose complement is given, which need not be
/// deterministic. A cut that the search never comes to satisfies it.
pub fn all_at<S: Scene>(
    scene: &S,
    complement: &Automaton,
    cut: &[u32],
    budget: &Budget<'_>,
) -> Result<bool, Spent> {
    Ok(!some_at(scene, complement, cut, budget)?)
}

/// The sets of states that some letter leads to.
fn ways(automaton: &Automaton, state: usize) -> Vec<&[State]> {
    let start = automaton.start(state as State);
    let mut seen: FxHashSet<Place> = FxHashSet::from_iter([start]);
    let mut open = vec![start];
    let mut ways = Vec::new();
    while let Some(place) = open.pop() {
        match automaton.look(place) {
            Look::Go(states) => ways.push(states),
            Look::Ask { no, yes, .. } => {
                open.extend([no, yes].into_iter().filter(|&place| seen.insert(place)));
            }
        }
    }
    ways
}

/// The least set with all accepting states and every state that some letter leads into it.
fn grow(ways: &[Vec<&[State]>], is_accepting: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut sources: Vec<Vec<usize>> = vec![Vec::new(); ways.len()];
    for (state, ways) in ways.iter().enumerate() {
        for &next in ways.iter().copied().flatten() {
            sources[next as usize].push(state);
        }
    }
    let mut open: Vec<usize> = (0..ways.len())
        .filter(|&state| is_accepting(state))
        .collect();
    let mut inside = vec![false; ways.len()];
    for &state in &open {
        inside[state] = true;
    }
    while let Some(state) = open.pop() {
        for &source in &sources[state] {
            if !inside[source] {
                inside[source] = true;
                open.push(source);
            }
        }
    }
    inside
}

/// The largest set of accepting states from which every letter leads into it.
fn shrink(ways: &[Vec<&[State]>], is_accepting: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut inside: Vec<bool> = (0..ways.len()).map(is_accepting).collect();
    loop {
        let stays = |state: usize| {
            let mut ways = ways[state].iter();
            ways.all(|states| states.iter().any(|&next| inside[next as usize]))
        };
        let out: Vec<usize> = (0..ways.len())
            .filter(|&state| inside[state] && !stays(state))
            .collect();
        if out.is_empty() {
            return inside;
        }
        for state in out {
            inside[state] = false;
        }
    }
}
