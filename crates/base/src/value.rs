//! The values that variables hold and expressions compute.

use std::fmt;
use std::sync::Arc;

use crate::number::Number;

/// A value. Values of different types are never equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// An exact number.
    Number(Number),
    /// A truth value.
    Bool(bool),
    /// A text.
    Text(Arc<str>),
}

/// The type of a [`Value`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueType {
    /// Numbers.
    Number,
    /// Truth values.
    Bool,
    /// Texts.
    Text,
}

impl Value {
    /// A text value.
    pub fn text(text: &str) -> Value {
        Value::Text(Arc::from(text))
    }

    /// The type of the value.
    pub fn value_type(&self) -> ValueType {
        match self {
            Value::Number(_) => ValueType::Number,
            Value::Bool(_) => ValueType::Bool,
            Value::Text(_) => ValueType::Text,
        }
    }

    /// The number, when it is one.
    pub fn as_number(&self) -> Option<&Number> {
        match self {
            Value::Number(number) => Some(number),
            Value::Bool(_) | Value::Text(_) => None,
        }
    }

    /// The value in boolean position: `true` and non-zero numbers hold, `false` and zero do not,
    /// a text is neither.
    pub fn holds(&self) -> Option<bool> {
        match self {
            Value::Number(number) => Some(!number.is_zero()),
            Value::Bool(value) => Some(*value),
            Value::Text(_) => None,
        }
    }
}

impl ValueType {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            ValueType::Number => "number",
            ValueType::Bool => "boolean",
            ValueType::Text => "text",
        }
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Number(Number::from(value))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

/// As a formula spells it: texts are quoted and escaped.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Text(text) => write!(f, "\"{}\"", escape(text, '"')),
        }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ValueType::Number => "a number",
            ValueType::Bool => "a truth value",
            ValueType::Text => "a text",
        })
    }
}

/// The text with `quote`, backslash and control characters written as escapes.
pub fn escape(text: &str, quote: char) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            '\r' => escaped.push_str("\\r"),
            '\\' => escaped.push_str("\\\\"),
            _ if letter == quote => escaped.extend(['\\', letter]),
            _ if letter.is_control() => {
                escaped.push_str(&format!("\\u{{{:x}}}", u32::from(letter)));
            }
            _ => escaped.push(letter),
        }
    }
    escaped
}
