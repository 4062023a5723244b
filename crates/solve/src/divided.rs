//! One worker's part of a state space that is explored as far as somebody asks.
//!
//! A [`Keeper`] says whose a row is. Own rows are kept and numbered in the order they were met; foreign ones are kept
//! until the steps at hand have been dealt with. Steps are not kept: with one worker out of many most of them lead
//! elsewhere, and a row that was sent need not be remembered.

use crate::index::Index;
use crate::keeper::Keeper;
use crate::part::{FOREIGN, Part};
use crate::space::Space;
use crate::steps::{Edge, Steps};
use crate::store::Rows;
use causet_base::budget::{Budget, Spent};

/// The rows of one worker.
pub struct Divided<'s, S: Space + ?Sized> {
    space: &'s S,
    me: u32,
    keeper: Keeper,
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
    /// The part of a worker, as rows are given to all of them.
    pub fn new(
        space: &'s S,
        me: usize,
        keeper: Keeper,
        budget: &Budget<'_>,
    ) -> Result<Self, Spent> {
        let mut row = vec![0; space.width()];
        space.initial(&mut row);
        let mut part = Divided {
            space,
            me: me as u32,
            keeper,
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
        if part.keeper.owner(&row) == part.me {
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
            keeper,
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
            let owner = keeper.owner(successor);
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
