//! Equation systems: every strategy, asked for any variable in any order, against the definition of a solution.

mod programs;
mod shares;
mod systems;
