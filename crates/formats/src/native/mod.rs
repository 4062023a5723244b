//! The native format: one JSON object per line, version 1.
//!
//! ```text
//! parts --blocks--> text cut at newlines --event--> Batch --feed--> TraceBuilder --finish--> Trace   (read)
//!           |                                                 +---> any other Sink                 (stream)
//!           |
//!           +--header--> what the run declares, from the first line of each part
//! ```
//!
//! `scan` knows JSON, `event` and `header` know the fields, `blocks` knows compression, `read` who does what
//! on which thread. Message ids may be strings or integers; an integer means its decimal text.

mod batch;
mod blocks;
mod event;
mod feed;
mod header;
mod piece;
mod read;
mod scan;
mod table;
mod write;

pub use blocks::{decompressed, nth_line};
pub use piece::{Declared, Piece};
pub use read::{Part, Progress, ReadOptions, Reading, inspect, read, stream};
pub use write::write;

pub(crate) use blocks::Counted;
pub(crate) use event::FIELDS;
pub(crate) use read::ends_early;
pub(crate) use scan::{Scan, plain_end};
pub(crate) use write::push_value;
