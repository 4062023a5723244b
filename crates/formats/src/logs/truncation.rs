//! Logs that end too early, as a program leaves them that was killed while it wrote, or a copy that was broken off.
//!
//! ```text
//! {"data":[{"spans":[{...},{...},{"na        as it was found
//! {"data":[{"spans":[{...},{...}]}]}         as --lenient reads it
//! ```
//!
//! A document is cut behind the last whole record, because half a record would be another one. What stands around the
//! records is cut behind the last whole value, or behind the last whole object if the next has none but plain values yet. A last line is left out as a whole.

use crate::native::ends_early;

/// What to do about a last line that is cut off.
pub(crate) const HELP_FOR_LINE: &str =
    "the last line is cut off: --lenient reads the run without it";

/// What to do about a document that is cut off.
pub(crate) const HELP_FOR_DOCUMENT: &str =
    "the document is cut off: --lenient reads the records that stand before";

/// Whether a line at fault that has no line end may be the beginning of a line that is well-formed.
pub(crate) fn may_go_on(line: &str) -> bool {
    !line.trim_start().starts_with('{') || ends_early(line)
}

/// A document without what the end of the file has cut off; nothing if it is whole.
///
/// The records are the elements of the first list with a name, or, without a name, of the lists that are the document, or
/// else the documents that follow each other.
pub(crate) fn mended(text: &str, records: Option<&str>) -> Option<String> {
    let (open, behind_last) = open_brackets(text);
    let innermost = open.len().checked_sub(1)?;
    let place = match records {
        Some(name) => {
            let mut lists = open.iter();
            let list = lists.position(|list| list.close == ']' && list.name == Some(name));
            list.unwrap_or_else(|| around(&open, innermost))
        }
        None => match open.iter().take_while(|list| list.close == ']').count() {
            0 => return Some(text[..behind_last].to_owned()),
            lists => lists - 1,
        },
    };
    let closing = open[..=place].iter().rev().map(|bracket| bracket.close);
    Some(text[..open[place].whole].chars().chain(closing).collect())
}

/// Where to cut around the records: an element of a list that has only plain values so far may lack what it needs.
fn around(open: &[Bracket<'_>], innermost: usize) -> usize {
    match innermost.checked_sub(1) {
        Some(outer) if open[outer].close == ']' && !open[innermost].has_brackets => outer,
        _ => innermost,
    }
}

/// A bracket that is still open at the end.
struct Bracket<'t> {
    close: char,
    /// The member of an object that it is the value of.
    name: Option<&'t str>,
    /// Where its last whole value ends.
    whole: usize,
    /// Whether a whole list or object stands in it.
    has_brackets: bool,
}

/// The brackets that are open at the end of a text of JSON, outermost first, and where its last whole document ends.
fn open_brackets(text: &str) -> (Vec<Bracket<'_>>, usize) {
    let bytes = text.as_bytes();
    let (mut open, mut behind_last): (Vec<Bracket<'_>>, usize) = (Vec::new(), 0);
    let (mut at, mut quoted, mut name) = (0, None, None);
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => {
                let Some(length) = quoted_length(&bytes[at..]) else {
                    break;
                };
                quoted = text.get(at..at + length - 1);
                at += length;
            }
            b':' => name = quoted.take(),
            b'{' | b'[' => open.push(Bracket {
                close: if byte == b'{' { '}' } else { ']' },
                name: name.take(),
                whole: at,
                has_brackets: false,
            }),
            b'}' | b']' => {
                open.pop();
                match open.last_mut() {
                    Some(outer) => {
                        outer.whole = at;
                        outer.has_brackets = true;
                    }
                    None => behind_last = at,
                }
            }
            b',' => {
                if let Some(bracket) = open.last_mut() {
                    bracket.whole = at - 1;
                }
            }
            _ => {}
        }
    }
    (open, behind_last)
}

/// The length of a text behind its opening quote, with the closing one.
fn quoted_length(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'"', b'\\', &bytes[at..])?;
        match bytes[at] {
            b'"' => return Some(at + 1),
            _ => at = (at + 2).min(bytes.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_ends_behind_its_last_whole_record() {
        let cases = [
            (
                Some("s"),
                r#"{"d":[{"s":[{"a":1},{"b":"]}"},{"c":[2,3"#,
                r#"{"d":[{"s":[{"a":1},{"b":"]}"}]}]}"#,
            ),
            (
                Some("s"),
                r#"{"d":[{"s":[{"a":1}],"p":{"x":[1,2"#,
                r#"{"d":[{"s":[{"a":1}],"p":{"x":[1]}}]}"#,
            ),
            (Some("s"), r#"{"d":[{"s":[{"#, r#"{"d":[{"s":[]}]}"#),
            (Some("s"), r#"{"d"#, "{}"),
            (
                Some("s"),
                r#"{"d":[{"s":[{"a":1}],"p":[{"k":1},{"k":2,"v"#,
                r#"{"d":[{"s":[{"a":1}],"p":[{"k":1}]}]}"#,
            ),
            (None, r#"[{"a":1},{"b":[1]"#, r#"[{"a":1}]"#),
            (
                None,
                r#"[[{"a":1}],[{"b":1},{"c\"#,
                r#"[[{"a":1}],[{"b":1}]]"#,
            ),
            (None, "{\"a\":1}\n{\"b\":1", "{\"a\":1}"),
        ];
        for (records, text, expected) in cases {
            let mended = mended(text, records);
            assert_eq!(mended.as_deref(), Some(expected), "{text}");
        }
        assert_eq!(mended("[{\"a\":1}]\n", None), None);
        assert_eq!(mended("", None), None);
    }

    #[test]
    fn only_an_unfinished_line_may_go_on() {
        assert!(may_go_on("{\"a\":") && may_go_on("T0|r(V1"));
        assert!(!may_go_on("{\"a\":1}") && !may_go_on("{a"));
    }
}
