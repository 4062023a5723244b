//! How large a set is, in points and in nodes.
//!
//! Points are counted from the root down: the number of ways to each node of one layer gives those to the next. Counting
//! suffixes from the bottom up needs a number for every node at once; so only two layers are held.

use dashu_int::UBig;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::{Forest, Node};

impl Forest<'_> {
    /// How many points a set has.
    pub fn count(&self, set: Node) -> UBig {
        let mut ways = Ways::default();
        ways.insert(set, UBig::ONE);
        for &length in &self.lengths {
            let mut below = Ways::default();
            for (node, ways) in &ways {
                self.spread(*node, length, ways, &mut below);
            }
            ways = below;
        }
        ways.remove(&Node::FULL).unwrap_or(UBig::ZERO)
    }

    /// How many nodes and edges a set needs, terminals not counted.
    pub fn size(&self, set: Node) -> (usize, usize) {
        let levels = self.levels(set);
        let nodes = levels.iter().map(Vec::len).sum();
        let lists = levels.iter().flatten().map(|&node| self.table.edges(node));
        (nodes, lists.map(<[_]>::len).sum())
    }

    /// Adds to each child of a node the ways that lead there through the node.
    fn spread(&self, node: Node, length: u32, ways: &UBig, below: &mut Ways) {
        let mut end = length + 1;
        for edge in self.table.edges(node).iter().rev() {
            if edge.child != Node::EMPTY {
                *below.entry(edge.child).or_default() += ways * (end - edge.lo);
            }
            end = edge.lo;
        }
    }
}

/// In how many ways each node of a layer is reached.
type Ways = HashMap<Node, UBig, FxBuildHasher>;
