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
//! The dual of dead is *sure*: no letter is without a way on, and only accepting states can be reached. Then every
//! continuation is accepted, and one sure state ends the search for a run.

use causet_base::budget::{Budget, Spent};
use causet_solve::automaton::Automaton;

use super::labelling::{labelled_at, put};
use crate::linear::Scene;

/// What can still become of a word, by the state it has led to.
#[derive(Clone, Debug)]
pub struct Outlook {
    dead: Vec<u64>,
    sure: Vec<u64>,
}

impl Outlook {
    /// The dead and the sure states; the lost state after the last one is dead.
    pub fn of(automaton: &Automaton) -> Self {
        let mut dead = set_of(&automaton.dead());
        put(&mut dead, automaton.len());
        Outlook {
            dead,
            sure: set_of(&automaton.sure()),
        }
    }

    /// The states from which nothing is accepted any more.
    pub fn dead(&self) -> &[u64] {
        &self.dead
    }

    /// The states from which everything is accepted.
    pub fn sure(&self) -> &[u64] {
        &self.sure
    }
}

/// Whether some path to a consistent cut is accepted, by a guided search below it.
pub fn some_at<S: Scene>(
    scene: &S,
    automaton: &Automaton,
    cut: &[u32],
    budget: &Budget<'_>,
) -> Result<bool, Spent> {
    let (labels, set) = labelled_at(scene, automaton, cut, true, budget)?;
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

/// The states that are marked, with room for the lost one.
fn set_of(marks: &[bool]) -> Vec<u64> {
    let mut set = vec![0; marks.len() / 64 + 1];
    for (state, _) in marks.iter().enumerate().filter(|&(_, &is_in)| is_in) {
        put(&mut set, state);
    }
    set
}
