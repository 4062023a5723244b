//! From bytes to blocks of whole lines, each read into the buffer of the worker that asks for it.
//!
//! What follows the last newline of a block is kept for the next one: that is all that is ever copied.

use std::io::{self, Read};

use causet_base::budget::{Budget, Spent};
use memchr::memrchr;

/// Longer lines are refused: no label is that long, and something without newlines is no text.
const MAX_LINE: usize = 16 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A worker's place for a block.
#[derive(Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
}

/// What came out of the input.
pub(super) enum Block<'b> {
    /// Whole lines.
    Lines(&'b [u8]),
    /// The start of a line that is too long.
    LongLine(&'b [u8]),
    /// The input failed.
    Failed(io::Error),
}

/// The input, and what was read ahead of it.
pub(super) struct Source<'a> {
    input: &'a mut (dyn Read + Send),
    budget: &'a Budget<'a>,
    block: usize,
    ahead: Vec<u8>,
    started: bool,
    ended: bool,
    issued: u64,
}

impl<'a> Source<'a> {
    pub(super) fn new(
        input: &'a mut (dyn Read + Send),
        block: usize,
        budget: &'a Budget<'a>,
    ) -> Self {
        Source {
            input,
            budget,
            block,
            ahead: Vec::new(),
            started: false,
            ended: false,
            issued: 0,
        }
    }

    /// Gives out no more blocks.
    pub(super) fn close(&mut self) {
        self.ended = true;
        self.ahead.clear();
    }

    /// Lets the blocks, numbered from 0, begin with these bytes.
    pub(super) fn put_back(&mut self, bytes: &[u8]) {
        self.issued = 0;
        self.ahead.splice(..0, bytes.iter().copied());
    }

    /// The next block with its number, read into a buffer.
    pub(super) fn next<'b>(
        &mut self,
        buffer: &'b mut Buffer,
    ) -> Result<Option<(u64, Block<'b>)>, Spent> {
        let bytes = &mut buffer.bytes;
        let mut filled = self.ahead.len();
        let mut wanted = self.block;
        self.make_room(bytes, wanted.max(filled))?;
        bytes[..filled].copy_from_slice(&self.ahead);
        self.ahead.clear();
        let length = loop {
            filled = match self.fill(&mut bytes[..], filled) {
                Ok(filled) => filled,
                Err(error) => return Ok(Some(self.last(Block::Failed(error)))),
            };
            if self.ended {
                break filled;
            }
            if let Some(newline) = memrchr(b'\n', &bytes[..filled]) {
                break newline + 1;
            }
            if filled > MAX_LINE {
                return Ok(Some(self.last(Block::LongLine(&bytes[..filled]))));
            }
            wanted = 2 * wanted.max(filled);
            self.make_room(bytes, wanted)?;
        };
        self.ahead.extend_from_slice(&bytes[length..filled]);
        let start = self.skip_mark(&bytes[..length]);
        if length == 0 {
            return Ok(None);
        }
        let sequence = self.issued;
        self.issued += 1;
        Ok(Some((sequence, Block::Lines(&bytes[start..length]))))
    }

    /// Reads until the buffer is full or the input ends, and says how full it is.
    fn fill(&mut self, bytes: &mut [u8], mut filled: usize) -> io::Result<usize> {
        while filled < bytes.len() && !self.ended {
            match self.input.read(&mut bytes[filled..]) {
                Ok(0) => self.ended = true,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    fn last<'b>(&mut self, block: Block<'b>) -> (u64, Block<'b>) {
        self.close();
        (self.issued, block)
    }

    /// Where the text starts in the first block.
    fn skip_mark(&mut self, bytes: &[u8]) -> usize {
        let first = !std::mem::replace(&mut self.started, true);
        if first && bytes.starts_with(BYTE_ORDER_MARK) {
            BYTE_ORDER_MARK.len()
        } else {
            0
        }
    }

    fn make_room(&self, bytes: &mut Vec<u8>, wanted: usize) -> Result<(), Spent> {
        if let Some(more) = wanted.checked_sub(bytes.len()) {
            self.budget.charge(more)?;
            bytes.resize(wanted, 0);
        }
        Ok(())
    }
}
