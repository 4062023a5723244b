//! Labelled transition systems: stored or composed on the fly, read and written, reduced, compared and checked.
//!
//! ```text
//! bytes --aut::read--> Lts ---------------+
//! text --network::read--> Network --------+--> check(formula) --> verdict + diagnostic, certified
//!                         (components)    |
//!                                         +--> info, reduce, compare
//!                                         +--> conformance: ioco, test graphs, test cases
//! bytes --aut::read_portion--> Portion, in each of several processes --> together::check_portion(formula)
//! ```

pub mod asked;
pub mod aut;
pub mod bisimulation;
pub mod certify;
pub mod compare;
pub mod conformance;
pub mod counterexample;
pub mod equations;
pub mod explore;
pub mod info;
pub mod model;
pub mod network;
pub mod portion;
pub mod random;
pub mod system;
pub mod together;
mod waves;

pub use crate::system::{Labels, Lts};
