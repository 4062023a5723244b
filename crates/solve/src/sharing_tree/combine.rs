//! Operations that go through two trees at once: intersection, difference and inclusion.
//!
//! A point may be accepted by several paths, as intervals of siblings overlap. For an intersection any pair of paths will
//! do. A point is in a difference only if no path of the other tree accepts it, so there all of them have to be followed
//! together: below a piece of an interval stands the set of all successors that apply to it, the subset construction of
//! automata. That is why most operations on these trees are exponential in the worst case (paper IST, section 4).

use rustc_hash::{FxHashMap, FxHashSet};

use super::build::{Builder, Held, Node, Store, Succ};
use super::{Grid, Tree};
use causet_base::budget::{Budget, Spent};

impl<'b> Grid<'b> {
    /// The points that are in both sets.
    pub fn intersection(&self, one: &Tree<'b>, other: &Tree<'b>) -> Result<Tree<'b>, Spent> {
        let mut work = Intersection {
            left: &one.store,
            right: &other.store,
            known: FxHashMap::default(),
            builder: Builder::new(self.budget),
        };
        let root = work.of(one.root, other.root)?;
        work.builder.finish(root)
    }

    /// The points of the first set that are not in the second.
    pub fn difference(&self, from: &Tree<'b>, taken: &Tree<'b>) -> Result<Tree<'b>, Spent> {
        let mut work = Difference {
            left: &from.store,
            right: &taken.store,
            copies: FxHashMap::default(),
            known: FxHashMap::default(),
            builder: Builder::new(self.budget),
        };
        let root = work.of(from.root, Several::of(taken.root))?;
        work.builder.finish(root)
    }
}

/// Whether every point of a tree is in another: the difference again, but over at the first point found missing.
pub(super) fn within<'b>(
    part: &Tree<'b>,
    whole: &Tree<'b>,
    budget: &'b Budget<'b>,
) -> Result<bool, Spent> {
    let mut work = Inclusion {
        left: &part.store,
        right: &whole.store,
        known: FxHashSet::default(),
        held: Held::new(budget),
    };
    work.of(part.root, Several::of(whole.root))
}

struct Intersection<'a, 'b> {
    left: &'a Store,
    right: &'a Store,
    known: FxHashMap<(Succ, Succ), Succ>,
    builder: Builder<'b>,
}

impl Intersection<'_, '_> {
    fn of(&mut self, left: Succ, right: Succ) -> Result<Succ, Spent> {
        if left == Succ::END || right == Succ::NONE {
            return Ok(right);
        }
        if let Some(&known) = self.known.get(&(left, right)) {
            return Ok(known);
        }
        let (mut first, others) = (0, self.right.nodes(right));
        let mut draft = Vec::new();
        for node in self.left.nodes(left) {
            for other in overlapping(others, &mut first, node) {
                draft.push(Node {
                    low: node.low.max(other.low),
                    high: node.high.min(other.high),
                    succ: self.of(node.succ, other.succ)?,
                });
            }
        }
        let both = self.builder.seal(draft)?;
        self.builder.remember(0)?;
        self.known.insert((left, right), both);
        Ok(both)
    }
}

struct Difference<'a, 'b> {
    left: &'a Store,
    right: &'a Store,
    /// Sets on the left in the result, where nothing is taken.
    copies: FxHashMap<Succ, Succ>,
    known: FxHashMap<(Succ, Several), Succ>,
    builder: Builder<'b>,
}

impl Difference<'_, '_> {
    fn of(&mut self, left: Succ, taken: Several) -> Result<Succ, Spent> {
        if taken.0.is_empty() {
            return self.copy(left);
        }
        if left == Succ::END {
            return Ok(Succ::NONE);
        }
        let key = (left, taken);
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        let others = key.1.nodes(self.right);
        let mut first = 0;
        let mut draft = Vec::new();
        for node in self.left.nodes(left) {
            for piece in pieces(&others, &mut first, node) {
                draft.push(Node {
                    low: piece.low,
                    high: piece.high,
                    succ: self.of(node.succ, piece.below)?,
                });
            }
        }
        let rest = self.builder.seal(draft)?;
        self.builder.remember(key.1.bytes())?;
        self.known.insert(key, rest);
        Ok(rest)
    }

