//! JSON as far as a line of the native format needs it: strings, and lists whose items are distinct.

use std::fmt::Write as _;

/// Appends a string with its quotes.
pub(crate) fn push_string(out: &mut String, text: &str) {
    out.push('"');
    if text.bytes().all(|b| b >= b' ' && b != b'"' && b != b'\\') {
        out.push_str(text);
    } else {
        text.chars().for_each(|c| push_char(out, c));
    }
    out.push('"');
}

/// Appends an integer.
pub(crate) fn push_integer(out: &mut String, number: impl itoa::Integer) {
    out.push_str(itoa::Buffer::new().format(number));
}

/// Appends the id of the message that an event sends, with its quotes.
pub(crate) fn push_message(out: &mut String, process: &str, number: u32) {
    push_string(out, process);
    out.pop();
    out.push(':');
    push_integer(out, number);
    out.push('"');
}

/// The line that says that a process has ended.
pub(crate) fn end_line(process: &str) -> String {
    let mut line = String::from("{\"p\":");
    push_string(&mut line, process);
    line.push_str(",\"end\":true}\n");
    line
}

fn push_char(out: &mut String, c: char) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if c < ' ' => {
            let _ = write!(out, "\\u{:04x}", c as u32);
        }
        c => out.push(c),
    }
}

/// The inside of a list or object, as text, with the places of its items. It is kept from event to event, so that a
/// recorder which has warmed up asks for no memory.
#[derive(Debug, Default)]
pub(crate) struct Items {
    text: String,
    /// Per item: where it starts and where its key ends. In a list the item is its own key.
    places: Vec<(usize, usize)>,
}

impl Items {
    /// Adds an item unless it is there already.
    pub(crate) fn add(&mut self, push: impl FnOnce(&mut String)) {
        let start = self.open();
        push(&mut self.text);
        let end = self.text.len();
        if self.find(start, end).is_some() {
            self.text.truncate(start.saturating_sub(1));
        } else {
            self.places.push((start, end));
        }
    }

    /// Gives a key its value; the last one counts.
    pub(crate) fn put(&mut self, key: &str, push: impl FnOnce(&mut String)) {
        let start = self.open();
        push_string(&mut self.text, key);
        let key_end = self.text.len();
        let earlier = self.find(start, key_end);
        self.places.push((start, key_end));
        self.text.push(':');
        push(&mut self.text);
        if let Some(earlier) = earlier {
            self.remove(earlier);
        }
    }

    /// Appends `,"key":` and the items between brackets; one item alone goes without them if `bare`.
    pub(crate) fn push_list(&self, out: &mut String, key: &str, bare: bool) {
        if self.places.is_empty() {
            return;
        }
        let brackets = !bare || self.places.len() > 1;
        out.push_str(key);
        out.push_str(if brackets { "[" } else { "" });
        out.push_str(&self.text);
        out.push_str(if brackets { "]" } else { "" });
    }

    /// Appends `,"key":` and the items between braces.
    pub(crate) fn push_object(&self, out: &mut String, key: &str) {
        if !self.places.is_empty() {
            out.push_str(key);
            out.push('{');
            out.push_str(&self.text);
            out.push('}');
        }
    }

    /// Whether there is nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Forgets the items and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.places.clear();
    }

    /// Makes ready for an item and says where it starts.
    fn open(&mut self) -> usize {
        if !self.places.is_empty() {
            self.text.push(',');
        }
        self.text.len()
    }

    fn find(&self, start: usize, end: usize) -> Option<usize> {
        let key = &self.text[start..end];
        let same = |&(from, to): &(usize, usize)| &self.text[from..to] == key;
        self.places.iter().position(same)
    }

    /// Removes an item that is not the last.
    fn remove(&mut self, item: usize) {
        let (start, _) = self.places.remove(item);
        let length = self.places[item].0 - start;
        self.text.drain(start..start + length);
        for place in &mut self.places[item..] {
            *place = (place.0 - length, place.1 - length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_values_the_last_counts_wherever_the_first_stands() {
        for first in ["a", "b", "c"] {
            let mut items = Items::default();
            for key in ["a", "b", "c", first] {
                items.put(key, |out| out.push('1'));
            }
            items.put(first, |out| out.push('2'));
            let mut text = String::new();
            items.push_object(&mut text, "");
            let others: Vec<&str> = ["a", "b", "c"]
                .into_iter()
                .filter(|&k| k != first)
                .collect();
            let expected = format!("{{\"{}\":1,\"{}\":1,\"{first}\":2}}", others[0], others[1]);
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn an_item_stands_once_even_among_quotes_and_commas() {
        let mut items = Items::default();
        for name in ["a", "b", ",", "a", ",", "\"", "b", "\n\u{1}"] {
            items.add(|out| push_string(out, name));
        }
        let mut text = String::new();
        items.push_list(&mut text, "", true);
        assert_eq!(text, "[\"a\",\"b\",\",\",\"\\\"\",\"\\n\\u0001\"]");
    }

    #[test]
    fn an_item_twice_is_one_item() {
        let mut items = Items::default();
        items.add(|out| out.push('1'));
        items.add(|out| out.push('1'));
        let mut text = String::new();
        items.push_list(&mut text, "", true);
        assert_eq!(text, "1");
    }
}
