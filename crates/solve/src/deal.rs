//! Numbered states dealt out to workers, and how a worker speaks of them.
//!
//! Neighbours in the numbering are often neighbours in the system, and a step that stays with its worker costs no message.
//! Two ways of dealing make use of that:
//!
//! ```text
//! heaps       0000 1111 0000 1111 0000 11     so many to the first, as many to the next, and round again
//! stretches   0 011 000111 0000011111 0011    each wave of a breadth-first numbering cut into equal stretches
//! ```
//!
//! Large heaps keep steps at home where the numbering follows paths; small ones keep everybody busy from the start. In a
//! breadth-first numbering steps lead from a wave to the next, and keep their order: the first half of a wave leads into
//! the first half of the next. Stretches make use of that, and everybody has an equal share of every wave.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use crate::part::FOREIGN;

/// How states are dealt out.
#[derive(Clone, Debug)]
pub struct Deal {
    workers: u32,
    pattern: Pattern,
}

#[derive(Clone, Debug)]
enum Pattern {
    Heaps(Heaps),
    Stretches(Arc<Stretches>),
}

impl Deal {
    /// States dealt to a number of workers, `2^heap` at a time.
    pub fn heaps(workers: usize, heap: u32) -> Deal {
        let workers = workers.max(1) as u32;
        let power = workers.trailing_zeros();
        let heaps = Heaps {
            workers,
            heap: heap.min(30),
            power: workers.is_power_of_two().then_some(power),
        };
        Deal {
            workers,
            pattern: Pattern::Heaps(heaps),
        }
    }

    /// Every wave cut into one stretch for each worker. A wave ends where the next begins; the last one ends last.
    pub fn waves(workers: usize, ends: &[u32]) -> Deal {
        let workers = workers.max(1) as u64;
        let mut stretches = Vec::new();
        let mut start = 0;
        for &end in ends {
            let cut = |worker: u64| start + (u64::from(end - start) * worker / workers) as u32;
            let owners = 0..workers;
            stretches.extend(owners.map(|owner| (owner as u32, cut(owner)..cut(owner + 1))));
            start = end;
        }
        Deal::stretches(workers as u32, stretches.into_iter())
    }

    fn stretches(workers: u32, stretches: impl Iterator<Item = (u32, Range<u32>)>) -> Deal {
        Deal {
            workers,
            pattern: Pattern::Stretches(Arc::new(Stretches::new(workers, stretches))),
        }
    }

    /// How many workers there are.
    pub fn workers(&self) -> usize {
        self.workers as usize
    }

    /// How the states of some workers are dealt out to them, numbered as if there were no others.
    pub fn among(&self, some: Range<usize>) -> Deal {
        match &self.pattern {
            Pattern::Heaps(heaps) => Deal::heaps(some.len(), heaps.heap),
            Pattern::Stretches(all) => {
                let kept = all
                    .iter()
                    .filter(|(owner, _)| some.contains(&(*owner as usize)));
                let mut end = 0;
                let moved = kept.map(|(owner, stretch)| {
                    let start = end;
                    end += stretch.end - stretch.start;
                    (owner - some.start as u32, start..end)
                });
                Deal::stretches(some.len() as u32, moved)
            }
        }
    }

    /// How many of the first so many states belong to a worker.
    pub fn share(&self, owner: u32, states: u32) -> u32 {
        match &self.pattern {
            Pattern::Heaps(heaps) => heaps.share(owner, states),
            Pattern::Stretches(all) => {
                let own = all.iter().filter(|&(whose, _)| whose == owner);
                let before =
                    own.map(|(_, stretch)| stretch.end.min(states) - stretch.start.min(states));
                before.sum()
            }
        }
    }

    /// Whose a state is, and which of that worker's.
    #[inline]
    pub fn place(&self, state: u32) -> (u32, u32) {
        match &self.pattern {
            Pattern::Heaps(heaps) => heaps.place(state),
            Pattern::Stretches(all) => all.place(state),
        }
    }

    /// The number of a worker's state.
    pub fn number(&self, owner: u32, own: u32) -> u32 {
        self.numbers(owner).of(own)
    }

    /// The numbers of a worker's states.
    pub fn numbers(&self, owner: u32) -> Numbers<'_> {
        Numbers(match &self.pattern {
            _ if self.workers == 1 => Numbering::Same,
            Pattern::Heaps(heaps) => Numbering::Heaps(*heaps, owner),
            Pattern::Stretches(all) => Numbering::Stretches(&all.numbers[owner as usize]),
        })
    }
}

