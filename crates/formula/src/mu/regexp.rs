//! UNIX regular expressions as the `regex` crate reads them, and their mistakes with a place.
//!
//! Extended expressions, as of `egrep`, are nearly the same in both. What differs is translated: a `{` that starts no
//! count is a letter, and within square brackets `[`, `&`, `~` and a doubled `-` are letters and no set operations.
//! Groups of bare parentheses and `|` keep their meaning; a parenthesis as a letter is written `\(`. An expression has
//! to match the whole label.

use std::ops::Range;
use std::sync::Arc;

use regex::{Regex, RegexBuilder};

/// Far beyond any label.
const MAX_COMPILED: usize = 4 << 20;

/// An expression that cannot be read: which part of it, and why.
#[derive(Debug)]
pub(super) struct BadRegexp {
    pub(super) part: Range<usize>,
    pub(super) reason: String,
}

/// The expression that matches whole labels.
pub(super) fn compile(written: &str) -> Result<Arc<Regex>, BadRegexp> {
    let translated = Translation::of(written);
    if let Err(error) = regex_syntax::Parser::new().parse(&translated.text) {
        return Err(translated.mistake(written, &error));
    }
    anchored(&translated.text).ok_or_else(|| BadRegexp {
        part: 0..written.len(),
        reason: "it is too large".to_owned(),
    })
}

/// An expression in the syntax of the `regex` crate that matches whole labels only.
pub(super) fn anchored(expression: &str) -> Option<Arc<Regex>> {
    RegexBuilder::new(&format!(r"\A(?:{expression})\z"))
        .size_limit(MAX_COMPILED)
        .build()
        .ok()
        .map(Arc::new)
}

/// The translated expression, and for each of its bytes the place it came from.
struct Translation {
    text: String,
    from: Vec<usize>,
}

impl Translation {
    fn of(written: &str) -> Translation {
        let mut done = Translation {
            text: String::with_capacity(written.len()),
            from: Vec::new(),
        };
        let mut at = 0;
        while let Some(c) = written.get(at..).and_then(|rest| rest.chars().next()) {
            let rest = written.get(at..).unwrap_or("");
            at += match c {
                '\\' => done.escape(rest, at),
                '[' => done.brackets(rest, at),
                '{' if !starts_count(rest) => done.letter(c, at),
                _ => done.push(c, at),
            };
        }
        done
    }

    fn push(&mut self, c: char, at: usize) -> usize {
        self.text.push(c);
        self.from.resize(self.text.len(), at);
        c.len_utf8()
    }

    /// A character that stands for itself.
    fn letter(&mut self, c: char, at: usize) -> usize {
        self.push('\\', at);
        self.push(c, at)
    }

    /// A backslash and what follows it.
    fn escape(&mut self, rest: &str, at: usize) -> usize {
        let length = self.push('\\', at);
        match rest.chars().nth(1) {
            Some(c) => length + self.push(c, at + length),
            None => length,
        }
    }

    /// A set in square brackets; how long it is.
    fn brackets(&mut self, rest: &str, start: usize) -> usize {
        let mut at = self.push('[', start);
        for first in ['^', ']'] {
            if rest.get(at..).is_some_and(|more| more.starts_with(first)) {
                at += self.push(first, start + at);
            }
        }
        while let Some(c) = rest.get(at..).and_then(|more| more.chars().next()) {
            let more = rest.get(at..).unwrap_or("");
            at += match c {
                ']' => return at + self.push(c, start + at),
                '\\' => self.escape(more, start + at),
                '[' if more.starts_with("[:") => self.class(more, start + at),
                '[' | '&' | '~' => self.letter(c, start + at),
                '-' if more.starts_with("--") => self.letter(c, start + at),
                _ => self.push(c, start + at),
            };
        }
        at
    }

    /// `[:alpha:]`; how long it is.
    fn class(&mut self, rest: &str, at: usize) -> usize {
        let length = rest.find(":]").map_or(1, |end| end + 2);
        for (offset, c) in rest.get(..length).unwrap_or("").char_indices() {
            self.push(c, at + offset);
        }
        length
    }

    /// The mistake, with its place in what was written.
    fn mistake(&self, written: &str, error: &regex_syntax::Error) -> BadRegexp {
        let (span, reason) = match error {
            regex_syntax::Error::Parse(error) => (error.span(), error.kind().to_string()),
            regex_syntax::Error::Translate(error) => (error.span(), error.kind().to_string()),
            _ => {
                let part = 0..written.len();
                let reason = "it cannot be read".to_owned();
                return BadRegexp { part, reason };
            }
        };
        let place = |offset: usize| self.from.get(offset).copied().unwrap_or(written.len());
        let (start, end) = (place(span.start.offset), place(span.end.offset));
        let end = match end > start {
            true => end,
            false => start + written.get(start..).map_or(0, first_length),
        };
        BadRegexp {
            part: start..end,
            reason,
        }
    }
}

fn first_length(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

/// Whether `{3}`, `{3,}` or `{3,5}` stands here.
fn starts_count(rest: &str) -> bool {
    let Some((inside, _)) = rest.get(1..).and_then(|rest| rest.split_once('}')) else {
        return false;
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match inside.split_once(',') {
        Some((least, most)) => !least.is_empty() && digits(least) && digits(most),
        None => !inside.is_empty() && digits(inside),
    }
}

#[cfg(test)]
mod tests {
    use super::compile;

    #[test]
    fn whole_labels() {
        let cases = [
            ("PUT !.*", "PUT !3", true),
            ("PUT", "PUT !3", false),
            ("a|b", "b", true),
            ("a|b", "ab", false),
            ("{PUT}", "{PUT}", true),
            ("a{2}", "aa", true),
            ("[[]", "[", true),
            ("[]a]+", "]a", true),
            ("[^]]", "]", false),
            ("[a&&b]", "&", true),
            ("[[:digit:]]+", "42", true),
            (r"\(.\)", "(x)", true),
            (r"[\]]", "]", true),
        ];
        for (expression, label, wanted) in cases {
            let regex = compile(expression).unwrap_or_else(|bad| panic!("{expression}: {bad:?}"));
            assert_eq!(regex.is_match(label), wanted, "{expression} on {label}");
        }
    }

    #[test]
    fn mistakes_have_places() {
        let cases = [
            ("a(b", 1..2),
            ("{x}*a**[b", 7..8),
            ("ab)", 2..3),
            (r"a\", 1..2),
            (r"(a)\1", 3..5),
            ("a[z-b]", 2..5),
        ];
        for (expression, part) in cases {
            let bad = compile(expression).expect_err(expression);
            assert_eq!(bad.part, part, "{expression}: {}", bad.reason);
        }
    }
}
