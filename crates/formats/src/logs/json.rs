//! What logs in JSON have in common: faults at their column, and values as variables.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use causet_base::Code;
use causet_trace::StoredValue as Plain;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::document::Document;
use super::entry::{Datum, Flat, Member, Name};
use super::truncation::HELP_FOR_DOCUMENT;
use crate::error::ReadError;
use crate::native::Scan;

/// A line that is no JSON, or not the JSON that was expected.
pub(crate) fn fault(line: u32, text: &str, error: &serde_json::Error, expected: &str) -> ReadError {
    let at = match error.line() {
        0 => 0,
        row => {
            let before = text.split_inclusive('\n').take(row - 1).map(str::len);
            before.sum::<usize>() + error.column().saturating_sub(1)
        }
    };
    let message = message_of(error, "this line ends in the middle of a JSON value");
    let trouble = ReadError::at(
        Code::MalformedLine,
        line,
        text,
        at..at + 1,
        message,
        expected,
    );
    match error.is_eof() {
        true => trouble.with_help("if the file is cut off here, remove this line"),
        false => trouble,
    }
}

/// A document that is no JSON, or not the JSON that was expected: the line at fault is shown alone.
pub(crate) fn fault_in_document(
    document: &Document<'_>,
    error: &serde_json::Error,
    expected: &str,
) -> ReadError {
    let row = u32::try_from(error.line().max(1) - 1).unwrap_or(u32::MAX);
    let number = document.first_line().saturating_add(row);
    let line = document.text_of(number);
    let at = error.column().saturating_sub(1).min(line.len());
    let message = message_of(error, "the file ends in the middle of this document");
    let trouble = ReadError::at(
        Code::MalformedDocument,
        number,
        line,
        at..at + 1,
        message,
        expected,
    );
    match error.is_eof() {
        true => trouble.with_help(HELP_FOR_DOCUMENT),
        false => trouble,
    }
}

/// What is wrong, without its place.
fn message_of(error: &serde_json::Error, early_end: &str) -> String {
    let message = error.to_string();
    match error.is_eof() {
        true => early_end.to_owned(),
        false => message
            .split(" at line ")
            .next()
            .unwrap_or_default()
            .to_owned(),
    }
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

/// `name.member`, or the one of the two that is not empty.
pub(crate) fn joined<'a>(name: Name<'a>, member: Name<'a>) -> Name<'a> {
    match (name.is_empty(), member.is_empty()) {
        (true, _) => member,
        (false, true) => name,
        (false, false) => Cow::Owned([&*name, &*member].join(".")),
    }
}

/// What a JSON value says as variables, as [`flatten`] has it, read without making a value of it. Names are those within
/// the value: that of a number alone is empty.
impl<'de: 'a, 'a> serde::Deserialize<'de> for Flat<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut flat = Flat::default();
        let name = Cow::Borrowed("");
        Flatten::new(name, &mut flat.0).deserialize(deserializer)?;
        Ok(flat)
    }
}

/// The members of an object, with all that is in them: each under its own name, as [`flatten`] has it.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Members<'a>(pub(crate) Vec<Member<'a>>);

impl<'a> Members<'a> {
    /// All that is in the member with a name.
    pub(crate) fn of(&self, name: &str) -> &[Member<'a>] {
        let is_meant = |member: &Member<'_>| member.of == name;
        let start = self.0.iter().position(is_meant).unwrap_or(self.0.len());
        let rest = &self.0[start..];
        let end = rest.iter().position(|member| !is_meant(member));
        &rest[..end.unwrap_or(rest.len())]
    }

    /// The text with a name in the member with a name; an empty name if the member is a text itself.
    pub(crate) fn text(&self, of: &str, name: &str) -> Option<&Name<'a>> {
        let found = self.of(of).iter().find(|member| member.name == name)?;
        match &found.datum {
            Datum::Text(text) => Some(text),
            Datum::Plain(_) => None,
        }
    }

    /// The members of the object that comes next in a line, if it is one of usual values.
    pub(crate) fn scan(scan: &mut Scan<'a>) -> Option<Self> {
        let mut members = Vec::with_capacity(USUAL);
        let mut object = scan.open_object("an object").ok()?;
        while let Some(name) = scan.next_key(&mut object).ok()? {
            let of = scan.text(name);
            scan_member(scan, &of, Cow::Borrowed(""), 0, &mut members)?;
        }
        Some(Members(members))
    }
}

/// How many variables an event has, mostly.
const USUAL: usize = 12;

/// Deeper objects are left to the parser that knows how deep is too deep.
const DEEPEST: u32 = 16;

