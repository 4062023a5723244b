//! Sleep sets: all cuts are kept, but of two orders that look alike only one is followed (thesis, 7.3.2.2, p. 139).
//!
//! When two enabled events commute and not both of them can be seen, the two ways around the square show the same
//! letters but for repetitions. So once the first event has been followed from a cut, it goes to sleep at the cuts to
//! which the others lead, and wakes when an event is executed that does not commute with it unseen. A cut to which
//! several ways lead has only those events asleep that are asleep on all of them; as all ways to a cut come from the
//! level before, that is known before the cut is expanded.
//!
//! The thesis names sleep sets as a candidate and leaves them to future work (8.2). They save no cuts, and therefore
//! keep `SOME` and `ALL` at every cut, which two-phase search does not, of properties that do not count repetitions.

use causet_base::budget::Spent;

use super::arrivals::{Arriving, is_enabled};
use super::labelling::{has, members, put};
use super::levels::Reduction;
pub use super::two_phase::supports;

/// Sleep sets, noted at each cut as a set of chains whose next event sleeps.
#[derive(Clone, Copy, Debug)]
pub struct Sleep;

impl Reduction for Sleep {
    fn note_words(&self, chains: usize) -> usize {
        chains.div_ceil(64)
    }

    fn follow<A: Arriving>(
        &self,
        known: &A,
        cut: &[u32],
        note: &[u64],
        each: &mut impl FnMut(usize, &[u64]) -> Result<(), Spent>,
    ) -> Result<(), Spent> {
        let mut asleep = note.to_vec();
        let mut after = vec![0; note.len()];
        let awake = (0..cut.len()).filter(|&chain| !has(note, chain));
        for chain in awake.filter(|&chain| is_enabled(known, cut, chain)) {
            after.fill(0);
            let is_visible = known.is_visible(chain, cut[chain] + 1);
            for other in members(&asleep) {
                if !(is_visible && known.is_visible(other, cut[other] + 1)) {
                    put(&mut after, other);
                }
            }
            each(chain, &after)?;
            put(&mut asleep, chain);
        }
        Ok(())
    }

    fn merge(&self, note: &mut [u64], other: &[u64]) {
        for (word, other) in note.iter_mut().zip(other) {
            *word &= other;
        }
    }
}
