//! Every format in and out: native trace files, drawings, reports.
//!
//! ```text
//! bytes --logs::read, native::read--> Trace --native::write, dot, mermaid, shiviz--> text
//!                         Model --promela, smv--> text
//!                         Lts, Diagnostic --lts--> drawing, text, JSON
//! ```
//!
//! Nothing here opens a file: readers take [`std::io::Read`], writers [`std::io::Write`], both from the caller.

pub mod bes;
pub mod binary;
mod describe;
pub mod dot;
mod error;
mod identifier;
pub mod logs;
pub mod lts;
pub mod mermaid;
pub mod native;
pub mod promela;
pub mod report;
pub mod shiviz;
pub mod slice;
pub mod smv;
mod spelling;

pub use error::{Problem, ReadError, ReadWarning, locate};
