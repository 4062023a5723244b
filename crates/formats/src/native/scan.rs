//! Strict JSON (RFC 8259) as a cursor over one line: no tree is built, a string without escapes is not copied.
//!
//! The callers know which fields they want, so they pull: [`Scan::next_key`], then a value of the type they expect.
//! A general parser with a tree would be three times slower, and one driven by a schema would not know the columns.
//! The text is UTF-8 already; whoever cut the lines has checked that for a whole block at once.

use std::borrow::Cow;
use std::num::NonZeroU64;
use std::ops::Range;

use causet_base::{Code, Diagnostic};

use crate::error::mistake;

/// What scanning gives, or where the text goes wrong.
pub(crate) type Scanned<T> = Result<T, Diagnostic>;

/// How deeply lists and objects may be nested; a limit is needed, and this is the one `serde_json` has.
const MAX_DEPTH: usize = 127;

/// A place in a line of JSON.
#[derive(Clone, Debug)]
pub(crate) struct Scan<'a> {
    text: &'a str,
    at: usize,
}

/// Where a string stands in the line; its escapes are known to be right and still to be replaced.
///
/// One machine word, so that it travels in a register: the place of the opening quote plus one, the length between the
/// quotes above it, and in the highest bit whether there are escapes. Lines are shorter than a gibibyte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quoted(NonZeroU64);

const ESCAPED: u64 = 1 << 63;

impl Quoted {
    #[inline]
    fn new(start: usize, end: usize, escaped: u64) -> Self {
        let length = (end - start - 1) as u64;
        Quoted(NonZeroU64::MIN.saturating_add((start as u64) | (length << 32) | escaped))
    }

    /// Whether there are escapes.
    #[inline]
    pub(crate) fn is_escaped(self) -> bool {
        self.0.get() & ESCAPED != 0
    }

    /// Where the opening quote stands.
    #[inline]
    pub(crate) fn start(self) -> usize {
        (self.0.get() as u32 - 1) as usize
    }

    /// How many bytes stand between the quotes.
    #[inline]
    pub(crate) fn length(self) -> usize {
        ((self.0.get() & !ESCAPED) >> 32) as usize
    }

    /// The place of the string, quotes included.
    pub(crate) fn span(self) -> Range<usize> {
        self.start()..self.start() + self.length() + 2
    }
}

/// A short key as it usually stands in a line, `"key":`, in one machine word.
pub(crate) struct LikelyKey {
    word: u64,
    mask: u64,
    length: usize,
}

impl LikelyKey {
    /// A key of at most five letters.
    pub(crate) const fn new(key: &str) -> LikelyKey {
        let letters = key.as_bytes();
        let length = letters.len() + 3;
        let mut bytes = [0; 8];
        bytes[0] = b'"';
        let mut at = 0;
        while at < letters.len() {
            bytes[at + 1] = letters[at];
            at += 1;
        }
        bytes[length - 2] = b'"';
        bytes[length - 1] = b':';
        LikelyKey {
            word: u64::from_le_bytes(bytes),
            mask: u64::MAX >> (8 * (8 - length)),
            length,
        }
    }
}

/// The elements of a list or object, as far as they have been read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Progress {
    Opened,
    Inside,
}

/// Bytes that stand for themselves within a string.
const PLAIN: [bool; 256] = {
    let mut plain = [true; 256];
    let mut byte = 0;
    while byte < 0x20 {
        plain[byte] = false;
        byte += 1;
    }
    plain[b'"' as usize] = false;
    plain[b'\\' as usize] = false;
    plain
};

