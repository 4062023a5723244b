//! The elements of a JSON array, parsed on several threads, see [`turns`](super::turns).
//!
//! Where an element ends can be told without parsing it: at the next comma or closing bracket that is within no bracket of
//! its own and no text. So the array is cut there, which is fast, and the elements are parsed elsewhere. If all of them are
//! what was expected then so is the array: nothing but brackets, commas and blanks was left out.
//!
//! A document at fault is parsed once more as a whole. So it does not matter what was cut where in something that is no
//! JSON, and the fault is shown where it stands in the document.

use causet_base::Code;
use serde::Deserialize;

use super::document::Document;
use super::json::fault_in_document;
use super::turns::{self, Blocks, Parse};
use crate::error::ReadError;
use crate::native::plain_end;

/// How much is parsed at a time.
const BLOCK: usize = 32 << 10;

const BLANKS: &[u8] = b" \t\r\n";

/// An element, with the line that it starts on.
pub(crate) type Element<'t> = (u32, &'t str);

/// Parses the elements of the array that is a document, and takes what they say in their order.
///
/// They are of the type `T`, which is what the document is parsed for if the parser finds a fault.
pub(crate) fn each<'t, T: Deserialize<'t>, P: Parse>(
    text: &'t str,
    workers: usize,
    expected: &str,
    parser: &P,
    take: impl for<'l> FnMut(P::Item<'l>) -> Result<(), ReadError> + Send,
) -> Result<(), ReadError> {
    let read = each_cut(text, Array::default(), workers, parser, take);
    read.map_err(|trouble| match serde_json::from_str::<Vec<T>>(text) {
        Err(error) => fault_in_document(&Document::new(text), &error, expected),
        Ok(_) => trouble,
    })
}

/// Parses elements that somebody cuts from a document, and takes what they say in their order.
pub(crate) fn each_cut<P: Parse>(
    text: &str,
    cut: impl Cut,
    workers: usize,
    parser: &P,
    take: impl for<'l> FnMut(P::Item<'l>) -> Result<(), ReadError> + Send,
) -> Result<(), ReadError> {
    let cursor = Cursor::new(text);
    turns::each(Whole { cursor, cut }, workers, parser, take)
}

/// Cuts a document into elements, one after the other.
pub(crate) trait Cut: Copy + Send {
    /// The next element, if there is one; nothing if the document is not what it should be.
    fn cut<'t>(&mut self, cursor: &mut Cursor<'t>) -> Option<Option<Element<'t>>>;
}

/// The line of a word that was borrowed from an element, which starts on another.
pub(crate) fn line_within(number: u32, element: &str, word: &str) -> u32 {
    let before = (word.as_ptr() as usize).checked_sub(element.as_ptr() as usize);
    let before = before.and_then(|length| element.as_bytes().get(..length));
    number.saturating_add(newlines(before.unwrap_or_default()))
}

fn newlines(bytes: &[u8]) -> u32 {
    let count = memchr::memchr_iter(b'\n', bytes).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// How far a document has been cut.
pub(crate) struct Cursor<'t> {
    text: &'t str,
    /// What is cut next, and the line it stands on.
    at: usize,
    line: u32,
}

impl<'t> Cursor<'t> {
    /// Nothing of a document has been cut.
    pub(crate) fn new(text: &'t str) -> Self {
        Cursor::from_line(text, 1)
    }

    /// Nothing of a part of a document has been cut, which begins on some line.
    pub(crate) fn from_line(text: &'t str, line: u32) -> Self {
        Cursor { text, at: 0, line }
    }

    /// What is cut next, and the line it stands on.
    pub(crate) fn place(&self) -> (usize, u32) {
        (self.at, self.line)
    }

    /// Whether all has been cut.
    pub(crate) fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    /// Passes over blanks; the byte behind them.
    pub(crate) fn next_byte(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        let blanks = rest.iter().take_while(|byte| BLANKS.contains(byte));
        let blanks = blanks.count();
        self.line = self.line.saturating_add(newlines(&rest[..blanks]));
        self.at += blanks;
        rest.get(blanks).copied()
    }

