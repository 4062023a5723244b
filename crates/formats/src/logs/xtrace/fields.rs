//! The fields of a report as they were written, and whether a document consists of traces with reports.

use std::borrow::Cow;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use super::super::entry::Name;
use super::super::json::{Key, is_number, next_integer, next_text};
use crate::native::Scan;

/// Whether a document is one of traces with reports.
pub(super) fn check(text: &str) -> Result<(), serde_json::Error> {
    let mut document = serde_json::Deserializer::from_str(text);
    Level::Traces.deserialize(&mut document)?;
    document.end()
}

/// The fields of a report: those that mean something by their names, and all others.
#[derive(PartialEq, Default, Debug)]
pub(super) struct Fields<'t> {
    /// The name of the first.
    pub(super) first_name: Option<Name<'t>>,
    /// What is known of each that means something; of one that occurs twice the first counts.
    known: [Option<Texts<'t>>; KNOWN.len()],
    /// The others as texts, without those that are none.
    pub(super) others: Vec<(Name<'t>, Name<'t>)>,
}

/// Fields that mean something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Known {
    XTrace,
    Edge,
    TaskId,
    EventId,
    ParentEventId,
    Host,
    ProcessId,
    ThreadId,
    Timestamp,
    Hrt,
    Label,
    Title,
    /// It is a variable as well.
    Agent,
    /// It says nothing of the event.
    Version,
}

const KNOWN: [(&str, Known); 14] = [
    ("X-Trace", Known::XTrace),
    ("Edge", Known::Edge),
    ("TaskID", Known::TaskId),
    ("EventID", Known::EventId),
    ("ParentEventID", Known::ParentEventId),
    ("Host", Known::Host),
    ("ProcessID", Known::ProcessId),
    ("ThreadID", Known::ThreadId),
    ("Timestamp", Known::Timestamp),
    ("HRT", Known::Hrt),
    ("Label", Known::Label),
    ("Title", Known::Title),
    ("Agent", Known::Agent),
    ("version", Known::Version),
];

impl<'t> Fields<'t> {
    /// Reads the fields of a report; there are none yet.
    pub(super) fn read(&mut self, report: &'t str) -> Result<(), serde_json::Error> {
        if self.scan(report).is_none() {
            *self = serde_json::from_str(report)?;
        }
        Ok(())
    }

    /// Reads the fields of a report whose values are texts, numbers, or lists of these, as they mostly are: these are
    /// found without the parser of all that JSON may be.
    fn scan(&mut self, report: &'t str) -> Option<()> {
        let mut scan = Scan::new(report);
        let mut object = scan.open_object("a report").ok()?;
        while let Some(name) = scan.next_key(&mut object).ok()? {
            let texts = scanned_texts(&mut scan)?;
            self.add(scan.text(name), texts);
        }
        scan.end().ok()
    }

    /// A field as a text; of a list its first.
    pub(super) fn text(&self, known: Known) -> Option<&Name<'t>> {
        self.known[known as usize].as_ref()?.first.as_ref()
    }

    /// Takes a field as a text; of a list its first.
    pub(super) fn take_text(&mut self, known: Known) -> Option<Name<'t>> {
        self.known[known as usize].take()?.first
    }

    /// Takes a field as a list of texts.
    pub(super) fn take_all(
        &mut self,
        known: Known,
    ) -> Option<impl Iterator<Item = Name<'t>> + use<'t>> {
        let Texts { first, others } = self.known[known as usize].take()?;
        Some(first.into_iter().chain(others))
    }

    fn add(&mut self, name: Name<'t>, texts: Texts<'t>) {
        if self.first_name.is_none() {
            self.first_name = Some(name.clone());
        }
        let known = KNOWN.iter().find(|(known, _)| *known == name);
        let known = known.map(|&(_, known)| known);
        if let (None | Some(Known::Agent), Some(text)) = (known, &texts.first) {
            self.others.push((name, text.clone()));
        }
        if let Some(known) = known {
            self.known[known as usize].get_or_insert(texts);
        }
    }
}

fn scanned_texts<'t>(scan: &mut Scan<'t>) -> Option<Texts<'t>> {
    if scan.next()? != b'[' {
        return scanned_text(scan).map(Texts::of);
    }
    let mut texts = Texts::default();
    let mut list = scan.open_list("texts").ok()?;
    while scan.next_item(&mut list).ok()? {
        let text = scanned_text(scan)?;
        match texts.first {
            None => texts.first = Some(text),
            Some(_) => texts.others.push(text),
        }
    }
    Some(texts)
}