impl<'a> Scan<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Scan { text, at: 0 }
    }

    /// Where the next byte stands.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Goes to another place of the line.
    pub(crate) fn move_to(&mut self, at: usize) {
        self.at = at;
    }

    /// The text scanned since a place.
    pub(crate) fn since(&self, start: usize) -> &'a str {
        &self.text[start..self.at]
    }

    /// The bytes between the quotes of a string of this line.
    #[inline]
    pub(crate) fn raw(&self, string: Quoted) -> &'a str {
        let start = string.start() + 1;
        &self.text[start..start + string.length()]
    }

    /// The characters a string of this line means.
    #[inline]
    pub(crate) fn text(&self, string: Quoted) -> Cow<'a, str> {
        if string.is_escaped() {
            Cow::Owned(unescaped(self.raw(string)))
        } else {
            Cow::Borrowed(self.raw(string))
        }
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }

    /// The first byte of the next value or sign, blanks skipped.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<u8> {
        match self.peek() {
            Some(byte) if byte > b' ' => Some(byte),
            _ => {
                self.skip_blanks();
                self.peek()
            }
        }
    }

    /// Enters an object.
    pub(crate) fn open_object(&mut self, what: &str) -> Scanned<Progress> {
        self.open(b'{', what)
    }

    /// Enters a list.
    pub(crate) fn open_list(&mut self, what: &str) -> Scanned<Progress> {
        self.open(b'[', what)
    }

    fn open(&mut self, bracket: u8, what: &str) -> Scanned<Progress> {
        if self.next() != Some(bracket) {
            return Err(self.wrong_type(what));
        }
        self.at += 1;
        Ok(Progress::Opened)
    }

    /// The next key of an object and the colon behind it; `None` when the object is closed.
    #[inline]
    pub(crate) fn next_key(&mut self, progress: &mut Progress) -> Scanned<Option<Quoted>> {
        let bytes = self.text.as_bytes();
        if *progress == Progress::Inside && bytes[self.at..].starts_with(b",\"") {
            self.at += 1;
        } else if !self.next_element(progress, b'}')? {
            return Ok(None);
        } else if self.peek() != Some(b'"') {
            return Err(self.no_key());
        }
        let key = self.string()?;
        if self.next() != Some(b':') {
            return Err(self.malformed_here("a key is followed by its value", "expected `:`"));
        }
        self.at += 1;
        Ok(Some(key))
    }

    /// The next key and its number in a list, if it is one of that list and written without blanks around it.
    ///
    /// A guess that makes the usual case cheap: where it fails nothing has moved, and [`Scan::next_key`] decides.
    #[inline]
    pub(crate) fn likely_key(
        &mut self,
        progress: &mut Progress,
        keys: &[LikelyKey],
    ) -> Option<(usize, Quoted)> {
        let bytes = self.text.as_bytes();
        let mut start = self.at;
        if *progress == Progress::Inside {
            if bytes.get(start) != Some(&b',') {
                return None;
            }
            start += 1 + usize::from(bytes.get(start + 1) == Some(&b' '));
        }
        let word = u64::from_le_bytes(*bytes.get(start..)?.first_chunk()?);
        let number = keys.iter().position(|key| word & key.mask == key.word)?;
        *progress = Progress::Inside;
        self.at = start + keys[number].length;
        Some((number, Quoted::new(start, self.at - 2, 0)))
    }

    /// Whether there is another element of a list; if so the cursor stands at it.
    pub(crate) fn next_item(&mut self, progress: &mut Progress) -> Scanned<bool> {
        self.next_element(progress, b']')
    }

    #[inline]
    fn next_element(&mut self, progress: &mut Progress, close: u8) -> Scanned<bool> {
        let found = self.next();
        if found == Some(close) {
            self.at += 1;
            return Ok(false);
        }
        if *progress == Progress::Opened {
            *progress = Progress::Inside;
            return Ok(true);
        }
        if found != Some(b',') {
            return Err(self.no_comma(close));
        }
        let comma = self.at;
        self.at += 1;
        if self.next() == Some(close) {
            let complaint = malformed(
                comma..comma + 1,
                "a comma before the end",
                "expected an element",
            );
            return Err(complaint.with_help("remove the comma"));
        }
        Ok(true)
    }

    /// A string; the cursor stands at its opening quote.
    #[inline]
    pub(crate) fn string(&mut self) -> Scanned<Quoted> {
        let start = self.at;
        let end = plain_end(self.text.as_bytes(), start + 1);
        if self.text.as_bytes().get(end) != Some(&b'"') {
            return self.escaped_string(end);
        }
        self.at = end + 1;
        Ok(Quoted::new(start, end, 0))
    }

    /// The rest of a string from the first byte that does not stand for itself.
    #[cold]
    fn escaped_string(&mut self, mut at: usize) -> Scanned<Quoted> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        loop {
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => drop(self.escape(&mut at)?),
                Some(&byte) if byte < 0x20 => return Err(control(at, byte)),
                Some(_) => at = plain_end(bytes, at),
                None => {
                    let what = "this string is not closed";
                    let span = start..self.text.trim_end().len();
                    return Err(malformed(span, what, "expected `\"` at its end"));
                }
            }
        }
        self.at = at + 1;
        Ok(Quoted::new(start, at, ESCAPED))
    }

    /// The character an escape stands for; `at` moves from the backslash to behind the escape.
    fn escape(&self, at: &mut usize) -> Scanned<char> {
        let start = *at;
        let letter = self.text.as_bytes().get(start + 1);
        *at += 2;
        Ok(match letter {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(at),
            _ => {
                let span = start..self.boundary(start + 2);
                return Err(malformed(
                    span,
                    "unknown escape",
                    "expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u",
                )
                .with_help("write a backslash itself as \\\\"));
            }
        })
    }

    fn unicode_escape(&self, at: &mut usize) -> Scanned<char> {
        let start = *at - 2;
        let first = self.four_digits(at)?;
        let lone = |end: usize| {
            malformed(
                start..end,
                "half of a surrogate pair",
                "expected \\uD8.. followed by \\uDC..",
            )
        };
        match first {
            0xD800..=0xDBFF => {
                if self.text.as_bytes().get(*at..*at + 2) != Some(b"\\u") {
                    return Err(lone(*at));
                }
                *at += 2;
                let second = self.four_digits(at)?;
                if !(0xDC00..=0xDFFF).contains(&second) {
                    return Err(lone(*at));
                }
                let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
                char::from_u32(code).ok_or_else(|| lone(*at))
            }
            _ => char::from_u32(first).ok_or_else(|| lone(*at)),
        }
    }

    /// Four hexadecimal digits; `at` moves behind them.
    fn four_digits(&self, at: &mut usize) -> Scanned<u32> {
        let digits = self.text.get(*at..*at + 4);
        let all_hex = |digits: &&str| digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = digits
            .filter(all_hex)
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let Some(number) = number else {
            let span = *at - 2..self.boundary(*at + 4);
            return Err(malformed(
                span,
                "unknown escape",
                "expected four hexadecimal digits after \\u",
            ));
        };
        *at += 4;
        Ok(number)
    }

    /// The first character boundary at or after a place, within the text.
    fn boundary(&self, mut at: usize) -> usize {
        while at < self.text.len() && !self.text.is_char_boundary(at) {
            at += 1;
        }
        at.min(self.text.len())
    }

    /// An integer of at most 18 digits; anything else is left for [`Scan::number`].
    #[inline]
    pub(crate) fn small_integer(&mut self) -> Option<i64> {
        let bytes = self.text.as_bytes();
        let negative = bytes.get(self.at) == Some(&b'-');
        let first = self.at + usize::from(negative);
        let mut at = first;
        let mut number = 0_i64;
        while let Some(digit @ b'0'..=b'9') = bytes.get(at) {
            if at - first == 18 {
                return None;
            }
            number = number * 10 + i64::from(digit - b'0');
            at += 1;
        }
        let leading_zero = at > first + 1 && bytes[first] == b'0';
        if at == first || leading_zero || matches!(bytes.get(at), Some(b'.' | b'e' | b'E')) {
            return None;
        }
        self.at = at;
        Some(if negative { -number } else { number })
    }

    /// A number by the grammar of JSON, as text; the cursor stands at `-` or a digit.
    pub(crate) fn number(&mut self) -> Scanned<&'a str> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let first = self.at;
        self.digits(start)?;
        if self.at > first + 1 && self.text.as_bytes()[first] == b'0' {
            let what = "a number with leading zeros";
            return Err(malformed(start..self.at, what, "expected no zero in front")
                .with_help("write it without them, or as a string"));
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits(start)?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits(start)?;
        }
        Ok(self.since(start))
    }

    fn digits(&mut self, start: usize) -> Scanned<()> {
        let first = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at > first {
            return Ok(());
        }
        let span = start..self.boundary(self.at + 1);
        Err(malformed(
            span,
            "this number is not complete",
            "expected a digit",
        ))
    }

    /// `true`, `false` or `null`, whole.
    pub(crate) fn word(&mut self, word: &str) -> bool {
        let found = self.text[self.at..].starts_with(word);
        if found {
            self.at += word.len();
        }
        found
    }

    /// Passes over a value of any type.
    pub(crate) fn skip_value(&mut self) -> Scanned<()> {
        self.skip_nested(MAX_DEPTH)
    }

    fn skip_nested(&mut self, depth: usize) -> Scanned<()> {
        match self.next() {
            Some(b'"') => self.string().map(drop),
            Some(b'-' | b'0'..=b'9') => self.number().map(drop),
            Some(b'{' | b'[') if depth == 0 => Err(malformed(
                self.at..self.at + 1,
                "nested too deeply",
                "expected at most 127 levels",
            )),
            Some(b'{') => {
                let mut inside = self.open_object("an object")?;
                while self.next_key(&mut inside)?.is_some() {
                    self.skip_nested(depth - 1)?;
                }
                Ok(())
            }
            Some(b'[') => {
                let mut inside = self.open_list("a list")?;
                while self.next_item(&mut inside)? {
                    self.skip_nested(depth - 1)?;
                }
                Ok(())
            }
            _ if self.word("true") || self.word("false") || self.word("null") => Ok(()),
            _ => Err(self.no_value()),
        }
    }

    /// Nothing but blanks may follow.
    pub(crate) fn end(&mut self) -> Scanned<()> {
        if self.next().is_none() {
            return Ok(());
        }
        let span = self.at..self.text.trim_end().len();
        Err(malformed(
            span,
            "something follows the object",
            "expected the end of the line",
        )
        .with_help("write one object per line"))
    }

    /// The place of the next value: all of it when it is well-formed, one character otherwise.
    pub(crate) fn value_span(&mut self) -> Range<usize> {
        self.skip_blanks();
        let mut ahead = self.clone();
        match ahead.skip_value() {
            Ok(()) => self.at..ahead.at,
            Err(_) => self.at..self.boundary(self.at + 1),
        }
    }

    /// A complaint about the next value, which is not what the field holds; malformed JSON comes first.
    pub(crate) fn wrong_type(&mut self, what: &str) -> Diagnostic {
        self.skip_blanks();
        let mut ahead = self.clone();
        if let Err(malformed) = ahead.skip_value() {
            return malformed;
        }
        let found = match self.peek() {
            Some(b'"') => "a string",
            Some(b'{') => "an object",
            Some(b'[') => "a list",
            Some(b't' | b'f') => "a boolean",
            Some(b'n') => "null",
            _ => "a number",
        };
        let message = format!("wrong type: {found} cannot stand here");
        let complaint = mistake(
            Code::WrongType,
            self.at..ahead.at,
            message,
            format!("expected {what}"),
        );
        match found {
            "null" => complaint.with_help("leave the field out instead"),
            _ => complaint,
        }
    }

    fn no_key(&mut self) -> Diagnostic {
        let what = "a key is missing";
        let complaint = self.malformed_here(what, "expected a key in double quotes");
        match self.peek() {
            Some(b'\'') => complaint.with_help("JSON strings stand in double quotes"),
            Some(byte) if byte.is_ascii_alphabetic() => {
                complaint.with_help("keys stand in double quotes")
            }
            _ => complaint,
        }
    }

    fn no_comma(&mut self, close: u8) -> Diagnostic {
        let close = char::from(close);
        let what = match self.peek() {
            None => "the line ends too early",
            Some(_) => "something is missing here",
        };
        self.malformed_here(what, &format!("expected `,` or `{close}`"))
    }

    fn no_value(&mut self) -> Diagnostic {
        let rest = &self.text[self.at..];
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let word = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
        let help = match word {
            "True" | "TRUE" => "write `true`",
            "False" | "FALSE" => "write `false`",
            "None" | "nil" | "undefined" => "JSON has no such word; leave the field out",
            "NaN" | "Infinity" | "inf" | "nan" => "JSON has no such number; write it as a string",
            _ if rest.starts_with('\'') => "JSON strings stand in double quotes",
            _ if rest.starts_with('+') => "write the number without `+`",
            _ if rest.starts_with('.') => "write a digit before the point",
            _ if rest.is_empty() => "was the file cut off?",
            _ => "text stands in double quotes",
        };
        let end = if word.is_empty() {
            self.boundary(self.at + 1)
        } else {
            self.at + word.len()
        };
        let what = if rest.is_empty() {
            "the line ends too early"
        } else {
            "this is no value"
        };
        malformed(self.at..end, what, "expected a value").with_help(help)
    }

    fn malformed_here(&mut self, what: &str, expected: &str) -> Diagnostic {
        self.skip_blanks();
        let end = self.boundary(self.at + 1);
        let complaint = malformed(self.at..end, what, expected);
        match self.peek() {
            None => complaint.with_help("was the file cut off?"),
            Some(_) => complaint,
        }
    }
}

