//! What a variable can hold: integers, exact decimals, booleans and text, in sixteen bytes.

use causet_base::ids::TextId;

/// The largest number of decimal places a value may have: every double has fewer.
pub const MAX_SCALE: u16 = 400;

/// The largest number of significant digits a decimal may have.
const MAX_DIGITS: usize = 18;

/// One value as it was written; text is kept once, in the trace.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
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

impl Value {
    /// The value every variable has until something says otherwise.
    pub const ZERO: Value = Value::Int(0);

    /// `mantissa / 10^scale` in its one normal form: `2.50` and `2.5` are the same value, `3.0` is the integer 3.
    pub fn decimal(mut mantissa: i64, mut scale: u16) -> Value {
        while scale > 0 && mantissa % 10 == 0 {
            mantissa /= 10;
            scale -= 1;
        }
        if scale == 0 {
            Value::Int(mantissa)
        } else {
            Value::Decimal { mantissa, scale }
        }
    }

    /// Writes a number as the decimal it is; `None` for a boolean or a text.
    pub fn number_text(self) -> Option<String> {
        match self {
            Value::Int(number) => Some(number.to_string()),
            Value::Decimal { mantissa, scale } => Some(decimal_text(mantissa, usize::from(scale))),
            Value::Bool(_) | Value::Text(_) => None,
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

/// The significant digits of a number and where its point is.
pub(crate) struct Digits {
    /// All digits as one number, which may be far longer than what fits in the end.
    pub(crate) text: String,
    /// How many of them stand behind the point; negative when zeros must be appended.
    pub(crate) scale: i64,
}

impl Value {
    /// Reads a number as JSON writes it: `12`, `-3`, `2.50`, `1e3`.
    pub fn parse_number(text: &str) -> Result<Value, NumberFault> {
        if let Some(number) = short_integer(text) {
            return Ok(Value::Int(number));
        }
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let digits = split_digits(unsigned).ok_or(NumberFault::Malformed)?;
        let significant = digits.text.trim_start_matches('0');
        let trimmed = significant.trim_end_matches('0');
        let scale = digits.scale - (significant.len() - trimmed.len()) as i64;
        if trimmed.is_empty() {
            return Ok(Value::ZERO);
        }
        if scale > i64::from(MAX_SCALE) || (scale > 0 && trimmed.len() > MAX_DIGITS) {
            return Err(NumberFault::TooPrecise);
        }
        if trimmed.len() as i64 - scale > 19 {
            return Err(NumberFault::TooLarge);
        }
        let zeros = "0".repeat(usize::try_from(-scale).unwrap_or(0));
        let sign = if negative { "-" } else { "" };
        let mantissa: i64 = format!("{sign}{trimmed}{zeros}")
            .parse()
            .map_err(|_| NumberFault::TooLarge)?;
        Ok(Value::decimal(mantissa, u16::try_from(scale).unwrap_or(0)))
    }
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

/// Splits `digits[.digits][e[+-]digits]`; a leading zero stands alone, as in JSON.
pub(crate) fn split_digits(text: &str) -> Option<Digits> {
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

fn decimal_text(mantissa: i64, scale: usize) -> String {
    let digits = format!("{:0>width$}", mantissa.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let sign = if mantissa < 0 { "-" } else { "" };
    format!("{sign}{whole}.{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_sixteen_bytes() {
        assert_eq!(std::mem::size_of::<Value>(), 16);
    }

    #[test]
    fn decimals_have_one_form() {
        assert_eq!(Value::decimal(250, 2), Value::decimal(25, 1));
        assert_eq!(Value::decimal(300, 2), Value::Int(3));
        assert_eq!(Value::decimal(0, 5), Value::Int(0));
    }

    #[test]
    fn numbers_are_read_exactly_or_refused() {
        let read = Value::parse_number;
        assert_eq!(read("-12"), Ok(Value::Int(-12)));
        assert_eq!(read("2.50"), Ok(Value::decimal(25, 1)));
        assert_eq!(read("1.5e2"), Ok(Value::Int(150)));
        assert_eq!(read("1e-3"), Ok(Value::decimal(1, 3)));
        assert_eq!(read("-0.0"), Ok(Value::ZERO));
        assert_eq!(read("0e999999999999999999999"), Ok(Value::ZERO));
        assert_eq!(read("-9223372036854775808"), Ok(Value::Int(i64::MIN)));
        assert_eq!(read("9223372036854775808"), Err(NumberFault::TooLarge));
        assert_eq!(read("1e19"), Err(NumberFault::TooLarge));
        assert_eq!(read("1e-30"), Ok(Value::decimal(1, 30)));
        assert_eq!(read("1e-401"), Err(NumberFault::TooPrecise));
        assert_eq!(read("0.1234567890123456789"), Err(NumberFault::TooPrecise));
        for malformed in ["", "-", "01", "1.", ".5", "1e", "1e+", "0x1", "1 ", "NaN"] {
            assert_eq!(read(malformed), Err(NumberFault::Malformed), "{malformed}");
        }
    }

    #[test]
    fn numbers_print_as_they_are() {
        assert_eq!(
            Value::decimal(-25, 1).number_text().as_deref(),
            Some("-2.5")
        );
        assert_eq!(Value::decimal(5, 3).number_text().as_deref(), Some("0.005"));
        assert_eq!(
            Value::Int(i64::MIN).number_text().as_deref(),
            Some("-9223372036854775808")
        );
    }
}
