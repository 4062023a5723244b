//! The binary form of a run: its columns as they are kept in memory, opened without parsing.
//!
//! ```text
//! magic, version | head | tables | names of block 0 | ... | order of block 0 | actions of block 0 | writes of block 0 | ...
//!
//! section: kind, block, length, checksum of the content, checksum of these | columns
//! column:  width and count | numbers, little-endian, up to a multiple of eight bytes
//! ```
//!
//! The columns are those of [`causet_trace::stored`], and that module checks that they are a run. What is here checks
//! that the bytes are those that were written: every section carries a CRC-32, and a file that ends early or was damaged
//! is refused with the name of the section and the number of events that are whole before it. Events come in blocks so
//! that there is such a number; names come first, since every event needs them.
//!
//! What opening costs is memory that is touched for the first time: the system hands it out in pages, and that takes
//! longer than all that is done with the numbers. So the file never stands in memory as a whole. A section is read into
//! a buffer that stays in the cache, and its columns, which begin at multiples of eight bytes, are copied from there to
//! their places. Mapping the file instead would take `unsafe` code, which this project does without, and the columns
//! would still be copied: those of a run lie in one piece, those of a file in blocks.

mod damage;
mod read;
mod section;
mod write;

pub use damage::Damage;
pub use read::{NotOpened, Stored, read};
pub use write::write;

/// The first bytes of every file; like those of other binary formats they do not survive a transfer as text.
pub const MAGIC: [u8; 8] = *b"causet\x1a\n";

/// The version of the layout that is written.
const VERSION: u32 = 3;

/// The oldest version that is read. In version 2 times were doubles, and had one column less.
const OLDEST_VERSION: u32 = 2;

/// Whether some bytes begin like a run in this form.
pub fn is_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}
