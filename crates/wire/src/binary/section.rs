//! One section: a head of fixed size that says what follows and how to tell that it is whole, then columns of numbers.

use std::borrow::Cow;
use std::fmt;

use causet_trace::stored::Numbers;

/// What a section holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Head,
    Tables,
    Order,
    Actions,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Head, Kind::Tables, Kind::Order, Kind::Actions];
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
            Kind::Order => write!(f, "order of block {}", self.block),
            Kind::Actions => write!(f, "actions of block {}", self.block),
        }
    }
}

/// How many bytes come before the columns.
const HEAD: usize = 24;

/// A section as it stands in the file; whether its content is whole has not been looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section<'a> {
    pub(super) title: Title,
    checksum: u32,
    content: &'a [u8],
}

impl<'a> Section<'a> {
    /// The section at the beginning of some bytes, and what follows it.
    pub(super) fn split(bytes: &'a [u8]) -> Result<(Section<'a>, &'a [u8]), &'static str> {
        let (head, rest) = bytes.split_at_checked(HEAD).ok_or("the file ends here")?;
        let word =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        if crc32fast::hash(&head[..HEAD - 4]) != word(HEAD - 4) {
            return Err("its head is damaged");
        }
        let kind = Kind::ALL.get(word(0) as usize);
        let length = u64::from(word(8)) | u64::from(word(12)) << 32;
        let length = usize::try_from(length).map_err(|_| "it is too long")?;
        let (content, rest) = rest
            .split_at_checked(length)
            .ok_or("the file ends within it")?;
        let title = Title {
            kind: *kind.ok_or("it is of an unknown kind")?,
            block: word(4),
        };
        let section = Section {
            title,
            checksum: word(16),
            content,
        };
        Ok((section, rest))
    }

    /// Its columns, if it is whole.
    pub(super) fn columns(&self) -> Result<Vec<Numbers<'a>>, &'static str> {
        if crc32fast::hash(self.content) != self.checksum {
            return Err("its checksum does not agree with its content");
        }
        let (mut columns, mut bytes) = (Vec::new(), self.content);
        while !bytes.is_empty() {
            let (column, rest) = column(bytes).ok_or("its columns do not fit in it")?;
            columns.push(column);
            bytes = rest;
        }
        Ok(columns)
    }
}

/// The column at the beginning of some bytes.
fn column(bytes: &[u8]) -> Option<(Numbers<'_>, &[u8])> {
    let (&width, bytes) = bytes.split_first()?;
    let (count, bytes) = bytes.split_first_chunk()?;
    let count = usize::try_from(u64::from_le_bytes(*count)).ok()?;
    let (content, rest) = bytes.split_at_checked(count.checked_mul(usize::from(width))?)?;
    let numbers = match width {
        1 => Numbers::Bytes(Cow::Borrowed(content)),
        2 => Numbers::Shorts(numbers(content, u16::from_le_bytes)),
        4 => Numbers::Words(numbers(content, u32::from_le_bytes)),
        8 => Numbers::Longs(numbers(content, u64::from_le_bytes)),
        _ => return None,
    };
    Some((numbers, rest))
}

fn numbers<T: Clone, const N: usize>(
    content: &[u8],
    number: impl Fn([u8; N]) -> T,
) -> Cow<'static, [T]> {
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
    out.push(width);
    out.extend_from_slice(&(column.len() as u64).to_le_bytes());
    match column {
        Numbers::Bytes(list) => out.extend_from_slice(list),
        Numbers::Shorts(list) => push_all(out, list, u16::to_le_bytes),
        Numbers::Words(list) => push_all(out, list, u32::to_le_bytes),
        Numbers::Longs(list) => push_all(out, list, u64::to_le_bytes),
    }
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
