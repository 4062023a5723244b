//! Messages without ids: the n-th receive of a content is that of the n-th send of the same content.
//!
//! That is how channels behave that keep their order. Who sends the same content twice may lose one of the two, and then
//! nobody can say which. The order is right all the same, as long as nothing is received twice: n receives by one process
//! have n different sends, so one of these is the n-th or a later one, and it comes before the n-th receive. Only which
//! message is in transit may be wrong: such contents are counted, and so are receives for which there is no send.

use std::borrow::Cow;
use std::fmt::Write as _;

use causet_trace::StoredValue as Plain;

use super::entry::{Datum, Entry, Name};
use super::scribe::Scribe;
use super::symbols::Symbols;
use crate::error::ReadError;

/// Sends and receives of messages that are known by a key only: their content, or what identifies them.
#[derive(Default)]
pub(crate) struct Matching {
    keys: Symbols,
    /// How often each key was met, by its number.
    counts: Vec<Count>,
}

#[derive(Clone, Copy, Default)]
struct Count {
    sent: u32,
    received: u32,
}

/// How well messages could be matched.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Matched {
    /// Different keys that were sent.
    pub(crate) sent: u64,
    /// Sends that were never received.
    pub(crate) in_transit: u64,
    /// Receives without a send, with one of the keys.
    pub(crate) unsent: (u64, Option<String>),
    /// Keys that were sent more than once, with one of them.
    pub(crate) ambiguous: (u64, Option<String>),
}

impl Matching {
    /// Makes an id of the key of a message that is sent.
    fn send(&mut self, key: &mut Name<'_>) {
        let count = self.count(key);
        count.sent += 1;
        let number = count.sent;
        make_id(key, number);
    }

    /// Makes an id of the key of a message that is received; whether it was sent already.
    fn receive(&mut self, key: &mut Name<'_>) -> bool {
        let count = self.count(key);
        count.received += 1;
        let (number, is_sent) = (count.received, count.received <= count.sent);
        make_id(key, number);
        is_sent
    }

    /// Makes ids of the keys that an entry sends and receives; whether all that it receives was sent already.
    pub(crate) fn number(&mut self, entry: &mut Entry<'_>) -> bool {
        entry.sends.iter_mut().for_each(|key| self.send(key));
        let mut are_sent = true;
        for key in &mut entry.recvs {
            are_sent &= self.receive(key);
        }
        are_sent
    }

    /// Makes ids of the keys that an entry sends and receives, and tells it. The keys name the senders, so whose a message
    /// is has not to be said again once it was sent.
    pub(crate) fn tell(
        &mut self,
        entry: &mut Entry<'_>,
        scribe: &mut Scribe<'_>,
    ) -> Result<(), ReadError> {
        if self.number(entry) {
            entry.from = None;
        }
        scribe.add(entry)?;
        Ok(())
    }

    fn count(&mut self, key: &str) -> &mut Count {
        let number = self.keys.symbol(key).index();
        if number == self.counts.len() {
            self.counts.push(Count::default());
        }
        &mut self.counts[number]
    }

    /// How well they could be matched. Of several keys the least is the example, so that it is always the same.
    pub(crate) fn matched(&self) -> Matched {
        let mut matched = Matched::default();
        let example = |(count, example): &mut (u64, Option<String>), key: &str, more: u32| {
            *count += u64::from(more);
            if example.as_ref().is_none_or(|least| key < least.as_str()) {
                *example = Some(key.to_owned());
            }
        };
        for (key, count) in self.keys.texts().zip(&self.counts) {
            matched.sent += u64::from(count.sent > 0);
            matched.in_transit += u64::from(count.sent.saturating_sub(count.received));
            let unsent = count.received.saturating_sub(count.sent);
            if unsent > 0 {
                example(&mut matched.unsent, key, unsent);
            }
            if count.sent > 1 {
                example(&mut matched.ambiguous, key, 1);
            }
        }
        matched
    }

    /// Says how well messages could be matched by their content. Receives without a send are told by whoever builds the
    /// run, since it lets them pass or does not.
    pub(crate) fn report(&self, scribe: &mut Scribe<'_>) {
        let matched = self.matched();
        let (repeated, Some(example)) = &matched.ambiguous else {
            return;
        };
        let message = format!(
            "messages were matched by their content: {repeated} of {} contents were sent more than once, such as \
             `{example}`, and {} sends were never received",
            matched.sent, matched.in_transit
        );
        let help = "the n-th receive of a content is taken for that of its n-th send: the order is right even if one was \
                    lost, but which of them is in transit is not known";
        scribe.note(1, message, help);
    }
}

/// A key of a message that is known by its sender, its receiver and its content, whatever the order of its members.
pub(crate) fn content<'m, 'a: 'm>(
    from: &str,
    to: &str,
    what: impl Iterator<Item = (&'m Name<'a>, &'m Datum<'a>)>,
) -> String {
    let mut members: Vec<(&Name<'_>, &Datum<'_>)> = what.collect();
    members.sort_by(|one, other| one.0.cmp(other.0));
    let mut key = String::with_capacity(16 + 16 * members.len());
    for part in [from, " -> ", to, " {"] {
        key.push_str(part);
    }
    for (number, (name, datum)) in members.into_iter().enumerate() {
        let comma = if number == 0 { "" } else { "," };
        key.extend([comma, name, ":"]);
        match datum {
            Datum::Plain(Plain::Int(value)) => drop(write!(key, "{value}")),
            Datum::Plain(Plain::Bool(value)) => key.push_str(if *value { "true" } else { "false" }),
            Datum::Plain(value) => key.push_str(&value.number_text().unwrap_or_default()),
            Datum::Text(text) => key.extend(["\"", text, "\""]),
        }
    }
    key.push('}');
    key
}

/// The first message of a key is called by the key alone.
fn make_id(key: &mut Name<'_>, number: u32) {
    if number > 1 {
        *key = Cow::Owned(format!("{key}#{number}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_receive_is_that_of_the_second_send() {
        let mut matching = Matching::default();
        let keys = |keys: [&'static str; 3]| keys.map(Name::from);
        let mut sent = keys(["a", "b", "a"]);
        sent.iter_mut().for_each(|key| matching.send(key));
        let mut received = keys(["a", "a", "c"]);
        let are_sent = received.each_mut().map(|key| matching.receive(key));
        assert_eq!(are_sent, [true, true, false]);
        assert_eq!(sent[0], received[0]);
        assert_eq!(sent[2], received[1]);
        assert_ne!(sent[0], sent[2]);
        let matched = matching.matched();
        assert_eq!(matched.sent, 2);
        assert_eq!(matched.in_transit, 1);
        assert_eq!(matched.unsent, (1, Some("c".to_owned())));
        assert_eq!(matched.ambiguous, (1, Some("a".to_owned())));
    }
}
