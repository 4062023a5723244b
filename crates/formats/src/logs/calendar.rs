//! Times as people write them: `2023-04-13T16:42:59.463453Z`, as seconds since 1970.

use causet_trace::Time;

/// The seconds of a time of day on a date, in ISO 8601 with `T` or a blank between them; without a zone it is UTC.
pub(crate) fn seconds(text: &str) -> Option<Time> {
    let (date, time) = text.trim().split_once(['T', 't', ' '])?;
    let mut parts = date.splitn(3, '-').map(whole);
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let (time, zone) = match time.find(['Z', 'z', '+', '-']) {
        Some(at) => time.split_at(at),
        None => (time, "Z"),
    };
    let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut parts = clock.splitn(3, ':').map(whole);
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    let is_valid = (1..=12).contains(&month) && (1..=31).contains(&day) && year <= 9999;
    if !is_valid || hour > 24 || minute > 59 || second > 60 {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let of_day = hour * 3600 + minute * 60 + second;
    let seconds = days(year, month, day) * 86400 + of_day - offset(zone)?;
    let places = u8::try_from(fraction.len()).ok()?;
    let mut digits = seconds;
    for digit in fraction.bytes() {
        let digit = digit.is_ascii_digit().then(|| i64::from(digit - b'0'))?;
        digits = digits.checked_mul(10)?.checked_add(digit)?;
    }
    Time::new(digits, places)
}

fn whole(digits: &str) -> Option<i64> {
    let is_number = !digits.is_empty() && digits.len() <= 4;
    let is_number = is_number && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// The days from 1970-01-01 to a date; years begin in March, so that the leap day is their last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + (month * 153 + 2) / 5 + day - 1 - 719_468
}

/// How many seconds a zone is ahead: `Z`, `+02:00`, `-0500`.
fn offset(zone: &str) -> Option<i64> {
    let (sign, rest) = match zone.chars().next()? {
        'Z' | 'z' => return (zone.len() == 1).then_some(0),
        '+' => (1, &zone[1..]),
        _ => (-1, &zone[1..]),
    };
    let digits = rest.replace(':', "");
    let number = whole(&digits).filter(|_| digits.len() == 4)?;
    Some(sign * (number / 100 * 3600 + number % 100 * 60))
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn times_are_counted_from_1970() {
        let cases = [
            ("1970-01-01T00:00:00Z", Some("0")),
            ("1970-01-01T01:00:00+01:00", Some("0")),
            ("1969-12-31T19:00:00-0500", Some("0")),
            ("1969-12-31T23:59:58.25Z", Some("-1.75")),
            ("2000-02-29 12:00:00", Some("951825600")),
            ("2023-04-13T16:42:59.50Z", Some("1681404179.5")),
            (
                "2023-04-13T16:42:59.463453217Z",
                Some("1681404179.463453217"),
            ),
            ("19", None),
            ("2023-13-01T00:00:00Z", None),
            ("2023-04-13T16:42", None),
            ("2023-04-13T16:42:59.5x", None),
            ("2023-04-13T16:42:59+2", None),
        ];
        for (text, expected) in cases {
            let seconds = seconds(text).map(|time| time.to_string());
            assert_eq!(seconds.as_deref(), expected, "{text}");
        }
    }
}
