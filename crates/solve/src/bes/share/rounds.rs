//! What all workers do next, when nothing moves anywhere: agreed by votes, so that nobody has to be in charge.
//!
//! The paper's strategy: what has become known is told at once; of the blocks to expand the one farthest from the main
//! variable comes first, so that the queues of those before it stay short; and a block is finished as soon as nothing it
//! depends on is open. A block that asks later ones is expanded in slices, each twice as large as the one before: a
//! counterexample that shows early is found early, at no more than about twice the work, and there are few rounds.

/// What a worker has left to do.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Vote {
    /// The last block that has anything to expand or to finish.
    pub farthest: Option<usize>,
    /// Whether it has variables to expand.
    pub queued: bool,
}

/// What all workers do until nothing moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Round {
    /// Each expands at most so many variables of a block.
    Expand {
        /// The block.
        block: usize,
        /// How many variables.
        slice: u64,
    },
    /// Each gives the open variables of a block its default value.
    Finish {
        /// The block.
        block: usize,
    },
    /// There is nothing to do.
    Over,
}

/// The first slice of a block.
const FIRST_SLICE: u64 = 8;

/// The rounds so far, the same for every worker.
#[derive(Clone, Debug)]
pub struct Rounds {
    /// Per block: how many variables each worker may expand next time.
    slices: Vec<u64>,
}

impl Rounds {
    /// For a system of so many blocks.
    pub fn new(blocks: usize) -> Rounds {
        let mut slices = vec![FIRST_SLICE; blocks];
        // The last block asks nobody.
        if let Some(last) = slices.last_mut() {
            *last = u64::MAX;
        }
        Rounds { slices }
    }

    /// The next round, from everybody's vote.
    pub fn next(&mut self, votes: impl Iterator<Item = Vote> + Clone) -> Round {
        let Some(block) = votes.clone().filter_map(|vote| vote.farthest).max() else {
            return Round::Over;
        };
        let mut busy = votes.filter(|vote| vote.queued && vote.farthest == Some(block));
        match busy.next() {
            None => Round::Finish { block },
            Some(_) => {
                let slice = self.slices[block];
                self.slices[block] = slice.saturating_mul(2);
                Round::Expand { block, slice }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vote(farthest: usize, queued: bool) -> Vote {
        let farthest = Some(farthest);
        Vote { farthest, queued }
    }

    #[test]
    fn the_farthest_block_comes_first_and_is_finished_when_nobody_expands_it() {
        let mut rounds = Rounds::new(3);
        let votes = [vote(0, true), vote(1, true), Vote::default()];
        let expand = |block, slice| Round::Expand { block, slice };
        assert_eq!(rounds.next(votes.into_iter()), expand(1, FIRST_SLICE));
        assert_eq!(rounds.next(votes.into_iter()), expand(1, 2 * FIRST_SLICE));
        let votes = [vote(0, true), vote(1, false)];
        let finish = Round::Finish { block: 1 };
        assert_eq!(rounds.next(votes.into_iter()), finish);
        let votes = [vote(2, true), vote(2, false)];
        assert_eq!(rounds.next(votes.into_iter()), expand(2, u64::MAX));
        assert_eq!(rounds.next([Vote::default()].into_iter()), Round::Over);
    }
}