    /// Passes over the next byte if it is a certain one; whether it is.
    pub(crate) fn pass(&mut self, byte: u8) -> bool {
        let is_next = self.next_byte() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// The text up to the end of an element, which may be empty.
    pub(crate) fn element(&mut self) -> Element<'t> {
        self.piece(length)
    }

    /// The text that is quoted, with its quotes, if there is one next.
    pub(crate) fn quoted(&mut self) -> Option<&'t str> {
        let is_text = self.next_byte() == Some(b'"');
        is_text.then(|| self.piece(|bytes| 1 + quoted_length(&bytes[1..])).1)
    }

    /// The text up to where it is to be cut.
    fn piece(&mut self, length: impl Fn(&[u8]) -> usize) -> Element<'t> {
        let line = self.line;
        let piece = &self.text[self.at..];
        let piece = &piece[..length(piece.as_bytes())];
        self.at += piece.len();
        self.line = line.saturating_add(newlines(piece.as_bytes()));
        (line, piece)
    }

    /// What comes next was not expected, which is said better by whoever parses the document as a whole.
    pub(crate) fn unexpected(&self) -> ReadError {
        let message = "this cannot be cut into elements";
        ReadError::at(
            Code::MalformedLine,
            self.line,
            "",
            0..0,
            message,
            "expected [...]",
        )
    }
}

/// Cuts the array that is a document.
#[derive(Clone, Copy, Default)]
pub(crate) struct Array(Place);

/// Where in an array the next element is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    #[default]
    Before,
    Within,
    Behind,
}

impl Cut for Array {
    fn cut<'t>(&mut self, cursor: &mut Cursor<'t>) -> Option<Option<Element<'t>>> {
        if self.0 == Place::Before {
            if !cursor.pass(b'[') {
                return None;
            }
            self.0 = match cursor.pass(b']') {
                true => Place::Behind,
                false => Place::Within,
            };
        }
        match (self.0, cursor.next_byte()) {
            (Place::Within, Some(_)) => {
                let element = cursor.element();
                if !cursor.pass(b',') {
                    self.0 = Place::Behind;
                    if !cursor.pass(b']') {
                        return None;
                    }
                }
                Some(Some(element))
            }
            (Place::Behind, None) => Some(None),
            _ => None,
        }
    }
}

/// Blocks of elements of a whole document.
struct Whole<'t, C> {
    cursor: Cursor<'t>,
    cut: C,
}

#[derive(Default)]
struct Elements<'t>(Vec<Element<'t>>);

impl<'t, C: Cut> Blocks for Whole<'t, C> {
    type Block = Elements<'t>;

    fn fill(&mut self, block: &mut Elements<'t>) -> Result<bool, ReadError> {
        block.0.clear();
        let mut size = 0;
        while size < BLOCK {
            match self.cut.cut(&mut self.cursor) {
                Some(Some(element)) => {
                    size += element.1.len();
                    block.0.push(element);
                }
                Some(None) => break,
                None => return Err(self.cursor.unexpected()),
            }
        }
        Ok(!block.0.is_empty())
    }

    fn parse<'b, P: Parse>(
        block: &'b Elements<'t>,
        parser: &P,
        items: &mut Vec<P::Item<'b>>,
    ) -> Result<(), ReadError> {
        for &(line, element) in &block.0 {
            items.extend(parser.parse(line, element)?);
        }
        Ok(())
    }
}

/// How long the element is that some bytes begin with, and the blanks behind it.
fn length(bytes: &[u8]) -> usize {
    plain_object(bytes).unwrap_or_else(|| nested_length(bytes))
}

