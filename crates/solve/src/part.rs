//! A part of a system: the states that belong to one of several workers, and how the others' states are spoken of.
//!
//! A worker numbers its own states from 0. The target of a step may be a state of another worker: then it has the bit
//! [`FOREIGN`], and the rest of it says which one, for as long as nothing is forgotten. What is sent to its owner is its
//! name, a row of words that means the same everywhere. Who owns a state depends on its name alone.

use crate::steps::Steps;
use causet_base::budget::{Budget, Spent};

/// The bit of a target that belongs to somebody else.
pub const FOREIGN: u32 = 1 << 31;

/// Steps from the states of one worker.
pub trait Part: Steps {
    /// The initial state, if it belongs to this worker.
    fn home(&self) -> Option<u32>;

    /// The worker to whom a foreign state belongs, which is given without its bit.
    fn owner(&self, foreign: u32) -> usize;

    /// How many words a name has.
    fn width(&self) -> usize;

    /// Whether everybody knows everybody's numbers, so that no names are needed: see [`Part::place`].
    fn has_numbers(&self) -> bool {
        false
    }

    /// The worker to whom a foreign state belongs and the number it has there, if these are known.
    fn place(&self, foreign: u32) -> (usize, u32) {
        (self.owner(foreign), foreign)
    }

    /// Appends the name of a foreign state.
    fn name_foreign(&self, foreign: u32, name: &mut Vec<u32>);

    /// Appends the name of an own state.
    fn name_own(&self, state: u32, name: &mut Vec<u32>);

    /// The own state of that name.
    fn find(&mut self, name: &[u32], budget: &Budget<'_>) -> Result<u32, Spent>;

    /// How many states were explored so far, of a system that is not stored, and how many steps these have.
    fn explored(&self) -> (u64, u64) {
        (0, 0)
    }

    /// The foreign states met so far will not be spoken of again.
    fn forget(&mut self) {}
}
