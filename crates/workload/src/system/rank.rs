//! Groups of states in ranks, of any size and without a search: what every checker can be asked about from 10^4 states to 10^8.
//!
//! A state of rank 0 is idle, or puts, which leads to the highest rank of a group. From there every step leads to a
//! lower rank, of any group, so no run can stay above rank 0; rank 1 is left by a get. Between states of rank 0 the
//! internal step leads to later groups only, so it cannot be repeated for ever. Two modes break one of the two, deep in
//! the last group.

use std::io::{self, Write};

use super::aut::{self, Sizes};
use super::settings::{Range, Setting, Values};

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "groups",
        about: "How many groups of states.",
        range: Range::Number {
            least: 1,
            usual: 100,
            most: 1_000_000_000,
        },
    },
    Setting {
        name: "depth",
        about: "The highest rank.",
        range: Range::Number {
            least: 1,
            usual: 99,
            most: 1_000_000,
        },
    },
    Setting {
        name: "seed",
        about: "Where chance begins.",
        range: Range::Number {
            least: 0,
            usual: 1,
            most: u64::MAX,
        },
    },
    Setting {
        name: "mode",
        about: "What is wrong: nothing, one state without a step, or one internal step that leads to itself.",
        range: Range::Word(&["good", "deadlock", "livelock"]),
    },
];

/// The modes, in the order of their words.
const MODES: [Mode; 3] = [Mode::Good, Mode::Deadlock, Mode::Livelock];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Good,
    Deadlock,
    Livelock,
}

/// Writes the system. It is walked twice, the first time to count.
pub(super) fn write(values: &Values, out: &mut dyn Write) -> io::Result<Sizes> {
    let ranks = Ranks {
        groups: values.number("groups"),
        depth: values.number("depth"),
        seed: values.number("seed"),
        mode: values.word("mode", &MODES).unwrap_or(Mode::Good),
    };
    let mut sizes = Sizes {
        states: ranks.groups * (ranks.depth + 1),
        transitions: 0,
    };
    ranks.walk(&mut |_, _, _| {
        sizes.transitions += 1;
        Ok(())
    })?;
    aut::header(out, sizes)?;
    ranks.walk(&mut |from, label, to| aut::quoted(out, from, label, to))?;
    Ok(sizes)
}

struct Ranks {
    groups: u64,
    depth: u64,
    seed: u64,
    mode: Mode,
}

/// Takes a transition: the state it leaves, its label, the state it leads to.
type Take<'a> = &'a mut dyn FnMut(u64, &str, u64) -> io::Result<()>;

impl Ranks {
    /// Shows every transition, by the states it leaves.
    fn walk(&self, take: Take<'_>) -> io::Result<()> {
        let mut chance = Chance::new(self.seed);
        for group in 0..self.groups {
            self.bottom(group, &mut chance, take)?;
            for rank in 1..=self.depth {
                let last = group + 1 == self.groups;
                if self.mode == Mode::Deadlock && last && rank == 1 {
                    continue;
                }
                let state = self.state(group, rank);
                if self.mode == Mode::Livelock && last && rank == self.depth {
                    take(state, "tau", state)?;
                }
                match rank {
                    1 => self.get(group, &mut chance, take)?,
                    _ => self.descend(group, rank, &mut chance, take)?,
                }
            }
        }
        Ok(())
    }

    /// The steps of rank 0: on to the next group, up to the highest rank, or unseen to a later group.
    fn bottom(&self, group: u64, chance: &mut Chance, take: Take<'_>) -> io::Result<()> {
        let here = self.state(group, 0);
        take(here, "idle", self.state((group + 1) % self.groups, 0))?;
        take(here, "put", self.state(group, self.depth))?;
        if chance.coin() {
            take(
                here,
                "put",
                self.state(chance.below(self.groups), self.depth),
            )?;
        }
        let later = self.groups - group - 1;
        if later > 0 {
            let target = group + 1 + chance.below(later);
            take(here, "tau", self.state(target, 0))?;
        }
        Ok(())
    }

    /// The steps of rank 1.
    fn get(&self, group: u64, chance: &mut Chance, take: Take<'_>) -> io::Result<()> {
        let here = self.state(group, 1);
        take(here, "get", self.state(group, 0))?;
        if chance.coin() {
            take(here, "get", self.state(chance.below(self.groups), 0))?;
        }
        Ok(())
    }

    /// The steps of a higher rank: down by one, and up to two leaps to a lower rank of any group.
    fn descend(
        &self,
        group: u64,
        rank: u64,
        chance: &mut Chance,
        take: Take<'_>,
    ) -> io::Result<()> {
        let here = self.state(group, rank);
        take(here, "tau", here - 1)?;
        for _ in 0..chance.below(3) {
            let lower = 1 + chance.below(rank - 1);
            let target = self.state(chance.below(self.groups), lower);
            match chance.coin() {
                true => take(here, "tau", target)?,
                false => take(here, &format!("step({})", chance.below(16)), target)?,
            }
        }
        Ok(())
    }

    fn state(&self, group: u64, rank: u64) -> u64 {
        group * (self.depth + 1) + rank
    }
}

/// A generator of its own (xorshift), so that the systems never change with a library.
struct Chance(u64);

impl Chance {
    fn new(seed: u64) -> Chance {
        let spread = seed.wrapping_mul(2_654_435_761);
        Chance(spread.wrapping_add(88_172_645_463_325_252))
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 1
    }
}
