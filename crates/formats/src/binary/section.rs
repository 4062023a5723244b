//! One section: a head of fixed size that says what follows and how to tell that it is whole, then columns of numbers.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read};

use bytemuck::Pod;
use causet_trace::stored::Numbers;

/// What a section holds; nothing has the last kind, it is what comes after all others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Head,
    Tables,
    Names,
    Order,
    Actions,
    Writes,
    End,
}

/// Which section it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Title {
    pub(super) kind: Kind,
    pub(super) block: u32,
}

impl fmt::Display for Title {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Head => f.write_str("head"),
            Kind::Tables => f.write_str("tables"),
            Kind::Names => write!(f, "names of block {}", self.block),
            Kind::Order => write!(f, "order of block {}", self.block),
            Kind::Actions => write!(f, "actions of block {}", self.block),
            Kind::Writes => write!(f, "writes of block {}", self.block),
            Kind::End => f.write_str("end"),
        }
    }
}

/// How many bytes come before the columns.
const HEAD: usize = 24;

/// A section says how long it is before anything shows that this is true, so room is made for so many bytes at a time.
const STEP: usize = 16 << 20;

/// What columns begin at a multiple of.
const WORD: usize = size_of::<u64>();

/// How a number of the head of a column is made of a width and a count.
const WIDTH_AT: u32 = 56;

/// Why a section could not be read.
#[derive(Debug)]
pub(super) enum Unread {
    /// What is there is not the section.
    Damaged(&'static str),
    /// It could not be fetched.
    Input(io::Error),
}

/// The place a section is read to, to be used again and again; the words are there to lie at multiples of eight bytes.
#[derive(Default, Debug)]
pub(super) struct Buffer {
    words: Vec<u64>,
    length: usize,
    checksum: u32,
}

impl Buffer {
    /// Reads the section with a title; whether its content is whole is not looked at.
    pub(super) fn read(&mut self, title: Title, input: &mut dyn Read) -> Result<(), Unread> {
        let mut head = [0; HEAD];
        if fill(input, &mut head)? < HEAD {
            return Err(Unread::Damaged("the file ends here"));
        }
        let word =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        if crc32fast::hash(&head[..HEAD - 4]) != word(HEAD - 4) {
            return Err(Unread::Damaged("its head is damaged"));
        }
        if (word(0), word(4)) != (title.kind as u32, title.block) {
            return Err(Unread::Damaged("another section stands in its place"));
        }
        let length = u64::from(word(8)) | u64::from(word(12)) << 32;
        let length = usize::try_from(length).map_err(|_| Unread::Damaged("it is too long"))?;
        self.checksum = word(16);
        self.fetch(length, input)
    }

    /// Reads the content.
    fn fetch(&mut self, length: usize, input: &mut dyn Read) -> Result<(), Unread> {
        self.length = 0;
        while self.length < length {
            let end = length.min(self.length + STEP);
            if self.words.len() * WORD < end {
                self.words.resize(end.div_ceil(WORD), 0);
            }
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut self.words);
            let room = &mut bytes[self.length..end];
            if fill(input, room)? < room.len() {
                return Err(Unread::Damaged("the file ends within it"));
            }
            self.length = end;
        }
        Ok(())
    }

    /// How many bytes the section has.
    pub(super) fn len(&self) -> usize {
        HEAD + self.length
    }

    /// The columns of the section, if it is whole.
    pub(super) fn columns(&self) -> Result<Vec<Numbers<'_>>, &'static str> {
        let content: &[u8] = bytemuck::cast_slice(&self.words);
        let mut bytes = &content[..self.length];
        if crc32fast::hash(bytes) != self.checksum {
            return Err("its checksum does not agree with its content");
        }
        let mut columns = Vec::new();
        while !bytes.is_empty() {
            let (column, rest) = column(bytes).ok_or("its columns do not fit in it")?;
            columns.push(column);
            bytes = rest;
        }
        Ok(columns)
    }
}

