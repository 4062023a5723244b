//! What a set holds: membership, the lowest point, and all points in order.

use hashbrown::{HashMap, HashSet};
use rustc_hash::FxBuildHasher;

use super::{Edge, Forest, Node};

impl Forest<'_> {
    /// Whether a point is in a set.
    pub fn contains(&self, set: Node, point: &[u32]) -> bool {
        debug_assert_eq!(point.len(), self.lengths.len());
        let last = point.iter().fold(set, |node, &position| {
            let edges = self.table.edges(node);
            // The first edge is at position 0, so there is one before the partition point.
            edges[edges.partition_point(|edge| edge.lo <= position) - 1].child
        });
        last == Node::FULL
    }

    /// A point with the least sum of positions; of several, the first in lexicographic order.
    pub fn lowest(&self, set: Node) -> Option<Vec<u32>> {
        if set == Node::EMPTY {
            return None;
        }
        let mut heights = Heights::default();
        heights.insert(Node::FULL, 0);
        for node in self.levels(set).into_iter().rev().flatten() {
            let (_, height) = self.lowest_edge(node, &heights)?;
            heights.insert(node, height);
        }
        let mut node = set;
        let mut point = Vec::with_capacity(self.lengths.len());
        for _ in &self.lengths {
            let (edge, _) = self.lowest_edge(node, &heights)?;
            point.push(edge.lo);
            node = edge.child;
        }
        Some(point)
    }

    /// All points of a set in lexicographic order, found as they are asked for.
    pub fn points(&self, set: Node) -> impl Iterator<Item = Vec<u32>> {
        let mut points = Points {
            forest: self,
            steps: Vec::with_capacity(self.lengths.len()),
            is_over: set == Node::EMPTY,
        };
        points.descend(set);
        points
    }

    /// The nodes reachable from a set, layer by layer, each once.
    pub(super) fn levels(&self, set: Node) -> Vec<Vec<Node>> {
        let is_inner = |node: &Node| *node != Node::EMPTY && *node != Node::FULL;
        let mut levels = Vec::new();
        let mut level: Vec<Node> = Some(set).into_iter().filter(is_inner).collect();
        while !level.is_empty() {
            let children = level.iter().flat_map(|&node| self.table.edges(node));
            let mut next: Vec<Node> = Vec::new();
            let mut seen = HashSet::with_hasher(FxBuildHasher);
            for child in children.map(|edge| edge.child).filter(is_inner) {
                if seen.insert(child) {
                    next.push(child);
                }
            }
            levels.push(std::mem::replace(&mut level, next));
        }
        levels
    }

    /// The edge that a lowest point takes, and the sum of its positions from there on.
    fn lowest_edge(&self, node: Node, heights: &Heights) -> Option<(Edge, u64)> {
        let edges = self.table.edges(node).iter();
        let reached = edges.filter_map(|edge| {
            let height = heights.get(&edge.child)?;
            Some((*edge, u64::from(edge.lo) + height))
        });
        reached.min_by_key(|&(edge, height)| (height, edge.lo))
    }
}

/// The least sum of positions of a suffix, for each node.
type Heights = HashMap<Node, u64, FxBuildHasher>;

/// One position of the point that was found last.
#[derive(Clone, Copy)]
struct Step {
    node: Node,
    /// Which edge of the node it takes.
    index: usize,
    position: u32,
}

struct Points<'f, 'b> {
    forest: &'f Forest<'b>,
    steps: Vec<Step>,
    is_over: bool,
}

impl Points<'_, '_> {
    /// Goes down to the first point below a node.
    fn descend(&mut self, mut node: Node) {
        while node != Node::EMPTY && node != Node::FULL {
            let step = self.edge_from(node, 0);
            let Some((step, child)) = step else { return };
            self.steps.push(step);
            node = child;
        }
    }

    /// The first edge from an index on that leads somewhere.
    fn edge_from(&self, node: Node, index: usize) -> Option<(Step, Node)> {
        let edges = &self.forest.table.edges(node)[index..];
        let skipped = edges.iter().position(|edge| edge.child != Node::EMPTY)?;
        let Edge { lo, child } = edges[skipped];
        let step = Step {
            node,
            index: index + skipped,
            position: lo,
        };
        Some((step, child))
    }

    /// The next position after a step on its layer.
    fn after(&self, step: &Step, layer: usize) -> Option<(Step, Node)> {
        let edges = self.forest.table.edges(step.node);
        let position = step.position + 1;
        let end = match edges.get(step.index + 1) {
            Some(edge) => edge.lo,
            None => self.forest.lengths[layer] + 1,
        };
        if position == end {
            return self.edge_from(step.node, step.index + 1);
        }
        let step = Step { position, ..*step };
        Some((step, edges[step.index].child))
    }

    /// Moves to the next point.
    fn advance(&mut self) {
        while let Some(step) = self.steps.pop() {
            if let Some((step, child)) = self.after(&step, self.steps.len()) {
                self.steps.push(step);
                return self.descend(child);
            }
        }
        self.is_over = true;
    }
}

impl Iterator for Points<'_, '_> {
    type Item = Vec<u32>;

    fn next(&mut self) -> Option<Vec<u32>> {
        if self.is_over {
            return None;
        }
        let point = self.steps.iter().map(|step| step.position).collect();
        self.advance();
        Some(point)
    }
}
