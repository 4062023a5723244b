//! Wall-clock times: exact decimal seconds, as the log wrote them.
//!
//! A time is `digits / 10^places`, never a float: a double has 53 bits, and a time since 1970 with microseconds needs
//! all of them. Nineteen digits are enough for nanoseconds until the year 2262.

use std::cmp::Ordering;
use std::fmt;

use crate::value::{NumberFault, read_decimal};

/// The largest number of decimal places of a time.
pub const MAX_TIME_PLACES: u8 = 18;

/// A wall-clock time in seconds, `digits / 10^places`, with no trailing zero behind the point.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Time {
    digits: i64,
    places: u8,
}

impl Time {
    /// `digits / 10^places` seconds; `None` if that has more than [`MAX_TIME_PLACES`] places.
    pub fn new(digits: i64, places: u8) -> Option<Time> {
        let (mut digits, mut places) = (digits, places);
        while places > 0 && digits % 10 == 0 {
            digits /= 10;
            places -= 1;
        }
        (places <= MAX_TIME_PLACES).then_some(Time { digits, places })
    }

    /// A number of nanoseconds.
    pub fn from_nanos(nanos: i64) -> Time {
        Time::new(nanos, 9).unwrap_or_default()
    }

    /// Reads a number of seconds as JSON writes it, or with more zeros in front.
    pub fn parse(text: &str) -> Result<Time, NumberFault> {
        Time::parse_scaled(text, 0)
    }

