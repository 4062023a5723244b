//! Two-phase search, breadth first: events that no atom can see are executed at once, one chain after the other
//! (thesis, chapter 7, figures 7.7 to 7.10, pp. 156-158).
//!
//! In the first phase the chains have their turn one by one. As long as the next event of the chain whose turn it is
//! changes nothing the property can see, that event alone is followed, up to a bound of steps a turn; then the turn goes
//! to the next chain. After the last chain comes the second phase: every enabled event is followed, and the first phase
//! begins anew. Whose turn it is and how many steps it has had is noted at each cut.
//!
//! That a single event may stand for all is clear on a recorded run: events enabled together are on different chains
//! and commute, and an invisible one can be moved to the front of any path without changing what is seen. A run has all
//! events, so nothing is left out for ever, and every complete run has one through the reduced search that differs in
//! repeated letters only (7.6, theorem A.1). The thesis asks for more of a safe event, a static independence of program
//! steps (7.2.3), which loses reduction for nothing here.
//!
//! Three things are other than in the figures. The step count is tested as `k + 1 < K`; the figure lets a chain have
//! `K + 1` steps. When two ways meet at a cut, the further one of the two notes is kept; the figure keeps whichever came
//! last. Only so is an enabled event put off by no more than `K (N - 1)` steps, which on line bounds the delay of a verdict.
//! And the recursion with changing annotations is written as a function from a note to the notes after it.
//!
//! It is for properties that do not count repetitions of a letter, and for complete runs: cuts in between may be left
//! out, so it knows nothing of `SOME` and `ALL` at a cut.

use causet_base::Diagnostic;
use causet_base::budget::Spent;

use super::arrivals::{Arrival, Arriving, is_enabled};
use super::levels::Reduction;
use crate::refusal::refused;

/// Two-phase search with a bound on the steps of a turn.
#[derive(Clone, Copy, Debug)]
pub struct TwoPhase {
    /// The most steps that a chain may take in one turn; without, until the next event can be seen or has to wait.
    pub max_steps: Option<u32>,
}

/// Only a property that does not notice repeated letters may be given to this search.
pub fn supports(is_stutter_insensitive: bool) -> Result<(), Diagnostic> {
    if is_stutter_insensitive {
        return Ok(());
    }
    Err(refused(
        "the property can tell how often a letter is repeated",
    ))
}

/// Whose turn it is and how many steps it has had; after the last chain it is the second phase.
///
/// As a number, the turn comes first, so the further of two notes is the larger number.
#[derive(Clone, Copy, Debug)]
struct Turn {
    chain: usize,
    steps: u32,
}

impl Turn {
    const FIRST: Turn = Turn { chain: 0, steps: 0 };

    fn of(note: &[u64]) -> Turn {
        Turn {
            chain: (note[0] >> 32) as usize,
            steps: note[0] as u32,
        }
    }

    fn note(self) -> [u64; 1] {
        [(self.chain as u64) << 32 | u64::from(self.steps)]
    }

    fn pass(self) -> Turn {
        Turn {
            chain: self.chain + 1,
            steps: 0,
        }
    }
}

impl TwoPhase {
    /// The turn after one more step.
    fn after_step(self, turn: Turn) -> Turn {
        let steps = turn.steps.saturating_add(1);
        if self.max_steps.is_some_and(|most| steps >= most) {
            turn.pass()
        } else {
            Turn { steps, ..turn }
        }
    }
}

impl Reduction for TwoPhase {
    fn note_words(&self, _chains: usize) -> usize {
        1
    }

    fn follow<A: Arriving>(
        &self,
        known: &A,
        cut: &[u32],
        note: &[u64],
        each: &mut impl FnMut(usize, &[u64]) -> Result<(), Spent>,
    ) -> Result<(), Spent> {
        let mut turn = Turn::of(note);
        while turn.chain < cut.len() {
            if is_safe(known, cut, turn.chain) {
                return each(turn.chain, &self.after_step(turn).note());
            }
            turn = turn.pass();
        }
        (0..cut.len())
            .filter(|&chain| is_enabled(known, cut, chain))
            .try_for_each(|chain| each(chain, &Turn::FIRST.note()))
    }

    fn merge(&self, note: &mut [u64], other: &[u64]) {
        note[0] = note[0].max(other[0]);
    }
}

/// Whether the next event of a chain may stand for all that are enabled.
fn is_safe<A: Arriving>(known: &A, cut: &[u32], chain: usize) -> bool {
    known.next(chain, cut[chain]) == Arrival::Here
        && !known.is_visible(chain, cut[chain] + 1)
        && is_enabled(known, cut, chain)
}
