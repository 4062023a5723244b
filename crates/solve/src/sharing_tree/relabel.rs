//! Operations that go through one tree and change its labels: copy, union, shift and downward closure.
//!
//! New labels may coincide, and then siblings are united (paper IST, definition 2, iii); this is where a linear walk can
//! become exponential, and where remembering unions keeps it from being so more often than necessary.

use super::build::Builder;
use super::{Grid, Tree};
use causet_base::budget::Spent;

impl<'b> Grid<'b> {
    /// The same tree once more.
    pub fn copy(&self, tree: &Tree<'b>) -> Result<Tree<'b>, Spent> {
        self.relabelled(tree, |_, low, high| Some((low, high)))
    }

    /// The points of both sets. Intervals that overlap stay as they are.
    pub fn union(&self, one: &Tree<'b>, other: &Tree<'b>) -> Result<Tree<'b>, Spent> {
        let mut builder = Builder::new(self.budget);
        let layers = self.lengths.len();
        let same = |_, low, high| Some((low, high));
        let left = builder.transfer(&one.store, layers, same)?[one.root.index()];
        let right = builder.transfer(&other.store, layers, same)?[other.root.index()];
        let root = builder.union(left, right)?;
        builder.finish(root)
    }

    /// The points with one coordinate less by one (paper IST, section 4: the shift `x_i <- x_i - 1`).
    ///
    /// In the paper a coordinate may become -1, which does no harm as long as every shift is followed by an intersection
    /// with the cuts. Here it is cut off at once, so that labels are natural numbers.
    pub fn lowered(&self, tree: &Tree<'b>, layer: usize) -> Result<Tree<'b>, Spent> {
        self.relabelled(tree, |at, low, high| match at == layer {
            true => Some((low.saturating_sub(1), high.checked_sub(1)?)),
            false => Some((low, high)),
        })
    }

    /// The points below some point of the set: each rectangle grows down to zero (paper IST, section 4: downward
    /// closure).
    pub fn below(&self, tree: &Tree<'b>) -> Result<Tree<'b>, Spent> {
        self.relabelled(tree, |_, _, high| Some((0, high)))
    }

    fn relabelled(
        &self,
        tree: &Tree<'b>,
        label: impl Fn(usize, u32, u32) -> Option<(u32, u32)>,
    ) -> Result<Tree<'b>, Spent> {
        let mut builder = Builder::new(self.budget);
        let copies = builder.transfer(&tree.store, self.lengths.len(), label)?;
        builder.finish(copies[tree.root.index()])
    }
}
