//! One report, worked out from its fields without knowing any other.

use std::borrow::Cow;

use causet_trace::Time;

use super::super::entry::Name;
use super::fields::{Fields, Known};

/// A report in texts, which are borrowed from the document where that is possible.
pub(super) struct Report<'t> {
    pub(super) task: Name<'t>,
    pub(super) event: Event<'t>,
    /// Events of the same task.
    pub(super) parents: Vec<Event<'t>>,
    /// Its thread.
    pub(super) process: String,
    /// What its thread goes by, for order.
    pub(super) clock: Option<i64>,
    pub(super) time: Option<Time>,
    pub(super) label: Option<Name<'t>>,
    pub(super) fields: Vec<(Name<'t>, Name<'t>)>,
}

/// What an event is called. Mostly that are 16 digits, which fit a machine word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Event<'t> {
    /// Sixteen digits.
    Digits(u64),
    /// Anything else.
    Text(Name<'t>),
}

impl<'t> Event<'t> {
    fn of(text: Name<'t>) -> Self {
        match digits(&text) {
            Some(number) => Event::Digits(number),
            None => Event::Text(text),
        }
    }
}

/// Sixteen digits as a number. Small letters are other digits, so that no two texts have the same number.
fn digits(text: &str) -> Option<u64> {
    let digits: &[u8; 16] = text.as_bytes().try_into().ok()?;
    digits.iter().try_fold(0, |number, digit| {
        let digit = match digit {
            b'0'..=b'9' => digit - b'0',
            b'A'..=b'F' => digit - b'A' + 10,
            _ => return None,
        };
        Some(number << 4 | u64::from(digit))
    })
}

impl<'t> Report<'t> {
    /// What fields say, or what is wrong with them.
    pub(super) fn of(fields: &mut Fields<'t>) -> Result<Self, &'static str> {
        let (task, event) = match fields.take_text(Known::XTrace) {
            Some(both) => split(both).ok_or("this X-Trace id is too short")?,
            None => {
                let event = fields.take_text(Known::EventId);
                let event = event.ok_or("this report has no id")?;
                let task = fields.take_text(Known::TaskId);
                (task.unwrap_or_default(), event)
            }
        };
        let text = |known: Known| fields.text(known).map(|text| &**text);
        let process = match (text(Known::ProcessId), text(Known::ThreadId)) {
            (Some(process), Some(thread)) => match text(Known::Host) {
                Some(host) if !process.contains(host) => [process, "@", host, "/", thread].concat(),
                _ => [process, "/", thread].concat(),
            },
            _ => [text(Known::Agent).unwrap_or("report"), "#", &event].concat(),
        };
        let time = text(Known::Timestamp).and_then(seconds);
        let precise = text(Known::Hrt).and_then(|time| time.parse::<i64>().ok());
        let edges = fields.take_all(Known::Edge);
        let parents = edges.or_else(|| fields.take_all(Known::ParentEventId));
        let label = fields.take_text(Known::Label);
        Ok(Report {
            task,
            event: Event::of(event),
            parents: parents.into_iter().flatten().map(Event::of).collect(),
            process,
            clock: precise.or(time.map(|time| time.whole_units(6))),
            time,
            label: label.or_else(|| fields.take_text(Known::Title)),
            fields: std::mem::take(&mut fields.others),
        })
    }
}

/// The task and the event of an id: the event is the last 16 digits, the task what stands before, but for two digits
/// that say how long the ids are.
fn split(both: Name<'_>) -> Option<(Name<'_>, Name<'_>)> {
    let at = both.len().checked_sub(16).filter(|&at| at >= 2)?;
    Some(match both {
        Cow::Borrowed(both) => (both.get(2..at)?.into(), both.get(at..)?.into()),
        Cow::Owned(both) => (
            both.get(2..at)?.to_owned().into(),
            both.get(at..)?.to_owned().into(),
        ),
    })
}

/// A time in seconds, or in milliseconds if it would be later than the year 5138.
fn seconds(text: &str) -> Option<Time> {
    let seconds = Time::parse(text).ok()?;
    let is_millis = seconds.whole_units(0) >= 100_000_000_000;
    if is_millis {
        Time::parse_scaled(text, 3).ok()
    } else {
        Some(seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_texts_have_the_same_number() {
        let texts = [
            "00000000000000AF",
            "00000000000000aF",
            "00000000000000A0",
            "0000000000000AF",
            "+0000000000000AF",
            "FFFFFFFFFFFFFFFF",
        ];
        let events = texts.map(|text| Event::of(text.into()));
        assert_eq!(events[0], Event::Digits(0xAF));
        assert_eq!(events[5], Event::Digits(u64::MAX));
        for (number, event) in events.iter().enumerate() {
            assert!(!events[..number].contains(event), "{}", texts[number]);
        }
    }
}
