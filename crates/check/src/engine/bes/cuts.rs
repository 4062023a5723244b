//! The cuts of a projection as states: a space with propositions, and what is known of one.
//!
//! Three things are known of a space: what somebody has asked for so far, the part of one worker, or the states that
//! workers have shown. Equations are made of any of them.

use causet_base::budget::{Budget, Spent};
use causet_solve::chains::Chains;
use causet_solve::numbered::Numbered;
use causet_solve::space::Space;
use causet_solve::steps::{Edge, Steps};

use crate::labels::Labels;
use crate::project::Projection;

/// A space without cycles whose states satisfy propositions or not.
pub(super) trait Lattice: Space {
    /// Whether a state satisfies a proposition.
    fn holds(&self, atom: u32, state: &[u32]) -> bool;

    /// How far each of the first numbers of a state counts, which count events.
    fn lengths(&self) -> Vec<u32>;
}

/// What is known of a lattice.
pub(super) trait Known: Steps {
    /// The row of a state.
    fn row(&self, state: u32) -> &[u32];

    /// The number of the state with a row, if it is among what can be known.
    fn number(&mut self, row: &[u32], budget: &Budget<'_>) -> Result<Option<u32>, Spent>;
}

/// The cuts as a space; a step is the next event of a chain, and its label is that of the event, if labels matter.
pub(super) struct Cuts<'a, 's> {
    pub(super) projection: &'a Projection<'s>,
    pub(super) labels: Option<&'a Labels<'a>>,
}

impl Space for Cuts<'_, '_> {
    fn width(&self) -> usize {
        self.projection.count()
    }

    fn initial(&self, cut: &mut [u32]) {
        cut.fill(0);
    }

    fn successors(&self, cut: &[u32], each: &mut dyn FnMut(u32, &[u32])) {
        with_copy(cut, |next| {
            for chain in 0..next.len() {
                if self.projection.may_advance(cut, chain) {
                    let label = self.labels.map_or(0, |labels| {
                        labels.of(self.projection.chain(chain)[cut[chain] as usize])
                    });
                    next[chain] += 1;
                    each(label, next);
                    next[chain] -= 1;
                }
            }
        });
    }
}

impl Lattice for Cuts<'_, '_> {
    fn holds(&self, atom: u32, cut: &[u32]) -> bool {
        self.projection.holds(atom as usize, cut)
    }

    fn lengths(&self) -> Vec<u32> {
        let chains = 0..self.projection.count();
        let lengths = chains.map(|chain| self.projection.chain(chain).len() as u32);
        lengths.collect()
    }
}

/// How many numbers a row may have that is copied without asking for memory.
const SHORT: usize = 32;

/// Does something with a copy of a row.
pub(super) fn with_copy(row: &[u32], work: impl FnOnce(&mut [u32])) {
    if row.len() > SHORT {
        return work(&mut row.to_vec());
    }
    let mut copy = [0; SHORT];
    let copy = &mut copy[..row.len()];
    copy.copy_from_slice(row);
    work(copy);
}

/// The states that have been asked for.
pub(super) struct Walk<'a, L: Lattice> {
    numbered: Numbered<'a, L>,
}

impl<'a, L: Lattice> Walk<'a, L> {
    /// The initial state.
    pub(super) fn new(lattice: &'a L, budget: &Budget<'_>) -> Result<Self, Spent> {
        let numbered = Numbered::new(lattice, budget)?;
        Ok(Walk { numbered })
    }

    /// How many states were gone on from.
    pub(super) fn explored(&self) -> usize {
        self.numbered.explored()
    }
}

impl<L: Lattice> Known for Walk<'_, L> {
    fn row(&self, state: u32) -> &[u32] {
        self.numbered.row(state)
    }

    fn number(&mut self, row: &[u32], budget: &Budget<'_>) -> Result<Option<u32>, Spent> {
        self.numbered.number(row, budget).map(Some)
    }
}

impl<L: Lattice> Steps for Walk<'_, L> {
    fn initial(&self) -> u32 {
        0
    }

    fn edges(&mut self, state: u32, budget: &Budget<'_>) -> Result<&[Edge], Spent> {
        self.numbered.edges(state, budget)
    }

    fn is_acyclic(&self) -> bool {
        true
    }

    fn holds(&self, atom: u32, state: u32) -> bool {
        self.numbered.space().holds(atom, self.row(state))
    }
}
