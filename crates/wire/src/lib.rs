//! Every format in and out: native trace files, drawings, reports.
//!
//! ```text
//! bytes --logs::read, native::read--> Trace --native::write, dot, mermaid, plantuml, shiviz, chrome, itf--> text
//! bytes --binary::read--------------> Trace --binary::write--> bytes
//!                         Model --promela, smv--> text
//!                         Lts, Counterexample --lts--> drawing, text, JSON
//! ```
//!
//! Nothing here opens a file: readers take [`std::io::Read`], writers [`std::io::Write`], both from the caller.

pub mod bes;
pub mod binary;
pub mod caveats;
pub mod chrome;
mod describe;
pub mod diagnostics;
pub mod dot;
mod error;
mod identifier;
pub mod itf;
pub mod journal;
pub mod lint;
pub mod logs;
pub mod lts;
pub mod mermaid;
pub mod native;
pub mod page;
pub mod picture;
pub mod plantuml;
pub mod promela;
pub mod remarks;
pub mod report;
pub mod sarif;
mod sequence;
pub mod shiviz;
pub mod slice;
pub mod smv;
mod spelling;
pub mod story;

/// The version of what `--json` prints. Fields are added without a new version.
pub const SCHEMA: u32 = 2;

pub use error::{ReadError, grouped, locate};
