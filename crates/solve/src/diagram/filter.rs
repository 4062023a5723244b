//! The points of a set at which a predicate holds, with the predicate read like a word, layer by layer.
//!
//! A predicate over many layers seldom needs more of the layers above than a number: how often a variable was written,
//! which of its values was the last. Reading it with that state costs one visit for each node and state, whereas a
//! diagram of its own for every predicate would have to be built over the whole box and then intersected.

use std::hash::Hasher;
use std::ops::Range;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::account::Account;
use super::{Forest, Node};
use causet_base::budget::Spent;

/// A predicate read layer by layer.
pub trait Reading {
    /// The state before layer 0 is read.
    fn start(&self) -> u32;

    /// The positions above 0, in ascending order, at which the predicate may change on this layer.
    fn breaks(&self, layer: usize) -> &[u32];

    /// The state after a layer is read whose position is in a piece between two breaks.
    ///
    /// Piece `p` has the positions from `breaks[p - 1]` (0 for the first piece) to before `breaks[p]` (the end of the
    /// layer for the last).
    fn step(&mut self, state: u32, layer: usize, piece: usize) -> u32;

    /// Whether the predicate holds, if that is known before the layers from `layer` on are read.
    ///
    /// After the last layer it must be known.
    fn decided(&self, state: u32, layer: usize) -> Option<bool>;
}

impl Forest<'_> {
    /// The points of a set at which a predicate holds.
    pub fn filter(&mut self, set: Node, reading: &mut dyn Reading) -> Result<Node, Spent> {
        self.begin();
        let start = reading.start();
        let account = self.account.beside();
        let mut filter = Filter {
            forest: self,
            reading,
            known: HashTable::new(),
            account,
        };
        filter.node(set, start, 0)
    }
}

/// One run of a filter.
struct Filter<'f, 'b, 'r> {
    forest: &'f mut Forest<'b>,
    reading: &'r mut dyn Reading,
    /// The results so far: node, state, result.
    known: HashTable<(Node, u32, Node)>,
    account: Account<'b>,
}

impl Filter<'_, '_, '_> {
    fn node(&mut self, set: Node, state: u32, layer: usize) -> Result<Node, Spent> {
        if set == Node::EMPTY {
            return Ok(set);
        }
        if let Some(holds) = self.reading.decided(state, layer) {
            return Ok(if holds { set } else { Node::EMPTY });
        }
        assert!(set != Node::FULL, "a reading decides after the last layer");
        let hash = hash(set, state);
        let same = |entry: &(Node, u32, Node)| (entry.0, entry.1) == (set, state);
        if let Some(entry) = self.known.find(hash, same) {
            return Ok(entry.2);
        }
        self.account.tick()?;
        let base = self.forest.draft.len();
        let record = self.forest.table.record(set);
        for index in 0..record.len() {
            let (positions, child) = self.forest.interval(record, index, layer);
            self.interval(base, positions, child, (state, layer))?;
        }
        let node = self.forest.seal(base)?;
        let rehash = |entry: &(Node, u32, Node)| self::hash(entry.0, entry.1);
        self.account.room_in(&mut self.known, rehash)?;
        self.known.insert_unique(hash, (set, state, node), rehash);
        Ok(node)
    }

    /// Drafts the edges for an interval that leads to one child, piece by piece.
    fn interval(
        &mut self,
        base: usize,
        positions: Range<u32>,
        child: Node,
        (state, layer): (u32, usize),
    ) -> Result<(), Spent> {
        if child == Node::EMPTY {
            return self.forest.append(base, positions.start, child);
        }
        let mut lo = positions.start;
        let breaks = self.reading.breaks(layer);
        let mut piece = breaks.partition_point(|&position| position <= lo);
        while lo < positions.end {
            let next_state = self.reading.step(state, layer, piece);
            let kept = self.node(child, next_state, layer + 1)?;
            self.forest.append(base, lo, kept)?;
            let breaks = self.reading.breaks(layer);
            lo = breaks.get(piece).copied().unwrap_or(positions.end);
            piece += 1;
        }
        Ok(())
    }
}

fn hash(node: Node, state: u32) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(u64::from(node.0) << 32 | u64::from(state));
    hasher.finish()
}
