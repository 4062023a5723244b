//! What logs that are one JSON document have in common: the line of a word, and numbers that may be written as texts.

use std::borrow::Cow;
use std::fmt;

use causet_trace::{NumberFault, StoredValue};
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

use super::ascending::Ascending;
use super::json::{Key, is_number};

/// A document whose words know their lines: they are borrowed from it, so where they stand is where they point to.
pub(crate) struct Document<'t> {
    text: &'t str,
    /// Where its lines start, but for the first.
    starts: Ascending<usize>,
    /// The number of its first line.
    first: u32,
}

impl<'t> Document<'t> {
    /// A document in its text.
    pub(crate) fn new(text: &'t str) -> Self {
        Document::from_line(text, 1)
    }

    /// A document that begins on some line of its file.
    pub(crate) fn from_line(text: &'t str, first: u32) -> Self {
        let newlines = memchr::memchr_iter(b'\n', text.as_bytes());
        Document {
            text,
            starts: Ascending::new(newlines.map(|newline| newline + 1).collect()),
            first,
        }
    }

    /// The number of its first line.
    pub(crate) fn first_line(&self) -> u32 {
        self.first
    }

    /// The line of a word that was borrowed from the document, and the first one of any other.
    pub(crate) fn line_of(&self, word: &str) -> u32 {
        let start = self.text.as_ptr() as usize;
        match (word.as_ptr() as usize).checked_sub(start) {
            Some(at) if at < self.text.len() => self.line_at(at),
            _ => self.first,
        }
    }

    /// The first line of several words.
    pub(crate) fn first_line_of<'w>(&self, words: impl Iterator<Item = &'w str>) -> u32 {
        let lines = words.map(|word| self.line_of(word));
        lines.min().unwrap_or(self.first)
    }

    /// The line of a byte.
    pub(crate) fn line_at(&self, at: usize) -> u32 {
        let before = u32::try_from(self.starts.count_up_to(at)).unwrap_or(u32::MAX);
        self.first.saturating_add(before)
    }

    /// The text of a line.
    pub(crate) fn text_of(&self, line: u32) -> &'t str {
        let start = self.start_of(line.saturating_sub(self.first) as usize);
        let start = start.unwrap_or(0);
        self.text[start..].lines().next().unwrap_or_default()
    }

    /// The line of a byte: its number, where in it the byte is, and its text.
    pub(crate) fn shown(&self, at: usize) -> (u32, usize, &'t str) {
        let before = self.starts.count_up_to(at);
        let start = self.start_of(before).unwrap_or(0);
        let next = self.start_of(before + 1);
        let end = next.map_or(self.text.len(), |next| next - 1);
        (self.line_at(at), at - start, &self.text[start..end])
    }

    /// Where a line starts, by the number of lines before it.
    fn start_of(&self, before: usize) -> Option<usize> {
        match before.checked_sub(1) {
            None => Some(0),
            Some(last) => self.starts.numbers().get(last).copied(),
        }
    }
}

/// A text, borrowed unless it has escapes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct Word<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

impl std::ops::Deref for Word<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// A whole number, written as one or as a text of digits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Whole(pub(crate) i64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Digits).map(Whole)
    }
}

struct Digits;

impl<'de> Visitor<'de> for Digits {
    type Value = i64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<i64, E> {
        Ok(number)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<i64, E> {
        Ok(i64::try_from(number).unwrap_or(i64::MAX))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<i64, E> {
        let number = text.trim().parse();
        number.map_err(|_| E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<i64, M::Error> {
        match map.next_key()? {
            Some(Key(key)) if is_number(&key) => {
                let text: String = map.next_value()?;
                Ok(whole_part(&text))
            }
            _ => Err(M::Error::invalid_type(serde::de::Unexpected::Map, &self)),
        }
    }
}

/// The whole part of a number; one that does not fit is the nearest that does.
fn whole_part(text: &str) -> i64 {
    match StoredValue::parse_number(text) {
        Ok(StoredValue::Int(number)) => number,
        Ok(StoredValue::Decimal { mantissa, scale }) => {
            let unit = 10_i64.checked_pow(u32::from(scale));
            unit.map_or(0, |unit| mantissa / unit)
        }
        Err(NumberFault::TooLarge) if text.starts_with('-') => i64::MIN,
        Err(NumberFault::TooLarge) => i64::MAX,
        _ => {
            let whole = text.split('.').next().unwrap_or_default();
            whole.parse().unwrap_or(0)
        }
    }
}
