//! From the bytes of the parts to blocks of whole lines, decompressed or taken out of a journal on the way.
//!
//! A block is as large as the processor's inner cache likes; a longer line makes its block longer. The first line of
//! every part is read before any block is given out, because what one header declares holds for the whole run.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;
use memchr::{memchr, memrchr};

use super::read::Progress;
use crate::error::ReadError;
use crate::journal::{self, Frames};

/// How much is parsed at a time.
const BLOCK: usize = 128 << 10;
/// How much is read between two looks at whether to go on.
const STEP: u64 = 64 << 10;
/// Longer lines are refused, so that places in a block fit in 31 bits.
const MAX_LINE: usize = 1 << 30;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

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

/// One part: its bytes, those read ahead, and what is known of them.
pub(super) struct Source<'a> {
    input: Decoded<Counted<'a>>,
    ahead: Vec<u8>,
    ended: bool,
    /// Whether the next line that is not blank is the header.
    pub(super) header: bool,
}

impl<'a> Source<'a> {
    /// Recognises the compression and passes over a byte order mark.
    pub(super) fn open(
        input: Box<dyn Read + Send + 'a>,
        gauge: &'a Gauge,
    ) -> Result<Source<'a>, Failure> {
        let input = Counted {
            input,
            bytes: &gauge.bytes,
        };
        let mut source = Source {
            input: decode(input)?,
            ahead: Vec::new(),
            ended: false,
            header: false,
        };
        while source.ahead.len() < BYTE_ORDER_MARK.len() && !source.ended {
            source.step()?;
        }
        if source.ahead.starts_with(BYTE_ORDER_MARK) {
            source.ahead.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(source)
    }

    /// The number, from 1, and the bytes of the first line that is not blank.
    pub(super) fn first_line(
        &mut self,
        go_on: impl Fn() -> bool,
    ) -> Result<Option<(u32, &[u8])>, Failure> {
        let mut first = FirstLine::default();
        loop {
            if let Some(range) = first.find(&self.ahead, self.ended) {
                return Ok(Some((first.before + 1, &self.ahead[range])));
            }
            if self.ended {
                return Ok(None);
            }
            if !go_on() {
                return Err(Failure::Stopped);
            }
            self.step()?;
        }
    }

    /// Reads a little more.
    fn step(&mut self) -> Result<(), Failure> {
        let read = self
            .input
            .by_ref()
            .take(STEP)
            .read_to_end(&mut self.ahead)?;
        self.ended = (read as u64) < STEP;
        if self.ahead.len() > MAX_LINE {
            let what = "a line is longer than a gibibyte";
            return Err(io::Error::new(io::ErrorKind::InvalidData, what).into());
        }
        Ok(())
    }

    /// The next whole lines and whether the header is among them.
    fn next_block(&mut self, go_on: impl Fn() -> bool) -> Result<Option<(Vec<u8>, bool)>, Failure> {
        let mut wanted = BLOCK;
        loop {
            while self.ahead.len() < wanted && !self.ended {
                if !go_on() {
                    return Err(Failure::Stopped);
                }
                self.step()?;
            }
            let cut = match memrchr(b'\n', &self.ahead) {
                _ if self.ended => self.ahead.len(),
                Some(newline) => newline + 1,
                None => {
                    wanted = 2 * self.ahead.len();
                    continue;
                }
            };
            if cut == 0 {
                return Ok(None);
            }
            return Ok(Some(self.cut(cut)));
        }
    }

    fn cut(&mut self, length: usize) -> (Vec<u8>, bool) {
        let mut rest = Vec::with_capacity(BLOCK + STEP as usize + self.ahead.len() - length);
        rest.extend_from_slice(&self.ahead[length..]);
        self.ahead.truncate(length);
        let block = std::mem::replace(&mut self.ahead, rest);
        let header = self.header && !block.trim_ascii().is_empty();
        self.header &= !header;
        (block, header)
    }
}

/// The search for the first line that is not blank, in bytes of which there are more each time.
#[derive(Default)]
struct FirstLine {
    /// How many blank lines come before it, and where it starts.
    before: u32,
    start: usize,
    /// Up to where there is no end of this line: what was searched is not searched again.
    searched: usize,
}

impl FirstLine {
    /// Its place, once it is complete.
    fn find(&mut self, bytes: &[u8], ended: bool) -> Option<Range<usize>> {
        loop {
            let newline = memchr(b'\n', &bytes[self.searched..]);
            let end = match newline {
                Some(length) => self.searched + length,
                None => bytes.len(),
            };
            self.searched = end;
            if newline.is_none() && !ended {
                return None;
            }
            if !bytes[self.start..end].trim_ascii().is_empty() {
                return Some(self.start..end);
            }
            newline?;
            self.before += 1;
            self.start = end + 1;
            self.searched = self.start;
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

/// An input that counts what is read from it.
struct Counted<'a> {
    input: Box<dyn Read + Send + 'a>,
    bytes: &'a AtomicU64,
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
    fn a_long_first_line_is_searched_once() {
        let text = b"\n  \r\n{\"p\":1}\nmore";
        let mut first = FirstLine::default();
        for read in 0..13 {
            assert_eq!(first.find(&text[..read], false), None, "{read}");
            assert_eq!(first.searched, read.max(first.start));
        }
        assert_eq!((first.find(text, false), first.before), (Some(5..12), 2));
        let end = |text: &[u8]| FirstLine::default().find(text, true);
        assert_eq!(end(b""), None);
        assert_eq!(end(b"\n \n"), None);
        assert_eq!(end(b"\nlast"), Some(1..5));
    }
}
