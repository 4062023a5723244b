//! Where atoms are touched: the next event of a chain that matters to an atom, without asking the scene twice.
//!
//! For an atom and a chain there is a bit for every event. Above the words of bits stand words that say which of those are
//! not empty, and so on, so a search climbs until it sees a bit and comes down to it: a handful of words however far it is.
//! The events are asked for in blocks, as far as some search has come, so a run that is decided early is never read to the
//! end. A list of positions would be searched by halving, and a table of the next position for every event takes thirty
//! times the memory.

use causet_base::budget::{Budget, Spent};

use crate::linear::scene::Scene;

/// How many events are asked for at a time.
const BLOCK: u32 = 4096;

/// For every atom and chain, which events touch the atom, as far as somebody wanted to know.
pub(super) struct Touches<'a, S> {
    scene: &'a S,
    budget: &'a Budget<'a>,
    width: usize,
    /// Per atom and chain; no levels yet where nobody has asked.
    columns: Vec<Column>,
}

impl<'a, S: Scene> Touches<'a, S> {
    pub(super) fn new(scene: &'a S, atoms: usize, budget: &'a Budget<'a>) -> Self {
        let width = scene.count();
        Touches {
            scene,
            budget,
            width,
            columns: (0..atoms * width).map(|_| Column::default()).collect(),
        }
    }

    /// The first position after `x` at which a chain touches an atom; one beyond its last event when there is none.
    pub(super) fn next(&mut self, atom: usize, chain: usize, x: u32) -> Result<u32, Spent> {
        let column = &mut self.columns[atom * self.width + chain];
        let length = self.scene.length(chain);
        loop {
            if let Some(found) = column.first_from(x as usize + 1) {
                return Ok(found as u32);
            }
            if column.known >= length {
                return Ok(length + 1);
            }
            column.learn(self.scene, atom, chain, self.budget)?;
        }
    }

    /// The last position up to `x` at which a chain touches an atom; 0 when there is none.
    pub(super) fn last(&mut self, atom: usize, chain: usize, x: u32) -> Result<u32, Spent> {
        let column = &mut self.columns[atom * self.width + chain];
        while column.known < x {
            column.learn(self.scene, atom, chain, self.budget)?;
        }
        Ok(column.last_to(x as usize).unwrap_or(0) as u32)
    }
}

/// The positions at which a chain touches an atom.
#[derive(Default)]
struct Column {
    /// All events up to here have been asked for.
    known: u32,
    /// Bits, and above each level which of its words have some.
    levels: Vec<Vec<u64>>,
}

impl Column {
    /// Asks for the next block of events.
    fn learn<S: Scene>(
        &mut self,
        scene: &S,
        atom: usize,
        chain: usize,
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        if self.levels.is_empty() {
            self.make_room(scene.length(chain) as usize + 1, budget)?;
        }
        let end = self.known.saturating_add(BLOCK).min(scene.length(chain));
        for x in self.known + 1..=end {
            if x.is_multiple_of(16) {
                budget.tick()?;
            }
            if scene.touches(atom, chain, x) {
                self.insert(x as usize);
            }
        }
        self.known = end;
        Ok(())
    }

    fn make_room(&mut self, bits: usize, budget: &Budget<'_>) -> Result<(), Spent> {
        let mut words = bits.div_ceil(64);
        loop {
            budget.charge(words * size_of::<u64>())?;
            self.levels.push(vec![0; words]);
            if words == 1 {
                return Ok(());
            }
            words = words.div_ceil(64);
        }
    }

    fn insert(&mut self, mut bit: usize) {
        for level in &mut self.levels {
            level[bit / 64] |= 1 << (bit % 64);
            bit /= 64;
        }
    }

    fn first_from(&self, mut bit: usize) -> Option<usize> {
        for (height, level) in self.levels.iter().enumerate() {
            let rest = level.get(bit / 64)? & (u64::MAX << (bit % 64));
            if rest != 0 {
                let found = bit / 64 * 64 + rest.trailing_zeros() as usize;
                let first =
                    |at: usize, level: &Vec<u64>| at * 64 + level[at].trailing_zeros() as usize;
                return Some(self.levels[..height].iter().rev().fold(found, first));
            }
            bit = bit / 64 + 1;
        }
        None
    }

    fn last_to(&self, mut bit: usize) -> Option<usize> {
        for (height, level) in self.levels.iter().enumerate() {
            let rest = level.get(bit / 64)? & (u64::MAX >> (63 - bit % 64));
            if rest != 0 {
                let found = bit / 64 * 64 + rest.ilog2() as usize;
                let last = |at: usize, level: &Vec<u64>| at * 64 + level[at].ilog2() as usize;
                return Some(self.levels[..height].iter().rev().fold(found, last));
            }
            bit = (bit / 64).checked_sub(1)?;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_climb_over_what_is_empty() {
        let budget = Budget::endless();
        let mut rng = fastrand::Rng::with_seed(1);
        for size in [1, 64, 65, 5_000, 300_000] {
            let mut column = Column::default();
            column.make_room(size, &budget).expect("no limit");
            let mut bits: Vec<usize> = (0..rng.usize(0..6)).map(|_| rng.usize(0..size)).collect();
            bits.sort_unstable();
            bits.iter().for_each(|&bit| column.insert(bit));
            for _ in 0..200 {
                let at = rng.usize(0..size);
                let first = bits.iter().copied().find(|&bit| bit >= at);
                let last = bits.iter().copied().rfind(|&bit| bit <= at);
                assert_eq!((column.first_from(at), column.last_to(at)), (first, last));
            }
        }
    }
}
