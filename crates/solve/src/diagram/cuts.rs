//! The set of all cuts, built top down from closed bounds, each node once.
//!
//! The positions chosen on the layers above leave bounds for the layers below. The bounds are transitively closed, so
//! each choice within them can be completed, and they are exactly the lowest and the highest suffix of the node: there
//! is one node for each distinct pair of bounds (this replaces paper IST, section 5, Lemma 1, which starts from the whole
//! box and removes the points that break one communication after the other, in quadratic time).
//!
//! Nodes are found again by a hash of their bounds. The bounds themselves are not stored: they are read off the node
//! that was found, along its first and its last edges. Keeping them as keys costs 8 bytes a layer for every node, which
//! with hundreds of layers is far more than the nodes need.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::account::Account;
use super::{Forest, Node};
use crate::chains::Chains;
use causet_base::budget::Spent;

impl Forest<'_> {
    /// All cuts of an order; layer `i` is the chain `layers[i]`.
    ///
    /// With only some of the chains as layers, these are the cuts seen on those chains.
    pub fn all_cuts(&mut self, chains: &dyn Chains, layers: &[usize]) -> Result<Node, Spent> {
        debug_assert!(layers.len() == self.lengths.len());
        self.begin();
        let account = self.account.beside();
        let mut growth = Growth::new(self, chains, layers, account)?;
        growth.node(0)
    }
}

/// No later position.
const NEVER: u32 = u32::MAX;

/// The construction of one set of all cuts.
struct Growth<'f, 'b, 'c> {
    forest: &'f mut Forest<'b>,
    chains: &'c dyn Chains,
    layers: &'c [usize],
    /// For each layer and position, the next position that changes the bounds of a deeper layer.
    jumps: Vec<Vec<u32>>,
    bounds: Bounds,
    /// The nodes made so far, with the hash of their bounds.
    known: HashTable<(u32, Node)>,
    account: Account<'b>,
}

impl<'f, 'b, 'c> Growth<'f, 'b, 'c> {
    fn new(
        forest: &'f mut Forest<'b>,
        chains: &'c dyn Chains,
        layers: &'c [usize],
        mut account: Account<'b>,
    ) -> Result<Self, Spent> {
        let jumps = (0..layers.len())
            .map(|layer| jumps(chains, &layers[layer..], &mut account))
            .collect::<Result<_, _>>()?;
        let bounds = Bounds::new(&forest.lengths, &mut account)?;
        Ok(Growth {
            forest,
            chains,
            layers,
            jumps,
            bounds,
            known: HashTable::new(),
            account,
        })
    }

    /// The node of a layer with the bounds set for it.
    fn node(&mut self, layer: usize) -> Result<Node, Spent> {
        if layer == self.layers.len() {
            return Ok(Node::FULL);
        }
        let hash = self.bounds.hash(layer);
        if let Some(node) = self.find(layer, hash) {
            return Ok(node);
        }
        let base = self.forest.draft.len();
        let (lowest, highest) = (self.bounds.lows(layer)[0], self.bounds.highs(layer)[0]);
        if lowest > 0 {
            self.forest.append(base, 0, Node::EMPTY)?;
        }
        let mut position = lowest;
        while position <= highest {
            self.account.tick()?;
            if self.narrow(layer, position) || position == lowest {
                let child = self.node(layer + 1)?;
                self.forest.append(base, position, child)?;
            }
            position = self.jumps[layer][position as usize];
        }
        if highest < self.forest.lengths[layer] {
            self.forest.append(base, highest + 1, Node::EMPTY)?;
        }
        let node = self.forest.seal(base)?;
        self.account.room_in(&mut self.known, spread)?;
        self.known
            .insert_unique(spread(&(hash, node)), (hash, node), spread);
        Ok(node)
    }

    /// Sets the bounds of the next layer for a position of this one; tells whether they changed.
    fn narrow(&mut self, layer: usize, position: u32) -> bool {
        let (this, next) = self.bounds.neighbours(layer);
        let deeper = &self.layers[layer + 1..];
        let (lows, highs) = this.split_at(this.len() / 2);
        let (next_lows, next_highs) = next.split_at_mut(deeper.len());
        let mut changed = false;
        for (index, &other) in deeper.iter().enumerate() {
            let chain = self.layers[layer];
            let low = self.chains.least(chain, position, other);
            let high = self.chains.most(chain, position, other);
            let (low, high) = (low.max(lows[index + 1]), high.min(highs[index + 1]));
            changed |= (next_lows[index], next_highs[index]) != (low, high);
            (next_lows[index], next_highs[index]) = (low, high);
        }
        changed
    }

    fn find(&self, layer: usize, hash: u32) -> Option<Node> {
        let same = |entry: &(u32, Node)| entry.0 == hash && self.has_bounds(entry.1, layer);
        let place = spread(&(hash, Node::EMPTY));
        self.known.find(place, same).map(|entry| entry.1)
    }

