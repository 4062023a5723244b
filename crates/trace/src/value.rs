//! How a run stores the value of a variable: integers, exact decimals, booleans and text, in sixteen bytes.

use causet_base::ids::TextId;
use causet_base::number::{Number, with_point};
use causet_base::value::{Value, ValueType};

/// The largest number of decimal places a value may have: every double has fewer.
pub const MAX_SCALE: u16 = 400;

/// The largest number of significant digits a decimal may have.
const MAX_DIGITS: usize = 18;

/// One value as it was written; text is kept once, in the trace. What formulas compute with is a [`Value`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StoredValue {
    /// A 64-bit integer.
    Int(i64),
    /// An exact decimal that is not an integer: `mantissa / 10^scale`, with no trailing zero.
    Decimal {
        /// The digits, with the sign.
        mantissa: i64,
        /// How many places stand behind the point, at least 1.
        scale: u16,
    },
    /// A truth value.
    Bool(bool),
    /// A text.
    Text(TextId),
}

impl StoredValue {
    /// The value every variable has until something says otherwise.
    pub const ZERO: StoredValue = StoredValue::Int(0);

    /// `mantissa / 10^scale` in its one normal form: `2.50` and `2.5` are the same value, `3.0` is the integer 3.
    pub fn decimal(mut mantissa: i64, mut scale: u16) -> StoredValue {
        while scale > 0 && mantissa % 10 == 0 {
            mantissa /= 10;
            scale -= 1;
        }
        if scale == 0 {
            StoredValue::Int(mantissa)
        } else {
            StoredValue::Decimal { mantissa, scale }
        }
    }

    /// Writes a number as the decimal it is; `None` for a boolean or a text.
    pub fn number_text(self) -> Option<String> {
        match self {
            StoredValue::Int(number) => Some(number.to_string()),
            StoredValue::Decimal { mantissa, scale } => {
                Some(with_point(&mantissa.to_string(), usize::from(scale)))
            }
            StoredValue::Bool(_) | StoredValue::Text(_) => None,
        }
    }

    /// Writes a number or a boolean as it is, and a text as the caller likes.
    pub fn spelled(self, text: impl FnOnce(TextId) -> String) -> String {
        match self {
            StoredValue::Text(number) => text(number),
            StoredValue::Bool(truth) => truth.to_string(),
            number => number.number_text().unwrap_or_default(),
        }
    }

    /// The type of the value.
    pub fn value_type(self) -> ValueType {
        match self {
            StoredValue::Int(_) | StoredValue::Decimal { .. } => ValueType::Number,
            StoredValue::Bool(_) => ValueType::Bool,
            StoredValue::Text(_) => ValueType::Text,
        }
    }

    /// The value itself, given what its text is.
    pub fn resolved(self, text: impl FnOnce(TextId) -> Value) -> Value {
        match self {
            StoredValue::Int(number) => Value::from(number),
            StoredValue::Decimal { mantissa, scale } => {
                Value::Number(Number::from_decimal(mantissa, u32::from(scale)))
            }
            StoredValue::Bool(truth) => Value::Bool(truth),
            StoredValue::Text(number) => text(number),
        }
    }
}

/// Why a text is not a number a variable can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberFault {
    /// Not a number at all.
    Malformed,
    /// An integer that does not fit in 64 bits.
    TooLarge,
    /// A decimal with more than 18 significant digits, or more than 400 places behind the point.
    TooPrecise,
}

impl std::fmt::Display for NumberFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NumberFault::Malformed => "this is not a number",
            NumberFault::TooLarge => "this number does not fit in 64 bits",
            NumberFault::TooPrecise => "this number has more than 18 significant digits",
        })
    }
}

impl StoredValue {
    /// Reads a number as JSON writes it: `12`, `-3`, `2.50`, `1e3`.
    pub fn parse_number(text: &str) -> Result<StoredValue, NumberFault> {
        if let Some(number) = short_integer(text) {
            return Ok(StoredValue::Int(number));
        }
        let (sign, unsigned) = match text.strip_prefix('-') {
            Some(unsigned) => ("-", unsigned),
            None => ("", text),
        };
        let (mantissa, scale) = read_decimal(sign, unsigned, 0, (MAX_DIGITS, MAX_SCALE))?;
        Ok(StoredValue::decimal(mantissa, scale))
    }
}

