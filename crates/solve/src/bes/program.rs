//! The equations of a formula, before they are told of a system: nodes, their dependencies, blocks and shapes.

use super::{Block, Operator, Sign};

/// What one sub-formula says of a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// Which solution is meant where the node depends on itself; all nodes of a cycle agree.
    pub sign: Sign,
    /// How the terms are joined.
    pub operator: Operator,
    /// The terms; none at all make a conjunction true and a disjunction false.
    pub terms: Vec<Term>,
}

/// A part of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A node at the same state.
    Here(usize),
    /// A node after one step: after some step in a disjunction, after every step in a conjunction.
    Step {
        /// Which steps count: a number the labels are matched with.
        action: usize,
        /// The node.
        to: usize,
    },
    /// Whether an atomic proposition of the state has a truth value.
    Atom {
        /// The number of the proposition.
        atom: u32,
        /// The value it must have.
        truth: bool,
    },
}

/// A formula as nodes, sorted into blocks.
#[derive(Clone, Debug)]
pub struct Program {
    nodes: Vec<Node>,
    main: usize,
    block_of: Vec<usize>,
    blocks: Vec<Block>,
}

impl Program {
    /// The nodes.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node that is asked about.
    pub fn main(&self) -> usize {
        self.main
    }

    /// The block of a node.
    pub fn block_of(&self, node: usize) -> usize {
        self.block_of[node]
    }

    /// The blocks; a node depends on its own block and on later ones.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }
}
