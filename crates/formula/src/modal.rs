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

use crate::action::Action;
use causet_base::span::Span;

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
    pub fixpoint: Fixpoint,
    /// Whether one term is enough.
    pub operator: Operator,
    /// The terms; none at all make `All` true and `Some` false.
    pub terms: Vec<Term>,
    /// The sub-formula for a reader.
    pub text: Arc<str>,
    /// Where it stands in the source.
    pub span: Span,
}

/// Least or greatest solution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fixpoint {
    /// `mu`
    Least,
    /// `nu`
    Greatest,
}

/// How terms are joined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operator {
    /// A disjunction.
    Some,
    /// A conjunction.
    All,
}

/// Another equation, here or one step further.
///
/// A step under `Some` is a diamond (after some matching step), under `All` a box (after every matching step).
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
