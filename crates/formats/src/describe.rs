//! What an event did, in a few words, for drawings; and text as JSON writes it.

use std::fmt::Write as _;

use causet_trace::{EventId, StoredValue, Trace};

/// The label, then what the event received, wrote and sent; a bare step when it did nothing.
pub fn phrases(trace: &Trace, event: EventId) -> Vec<String> {
    let message = |&message| trace.message_name(message);
    let mut phrases: Vec<String> = trace.label(event).map(str::to_owned).into_iter().collect();
    phrases.extend(
        trace
            .receives(event)
            .iter()
            .map(|m| format!("recv {}", message(m))),
    );
    phrases.extend(state_phrases(trace, event));
    phrases.extend(
        trace
            .sends(event)
            .iter()
            .map(|m| format!("send {}", message(m))),
    );
    if phrases.is_empty() {
        phrases.push("step".to_owned());
    }
    phrases
}

/// The variables an event wrote and read.
fn state_phrases(trace: &Trace, event: EventId) -> Vec<String> {
    let written = trace.writes(event).map(|write| {
        let value = value_text(trace, write.value);
        format!("{} = {value}", trace.short_name(write.var))
    });
    let read = trace.reads(event).iter();
    let read = read.map(|&var| format!("read {}", trace.short_name(var)));
    written.chain(read).collect()
}

fn value_text(trace: &Trace, value: StoredValue) -> String {
    value.spelled(|text| trace.text(text).to_owned())
}

/// Text with some characters replaced, and every other control character by a blank.
pub fn replaced(text: &str, special: impl Fn(char) -> Option<&'static str>) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match special(c) {
            Some(instead) => out.push_str(instead),
            None if c.is_control() => out.push(' '),
            None => out.push(c),
        }
    }
    out
}

/// Text within the quotes of a label of Graphviz.
pub fn quotable(text: &str) -> String {
    replaced(text, |c| match c {
        '"' => Some("\\\""),
        '\\' => Some("\\\\"),
        '\n' => Some("\\n"),
        _ => None,
    })
}

/// Appends a string as JSON writes it, quotes included.
pub fn push_json(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
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
    out.push('"');
}

#[cfg(test)]
mod tests {
    #[test]
    fn labels_are_escaped() {
        assert_eq!(super::quotable("a\"b\\c\nd\te"), "a\\\"b\\\\c\\nd e");
    }
}
