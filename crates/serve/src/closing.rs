//! The last word on a run: what could not be told while it went on is decided on its journal, like any recorded run.
//!
//! ```text
//! over --> consistent beginning --> decided --> told --> noted that it was told
//! ```
//!
//! A server that is killed on the way begins again: each step can be done twice. One that is stopped cuts short what is
//! being decided, says so, and does not note it, so it is decided when the server begins again.
//!
//! A few threads take the runs that are over one after the other. A thread for each run would take the processors from
//! those that take events and acknowledge them, and memory without a bound.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use causet_base::budget::Budget;
use causet_check::stream::Last;
use causet_wire::native::{self, Part, ReadOptions, Reading};

use crate::draining::drain;
use crate::keeping::{check, journal_of, note_last_word, write_down};
use crate::news::{News, Told};
use crate::recorded::{Judged, judge};
use crate::run::Closed;
use crate::stop::{Deadline, Stop};
use crate::witnesses::{Errand, Tell, show};

/// A longer journal is not read at a time; a run takes about as much memory as its lines.
const LONGEST: u64 = 2 << 30;
const TOO_LONG: &str = "the run is long: `causet check --stream` on its folder decides it";

/// How long one property of a run that is over may take to be decided.
const DECISION_TIME: Duration = Duration::from_secs(10);

/// Why there is no verdict on a run that was over when the server stopped.
const STOPPED: &str = "the server was stopped before it was decided";

/// Starts the threads that tell the last words, for half of the processors. They end when no run can be handed in any more.
pub(crate) fn start(tell: &Tell, stop: &Stop) -> io::Result<(Sender<Closed>, Vec<JoinHandle<()>>)> {
    let (closed, queue) = channel();
    let queue = Arc::new(Mutex::new(queue));
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = (0..processors.div_ceil(2)).map(|_| {
        let (queue, tell, stop) = (Arc::clone(&queue), Arc::clone(tell), stop.clone());
        let thread = std::thread::Builder::new().name("closing".to_owned());
        thread.spawn(move || work(&queue, &tell, &stop))
    });
    Ok((closed, threads.collect::<io::Result<_>>()?))
}

fn work(queue: &Mutex<Receiver<Closed>>, tell: &Tell, stop: &Stop) {
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
    while let Ok(closed) = next() {
        close(closed, &**tell, stop);
    }
}

/// Tells the last word on every property that was not certain before.
fn close(mut closed: Closed, tell: &dyn Fn(&Told), stop: &Stop) {
    if closed.is_forgotten || tell_rest(&mut closed, tell, stop) {
        // If it cannot be noted, it is told again after a restart.
        let _ = note_last_word(&closed.folder);
    }
}

/// Whether all of it could be told; what a server that stops has no time for is not noted, and decided after a restart.
fn tell_rest(closed: &mut Closed, tell: &dyn Fn(&Told), stop: &Stop) -> bool {
    let drained = check(&closed.folder).and_then(|()| match closed.is_consistent {
        true => Ok(0),
        false => drain(&closed.folder, &closed.name, stop),
    });
    // What was decided was decided on all events.
    if !matches!(drained, Ok(0)) {
        closed.last.iter_mut().for_each(leave_open);
    }
    let left_out = drained.as_ref().map_or(0, |&events| events);
    let names = closed
        .asked
        .properties
        .iter()
        .map(|(property, _)| &property.name);
    let mut named = closed.last.iter().zip(names);
    let is_open = |(last, name)| matches!(last, &Last::Open) && !closed.told.contains(name);
    let reading = match named.any(is_open) {
        true => Some(drained.and_then(|_| read(closed, stop))),
        false => None,
    };
    if let Some(Ok(reading)) = &reading {
        closed.events = reading.trace.len() as u64;
    }
    let mut is_whole = true;
    for (last, (property, lets)) in closed.last.iter().zip(closed.asked.properties.iter()) {
        let name = &property.name;
        let judged = match (last, &reading) {
            _ if closed.told.contains(name) => continue,
            (Last::Certain(_), _) | (Last::Open, None) => continue,
            (Last::Decided(outcome), _) => {
                Judged::bare(outcome.verdict.word(), outcome.verdict.reason())
            }
            (Last::Open, Some(Ok(reading))) => {
                let deadline = Deadline::after(DECISION_TIME, stop);
                let memory = closed.asked.means.memory.unwrap_or(u64::MAX);
                let budget = Budget::new(&deadline).with_memory(memory, 0);
                judge(reading, property, lets, &budget)
            }
            (Last::Open, Some(Err(error))) => {
                let is_long = error.kind() == io::ErrorKind::FileTooLarge;
                let verdict = if is_long { "unknown" } else { "refused" };
                Judged::bare(verdict, Some(error.to_string()))
            }
        };
        let mut news = News {
            run: closed.name.clone(),
            property: name.clone(),
            verdict: judged.verdict,
            certain: false,
            reason: judged.reason,
            at: BTreeMap::new(),
            events: closed.events,
            left_out,
        };
        if stop.is_set() && !matches!(news.verdict, "holds" | "violated") {
            (news.verdict, news.reason) = ("unknown", Some(STOPPED.to_owned()));
            tell(&Told::News(news));
            is_whole = false;
            continue;
        }
        self::tell(&closed.folder, &Told::News(news), tell);
        if let Some(order) = judged.order {
            let shown = Told::Witness(order.told(&closed.name, name, closed.events));
            self::tell(&closed.folder, &shown, tell);
        } else if judged.verdict == "violated" {
            let shown = closed.errand(name).and_then(|errand| show(&errand, stop));
            // The verdict stands without it.
            if let Ok(Some(shown)) = shown {
                self::tell(&closed.folder, &shown, tell);
            }
        }
    }
    is_whole
}

impl Closed {
    /// What it takes to show a violation.
    fn errand(&self, property: &str) -> Result<Errand, String> {
        let length = journal_of(&self.folder).and_then(|journal| journal.metadata());
        Ok(Errand {
            folder: self.folder.clone(),
            run: self.name.clone(),
            property: property.to_owned(),
            asked: self.asked.clone(),
            verdict: "violated",
            length: length.map_err(|error| error.to_string())?.len(),
            events: self.events,
            at: BTreeMap::new(),
            is_observed: false,
        })
    }
}

fn leave_open(last: &mut Last) {
    if matches!(last, Last::Decided(_)) {
        *last = Last::Open;
    }
}

fn read(closed: &Closed, stop: &Stop) -> io::Result<Reading> {
    let journal = journal_of(&closed.folder)?;
    if journal.metadata()?.len() > LONGEST {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, TOO_LONG));
    }
    let part = Part::new(&closed.name, journal);
    native::read(vec![part], &ReadOptions::default(), stop).map_err(io::Error::other)
}

/// Tells something, and notes that it was told. What cannot be noted is told all the same, and again after a restart.
pub(crate) fn tell(folder: &Path, told: &Told, tell: &dyn Fn(&Told)) {
    let _ = write_down(folder, &told.line());
    tell(told);
}
