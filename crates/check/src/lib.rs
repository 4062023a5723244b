//! Deciding properties over all orders of a trace: plan, engines, witnesses, certificates.
//!
//! ```text
//! Property --prepare--> Question --plan--> Plan --engine--> Answer (+ Trail) --certify--> Outcome (+ Witness)
//! ```
//!
//! * [`mod@prepare`] binds a property to a trace and refuses what has no meaning there (unknown names, races, types);
//! * [`mod@plan`] chooses an engine and says why; no engine calls another;
//! * an [`engine`] decides, and leaves a trail when one order of events shows the verdict;
//! * [`certify`] replays that trail with code of its own before anyone sees it;
//! * [`decide`] puts the last three together. A spent budget is `unknown`, never a guess.

pub mod certify;
pub mod clock;
pub mod compare;
pub mod count;
pub mod decide;
mod doubt;
pub mod engine;
mod equations;
mod eval;
#[cfg(test)]
mod fixtures;
pub mod glance;
mod labels;
pub mod lattice;
pub mod linear;
mod observe;
pub mod outcome;
pub mod plan;
pub mod prepare;
pub mod project;
pub mod records;
mod refusal;
pub mod slicing;
pub mod stream;
pub mod subject;
pub mod translate;
mod types;
pub mod upto;
mod vacuity;
pub mod valuation;
pub mod wanted;