/// The digits of `number / 10^shift` as one integer, and how many of them stand behind the point: as few as can be. A
/// decimal with more digits or more places than the limits allow is refused.
pub(crate) fn read_decimal(
    sign: &str,
    unsigned: &str,
    shift: u8,
    (max_digits, max_scale): (usize, u16),
) -> Result<(i64, u16), NumberFault> {
    let digits = split_digits(unsigned).ok_or(NumberFault::Malformed)?;
    let significant = digits.text.trim_start_matches('0');
    let trimmed = significant.trim_end_matches('0');
    if trimmed.is_empty() {
        return Ok((0, 0));
    }
    let trailing = (significant.len() - trimmed.len()) as i64;
    let scale = digits.scale + i64::from(shift) - trailing;
    if scale > i64::from(max_scale) || (scale > 0 && trimmed.len() > max_digits) {
        return Err(NumberFault::TooPrecise);
    }
    if trimmed.len() as i64 - scale > 19 {
        return Err(NumberFault::TooLarge);
    }
    let zeros = "0".repeat(usize::try_from(-scale).unwrap_or(0));
    let fault = match scale > 0 {
        true => NumberFault::TooPrecise,
        false => NumberFault::TooLarge,
    };
    let mantissa = format!("{sign}{trimmed}{zeros}")
        .parse()
        .map_err(|_| fault)?;
    Ok((mantissa, u16::try_from(scale).unwrap_or(0)))
}

/// An integer of at most 18 digits without a sign, which most numbers are.
fn short_integer(text: &str) -> Option<i64> {
    let digits = text.as_bytes();
    let is_short = (1..=MAX_DIGITS).contains(&digits.len());
    if !is_short || (digits[0] == b'0' && digits.len() > 1) {
        return None;
    }
    digits.iter().try_fold(0, |number, digit| {
        let digit = digit.is_ascii_digit().then(|| digit - b'0');
        digit.map(|digit| number * 10 + i64::from(digit))
    })
}

/// The significant digits of a number and where its point is.
struct Digits {
    /// All digits as one number, which may be far longer than what fits in the end.
    text: String,
    /// How many of them stand behind the point; negative when zeros must be appended.
    scale: i64,
}

/// Splits `digits[.digits][e[+-]digits]`; a leading zero stands alone, as in JSON.
fn split_digits(text: &str) -> Option<Digits> {
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, parse_exponent(exponent)?),
        None => (text, 0),
    };
    let (whole, fraction) = match number.split_once('.') {
        Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
        Some(_) => return None,
        None => (number, ""),
    };
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let leading_zero = whole.len() > 1 && whole.starts_with('0');
    if whole.is_empty() || leading_zero || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    Some(Digits {
        text: format!("{whole}{fraction}"),
        scale: fraction.len() as i64 - exponent,
    })
}

/// An exponent; one that is absurdly large counts as a million, which is refused later.
fn parse_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = digits.parse::<i64>().unwrap_or(1_000_000).min(1_000_000);
    Some(if text.starts_with('-') { -size } else { size })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_sixteen_bytes() {
        assert_eq!(std::mem::size_of::<StoredValue>(), 16);
    }

    #[test]
    fn decimals_have_one_form() {
        assert_eq!(StoredValue::decimal(250, 2), StoredValue::decimal(25, 1));
        assert_eq!(StoredValue::decimal(300, 2), StoredValue::Int(3));
        assert_eq!(StoredValue::decimal(0, 5), StoredValue::Int(0));
    }

    #[test]
    fn numbers_are_read_exactly_or_refused() {
        let read = StoredValue::parse_number;
        assert_eq!(read("-12"), Ok(StoredValue::Int(-12)));
        assert_eq!(read("2.50"), Ok(StoredValue::decimal(25, 1)));
        assert_eq!(read("1.5e2"), Ok(StoredValue::Int(150)));
        assert_eq!(read("1e-3"), Ok(StoredValue::decimal(1, 3)));
        assert_eq!(read("-0.0"), Ok(StoredValue::ZERO));
        assert_eq!(read("0e999999999999999999999"), Ok(StoredValue::ZERO));
        assert_eq!(read("-9223372036854775808"), Ok(StoredValue::Int(i64::MIN)));
        assert_eq!(read("9223372036854775808"), Err(NumberFault::TooLarge));
        assert_eq!(read("1e19"), Err(NumberFault::TooLarge));
        assert_eq!(read("1e-30"), Ok(StoredValue::decimal(1, 30)));
        assert_eq!(read("1e-401"), Err(NumberFault::TooPrecise));
        assert_eq!(read("0.1234567890123456789"), Err(NumberFault::TooPrecise));
        for malformed in ["", "-", "01", "1.", ".5", "1e", "1e+", "0x1", "1 ", "NaN"] {
            assert_eq!(read(malformed), Err(NumberFault::Malformed), "{malformed}");
        }
    }

    #[test]
    fn numbers_print_as_they_are() {
        assert_eq!(
            StoredValue::decimal(-25, 1).number_text().as_deref(),
            Some("-2.5")
        );
        assert_eq!(
            StoredValue::decimal(5, 3).number_text().as_deref(),
            Some("0.005")
        );
        assert_eq!(
            StoredValue::Int(i64::MIN).number_text().as_deref(),
            Some("-9223372036854775808")
        );
    }
}
