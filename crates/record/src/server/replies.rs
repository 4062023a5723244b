//! What a server says, read without a library for JSON: one object a line, with counts by process or a text.

use std::iter::Peekable;
use std::str::Chars;

/// A line of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// So many events of each process are safe; the answer to hello.
    Have(Vec<(String, u32)>),
    /// So many events of some processes are safe now.
    Ack(Vec<(String, u32)>),
    /// Why the server closes the connection.
    Error(String),
}

impl Reply {
    /// What a line says; `None` if it says nothing that is known.
    pub(crate) fn read(line: &str) -> Option<Reply> {
        let mut reader = Reader(line.trim().chars().peekable());
        let mut reply = None;
        reader.object(|reader, key| {
            let known = match key.as_str() {
                "have" => Reply::Have(reader.counts()?),
                "ack" => Reply::Ack(reader.counts()?),
                "error" => Reply::Error(reader.string()?),
                _ => return reader.skip(),
            };
            reply = Some(known);
            Some(())
        })?;
        match reader.0.next() {
            None => reply,
            Some(_) => None,
        }
    }
}

struct Reader<'l>(Peekable<Chars<'l>>);

impl Reader<'_> {
    /// Reads an object; the values are read by whoever wants them.
    fn object(&mut self, mut value: impl FnMut(&mut Self, String) -> Option<()>) -> Option<()> {
        self.expect('{')?;
        if self.next_is('}') {
            return Some(());
        }
        loop {
            let key = self.string()?;
            self.expect(':')?;
            value(self, key)?;
            if self.next_is('}') {
                return Some(());
            }
            self.expect(',')?;
        }
    }

    fn counts(&mut self) -> Option<Vec<(String, u32)>> {
        let mut counts = Vec::new();
        self.object(|reader, process| {
            counts.push((process, reader.number()?));
            Some(())
        })?;
        Some(counts)
    }

    fn number(&mut self) -> Option<u32> {
        self.blanks();
        let mut digits = String::new();
        while let Some(digit) = self.0.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        digits.parse().ok()
    }

    fn string(&mut self) -> Option<String> {
        self.expect('"')?;
        let mut text = String::new();
        loop {
            match self.0.next()? {
                '"' => return Some(text),
                '\\' => text.push(self.escaped()?),
                c => text.push(c),
            }
        }
    }

    fn escaped(&mut self) -> Option<char> {
        Some(match self.0.next()? {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => return self.unicode(),
            c @ ('"' | '\\' | '/') => c,
            _ => return None,
        })
    }

    /// The digits after `\u`, and those of the second half if it takes two.
    fn unicode(&mut self) -> Option<char> {
        let first = self.hex()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first);
        }
        let starts = self.0.next()? == '\\' && self.0.next()? == 'u';
        let second = starts.then(|| self.hex())??;
        let low = second.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + low)
    }

    fn hex(&mut self) -> Option<u32> {
        (0..4).try_fold(0, |number, _| {
            Some(number * 16 + self.0.next()?.to_digit(16)?)
        })
    }

    /// Passes over a value that nobody asked for: a text, or whatever stands before the next comma or bracket. Values
    /// within values are not expected of a server.
    fn skip(&mut self) -> Option<()> {
        self.blanks();
        if self.0.peek() == Some(&'"') {
            return self.string().map(drop);
        }
        let is_plain = |c: &char| !matches!(c, ',' | '}' | '{' | '[' | '"');
        while self.0.next_if(is_plain).is_some() {}
        Some(())
    }

    fn blanks(&mut self) {
        while self.0.next_if(char::is_ascii_whitespace).is_some() {}
    }

    fn next_is(&mut self, c: char) -> bool {
        self.blanks();
        self.0.next_if_eq(&c).is_some()
    }

    fn expect(&mut self, c: char) -> Option<()> {
        self.next_is(c).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read() {
        let counts = |all: &[(&str, u32)]| {
            let owned = all.iter().map(|(name, count)| ((*name).to_owned(), *count));
            owned.collect::<Vec<_>>()
        };
        let cases = [
            (r#"{"run":"x","have":{}}"#, Reply::Have(Vec::new())),
            (
                r#" { "have" : { "a\"b" : 3 , "\u00e4\ud83d\ude00" : 0 } , "run" : "x{,}", "more":1.5e3} "#,
                Reply::Have(counts(&[("a\"b", 3), ("ä😀", 0)])),
            ),
            (
                r#"{"ack":{"p1":18,"p2":4294967295}}"#,
                Reply::Ack(counts(&[("p1", 18), ("p2", u32::MAX)])),
            ),
            (
                r#"{"error":"no\n\tway"}"#,
                Reply::Error("no\n\tway".to_owned()),
            ),
        ];
        for (line, reply) in cases {
            assert_eq!(Reply::read(line), Some(reply), "{line}");
        }
    }

    #[test]
    fn what_is_no_reply_is_none() {
        for line in [
            "",
            "{",
            "{}",
            "[]",
            r#"{"ack":{"p":-1}}"#,
            r#"{"ack":{"p":4294967296}}"#,
            r#"{"ack":{"p":1}"#,
            r#"{"ack":{"p":1}}x"#,
            r#"{"ack":[1]}"#,
            r#"{"error":"\ud83d"}"#,
            r#"{"error":"\ud83dxudc00"}"#,
            r#"{"error":"\x"}"#,
            r#"{"run":"x"}"#,
            r#"{"other":{"x":1},"ack":{}}"#,
        ] {
            assert_eq!(Reply::read(line), None, "{line}");
        }
        let line = r#"{"have":{"a\"b":3,"\u00e4\ud83d\ude00":0},"run":"x"}"#;
        for cut in 0..line.len() {
            assert_eq!(Reply::read(&line[..cut]), None, "{}", &line[..cut]);
        }
    }
}
