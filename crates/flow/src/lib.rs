//! Equation systems solved by many workers: threads of one process, processes of one machine, machines.
//!
//! Each worker has a share of the variables (`causet_solve::bes::share`). This crate lets them talk: who sends what to
//! whom, when all are done with a round, and what happens when one of them is lost. It is the only user of timely
//! dataflow, which carries the messages and knows when none is left anywhere. A [`WorkerPool`] is handed to the crates
//! that have systems to solve as `causet_solve::workers::Workers`: none of them depends on this one.

pub mod cluster;
mod dials;
mod driver;
mod envelope;
mod pool;
mod port;

pub use dials::Dials;
pub use pool::WorkerPool;
