//! Durations and sizes as people write them: `30s`, `4G`, `512MiB`.

use std::time::Duration;

use causet_base::{Code, Diagnostic};

/// Reads `250ms`, `30s`, `5m`, `2h`; a bare number is seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, Diagnostic> {
    let (number, unit) = split(text);
    let seconds = match unit.to_ascii_lowercase().as_str() {
        "ms" => 0.001,
        "" | "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => {
            return Err(wrong(format!(
                "`{unit}` is no unit of time: use ms, s, m or h, as in 30s"
            )));
        }
    };
    let number = parse(number, "30s")?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| wrong("this is too long"))
}

/// Reads `64K`, `500M`, `4G`, `1T`, also `KiB`, `MB` and so on; a bare number is bytes. `K` is 1024.
pub(crate) fn bytes(text: &str) -> Result<u64, Diagnostic> {
    let (number, unit) = split(text);
    let lower = unit.to_ascii_lowercase();
    let stem = lower
        .strip_suffix("ib")
        .or(lower.strip_suffix('b'))
        .unwrap_or(&lower);
    let power = match stem {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => {
            return Err(wrong(format!(
                "`{unit}` is no unit of memory: use K, M or G, as in 4G"
            )));
        }
    };
    let number = parse(number, "4G")?;
    let bytes = number * 1024_f64.powi(power);
    if bytes > u64::MAX as f64 {
        return Err(wrong("this is more than there can be"));
    }
    Ok(bytes as u64)
}

/// What is wrong with an argument.
fn wrong(message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(Code::Usage, message)
}

/// The digits and the unit.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

fn parse(number: &str, example: &str) -> Result<f64, Diagnostic> {
    let expected = || wrong(format!("expected a number with a unit, as in {example}"));
    let number: f64 = number.parse().map_err(|_| expected())?;
    if number > 0.0 {
        Ok(number)
    } else {
        Err(wrong("this must be more than 0"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        let read = |text| duration(text).map(|duration| duration.as_millis());
        assert_eq!(read("250ms"), Ok(250));
        assert_eq!(read("30s"), Ok(30_000));
        assert_eq!(read("1.5"), Ok(1500));
        assert_eq!(read("2 m"), Ok(120_000));
        assert_eq!(read("1h"), Ok(3_600_000));
        for wrong in ["", "s", "0s", "-1s", "3 days", "1e400s", "1.2.3s"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(bytes("4096"), Ok(4096));
        assert_eq!(bytes("64K"), Ok(65_536));
        assert_eq!(bytes("1.5MiB"), Ok(1_572_864));
        assert_eq!(bytes("4g"), Ok(4 << 30));
        assert_eq!(bytes("2GB"), Ok(2 << 30));
        for wrong in ["", "G", "0", "4X", "-4G", "99999999999999T"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