/// Fills a place as far as the input reaches, and says how far that is.
pub(super) fn fill(input: &mut dyn Read, room: &mut [u8]) -> Result<usize, Unread> {
    let mut filled = 0;
    while filled < room.len() {
        match input.read(&mut room[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Unread::Input(error)),
        }
    }
    Ok(filled)
}

/// The column at the beginning of some bytes.
fn column(bytes: &[u8]) -> Option<(Numbers<'_>, &[u8])> {
    let (head, bytes) = bytes.split_first_chunk()?;
    let head = u64::from_le_bytes(*head);
    let (width, count) = (head >> WIDTH_AT, head & ((1 << WIDTH_AT) - 1));
    let length = usize::try_from(count.checked_mul(width)?).ok()?;
    let (padded, rest) = bytes.split_at_checked(length.checked_next_multiple_of(WORD)?)?;
    let content = &padded[..length];
    let numbers = match width {
        1 => Numbers::Bytes(Cow::Borrowed(content)),
        2 => Numbers::Shorts(numbers(content, u16::from_le_bytes)),
        4 => Numbers::Words(numbers(content, u32::from_le_bytes)),
        8 => Numbers::Longs(numbers(content, u64::from_le_bytes)),
        _ => return None,
    };
    Some((numbers, rest))
}

/// Numbers as they lie there, if this machine has them in the same way.
fn numbers<T: Pod, const N: usize>(content: &[u8], number: impl Fn([u8; N]) -> T) -> Cow<'_, [T]> {
    if cfg!(target_endian = "little")
        && let Ok(list) = bytemuck::try_cast_slice(content)
    {
        return Cow::Borrowed(list);
    }
    let (chunks, _) = content.as_chunks();
    chunks.iter().map(|&chunk| number(chunk)).collect()
}

/// Appends a section to some bytes.
pub(super) fn push(out: &mut Vec<u8>, title: Title, columns: &[Numbers<'_>]) {
    let start = out.len();
    out.resize(start + HEAD, 0);
    columns.iter().for_each(|column| push_column(out, column));
    let content = &out[start + HEAD..];
    let mut head = [0; HEAD];
    head[..4].copy_from_slice(&(title.kind as u32).to_le_bytes());
    head[4..8].copy_from_slice(&title.block.to_le_bytes());
    head[8..16].copy_from_slice(&(content.len() as u64).to_le_bytes());
    head[16..20].copy_from_slice(&crc32fast::hash(content).to_le_bytes());
    let checksum = crc32fast::hash(&head[..HEAD - 4]);
    head[HEAD - 4..].copy_from_slice(&checksum.to_le_bytes());
    out[start..start + HEAD].copy_from_slice(&head);
}

fn push_column(out: &mut Vec<u8>, column: &Numbers<'_>) {
    let width = match column {
        Numbers::Bytes(_) => 1,
        Numbers::Shorts(_) => 2,
        Numbers::Words(_) => 4,
        Numbers::Longs(_) => 8,
    };
    let head = (width as u64) << WIDTH_AT | column.len() as u64;
    out.extend_from_slice(&head.to_le_bytes());
    match column {
        Numbers::Bytes(list) => out.extend_from_slice(list),
        Numbers::Shorts(list) => push_all(out, list, u16::to_le_bytes),
        Numbers::Words(list) => push_all(out, list, u32::to_le_bytes),
        Numbers::Longs(list) => push_all(out, list, u64::to_le_bytes),
    }
    let over = (column.len() * width) % WORD;
    out.resize(out.len() + (WORD - over) % WORD, 0);
}

fn push_all<T: Copy, const N: usize>(
    out: &mut Vec<u8>,
    numbers: &[T],
    bytes: impl Fn(T) -> [u8; N],
) {
    out.reserve(numbers.len() * N);
    for &number in numbers {
        out.extend_from_slice(&bytes(number));
    }
}