/// Appends what the next value says, under a name within a member: the usual values are found without the parser of all
/// that JSON may be.
fn scan_member<'a>(
    scan: &mut Scan<'a>,
    of: &Name<'a>,
    name: Name<'a>,
    depth: u32,
    members: &mut Vec<Member<'a>>,
) -> Option<()> {
    let mut say = |name: Name<'a>, datum: Datum<'a>| {
        let of = of.clone();
        members.push(Member { of, name, datum });
    };
    match scan.next()? {
        b'"' => say(name, Datum::Text(next_text(scan)?)),
        b'0'..=b'9' | b'-' => say(name, Datum::int(next_integer(scan)?)),
        b't' if scan.word("true") => say(name, Datum::bool(true)),
        b'f' if scan.word("false") => say(name, Datum::bool(false)),
        b'n' if scan.word("null") => {}
        b'[' => {
            let start = scan.at();
            scan.skip_value().ok()?;
            let list: Vec<Value> = serde_json::from_str(scan.since(start)).ok()?;
            for (name, datum) in of_list(name, list) {
                say(name, datum);
            }
        }
        b'{' if depth < DEEPEST => {
            let mut object = scan.open_object("an object").ok()?;
            while let Some(member) = scan.next_key(&mut object).ok()? {
                let name = joined(name.clone(), scan.text(member));
                scan_member(scan, of, name, depth + 1, members)?;
            }
        }
        _ => return None,
    }
    Some(())
}

/// A list as its text and its length.
fn of_list<'a>(name: Name<'a>, list: Vec<Value>) -> [(Name<'a>, Datum<'a>); 2] {
    let length = Datum::int(list.len() as i64);
    let text = Datum::Text(Cow::Owned(Value::Array(list).to_string()));
    let name_of_length = joined(name.clone(), Cow::Borrowed("len"));
    [(name, text), (name_of_length, length)]
}

impl<'de: 'a, 'a> serde::Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut members = Vec::new();
                while let Some((Key(name), value)) = map.next_entry()? {
                    members.extend(Member::all(name, value));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// Appends what the next value says, under a name.
pub(crate) struct Flatten<'s, 'a> {
    name: Name<'a>,
    sets: &'s mut Vec<(Name<'a>, Datum<'a>)>,
}

impl<'s, 'a> Flatten<'s, 'a> {
    pub(crate) fn new(name: Name<'a>, sets: &'s mut Vec<(Name<'a>, Datum<'a>)>) -> Self {
        Flatten { name, sets }
    }

    fn say<E>(self, datum: Datum<'a>) -> Result<(), E> {
        self.sets.push((self.name, datum));
        Ok(())
    }
}

impl<'de: 'a, 'a> DeserializeSeed<'de> for Flatten<'_, 'a> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de: 'a, 'a> Visitor<'de> for Flatten<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.say(Datum::bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.say(Datum::int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.say(match i64::try_from(value) {
            Ok(value) => Datum::int(value),
            Err(_) => datum(&value.to_string()),
        })
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<(), E> {
        self.say(Datum::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.say(Datum::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<(), S::Error> {
        let mut list: Vec<Value> = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        self.sets.extend(of_list(self.name, list));
        Ok(())
    }

    fn visit_map<M: MapAccess<'de>>(self, mut members: M) -> Result<(), M::Error> {
        while let Some(Key(member)) = members.next_key()? {
            if is_number(&member) {
                let text: String = members.next_value()?;
                return self.say(datum(&text));
            }
            let name = joined(self.name.clone(), member);
            members.next_value_seed(Flatten::new(name, self.sets))?;
        }
        Ok(())
    }
}

/// The text that comes next in a line, if one does.
pub(crate) fn next_text<'l>(scan: &mut Scan<'l>) -> Option<Name<'l>> {
    let is_text = scan.next()? == b'"';
    let text = is_text.then(|| scan.string())?.ok()?;
    Some(scan.text(text))
}

/// The whole number that comes next in a line, if one does and it is not long. What is written as -0 is no whole number.
pub(crate) fn next_integer(scan: &mut Scan<'_>) -> Option<i64> {
    let is_negative = scan.next()? == b'-';
    let number = scan.small_integer()?;
    (number != 0 || !is_negative).then_some(number)
}

/// Whether a key is the one under which `serde_json` hands out the text of a number that is no 64-bit integer: a visitor
/// sees an object with this member alone.
pub(crate) fn is_number(key: &str) -> bool {
    key == "$serde_json::private::Number"
}

/// A key, borrowed unless it has escapes.
#[derive(serde::Deserialize)]
#[serde(transparent)]
pub(crate) struct Key<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);
