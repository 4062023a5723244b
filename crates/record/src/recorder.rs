//! The recorder of one sequential process: its name, its place, its vector clock.

use std::sync::Arc;

use crate::event::{Event, Scratch};
use crate::knowledge::Knowledge;
use crate::recording::Recording;

/// Records the events of one process, one after the other. It can move to another thread but not be shared: a process
/// does one thing at a time.
#[derive(Debug)]
pub struct Recorder {
    pub(crate) recording: Recording,
    pub(crate) process: Arc<str>,
    /// How many events are recorded.
    pub(crate) number: u32,
    pub(crate) knows: Knowledge,
    pub(crate) scratch: Scratch,
    ended: bool,
}

impl Recorder {
    pub(crate) fn new(
        recording: Recording,
        process: Arc<str>,
        number: u32,
        knows: Knowledge,
    ) -> Self {
        Recorder {
            scratch: Scratch::new(&process),
            recording,
            process,
            number,
            knows,
            ended: false,
        }
    }

    /// The name of the process.
    pub fn name(&self) -> &str {
        &self.process
    }

    /// How many events of the process are recorded; the last one has this number.
    pub fn position(&self) -> u32 {
        self.number
    }

    /// Begins an event with a name. It is recorded when it is `done`, sent or dropped.
    pub fn event(&mut self, name: &str) -> Event<'_> {
        Event::new(self, Some(name))
    }

    /// Begins an event without a name.
    pub fn step(&mut self) -> Event<'_> {
        Event::new(self, None)
    }

    /// Records that the process has ended: nothing of it is missing.
    pub fn end(mut self) {
        self.recording.write_end(&self.process);
        self.ended = true;
    }

    /// The recording this process belongs to.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }
}

impl Recorder {
    /// Begins another process of the same recording: an event `spawn name` here, then an event `start` there.
    pub(crate) fn spawn(&mut self, name: &str) -> Recorder {
        let mut child = self.recording.process(name);
        let spawned = self.event(&format!("spawn {name}")).done();
        child.event("start").after(&spawned).done();
        child
    }

    /// Records `join name`, after the last event of a process that has no recorder any more.
    pub(crate) fn join(&mut self, name: &str) {
        let last = self.recording.last(name);
        let event = self.event(&format!("join {name}"));
        last.iter().fold(event, Event::after).done();
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let knows = self.knows.take();
        self.recording
            .leave(&self.process, self.number, knows, self.ended);
        if std::thread::panicking() {
            // What led to the panic is what one wants to read; an error is told by the next flush.
            let _ = self.recording.flush();
        }
    }
}