    /// Whether a node has the bounds set for its layer as its lowest and highest suffix.
    fn has_bounds(&self, node: Node, layer: usize) -> bool {
        let table = &self.forest.table;
        let (mut low_node, mut high_node) = (node, node);
        let lengths = self.forest.lengths[layer..].iter();
        let bounds = self.bounds.lows(layer).iter().zip(self.bounds.highs(layer));
        for ((&low, &high), &length) in bounds.zip(lengths) {
            // A node of a deeper layer ends too early.
            if low_node == Node::FULL {
                return false;
            }
            let first = match *table.edges(low_node) {
                [edge, next, ..] if edge.child == Node::EMPTY => next,
                [edge, ..] => edge,
                [] => return false,
            };
            let (child, last) = match *table.edges(high_node) {
                [.., edge, end] if end.child == Node::EMPTY => (edge.child, end.lo - 1),
                [.., end] => (end.child, length),
                [] => return false,
            };
            if (first.lo, last) != (low, high) {
                return false;
            }
            (low_node, high_node) = (first.child, child);
        }
        low_node == Node::FULL
    }
}

/// Spreads a short hash over all bits of a long one: the table uses both ends.
fn spread(entry: &(u32, Node)) -> u64 {
    u64::from(entry.0).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// For each position of the first layer, the next one at which the bounds on a later layer change.
///
/// Most events of a run are local. Going through their positions again for every node would cost more than all else.
fn jumps(
    chains: &dyn Chains,
    layers: &[usize],
    account: &mut Account<'_>,
) -> Result<Vec<u32>, Spent> {
    let (chain, deeper) = (layers[0], &layers[1..]);
    let row = |position: u32, row: &mut Vec<(u32, u32)>| {
        row.clear();
        row.extend(deeper.iter().map(|&other| {
            let low = chains.least(chain, position, other);
            (low, chains.most(chain, position, other))
        }));
    };
    let length = chains.length(chain);
    let mut jumps = account.array(NEVER, length as usize + 1)?;
    let (mut above, mut here) = (Vec::new(), Vec::new());
    row(length, &mut above);
    for position in (0..length).rev() {
        account.tick()?;
        row(position, &mut here);
        let next = position + 1;
        jumps[position as usize] = if here == above {
            jumps[next as usize]
        } else {
            next
        };
        std::mem::swap(&mut above, &mut here);
    }
    Ok(jumps)
}

/// The bounds that the positions chosen so far leave for the layers below, for each layer reached.
struct Bounds {
    layers: usize,
    /// A triangle: for layer `i` the lowest positions of the layers from `i` on, then the highest.
    rows: Vec<u32>,
}

impl Bounds {
    /// No position is chosen yet.
    fn new(lengths: &[u32], account: &mut Account<'_>) -> Result<Self, Spent> {
        let layers = lengths.len();
        let mut rows = account.array(0, layers * (layers + 1))?;
        rows[layers..2 * layers].copy_from_slice(lengths);
        Ok(Bounds { layers, rows })
    }

    fn lows(&self, layer: usize) -> &[u32] {
        &self.rows[self.start(layer)..][..self.layers - layer]
    }

    fn highs(&self, layer: usize) -> &[u32] {
        &self.rows[self.start(layer)..][self.layers - layer..][..self.layers - layer]
    }

    /// The row of a layer and, to be written, the row of the next one.
    fn neighbours(&mut self, layer: usize) -> (&[u32], &mut [u32]) {
        let (start, middle) = (self.start(layer), self.start(layer + 1));
        let end = self.start(layer + 2);
        let (this, next) = self.rows[start..end].split_at_mut(middle - start);
        (this, next)
    }

    /// The rows before it have 2n, 2(n-1), ... entries.
    fn start(&self, layer: usize) -> usize {
        let layer = layer.min(self.layers);
        layer * (2 * self.layers + 1 - layer)
    }

    fn hash(&self, layer: usize) -> u32 {
        let mut hasher = FxHasher::default();
        hasher.write_usize(layer);
        for (&low, &high) in self.lows(layer).iter().zip(self.highs(layer)) {
            hasher.write_u64(u64::from(low) << 32 | u64::from(high));
        }
        (hasher.finish() >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use causet_base::budget::Budget;

    /// Two chains of three events each, without any need between them.
    struct Free;

    impl Chains for Free {
        fn count(&self) -> usize {
            2
        }

        fn length(&self, _chain: usize) -> u32 {
            3
        }

        fn least(&self, chain: usize, x: u32, other: usize) -> u32 {
            if chain == other { x } else { 0 }
        }

        fn most(&self, chain: usize, x: u32, other: usize) -> u32 {
            if chain == other { x } else { 3 }
        }
    }

    /// Two hashes are hardly ever equal, so nothing but this test would notice a wrong comparison of bounds.
    #[test]
    fn a_node_is_told_from_all_other_bounds() {
        let budget = Budget::endless();
        let mut forest = Forest::new(vec![3, 3], &budget);
        let (low, high) = (forest.single(&[0, 1]), forest.single(&[2, 2]));
        let (low, high) = (low.expect("no limit"), high.expect("no limit"));
        let node = forest.union(low, high).expect("no limit");
        let account = forest.account.beside();
        let mut growth = Growth::new(&mut forest, &Free, &[0, 1], account).expect("no limit");
        let is_found = |growth: &mut Growth<'_, '_, '_>, bounds: [u32; 4]| {
            growth.bounds.rows[..4].copy_from_slice(&bounds);
            growth.has_bounds(node, 0)
        };
        assert!(is_found(&mut growth, [0, 1, 2, 2]));
        for place in 0..4 {
            let mut bounds = [0, 1, 2, 2];
            bounds[place] += 1;
            assert!(!is_found(&mut growth, bounds), "{bounds:?}");
        }
        assert!(!growth.has_bounds(node, 1), "another layer");
        assert!(!growth.has_bounds(Node::FULL, 0), "too deep");
    }
}
