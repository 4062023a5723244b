//! Whose a row of numbers is, of a state space that is divided among workers while it is explored.
//!
//! By hash every worker gets its share whatever the space is like, and hardly a step stays at home. When the numbers of a
//! row count, like those of a cut, the workers can take turns along one of them instead: a step that changes another one
//! stays at home. When the first number is that of a state of a stored system, its neighbours there say more than any hash.
//!
//! ```text
//! the longest number      0 1 2 3 4 5 6 7 8 9      blocks of 1: of 7 numbers that change alike often, one step in 7 leaves
//! whose                   0 1 0 1 0 1 0 1 0 1      the worker, where the hash of all lets every other step leave
//! ```

use crate::deal::Deal;

/// Longer blocks would leave workers idle where few rows are at hand at a time.
const LONGEST_BLOCK: u32 = 4;

/// So many turns everybody gets, or blocks are made shorter and more numbers are looked at.
const TURNS: u32 = 5;

/// How rows are given to workers.
#[derive(Clone, Debug)]
pub struct Keeper {
    workers: u32,
    way: Way,
}

#[derive(Clone, Debug)]
enum Way {
    Hash,
    /// By the first number alone, which is that of a state.
    Dealt(Deal),
    /// The numbers looked at, what one of each counts for, and how many in a row belong to one worker.
    Turns {
        columns: Vec<(usize, u32)>,
        block: u32,
    },
}

impl Keeper {
    /// By the hash of all numbers.
    pub fn by_hash(workers: usize) -> Keeper {
        Keeper {
            workers: workers.max(1) as u32,
            way: Way::Hash,
        }
    }

    /// As the states of a stored system are dealt out, by the first number, which is that of a state.
    pub fn by_state(deal: Deal) -> Keeper {
        Keeper {
            workers: deal.workers() as u32,
            way: Way::Dealt(deal),
        }
    }

    /// By turns along the numbers that count farthest, given how far each one counts.
    pub fn by_turns(workers: usize, lengths: &[u32]) -> Keeper {
        let workers = workers.max(1) as u32;
        let enough = u64::from(workers * TURNS);
        let mut longest: Vec<usize> = (0..lengths.len()).collect();
        longest.sort_by_key(|&column| std::cmp::Reverse(lengths[column]));
        let mut columns = Vec::new();
        let mut places = 1;
        for column in longest {
            if enough <= places {
                break;
            }
            columns.push((column, places as u32));
            places *= u64::from(lengths[column]) + 1;
        }
        let block = (places / enough).clamp(1, u64::from(LONGEST_BLOCK)) as u32;
        Keeper {
            workers,
            way: Way::Turns { columns, block },
        }
    }

    /// Whose a row is.
    pub fn owner(&self, row: &[u32]) -> u32 {
        match &self.way {
            Way::Hash => {
                let hash = hash(row) >> 32;
                ((hash * u64::from(self.workers)) >> 32) as u32
            }
            Way::Dealt(deal) => deal.place(row[0]).0,
            Way::Turns { columns, block } => {
                let places = columns.iter();
                let sum = places.fold(0_u32, |sum, &(column, weight)| {
                    sum.wrapping_add(row[column].wrapping_mul(weight))
                });
                sum / block % self.workers
            }
        }
    }
}

/// Not the hash of the index, or every table would be half empty in the same places.
fn hash(row: &[u32]) -> u64 {
    const ODD: u64 = 0xd6e8_feb8_6659_fd93;
    let mut hash = 0x51_7cc1_b727_2209_u64;
    for &word in row {
        hash = (hash.rotate_left(23) ^ u64::from(word)).wrapping_mul(ODD);
    }
    hash ^= hash >> 32;
    hash.wrapping_mul(ODD)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many points of a grid each worker gets, and how many of its steps leave their worker.
    fn shares(keeper: &Keeper, lengths: &[u32]) -> (Vec<u32>, f64) {
        let mut shares = vec![0; keeper.workers as usize];
        let (mut leaving, mut steps) = (0_u32, 0_u32);
        let mut row = vec![0; lengths.len()];
        loop {
            let owner = keeper.owner(&row);
            shares[owner as usize] += 1;
            for column in 0..row.len() {
                if row[column] < lengths[column] {
                    row[column] += 1;
                    steps += 1;
                    leaving += u32::from(keeper.owner(&row) != owner);
                    row[column] -= 1;
                }
            }
            let Some(next) = (0..row.len()).find(|&column| row[column] < lengths[column]) else {
                return (shares, f64::from(leaving) / f64::from(steps));
            };
            row[..next].fill(0);
            row[next] += 1;
        }
    }

    #[test]
    fn everybody_gets_a_share_and_few_steps_leave() {
        for (workers, lengths, most) in [
            (2, &[9, 9, 9, 9, 9][..], 0.21),
            (3, &[40, 9, 9], 0.35),
            (2, &[400, 400], 0.14),
            (4, &[1, 1, 1, 1, 1, 1], 0.6),
            (2, &[1000], 0.26),
        ] {
            let keeper = Keeper::by_turns(workers, lengths);
            let (shares, leaving) = shares(&keeper, lengths);
            let (least, largest) = (shares.iter().min().unwrap(), shares.iter().max().unwrap());
            assert!(*largest <= least + least / 2, "{lengths:?}: {shares:?}");
            assert!(leaving <= most, "{lengths:?}: {leaving}");
        }
    }

    #[test]
    fn a_hash_gives_equal_shares() {
        let (shares, _) = shares(&Keeper::by_hash(3), &[9, 9, 9, 9]);
        assert!(
            shares.iter().all(|share| (3000..3700).contains(share)),
            "{shares:?}"
        );
    }

    #[test]
    fn nothing_to_count_is_the_first_workers() {
        assert_eq!(Keeper::by_turns(4, &[]).owner(&[]), 0);
    }
}
