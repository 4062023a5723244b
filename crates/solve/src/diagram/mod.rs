//! Sets of points as interval sharing trees, kept canonical: one layer a chain, one node a distinct set of suffixes.
//!
//! A node of layer `i` splits the positions of that layer into intervals and leads each to a node of the next layer, the
//! set of suffixes that go with it; a path from the root is a multi-rectangle (paper IST, section 4). Here neighbouring
//! intervals always lead to different nodes, a node without points is [`Node::EMPTY`], and every list of edges is kept
//! once. So a set has exactly one diagram, equality of sets is equality of nodes, and every operation can remember its
//! results by node.
//!
//! ```text
//! Chains --all_cuts--> Node --filter, union, until, before, ...--> Node --contains, count, lowest, points--> answers
//! ```
//!
//! The trees of the paper lost: there the intervals of one node may overlap, so one set has many trees, a comparison
//! costs as much as an operation, and a result must be simplified again and again. Fixpoint iteration and saturation lost
//! as well: a step only ever goes up, so each temporal operator is one pass ([`Forest::until`]).
//!
//! Operations recurse once a layer with small frames (a few hundred bytes), so thousands of layers fit a usual stack.

mod account;
mod boolean;
mod closure;
mod collect;
mod count;
mod cuts;
mod filter;
mod memo;
mod sums;
mod table;
mod until;
mod walk;

use std::ops::Range;

use account::Account;
use causet_base::budget::{Budget, Spent};
use memo::{Memo, Operation};
use table::{Record, Table};

pub use filter::Reading;

/// A set of points, as the number of its root in a [`Forest`].
///
/// Two sets of one forest are equal if and only if their nodes are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Node(u32);

impl Node {
    /// The set without points, on any layer.
    pub const EMPTY: Node = Node(0);

    /// What all layers lead to: the set that has the one point without coordinates.
    pub const FULL: Node = Node(1);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where an interval of positions leads: it goes from `lo` to the next edge, the last one to the end of the layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Edge {
    lo: u32,
    child: Node,
}

/// Many sets of points of the same box, which share their nodes.
///
/// An operation that runs out of budget returns `Err` and leaves all sets as they were. Memory is given back when the
/// forest is dropped, and by [`Forest::collect`] before.
pub struct Forest<'b> {
    lengths: Vec<u32>,
    table: Table,
    memo: Memo,
    /// Edges of the nodes being built: those of an outer layer lie below those of an inner one.
    draft: Vec<Edge>,
    account: Account<'b>,
}

impl<'b> Forest<'b> {
    /// No sets yet; layer `i` has the positions `0..=lengths[i]`.
    pub fn new(lengths: Vec<u32>, budget: &'b Budget<'b>) -> Self {
        Forest {
            lengths,
            table: Table::new(),
            memo: Memo::default(),
            draft: Vec::new(),
            account: Account::new(budget),
        }
    }

    /// The last position of each layer.
    pub fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    /// How many nodes there are, reachable or not.
    pub fn nodes(&self) -> usize {
        self.table.node_count()
    }

    /// How many edges those nodes have.
    pub fn edges(&self) -> usize {
        self.table.edge_count()
    }

    /// The set with one point.
    pub fn single(&mut self, point: &[u32]) -> Result<Node, Spent> {
        debug_assert_eq!(point.len(), self.lengths.len());
        self.begin();
        let mut node = Node::FULL;
        for (layer, &position) in point.iter().enumerate().rev() {
            let base = self.draft.len();
            if position > 0 {
                self.append(base, 0, Node::EMPTY)?;
            }
            self.append(base, position, node)?;
            if position < self.lengths[layer] {
                self.append(base, position + 1, Node::EMPTY)?;
            }
            node = self.seal(base)?;
        }
        Ok(node)
    }

    /// Every public operation begins here: what an interrupted one left behind goes away.
    fn begin(&mut self) {
        self.draft.clear();
        self.memo.begin();
    }

    /// The positions of one edge of a node, and where they lead.
    fn interval(&self, record: Record, index: usize, layer: usize) -> (Range<u32>, Node) {
        let edge = self.table.edge(record, index);
        let end = if index + 1 < record.len() {
            self.table.edge(record, index + 1).lo
        } else {
            self.lengths[layer] + 1
        };
        (edge.lo..end, edge.child)
    }

    /// Notes the result of an operation and hands it on.
    fn remember(
        &mut self,
        operation: Operation,
        (left, right): (u32, u32),
        result: Node,
    ) -> Result<Node, Spent> {
        let nodes = self.table.node_count();
        self.memo.make_room(nodes, &mut self.account)?;
        self.memo.put(operation, left, right, result);
        Ok(result)
    }

    /// Adds an edge above the ones drafted since `base`, or lengthens the last one if it leads to the same node.
    fn append(&mut self, base: usize, lo: u32, child: Node) -> Result<(), Spent> {
        if self.draft[base..].last().map(|edge| edge.child) == Some(child) {
            return Ok(());
        }
        self.account.room(&mut self.draft, 1)?;
        self.draft.push(Edge { lo, child });
        Ok(())
    }

    /// Adds an edge below the ones drafted since `base`; to be closed with [`Self::seal_reversed`].
    fn prepend(&mut self, base: usize, lo: u32, child: Node) -> Result<(), Spent> {
        match self.draft[base..].last_mut() {
            Some(edge) if edge.child == child => edge.lo = lo,
            _ => {
                self.account.room(&mut self.draft, 1)?;
                self.draft.push(Edge { lo, child });
            }
        }
        Ok(())
    }

    /// The node with the edges drafted since `base`.
    fn seal(&mut self, base: usize) -> Result<Node, Spent> {
        let node = match self.draft[base..] {
            [edge] if edge.child == Node::EMPTY => Node::EMPTY,
            ref edges => self.table.intern(edges, &mut self.account)?,
        };
        self.draft.truncate(base);
        Ok(node)
    }

    fn seal_reversed(&mut self, base: usize) -> Result<Node, Spent> {
        self.draft[base..].reverse();
        self.seal(base)
    }
}
