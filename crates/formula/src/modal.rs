//! The core of the mu-calculus: Hennessy-Milner logic with recursion, as a table of equations.
//!
//! A formula without regular expressions, negations and macros is a list of equations. Each says of a state that it
//! satisfies some or all of a few terms, and a term is another equation, at this state or after one step. That is all an
//! engine has to know; where a formula came from is in the texts. A cycle may consist of terms at the same state alone
//! (`mu X. X`, `<(a?)*> true`): its solution is the one of its kind, as of any other.
//!
//! ```text
//! [true*] <true> true     0: X = all { 1 here, 0 after any step }      greatest
//!                         1:   = some { 2 after any step }
//!                         2:   = all { }
//! ```

use std::sync::Arc;

use causet_base::span::Span;
use causet_solve::bes::program::{self, Node};
pub use causet_solve::bes::{Operator, Sign};

use crate::action::Action;

/// A formula as equations.
#[derive(Clone, Debug)]
pub struct Modal {
    /// The action formulas of the steps, each once.
    pub actions: Vec<Action>,
    /// The equations; a term names one by its index.
    pub equations: Vec<Equation>,
    /// The equation that must hold of the initial state.
    pub main: usize,
}

/// What one sub-formula says of a state.
#[derive(Clone, Debug)]
pub struct Equation {
    /// Which solution is meant, where the equation depends on itself; all equations of a cycle agree.
    pub sign: Sign,
    /// Whether one term is enough.
    pub operator: Operator,
    /// The terms; none at all make a conjunction true and a disjunction false.
    pub terms: Vec<Term>,
    /// The sub-formula for a reader.
    pub text: Arc<str>,
    /// Where it stands in the source.
    pub span: Span,
}

/// Another equation, here or one step further.
///
/// A step in a disjunction is a diamond (after some matching step), in a conjunction a box (after every matching step).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// The equation at the same state.
    Here(usize),
    /// The equation after one step.
    Step {
        /// Which steps count: an index into [`Modal::actions`].
        action: usize,
        /// The equation.
        to: usize,
    },
}

impl Modal {
    /// The equations as solvers read them, each with the number it has here.
    pub fn nodes(&self) -> Vec<Node> {
        let nodes = self.equations.iter().map(|equation| Node {
            sign: equation.sign,
            operator: equation.operator,
            terms: equation.terms.iter().map(|&term| term.into()).collect(),
        });
        nodes.collect()
    }
}

impl From<Term> for program::Term {
    fn from(term: Term) -> program::Term {
        match term {
            Term::Here(to) => program::Term::Here(to),
            Term::Step { action, to } => program::Term::Step { action, to },
        }
    }
}
