//! Statements of Promela as Spin prints them: which variables they name, and what an index comes to.

/// A variable in a statement: its name with fields, and the text of its index, if it has one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mention<'s> {
    pub(super) name: &'s str,
    pub(super) index: Option<&'s str>,
}

/// All variables that a text names, those within indices included; what stands in quotes is no name.
pub(super) fn mentions(text: &str) -> Vec<Mention<'_>> {
    let (mut found, mut at) = (Vec::new(), 0);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            quote @ (b'\'' | b'"') => {
                let rest = &bytes[at + 1..];
                at += 2 + memchr::memchr(quote, rest).unwrap_or(rest.len());
            }
            byte if starts_name(byte) => {
                let end = at + name_length(&bytes[at..]);
                let (name, rest) = (&text[at..end], &text[end..]);
                at = end;
                if !rest.starts_with('(') {
                    let index = rest.strip_prefix('[').and_then(inside);
                    found.push(Mention { name, index });
                }
            }
            // A number may end in letters, which are no name.
            byte if byte.is_ascii_digit() => at += name_length(&bytes[at..]),
            _ => at += 1,
        }
    }
    found
}

/// What an expression of integers comes to, if all that it names is known.
pub(super) fn value(text: &str, known: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
    let mut terms = Terms {
        text,
        known,
        depth: 0,
    };
    let value = terms.sum()?;
    terms.text.trim().is_empty().then_some(value)
}

/// What is assigned by a statement: the left side of an assignment.
pub(super) fn target(statement: &str) -> Option<Mention<'_>> {
    let (left, right) = statement.split_once(" = ")?;
    let first = mentions(left).first().copied()?;
    let is_whole = left.starts_with(first.name) && !right.starts_with('=');
    is_whole.then_some(first)
}

/// The text up to the bracket that closes one before it.
fn inside(text: &str) -> Option<&str> {
    let mut open = 1;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' => open += 1,
            b']' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(&text[..at]);
        }
    }
    None
}

fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// How long a name is, fields included.
fn name_length(bytes: &[u8]) -> usize {
    let is_part = |byte: u8| starts_name(byte) || byte.is_ascii_digit() || byte == b'.';
    bytes.iter().take_while(|&&byte| is_part(byte)).count()
}

/// Deeper expressions are not worked out.
const DEEPEST: u32 = 64;

/// What is left of an expression.
struct Terms<'s, 'k> {
    text: &'s str,
    known: &'k dyn Fn(&str) -> Option<i64>,
    depth: u32,
}

impl Terms<'_, '_> {
    fn sum(&mut self) -> Option<i64> {
        let mut value = self.product()?;
        while let Some(sign) = self.one_of(&['+', '-']) {
            let next = self.product()?;
            value = match sign {
                '+' => value.checked_add(next)?,
                _ => value.checked_sub(next)?,
            };
        }
        Some(value)
    }

    fn product(&mut self) -> Option<i64> {
        let mut value = self.factor()?;
        while let Some(sign) = self.one_of(&['*', '/', '%']) {
            let next = self.factor()?;
            value = match sign {
                '*' => value.checked_mul(next)?,
                '/' => value.checked_div(next)?,
                _ => value.checked_rem(next)?,
            };
        }
        Some(value)
    }

    fn factor(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        if self.one_of(&['-']).is_some() {
            return self.factor()?.checked_neg();
        }
        if self.one_of(&['(']).is_some() {
            let value = self.sum()?;
            return self.one_of(&[')']).map(|_| value);
        }
        let length = name_length(self.text.as_bytes());
        let (word, rest) = self.text.split_at(length);
        self.text = rest;
        if word.starts_with(|first: char| first.is_ascii_digit()) {
            return word.parse().ok();
        }
        let Some(index) = rest.strip_prefix('[').and_then(inside) else {
            return (self.known)(word);
        };
        self.text = &rest[index.len() + 2..];
        let index = value(index, self.known)?;
        (self.known)(&format!("{word}[{index}]"))
    }

    /// Takes one of some characters, if it comes next.
    fn one_of(&mut self, signs: &[char]) -> Option<char> {
        self.text = self.text.trim_start();
        let first = self.text.chars().next().filter(|c| signs.contains(c))?;
        self.text = &self.text[first.len_utf8()..];
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_with_their_indices() {
        let found = mentions("(((flag[(1-_pid)]==0)||(turn==len(q))) && printf('x y'))");
        let shown: Vec<(&str, Option<&str>)> =
            found.iter().map(|one| (one.name, one.index)).collect();
        let expected = [
            ("flag", Some("(1-_pid)")),
            ("_pid", None),
            ("turn", None),
            ("q", None),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn indices_are_worked_out_or_not() {
        let known = |name: &str| match name {
            "_pid" => Some(1),
            "a[2]" => Some(7),
            _ => None,
        };
        let table = [
            ("(1-_pid)", Some(0)),
            ("a[_pid+1]*2 - -3", Some(17)),
            ("7%4/0", None),
            ("b", None),
            ("(1", None),
            ("", None),
            ("9223372036854775807+1", None),
        ];
        for (text, expected) in table {
            assert_eq!(value(text, &known), expected, "{text}");
        }
        assert_eq!(value(&"(".repeat(100_000), &known), None);
    }

    #[test]
    fn an_assignment_has_a_target() {
        let named = |text| target(text).map(|found| (found.name, found.index));
        assert_eq!(named("turn = (1-_pid)"), Some(("turn", None)));
        assert_eq!(named("flag[_pid] = 1"), Some(("flag", Some("_pid"))));
        assert_eq!(named("((turn==1))"), None);
        assert_eq!(named("printf('x = 1')"), None);
    }
}
