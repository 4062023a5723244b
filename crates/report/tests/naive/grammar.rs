//! Slips in sentences: punctuation twice, blanks twice, a missing end, quotes and brackets without their other half.

/// What is wrong with a sentence that has no full stop yet.
pub(crate) fn slip(sentence: &str) -> Option<String> {
    let bare = without_quotes(sentence);
    let wrong = |what: &str| Some(format!("{what}: {sentence}"));
    let marks: Vec<char> = bare.chars().collect();
    let is_mark = |letter: char| matches!(letter, ',' | ';' | ':' | '.');
    for pair in marks.windows(2) {
        match (pair[0], pair[1]) {
            (' ', ' ') => return wrong("two blanks"),
            (one, other) if is_mark(one) && is_mark(other) => return wrong("two marks"),
            (' ', other) if is_mark(other) || other == ')' => {
                return wrong("a blank before a mark");
            }
            ('(', ' ' | ')') => return wrong("an empty bracket"),
            (',' | ';', other) if other != ' ' => return wrong("no blank after a mark"),
            _ => {}
        }
    }
    match (marks.first(), marks.last()) {
        (None, _) | (_, None) => return wrong("no sentence"),
        (Some(first), _) if first.is_whitespace() || is_mark(*first) => {
            return wrong("no beginning");
        }
        (_, Some(last)) if last.is_whitespace() || is_mark(*last) => return wrong("no end"),
        _ => {}
    }
    let count = |wanted: char| marks.iter().filter(|&&letter| letter == wanted).count();
    if count('(') != count(')') {
        return wrong("half a bracket");
    }
    if sentence.matches('`').count() % 2 == 1 {
        return wrong("half a backquote");
    }
    None
}

/// The sentence with a word for each quoted text, and with something wrong for half a quote.
fn without_quotes(sentence: &str) -> String {
    let mut bare = String::new();
    let mut letters = sentence.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '`' | '"' => {
                // A quote that does not end is told by its mark.
                match letters.by_ref().any(|other| other == letter) {
                    true => bare.push('Q'),
                    false => bare.push_str("( ,"),
                }
            }
            other => bare.push(other),
        }
    }
    bare
}

#[test]
fn slips_are_found() {
    for right in [
        "a.up was still 1 when b.up became 1 with b#1 (elected); nothing orders a#2 before b#1",
        "`sum(a.x,  b.x) <= 3` became false (the sum was 4) with a#2",
        "a#1 came after \"x, ; y\" of b",
    ] {
        assert_eq!(slip(right), None);
    }
    for wrong in [
        "a#1 came,",
        "a#1 came,; nothing",
        "a#1  came",
        "a#1 came ; b",
        "a#1 (x came",
        "`a.x came",
        "a.x was \"b",
        "",
    ] {
        assert!(slip(wrong).is_some(), "{wrong}");
    }
}
