//! The last write of an object and the reads since then: all that a later operation can come after.

use crate::event::{Event, EventRef};

/// Earlier events are reached through these.
#[derive(Debug, Default)]
pub(super) struct Edges {
    written: Option<EventRef>,
    /// The last read of each process since the write.
    reads: Vec<EventRef>,
}

impl Edges {
    /// The event comes after the last write.
    pub(super) fn after_write<'r>(&self, event: Event<'r>) -> Event<'r> {
        self.written.iter().fold(event, Event::after)
    }

    /// The event comes after the last write and the reads since then.
    pub(super) fn after_all<'r>(&self, event: Event<'r>) -> Event<'r> {
        self.reads
            .iter()
            .fold(self.after_write(event), Event::after)
    }

    /// The event was a write. What came before it is forgotten.
    pub(super) fn note_write(&mut self, event: EventRef) {
        self.written = Some(event);
        self.reads.clear();
    }

    /// The event was a read.
    pub(super) fn note_read(&mut self, event: EventRef) {
        let same = |read: &&mut EventRef| read.process == event.process;
        match self.reads.iter_mut().find(same) {
            Some(read) => *read = event,
            None => self.reads.push(event),
        }
    }
}
