//! Downward and upward closure within the box, and the shift of one layer.
//!
//! A closure goes through the intervals of a node from one end to the other and carries what it has gathered, so it is
//! one pass as well (paper IST, section 4, defines the closure; Lemma 10 uses it for EF).

use super::memo::Operation;
use super::table::Record;
use super::{Forest, Node};
use causet_base::budget::Spent;

impl Forest<'_> {
    /// The points that are nowhere above some point of the set.
    pub fn below(&mut self, set: Node) -> Result<Node, Spent> {
        self.begin();
        self.close(Operation::Below, set)
    }

    /// The points that are nowhere below some point of the set.
    pub fn above(&mut self, set: Node) -> Result<Node, Spent> {
        self.begin();
        self.close(Operation::Above, set)
    }

    /// The points that are in the set once their position on `layer` is raised by one.
    pub fn shifted(&mut self, set: Node, layer: usize) -> Result<Node, Spent> {
        self.begin();
        self.shift(set, layer, layer)
    }

    fn close(&mut self, operation: Operation, set: Node) -> Result<Node, Spent> {
        if set == Node::EMPTY || set == Node::FULL {
            return Ok(set);
        }
        if let Some(node) = self.memo.get(operation, set.0, 0) {
            return Ok(node);
        }
        self.account.tick()?;
        let downwards = operation == Operation::Below;
        let base = self.draft.len();
        let record = self.table.record(set);
        let mut gathered = Node::EMPTY;
        for step in 0..record.len() {
            let index = if downwards {
                record.len() - 1 - step
            } else {
                step
            };
            let edge = self.table.edge(record, index);
            let closed = self.close(operation, edge.child)?;
            gathered = self.apply(Operation::Union, gathered, closed)?;
            if downwards {
                self.prepend(base, edge.lo, gathered)?;
            } else {
                self.append(base, edge.lo, gathered)?;
            }
        }
        let node = if downwards {
            self.seal_reversed(base)?
        } else {
            self.seal(base)?
        };
        self.remember(operation, (set.0, 0), node)
    }

    /// Shifts a set whose root is `depth` layers above the layer to be shifted.
    fn shift(&mut self, set: Node, layer: usize, depth: usize) -> Result<Node, Spent> {
        if set == Node::EMPTY {
            return Ok(set);
        }
        if let Some(node) = self.memo.get(Operation::Shifted, set.0, layer as u32) {
            return Ok(node);
        }
        self.account.tick()?;
        let base = self.draft.len();
        let record = self.table.record(set);
        if depth == 0 {
            self.lower(record, layer, base)?;
        } else {
            for index in 0..record.len() {
                let edge = self.table.edge(record, index);
                let child = self.shift(edge.child, layer, depth - 1)?;
                self.append(base, edge.lo, child)?;
            }
        }
        let node = self.seal(base)?;
        self.remember(Operation::Shifted, (set.0, layer as u32), node)
    }

    /// Drafts the edges of a node one position lower; nothing comes down to the last position.
    fn lower(&mut self, record: Record, layer: usize, base: usize) -> Result<(), Spent> {
        for index in 0..record.len() {
            let (positions, child) = self.interval(record, index, layer);
            // What ends at position 1 held position 0 only, and has no place any more.
            if positions.end > 1 {
                self.append(base, positions.start.saturating_sub(1), child)?;
            }
        }
        self.append(base, self.lengths[layer], Node::EMPTY)
    }
}
