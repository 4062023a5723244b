//! The text of one part of a log: line by line, or as a whole for formats that are one document.

use std::io::{BufRead, BufReader, Read};
use std::sync::atomic::{AtomicU64, Ordering};

use causet_base::Code;
use causet_base::line_blocks::BYTE_ORDER_MARK;

use super::truncation::{HELP_FOR_DOCUMENT, HELP_FOR_LINE, may_go_on, mended};
use crate::error::ReadError;
use crate::native::{Counted, Progress, decompressed};

/// How many lines are read between two looks at whether to go on.
const LOOK: u32 = 4096;

/// How much is parsed at a time.
const BLOCK: usize = 32 << 10;

/// Longer documents are refused: they are read into memory whole.
pub(crate) const LONGEST: u64 = 4 << 30;

/// The text of a part.
pub(crate) struct Text<'a> {
    input: BufReader<Box<dyn Read + Send + 'a>>,
    progress: &'a dyn Progress,
    bytes: &'a AtomicU64,
    buffer: Vec<u8>,
    line: u32,
    /// The number of the last line, if it has no end.
    open_line: Option<u32>,
    workers: usize,
    is_lenient: bool,
    /// Where the end is cut off and was left out, and what that was.
    cut_off: Option<(u32, &'static str)>,
}

/// Some whole lines.
#[derive(Default)]
pub(crate) struct Block {
    first_line: u32,
    bytes: Vec<u8>,
}

impl Block {
    /// The number of its first line, from 1.
    pub(crate) fn first_line(&self) -> u32 {
        self.first_line
    }

    /// Its lines up to the first that is no text, and what is wrong with that one.
    pub(crate) fn text(&self) -> (&str, Option<ReadError>) {
        let error = match str::from_utf8(&self.bytes) {
            Ok(text) => return (text, None),
            Err(error) => error,
        };
        let (before, line, at, text) = around(&self.bytes, error.valid_up_to());
        let number = self.first_line.saturating_add(line);
        let valid = str::from_utf8(&self.bytes[..before]).unwrap_or_default();
        (valid, Some(not_text(number, text, at)))
    }
}

impl<'a> Text<'a> {
    /// The text of some bytes, which may be compressed; they are added to those read before.
    pub(crate) fn open(
        input: Box<dyn Read + Send + 'a>,
        bytes: &'a AtomicU64,
        progress: &'a dyn Progress,
        workers: usize,
    ) -> Result<Self, ReadError> {
        let counted = Counted { input, bytes };
        let input: Box<dyn Read + Send + 'a> = Box::new(decompressed(counted)?);
        Ok(Text {
            input: BufReader::with_capacity(1 << 17, input),
            progress,
            bytes,
            buffer: Vec::new(),
            line: 0,
            open_line: None,
            workers,
            is_lenient: false,
            cut_off: None,
        })
    }

    /// The same, but whether an end that is cut off may be left out.
    pub(crate) fn leniently(self, is_lenient: bool) -> Self {
        Text { is_lenient, ..self }
    }

    /// Where the end is cut off and was left out, and what that was.
    pub(crate) fn cut_off(&self) -> Option<(u32, &'static str)> {
        self.cut_off
    }

    /// What comes of an end that is cut off: it is left out if that is allowed, and otherwise refused with a way out.
    pub(crate) fn end_early(
        &mut self,
        line: u32,
        what: &'static str,
        trouble: ReadError,
    ) -> Result<(), ReadError> {
        if !self.is_lenient {
            return Err(trouble.with_help(match what {
                "line" => HELP_FOR_LINE,
                _ => HELP_FOR_DOCUMENT,
            }));
        }
        self.cut_off = Some((line, what));
        Ok(())
    }

    /// What comes of lines that were read up to a fault, which the last of them may have because it is cut off.
    pub(crate) fn excuse(&mut self, read: Result<(), ReadError>) -> Result<(), ReadError> {
        match read {
            Err(ReadError::Fault(fault))
                if self.open_line == Some(fault.line) && may_go_on(&fault.text) =>
            {
                self.end_early(fault.line, "line", fault.into())
            }
            read => read,
        }
    }

    /// A document up to its last whole record, if its end is cut off and may be left out: see [`mended`].
    pub(crate) fn mend(&mut self, document: String, records: Option<&str>) -> String {
        if !self.is_lenient {
            return document;
        }
        let Some(mended) = mended(&document, records) else {
            return document;
        };
        let lines = memchr::memchr_iter(b'\n', document.trim_end().as_bytes()).count();
        let last = self.line.max(1).saturating_add(lines as u32);
        self.cut_off = Some((last, "record"));
        mended
    }

    /// How many threads may work on it.
    pub(crate) fn workers(&self) -> usize {
        self.workers
    }