fn scanned_text<'t>(scan: &mut Scan<'t>) -> Option<Name<'t>> {
    match scan.next()? {
        b'"' => next_text(scan),
        _ => Some(next_integer(scan)?.to_string().into()),
    }
}

/// A value as texts: one, or those of a list. Objects and nothing are none.
#[derive(PartialEq, Default, Debug)]
struct Texts<'t> {
    /// None too if the first of a list is none.
    first: Option<Name<'t>>,
    others: Vec<Name<'t>>,
}

impl<'t> Texts<'t> {
    fn of(text: impl Into<Name<'t>>) -> Self {
        Texts {
            first: Some(text.into()),
            others: Vec::new(),
        }
    }
}

/// What the reports of a trace are called.
pub(super) const REPORTS: &str = "reports";

/// Which part of a document comes next: `[{"reports":[...]}]`.
#[derive(Clone, Copy)]
enum Level {
    Traces,
    Trace,
    Reports,
}

impl<'de> DeserializeSeed<'de> for Level {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self {
            Level::Traces | Level::Reports => deserializer.deserialize_seq(self),
            Level::Trace => deserializer.deserialize_map(self),
        }
    }
}

impl<'de> Visitor<'de> for Level {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Traces | Level::Reports => "a sequence",
            Level::Trace => "an object with reports",
        })
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<(), S::Error> {
        match self {
            Level::Reports => while items.next_element::<Fields<'_>>()?.is_some() {},
            _ => while items.next_element_seed(Level::Trace)?.is_some() {},
        }
        Ok(())
    }

    fn visit_map<M: MapAccess<'de>>(self, mut members: M) -> Result<(), M::Error> {
        let mut has_reports = false;
        while let Some(Key(name)) = members.next_key()? {
            if name == REPORTS {
                has_reports = true;
                members.next_value_seed(Level::Reports)?;
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        match has_reports {
            true => Ok(()),
            false => Err(M::Error::missing_field(REPORTS)),
        }
    }
}

impl<'de: 't, 't> Deserialize<'de> for Fields<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut fields = Fields::default();
                while let Some((Key(name), texts)) = map.next_entry()? {
                    fields.add(name, texts);
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(Object)
    }
}

impl<'de: 't, 't> Deserialize<'de> for Texts<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Texts<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Texts<'de>, E> {
        Ok(Texts::default())
    }

    fn visit_bool<E>(self, value: bool) -> Result<Texts<'de>, E> {
        Ok(Texts::of(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Texts<'de>, E> {
        Ok(Texts::of(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Texts<'de>, E> {
        Ok(Texts::of(value.to_string()))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Texts<'de>, E> {
        Ok(Texts::of(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Texts<'de>, E> {
        Ok(Texts::of(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<Texts<'de>, S::Error> {
        let mut texts = Texts::default();
        if let Some(Texts { first, .. }) = items.next_element()? {
            texts.first = first;
        }
        while let Some(Texts { first, .. }) = items.next_element()? {
            texts.others.extend(first);
        }
        Ok(texts)
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Texts<'de>, M::Error> {
        while let Some(Key(name)) = map.next_key()? {
            if is_number(&name) {
                return map.next_value().map(|text: String| Texts::of(text));
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(Texts::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanned(report: &str) -> Option<Fields<'_>> {
        let mut fields = Fields::default();
        fields.scan(report).map(|()| fields)
    }

    #[test]
    fn fields_are_the_same_however_they_are_found() {
        for (place, (name, known)) in KNOWN.iter().enumerate() {
            assert_eq!(*known as usize, place, "{name}");
        }
        for (report, is_plain) in [
            (
                r#"{"a":["x","\u00e9"],"Edge":"y\n","c":[],"a":-7,"Edge":[12,"z"],"Host":[1,2]}"#,
                true,
            ),
            ("{ }", true),
            (r#"{ "a" : [ "x" , "y" ] }"#, true),
            (
                r#"{"a":1.50,"b":null,"c":{"d":[]},"e":[null,"x"],"f":true}"#,
                false,
            ),
            (r#"{"a":18446744073709551615}"#, false),
            (r#"{"a":-0}"#, false),
        ] {
            let slowly: Fields<'_> = serde_json::from_str(report).expect("it is a report");
            let quickly = scanned(report);
            assert_eq!(quickly.is_some(), is_plain, "{report}");
            if let Some(quickly) = quickly {
                assert_eq!(quickly, slowly, "{report}");
            }
        }
        for report in [
            "",
            "{",
            "[]",
            r#"{"a":["x"]"#,
            r#"{"a":"x"}}"#,
            r#"{"a":["x",]}"#,
        ] {
            assert!(scanned(report).is_none(), "{report}");
        }
    }
}
