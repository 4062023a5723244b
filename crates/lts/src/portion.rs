//! The states of a stored system that belong to one worker, or to the workers of one process.
//!
//! States are dealt out by number ([`Deal`]). A process that has all states shares them among its threads as they are;
//! one of several processes keeps the states of its own threads only.

use causet_solve::budget::{Budget, Spent};
use causet_solve::part::{Deal, FOREIGN, Locator, Part};
use causet_solve::steps::{Edge, Steps};

use crate::system::Lts;

/// The steps that one process keeps.
#[derive(Debug)]
pub struct Portion {
    /// The steps, of all states or of some; targets are numbers in the whole system.
    rows: Lts,
    /// The workers whose states are there, if not everybody's.
    kept: Option<Kept>,
    initial: u32,
}

/// A few workers out of all.
#[derive(Clone, Copy, Debug)]
struct Kept {
    first: u32,
    count: u32,
}

impl Kept {
    /// Where the steps of a worker's state lie.
    fn row(self, owner: u32, own: u32) -> u32 {
        own * self.count + (owner - self.first)
    }
}

/// The states of one worker.
pub struct Mine<'a> {
    rows: &'a Lts,
    kept: Option<Kept>,
    deal: Deal,
    me: u32,
    home: Option<u32>,
}

impl<'a> Mine<'a> {
    /// The states of a worker, when all of them are in memory.
    pub fn of_all(lts: &'a Lts, deal: Deal, me: usize) -> Self {
        Mine::new(lts, None, lts.initial(), deal, me)
    }

    /// The states of a worker, when those of its process are.
    pub fn of(portion: &'a Portion, deal: Deal, me: usize) -> Self {
        Mine::new(&portion.rows, portion.kept, portion.initial, deal, me)
    }

    fn new(rows: &'a Lts, kept: Option<Kept>, initial: u32, deal: Deal, me: usize) -> Self {
        let (owner, own) = deal.place(initial);
        let me = me as u32;
        Mine {
            rows,
            kept,
            deal,
            me,
            home: (owner == me).then_some(own),
        }
    }

    /// The row of an own state.
    fn row(&self, own: u32) -> u32 {
        match self.kept {
            Some(kept) => kept.row(self.me, own),
            None => self.deal.number(self.me, own),
        }
    }
}

impl Steps for Mine<'_> {
    const FOREIGN: u32 = FOREIGN;

    fn initial(&self) -> u32 {
        self.home.unwrap_or(FOREIGN)
    }

    fn anticipate(&self, states: impl Iterator<Item = u32>) {
        let rows = states.map(|state| self.row(state));
        Steps::anticipate(&self.rows, rows);
    }

    fn edges(&mut self, state: u32, _: &Budget<'_>) -> Result<&[Edge], Spent> {
        Ok(self.rows.steps(self.row(state)))
    }

    fn locator(&self) -> Locator {
        match self.deal.workers() {
            1 => Locator::default(),
            _ => Locator::new(self.deal, self.me),
        }
    }
}

impl Part for Mine<'_> {
    fn home(&self) -> Option<u32> {
        self.home
    }

    fn owner(&self, foreign: u32) -> usize {
        self.deal.place(foreign).0 as usize
    }

    fn width(&self) -> usize {
        1
    }

    fn has_numbers(&self) -> bool {
        true
    }

    fn name_foreign(&self, foreign: u32, name: &mut Vec<u32>) {
        name.push(foreign);
    }

    fn name_own(&self, state: u32, name: &mut Vec<u32>) {
        name.push(self.deal.number(self.me, state));
    }

    fn find(&mut self, name: &[u32], _: &Budget<'_>) -> Result<u32, Spent> {
        Ok(self.deal.place(name[0]).1)
    }
}

#[allow(dead_code)]
impl Portion {
    /// The states of workers `first..first + count`, of which there is one row for each state of each: those of the
    /// first states of all workers, then those of the second ones, and so on.
    pub fn new(rows: Lts, first: usize, count: usize, initial: u32) -> Portion {
        let (first, count) = (first as u32, count as u32);
        Portion {
            rows,
            kept: Some(Kept { first, count }),
            initial,
        }
    }

    /// The labels of the whole system.
    pub fn rows(&self) -> &Lts {
        &self.rows
    }
}
