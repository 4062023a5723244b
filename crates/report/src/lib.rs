//! Verdicts out: text, JSON, JUnit, SARIF, pages and pictures; runs with a property as models for other checkers.
//!
//! ```text
//! Report (verdicts, witnesses, the run) --text::write--> verdict first, then a drawing of the order
//!                                       --json::write--> one object
//!                                       --junit::write, sarif::write--> for tools
//!                                       --story, page, picture--> a sentence, a page, a drawing
//! Facts  (what a run looks like)        --info::write, info::write_json
//! Lts, Counterexample                   --lts--> drawing, text, JSON
//! Model  (a run and a property)         --promela, smv--> text
//! ```
//!
//! All are functions of their arguments; the caller measures the time and chooses the colours. Everything that comes from
//! a log passes through [`words`], so that no log can write to the reader's terminal.

pub mod bes;
pub mod caveats;
pub mod diagnostics;
mod diagram;
mod identifier;
pub mod info;
pub mod itf;
pub mod json;
pub mod junit;
mod lanes;
pub mod lts;
mod message;
mod moved;
mod orders;
pub mod page;
mod palette;
pub mod picture;
pub mod promela;
pub mod remarks;
mod report;
pub mod sarif;
pub mod slice;
pub mod smv;
mod spelling;
mod state;
pub mod story;
pub mod text;
pub mod workers;

pub use causet_formats::{SCHEMA, words};
pub use palette::Palette;
pub use report::{About, Finding, Report, Size, Stopped, Tally};
pub use workers::Worker;
