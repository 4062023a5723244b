//! From the bytes of the parts to blocks of whole lines, decompressed or taken out of a journal on the way.
//!
//! A block is as large as the processor's inner cache likes; a longer line makes its block longer. The first line of
//! every part is read before any block is given out, because what one header declares holds for the whole run.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use causet_base::line_blocks::{BYTE_ORDER_MARK, Filled, LineBlocks};
use flate2::read::MultiGzDecoder;
use memchr::{memchr, memchr_iter, memrchr};

use super::read::Progress;
use crate::error::ReadError;
use crate::journal::{self, Frames};

/// How much is parsed at a time.
const BLOCK: usize = 128 << 10;
/// How much is read between two looks at whether to go on.
const STEP: u64 = 64 << 10;
/// Longer lines are refused, so that places in a block fit in 31 bits.
const MAX_LINE: usize = 1 << 30;

/// Whole lines of one part.
#[derive(Debug)]
pub(super) struct RawBlock {
    pub(super) part: u32,
    pub(super) bytes: Vec<u8>,
    /// Whether the first line that is not blank is the header.
    pub(super) header: bool,
}

/// What is shared between the reader of the bytes and those who wait for them.
#[derive(Default, Debug)]
pub(super) struct Gauge {
    /// Bytes read so far, before decompression.
    pub(super) bytes: AtomicU64,
    /// Set when nobody wants more.
    pub(super) stop: AtomicBool,
}

/// The blocks of all parts, in order or in turn.
pub(super) struct Blocks<'a> {
    pub(super) sources: VecDeque<(u32, Source<'a>)>,
    /// Whether each part gives one block in turn, rather than all of its blocks.
    pub(super) in_turn: bool,
    pub(super) names: &'a [String],
    pub(super) gauge: &'a Gauge,
    pub(super) progress: &'a dyn Progress,
}

impl Iterator for Blocks<'_> {
    type Item = Result<RawBlock, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (part, source) = self.sources.front_mut()?;
            let part = *part;
            let go_on = || !self.gauge.stop.load(Ordering::Relaxed) && self.progress.go_on();
            if !go_on() {
                self.sources.clear();
                return Some(Err(ReadError::Stopped));
            }
            match source.next_block(go_on) {
                Ok(Some((bytes, header))) => {
                    let total = self.gauge.bytes.load(Ordering::Relaxed);
                    self.progress.bytes_read(total);
                    if self.in_turn {
                        self.sources.rotate_left(1);
                    }
                    return Some(Ok(RawBlock {
                        part,
                        bytes,
                        header,
                    }));
                }
                Ok(None) => drop(self.sources.pop_front()),
                Err(failure) => {
                    self.sources.clear();
                    return Some(Err(failure.in_part(&self.names[part as usize])));
                }
            }
        }
    }
}

/// Why no block came.
pub(super) enum Failure {
    Stopped,
    Io(io::Error),
}

impl Failure {
    pub(super) fn in_part(self, part: &str) -> ReadError {
        match self {
            Failure::Stopped => ReadError::Stopped,
            Failure::Io(error) => ReadError::Io {
                part: part.to_owned(),
                error,
            },
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Io(error)
    }
}

/// One part: its lines, and what is known of them.
pub(super) struct Source<'a> {
    lines: LineBlocks<Decoded<Counted<'a>>>,
    /// Whether the next line that is not blank is the header.
    pub(super) header: bool,
}

impl<'a> Source<'a> {
    /// Recognises the compression.
    pub(super) fn open(
        input: Box<dyn Read + Send + 'a>,
        gauge: &'a Gauge,
    ) -> Result<Source<'a>, Failure> {
        let input = Counted {
            input,
            bytes: &gauge.bytes,
        };
        Ok(Source {
            lines: LineBlocks::new(decode(input)?, BLOCK, MAX_LINE),
            header: false,
        })
    }

    /// The number, from 1, and the bytes of the first line that is not blank.
    pub(super) fn first_line(
        &mut self,
        go_on: impl Fn() -> bool,
    ) -> Result<Option<(u32, Vec<u8>)>, Failure> {
        let (mut read, mut number) = (Vec::new(), 1);
        let first = loop {
            let mut block = Vec::new();
            let Some(lines) = self.fill(&mut block, &go_on)? else {
                break None;
            };
            let lines = &block[lines];
            read.extend_from_slice(lines);
            let blank = lines.len() - lines.trim_ascii_start().len();
            number += memchr_iter(b'\n', &lines[..blank]).count() as u32;
            if blank < lines.len() {
                let start = memrchr(b'\n', &lines[..blank]).map_or(0, |newline| newline + 1);
                let end = memchr(b'\n', &lines[blank..]).map_or(lines.len(), |at| blank + at);
                break Some((number, lines[start..end].to_vec()));
            }
        };
        self.lines.put_back(&read);
        Ok(first)
    }

    /// The next whole lines and whether the header is among them.
    fn next_block(&mut self, go_on: impl Fn() -> bool) -> Result<Option<(Vec<u8>, bool)>, Failure> {
        let mut block = Vec::new();
        let Some(lines) = self.fill(&mut block, go_on)? else {
            return Ok(None);
        };
        block.truncate(lines.end);
        block.drain(..lines.start);
        let header = self.header && !block.trim_ascii().is_empty();
        self.header &= !header;
        Ok(Some((block, header)))
    }

    fn fill(
        &mut self,
        block: &mut Vec<u8>,
        go_on: impl Fn() -> bool,
    ) -> Result<Option<Range<usize>>, Failure> {
        let grow = |_| match go_on() {
            true => Ok(()),
            false => Err(Failure::Stopped),
        };
        match self.lines.fill(block, grow)? {
            Filled::Lines(lines) => Ok(Some(lines)),
            Filled::Nothing => Ok(None),
            Filled::LongLine(_) => {
                let what = "a line is longer than a gibibyte";
                Err(io::Error::new(io::ErrorKind::InvalidData, what).into())
            }
        }
    }
}

