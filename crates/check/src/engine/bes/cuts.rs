//! The cuts of a projection as numbered states, each found when somebody asks for it.

use causet_solve::budget::{Budget, Spent};
use causet_solve::chains::Chains;
use causet_solve::numbered::Numbered;
use causet_solve::space::Space;
use causet_solve::steps::{Edge, Steps};

use crate::labels::Labels;
use crate::project::Projection;

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
        let mut next = cut.to_vec();
        for chain in 0..self.projection.count() {
            if self.projection.may_advance(cut, chain) {
                let event = self.projection.chain(chain)[cut[chain] as usize];
                let label = self.labels.map_or(0, |labels| labels.of(event));
                next[chain] += 1;
                each(label, &next);
                next[chain] -= 1;
            }
        }
    }
}

/// The cuts that have been asked for.
pub(super) struct Walk<'a, 's> {
    numbered: Numbered<'a, Cuts<'a, 's>>,
}

impl<'a, 's> Walk<'a, 's> {
    /// The initial cut.
    pub(super) fn new(cuts: &'a Cuts<'a, 's>, budget: &Budget<'_>) -> Result<Self, Spent> {
        let numbered = Numbered::new(cuts, budget)?;
        Ok(Walk { numbered })
    }

    /// The number of a cut.
    pub(super) fn number(&mut self, cut: &[u32], budget: &Budget<'_>) -> Result<u32, Spent> {
        self.numbered.number(cut, budget)
    }

    /// A cut.
    pub(super) fn cut(&self, state: u32) -> &[u32] {
        self.numbered.row(state)
    }

    /// The chain that leads from a cut to the next, and where the event stands in the recorded order.
    pub(super) fn chain(&self, state: u32, next: u32) -> (u32, usize) {
        let (cut, next) = (self.cut(state), self.cut(next));
        let chain = cut.iter().zip(next).position(|(a, b)| a != b).unwrap_or(0);
        let projection = self.numbered.space().projection;
        (projection.rank(chain, cut[chain]), chain)
    }

    /// How many cuts were gone on from.
    pub(super) fn explored(&self) -> usize {
        self.numbered.explored()
    }
}

impl Steps for Walk<'_, '_> {
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
        let projection = self.numbered.space().projection;
        projection.holds(atom as usize, self.cut(state))
    }
}
