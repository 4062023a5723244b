//! Union, intersection and difference: one recursion over the common refinement of two nodes.
//!
//! The three differ only in the cases they decide at once, which [`decided`] lists. A complement is the difference from
//! the set of all cuts; one within the box would only leave points behind that are no cuts.

use super::memo::Operation;
use super::table::{Record, Table};
use super::{Forest, Node};
use causet_base::budget::Spent;

impl Forest<'_> {
    /// The points in one of two sets.
    pub fn union(&mut self, a: Node, b: Node) -> Result<Node, Spent> {
        self.begin();
        self.apply(Operation::Union, a, b)
    }

    /// The points in both of two sets.
    pub fn intersection(&mut self, a: Node, b: Node) -> Result<Node, Spent> {
        self.begin();
        self.apply(Operation::Intersection, a, b)
    }

    /// The points in the first set that are not in the second.
    pub fn difference(&mut self, a: Node, b: Node) -> Result<Node, Spent> {
        self.begin();
        self.apply(Operation::Difference, a, b)
    }

    /// One of the three operations.
    pub(super) fn apply(&mut self, operation: Operation, a: Node, b: Node) -> Result<Node, Spent> {
        if let Some(node) = decided(operation, a, b) {
            return Ok(node);
        }
        let (a, b) = match operation {
            Operation::Difference => (a, b),
            _ => (Node(a.0.min(b.0)), Node(a.0.max(b.0))),
        };
        if let Some(node) = self.memo.get(operation, a.0, b.0) {
            return Ok(node);
        }
        self.account.tick()?;
        let base = self.draft.len();
        let mut pairs = Refinement::new(&self.table, a, b);
        while let Some((lo, a, b)) = pairs.next(&self.table) {
            let child = self.apply(operation, a, b)?;
            self.prepend(base, lo, child)?;
        }
        let node = self.seal_reversed(base)?;
        self.remember(operation, (a.0, b.0), node)
    }
}

/// The result where the nodes themselves tell it; always so below the last layer.
fn decided(operation: Operation, a: Node, b: Node) -> Option<Node> {
    let (if_equal, if_a_empty, if_b_empty) = match operation {
        Operation::Union => (a, b, a),
        Operation::Intersection => (a, Node::EMPTY, Node::EMPTY),
        _ => (Node::EMPTY, Node::EMPTY, a),
    };
    if a == b {
        Some(if_equal)
    } else if a == Node::EMPTY {
        Some(if_a_empty)
    } else if b == Node::EMPTY {
        Some(if_b_empty)
    } else {
        None
    }
}

/// The intervals on which two nodes both lead to one child, from the highest to the lowest.
pub(super) struct Refinement {
    a: Record,
    b: Record,
    /// How many edges of each are still to be seen.
    left_of_a: usize,
    left_of_b: usize,
}

impl Refinement {
    pub(super) fn new(table: &Table, a: Node, b: Node) -> Self {
        let (a, b) = (table.record(a), table.record(b));
        Refinement {
            a,
            b,
            left_of_a: a.len(),
            left_of_b: b.len(),
        }
    }

    /// The next interval's lowest position and the two children.
    pub(super) fn next(&mut self, table: &Table) -> Option<(u32, Node, Node)> {
        // Both lists start at position 0, so they end together.
        let edge_a = table.edge(self.a, self.left_of_a.checked_sub(1)?);
        let edge_b = table.edge(self.b, self.left_of_b.checked_sub(1)?);
        let lo = edge_a.lo.max(edge_b.lo);
        self.left_of_a -= usize::from(edge_a.lo == lo);
        self.left_of_b -= usize::from(edge_b.lo == lo);
        Some((lo, edge_a.child, edge_b.child))
    }
}
