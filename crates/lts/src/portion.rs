//! The states of a stored system that belong to one worker, or to the workers of one process.
//!
//! States are dealt out by number ([`Deal`]). A process that has all states shares them among its threads as they are;
//! one of several processes keeps the states of its own threads only. Those it keeps lie one after the other in the order
//! of their numbers, so that a file that lists its steps state by state needs no sorting here either.

use causet_base::budget::{Budget, Spent};
use causet_solve::deal::{Deal, Locator, Numbers};
use causet_solve::part::{FOREIGN, Part};
use causet_solve::steps::{Edge, Steps};

use crate::system::{Labels, Lts, Rows};

/// Some workers out of all, and where their states lie.
#[derive(Clone, Debug)]
pub struct Kept {
    /// How states are dealt out to all workers.
    deal: Deal,
    first: u32,
    /// How the rows belong to those who are kept: as if nobody else were there.
    rows: Deal,
}

impl Kept {
    /// Workers `first..first + count` of those to whom states are dealt out.
    pub fn new(deal: Deal, first: usize, count: usize) -> Kept {
        let first = first.min(deal.workers() - 1);
        let count = count.clamp(1, deal.workers() - first);
        Kept {
            first: first as u32,
            rows: deal.among(first..first + count),
            deal,
        }
    }

    /// How states are dealt out to all workers.
    pub fn deal(&self) -> &Deal {
        &self.deal
    }

    /// Those who are kept.
    pub fn workers(&self) -> std::ops::Range<usize> {
        let first = self.first as usize;
        first..first + self.rows.workers()
    }

    /// Where the steps of a state lie, if it belongs to one of these.
    #[inline]
    pub fn row(&self, state: u32) -> Option<u32> {
        let (owner, own) = self.deal.place(state);
        let owner = owner.wrapping_sub(self.first);
        ((owner as usize) < self.rows.workers()).then(|| self.rows.number(owner, own))
    }

    /// Which state has its steps in a row.
    pub fn state(&self, row: u32) -> u32 {
        let (owner, own) = self.rows.place(row);
        self.deal.number(self.first + owner, own)
    }

    /// How many of so many states belong to these.
    pub fn count(&self, states: u32) -> u32 {
        let workers = self.workers();
        let shares = workers.map(|worker| self.deal.share(worker as u32, states));
        shares.sum()
    }
}

/// The part of a stored system that one process keeps: some workers' states with their steps, and what all know.
#[derive(Debug)]
pub struct Portion {
    kept: Kept,
    /// The steps of the states that are kept; targets are numbers in the whole system.
    rows: Rows,
    whole: Whole,
}

/// What every process knows of the whole system.
#[derive(Debug)]
pub(crate) struct Whole {
    pub(crate) initial: u32,
    pub(crate) states: u32,
    pub(crate) transitions: u64,
    pub(crate) labels: Labels,
}

impl Portion {
    /// The steps of the states that are kept, one row for each of them in the order of their numbers.
    pub(crate) fn new(kept: Kept, rows: Rows, whole: Whole) -> Portion {
        Portion { kept, rows, whole }
    }

    /// Whose states are kept.
    pub fn kept(&self) -> &Kept {
        &self.kept
    }

    /// The initial state of the whole system, kept or not.
    pub fn initial(&self) -> u32 {
        self.whole.initial
    }

    /// How many states the whole system has.
    pub fn states(&self) -> u32 {
        self.whole.states
    }

    /// How many steps the whole system has.
    pub fn step_count(&self) -> u64 {
        self.whole.transitions
    }

    /// The labels of the whole system, numbered alike in every process.
    pub fn labels(&self) -> &Labels {
        &self.whole.labels
    }

    /// The labels, to say which is internal.
    pub fn labels_mut(&mut self) -> &mut Labels {
        &mut self.whole.labels
    }

    /// The steps of a state, if it is kept.
    pub fn steps(&self, state: u32) -> Option<&[Edge]> {
        let is_there = state < self.states();
        let row = self.kept.row(state).filter(|_| is_there)?;
        Some(self.rows.steps(row))
    }

    /// The steps that are kept with their sources, state by state.
    pub fn transitions(&self) -> impl Iterator<Item = (u32, Edge)> + '_ {
        (0..self.rows.len() as u32).flat_map(|row| {
            let source = self.kept.state(row);
            self.rows.steps(row).iter().map(move |&edge| (source, edge))
        })
    }

    /// How many bytes of memory the portion takes, roughly.
    pub fn bytes(&self) -> usize {
        self.rows.bytes() + self.whole.labels.bytes()
    }
}

/// The states of one worker.
pub struct Mine<'a> {
    rows: &'a Rows,
    /// Where the steps of its states lie.
    row_of: Numbers<'a>,
    deal: &'a Deal,
    locator: Locator<'a>,
    me: u32,
    home: Option<u32>,
}

impl<'a> Mine<'a> {
    /// The states of a worker, when all of them are in memory.
    pub fn of_all(lts: &'a Lts, deal: &'a Deal, me: usize) -> Self {
        let row_of = deal.numbers(me as u32);
        Mine::new(lts.rows(), row_of, deal, lts.initial(), me)
    }

    /// The states of a worker, when those of its process are: it must be one of [`Kept::workers`].
    pub fn of(portion: &'a Portion, me: usize) -> Self {
        let kept = &portion.kept;
        debug_assert!(kept.workers().contains(&me), "somebody else's states");
        let row_of = kept.rows.numbers(me as u32 - kept.first);
        Mine::new(&portion.rows, row_of, &kept.deal, portion.initial(), me)
    }

    fn new(rows: &'a Rows, row_of: Numbers<'a>, deal: &'a Deal, initial: u32, me: usize) -> Self {
        let (owner, own) = deal.place(initial);
        let me = me as u32;
        Mine {
            rows,
            row_of,
            deal,
            locator: Locator::new(deal, me),
            me,
            home: (owner == me).then_some(own),
        }
    }
}

impl Steps for Mine<'_> {
    const FOREIGN: u32 = FOREIGN;

    fn initial(&self) -> u32 {
        self.home.unwrap_or(FOREIGN)
    }

    fn anticipate(&self, states: impl Iterator<Item = u32>) {
        let row_of = self.row_of;
        self.rows.anticipate(states.map(|state| row_of.of(state)));
    }

    fn edges(&mut self, state: u32, _: &Budget<'_>) -> Result<&[Edge], Spent> {
        Ok(self.rows.steps(self.row_of.of(state)))
    }

    fn located_edges(
        &mut self,
        state: u32,
        _: &Budget<'_>,
    ) -> Result<(&[Edge], &Locator<'_>), Spent> {
        let edges = self.rows.steps(self.row_of.of(state));
        Ok((edges, &self.locator))
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

    fn place(&self, foreign: u32) -> (usize, u32) {
        let (owner, own) = self.deal.place(foreign);
        (owner as usize, own)
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
