//! The values of variables, and which numbers the format holds exactly.

use crate::json::{push_integer, push_string};

/// A decimal has at most this many significant digits; see the native format.
const MAX_DIGITS: usize = 18;

/// And at most this many digits after the point.
const MAX_SCALE: usize = 400;

/// The value of a variable. A number that the format cannot hold exactly is written as text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// An integer.
    Int(i64),
    /// A decimal without exponent, such as `-0.25`. What is none, or has more than 18 digits, is written as text.
    Decimal(String),
    /// A truth value.
    Bool(bool),
    /// A text.
    Text(String),
}

impl Value {
    pub(crate) fn push(&self, out: &mut String) {
        match self {
            Value::Int(number) => push_integer(out, *number),
            Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
            Value::Decimal(text) if is_decimal(text) => out.push_str(text),
            Value::Decimal(text) | Value::Text(text) => push_string(out, text),
        }
    }
}

/// Whether the text is `[-]digits[.digits]`, as in JSON, and short enough to be read exactly.
fn is_decimal(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let leading_zero = whole.len() > 1 && whole.starts_with('0');
    let significant = unsigned
        .trim_start_matches(['0', '.'])
        .trim_end_matches('.');
    let length = significant.bytes().filter(u8::is_ascii_digit).count();
    digits(whole)
        && digits(fraction)
        && !leading_zero
        && length <= MAX_DIGITS
        && fraction.len() <= MAX_SCALE
}

impl From<f64> for Value {
    /// The shortest decimal that stands for the number.
    fn from(number: f64) -> Value {
        Value::Decimal(number.to_string())
    }
}

impl From<f32> for Value {
    /// The shortest decimal that stands for the number.
    fn from(number: f32) -> Value {
        Value::Decimal(number.to_string())
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Value {
        Value::Bool(truth)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Value {
        Value::Text(text.clone())
    }
}

macro_rules! from_small_integers {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Value {
            fn from(number: $integer) -> Value {
                Value::Int(i64::from(number))
            }
        }
    )*};
}

macro_rules! from_large_integers {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Value {
            /// Beyond 64 bits with sign, the text of the number.
            fn from(number: $integer) -> Value {
                i64::try_from(number).map_or_else(|_| Value::Text(number.to_string()), Value::Int)
            }
        }
    )*};
}

from_small_integers!(i8, i16, i32, i64, u8, u16, u32);
from_large_integers!(u64, usize, isize, i128, u128);

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: impl Into<Value>, expected: &str) {
        let mut text = String::new();
        value.into().push(&mut text);
        assert_eq!(text, expected);
    }

    #[test]
    fn values_are_written_exactly_or_as_text() {
        check(i64::MIN, "-9223372036854775808");
        check(u64::MAX, "\"18446744073709551615\"");
        check(true, "true");
        check("a\"b", "\"a\\\"b\"");
        check(0.1 + 0.2, "0.30000000000000004");
        check(-2.5, "-2.5");
        check(3.0, "3");
        check(-0.000_012_345_678_901_234_5, "-0.0000123456789012345");
        check(0.1_f32, "0.1");
        check(f64::NAN, "\"NaN\"");
        check(f64::NEG_INFINITY, "\"-inf\"");
        check(1e17, "100000000000000000");
        check(1e18, "\"1000000000000000000\"");
    }

    #[test]
    fn what_is_no_decimal_is_text() {
        for text in [
            "", "-", "1.", ".5", "01", "1e5", "+1", "0x1", "--1", "1.2.3",
        ] {
            check(Value::Decimal(text.to_owned()), &format!("\"{text}\""));
        }
    }
}
