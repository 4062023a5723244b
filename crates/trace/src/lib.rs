//! The recorded run as a partial order: events, clocks, cuts and the lattice they form.
//!
//! ```text
//! names, writes, messages, clocks --TraceBuilder--> Trace = Order + columns
//! Order --initial_cut, enabled, advanced--> the lattice of cuts
//! Order --Clocks--> who happened before whom
//! ```
//!
//! A run drawn by hand, as the tests do:
//!
//! ```
//! use causet_trace::notation;
//!
//! let run = notation::parse(
//!     "a: x=1  m!  x=0
//!      b:      m?  y=2",
//! )?;
//! assert_eq!((run.len(), run.order().process_count()), (5, 2));
//! # Ok::<(), notation::NotationError>(())
//! ```
//!
//! This crate reads no files and knows no format but that drawing.

mod builder;
mod channel;
mod clocks;
mod cut;
mod error;
mod history;
mod holes;
mod lines;
mod names;
mod narrow;
pub mod notation;
mod order;
mod packed;
mod race;
mod ragged;
pub mod random;
mod sink;
pub mod stored;
mod time;
mod trace;
mod value;
mod width;

pub use builder::{BuildOptions, EventRef, NewEvent, TraceBuilder};
pub use causet_base::ids::{EventId, MessageId, Place, ProcessId, TextId, VarId};
pub use channel::Channel;
pub use clocks::{Clocks, sweep};
pub use cut::Cut;
pub use error::{BuildError, Fault, NamedEvent, Warning};
pub use history::History;
pub use holes::Holes;
pub use names::NameTable;
pub use order::{Order, Ranks};
pub use race::{Race, Races};
pub use sink::Sink;
pub use time::{MAX_TIME_PLACES, Time};
pub use trace::{Trace, Write};
pub use value::{MAX_SCALE, NumberFault, StoredValue};
