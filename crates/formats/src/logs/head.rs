//! The beginning of a log, as much as it takes to recognise a format.

use serde_json::{Map, Value};

/// The beginning of a log.
pub struct Head<'a> {
    text: &'a str,
    /// Whether the last line may be cut off.
    is_cut: bool,
}

impl<'a> Head<'a> {
    /// The beginning of some bytes that are not compressed.
    pub fn of(bytes: &'a [u8]) -> Self {
        let text = match str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or(""),
        };
        Head {
            text: text.trim_start_matches('\u{feff}'),
            is_cut: true,
        }
    }

    /// The text itself.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// Its lines; the last one only if it is whole or the only one.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &'a str> {
        let end = match self.text.rfind('\n') {
            Some(end) if self.is_cut => end,
            _ => self.text.len(),
        };
        self.text[..end].lines()
    }

    /// Its lines that are not blank.
    pub(crate) fn full_lines(&self) -> impl Iterator<Item = &'a str> {
        self.lines().filter(|line| !line.trim().is_empty())
    }

    /// The first line that is not blank.
    pub fn first_line(&self) -> Option<&'a str> {
        self.full_lines().next()
    }

    /// The first line that is not blank, if it is a JSON object.
    pub(crate) fn first_object(&self) -> Option<Map<String, Value>> {
        self.objects().next()
    }

    /// The first lines that are JSON objects, as far as all are.
    pub(crate) fn objects(&self) -> impl Iterator<Item = Map<String, Value>> {
        let objects = self.full_lines().map(serde_json::from_str);
        objects.map_while(Result::ok)
    }

    /// Whether it begins like one JSON document, of an array or of an object that goes on over several lines or one.
    pub(crate) fn starts_with(&self, bracket: char) -> bool {
        self.text.trim_start().starts_with(bracket)
    }

    /// Whether a JSON key occurs anywhere in it.
    pub(crate) fn mentions(&self, key: &str) -> bool {
        self.text.contains(&format!("\"{key}\""))
    }
}