/// The numbers that the states of one worker have among all.
#[derive(Clone, Copy, Debug)]
pub struct Numbers<'d>(Numbering<'d>);

#[derive(Clone, Copy, Debug)]
enum Numbering<'d> {
    /// Theirs among its own: it has all states.
    Same,
    Heaps(Heaps, u32),
    Stretches(&'d Table),
}

impl Numbers<'_> {
    /// The number of one of them.
    #[inline]
    pub fn of(self, own: u32) -> u32 {
        match self.0 {
            Numbering::Same => own,
            Numbering::Heaps(heaps, owner) => heaps.number(owner, own),
            Numbering::Stretches(table) => own.wrapping_add(table.find(own).shift),
        }
    }
}

/// Heaps of equal size, given to one worker after the other.
#[derive(Clone, Copy, Debug)]
struct Heaps {
    workers: u32,
    /// How many states a worker gets at a time, as a power of two.
    heap: u32,
    /// The number of workers as a power of two, if it is one.
    power: Option<u32>,
}

impl Heaps {
    fn share(self, owner: u32, states: u32) -> u32 {
        let (next, own) = self.place(states);
        let before = own >> self.heap << self.heap;
        match owner.cmp(&next) {
            Ordering::Less => before + (1 << self.heap),
            Ordering::Equal => own,
            Ordering::Greater => before,
        }
    }

    fn place(self, state: u32) -> (u32, u32) {
        let heap = state >> self.heap;
        let (round, owner) = match self.power {
            Some(power) => (heap >> power, heap & (self.workers - 1)),
            None => (heap / self.workers, heap % self.workers),
        };
        let within = state & ((1 << self.heap) - 1);
        (owner, round << self.heap | within)
    }

    fn number(self, owner: u32, own: u32) -> u32 {
        let round = own >> self.heap;
        let within = own & ((1 << self.heap) - 1);
        (round * self.workers + owner) << self.heap | within
    }
}

/// Stretches of any length.
#[derive(Debug)]
struct Stretches {
    /// From states to their places.
    places: Table,
    /// Per worker: from places to states.
    numbers: Vec<Table>,
}

impl Stretches {
    /// They follow one another. Empty ones are left out.
    fn new(workers: u32, stretches: impl Iterator<Item = (u32, Range<u32>)>) -> Stretches {
        let mut places = Vec::new();
        let mut numbers = vec![Vec::new(); workers as usize];
        for (owner, stretch) in stretches.filter(|(_, stretch)| !stretch.is_empty()) {
            let own: &mut Vec<Stretch> = &mut numbers[owner as usize];
            let first = own.last().map_or(0, |last| last.end);
            let shift = first.wrapping_sub(stretch.start);
            places.push(Stretch {
                end: stretch.end,
                to: To { owner, shift },
            });
            let shift = stretch.start.wrapping_sub(first);
            own.push(Stretch {
                end: first + (stretch.end - stretch.start),
                to: To { owner, shift },
            });
        }
        Stretches {
            places: Table::new(places),
            numbers: numbers.into_iter().map(Table::new).collect(),
        }
    }

    fn iter(&self) -> impl Iterator<Item = (u32, Range<u32>)> + '_ {
        let mut start = 0;
        self.places.stretches.iter().map(move |stretch| {
            let range = start..stretch.end;
            start = stretch.end;
            (stretch.to.owner, range)
        })
    }

    #[inline]
    fn place(&self, state: u32) -> (u32, u32) {
        let there = self.places.find(state);
        (there.owner, state.wrapping_add(there.shift))
    }
}

/// Numbers in a row that become others in a row.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    /// It starts where the one before ends.
    end: u32,
    /// Where it leads.
    to: To,
}

/// Where numbers lead.
#[derive(Clone, Copy, Debug)]
struct To {
    owner: u32,
    /// What is added to each of them, modulo 2^32.
    shift: u32,
}

impl To {
    /// Not all of them lead to the same place.
    const APART: To = To {
        owner: u32::MAX,
        shift: 0,
    };
}

/// Stretches among which numbers are looked up.
#[derive(Debug)]
struct Table {
    stretches: Vec<Stretch>,
    /// Where blocks of `2^size` numbers lead, if no stretch ends within.
    blocks: Vec<To>,
    size: u32,
}

