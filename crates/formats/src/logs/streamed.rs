//! A JSON document that is cut into elements while it is still being read, see [`elements`](super::elements).
//!
//! ```text
//! chunk 0:  [ { "reports" : [ E , E , E , E|
//!                                         |    what the end of a chunk may have cut off is carried over
//! chunk 1:                                E , E , E , E , E|
//! ```
//!
//! An element counts if something stands behind it, or the document is over; so where chunks end makes no difference.
//! Chunks are kept: a document at fault is looked at once more, as a whole, by whoever knows how to say what is wrong.

use std::ops::Range;
use std::sync::Arc;

use causet_base::Code;

use super::elements::{Cursor, Cut};
use super::text::{LONGEST, Text};
use super::turns::{self, Blocks, Parse};
use crate::error::ReadError;

/// How much is read at a time.
const CHUNK: usize = 64 << 10;

/// Parses the elements of a document and takes what they say in their order, while it is read. If something is at fault,
/// all of the document is there that was read.
pub(crate) fn each<P: Parse>(
    text: &mut Text<'_>,
    cut: impl Cut,
    parser: &P,
    take: impl for<'l> FnMut(P::Item<'l>) -> Result<(), ReadError> + Send,
) -> Result<(), (ReadError, Vec<u8>)> {
    let workers = text.workers();
    let mut streamed = Streamed {
        text,
        cut,
        line: 1,
        kept: Vec::new(),
        size: 0,
        rest: Vec::new(),
        is_over: false,
    };
    let read = turns::each(&mut streamed, workers, parser, take);
    read.map_err(|trouble| (trouble, streamed.bytes()))
}

/// How far a document has been read and cut.
struct Streamed<'s, 't, C> {
    text: &'s mut Text<'t>,
    cut: C,
    /// The line of what comes next.
    line: u32,
    /// What has been cut.
    kept: Vec<Arc<String>>,
    /// How long that is.
    size: u64,
    /// What has been read besides.
    rest: Vec<u8>,
    /// Whether nothing more can be read.
    is_over: bool,
}

/// Some whole elements.
#[derive(Default)]
struct Chunk {
    text: Arc<String>,
    /// Where they are, and their lines.
    elements: Vec<(u32, Range<usize>)>,
}

impl<C: Cut> Streamed<'_, '_, C> {
    /// All that was read.
    fn bytes(&self) -> Vec<u8> {
        let kept = self.kept.iter().map(|text| text.as_bytes());
        let parts: Vec<&[u8]> = kept.chain([self.rest.as_slice()]).collect();
        parts.concat()
    }

    /// Reads some more; as much again if there was not enough for an element.
    fn read(&mut self) -> Result<(), ReadError> {
        let is_first = self.kept.is_empty() && self.rest.is_empty();
        let most = CHUNK.max(self.rest.len());
        self.is_over = self.text.read_some(&mut self.rest, most, is_first)?;
        match self.size + self.rest.len() as u64 >= LONGEST {
            true => Err(unreadable()),
            false => Ok(()),
        }
    }

    /// Takes what has been read and is text. Only a character that goes on behind it may be left.
    fn take_text(&mut self) -> Result<String, ReadError> {
        let end = match str::from_utf8(&self.rest) {
            Ok(text) => text.len(),
            Err(error) if error.error_len().is_none() && !self.is_over => error.valid_up_to(),
            Err(_) => return Err(unreadable()),
        };
        let behind = self.rest.split_off(end);
        let text = std::mem::replace(&mut self.rest, behind);
        String::from_utf8(text).map_err(|_| unreadable())
    }

    /// Cuts a text as far as it has whole elements; where and on which line the rest of it begins.
    fn cut_text(
        &mut self,
        text: &str,
        elements: &mut Vec<(u32, Range<usize>)>,
    ) -> Result<(usize, u32), ReadError> {
        let mut cursor = Cursor::from_line(text, self.line);
        loop {
            let (mut cut, before) = (self.cut, cursor.place());
            let found = cut.cut(&mut cursor);
            if cursor.is_at_end() && !self.is_over {
                return Ok(before);
            }
            self.cut = cut;
            match found {
                Some(Some((line, element))) => {
                    let start = element.as_ptr() as usize - text.as_ptr() as usize;
                    elements.push((line, start..start + element.len()));
                }
                Some(None) => return Ok(cursor.place()),
                None => return Err(cursor.unexpected()),
            }
        }
    }
}

/// What is wrong is said by whoever looks at the whole document.
fn unreadable() -> ReadError {
    ReadError::at(
        Code::NotUtf8,
        1,
        "",
        0..0,
        "this document cannot be read",
        "expected UTF-8",
    )
}

impl<C: Cut> Blocks for &mut Streamed<'_, '_, C> {
    type Block = Chunk;

