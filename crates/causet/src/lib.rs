//! Checks every order in which a recorded distributed run could have happened.
//!
//! A test runs once; the scheduler and the network picked one order of events. Other orders, just as possible under the
//! same causality, may break the property you care about. This crate reads the run as a partial order, checks temporal
//! properties over all of its orders, and shows the order that breaks one.
//!
//! ```
//! # let path = std::env::temp_dir().join(format!("causet-doc-run-{}.jsonl", std::process::id()));
//! # std::fs::write(&path, "{\"p\":\"a\",\"set\":{\"leader\":true}}\n{\"p\":\"b\",\"set\":{\"leader\":false}}\n").unwrap();
//! let run = causet::Run::open(&path)?; // any format; a folder or several files are one run
//! let report = run.check("AG !(a.leader && b.leader)")?;
//! assert!(report.holds(), "{report}");
//! # std::fs::remove_file(&path).unwrap();
//! # Ok::<(), causet::Error>(())
//! ```
//!
//! - [`Run`] is a recording that has been read, [`Properties`] is what is asked of it, [`Report`] is the answer.
//! - [`Model`] is a labelled transition system, checked with the mu-calculus.
//! - [`Session`] sets limits of time and memory, the engine, and an [`Observer`] that hears of the work.
//! - [`Error`] says what is wrong with a run or a formula, with its place and a stable code.
//! - [`assert_all_orders!`](crate::assert_all_orders) asserts formulas in a test, and panics with the order that breaks one.
//!
//! Programs record their runs with the crate `causet-record`. The other crates named `causet-...` are its implementation
//! and promise nothing.

mod check;
mod claim;
mod collector;
mod cut_text;
mod error;
mod explain;
mod extras;
mod failure;
mod folder;
mod input;
mod limits;
mod message;
mod model;
mod observer;
mod properties;
mod report;
mod run;
mod stream;
mod task;
mod team;
pub mod testing;
mod watch;

pub use causet_base::Severity;
pub use causet_base::budget::Spent;
pub use check::Session;
pub use error::Error;
pub use message::Message;
pub use model::Model;
pub use observer::{Observer, Progress};
pub use properties::Properties;
pub use report::{Finding, Report, Verdict, Witness};
pub use run::Run;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/book/src/library.md")]
struct Book;

/// What the command line shares with the library beside its door. It promises nothing.
#[doc(hidden)]
pub mod inner {
    pub use crate::check::{MOST_CLAIMS, MOST_WORKERS};
    pub use crate::extras::{density, levels, of_report, sliced};
    pub use crate::failure::Failure;
    pub use crate::input::{Input, NotRead, Source, beginning};
    pub use crate::limits::{Limits, peak_bytes, resident_bytes};
    pub use crate::message::FormulaText;
    pub use crate::model::held::Held;
    pub use crate::model::read::{ModelReading, held, model_in, system_in};
    pub use crate::model::task::{ModelDone, ModelOrigin, ModelTask, lowered, only_mu};
    pub use crate::properties::{Asked, at};
    pub use crate::task::{Done, Origin, Task, finding};
    pub use crate::team::{Team, not_solved, reported, stats};
    pub use crate::watch::{GRACE, finished, run, run_patiently};
}
