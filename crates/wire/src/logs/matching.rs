//! Messages without ids: the n-th receive of a content is that of the n-th send of the same content.
//!
//! That is how channels behave that keep their order. Who sends the same content twice may lose one of the two, and then
//! nobody can say which. The order is right all the same, as long as nothing is received twice: n receives by one process
//! have n different sends, so one of these is the n-th or a later one, and it comes before the n-th receive. Only which
//! message is in transit may be wrong: such contents are counted, and so are receives for which there is no send.

use std::borrow::Cow;
use std::fmt::Write as _;

use hashbrown::HashMap;
use hashbrown::hash_map::EntryRef;
use rustc_hash::FxBuildHasher;

use causet_trace::Value as Plain;

use super::entry::{Datum, Entry, Flat, Name};
use super::scribe::Scribe;
use super::trouble::Trouble;

/// Sends and receives of messages that are known by a key only: their content, or what identifies them.
#[derive(Default)]
pub(crate) struct Matching {
    keys: HashMap<String, Count, FxBuildHasher>,
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
    /// The id of a message that is sent.
    pub(crate) fn send(&mut self, key: &str) -> String {
        let count = self.count(key);
        count.sent += 1;
        id(key, count.sent)
    }

    /// The id of a message that is received.
    pub(crate) fn receive(&mut self, key: &str) -> String {
        let count = self.count(key);
        count.received += 1;
        id(key, count.received)
    }

    /// Makes ids of the keys that an entry sends and receives.
    pub(crate) fn number(&mut self, entry: &mut Entry<'_>) {
        for key in &mut entry.sends {
            *key = Cow::Owned(self.send(key));
        }
        for key in &mut entry.recvs {
            *key = Cow::Owned(self.receive(key));
        }
    }

    /// Makes ids of the keys that an entry sends and receives, and tells it.
    pub(crate) fn tell(
        &mut self,
        mut entry: Entry<'_>,
        scribe: &mut Scribe<'_>,
    ) -> Result<(), Trouble> {
        self.number(&mut entry);
        scribe.add(&entry)?;
        Ok(())
    }

    fn count(&mut self, key: &str) -> &mut Count {
        // A key is copied when it is new, and not each time it is met.
        match self.keys.entry_ref(key) {
            EntryRef::Occupied(entry) => entry.into_mut(),
            EntryRef::Vacant(entry) => entry.insert(Count::default()),
        }
    }

    /// How well they could be matched. Of several keys the least is the example, so that it is always the same.
    pub(crate) fn matched(&self) -> Matched {
        let mut matched = Matched::default();
        let example = |(count, example): &mut (u64, Option<String>), key: &String, more: u32| {
            *count += u64::from(more);
            if example.as_ref().is_none_or(|least| key < least) {
                *example = Some(key.clone());
            }
        };
        for (key, count) in &self.keys {
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
pub(crate) fn content(from: &str, to: &str, what: &Flat<'_>) -> String {
    let mut members: Vec<&(Name<'_>, Datum<'_>)> = what.0.iter().collect();
    members.sort_by(|one, other| one.0.cmp(&other.0));
    let mut key = String::with_capacity(32 * members.len());
    key.extend([from, " -> ", to, " {"]);
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
fn id(key: &str, number: u32) -> String {
    match number {
        1 => key.to_owned(),
        _ => format!("{key}#{number}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_receive_is_that_of_the_second_send() {
        let mut matching = Matching::default();
        let sent = [matching.send("a"), matching.send("b"), matching.send("a")];
        let received = [
            matching.receive("a"),
            matching.receive("a"),
            matching.receive("c"),
        ];
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
