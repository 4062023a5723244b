//! One event while it is put together, and the line it becomes.

use std::fmt::Write as _;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::json::{Items, push_integer, push_message, push_string};
use crate::knowledge::{Knowledge, learn};
use crate::recorder::Recorder;
use crate::stamp::Stamp;
use crate::value::Value;

/// An event of a process. It is recorded when [`done`](Event::done) or [`send`](Event::send) is called, or when it is
/// dropped; but not when a panic cuts its construction short, for then it did not happen.
#[derive(Debug)]
pub struct Event<'r> {
    recorder: &'r mut Recorder,
    knows: Knowledge,
    time: Option<f64>,
    written: bool,
    /// Whether the thread was panicking when the event began.
    panicking: bool,
}

/// Names an event: the process and the number of the event in it, from 1. Refers to what the event had heard of, too,
/// so that vector clocks stay whole.
#[derive(Clone, Debug)]
pub struct EventRef {
    /// The process.
    pub process: Arc<str>,
    /// The number of the event in its process, from 1.
    pub number: u32,
    pub(crate) knows: Knowledge,
}

/// The parts of a line, kept from event to event.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    line: String,
    /// How much of the line is the same for all events: `{"p":"name"`.
    start: usize,
    recvs: Items,
    sets: Items,
    reads: Items,
    to: Items,
    after: Items,
}

impl Event<'_> {
    pub(crate) fn new<'r>(recorder: &'r mut Recorder, name: Option<&str>) -> Event<'r> {
        let scratch = &mut recorder.scratch;
        scratch.clear();
        if let Some(name) = name {
            scratch.line.push_str(",\"ev\":");
            push_string(&mut scratch.line, name);
        }
        Event {
            knows: recorder.knows.clone(),
            recorder,
            time: None,
            written: false,
            panicking: std::thread::panicking(),
        }
    }

    /// The event writes a variable; of several writes of one variable the last counts.
    pub fn set(self, var: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        self.recorder.scratch.sets.put(var, |out| value.push(out));
        self
    }

    /// The event reads a shared variable, which the recording must have declared.
    pub fn read(self, var: &str) -> Self {
        self.recorder.scratch.reads.add(|out| push_string(out, var));
        self
    }

    /// The event receives the message that carries the stamp.
    pub fn recv(mut self, stamp: &Stamp) -> Self {
        let recvs = &mut self.recorder.scratch.recvs;
        recvs.add(|out| push_message(out, &stamp.process, stamp.number));
        self.learn(&stamp.process, stamp.number, &stamp.knows);
        self
    }

    /// The event comes after another, without a message.
    pub fn after(mut self, event: &EventRef) -> Self {
        if event.process != self.recorder.process {
            self.recorder.scratch.after.add(|out| {
                out.push('[');
                push_string(out, &event.process);
                out.push(',');
                push_integer(out, event.number);
                out.push(']');
            });
            self.learn(&event.process, event.number, &event.knows);
        }
        self
    }

    /// The event sends to a process; may be said of several.
    pub fn to(self, process: &str) -> Self {
        self.recorder
            .scratch
            .to
            .add(|out| push_string(out, process));
        self
    }

    /// The event sends to a process, if one is known.
    pub(crate) fn addressed(self, process: Option<&str>) -> Self {
        match process {
            Some(process) => self.to(process),
            None => self,
        }
    }

    /// The wall-clock time of the event in seconds, for display only; not written unless finite.
    pub fn time(mut self, seconds: f64) -> Self {
        self.time = Some(seconds).filter(|seconds| seconds.is_finite());
        self
    }

    /// Records the event as the sending of a message, and gives the stamp for the message to carry.
    pub fn send(mut self) -> Stamp {
        self.write(true);
        Stamp {
            process: self.recorder.process.clone(),
            number: self.recorder.number,
            knows: self.recorder.knows.clone(),
        }
    }

    /// Records the event.
    pub fn done(mut self) -> EventRef {
        self.write(false);
        EventRef {
            process: self.recorder.process.clone(),
            number: self.recorder.number,
            knows: self.recorder.knows.clone(),
        }
    }

    fn learn(&mut self, process: &Arc<str>, number: u32, its: &Knowledge) {
        learn(
            &mut self.knows,
            &self.recorder.process,
            process,
            number,
            its,
        );
    }

    fn write(&mut self, sends: bool) {
        self.written = true;
        let recorder = &mut *self.recorder;
        recorder.number += 1;
        recorder.knows = self.knows.take();
        let message = sends.then_some(recorder.number);
        let scratch = &mut recorder.scratch;
        scratch.push_fields(&recorder.process, message);
        if !scratch.recvs.is_empty() {
            scratch.push_clock(&recorder.process, recorder.number, &recorder.knows);
        }
        if let Some(time) = self.time {
            let _ = write!(scratch.line, ",\"t\":{time}");
        }
        scratch.line.push_str("}\n");
        let line = scratch.line.as_bytes();
        let process = &recorder.process;
        recorder.recording.write(process, recorder.number, line);
    }
}

impl Drop for Event<'_> {
    fn drop(&mut self) {
        let cut_short = std::thread::panicking() && !self.panicking;
        if !self.written && !cut_short {
            self.write(false);
        }
    }
}

impl EventRef {
    /// Names an event of which no more is known than this. Whoever comes after it writes no vector clocks from then on,
    /// for they would not be whole.
    pub fn new(process: &str, number: u32) -> EventRef {
        EventRef {
            process: Arc::from(process),
            number,
            knows: None,
        }
    }
}

impl PartialEq for EventRef {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number && self.process == other.process
    }
}

impl Eq for EventRef {}

impl Hash for EventRef {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.process, self.number).hash(state);
    }
}

impl Scratch {
    pub(crate) fn new(process: &str) -> Self {
        let mut line = String::from("{\"p\":");
        push_string(&mut line, process);
        Scratch {
            start: line.len(),
            line,
            ..Scratch::default()
        }
    }

    fn clear(&mut self) {
        self.line.truncate(self.start);
        for items in [
            &mut self.recvs,
            &mut self.sets,
            &mut self.reads,
            &mut self.to,
            &mut self.after,
        ] {
            items.clear();
        }
    }

    /// The fields in the order in which the format's own writer has them.
    fn push_fields(&mut self, process: &str, message: Option<u32>) {
        let line = &mut self.line;
        self.recvs.push_list(line, ",\"recv\":", true);
        self.sets.push_object(line, ",\"set\":");
        self.reads.push_list(line, ",\"read\":", false);
        if let Some(number) = message {
            line.push_str(",\"send\":");
            push_message(line, process, number);
            // A destination without a message means nothing to the format.
            self.to.push_list(line, ",\"to\":", true);
        }
        self.after.push_list(line, ",\"after\":", false);
    }

    fn push_clock(&mut self, process: &str, number: u32, knows: &Knowledge) {
        let Some(known) = knows else { return };
        let line = &mut self.line;
        line.push_str(",\"clock\":{");
        for (process, count) in known.entries() {
            push_string(line, process);
            line.push(':');
            push_integer(line, *count);
            line.push(',');
        }
        push_string(line, process);
        line.push(':');
        push_integer(line, number);
        line.push('}');
    }
}