/// How long an object is, if it has neither objects nor backslashes: then a bracket closes it that stands behind an even
/// number of quotes. That is seen at a glance, many bytes at a time.
fn plain_object(bytes: &[u8]) -> Option<usize> {
    let inside = bytes.strip_prefix(b"{")?;
    let inside = &inside[..memchr::memchr(b'}', inside)?];
    let is_plain = memchr::memchr2(b'{', b'\\', inside).is_none();
    let quotes = || memchr::memchr_iter(b'"', inside).count();
    if !is_plain || !quotes().is_multiple_of(2) {
        return None;
    }
    let behind = &bytes[inside.len() + 2..];
    let blanks = behind.iter().take_while(|byte| BLANKS.contains(byte));
    let blanks = blanks.count();
    let ends = matches!(behind.get(blanks), Some(b',' | b']' | b'}'));
    ends.then_some(inside.len() + 2 + blanks)
}

fn nested_length(bytes: &[u8]) -> usize {
    let (mut depth, mut at) = (0_u32, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => at += quoted_length(&bytes[at + 1..]),
            b'[' | b'{' => depth += 1,
            b']' | b'}' | b',' if depth == 0 => return at,
            b']' | b'}' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    at
}

/// How long a text is behind its first quote, with the last one.
fn quoted_length(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        at = plain_end(bytes, at);
        match bytes.get(at) {
            Some(b'"') => return at + 1,
            // What stands behind a backslash ends nothing.
            Some(b'\\') => at = (at + 2).min(bytes.len()),
            Some(_) => at += 1,
            None => return bytes.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// Reads any value, as its text.
    struct Any;

    impl Parse for Any {
        type Item<'l> = (u32, &'l str);

        fn parse<'l>(
            &self,
            number: u32,
            piece: &'l str,
        ) -> Result<Option<(u32, &'l str)>, ReadError> {
            match serde_json::from_str::<Value>(piece) {
                Ok(_) => Ok(Some((number, piece.trim_end()))),
                Err(_) => Err(ReadError::of_line(
                    Code::MalformedLine,
                    number,
                    piece,
                    "no value",
                    "a value",
                )),
            }
        }
    }

    fn read(text: &str, workers: usize) -> Result<Vec<(u32, String)>, ReadError> {
        let mut taken = Vec::new();
        each::<Value, _>(text, workers, "an array", &Any, |(line, piece)| {
            taken.push((line, piece.to_owned()));
            Ok(())
        })?;
        Ok(taken)
    }

    #[test]
    fn elements_are_cut_where_they_end() {
        let text = "\n[ {\"a\":[1,2],\n\"b\":\"],\\\"\"} , 3\n,[[],{}]\n, \"\\\\\" ]\n";
        let expected = [
            (2, "{\"a\":[1,2],\n\"b\":\"],\\\"\"}"),
            (3, "3"),
            (4, "[[],{}]"),
            (5, "\"\\\\\""),
        ];
        for workers in [1, 2, 5] {
            let taken = read(text, workers).expect("it is an array");
            let taken: Vec<(u32, &str)> =
                taken.iter().map(|(line, text)| (*line, &**text)).collect();
            assert_eq!(taken, expected);
        }
        assert_eq!(read(" [ ] ", 2).expect("it is an array"), []);
    }

    #[test]
    fn many_elements_come_in_their_order() {
        let numbers: Vec<String> = (1..=100_000).map(|number| number.to_string()).collect();
        let text = format!("[{}]", numbers.join(",\n"));
        for workers in [1, 2, 5] {
            let taken = read(&text, workers).expect("it is an array");
            assert_eq!(taken.len(), 100_000);
            for (index, (line, piece)) in taken.into_iter().enumerate() {
                assert_eq!((line as usize, piece), (index + 1, (index + 1).to_string()));
            }
        }
    }

    #[test]
    fn what_is_no_array_is_at_fault_where_json_says() {
        let table = [
            ("", 1),
            ("{}", 1),
            ("[1,\n2", 2),
            ("[1,\n,2]", 2),
            ("[1,\n]", 2),
            ("[1\n2]", 2),
            ("[{]\n}]", 1),
            ("[1]\n]", 2),
            ("[\"\n\"]", 2),
            ("[\"\\", 1),
        ];
        for (text, expected) in table {
            match read(text, 2) {
                Err(ReadError::Fault(fault)) => assert_eq!(fault.line, expected, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}