    /// Fills a block with the next lines, as many as are parsed at a time; whether there are any.
    pub(crate) fn next_block(&mut self, block: &mut Block) -> Result<bool, ReadError> {
        self.look()?;
        let Block { first_line, bytes } = block;
        bytes.clear();
        let mut some = (&mut self.input).take(BLOCK as u64);
        some.read_to_end(bytes)?;
        if bytes.last().is_some_and(|&last| last != b'\n') {
            self.input.read_until(b'\n', bytes)?;
        }
        if self.line == 0 && bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
        *first_line = self.line.saturating_add(1);
        let ends = memchr::memchr_iter(b'\n', bytes).count();
        let open = usize::from(bytes.last().is_some_and(|&last| last != b'\n'));
        let lines = u32::try_from(ends + open).unwrap_or(u32::MAX);
        self.line = self.line.saturating_add(lines);
        if !bytes.is_empty() {
            self.open_line = (open > 0).then_some(self.line);
        }
        Ok(!bytes.is_empty())
    }

    /// The next line with its number, from 1; without its end.
    pub(crate) fn next_line(&mut self) -> Result<Option<(u32, &str)>, ReadError> {
        if self.line.is_multiple_of(LOOK) {
            self.look()?;
        }
        self.buffer.clear();
        if self.input.read_until(b'\n', &mut self.buffer)? == 0 {
            return Ok(None);
        }
        self.line = self.line.saturating_add(1);
        if self.buffer.last() == Some(&b'\n') {
            self.buffer.pop();
        }
        if self.buffer.last() == Some(&b'\r') {
            self.buffer.pop();
        }
        if self.line == 1 && self.buffer.starts_with(BYTE_ORDER_MARK) {
            self.buffer.drain(..BYTE_ORDER_MARK.len());
        }
        match str::from_utf8(&self.buffer) {
            Ok(text) => Ok(Some((self.line, text))),
            Err(error) => Err(not_text(self.line, &self.buffer, error.valid_up_to())),
        }
    }

    /// The next line that is not blank.
    pub(crate) fn next_full_line(&mut self) -> Result<Option<(u32, &str)>, ReadError> {
        loop {
            match self.next_line()? {
                None => return Ok(None),
                Some((_, text)) if text.trim().is_empty() => {}
                Some(_) => break,
            }
        }
        // Asked again, because the borrow of the line ends with the loop.
        Ok(str::from_utf8(&self.buffer)
            .ok()
            .map(|text| (self.line, text)))
    }

    /// Appends the next bytes, at most so many; whether there are no more.
    pub(crate) fn read_some(
        &mut self,
        bytes: &mut Vec<u8>,
        most: usize,
        is_first: bool,
    ) -> Result<bool, ReadError> {
        self.look()?;
        let before = bytes.len();
        bytes.reserve_exact(most);
        let mut some = (&mut self.input).take(most as u64);
        some.read_to_end(bytes)?;
        let is_over = bytes.len() - before < most;
        if is_first && bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(is_over)
    }

    /// All that is left, for formats that are one document.
    pub(crate) fn whole(&mut self) -> Result<String, ReadError> {
        let mut start = Vec::new();
        self.read_some(&mut start, BLOCK, true)?;
        self.whole_behind(start)
    }

    /// A document of which some is read already, and all that is left of it.
    pub(crate) fn whole_behind(&mut self, mut bytes: Vec<u8>) -> Result<String, ReadError> {
        let mut limited = (&mut self.input).take(LONGEST.saturating_sub(bytes.len() as u64));
        limited.read_to_end(&mut bytes)?;
        if bytes.len() as u64 >= LONGEST {
            let expected = "expected a document of less than 4 GiB";
            return Err(ReadError::at(
                Code::LogTooLong,
                1,
                "",
                0..0,
                "this document is too long",
                expected,
            ));
        }
        self.look()?;
        String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let (_, line, at, shown) = around(error.as_bytes(), at);
            not_text(line.saturating_add(1), shown, at)
        })
    }

    /// The line that was read last, and all that is left.
    pub(crate) fn whole_from_line(&mut self) -> Result<String, ReadError> {
        let mut whole = String::from_utf8_lossy(&self.buffer).into_owned();
        let rest = self.whole()?;
        if !rest.is_empty() {
            whole.extend(["\n", &rest]);
        }
        Ok(whole)
    }

    fn look(&self) -> Result<(), ReadError> {
        self.progress.bytes_read(self.bytes.load(Ordering::Relaxed));
        match self.progress.go_on() {
            true => Ok(()),
            false => Err(ReadError::Stopped),
        }
    }
}

/// The line around a byte: where it starts, its number from 0, where in it the byte is, and its bytes.
fn around(bytes: &[u8], at: usize) -> (usize, u32, usize, &[u8]) {
    let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |newline| newline + 1);
    let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length);
    let line = memchr::memchr_iter(b'\n', &bytes[..start]).count();
    let line = u32::try_from(line).unwrap_or(u32::MAX);
    (start, line, at - start, &bytes[start..end])
}

fn not_text(line: u32, bytes: &[u8], at: usize) -> ReadError {
    let text = String::from_utf8_lossy(bytes);
    let span = at..at + char::REPLACEMENT_CHARACTER.len_utf8();
    let message = format!(
        "the byte {:#04x} is not UTF-8",
        bytes.get(at).copied().unwrap_or(0)
    );
    ReadError::at(Code::NotUtf8, line, &text, span, message, "expected UTF-8")
        .with_help("`iconv -f LATIN1 -t UTF-8` converts a file that is in Latin-1")
}
