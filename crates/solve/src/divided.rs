//! One worker's part of a state space that is explored as far as somebody asks.
//!
//! The hash of a row says whose it is. Own rows are kept and numbered in the order they were met; foreign ones are kept
//! until the steps at hand have been dealt with. Steps are not kept: with one worker out of many most of them lead
//! elsewhere, and a row that was sent need not be remembered.

use crate::budget::{Budget, Spent};
use crate::index::Index;
use crate::part::{FOREIGN, Part};
use crate::space::Space;
use crate::steps::{Edge, Steps};
use crate::store::Rows;

/// The rows of one worker.
pub struct Divided<'s, S: Space + ?Sized> {
    space: &'s S,
    me: u32,
    workers: u32,
    /// Which of the numbers of a row say whose it is.
    sight: std::ops::Range<usize>,
    states: Rows,
    index: Index,
    home: Option<u32>,
    /// The foreign rows met since the last time they were forgotten, and whose they are.
    foreign: Vec<u32>,
    owners: Vec<u32>,
    /// The state whose steps are at hand, and these.
    current: Option<u32>,
    edges: Vec<Edge>,
    row: Vec<u32>,
    explored: u64,
    steps: u64,
}

impl<'s, S: Space + ?Sized> Divided<'s, S> {
    /// The part of a worker: rows are given to workers by the hash of all their numbers.
    pub fn new(
        space: &'s S,
        me: usize,
        workers: usize,
        budget: &Budget<'_>,
    ) -> Result<Self, Spent> {
        Divided::seeing(space, me, workers, 0..space.width(), budget)
    }

    /// The same, by the hash of some of their numbers only: a step that changes none of these stays at home.
    pub fn seeing(
        space: &'s S,
        me: usize,
        workers: usize,
        sight: std::ops::Range<usize>,
        budget: &Budget<'_>,
    ) -> Result<Self, Spent> {
        let mut row = vec![0; space.width()];
        space.initial(&mut row);
        let mut part = Divided {
            space,
            me: me as u32,
            workers: workers as u32,
            sight,
            states: Rows::new(space.width()),
            index: Index::default(),
            home: None,
            foreign: Vec::new(),
            owners: Vec::new(),
            current: None,
            edges: Vec::new(),
            row: row.clone(),
            explored: 0,
            steps: 0,
        };
        if owner_of(&row, &part.sight, part.workers) == part.me {
            part.home = Some(part.find(&row, budget)?);
        }
        Ok(part)
    }

    /// The row of an own state.
    pub fn row(&self, state: u32) -> &[u32] {
        self.states.get(state as usize)
    }

    /// The space itself.
    pub fn space(&self) -> &'s S {
        self.space
    }

    fn expand(&mut self, state: u32, budget: &Budget<'_>) -> Result<(), Spent> {
        let Divided {
            space,
            me,
            workers,
            sight,
            states,
            index,
            foreign,
            owners,
            edges,
            row,
            ..
        } = self;
        row.copy_from_slice(states.get(state as usize));
        edges.clear();
        let mut outcome = Ok(());
        space.successors(row, &mut |label, successor| {
            if outcome.is_err() {
                return;
            }
            let owner = owner_of(successor, sight, *workers);
            let target = match owner == *me {
                true => index.number(successor, states, budget),
                false => {
                    foreign.extend_from_slice(successor);
                    owners.push(owner);
                    Ok(FOREIGN | (owners.len() as u32 - 1))
                }
            };
            match target {
                Ok(target) => edges.push(Edge { label, target }),
                Err(spent) => outcome = Err(spent),
            }
        });
        outcome
    }
}

impl<S: Space + ?Sized> Steps for Divided<'_, S> {
    const FOREIGN: u32 = FOREIGN;

    fn initial(&self) -> u32 {
        self.home.unwrap_or(FOREIGN)
    }

    fn edges(&mut self, state: u32, budget: &Budget<'_>) -> Result<&[Edge], Spent> {
        if self.current != Some(state) {
            self.current = None;
            self.expand(state, budget)?;
            self.current = Some(state);
            self.explored += 1;
            self.steps += self.edges.len() as u64;
        }
        Ok(&self.edges)
    }
}

impl<S: Space + ?Sized> Part for Divided<'_, S> {
    fn home(&self) -> Option<u32> {
        self.home
    }

    fn owner(&self, foreign: u32) -> usize {
        self.owners[foreign as usize] as usize
    }

    fn width(&self) -> usize {
        self.row.len()
    }

    fn name_foreign(&self, foreign: u32, name: &mut Vec<u32>) {
        let start = foreign as usize * self.row.len();
        name.extend_from_slice(&self.foreign[start..start + self.row.len()]);
    }

    fn name_own(&self, state: u32, name: &mut Vec<u32>) {
        name.extend_from_slice(self.row(state));
    }

    fn find(&mut self, name: &[u32], budget: &Budget<'_>) -> Result<u32, Spent> {
        self.index.number(name, &mut self.states, budget)
    }

    fn explored(&self) -> (u64, u64) {
        (self.explored, self.steps)
    }

    fn forget(&mut self) {
        self.foreign.clear();
        self.owners.clear();
        self.current = None;
    }
}

/// Whose a row is. The hash is not that of the index, or every table would be half empty in the same places.
fn owner_of(row: &[u32], sight: &std::ops::Range<usize>, workers: u32) -> u32 {
    const ODD: u64 = 0xd6e8_feb8_6659_fd93;
    let mut hash = 0x51_7cc1_b727_2209_u64;
    for &word in &row[sight.clone()] {
        hash = (hash.rotate_left(23) ^ u64::from(word)).wrapping_mul(ODD);
    }
    hash ^= hash >> 32;
    let hash = hash.wrapping_mul(ODD) >> 32;
    ((hash * u64::from(workers)) >> 32) as u32
}
