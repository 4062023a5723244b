//! Conformance testing from models: does an implementation do only what its specification allows, and how to find out.
//!
//! The theory is that of input-output conformance as the test generator TGV uses it (paper MB-DSolve, section 3.2).
//! Labels are inputs of the system, outputs of it, or internal; that a system is silent is observed as an output of its
//! own, `delta`.
//!
//! ```text
//! Lts --roles--> Alphabet                  quiescence: where a system may be silent
//!                                          suspension: silence as a step;  visible: the sets a tester can tell apart
//! implementation, specification --ioco--> conforms, or a shortest trace that shows why not
//! specification x purpose --product--> --direct, lead or workers--> TestGraph --cases--> test cases
//!                                                           structure: what every graph must look like
//! test case, implementation --execute--> which verdicts are possible
//! ```

pub mod cases;
pub mod direct;
pub mod enabled;
pub mod execute;
pub mod graph;
pub mod ioco;
pub mod lead;
pub mod product;
pub mod purpose;
pub mod quiescence;
pub mod roles;
mod select;
pub mod structure;
pub mod suspension;
mod trail;
pub mod visible;
pub mod workers;
