//! The fields of a report as they were written, and whether a document consists of traces with reports.

use std::borrow::Cow;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use super::super::entry::Name;
use super::super::json::{Key, next_integer, next_text};
use crate::native::Scan;

/// Whether a document is one of traces with reports.
pub(super) fn check(text: &str) -> Result<(), serde_json::Error> {
    let mut document = serde_json::Deserializer::from_str(text);
    Level::Traces.deserialize(&mut document)?;
    document.end()
}

/// The fields of a report, in the order in which they were written.
pub(super) struct Fields<'t>(Vec<(Name<'t>, Texts<'t>)>);

impl<'t> Fields<'t> {
    /// The fields of a report.
    pub(super) fn of(report: &'t str) -> Result<Self, serde_json::Error> {
        scanned(report).map_or_else(|| serde_json::from_str(report), Ok)
    }

    /// The name of the first.
    pub(super) fn first_name(&self) -> Option<&str> {
        self.0.first().map(|(name, _)| &**name)
    }

    /// A field as a text; of a list its first.
    pub(super) fn text(&self, name: &str) -> Option<&Name<'t>> {
        self.get(name)?.first.as_ref()
    }

    /// A field as a list of texts.
    pub(super) fn all(&self, name: &str) -> Option<impl Iterator<Item = &Name<'t>> + use<'_, 't>> {
        let Texts { first, others } = self.get(name)?;
        Some(first.iter().chain(others))
    }

    /// All fields as texts, without those that are none.
    pub(super) fn into_texts(self) -> impl Iterator<Item = (Name<'t>, Name<'t>)> {
        let fields = self.0.into_iter();
        fields.filter_map(|(name, texts)| Some((name, texts.first?)))
    }

    fn get(&self, name: &str) -> Option<&Texts<'t>> {
        let found = self.0.iter().find(|(field, _)| field == name);
        found.map(|(_, texts)| texts)
    }
}

/// The fields of a report whose values are texts, numbers, or lists of these, as they mostly are: these are found without
/// the parser of all that JSON may be.
fn scanned(report: &str) -> Option<Fields<'_>> {
    let mut scan = Scan::new(report);
    let mut fields = Vec::with_capacity(8);
    let mut object = scan.open_object("a report").ok()?;
    while let Some(name) = scan.next_key(&mut object).ok()? {
        let texts = scanned_texts(&mut scan)?;
        fields.push((scan.text(name), texts));
    }
    scan.end().ok()?;
    Some(Fields(fields))
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
#[derive(Default)]
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
                let mut fields = Vec::with_capacity(8);
                while let Some((Key(name), texts)) = map.next_entry()? {
                    fields.push((name, texts));
                }
                Ok(Fields(fields))
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

    fn visit_f64<E>(self, value: f64) -> Result<Texts<'de>, E> {
        Ok(Texts::of(serde_json::Value::from(value).to_string()))
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
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Texts::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_the_same_however_they_are_found() {
        let written = |fields: &Fields<'_>| -> Vec<String> {
            let fields = fields.0.iter();
            fields
                .map(|(name, texts)| format!("{name}: {:?} {:?}", texts.first, texts.others))
                .collect()
        };
        for (report, is_plain) in [
            (
                r#"{"a":["x","\u00e9"],"b":"y\n","c":[],"a":-7,"d":[12,"z"]}"#,
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
                assert_eq!(written(&quickly), written(&slowly), "{report}");
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
