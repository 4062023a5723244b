//! A JSON value whose texts are borrowed from the line it was read from, for readers that look into it here and there.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::entry::{Datum, Name};
use super::json::{Key, datum, is_number, joined};
use super::places::element;

/// A JSON value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Tree<'a> {
    /// Nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number as it was written.
    Number(Name<'a>),
    /// A text.
    Text(Name<'a>),
    /// A list.
    List(Vec<Tree<'a>>),
    /// An object, its members in the order in which they were written.
    Object(Vec<(Name<'a>, Tree<'a>)>),
}

impl<'a> Tree<'a> {
    /// What stands at a place, step by step: members of objects, or numbers of elements.
    pub(crate) fn at(&self, steps: &[String]) -> Option<&Tree<'a>> {
        steps.iter().try_fold(self, |tree, step| match tree {
            Tree::Object(members) => {
                let mut latest = members.iter().rev();
                let found = latest.find(|(name, _)| name == step)?;
                Some(&found.1)
            }
            Tree::List(items) => items.get(element(step)?),
            _ => None,
        })
    }

    /// What it is called: a text by itself, anything else as JSON.
    pub(crate) fn name(&self) -> Name<'a> {
        match self {
            Tree::Text(text) | Tree::Number(text) => text.clone(),
            other => Cow::Owned(other.to_string()),
        }
    }

    /// Appends what it says as variables, as [`flatten`](super::json::flatten) has it.
    pub(crate) fn flatten(&self, name: Name<'a>, sets: &mut Vec<(Name<'a>, Datum<'a>)>) {
        match self {
            Tree::Null => {}
            Tree::Bool(value) => sets.push((name, Datum::bool(*value))),
            Tree::Text(text) => sets.push((name, Datum::Text(text.clone()))),
            Tree::Number(number) => sets.push((name, datum(number))),
            Tree::List(items) => {
                let length = joined(name.clone(), Cow::Borrowed("len"));
                sets.push((name, Datum::Text(Cow::Owned(self.to_string()))));
                sets.push((length, Datum::int(items.len() as i64)));
            }
            Tree::Object(members) => {
                for (member, value) in members {
                    value.flatten(joined(name.clone(), member.clone()), sets);
                }
            }
        }
    }

    /// The same, borrowed from nothing.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Tree::Null => Value::Null,
            Tree::Bool(value) => Value::Bool(*value),
            Tree::Number(number) => number.parse().map_or(Value::Null, Value::Number),
            Tree::Text(text) => Value::String(text.to_string()),
            Tree::List(items) => items.iter().map(Tree::to_value).collect(),
            Tree::Object(members) => members
                .iter()
                .map(|(name, value)| (name.to_string(), value.to_value()))
                .collect(),
        }
    }
}

/// As JSON.
impl fmt::Display for Tree<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tree::Bool(value) => value.fmt(f),
            Tree::Number(number) => f.write_str(number),
            _ => self.to_value().fmt(f),
        }
    }
}

impl PartialEq<Value> for Tree<'_> {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Tree::Text(text), Value::String(other)) => text == other,
            (Tree::Text(_), _) | (_, Value::String(_)) => false,
            (Tree::Number(number), Value::Number(other)) => {
                datum(number) == datum(&other.to_string())
            }
            _ => self.to_value() == *other,
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Tree<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Tree<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Tree<'de>, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree<'de>, E> {
        Ok(Tree::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree<'de>, E> {
        Ok(Tree::Number(Cow::Owned(value.to_string())))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree<'de>, E> {
        Ok(Tree::Number(Cow::Owned(value.to_string())))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Tree<'de>, E> {
        Ok(Tree::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Tree<'de>, E> {
        Ok(Tree::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<Tree<'de>, S::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Tree::List(list))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Tree<'de>, M::Error> {
        let mut members = Vec::new();
        while let Some(Key(name)) = map.next_key()? {
            if is_number(&name) {
                return map
                    .next_value()
                    .map(|text: String| Tree::Number(text.into()));
            }
            members.push((name, map.next_value()?));
        }
        Ok(Tree::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_what_a_value_is() {
        let text = r#"{"a":{"b":[1,-2.5,"x\n",null,true],"0":18446744073709551615},"a~":{}}"#;
        let tree: Tree<'_> = serde_json::from_str(text).expect("it is JSON");
        let value: Value = serde_json::from_str(text).expect("it is JSON");
        assert_eq!(tree.to_string(), value.to_string());
        assert!(tree == value);
        for place in [
            "a", "a/b", "a/b/0", "a/b/2", "a/b/00", "a/b/+1", "a/0", "", "b", "a/b/9",
        ] {
            let steps: Vec<String> = place.split('/').map(str::to_owned).collect();
            let expected = value.pointer(&format!("/{place}"));
            assert_eq!(
                tree.at(&steps).map(Tree::to_value).as_ref(),
                expected,
                "{place}"
            );
        }
        let (mut own, mut others) = (Vec::new(), Vec::new());
        tree.flatten("n".into(), &mut own);
        super::super::json::flatten("n", &value, &mut others);
        own.sort_by(|one, other| one.0.cmp(&other.0));
        others.sort_by(|one, other| one.0.cmp(&other.0));
        assert_eq!(own, others);
    }
}
