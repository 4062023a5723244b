//! Recorded runs in and out: the native format, the binary form, other logs, journals, drawings as text.
//!
//! ```text
//! bytes --logs::read, native::read--> Trace --native::write, dot, mermaid, plantuml, shiviz, chrome--> text
//! bytes --binary::read--------------> Trace --binary::write--> bytes
//! ```
//!
//! Nothing here opens a file: readers take [`std::io::Read`], writers [`std::io::Write`], both from the caller. Nothing here
//! knows a property or a verdict.

pub mod binary;
pub mod caveats;
pub mod chrome;
pub mod describe;
pub mod dot;
mod error;
pub mod journal;
pub mod lint;
pub mod logs;
pub mod mermaid;
pub mod native;
pub mod plantuml;
mod sequence;
pub mod shiviz;
pub mod words;

/// The version of what `--json` prints. Fields are added without a new version.
pub const SCHEMA: u32 = 2;

pub use error::{ReadError, grouped, locate};