    fn copy(&mut self, left: Succ) -> Result<Succ, Spent> {
        if left == Succ::END || left == Succ::NONE {
            return Ok(left);
        }
        if let Some(&known) = self.copies.get(&left) {
            return Ok(known);
        }
        let mut draft = self.left.nodes(left).to_vec();
        for node in &mut draft {
            node.succ = self.copy(node.succ)?;
        }
        let copy = self.builder.seal(draft)?;
        self.builder.remember(0)?;
        self.copies.insert(left, copy);
        Ok(copy)
    }
}

struct Inclusion<'a, 'b> {
    left: &'a Store,
    right: &'a Store,
    /// What has been found to be included.
    known: FxHashSet<(Succ, Several)>,
    held: Held<'b>,
}

impl Inclusion<'_, '_> {
    fn of(&mut self, left: Succ, right: Several) -> Result<bool, Spent> {
        if left == Succ::NONE || right.0.is_empty() {
            return Ok(left == Succ::NONE);
        }
        let key = (left, right);
        if left == Succ::END || self.known.contains(&key) {
            return Ok(true);
        }
        let others = key.1.nodes(self.right);
        let mut first = 0;
        for node in self.left.nodes(left) {
            for piece in pieces(&others, &mut first, node) {
                if !self.of(node.succ, piece.below)? {
                    return Ok(false);
                }
            }
        }
        self.held.take(size_of_val(&key) + key.1.bytes())?;
        self.known.insert(key);
        Ok(true)
    }
}

/// Sets of successors of one layer that apply together, each once and in the order of their numbers.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Several(Box<[Succ]>);

impl Several {
    fn of(succ: Succ) -> Self {
        let one = (succ != Succ::NONE).then_some(succ);
        Several(one.into_iter().collect())
    }

    /// All of their nodes, by their labels.
    fn nodes(&self, store: &Store) -> Vec<Node> {
        let sets = self.0.iter().map(|&succ| store.nodes(succ));
        let mut nodes: Vec<Node> = sets.flatten().copied().collect();
        nodes.sort_by_key(Node::label);
        nodes
    }

    fn bytes(&self) -> usize {
        size_of_val(&*self.0)
    }
}

/// A part of a node's interval and all that the other tree accepts there.
struct Piece {
    low: u32,
    high: u32,
    below: Several,
}

/// Splits the interval of a node where the other tree changes.
fn pieces(others: &[Node], first: &mut usize, node: &Node) -> Vec<Piece> {
    let others: Vec<Node> = overlapping(others, first, node).copied().collect();
    let starts = others.iter().map(|other| other.low);
    let ends = others.iter().map(|other| other.high.saturating_add(1));
    let inner = starts
        .chain(ends)
        .filter(|at| (node.low + 1..=node.high).contains(at));
    let mut cuts: Vec<u32> = inner.collect();
    cuts.push(node.low);
    cuts.sort_unstable();
    cuts.dedup();
    let mut coming = others.iter().peekable();
    let mut here: Vec<&Node> = Vec::new();
    let mut pieces = Vec::with_capacity(cuts.len());
    for (at, &low) in cuts.iter().enumerate() {
        here.retain(|other| other.high >= low);
        while let Some(other) = coming.next_if(|other| other.low <= low) {
            here.push(other);
        }
        let mut below: Vec<Succ> = here.iter().map(|other| other.succ).collect();
        below.sort_unstable();
        below.dedup();
        pieces.push(Piece {
            low,
            high: cuts.get(at + 1).map_or(node.high, |next| next - 1),
            below: Several(below.into()),
        });
    }
    pieces
}

/// Those of some nodes, sorted by labels, that overlap with a node; asked with nodes in the order of their labels, it
/// skips for good those in front that end too early.
fn overlapping<'n>(
    nodes: &'n [Node],
    first: &mut usize,
    node: &Node,
) -> impl Iterator<Item = &'n Node> + use<'n> {
    let (low, high) = (node.low, node.high);
    while nodes.get(*first).is_some_and(|other| other.high < low) {
        *first += 1;
    }
    nodes[*first..]
        .iter()
        .take_while(move |other| other.low <= high)
        .filter(move |other| other.high >= low)
}
