//! The mathematics that knows no trace: state spaces, budgets and the solvers over them.
//!
//! ```text
//! Space (initial, successors) --Graph::explore(budget)--> Graph: numbered states, edges
//! Space --Numbered::new(budget)--> Steps: the same, but each state only when it is asked for
//! Space --Divided::new(worker, budget)--> Part: the states of one of several workers
//! Divide (one worker's equations) --Workers::solve--> Solved: by many workers, whoever has them
//! Chains (closed bounds) --heaviest(weights, budget)--> Closure: a cut of greatest weight
//! Chains (closed bounds) --Forest::all_cuts(budget)--> Node: a set of points, shared and canonical
//! ```

pub mod automaton;
pub mod bes;
pub mod chains;
pub mod closure;
pub mod deal;
pub mod diagram;
pub mod divided;
pub mod fragment;
pub mod graph;
mod index;
pub mod keeper;
pub mod numbered;
pub mod part;
pub mod sharing_tree;
pub mod space;
pub mod steps;
pub mod store;
pub mod workers;
