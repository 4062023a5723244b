//! What logs in JSON have in common: faults at their column, and values as variables.

use std::borrow::Cow;
use std::ops::Range;

use causet_trace::Value as Plain;
use serde_json::Value;

use super::entry::{Datum, Name};
use super::trouble::Trouble;

/// A line that is no JSON, or not the JSON that was expected.
pub(crate) fn fault(line: u32, text: &str, error: &serde_json::Error, expected: &str) -> Trouble {
    let at = match error.line() {
        0 => 0,
        row => {
            let before = text.split_inclusive('\n').take(row - 1).map(str::len);
            before.sum::<usize>() + error.column().saturating_sub(1)
        }
    };
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    Trouble::at(line, text, at..at + 1, message, expected)
}

/// A document that is no JSON, or not the JSON that was expected: the line at fault is shown alone.
pub(crate) fn fault_in_document(text: &str, error: &serde_json::Error, expected: &str) -> Trouble {
    let row = error.line().max(1);
    let line = text.lines().nth(row - 1).unwrap_or_default();
    let at = error.column().saturating_sub(1).min(line.len());
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    let number = u32::try_from(row).unwrap_or(u32::MAX);
    Trouble::at(number, line, at..at + 1, message, expected)
}

/// Where a member is named in a line, for faults that are found after parsing; the whole line if it is not.
pub(crate) fn place(text: &str, member: &str) -> Range<usize> {
    let quoted = format!("\"{member}\"");
    match text.find(&quoted) {
        Some(start) => start..start + quoted.len(),
        None => 0..text.len(),
    }
}

/// Appends what a JSON value says as variables: members of objects as `name.member`, numbers, texts and truth values as
/// they are, `null` not at all, and lists as their text and their length `name.len`.
pub(crate) fn flatten<'a>(name: &str, value: &'a Value, sets: &mut Vec<(Name<'a>, Datum<'a>)>) {
    let own = || Cow::Owned(name.to_owned());
    match value {
        Value::Null => {}
        Value::Bool(value) => sets.push((own(), Datum::bool(*value))),
        Value::String(text) => sets.push((own(), Datum::Text(Cow::Borrowed(text)))),
        Value::Number(number) => sets.push((own(), datum(&number.to_string()))),
        Value::Array(items) => {
            sets.push((own(), Datum::Text(Cow::Owned(value.to_string()))));
            sets.push((
                Cow::Owned(format!("{name}.len")),
                Datum::int(items.len() as i64),
            ));
        }
        Value::Object(members) => {
            for (member, value) in members {
                match name.is_empty() {
                    true => flatten(member, value, sets),
                    false => flatten(&format!("{name}.{member}"), value, sets),
                }
            }
        }
    }
}

/// A number if it is one that a variable can hold, and a text otherwise.
pub(crate) fn datum(text: &str) -> Datum<'static> {
    match Plain::parse_number(text) {
        Ok(value) => Datum::Plain(value),
        Err(_) => Datum::Text(Cow::Owned(text.to_owned())),
    }
}
