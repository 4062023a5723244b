//! The fields of reports, taken one report after the other while the document is parsed.

use std::borrow::Cow;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use super::super::entry::Name;
use super::super::json::Key;

/// Takes the reports of all traces in a document.
pub(super) fn each<'t>(
    text: &'t str,
    mut take: impl FnMut(Fields<'t>),
) -> Result<(), serde_json::Error> {
    let mut document = serde_json::Deserializer::from_str(text);
    let level = Level::Traces;
    let take = &mut take;
    Taking { level, take }.deserialize(&mut document)?;
    document.end()
}

/// The fields of a report, in the order in which they were written.
pub(super) struct Fields<'t>(Vec<(Name<'t>, Texts<'t>)>);

impl<'t> Fields<'t> {
    /// The name of the first.
    pub(super) fn first_name(&self) -> Option<&str> {
        self.0.first().map(|(name, _)| &**name)
    }

    /// A field as a text; of a list its first.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.first.as_deref()
    }

    /// A field as a list of texts.
    pub(super) fn all(&self, name: &str) -> Option<impl Iterator<Item = &str> + use<'_, 't>> {
        let Texts { first, others } = self.get(name)?;
        Some(first.iter().chain(others).map(|text| &**text))
    }

    /// All fields as texts, without those that are none.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let fields = self.0.iter();
        fields.filter_map(|(name, texts)| Some((&**name, texts.first.as_deref()?)))
    }

    fn get(&self, name: &str) -> Option<&Texts<'t>> {
        let found = self.0.iter().find(|(field, _)| field == name);
        found.map(|(_, texts)| texts)
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

/// Which part of a document comes next: `[{"reports":[...]}]`.
#[derive(Clone, Copy)]
enum Level {
    Traces,
    Trace,
    Reports,
}

/// Takes the reports of a part of a document.
struct Taking<'k, F> {
    level: Level,
    take: &'k mut F,
}

impl<'de, F: FnMut(Fields<'de>)> DeserializeSeed<'de> for Taking<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.level {
            Level::Traces | Level::Reports => deserializer.deserialize_seq(self),
            Level::Trace => deserializer.deserialize_map(self),
        }
    }
}

impl<'de, F: FnMut(Fields<'de>)> Visitor<'de> for Taking<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.level {
            Level::Traces | Level::Reports => "a sequence",
            Level::Trace => "an object with reports",
        })
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<(), S::Error> {
        let Taking { level, take } = self;
        if let Level::Reports = level {
            while let Some(fields) = items.next_element()? {
                take(fields);
            }
            return Ok(());
        }
        let level = Level::Trace;
        while items.next_element_seed(Taking { level, take })?.is_some() {}
        Ok(())
    }

    fn visit_map<M: MapAccess<'de>>(self, mut members: M) -> Result<(), M::Error> {
        let mut has_reports = false;
        while let Some(Key(name)) = members.next_key()? {
            if name == "reports" {
                has_reports = true;
                let (level, take) = (Level::Reports, &mut *self.take);
                members.next_value_seed(Taking { level, take })?;
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        match has_reports {
            true => Ok(()),
            false => Err(M::Error::missing_field("reports")),
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