/// Finds a line again, counted from 1, in a part that may be compressed; bytes that are no UTF-8 are replaced.
pub fn nth_line(input: impl Read, line: u32) -> io::Result<Option<String>> {
    let mut input = BufReader::with_capacity(BLOCK, decode(input)?);
    let mut text = Vec::new();
    for number in 1..=line {
        text.clear();
        if input.read_until(b'\n', &mut text)? == 0 {
            return Ok(None);
        }
        if number == 1 && text.starts_with(BYTE_ORDER_MARK) {
            text.drain(..BYTE_ORDER_MARK.len());
        }
    }
    let found = String::from_utf8_lossy(&text);
    Ok(Some(found.trim_end_matches(['\r', '\n']).to_owned()))
}

/// An input that counts what is read from it, before it is decompressed.
pub(crate) struct Counted<'a> {
    pub(crate) input: Box<dyn Read + Send + 'a>,
    pub(crate) bytes: &'a AtomicU64,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.bytes.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// The bytes that were looked at, then the rest.
type Whole<R> = Chain<Cursor<Vec<u8>>, R>;

/// An input whose compression or frames were recognised.
enum Decoded<R: Read> {
    Plain(Whole<R>),
    Gzip(Box<MultiGzDecoder<BufReader<Whole<R>>>>),
    Zstd(Box<zstd::Decoder<'static, BufReader<Whole<R>>>>),
    Journal(Frames<BufReader<R>>),
}

/// The bytes of an input as they were before they were compressed or put into frames, if they were.
pub fn decompressed<'a>(input: impl Read + Send + 'a) -> io::Result<Box<dyn Read + Send + 'a>> {
    Ok(Box::new(decode(input)?))
}

fn decode<R: Read>(mut input: R) -> io::Result<Decoded<R>> {
    let mut start = Vec::new();
    input.by_ref().take(4).read_to_end(&mut start)?;
    if start == journal::MAGIC {
        return Ok(Decoded::Journal(Frames::new(BufReader::new(input))));
    }
    let is_gzip = start.starts_with(b"\x1F\x8B");
    let is_zstd = start.starts_with(b"\x28\xB5\x2F\xFD")
        || matches!(start[..], [0x50..=0x5F, 0x2A, 0x4D, 0x18]);
    let whole = Cursor::new(start).chain(input);
    Ok(if is_gzip {
        let buffered = BufReader::with_capacity(STEP as usize, whole);
        Decoded::Gzip(Box::new(MultiGzDecoder::new(buffered)))
    } else if is_zstd {
        Decoded::Zstd(Box::new(zstd::Decoder::new(whole)?))
    } else {
        Decoded::Plain(whole)
    })
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Decoded::Plain(input) => input.read(buffer),
            Decoded::Gzip(input) => input.read(buffer),
            Decoded::Zstd(input) => input.read(buffer),
            Decoded::Journal(input) => input.read(buffer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_is_not_blank_is_found_and_stays() {
        let first = |text: &'static [u8]| {
            let gauge = Gauge::default();
            let source = Source::open(Box::new(text), &gauge);
            let mut source = source.unwrap_or_else(|_| panic!("it is opened"));
            let first = source.first_line(|| true).ok().flatten();
            let block = source.next_block(|| true).ok().flatten();
            let (block, _) = block.unwrap_or_default();
            assert!(text.ends_with(&block) && text.len() - block.len() <= 3);
            first
        };
        let line = |number, text: &[u8]| Some((number, text.to_vec()));
        assert_eq!(first(b"\n  \r\n{\"p\":1}\nmore"), line(3, b"{\"p\":1}"));
        assert_eq!(first(b""), None);
        assert_eq!(first(b"\n \n"), None);
        assert_eq!(first(b"\nlast"), line(2, b"last"));
        assert_eq!(first(b"\xEF\xBB\xBF\n a\n"), line(2, b" a"));
    }
}
