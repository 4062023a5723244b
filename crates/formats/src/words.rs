//! Words from a log made safe to print and fit for a column.
//!
//! A log may hold anything: escape sequences that recolour or overwrite the terminal, characters that reverse the
//! direction of writing, line breaks, names of a thousand letters. Nothing of that kind leaves this module.

use causet_trace::{EventId, ProcessId, StoredValue, Trace};
use unicode_width::UnicodeWidthStr;

/// The text with every character that acts instead of being seen written as an escape.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if acts(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// Whether a character does something to a terminal or to the text around it.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        // No characters at all, and XML has no way to write them.
        || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// How many columns of a terminal a clean text takes.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// The clean text, cut with an ellipsis when it is wider than `most` columns.
pub fn short(text: &str, most: usize) -> String {
    let text = clean(text);
    if width(&text) <= most {
        return text;
    }
    let mut out = String::new();
    for c in text.chars() {
        out.push(c);
        if width(&out) >= most {
            out.pop();
            break;
        }
    }
    out.push('…');
    out
}

/// Labels longer than this many columns are cut even in sentences, which name an event by its label.
const LONGEST_LABEL: usize = 1000;

/// The clean label of an event as sentences name it: whole, however long a log line it is.
pub fn label(text: &str) -> String {
    short(text, LONGEST_LABEL)
}

/// The clean text, cut in its middle: names often differ at their ends.
pub fn short_middle(text: &str, most: usize) -> String {
    let text = clean(text);
    if width(&text) <= most {
        return text;
    }
    let room = most.saturating_sub(1);
    let within = |letters: &mut dyn Iterator<Item = char>, room: usize| {
        let mut taken = String::new();
        for letter in letters {
            taken.push(letter);
            if width(&taken) > room {
                taken.pop();
                break;
            }
        }
        taken
    };
    let start = within(&mut text.chars(), room.div_ceil(2));
    let end = within(&mut text.chars().rev(), room - width(&start));
    let end: String = end.chars().rev().collect();
    format!("{start}…{end}")
}

/// The text with white space squeezed: a formula of several lines in one.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text with a capital at its beginning.
pub fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// The text filled up with blanks on the right.
pub fn padded(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(width(text));
    format!("{text}{}", " ".repeat(missing))
}

/// `1 event`, `2 events`, `1 process`, `2 processes`, `1 property`, `2 properties`.
pub fn count(number: usize, noun: &str) -> String {
    let plural = match (number, noun.strip_suffix('y')) {
        (1, _) => noun.to_owned(),
        (_, Some(stem)) => format!("{stem}ies"),
        (_, None) if noun.ends_with('s') => format!("{noun}es"),
        (_, None) => format!("{noun}s"),
    };
    format!("{number} {plural}")
}

/// A value as a formula would write it; a long text is shortened.
pub fn value(trace: &Trace, value: StoredValue) -> String {
    value_with(trace, value, |text| short(text, 24))
}

/// A value as a formula would write it, its text as it is to be shown.
pub fn value_with(trace: &Trace, value: StoredValue, show: impl Fn(&str) -> String) -> String {
    value.spelled(|text| format!("\"{}\"", show(trace.text(text))))
}

/// An event as process and number: `p1#3`.
pub fn event(trace: &Trace, event: EventId) -> String {
    let order = trace.order();
    let process = distinct(trace, order.process_of(event));
    format!("{process}#{}", order.position_of(event))
}

/// The same within a sentence.
pub fn event_in_text(trace: &Trace, event: EventId) -> String {
    let order = trace.order();
    let process = process(trace, order.process_of(event));
    format!("{process}#{}", order.position_of(event))
}

/// The name of a process as sentences say it: in quotes where it would run into the words around it.
pub fn process(trace: &Trace, process: ProcessId) -> String {
    let name = distinct(trace, process);
    match name.contains([' ', ',', ';', ':', '(', ')', '"', '`']) {
        true => format!("`{name}`"),
        false => name,
    }
}

/// The name of a process, unlike that of any other: cut in its middle where it is long.
fn distinct(trace: &Trace, process: ProcessId) -> String {
    let name = trace.process_name(process);
    let cut = [20, 40, 80].map(|most| (most, short_middle(name, most)));
    let is_unlike = |(most, cut): &&(usize, String)| {
        let others = trace.order().processes().filter(|&other| other != process);
        // A name that is not cut is its own.
        let mut long = others.map(|other| trace.process_name(other));
        width(name) <= *most
            || !long.any(|other| alike(name, other) && short_middle(other, *most) == *cut)
    };
    match cut.iter().find(is_unlike) {
        Some((_, cut)) => cut.clone(),
        // They differ where nobody would look: its number among the processes tells it apart.
        None => format!("{}~{}", short_middle(name, 20), process.index() + 1),
    }
}

/// Whether two names begin and end with the same letter: a cheap look before they are cut.
fn alike(one: &str, other: &str) -> bool {
    let ends = |name: &str| (name.chars().next(), name.chars().next_back());
    ends(one) == ends(other)
}

/// A duration in the unit that fits it.
pub fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.0} µs", s * 1e6),
        s if s < 1.0 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

/// At most `most` of the items, and how many more there are.
pub fn list(items: &[String], most: usize) -> String {
    match items.len().checked_sub(most) {
        None | Some(0) => items.join(", "),
        Some(more) => format!("{} and {more} more", items[..most].join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acts_on_the_terminal() {
        assert_eq!(clean("a\u{1b}[31mb\u{7}"), "a\\u{1b}[31mb\\u{7}");
        assert_eq!(clean("x\ny\u{202e}z\u{9b}"), "x\\ny\\u{202e}z\\u{9b}");
        assert_eq!(clean("naïve 日本 ●"), "naïve 日本 ●");
    }

    #[test]
    fn texts_are_cut_by_columns_not_letters() {
        assert_eq!(short("abcdef", 6), "abcdef");
        assert_eq!(short("abcdefg", 6), "abcde…");
        assert_eq!(short("日本語日本語", 6), "日本…");
        assert_eq!(label(&"x".repeat(300)), "x".repeat(300));
        assert_eq!(width(&label(&"x".repeat(100_000))), LONGEST_LABEL);
        assert_eq!(padded("日本", 6), "日本  ");
    }

    #[test]
    fn names_are_cut_in_the_middle() {
        assert_eq!(short_middle("abcdef", 6), "abcdef");
        assert_eq!(short_middle("payment-service-7f9c", 11), "payme…-7f9c");
        assert_eq!(short_middle("日本語日本語", 7), "日…本語");
        assert_eq!(short_middle("abcdef", 1), "…");
    }

    #[test]
    fn numbers_and_nouns_agree() {
        assert_eq!(count(1, "process"), "1 process");
        assert_eq!(count(2, "process"), "2 processes");
        assert_eq!(count(0, "property"), "0 properties");
    }

    #[test]
    fn times_have_a_fitting_unit() {
        let times = [0.00004, 0.0123, 2.5].map(time);
        assert_eq!(times, ["40 µs", "12.3 ms", "2.50 s"]);
    }

    #[test]
    fn lists_end_somewhere() {
        let items = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(list(&items, 3), "a, b, c");
        assert_eq!(list(&items, 2), "a, b and 1 more");
    }
}
