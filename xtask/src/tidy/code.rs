//! Rust source without its comments and literals, so that checks can look for words without parsing.
//!
//! A parser would do as well, as it does for the public API; every check here asks only where a few
//! tokens and brackets stand, also in a file that does not parse. Blanked characters become spaces and line ends stay, hence positions in
//! the blanked text are lines in the file.

/// The source with every comment, string and character literal replaced by spaces.
pub(super) fn blank(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    while at < chars.len() {
        let end = at + opaque_length(&chars, at);
        if end == at {
            out.push(chars[at]);
            at += 1;
        } else {
            out.extend(
                chars[at..end]
                    .iter()
                    .map(|&c| if c == '\n' { c } else { ' ' }),
            );
            at = end;
        }
    }
    out
}

/// The number, from 1, of the line on which the byte at `at` stands.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

/// Where `word` stands in the blanked text as a word of its own.
pub(super) fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |&at| {
            !code[..at].ends_with(is_word) && !code[at + word.len()..].starts_with(is_word)
        })
}

/// The part of the blanked text from `at` up to the bracket that closes the first `open` in it.
pub(super) fn bracketed(code: &str, at: usize, open: char, close: char) -> Option<&str> {
    let mut depth = 0_usize;
    for (offset, c) in code[at..].char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(&code[at..=at + offset]);
            }
        }
    }
    None
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of the comment or literal that starts here; 0 if none does.
fn opaque_length(chars: &[char], at: usize) -> usize {
    let rest = &chars[at..];
    match rest {
        ['/', '/', ..] => rest.iter().position(|&c| c == '\n').unwrap_or(rest.len()),
        ['/', '*', ..] => block_comment(rest),
        ['"', ..] => quoted(rest, '"'),
        ['\'', '\\', ..] => quoted(rest, '\''),
        ['\'', _, '\'', ..] => 3,
        ['r', ..] if !glued_raw(&chars[..at]) => raw_string(rest),
        _ => 0,
    }
}

/// Whether an `r` after these characters belongs to a longer word; `b` and `c` may precede it.
fn glued_raw(before: &[char]) -> bool {
    match before {
        [.., earlier, 'b' | 'c'] => is_word(*earlier),
        ['b' | 'c'] => false,
        [.., last] => is_word(*last),
        [] => false,
    }
}

fn block_comment(rest: &[char]) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while at < rest.len() {
        match rest[at..] {
            ['/', '*', ..] => {
                depth += 1;
                at += 2;
            }
            ['*', '/', ..] => {
                depth -= 1;
                at += 2;
            }
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn quoted(rest: &[char], quote: char) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

/// `r"..."` or `r##"..."##`; a raw identifier such as `r#fn` has no quote and is left alone.
fn raw_string(rest: &[char]) -> usize {
    let hashes = rest[1..].iter().take_while(|&&c| c == '#').count();
    if rest.get(1 + hashes) != Some(&'"') {
        return 0;
    }
    let body = 2 + hashes;
    let closes = |at: &usize| {
        rest[*at] == '"' && rest[at + 1..].iter().take_while(|&&c| c == '#').count() >= hashes
    };
    (body..rest.len())
        .find(closes)
        .map_or(rest.len(), |quote| quote + 1 + hashes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &str) {
        let blanked = blank(source);
        assert_eq!(blanked.chars().count(), source.chars().count());
        let squeezed: Vec<&str> = blanked.split_whitespace().collect();
        assert_eq!(squeezed.join(" "), expected);
    }

    #[test]
    fn comments_are_blanked() {
        check("a // { b\nc", "a c");
        check("a /* { /* } */ ' */ b", "a b");
        check("//! one\n/// two", "");
    }

    #[test]
    fn literals_are_blanked_and_lifetimes_kept() {
        check(r#"a("{\"{", b"}")"#, "a( , b )");
        check("r\"{\\\" + br##\"{\"#\"## + x", "+ b + x");
        check("f('{', '\\'', 'x', &'a b)", "f( , , , &'a b)");
        check("for r in r#fn", "for r in r#fn");
        check("let car = \"unclosed {", "let car =");
    }

    #[test]
    fn words_stand_alone() {
        let found: Vec<usize> = words("fn fnord refn fn_x fn", "fn").collect();
        assert_eq!(found, [0, 19]);
    }

    #[test]
    fn brackets_are_matched() {
        assert_eq!(bracketed("x {a {b} c} d", 0, '{', '}'), Some("x {a {b} c}"));
        assert_eq!(bracketed("{", 0, '{', '}'), None);
        assert_eq!(bracketed("}", 0, '{', '}'), None);
    }

    #[test]
    fn lines_count_from_one() {
        assert_eq!(line_of("a\nb", 0), 1);
        assert_eq!(line_of("a\nb", 2), 2);
    }
}
