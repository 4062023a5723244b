//! A part of a system: the states that belong to one of several workers, and how the others' states are spoken of.
//!
//! A worker numbers its own states from 0. The target of a step may be a state of another worker: then it has the bit
//! [`FOREIGN`], and the rest of it says which one, for as long as nothing is forgotten. What is sent to its owner is its
//! name, a row of words that means the same everywhere. Who owns a state depends on its name alone.

use std::cmp::Ordering;

use crate::budget::{Budget, Spent};
use crate::steps::Steps;

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

/// Numbered states dealt out to workers: so many to the first, as many to the next, and round again.
///
/// Neighbours in the numbering are often neighbours in the system, so that large heaps keep steps at home; small ones
/// keep everybody busy from the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deal {
    workers: u32,
    /// How many states a worker gets at a time, as a power of two.
    heap: u32,
    /// The number of workers as a power of two, if it is one.
    power: Option<u32>,
}

impl Deal {
    /// States dealt to a number of workers, `2^heap` at a time.
    pub fn new(workers: usize, heap: u32) -> Deal {
        let workers = workers.max(1) as u32;
        Deal {
            workers,
            heap: heap.min(30),
            power: workers
                .is_power_of_two()
                .then_some(workers.trailing_zeros()),
        }
    }

    /// How many workers there are.
    pub fn workers(self) -> usize {
        self.workers as usize
    }

    /// States dealt to another number of workers, as many at a time.
    pub fn among(self, workers: usize) -> Deal {
        Deal::new(workers, self.heap)
    }

    /// How many of so many states belong to a worker.
    pub fn share(self, owner: u32, states: u32) -> u32 {
        let (next, own) = self.place(states);
        let before = own >> self.heap << self.heap;
        match owner.cmp(&next) {
            Ordering::Less => before + (1 << self.heap),
            Ordering::Equal => own,
            Ordering::Greater => before,
        }
    }

    /// Whose a state is, and which of that worker's.
    pub fn place(self, state: u32) -> (u32, u32) {
        let heap = state >> self.heap;
        let (round, owner) = match self.power {
            Some(power) => (heap >> power, heap & (self.workers - 1)),
            None => (heap / self.workers, heap % self.workers),
        };
        let within = state & ((1 << self.heap) - 1);
        (owner, round << self.heap | within)
    }

    /// The number of a worker's state.
    pub fn number(self, owner: u32, own: u32) -> u32 {
        let round = own >> self.heap;
        let within = own & ((1 << self.heap) - 1);
        (round * self.workers + owner) << self.heap | within
    }
}

/// How a worker speaks of states that were dealt out.
#[derive(Clone, Copy, Debug)]
pub struct Locator {
    deal: Deal,
    me: u32,
}

impl Default for Locator {
    /// All states are one's own.
    fn default() -> Locator {
        Locator::new(Deal::new(1, 0), 0)
    }
}

impl Locator {
    /// For worker `me`.
    pub fn new(deal: Deal, me: u32) -> Locator {
        Locator { deal, me }
    }

    /// An own state by its number among the own, a foreign one by its name and the bit.
    pub fn locate(self, state: u32) -> u32 {
        if self.deal.workers == 1 {
            return state;
        }
        let (owner, own) = self.deal.place(state);
        if owner == self.me {
            own
        } else {
            FOREIGN | state
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_one_place() {
        for workers in 1..9 {
            for heap in [0, 1, 3, 10] {
                let deal = Deal::new(workers, heap);
                let mut seen = std::collections::HashSet::new();
                let mut shares = vec![0; workers];
                for state in 0..5000 {
                    for (owner, &share) in shares.iter().enumerate() {
                        assert_eq!(deal.share(owner as u32, state), share);
                    }
                    let (owner, own) = deal.place(state);
                    shares[owner as usize] += 1;
                    assert!((owner as usize) < workers);
                    assert!(seen.insert((owner, own)));
                    assert_eq!(deal.number(owner, own), state);
                }
            }
        }
    }
}
