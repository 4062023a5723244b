//! How a tree comes about: from the end to the root, every set of successors once.
//!
//! Which points a node accepts below its label depends on its successors only, so sets of successors are what is stored
//! and numbered, parts before wholes. A node is a label and the number of its successors, wherever it occurs; with that,
//! the conditions of the definition hold by construction (paper IST, definition 2): a set is sorted by labels, which
//! differ (iii), and equal sets have equal numbers (iv).

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::Tree;
use causet_base::budget::{Budget, Spent};

/// A set of successors, by its number in a store.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Succ(u32);

impl Succ {
    /// No successors: nothing is accepted.
    pub(super) const NONE: Succ = Succ(0);

    /// The end of the tree, and nothing else.
    pub(super) const END: Succ = Succ(1);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A node: its interval, both ends included, and its successors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Node {
    pub(super) low: u32,
    pub(super) high: u32,
    pub(super) succ: Succ,
}

impl Node {
    /// The interval, to compare and to sort by.
    pub(super) fn label(&self) -> (u32, u32) {
        (self.low, self.high)
    }
}

/// Sets of successors one after the other; what a set refers to comes before it.
pub(super) struct Store {
    nodes: Vec<Node>,
    /// Where the nodes of each set end.
    ends: Vec<u32>,
}

impl Store {
    fn new() -> Self {
        Store {
            nodes: Vec::new(),
            // The two fixed sets hold no labelled node.
            ends: vec![0, 0],
        }
    }

    /// The nodes of a set, by their labels.
    pub(super) fn nodes(&self, succ: Succ) -> &[Node] {
        let start = succ.index().checked_sub(1).map_or(0, |at| self.ends[at]);
        &self.nodes[start as usize..self.ends[succ.index()] as usize]
    }

    /// The nodes of all sets.
    pub(super) fn all(&self) -> &[Node] {
        &self.nodes
    }

    /// All sets but the two fixed ones, parts before wholes.
    pub(super) fn sets(&self) -> impl Iterator<Item = Succ> + use<> {
        (2..self.ends.len() as u32).map(Succ)
    }

    /// How many nodes a set has, the end being one.
    pub(super) fn degree(&self, succ: Succ) -> usize {
        match succ {
            Succ::END => 1,
            _ => self.nodes(succ).len(),
        }
    }

    fn push(&mut self, nodes: &[Node]) -> Result<Succ, Spent> {
        let number = u32::try_from(self.ends.len()).map_err(|_| Spent::Memory)?;
        self.nodes.extend_from_slice(nodes);
        let end = u32::try_from(self.nodes.len()).map_err(|_| Spent::Memory)?;
        self.ends.push(end);
        Ok(Succ(number))
    }
}

/// Memory taken from a budget until dropped.
pub(super) struct Held<'b> {
    budget: &'b Budget<'b>,
    bytes: usize,
}

impl<'b> Held<'b> {
    pub(super) fn new(budget: &'b Budget<'b>) -> Self {
        Held { budget, bytes: 0 }
    }

    /// Takes memory, and counts a step of work.
    pub(super) fn take(&mut self, bytes: usize) -> Result<(), Spent> {
        self.budget.tick()?;
        self.budget.charge(bytes)?;
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.budget.release(self.bytes);
    }
}

/// About what a remembered result takes in a table that is half full.
const REMEMBERED: usize = 32;

/// The result of an operation while it grows.
pub(super) struct Builder<'b> {
    store: Store,
    numbers: HashTable<Succ>,
    unions: FxHashMap<(Succ, Succ), Succ>,
    held: Held<'b>,
}

impl<'b> Builder<'b> {
    pub(super) fn new(budget: &'b Budget<'b>) -> Self {
        Builder {
            store: Store::new(),
            numbers: HashTable::new(),
            unions: FxHashMap::default(),
            held: Held::new(budget),
        }
    }

    /// Counts a step of work and the memory of remembering something of this size.
    pub(super) fn remember(&mut self, more: usize) -> Result<(), Spent> {
        self.held.take(REMEMBERED + more)
    }