impl Table {
    fn new(stretches: Vec<Stretch>) -> Table {
        let end = stretches.last().map_or(0, |last| last.end);
        // Many blocks for each stretch: then few have an end within.
        let wanted = (stretches.len() * 32).next_power_of_two() as u64;
        let size = (u64::from(end) / wanted).checked_ilog2().unwrap_or(0);
        let mut table = Table {
            stretches,
            blocks: Vec::new(),
            size,
        };
        let starts = (0..u64::from(end)).step_by(1 << size);
        let blocks = starts.map(|start| {
            let stretch = table.search(start as u32);
            let is_whole = start + (1 << size) <= u64::from(stretch.end);
            if is_whole { stretch.to } else { To::APART }
        });
        table.blocks = blocks.collect();
        table
    }

    /// Where a number leads, which must be below the end.
    #[inline]
    fn find(&self, number: u32) -> To {
        let block = self.blocks[(number >> self.size) as usize];
        match block.owner == To::APART.owner {
            true => self.search(number).to,
            false => block,
        }
    }

    fn search(&self, number: u32) -> Stretch {
        let passed = |stretch: &Stretch| stretch.end <= number;
        self.stretches[self.stretches.partition_point(passed)]
    }
}

/// How a worker speaks of states that were dealt out.
#[derive(Clone, Copy, Debug)]
pub struct Locator<'d> {
    way: Way<'d>,
    me: u32,
}

#[derive(Clone, Copy, Debug)]
enum Way<'d> {
    /// All states are one's own.
    Home,
    Heaps(Heaps),
    Stretches(&'d Stretches),
}

impl<'d> Locator<'d> {
    /// All states are one's own.
    pub const HOME: Locator<'static> = Locator {
        way: Way::Home,
        me: 0,
    };

    /// For worker `me`.
    pub fn new(deal: &'d Deal, me: u32) -> Self {
        let way = match &deal.pattern {
            _ if deal.workers == 1 => Way::Home,
            Pattern::Heaps(heaps) => Way::Heaps(*heaps),
            Pattern::Stretches(all) => Way::Stretches(all),
        };
        Locator { way, me }
    }

    /// An own state by its number among the own, a foreign one by its name and the bit.
    #[inline]
    pub fn locate(&self, state: u32) -> u32 {
        let (owner, own) = match self.way {
            Way::Home => return state,
            Way::Heaps(heaps) => heaps.place(state),
            Way::Stretches(all) => all.place(state),
        };
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

    fn places_are_right(deal: &Deal, states: u32) {
        let mut seen = std::collections::HashSet::new();
        let mut shares = vec![0; deal.workers()];
        for state in 0..states {
            for (owner, &share) in shares.iter().enumerate() {
                assert_eq!(deal.share(owner as u32, state), share);
            }
            let (owner, own) = deal.place(state);
            assert_eq!(own, shares[owner as usize], "in the order of their numbers");
            shares[owner as usize] += 1;
            assert!(seen.insert((owner, own)));
            assert_eq!(deal.number(owner, own), state);
        }
    }

    #[test]
    fn every_state_has_one_place() {
        for workers in 1..9 {
            for heap in [0, 1, 3, 10] {
                places_are_right(&Deal::heaps(workers, heap), 5000);
            }
            for ends in [&[5000][..], &[1, 3, 3, 40, 41, 3000, 5000], &[4999, 5000]] {
                places_are_right(&Deal::waves(workers, ends), 5000);
            }
        }
    }

    #[test]
    fn some_workers_have_their_states_in_the_same_order() {
        for deal in [Deal::heaps(5, 2), Deal::waves(5, &[1, 7, 100, 401, 1000])] {
            let some = deal.among(1..4);
            let kept = (0..1000).filter(|&state| (1..4).contains(&deal.place(state).0));
            for (number, state) in kept.enumerate() {
                let (owner, own) = deal.place(state);
                assert_eq!(some.place(number as u32), (owner - 1, own));
            }
        }
    }

    #[test]
    fn every_wave_is_shared_equally() {
        let ends = [1, 7, 100, 401, 1000];
        let deal = Deal::waves(3, &ends);
        let mut before = [0; 3];
        for end in ends {
            let now = [0, 1, 2].map(|owner| deal.share(owner, end));
            let wave = std::array::from_fn::<u32, 3, _>(|owner| now[owner] - before[owner]);
            let (least, most) = (wave.iter().min(), wave.iter().max());
            assert!(
                most.zip(least)
                    .is_some_and(|(most, least)| most - least <= 1)
            );
            before = now;
        }
    }
}
