//! The right-hand sides of a formula's equations, with everything looked up that does not depend on the state.
//!
//! A variable is expanded millions of times, and the terms of its node are the same every time: which of them need
//! variables, at which place these are, and whether they belong to the same block.

use std::ops::Range;

use super::program::{Program, Term};

/// A term of a node, with everything looked up that the formula says of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ingredient {
    pub(super) operand: Operand,
    /// Whether it is of the node's own block; propositions are of none.
    pub(super) is_own: Option<bool>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    Atom {
        atom: u32,
        truth: bool,
    },
    /// The value of a local node.
    Local(usize),
    /// The variable of the same state at a place.
    Here(u32),
    /// Whether there is a step that an action admits; what it leads to is a constant.
    AnyStep(usize),
    /// The variables at a place after the steps that an action admits.
    Steps {
        action: usize,
        place: u32,
    },
}

/// The terms of all nodes that have variables.
#[derive(Debug)]
pub(super) struct Recipes {
    all: Vec<Ingredient>,
    /// Per place: where its terms end; they start where those before end.
    ends: Vec<usize>,
}

impl Recipes {
    pub(super) fn new(program: &Program, nodes: &[usize], places: &[u32]) -> Recipes {
        let mut recipes = Recipes {
            all: Vec::new(),
            ends: Vec::new(),
        };
        for &node in nodes {
            let terms = program.nodes()[node].terms.iter();
            let ingredients = terms.map(|term| {
                let operand = match *term {
                    Term::Atom { atom, truth } => Operand::Atom { atom, truth },
                    Term::Here(to) => match places[to] {
                        u32::MAX => Operand::Local(to),
                        place => Operand::Here(place),
                    },
                    Term::Step { action, to } => match places[to] {
                        u32::MAX => Operand::AnyStep(action),
                        place => Operand::Steps { action, place },
                    },
                };
                let is_own = match *term {
                    Term::Atom { .. } => None,
                    Term::Here(to) | Term::Step { to, .. } => {
                        Some(program.block_of(to) == program.block_of(node))
                    }
                };
                Ingredient { operand, is_own }
            });
            recipes.all.extend(ingredients);
            recipes.ends.push(recipes.all.len());
        }
        recipes
    }

    /// Which terms are those of the node at a place.
    pub(super) fn range(&self, place: usize) -> Range<usize> {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[place]
    }

    /// One of all terms.
    #[inline]
    pub(super) fn ingredient(&self, at: usize) -> Ingredient {
        self.all[at]
    }
}
