//! The binary form of a run: its columns as they are kept in memory, opened without parsing.
//!
//! ```text
//! magic, version | head | tables | order of block 0 | actions of block 0 | order of block 1 | ...
//!
//! section: kind, block, length, checksum of the content, checksum of these | columns
//! column:  width, count | numbers, little-endian
//! ```
//!
//! The columns are those of [`causet_trace::stored`], and that module checks that they are a run. What is here checks
//! that the bytes are those that were written: every section carries a CRC-32, and a file that ends early or was damaged
//! is refused with the name of the section and the number of events that are whole before it. Events come in blocks so
//! that there is such a number; names come first, since every event needs them.
//!
//! [`read`] takes a slice of bytes, so it does not matter where they come from. The command reads the file into one
//! buffer; mapping it instead would take `unsafe` code, which this project does without.

mod read;
mod section;
mod write;

pub use read::{Damage, Stored, read};
pub use write::write;

/// The first bytes of every file; like those of other binary formats they do not survive a transfer as text.
pub const MAGIC: [u8; 8] = *b"causet\x1a\n";

/// The version of the layout; a reader refuses any other.
const VERSION: u32 = 1;

/// Whether some bytes begin like a run in this form.
pub fn is_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}
