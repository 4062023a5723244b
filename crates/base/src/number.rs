//! Exact numbers: machine integers as long as they suffice, big rationals when they do not.
//!
//! Every number has one representation: an integer that fits 64 bits is always stored as one, so
//! equality and hashing are structural and the usual comparison costs two machine words.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// An exact rational number.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Number(Repr);

/// `Big` never holds an integer that fits `Int`.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Int(i64),
    Big(Box<RBig>),
}

impl Number {
    /// Zero, the value of a variable nobody has written.
    pub const ZERO: Number = Number(Repr::Int(0));

    /// `mantissa / 10^scale`: how decimals arrive from a trace.
    pub fn from_decimal(mantissa: i64, scale: u32) -> Number {
        if scale == 0 {
            return Number::from(mantissa);
        }
        let power = UBig::from(10u8).pow(scale as usize);
        Number::from_rational(RBig::from_parts(IBig::from(mantissa), power))
    }

    /// Reads an unsigned literal: digits, or digits `.` digits.
    pub fn parse(text: &str) -> Option<Number> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !digits(whole) || !digits(fraction) {
            return None;
        }
        if let (true, Ok(small)) = (fraction.is_empty(), whole.parse::<i64>()) {
            return Some(Number::from(small));
        }
        let mantissa: IBig = format!("{whole}{fraction}").parse().ok()?;
        let power = UBig::from(10u8).pow(fraction.len());
        Some(Number::from_rational(RBig::from_parts(mantissa, power)))
    }

    /// The quotient; `None` when the divisor is zero.
    pub fn checked_div(&self, divisor: &Number) -> Option<Number> {
        if divisor.is_zero() {
            return None;
        }
        if let (Repr::Int(a), Repr::Int(b)) = (&self.0, &divisor.0)
            && a.checked_rem(*b) == Some(0)
        {
            return Some(Number::from(a / b));
        }
        Some(Number::from_rational(self.rational() / divisor.rational()))
    }

    /// The remainder of truncated division, `a - b * trunc(a / b)`, with the sign of `a` as in C,
    /// Go and Rust; `None` when the divisor is zero.
    pub fn checked_rem(&self, divisor: &Number) -> Option<Number> {
        if divisor.is_zero() {
            return None;
        }
        if let (Repr::Int(a), Repr::Int(b)) = (&self.0, &divisor.0) {
            // The one overflow, `i64::MIN % -1`, has the remainder zero.
            return Some(Number::from(a.checked_rem(*b).unwrap_or(0)));
        }
        let (a, b) = (self.rational(), divisor.rational());
        let whole = (&a / &b).trunc();
        Some(Number::from_rational(a - b * whole))
    }

    /// Whether the number is zero.
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Int(0))
    }

    /// Whether the number is below zero.
    pub fn is_negative(&self) -> bool {
        *self < Number::ZERO
    }

    /// The number as a machine integer, when it is one.
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Int(value) => Some(value),
            Repr::Big(_) => None,
        }
    }

    fn from_rational(rational: RBig) -> Number {
        if rational.is_int()
            && let Ok(small) = i64::try_from(rational.numerator())
        {
            return Number(Repr::Int(small));
        }
        Number(Repr::Big(Box::new(rational)))
    }

    fn rational(&self) -> RBig {
        match &self.0 {
            Repr::Int(value) => RBig::from(*value),
            Repr::Big(rational) => (**rational).clone(),
        }
    }

    /// The fast path when it does not overflow, else the exact one.
    fn combine(
        &self,
        other: &Number,
        fast: fn(i64, i64) -> Option<i64>,
        exact: fn(RBig, RBig) -> RBig,
    ) -> Number {
        if let (Repr::Int(a), Repr::Int(b)) = (&self.0, &other.0)
            && let Some(result) = fast(*a, *b)
        {
            return Number::from(result);
        }
        Number::from_rational(exact(self.rational(), other.rational()))
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Number {
        Number(Repr::Int(value))
    }
}

impl Add for &Number {
    type Output = Number;

    fn add(self, other: &Number) -> Number {
        self.combine(other, i64::checked_add, |a, b| a + b)
    }
}

impl Sub for &Number {
    type Output = Number;

    fn sub(self, other: &Number) -> Number {
        self.combine(other, i64::checked_sub, |a, b| a - b)
    }
}

impl Mul for &Number {
    type Output = Number;

    fn mul(self, other: &Number) -> Number {
        self.combine(other, i64::checked_mul, |a, b| a * b)
    }
}

