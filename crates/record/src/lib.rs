//! What a program under test links: recorders with vector clocks that write the native format.
//!
//! ```text
//! Builder --to_file, to_writer, to_memory, to_server--> Recording --process--> Recorder --event--> Event
//!                                                          |                                         |
//!                                          one line at a time, whole <--done, send, drop-------------+
//! ```
//!
//! A [`Recording`] is one run. Each of its sequential processes (a thread, a task, a host) owns one [`Recorder`], so the
//! lines of a process stand in its order by construction. Between processes, order is whatever the program says it is:
//! a [`Stamp`] travels with each message, an [`EventRef`] names an event to come after. Nothing is guessed from time.
//!
//! ```
//! use causet_record::Recording;
//!
//! let (recording, memory) = Recording::builder().processes(["ping", "pong"]).to_memory();
//! let (mut ping, mut pong) = (recording.process("ping"), recording.process("pong"));
//! let stamp = ping.event("serve").set("balls", 1).to("pong").send();
//! pong.event("return").recv(&stamp).set("hits", 1).done();
//! assert_eq!(
//!     memory.text().lines().nth(2),
//!     Some(r#"{"p":"pong","ev":"return","recv":"ping:1","set":{"hits":1},"clock":{"ping":1,"pong":1}}"#)
//! );
//! ```

mod event;
mod json;
mod knowledge;
mod recorder;
mod recording;
mod server;
mod sink;
mod stamp;
pub mod sync;
#[cfg(feature = "tokio")]
pub mod tokio;
#[cfg(feature = "tracing")]
pub mod tracing;
mod value;

pub use event::{Event, EventRef};
pub use recorder::Recorder;
pub use recording::{Builder, Memory, Recording};
pub use server::{Missing, NotSent, ServerOptions};
pub use stamp::{Stamp, StampError};
pub use value::Value;

/// The chapter of the book, whose examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/book/src/recording.md")]
pub struct Chapter;
