//! Messages without ids: the n-th receive of a content is that of the n-th send of the same content.
//!
//! That is how channels behave that keep their order. Who sends the same content twice may lose one of the two, and then
//! nobody can say which: such contents are counted, and so are receives for which there is no send.

use hashbrown::HashMap;
use hashbrown::hash_map::EntryRef;
use rustc_hash::FxBuildHasher;

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
        assert_eq!(matched.in_transit, 1);
        assert_eq!(matched.unsent, (1, Some("c".to_owned())));
        assert_eq!(matched.ambiguous, (1, Some("a".to_owned())));
    }
}
