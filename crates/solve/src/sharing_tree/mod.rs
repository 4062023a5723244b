//! Interval sharing trees as the paper defines them: sets of points that share beginnings and ends, and are not canonical.
//!
//! A tree has one layer a coordinate between a root and an end; every node in between carries one interval, and a point is
//! accepted if some path has all of its coordinates within the intervals (paper IST, definition 2). Two conditions make a
//! tree small: no two successors of a node have the same label (iii, shared beginnings), and no two nodes of a layer have
//! the same label and the same successors (iv, shared ends). Neither forbids that intervals of siblings overlap, nor that
//! neighbours could be one interval. So a set has many trees, whether two trees mean the same set costs an operation, and
//! taking one set from another has to follow all paths that accept a point at once.
//!
//! [`crate::diagram`] keeps the same sets canonical, and is what answers questions. This module is here to be measured
//! against it, so nothing is tidied up that the paper does not tidy up: an operation remembers its own results, since
//! without that every one of them would take time exponential in the layers, and forgets them when it is over.
//!
//! ```text
//! Grid --all, rectangle, containing, lacking--> Tree --union, intersection, difference, lowered, below--> Tree
//!                                               Tree --contains, is_empty, within--> answers
//! ```
//!
//! The paper leaves the algorithms to a report. What is chosen here: union merges siblings with equal labels and keeps the
//! rest side by side, as for trees of plain symbols (sharing trees, Zampuniéris and Le Charlier); intersection pairs
//! overlapping siblings and unites what gets the same label; difference splits each interval where the other tree changes
//! and takes away all successors that apply to a piece. Every tree owns its nodes, so dropping one frees them.

mod build;
mod combine;
mod relabel;

use build::{Builder, Held, Store, Succ};
use causet_base::budget::{Budget, Spent};
use rustc_hash::FxHashSet;

/// The box all trees lie in, and the limits of working on them.
pub struct Grid<'b> {
    lengths: Vec<u32>,
    budget: &'b Budget<'b>,
}

/// A set of points; what it takes of the budget is given back when it is dropped.
pub struct Tree<'b> {
    store: Store,
    root: Succ,
    _held: Held<'b>,
}

/// A restriction of one coordinate: from a position to another, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Which coordinate.
    pub layer: usize,
    /// The least position.
    pub low: u32,
    /// The greatest position.
    pub high: u32,
}

impl<'b> Grid<'b> {
    /// Coordinate `i` has the positions `0..=lengths[i]`.
    pub fn new(lengths: Vec<u32>, budget: &'b Budget<'b>) -> Self {
        Grid { lengths, budget }
    }

    /// No points.
    pub fn nothing(&self) -> Result<Tree<'b>, Spent> {
        Builder::new(self.budget).finish(Succ::NONE)
    }

    /// All points, a tree of one path (paper IST, section 5: the tree I_0).
    pub fn everything(&self) -> Result<Tree<'b>, Spent> {
        self.rectangle(&[])
    }

    /// The points with at least so many events of a chain: those that contain the event at that position, counted from 1
    /// (paper IST, section 5: the tree A(e)).
    pub fn containing(&self, layer: usize, position: u32) -> Result<Tree<'b>, Spent> {
        let high = self.lengths[layer];
        self.rectangle(&[Span {
            layer,
            low: position,
            high,
        }])
    }

    /// The points with fewer events of a chain: those that lack the event at that position, counted from 1 (paper IST,
    /// section 5: the tree B(e)).
    pub fn lacking(&self, layer: usize, position: u32) -> Result<Tree<'b>, Spent> {
        let Some(high) = position.checked_sub(1) else {
            return self.nothing();
        };
        self.rectangle(&[Span {
            layer,
            low: 0,
            high,
        }])
    }

    /// The points within all of the restrictions.
    pub fn rectangle(&self, spans: &[Span]) -> Result<Tree<'b>, Spent> {
        let mut bounds: Vec<(u32, u32)> = self.lengths.iter().map(|&length| (0, length)).collect();
        for span in spans {
            let (low, high) = &mut bounds[span.layer];
            *low = span.low.max(*low);
            *high = span.high.min(*high);
        }
        if bounds.iter().any(|(low, high)| low > high) {
            return self.nothing();
        }
        let mut builder = Builder::new(self.budget);
        let mut succ = Succ::END;
        for &(low, high) in bounds.iter().rev() {
            succ = builder.seal(vec![build::Node { low, high, succ }])?;
        }
        builder.finish(succ)
    }

    /// The complement within the box.
    pub fn complement(&self, tree: &Tree<'b>) -> Result<Tree<'b>, Spent> {
        self.difference(&self.everything()?, tree)
    }

    /// Whether a set is a part of another.
    pub fn within(&self, part: &Tree<'b>, whole: &Tree<'b>) -> Result<bool, Spent> {
        combine::within(part, whole, self.budget)
    }
}

