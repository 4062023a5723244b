//! The stage on which protocols play: a seeded scheduler, counted events, and letters on their way.

use std::collections::VecDeque;

use causet_record::{Event, EventRef, Recorder, Stamp};
use fastrand::Rng;

use crate::options::Options;

/// How often the scheduler draws a blocked process before it asks all of them in turn.
const PATIENCE: usize = 100;

/// After so many events the lines are handed on; when nobody takes them there is no point in going on.
const HANDED_ON: u64 = 1 << 16;

/// Where one run happens: its processes, its chance, and how many events are left to record.
pub(crate) struct Stage<'a> {
    /// What was asked for.
    pub(crate) options: &'a Options,
    /// The source of all chance.
    pub(crate) rng: Rng,
    names: Vec<String>,
    recorders: Vec<Recorder>,
    left: u64,
}

impl<'a> Stage<'a> {
    /// A stage with one recorder for each process.
    pub(crate) fn new(
        options: &'a Options,
        names: Vec<String>,
        recorders: Vec<Recorder>,
    ) -> Stage<'a> {
        Stage {
            options,
            rng: Rng::with_seed(options.seed),
            names,
            recorders,
            left: options.events,
        }
    }

    /// How many processes there are.
    pub(crate) fn procs(&self) -> usize {
        self.recorders.len()
    }

    /// Gives turns to processes drawn at random until the events are used up or nobody can move.
    ///
    /// A turn records at most one event, and says whether the process moved; a blocked one is skipped.
    pub(crate) fn schedule(&mut self, mut turn: impl FnMut(&mut Stage<'a>, usize) -> bool) {
        let mut blocked = 0;
        while self.left > 0 && self.is_read() {
            let process = self.rng.usize(..self.procs());
            if turn(self, process) {
                blocked = 0;
            } else {
                blocked += 1;
            }
            if blocked > PATIENCE * self.procs() {
                if !(0..self.procs()).any(|process| turn(self, process)) {
                    return;
                }
                blocked = 0;
            }
        }
    }

    /// Whether the lines still go somewhere, asked from time to time.
    fn is_read(&self) -> bool {
        !self.left.is_multiple_of(HANDED_ON) || self.recorders[0].recording().flush().is_ok()
    }

    /// The next event of a process.
    pub(crate) fn event(&mut self, process: usize, name: &str) -> Event<'_> {
        self.left -= 1;
        self.recorders[process].event(name)
    }

    /// The next event of a process, which sends to another.
    pub(crate) fn message(&mut self, process: usize, to: usize, name: &str) -> Event<'_> {
        self.left -= 1;
        self.recorders[process].event(name).to(&self.names[to])
    }

    /// True so many times in a hundred.
    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.rng.u64(..100) < percent
    }

    /// True so many times in a hundred, and only in the faulty version.
    pub(crate) fn slips(&mut self, percent: u64) -> bool {
        self.options.faulty && self.chance(percent)
    }

    /// A process other than this one.
    pub(crate) fn other(&mut self, process: usize) -> usize {
        let step = self.rng.usize(1..self.procs());
        (process + step) % self.procs()
    }
}

/// A variable that several processes write: what is in it, and who put it there.
///
/// Every write stands after the write before it, and every read after the write it sees. That a read stands before
/// the *next* write is not recorded: the papers do not, and the orders in which it does not are worth checking.
pub(crate) struct Shared {
    name: String,
    value: i64,
    written: Option<(usize, EventRef)>,
}

impl Shared {
    /// A variable that holds 0.
    pub(crate) fn new(name: impl Into<String>) -> Shared {
        Shared {
            name: name.into(),
            value: 0,
            written: None,
        }
    }

    /// What is in it.
    pub(crate) fn value(&self) -> i64 {
        self.value
    }

    /// Orders an event of a process after the last write.
    pub(crate) fn read<'e>(&self, process: usize, event: Event<'e>) -> Event<'e> {
        match &self.written {
            Some((writer, write)) if *writer != process => event.after(write),
            _ => event,
        }
    }

    /// Makes an event of a process write the variable, after the last write.
    pub(crate) fn write(&mut self, process: usize, value: i64, event: Event<'_>) {
        let event = self.read(process, event);
        let written = event.set(&self.name, value).done();
        self.wrote(process, value, written);
    }

    fn wrote(&mut self, process: usize, value: i64, written: EventRef) {
        self.value = value;
        self.written = Some((process, written));
    }
}

/// A variable that one process writes and others read.
#[derive(Default)]
pub(crate) struct Flag {
    /// What is in it.
    pub(crate) value: i64,
    written: Option<EventRef>,
}

impl Flag {
    /// Orders an event of another process after the last write.
    pub(crate) fn read<'e>(&self, event: Event<'e>) -> Event<'e> {
        match &self.written {
            Some(write) => event.after(write),
            None => event,
        }
    }

    /// Remembers the event that wrote it.
    pub(crate) fn wrote(&mut self, value: i64, written: EventRef) {
        self.value = value;
        self.written = Some(written);
    }
}

/// A message on its way.
pub(crate) struct Letter<M> {
    /// Who sent it.
    pub(crate) from: usize,
    /// What it says.
    pub(crate) body: M,
    /// What its receipt must name.
    pub(crate) stamp: Stamp,
}

/// The letters that have been sent and not received: first in, first out between any two processes.
pub(crate) struct Post<M> {
    boxes: Vec<VecDeque<Letter<M>>>,
}

impl<M> Post<M> {
    /// Empty boxes for so many processes.
    pub(crate) fn new(procs: usize) -> Post<M> {
        Post {
            boxes: (0..procs).map(|_| VecDeque::new()).collect(),
        }
    }

    /// Puts a letter into a box.
    pub(crate) fn put(&mut self, from: usize, to: usize, body: M, stamp: Stamp) {
        self.boxes[to].push_back(Letter { from, body, stamp });
    }

    /// How many letters lie in a box.
    pub(crate) fn waiting(&self, to: usize) -> usize {
        self.boxes[to].len()
    }

    /// Takes the oldest letter of a sender drawn at random.
    pub(crate) fn take(&mut self, to: usize, rng: &mut Rng) -> Option<Letter<M>> {
        let letters = &mut self.boxes[to];
        if letters.is_empty() {
            return None;
        }
        let from = letters[rng.usize(..letters.len())].from;
        let oldest = letters.iter().position(|letter| letter.from == from)?;
        letters.remove(oldest)
    }
}