/// The first byte from `at` on that does not stand for itself in a string: a quote, a backslash or a control character.
///
/// Eight bytes at a time: a byte `b` of a word is below `n` when `b - n` borrows and `b` has no high bit; it equals `n`
/// when `b ^ n` is below 1. A borrow disturbs only bytes above the first hit, and only the first hit counts.
#[inline]
pub(crate) fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & HIGH;
    let equal = |word: u64, byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    while let Some(&eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let word = u64::from_le_bytes(eight);
        let hits = equal(word, b'"') | equal(word, b'\\') | below(word, 0x20);
        if hits != 0 {
            return at + (hits.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while at < bytes.len() && PLAIN[bytes[at] as usize] {
        at += 1;
    }
    at
}

/// A string whose escapes are right, with the escapes replaced.
fn unescaped(raw: &str) -> String {
    let scan = Scan::new(raw);
    let mut text = String::with_capacity(raw.len());
    let mut at = 0;
    while let Some(length) = raw[at..].find('\\') {
        text.push_str(&raw[at..at + length]);
        at += length;
        text.push(scan.escape(&mut at).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    text + &raw[at..]
}

fn malformed(span: Range<usize>, what: &str, expected: &str) -> Diagnostic {
    mistake(
        Code::MalformedJson,
        span,
        format!("malformed JSON: {what}"),
        expected,
    )
}

fn control(at: usize, byte: u8) -> Diagnostic {
    let what = format!("the control character {byte:#04x} in a string");
    malformed(at..at + 1, &what, "expected an escape")
        .with_help(format!("write it as \\u{byte:04x}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use serde_json::{Map, Value};

    /// The tree of a value; numbers that no double holds are refused, as `serde_json` does.
    fn tree(scan: &mut Scan<'_>, depth: usize) -> Option<Value> {
        Some(match scan.next()? {
            b'"' => {
                let string = scan.string().ok()?;
                Value::String(scan.text(string).into_owned())
            }
            b'-' | b'0'..=b'9' => number(scan)?,
            b'{' | b'[' if depth == 0 => return None,
            b'{' => {
                let mut map = Map::new();
                let mut inside = scan.open_object("").ok()?;
                while let Some(key) = scan.next_key(&mut inside).ok()? {
                    let key = scan.text(key).into_owned();
                    map.insert(key, tree(scan, depth - 1)?);
                }
                Value::Object(map)
            }
            b'[' => {
                let mut list = Vec::new();
                let mut inside = scan.open_list("").ok()?;
                while scan.next_item(&mut inside).ok()? {
                    list.push(tree(scan, depth - 1)?);
                }
                Value::Array(list)
            }
            _ if scan.word("true") => Value::Bool(true),
            _ if scan.word("false") => Value::Bool(false),
            _ if scan.word("null") => Value::Null,
            _ => return None,
        })
    }

    /// Both ways of reading a number must agree on it.
    fn number(scan: &mut Scan<'_>) -> Option<Value> {
        let small = scan.clone().small_integer();
        let text = scan.number().ok()?;
        if let Some(small) = small {
            assert_eq!(text.parse(), Ok(small));
        }
        if let Ok(integer) = text.parse::<i64>()
            && text != "-0"
        {
            return Some(Value::from(integer));
        }
        if let Ok(integer) = text.parse::<u64>() {
            return Some(Value::from(integer));
        }
        text.parse().ok().map(Value::Number)
    }

    fn ours(text: &str) -> Option<Value> {
        let mut scan = Scan::new(text);
        let value = tree(&mut scan, MAX_DEPTH)?;
        scan.end().ok()?;
        Some(value)
    }

    /// Both parsers agree.
    #[track_caller]
    fn check(text: &str) {
        let theirs = serde_json::from_str::<Value>(text).ok();
        let ours = ours(text);
        assert_eq!(ours, theirs, "{text:?}");
        let mut scan = Scan::new(text);
        let skipped = scan.skip_value().and_then(|()| scan.end());
        // Skipping does not look at the size of numbers.
        assert!(skipped.is_ok() || ours.is_none(), "{text:?}");
        if let Err(complaint) = skipped {
            assert!(text.get(complaint.span.range()).is_some(), "{text:?}");
            assert!(ours.is_none(), "{text:?}");
        }
    }

    fn random_value(rng: &mut Rng, depth: usize, out: &mut String) {
        let blank = |rng: &mut Rng| ["", "", "", " ", "\t", "\r "][rng.usize(0..6)];
        out.push_str(blank(rng));
        match rng.usize(0..if depth == 0 { 8 } else { 12 }) {
            0 => out.push_str("true"),
            1 => out.push_str("false"),
            2 => out.push_str("null"),
            3 => out.push_str(&rng.i64(-2000..2000).to_string()),
            4 => out.push_str(&rng.u64(..).to_string()),
            5 => out.push_str(
                [
                    "-0",
                    "0.5",
                    "1e5",
                    "-1.25E-3",
                    "123456789012345678901",
                    "1e+2",
                    "1e999",
                    "0e0",
                ][rng.usize(0..8)],
            ),
            6 | 7 => random_string(rng, out),
            8 | 9 => {
                out.push('[');
                for number in 0..rng.usize(0..4) {
                    out.push_str(if number > 0 { "," } else { "" });
                    random_value(rng, depth - 1, out);
                }
                out.push(']');
            }
            _ => {
                out.push('{');
                for number in 0..rng.usize(0..4) {
                    out.push_str(if number > 0 { "," } else { "" });
                    out.push_str(blank(rng));
                    random_string(rng, out);
                    out.push_str(blank(rng));
                    out.push(':');
                    random_value(rng, depth - 1, out);
                }
                out.push('}');
            }
        }
        out.push_str(blank(rng));
    }

    fn random_string(rng: &mut Rng, out: &mut String) {
        const PIECES: [&str; 16] = [
            "a",
            "set",
            "longer than eight bytes",
            "ä",
            "😀",
            "\\n",
            "\\\"",
            "\\\\",
            "\\/",
            "\\u00e4",
            "\\uD83D\\uDE00",
            "\\u0000",
            "{",
            ",",
            ":",
            "]",
        ];
        out.push('"');
        for _ in 0..rng.usize(0..4) {
            out.push_str(PIECES[rng.usize(0..PIECES.len())]);
        }
        out.push('"');
    }

    /// One character removed, doubled or replaced by one that JSON cares about.
    fn mutated(rng: &mut Rng, text: &str) -> String {
        let mut chars: Vec<char> = text.chars().collect();
        if chars.is_empty() {
            return String::new();
        }
        let at = rng.usize(0..chars.len());
        const SIGNS: &[u8] = b"{}[]:,\"\\0123456789+-.eEtfnu \t\x01\x7f'dD8";
        let sign = char::from(SIGNS[rng.usize(0..SIGNS.len())]);
        match rng.usize(0..4) {
            0 => drop(chars.remove(at)),
            1 => chars.insert(at, chars[at]),
            2 => chars.insert(at, sign),
            _ => chars[at] = sign,
        }
        chars.into_iter().collect()
    }

    #[test]
    fn accepts_what_serde_json_accepts() {
        let seed = fastrand::u64(..);
        println!("seed {seed}");
        let mut rng = Rng::with_seed(seed);
        for _ in 0..20_000 {
            let mut text = String::new();
            random_value(&mut rng, 4, &mut text);
            check(&text);
            for _ in 0..rng.usize(1..4) {
                text = mutated(&mut rng, &text);
                check(&text);
            }
        }
    }

    #[test]
    fn depth_is_limited_as_in_serde_json() {
        for depth in [1, 126, 127, 128, 129, 5000] {
            check(&format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
            check(&format!(
                "{}1{}",
                "{\"a\":".repeat(depth),
                "}".repeat(depth)
            ));
        }
    }

    #[test]
    fn the_end_of_plain_text_is_found_at_any_place() {
        for length in 0..40 {
            for (stop, escaped) in [("\"", false), ("\\n\"", true)] {
                let text = format!("\"{}{stop}", "é".repeat(length));
                let mut scan = Scan::new(&text);
                let string = scan.string().expect("a string");
                assert_eq!((string.is_escaped(), scan.at()), (escaped, text.len()));
                assert_eq!(string.span(), 0..text.len());
                assert!(scan.text(string).starts_with(&"é".repeat(length)));
            }
        }
    }
}
