//! Messages on their way: the first that is dequeued of the same event and payload is the first that was sent.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::super::entry::Name;
use super::record::{Event, Mail};

/// Messages on their way, by receiver, event and payload.
#[derive(Default)]
pub(super) struct Mailboxes {
    sent: FxHashMap<String, VecDeque<Sent>>,
    count: u64,
}

/// A message on its way.
struct Sent {
    id: String,
    sender: String,
    /// The number of its send, as the clock of its sender counts.
    count: u32,
}

impl Mailboxes {
    /// Gives what an event sends or receives its id. The clock still counts as the checker does.
    pub(super) fn pass(&mut self, event: &mut Event<'_>) {
        let Some(mail) = event.mail.take() else {
            return;
        };
        if mail.is_sent {
            let sender = (&*event.entry.process, event.own);
            let id = self.send(mail, sender);
            event.entry.sends.push(id.into());
        } else {
            let clock = event.entry.clock.as_deref().unwrap_or_default();
            let id = self.receive(&mail.key, clock);
            event.entry.recvs.extend(id.map(Into::into));
        }
    }

    fn send(&mut self, mail: Mail<'_>, (sender, count): (&str, u32)) -> String {
        self.count += 1;
        let id = format!("{}-{}", mail.event, self.count);
        let waiting = self.sent.entry(mail.key).or_default();
        waiting.push_back(Sent {
            id: id.clone(),
            sender: sender.to_owned(),
            count,
        });
        id
    }

    /// The message that is dequeued, if it was sent before as the clock counts.
    fn receive(&mut self, key: &str, clock: &[(Name<'_>, u32)]) -> Option<String> {
        let waiting = self.sent.get_mut(key)?;
        let first = waiting.front()?;
        let known = clock
            .iter()
            .find(|(process, _)| **process == first.sender)?;
        if known.1 < first.count {
            return None;
        }
        waiting.pop_front().map(|sent| sent.id)
    }
}