impl Neg for &Number {
    type Output = Number;

    fn neg(self) -> Number {
        &Number::ZERO - self
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Number) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Int(a), Repr::Int(b)) => a.cmp(b),
            (Repr::Big(a), Repr::Big(b)) => a.cmp(b),
            _ => self.rational().cmp(&other.rational()),
        }
    }
}

/// A decimal when the expansion ends (`2.5`), else a fraction (`1/3`).
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Int(value) => write!(f, "{value}"),
            Repr::Big(rational) if rational.is_int() => write!(f, "{}", rational.numerator()),
            Repr::Big(rational) => match decimal(rational) {
                Some(text) => f.write_str(&text),
                None => write!(f, "{}/{}", rational.numerator(), rational.denominator()),
            },
        }
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The decimal expansion of a fraction whose denominator has no prime factor but 2 and 5.
fn decimal(rational: &RBig) -> Option<String> {
    let mut rest = rational.denominator().clone();
    let twos = rest.remove(&UBig::from(2u8)).unwrap_or(0);
    let fives = rest.remove(&UBig::from(5u8)).unwrap_or(0);
    if !rest.is_one() {
        return None;
    }
    let scale = twos.max(fives);
    let power = RBig::from(UBig::from(10u8).pow(scale));
    let scaled = (rational.clone() * power).numerator().to_string();
    Some(with_point(&scaled, scale))
}

/// The digits of an integer with a point before the last `scale` of them, of which there is at least one.
pub fn with_point(integer: &str, scale: usize) -> String {
    let (sign, digits) = match integer.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", integer),
    };
    let padded = format!("{digits:0>width$}", width = scale + 1);
    let (whole, fraction) = padded.split_at(padded.len() - scale);
    format!("{sign}{whole}.{fraction}")
}

#[cfg(test)]
mod tests {
    use super::Number;

    fn number(text: &str) -> Number {
        match text.strip_prefix('-') {
            Some(digits) => -&Number::parse(digits).expect("a literal"),
            None => Number::parse(text).expect("a literal"),
        }
    }

    #[test]
    fn has_one_representation() {
        assert_eq!(number("2.50"), Number::from_decimal(25, 1));
        assert_eq!(number("3.000"), Number::from(3));
        assert_eq!(&number("0.5") + &number("0.5"), Number::from(1));
        let big = &Number::from(i64::MAX) + &Number::from(1);
        assert_eq!(&big - &Number::from(1), Number::from(i64::MAX));
    }

    #[test]
    fn prints_what_it_reads() {
        for text in [
            "0",
            "7",
            "2.5",
            "-0.125",
            "0.001",
            "9223372036854775808",
            "-12.75",
        ] {
            assert_eq!(number(text).to_string(), text);
        }
        let third = Number::from(1)
            .checked_div(&Number::from(3))
            .expect("not zero");
        assert_eq!(third.to_string(), "1/3");
    }

    #[test]
    fn divides_and_takes_remainders() {
        let rem = |a: &str, b: &str| number(a).checked_rem(&number(b)).map(|n| n.to_string());
        assert_eq!(rem("7", "3").as_deref(), Some("1"));
        assert_eq!(rem("-7", "3").as_deref(), Some("-1"));
        assert_eq!(rem("7.5", "2").as_deref(), Some("1.5"));
        assert_eq!(rem("-7.5", "2").as_deref(), Some("-1.5"));
        assert_eq!(rem("1", "0"), None);
        assert_eq!(
            Number::from(i64::MIN).checked_rem(&Number::from(-1)),
            Some(Number::ZERO)
        );
        assert_eq!(number("1").checked_div(&number("0")), None);
        assert_eq!(number("7").checked_div(&number("2")), Some(number("3.5")));
        let most = Number::from(i64::MIN).checked_div(&Number::from(-1));
        assert_eq!(
            most.map(|n| n.to_string()).as_deref(),
            Some("9223372036854775808")
        );
    }

    #[test]
    fn orders_across_representations() {
        assert!(number("2.5") < number("3"));
        assert!(number("-2.5") < number("-2"));
        assert!(number("9223372036854775808") > Number::from(i64::MAX));
        assert!(number("-0.1").is_negative());
    }

    #[test]
    fn refuses_what_is_no_literal() {
        for text in ["", ".5", "1x", "-1", "1.2.3", "+4"] {
            assert_eq!(Number::parse(text), None, "{text}");
        }
    }
}