    /// The set of these nodes: those that accept nothing go, those with equal labels become one.
    pub(super) fn seal(&mut self, mut draft: Vec<Node>) -> Result<Succ, Spent> {
        draft.retain(|node| node.succ != Succ::NONE);
        draft.sort_by_key(Node::label);
        if draft.is_sorted_by(|one, other| one.label() < other.label()) {
            return self.intern(&draft);
        }
        let mut kept: Vec<Node> = Vec::with_capacity(draft.len());
        for node in draft {
            match kept.last_mut() {
                Some(last) if last.label() == node.label() => {
                    last.succ = self.union(last.succ, node.succ)?;
                }
                _ => kept.push(node),
            }
        }
        self.intern(&kept)
    }

    /// The union of two sets of one layer: the nodes of both, those with equal labels united in turn.
    pub(super) fn union(&mut self, one: Succ, other: Succ) -> Result<Succ, Spent> {
        if one == other || other == Succ::NONE {
            return Ok(one);
        }
        if one == Succ::NONE {
            return Ok(other);
        }
        let key = (one.min(other), one.max(other));
        if let Some(&known) = self.unions.get(&key) {
            return Ok(known);
        }
        let draft = [self.store.nodes(one), self.store.nodes(other)].concat();
        let union = self.seal(draft)?;
        self.remember(0)?;
        self.unions.insert(key, union);
        Ok(union)
    }

    /// Copies a tree under other labels: `label` is told the layer and the interval, and may drop the node. Answers where
    /// each set of the tree has gone.
    pub(super) fn transfer(
        &mut self,
        store: &Store,
        layers: usize,
        label: impl Fn(usize, u32, u32) -> Option<(u32, u32)>,
    ) -> Result<Vec<Succ>, Spent> {
        let mut copies = vec![Succ::NONE, Succ::END];
        let mut heights = vec![0_usize; 2];
        for succ in store.sets() {
            let nodes = store.nodes(succ);
            let height = 1 + nodes.first().map_or(0, |node| heights[node.succ.index()]);
            let relabelled = nodes.iter().filter_map(|node| {
                let (low, high) = label(layers - height, node.low, node.high)?;
                let succ = copies[node.succ.index()];
                Some(Node { low, high, succ })
            });
            let draft = relabelled.collect();
            copies.push(self.seal(draft)?);
            heights.push(height);
        }
        Ok(copies)
    }

    /// The tree below a set, without what was only needed on the way.
    pub(super) fn finish(self, root: Succ) -> Result<Tree<'b>, Spent> {
        let mut needed = vec![false; self.store.ends.len()];
        needed[root.index()] = true;
        for succ in (2..needed.len() as u32).rev().map(Succ) {
            if needed[succ.index()] {
                let nodes = self.store.nodes(succ).iter();
                nodes.for_each(|node| needed[node.succ.index()] = true);
            }
        }
        let mut held = Held::new(self.held.budget);
        let mut store = Store::new();
        let mut places = vec![Succ::NONE, Succ::END];
        let mut moved: Vec<Node> = Vec::new();
        for succ in self.store.sets() {
            if !needed[succ.index()] {
                places.push(Succ::NONE);
                continue;
            }
            let nodes = self.store.nodes(succ);
            held.take(size_of::<u32>() + size_of_val(nodes))?;
            moved.clear();
            moved.extend(nodes.iter().map(|node| Node {
                succ: places[node.succ.index()],
                ..*node
            }));
            places.push(store.push(&moved)?);
        }
        Ok(Tree {
            store,
            root: places[root.index()],
            _held: held,
        })
    }

    fn intern(&mut self, nodes: &[Node]) -> Result<Succ, Spent> {
        if nodes.is_empty() {
            return Ok(Succ::NONE);
        }
        let hash = FxBuildHasher.hash_one(nodes);
        let store = &self.store;
        if let Some(&known) = self.numbers.find(hash, |&succ| store.nodes(succ) == nodes) {
            return Ok(known);
        }
        self.held.take(REMEMBERED + size_of_val(nodes))?;
        let succ = self.store.push(nodes)?;
        let store = &self.store;
        self.numbers.insert_unique(hash, succ, |&succ| {
            FxBuildHasher.hash_one(store.nodes(succ))
        });
        Ok(succ)
    }
}
