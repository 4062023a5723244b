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

pub mod program;

use crate::budget::Spent;

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
    /// The value of a variable that depends on nothing but itself.
    pub fn default_value(self) -> bool {
        self == Sign::Nu
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

/// A block of equations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Which solution it has.
    pub sign: Sign,
    /// What kind of equations it has.
    pub shape: Shape,
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

    /// Appends the operands of a variable, or says its value when no other variable is needed for that.
    ///
    /// Operands may be repeated. When a value is returned, nothing may have been appended.
    fn expand(
        &mut self,
        variable: Variable,
        operands: &mut Vec<Variable>,
    ) -> Result<Option<bool>, Spent>;
}
