//! Extensible data notation, as far as histories use it: what Clojure prints.
//!
//! ```text
//! {:process 9, :type :ok, :f :txn, :value [[:append 3 1] [:r 4 nil]], :time 1.5e9} ; a comment
//! #jepsen.history.Op{:index 0, :process :nemesis, :error #inst "2024-01-01"} #_ ignored #{1 2} \c 22/7 10N
//! ```

use std::fmt;
use std::ops::Range;

/// A form.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Edn<'t> {
    /// `nil`.
    Nil,
    /// `true` and `false`.
    Bool(bool),
    /// A number, a character or a symbol, as it is written.
    Word(&'t str),
    /// `:name`, without the colon.
    Keyword(&'t str),
    /// A text, without its quotes.
    Text(String),
    /// A vector, list or set, with its brackets.
    List(&'static str, Vec<Edn<'t>>, &'static str),
    /// A map.
    Map(Vec<(Edn<'t>, Edn<'t>)>),
}

impl<'t> Edn<'t> {
    /// The value of a keyword in a map.
    pub(crate) fn get(&self, name: &str) -> Option<&Edn<'t>> {
        let Edn::Map(members) = self else { return None };
        let found = members
            .iter()
            .find(|(key, _)| matches!(key, Edn::Keyword(key) if *key == name));
        found.map(|(_, value)| value)
    }
}

impl fmt::Display for Edn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Edn::Nil => f.write_str("nil"),
            Edn::Bool(value) => write!(f, "{value}"),
            Edn::Word(text) => f.write_str(text),
            Edn::Keyword(name) => write!(f, ":{name}"),
            Edn::Text(text) => write!(f, "{text:?}"),
            Edn::List(open, items, close) => {
                f.write_str(open)?;
                for (number, item) in items.iter().enumerate() {
                    let blank = if number == 0 { "" } else { " " };
                    write!(f, "{blank}{item}")?;
                }
                f.write_str(close)
            }
            Edn::Map(members) => {
                f.write_str("{")?;
                for (number, (key, value)) in members.iter().enumerate() {
                    let comma = if number == 0 { "" } else { ", " };
                    write!(f, "{comma}{key} {value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

/// What is wrong with a text, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Wrong {
    pub(crate) span: Range<usize>,
    pub(crate) message: &'static str,
}

/// Forms are nested less deeply than this, so that reading them does not exhaust the stack.
const DEEPEST: u32 = 200;

/// Reads the forms of a text.
pub(crate) struct Forms<'t> {
    text: &'t str,
    at: usize,
    depth: u32,
    is_cut_off: bool,
}

impl<'t> Forms<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Forms {
            text,
            at: 0,
            depth: 0,
            is_cut_off: false,
        }
    }

    /// The next form with where it begins, if there is any.
    pub(crate) fn next(&mut self) -> Result<Option<(usize, Edn<'t>)>, Wrong> {
        self.skip()?;
        if self.at == self.text.len() {
            return Ok(None);
        }
        let start = self.at;
        self.form().map(|form| Some((start, form)))
    }

    /// If the next form is a vector or a list, enters it: its items are then the next forms.
    pub(crate) fn enter(&mut self) -> Result<bool, Wrong> {
        self.skip()?;
        let enters = matches!(self.peek(), Some('[' | '('));
        self.at += usize::from(enters);
        Ok(enters)
    }

    /// Whether the vector or list that was entered ends here; it is left then.
    pub(crate) fn leave(&mut self) -> Result<bool, Wrong> {
        self.skip()?;
        let leaves = matches!(self.peek(), Some(']' | ')'));
        self.at += usize::from(leaves);
        Ok(leaves)
    }

    /// Whether the text ended within a form.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.is_cut_off
    }

    /// The vector or list that was entered does not end.
    pub(crate) fn unclosed(&mut self) -> Wrong {
        self.is_cut_off = true;
        let end = self.text.trim_end().len();
        Wrong {
            span: end..end,
            message: "this vector is not closed",
        }
    }

    /// The text ends within a form.
    fn ends_early(&mut self, start: usize, message: &'static str) -> Wrong {
        self.is_cut_off = true;
        self.wrong(start, message)
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn bytes(&self) -> &'t [u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn wrong(&self, start: usize, message: &'static str) -> Wrong {
        let end = self.at.max(start + 1).min(self.text.len().max(start));
        Wrong {
            span: start..end,
            message,
        }
    }

    /// Skips blanks, commas, comments and forms that are to be ignored.
    fn skip(&mut self) -> Result<(), Wrong> {
        loop {
            match self.bytes() {
                [b' ' | b',' | b'\n' | b'\r' | b'\t', ..] => self.at += 1,
                [b';', ..] => {
                    let rest = self.bytes();
                    self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                [b'#', b'_', ..] => {
                    self.at += 2;
                    self.form()?;
                }
                [b'^', ..] => {
                    self.at += 1;
                    self.form()?;
                }
                [0..=b' ', ..] | [0x80..=0xFF, ..] => {
                    let rest = self.rest();
                    let full = rest.trim_start();
                    self.at += rest.len() - full.len();
                    if full.len() == rest.len() {
                        return Ok(());
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    fn form(&mut self) -> Result<Edn<'t>, Wrong> {
        if self.depth == DEEPEST {
            return Err(self.wrong(self.at, "this is nested too deeply"));
        }
        self.depth += 1;
        let form = self.form_within();
        self.depth -= 1;
        form
    }

    fn form_within(&mut self) -> Result<Edn<'t>, Wrong> {
        self.skip()?;
        let start = self.at;
        let Some(first) = self.peek() else {
            return Err(self.ends_early(start, "the text ends where a form is missing"));
        };
        match first {
            '{' => self.map(),
            '[' => self.items("[", "]"),
            '(' => self.items("(", ")"),
            '"' => self.string(),
            '#' => self.tagged(),
            ']' | ')' | '}' => Err(self.wrong(start, "this bracket closes nothing")),
            '\\' => {
                self.at += 1;
                self.at += self.peek().map_or(0, char::len_utf8);
                self.word(start)
            }
            _ => {
                self.at += first.len_utf8();
                self.word(start)
            }
        }
    }

    /// A word whose first character was taken.
    fn word(&mut self, start: usize) -> Result<Edn<'t>, Wrong> {
        let is_plain = |byte: &u8| byte.is_ascii() && !ends_word(char::from(*byte));
        self.at += self
            .bytes()
            .iter()
            .take_while(|byte| is_plain(byte))
            .count();
        if self.bytes().first().is_some_and(|byte| !byte.is_ascii()) {
            let rest = self.rest();
            self.at += rest.find(ends_word).unwrap_or(rest.len());
        }
        let word = &self.text[start..self.at];
        match (word, word.strip_prefix(':')) {
            ("nil", _) => Ok(Edn::Nil),
            ("true", _) => Ok(Edn::Bool(true)),
            ("false", _) => Ok(Edn::Bool(false)),
            (_, Some("")) => Err(self.wrong(start, "this keyword has no name")),
            (_, Some(name)) => Ok(Edn::Keyword(name)),
            _ => Ok(Edn::Word(word)),
        }
    }

    fn items(&mut self, open: &'static str, close: &'static str) -> Result<Edn<'t>, Wrong> {
        let start = self.at;
        self.at += open.len();
        let mut items = Vec::new();
        while !self.closes(start, close.as_bytes()[0])? {
            items.push(self.form()?);
        }
        Ok(Edn::List(open, items, close))
    }

    fn map(&mut self) -> Result<Edn<'t>, Wrong> {
        let start = self.at;
        self.at += 1;
        let mut members = Vec::with_capacity(8);
        while !self.closes(start, b'}')? {
            let key = self.form()?;
            if self.closes(start, b'}')? {
                return Err(self.wrong(start, "a key of this map has no value"));
            }
            members.push((key, self.form()?));
        }
        Ok(Edn::Map(members))
    }

    /// Whether the bracket that was opened at a place is closed here; it is passed then.
    fn closes(&mut self, start: usize, close: u8) -> Result<bool, Wrong> {
        self.skip()?;
        let Some(&next) = self.bytes().first() else {
            return Err(self.ends_early(start, "this bracket is not closed"));
        };
        self.at += usize::from(next == close);
        Ok(next == close)
    }

    fn string(&mut self) -> Result<Edn<'t>, Wrong> {
        let start = self.at;
        let mut text = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at = start + at + 1;
                    return Ok(Edn::Text(text));
                }
                '\\' => text.push(match chars.next() {
                    Some((_, 'n')) => '\n',
                    Some((_, 't')) => '\t',
                    Some((_, 'r')) => '\r',
                    Some((_, 'u')) => {
                        let digits: String = chars.by_ref().take(4).map(|(_, c)| c).collect();
                        let code = u32::from_str_radix(&digits, 16).ok();
                        code.and_then(char::from_u32)
                            .unwrap_or(char::REPLACEMENT_CHARACTER)
                    }
                    Some((_, c)) => c,
                    None => break,
                }),
                c => text.push(c),
            }
        }
        Err(self.ends_early(start, "this text is not closed"))
    }

    /// A set, or a form with a tag: the tag says of what type it is, which does not matter here.
    fn tagged(&mut self) -> Result<Edn<'t>, Wrong> {
        if self.rest().starts_with("#{") {
            return self.items("#{", "}");
        }
        let start = self.at;
        self.at += 1;
        self.word(start)?;
        self.form()
    }
}