    /// Reads a number like [`Time::parse`] and divides it by `10^shift`: milliseconds have a shift of 3.
    pub fn parse_scaled(text: &str, shift: u8) -> Result<Time, NumberFault> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let zeros = unsigned.len() - unsigned.trim_start_matches('0').len();
        let rest = &unsigned[zeros..];
        // A zero of its own stays: one digit must come before the point.
        let is_whole = rest.starts_with(|first: char| first.is_ascii_digit());
        let short = &unsigned[zeros - usize::from(zeros > 0 && !is_whole)..];
        let sign = &text[..text.len() - unsigned.len()];
        let limits = (usize::MAX, u16::from(MAX_TIME_PLACES));
        let (digits, places) = read_decimal(sign, short, shift, limits)?;
        let places = u8::try_from(places).unwrap_or(u8::MAX);
        Time::new(digits, places).ok_or(NumberFault::TooPrecise)
    }

    /// The time nearest to a number of seconds: of its shortest decimal as many digits as a time can have. For binary
    /// files of earlier versions, which have doubles.
    pub(crate) fn nearest(seconds: f64) -> Time {
        let exact = |places: usize| Time::parse(&format!("{seconds:.places$}")).ok();
        let shortest = Time::parse(&format!("{seconds}")).ok();
        shortest
            .or_else(|| (0..=usize::from(MAX_TIME_PLACES)).rev().find_map(exact))
            .unwrap_or(Time {
                // A cast saturates; what is not a number becomes 0.
                digits: seconds as i64,
                places: 0,
            })
    }

    /// The digits and the number of those behind the point.
    pub(crate) fn parts(self) -> (i64, u8) {
        (self.digits, self.places)
    }

    /// How much later it is than another time; `None` if the difference has too many digits.
    pub fn since(self, earlier: Time) -> Option<Time> {
        let places = self.places.max(earlier.places);
        let difference = self.at_scale(places) - earlier.at_scale(places);
        Time::new(i64::try_from(difference).ok()?, places)
    }

    /// Multiplied by `10^shift`; `None` if that has too many digits.
    pub fn scaled_up(self, shift: u8) -> Option<Time> {
        let places = self.places.saturating_sub(shift);
        let zeros = u32::from(shift - (self.places - places));
        let digits = self.digits.checked_mul(10_i64.checked_pow(zeros)?)?;
        Time::new(digits, places)
    }

    /// How many units of `10^-places` seconds it is, rounded down; a number that does not fit is the nearest that does.
    pub fn whole_units(self, places: u8) -> i64 {
        let places = places.min(MAX_TIME_PLACES);
        let more = u32::from(places.saturating_sub(self.places));
        let fewer = u32::from(self.places.saturating_sub(places));
        let units = i128::from(self.digits) * 10_i128.pow(more);
        let units = units.div_euclid(10_i128.pow(fewer));
        let nearest = if units < 0 { i64::MIN } else { i64::MAX };
        i64::try_from(units).unwrap_or(nearest)
    }

    /// The nearest double, for drawings only.
    pub fn to_f64(self) -> f64 {
        self.digits as f64 / 10_f64.powi(i32::from(self.places))
    }

    /// The digits with so many places behind the point, at least as many as there are: below `10^37`, which fits.
    fn at_scale(self, places: u8) -> i128 {
        i128::from(self.digits) * 10_i128.pow(u32::from(places - self.places))
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Time) -> Ordering {
        let places = self.places.max(other.places);
        self.at_scale(places).cmp(&other.at_scale(places))
    }
}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Time) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// As a decimal number, exactly.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.places == 0 {
            return self.digits.fmt(f);
        }
        let unit = 10_u64.pow(u32::from(self.places));
        let sign = if self.digits < 0 { "-" } else { "" };
        let size = self.digits.unsigned_abs();
        let width = usize::from(self.places);
        write!(f, "{sign}{}.{:0width$}", size / unit, size % unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_written_exactly() {
        let cases = [
            ("1712329729.6030803", "1712329729.6030803"),
            ("1712329729.603080512", "1712329729.603080512"),
            ("-0.050", "-0.05"),
            ("-0", "0"),
            ("000", "0"),
            ("0012.50", "12.5"),
            ("00.5", "0.5"),
            ("1.5e2", "150"),
            ("1e-18", "0.000000000000000001"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("-9.223372036854775808", "-9.223372036854775808"),
        ];
        for (text, expected) in cases {
            let time = Time::parse(text).expect("it is a time");
            assert_eq!(time.to_string(), expected);
        }
    }

    #[test]
    fn what_cannot_be_exact_is_refused() {
        let read = Time::parse;
        assert_eq!(read("1e-19"), Err(NumberFault::TooPrecise));
        assert_eq!(read("1712329729.60308051234"), Err(NumberFault::TooPrecise));
        assert_eq!(read("1e19"), Err(NumberFault::TooLarge));
        assert_eq!(read("9223372036854775808"), Err(NumberFault::TooLarge));
        assert_eq!(read("soon"), Err(NumberFault::Malformed));
        assert_eq!(read("NaN"), Err(NumberFault::Malformed));
    }

    #[test]
    fn units_move_the_point() {
        let millis = Time::parse_scaled("1712329729603.25", 3);
        assert_eq!(millis, Time::parse("1712329729.60325"));
        assert_eq!(Time::from_nanos(1_500_000_000).to_string(), "1.5");
        let whole = |text: &str, places| Time::parse(text).map(|time| time.whole_units(places));
        assert_eq!(whole("1.0000019", 6), Ok(1_000_001));
        assert_eq!(whole("-0.5", 0), Ok(-1));
        assert_eq!(whole("3", 3), Ok(3000));
        assert_eq!(whole("9223372036854775807", 6), Ok(i64::MAX));
        let micros = Time::parse("0.00000125").map(|time| time.scaled_up(6));
        assert_eq!(micros, Ok(Time::new(125, 2)));
        let micros = Time::parse("2").map(|time| time.scaled_up(6));
        assert_eq!(micros, Ok(Time::new(2_000_000, 0)));
    }

    #[test]
    fn times_of_any_scale_compare() {
        let time = |text: &str| Time::parse(text).expect("it is a time");
        let sorted = ["-9223372036854775808", "-0.5", "0.000000000000000001", "2"];
        assert!(sorted.map(time).is_sorted());
        let (later, earlier) = (time("3.25"), time("1.5"));
        assert_eq!(later.since(earlier), Some(time("1.75")));
        assert_eq!(time("9223372036854775807").since(time("-0.1")), None);
    }

    #[test]
    fn doubles_of_old_files_become_what_they_were_written_as() {
        let text = |seconds: f64| Time::nearest(seconds).to_string();
        assert_eq!(text(1_712_329_729.603_080_3), "1712329729.6030803");
        assert_eq!(text(0.1 + 0.2), "0.30000000000000004");
        assert_eq!(text(1e-30), "0");
        assert_eq!(text(f64::NAN), "0");
        assert_eq!(text(f64::MAX), i64::MAX.to_string());
        assert_eq!(text(f64::NEG_INFINITY), i64::MIN.to_string());
    }
}
