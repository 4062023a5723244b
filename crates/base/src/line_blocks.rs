//! Blocks of whole lines, cut from an input as it is read.
//!
//! A block is read into the buffer of the worker that asks for it. What follows its last line end is kept for the next
//! block: that is all that is ever copied. A line that is longer than a block makes its block longer. A byte order mark
//! at the start of the input is passed over.

use std::io::{self, Read};
use std::ops::Range;

use memchr::memrchr;

/// What may stand before a text and is no part of it.
pub const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// An input that is cut into blocks of whole lines.
#[derive(Debug)]
pub struct LineBlocks<R> {
    input: R,
    block: usize,
    longest: usize,
    /// What was read behind the last block.
    ahead: Vec<u8>,
    is_started: bool,
    is_ended: bool,
}

/// What a buffer holds after it was filled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Filled {
    /// Whole lines, and where they stand; the last one of the input may lack its end.
    Lines(Range<usize>),
    /// The start of a line that is too long. Nothing more is read.
    LongLine(Range<usize>),
    /// The input is over.
    Nothing,
}

impl<R: Read> LineBlocks<R> {
    /// Cuts an input into blocks of about `block` bytes; a line may be as long as `longest`.
    pub fn new(input: R, block: usize, longest: usize) -> Self {
        LineBlocks {
            input,
            block: block.max(1),
            longest,
            ahead: Vec::new(),
            is_started: false,
            is_ended: false,
        }
    }

    /// Reads the next lines into a buffer, which may have been used before. `grow` is asked before the buffer grows.
    pub fn fill<E: From<io::Error>>(
        &mut self,
        bytes: &mut Vec<u8>,
        mut grow: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Filled, E> {
        let mut filled = self.ahead.len();
        let mut wanted = self.block.max(filled);
        let end = loop {
            if let Some(more) = wanted.checked_sub(bytes.len()) {
                grow(more)?;
                match bytes.is_empty() {
                    // Memory that the system hands out is zero already.
                    true => *bytes = vec![0; wanted],
                    false => bytes.resize(wanted, 0),
                }
            }
            bytes[..self.ahead.len()].copy_from_slice(&self.ahead);
            self.ahead.clear();
            filled = self.read(bytes, filled)?;
            if self.is_ended {
                break filled;
            }
            if let Some(newline) = memrchr(b'\n', &bytes[..filled]) {
                break newline + 1;
            }
            if filled > self.longest {
                self.is_ended = true;
                return Ok(Filled::LongLine(self.mark(&bytes[..filled])..filled));
            }
            wanted = 2 * filled;
        };
        self.ahead.extend_from_slice(&bytes[end..filled]);
        let start = self.mark(&bytes[..end]);
        Ok(match end {
            0 => Filled::Nothing,
            end => Filled::Lines(start..end),
        })
    }

    /// Lets the next block begin with these bytes.
    pub fn put_back(&mut self, bytes: &[u8]) {
        self.ahead.splice(..0, bytes.iter().copied());
    }

    /// Reads until the buffer is full or the input ends, and says how full it is.
    fn read(&mut self, bytes: &mut [u8], mut filled: usize) -> io::Result<usize> {
        while filled < bytes.len() && !self.is_ended {
            match self.input.read(&mut bytes[filled..]) {
                Ok(0) => self.is_ended = true,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    /// Where the text starts in the bytes that were read: behind a mark in the first ones.
    fn mark(&mut self, bytes: &[u8]) -> usize {
        let is_first = !std::mem::replace(&mut self.is_started, true);
        match is_first && bytes.starts_with(BYTE_ORDER_MARK) {
            true => BYTE_ORDER_MARK.len(),
            false => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives out few bytes at a time.
    struct Drops<'a>(&'a [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = buffer.len().min(self.1);
            self.0.read(&mut buffer[..most])
        }
    }

    fn blocks(text: &[u8], block: usize, drop: usize) -> Vec<Vec<u8>> {
        let mut lines = LineBlocks::new(Drops(text, drop), block, 1000);
        let mut buffer = Vec::new();
        let mut blocks = Vec::new();
        loop {
            let filled = lines.fill(&mut buffer, |_| Ok::<_, io::Error>(()));
            match filled.expect("it can be read") {
                Filled::Lines(range) => blocks.push(buffer[range].to_vec()),
                Filled::LongLine(_) | Filled::Nothing => return blocks,
            }
        }
    }

    #[test]
    fn blocks_are_whole_lines_and_all_of_the_input() {
        let mut rng = fastrand::Rng::with_seed(7);
        for _ in 0..500 {
            let length = rng.usize(..60);
            let text: Vec<u8> = (0..length)
                .map(|_| if rng.u8(..5) == 0 { b'\n' } else { b'x' })
                .collect();
            let blocks = blocks(&text, rng.usize(1..20), rng.usize(1..9));
            assert_eq!(blocks.concat(), text);
            let (_, before) = blocks.split_last().unwrap_or((&Vec::new(), &[])).to_owned();
            assert!(before.iter().all(|block| block.ends_with(b"\n")));
            assert!(blocks.iter().all(|block| !block.is_empty()));
        }
    }

    #[test]
    fn a_mark_is_passed_over_once() {
        let text = b"\xEF\xBB\xBFa\n\xEF\xBB\xBFb\n";
        for block in 1..12 {
            assert_eq!(blocks(text, block, 2).concat(), text[3..]);
        }
    }

    #[test]
    fn a_line_may_be_long_but_not_too_long() {
        let long = [b"1\n".as_slice(), &[b'x'; 900], b"\n"].concat();
        assert_eq!(blocks(&long, 16, 7).concat(), long);
        let longer = [b"1\n".as_slice(), &[b'x'; 5000], b"\n"].concat();
        assert_eq!(blocks(&longer, 16, 7), [b"1\n"]);
    }

    #[test]
    fn what_is_put_back_comes_again() {
        let mut lines = LineBlocks::new(&b"1\n2\n3"[..], 3, 100);
        let mut buffer = Vec::new();
        let mut next = |lines: &mut LineBlocks<&[u8]>| {
            let filled = lines.fill(&mut buffer, |_| Ok::<_, io::Error>(()));
            match filled.expect("it can be read") {
                Filled::Lines(range) => buffer[range].to_vec(),
                _ => Vec::new(),
            }
        };
        assert_eq!(next(&mut lines), b"1\n");
        lines.put_back(b"0\n1\n");
        let rest: Vec<Vec<u8>> = (0..5).map(|_| next(&mut lines)).collect();
        assert_eq!(rest.concat(), b"0\n1\n2\n3");
    }
}
