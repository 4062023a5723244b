//! Boolean equation systems without alternation, solved on the fly.
//!
//! A system is a set of variables, each defined as the disjunction or conjunction of others. The variables fall into
//! blocks; a block is solved for its least or greatest solution and depends on itself and on later blocks only. What is
//! wanted is the value of one variable, and most of the system is best never looked at: right-hand sides are asked for
//! one at a time, and the work stops when that variable is known.
//!
//! ```text
//! Program (equations of a formula) x Steps (numbered states) --Product--> Equations --solve--> Solved: values
//! Equations + values --support--> Support: the few variables that force the value --check--> certified
//! ```

mod acyclic;
mod dependents;
mod flood;
mod general;
pub mod global;
mod lean;
mod marks;
pub mod nested;
pub mod product;
pub mod program;
mod propagation;
mod recipes;
pub mod share;
pub mod support;
pub mod system;
pub mod text;

use crate::workers::WorkerShare;
use causet_base::budget::{Budget, Spent};
use nested::{Nested, Order};
use share::Share;
use share::shared::Alone;

pub use marks::Marks;

/// A variable of an equation system.
pub type Variable = u32;

/// Least or greatest solution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sign {
    /// The least solution: what is not forced to be true is false.
    Mu,
    /// The greatest solution: what is not forced to be false is true.
    Nu,
}

impl Sign {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Sign::Mu => "mu",
            Sign::Nu => "nu",
        }
    }

    /// The value of a variable that depends on nothing but itself.
    pub fn default_value(self) -> bool {
        self == Sign::Nu
    }

    /// The solution of the negated equations.
    pub fn dual(self) -> Sign {
        match self {
            Sign::Mu => Sign::Nu,
            Sign::Nu => Sign::Mu,
        }
    }
}

/// How the operands of an equation are joined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operator {
    /// True when some operand is true.
    Or,
    /// True when all operands are true.
    And,
}

impl Operator {
    /// The value that one operand suffices to give the whole: true for a disjunction.
    pub fn decisive(self) -> bool {
        self == Operator::Or
    }

    /// How the negated operands are joined.
    pub fn dual(self) -> Operator {
        match self {
            Operator::Or => Operator::And,
            Operator::And => Operator::Or,
        }
    }
}

/// What is known of the equations of a block before any of them is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// No variable depends on itself, however indirectly.
    Acyclic,
    /// A conjunction has at most one operand in its own block.
    Disjunctive,
    /// A disjunction has at most one operand in its own block.
    Conjunctive,
    /// None of these.
    General,
}

impl Shape {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Shape::Acyclic => "acyclic",
            Shape::Disjunctive => "disjunctive",
            Shape::Conjunctive => "conjunctive",
            Shape::General => "general",
        }
    }
}

/// A block of equations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Which solution it has.
    pub sign: Sign,
    /// What kind of equations it has.
    pub shape: Shape,
}

impl Block {
    /// When a search for one variable decides a block: the value of such a variable. The cycles of the block must not have
    /// that value themselves, unless there are none.
    pub fn deciding(self, has_cycles: bool) -> Option<bool> {
        let decisive = match self.shape {
            Shape::Disjunctive => true,
            Shape::Conjunctive => false,
            Shape::Acyclic | Shape::General => return None,
        };
        (!has_cycles || self.sign.default_value() != decisive).then_some(decisive)
    }
}

/// An equation system, given by its right-hand sides one at a time.
///
/// Numbers of variables are dense, or nearly: solvers keep tables indexed by them.
pub trait Equations {
    /// The blocks. An equation depends on its own block and on later ones.
    fn blocks(&self) -> &[Block];

    /// The variable whose value is wanted.
    fn main(&mut self) -> Result<Variable, Spent>;

    /// The block of a variable.
    fn block(&self, variable: Variable) -> usize;

    /// How a variable's operands are joined.
    fn operator(&self, variable: Variable) -> Operator;

    /// Whether only one variable ever asks for this one, as one of its own operands.
    fn is_private(&self, _variable: Variable) -> bool {
        false
    }

    /// Told which variables are going to be expanded next: time to fetch what that takes.
    fn anticipate(&mut self, _variables: &[Variable]) {}

    /// Appends the operands of a variable, or says its value when no other variable is needed for that.
    ///
    /// Operands may be repeated. When a value is returned, nothing may have been appended.
    fn expand(
        &mut self,
        variable: Variable,
        operands: &mut Vec<Variable>,
    ) -> Result<Option<bool>, Spent>;
}

/// How a system is resolved.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Strategy {
    /// Each block by the algorithm that needs least memory for its shape.
    #[default]
    Lean,
    /// Each block depth-first, with backward dependencies.
    DepthFirst,
    /// All blocks at once, breadth-first, as many workers would do it.
    BreadthFirst,
}

/// A resolution that can be asked for more values than the main one.
pub enum Resolution<'b, E> {
    /// Block by block.
    Nested(Box<Nested<'b, E>>),
    /// All blocks at once.
    Share(Box<Share<'b, Alone<E>>>),
}

impl<'b, E: Equations> Resolution<'b, E> {
    /// Nothing resolved yet.
    pub fn new(equations: E, strategy: Strategy, budget: &'b Budget<'b>) -> Self {
        match strategy {
            Strategy::Lean => {
                Resolution::Nested(Box::new(Nested::new(equations, Order::Lean, budget)))
            }
            Strategy::DepthFirst => {
                Resolution::Nested(Box::new(Nested::new(equations, Order::DepthFirst, budget)))
            }
            Strategy::BreadthFirst => {
                Resolution::Share(Box::new(Share::new(Alone(equations), 0, 1, budget)))
            }
        }
    }

    /// The value of the main variable.
    pub fn solve(&mut self) -> Result<bool, Spent> {
        let main = self.equations().main()?;
        match self {
            Resolution::Nested(nested) => nested.resolve_main(main),
            Resolution::Share(_) => self.value(main),
        }
    }

    /// The value of a variable, which is resolved if it is not known yet.
    pub fn value(&mut self, variable: Variable) -> Result<bool, Spent> {
        match self {
            Resolution::Nested(nested) => nested.resolve(variable),
            Resolution::Share(share) => share::resolve(share, variable),
        }
    }

    /// The equations.
    pub fn equations(&mut self) -> &mut E {
        match self {
            Resolution::Nested(nested) => nested.equations(),
            Resolution::Share(share) => &mut share.equations().0,
        }
    }

    /// The equations, to look at.
    fn about(&self) -> &E {
        match self {
            Resolution::Nested(nested) => nested.about(),
            Resolution::Share(share) => &share.about().0,
        }
    }

    /// How many variables were met, and how many operands were looked at.
    pub fn figures(&self) -> (u64, u64) {
        match self {
            Resolution::Nested(nested) => (nested.marks().met(), nested.operands()),
            Resolution::Share(share) => {
                let figures = share.figures();
                (figures.variables, figures.operands)
            }
        }
    }
}