impl Tree<'_> {
    /// Whether there is no point: no path leads to the end, since every node has successors (definition 2, ii).
    pub fn is_empty(&self) -> bool {
        self.root == Succ::NONE
    }

    /// Whether a point is accepted: follows all paths at once, layer by layer.
    pub fn contains(&self, point: &[u32]) -> bool {
        let mut reached = vec![self.root];
        for &x in point {
            let nodes = reached.iter().flat_map(|&succ| self.store.nodes(succ));
            let within = nodes.filter(|node| (node.low..=node.high).contains(&x));
            let mut next: Vec<Succ> = within.map(|node| node.succ).collect();
            next.sort_unstable();
            next.dedup();
            reached = next;
        }
        reached.contains(&Succ::END)
    }

    /// How many nodes the tree has, root and end included.
    pub fn nodes(&self) -> usize {
        // The successors determine the layer, so a label and its successors are a node (definition 2, iv).
        let nodes: FxHashSet<&build::Node> = self.store.all().iter().collect();
        nodes.len() + 2
    }

    /// How many edges lead from node to node.
    pub fn edges(&self) -> usize {
        let nodes: FxHashSet<&build::Node> = self.store.all().iter().collect();
        let below = nodes.iter().map(|node| self.store.degree(node.succ));
        self.store.degree(self.root) + below.sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition's conditions on the successors of every node.
    fn assert_well_formed(tree: &Tree<'_>) {
        for succ in tree.store.sets() {
            let nodes = tree.store.nodes(succ);
            assert!(!nodes.is_empty(), "ii: every node has successors");
            let labels = nodes.iter().map(build::Node::label);
            let distinct: FxHashSet<(u32, u32)> = labels.collect();
            assert_eq!(distinct.len(), nodes.len(), "iii: labels differ");
            assert!(nodes.iter().all(|node| node.low <= node.high));
            assert!(nodes.iter().all(|node| node.succ != Succ::NONE), "ii");
        }
        let sets: FxHashSet<&[build::Node]> =
            tree.store.sets().map(|s| tree.store.nodes(s)).collect();
        assert_eq!(sets.len(), tree.store.sets().count(), "iv: sets are shared");
    }

    fn span(layer: usize, low: u32, high: u32) -> Span {
        Span { layer, low, high }
    }

    #[test]
    fn operations_keep_the_conditions_of_the_definition() -> Result<(), Spent> {
        let budget = Budget::endless();
        let grid = Grid::new(vec![5, 4, 3], &budget);
        let mut tree = grid.nothing()?;
        let mut rng = fastrand::Rng::with_seed(2);
        for _ in 0..200 {
            let layer = rng.usize(..3);
            let (low, high) = (rng.u32(..4), rng.u32(2..6));
            let other = grid.rectangle(&[span(layer, low, high), span((layer + 1) % 3, 1, 2)])?;
            tree = match rng.u32(..5) {
                0 => grid.intersection(&tree, &other)?,
                1 => grid.difference(&tree, &other)?,
                2 => grid.lowered(&tree, layer)?,
                3 => grid.complement(&tree)?,
                _ => grid.union(&tree, &other)?,
            };
            assert_well_formed(&tree);
        }
        Ok(())
    }

    #[test]
    fn one_set_has_several_trees() -> Result<(), Spent> {
        let budget = Budget::endless();
        let grid = Grid::new(vec![9], &budget);
        let whole = grid.everything()?;
        let low = grid.rectangle(&[span(0, 0, 6)])?;
        let high = grid.rectangle(&[span(0, 4, 9)])?;
        let both = grid.union(&low, &high)?;
        assert!(grid.within(&both, &whole)? && grid.within(&whole, &both)?);
        assert_eq!((whole.nodes(), both.nodes()), (3, 4));
        Ok(())
    }

    #[test]
    fn dropped_trees_give_their_memory_back() -> Result<(), Spent> {
        let budget = Budget::endless().with_memory(1 << 20, 0);
        let grid = Grid::new(vec![99; 10], &budget);
        let tree = grid.union(&grid.containing(3, 7)?, &grid.lacking(8, 50)?)?;
        assert!(budget.used() > 0);
        drop(tree);
        assert_eq!(budget.used(), 0);
        Ok(())
    }
}