    fn fill(&mut self, chunk: &mut Chunk) -> Result<bool, ReadError> {
        chunk.elements.clear();
        while chunk.elements.is_empty() && !self.is_over {
            self.read()?;
            let mut text = self.take_text()?;
            let cut = self.cut_text(&text, &mut chunk.elements);
            let &(end, line) = cut.as_ref().unwrap_or(&(0, self.line));
            let mut rest = text.as_bytes()[end..].to_vec();
            rest.append(&mut self.rest);
            self.rest = rest;
            self.line = line;
            text.truncate(end);
            chunk.text = Arc::new(text);
            self.kept.push(Arc::clone(&chunk.text));
            self.size += end as u64;
            cut?;
        }
        Ok(!chunk.elements.is_empty())
    }

    fn parse<'b, P: Parse>(
        chunk: &'b Chunk,
        parser: &P,
        items: &mut Vec<P::Item<'b>>,
    ) -> Result<(), ReadError> {
        for (line, range) in &chunk.elements {
            items.extend(parser.parse(*line, &chunk.text[range.clone()])?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::super::elements::{Array, each_cut};
    use super::*;

    /// Reads any element as its text, but refuses numbers.
    struct Any;

    impl Parse for Any {
        type Item<'l> = (u32, &'l str);

        fn parse<'l>(
            &self,
            number: u32,
            piece: &'l str,
        ) -> Result<Option<(u32, &'l str)>, ReadError> {
            match piece.starts_with(|c: char| c.is_ascii_digit()) {
                true => Err(ReadError::of_line(
                    Code::MalformedLine,
                    number,
                    piece,
                    "a number",
                    "a text",
                )),
                false => Ok(Some((number, piece))),
            }
        }
    }

    type Taken = Vec<(u32, String)>;

    /// What is taken of a document while it is read, and the whole of it if it is at fault.
    fn streamed(document: &[u8], workers: usize) -> (Taken, Option<Result<String, ReadError>>) {
        let bytes = AtomicU64::new(0);
        let mut text = Text::open(Box::new(document), &bytes, &(), workers).expect("it is opened");
        let mut taken = Vec::new();
        let read = each(&mut text, Array::default(), &Any, |(line, piece)| {
            taken.push((line, piece.to_owned()));
            Ok(())
        });
        let whole = read.err().map(|(_, start)| text.whole_behind(start));
        (taken, whole)
    }

    fn whole(document: &str) -> (Taken, bool) {
        let mut taken = Vec::new();
        let read = each_cut(document, Array::default(), 1, &Any, |(line, piece)| {
            taken.push((line, piece.to_owned()));
            Ok(())
        });
        (taken, read.is_ok())
    }

    /// Elements of many lengths, some of them longer than a chunk, with characters of several bytes.
    fn elements() -> Vec<String> {
        let lengths = [0, 3, 70_000, 11, CHUNK, 1, 200_000, 9];
        let long = lengths.map(|length| format!("\"{}\"", "\u{e9}\n".repeat(length)));
        let short = (0..20_000).map(|number| format!("{{\"a\":[{number},\"],\u{20ac}\"]}}"));
        long.into_iter().chain(short).collect()
    }

    #[test]
    fn where_chunks_end_makes_no_difference() {
        for blanks in 0..4 {
            let document = format!("{}[{}]\n", " ".repeat(blanks), elements().join(" ,\n"));
            let (expected, is_read) = whole(&document);
            assert!(is_read);
            for workers in [1, 2, 5] {
                let (taken, fault) = streamed(document.as_bytes(), workers);
                assert!(fault.is_none() && taken == expected, "{workers} threads");
            }
        }
        let marked = [b"\xEF\xBB\xBF".as_slice(), b"[\"a\"]"].concat();
        assert_eq!(streamed(&marked, 2).0, [(1, "\"a\"".to_owned())]);
        assert!(matches!(streamed(b"[ ]", 2), (taken, None) if taken.is_empty()));
    }

    #[test]
    fn a_document_at_fault_is_there_as_a_whole() {
        let elements = elements().join(",");
        let documents = [
            format!("[{elements},7,{elements}]"),
            format!("[{elements}"),
            format!("[{elements}]]{elements}"),
            " \n".to_owned(),
            String::new(),
        ];
        for document in documents {
            for workers in [1, 2] {
                let (taken, fault) = streamed(document.as_bytes(), workers);
                assert!(matches!(fault, Some(Ok(text)) if text == document));
                assert!(whole(&document).0.starts_with(&taken));
            }
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_at_fault() {
        for (start, end) in [
            ("[\"a\",\n", "]"),
            ("[\"a\"", ""),
            ("[\"a\",\n\"", "\u{e9}\"]"),
        ] {
            let document = [start.as_bytes(), b"\xe2\x82", end.as_bytes()].concat();
            let (_, fault) = streamed(&document, 2);
            let line = start.lines().count() as u32 + u32::from(start.ends_with('\n'));
            let found = matches!(fault, Some(Err(fault)) if fault.line() == Some(line));
            assert!(found, "{start}");
        }
    }
}