/// Whether a character stands behind a word.
fn ends_word(c: char) -> bool {
    matches!(c, ',' | ';' | '"' | '(' | ')' | '[' | ']' | '{' | '}') || c.is_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let mut forms = Forms::new(text);
        let mut shown = Vec::new();
        loop {
            match forms.next() {
                Ok(Some((_, form))) => shown.push(form.to_string()),
                Ok(None) => return shown,
                Err(wrong) => {
                    shown.push(format!("{:?} {}", wrong.span, wrong.message));
                    return shown;
                }
            }
        }
    }

    #[test]
    fn forms_are_read_as_they_are_printed() {
        let text = "{:a 1, :b [nil true :k/v \"q\\\"\\u0041\"]} ; no\n #_(1 2) #{\\c 22/7} #inst \"x\" #:n{:a -1.5e3M}";
        let expected = [
            "{:a 1, :b [nil true :k/v \"q\\\"A\"]}",
            "#{\\c 22/7}",
            "\"x\"",
            "{:a -1.5e3M}",
        ];
        assert_eq!(shown(text), expected);
    }

    #[test]
    fn what_is_wrong_is_said_at_its_place() {
        assert_eq!(shown("1 [2"), ["1", "2..4 this bracket is not closed"]);
        assert_eq!(shown("{:a}"), ["0..4 a key of this map has no value"]);
        assert_eq!(shown("]"), ["0..1 this bracket closes nothing"]);
        assert_eq!(shown(" \"a"), ["1..2 this text is not closed"]);
        assert_eq!(shown(":"), ["0..1 this keyword has no name"]);
        let deep = "[".repeat(500);
        assert_eq!(shown(&deep), ["200..201 this is nested too deeply"]);
    }
}
