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
//!
//! A property that is not decided at the first look waits until every run that is over has had its first look: hard
//! properties of one run hold back nothing that is easily told of others.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use causet_base::budget::Budget;
use causet_check::stream::Last;
use causet_formats::native::{self, Part, ReadOptions, Reading};

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

/// How long the first look at one property of a run that is over may take.
const FIRST_LOOK: Duration = Duration::from_millis(100);
/// How long one property that the first look left open may take to be decided.
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
    let mut hard = VecDeque::new();
    while let Some((mut closed, time)) = next(queue, &mut hard) {
        match close(&mut closed, time, &**tell, stop) {
            // If it cannot be noted, it is told again after a restart.
            Rest::Nothing => drop(note_last_word(&closed.folder)),
            Rest::Hard => hard.push_back(closed),
            Rest::Stopped => {}
        }
    }
}

/// The run to go on with, and how long each of its properties may take: one without a look comes first.
fn next(
    queue: &Mutex<Receiver<Closed>>,
    hard: &mut VecDeque<Closed>,
) -> Option<(Closed, Duration)> {
    let new = if hard.is_empty() {
        let queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.recv().ok()
    } else {
        // A thread that waits for runs holds the lock, and takes the next one itself.
        queue
            .try_lock()
            .ok()
            .and_then(|queue| queue.try_recv().ok())
    };
    match new {
        Some(closed) => Some((closed, FIRST_LOOK)),
        None => hard.pop_front().map(|closed| (closed, DECISION_TIME)),
    }
}

/// What is left to tell of a run.
enum Rest {
    Nothing,
    /// Properties that take longer than the first look.
    Hard,
    /// What the server had no time for when it stopped; it is not noted, and decided after a restart.
    Stopped,
}

/// Tells the last word on every property that was not certain before, each within a time.
fn close(closed: &mut Closed, time: Duration, tell: &dyn Fn(&Told), stop: &Stop) -> Rest {
    if closed.is_forgotten {
        return Rest::Nothing;
    }
    let drained = check(&closed.folder).and_then(|()| {
        if closed.is_consistent {
            return Ok(());
        }
        closed.left_out = drain(&closed.folder, &closed.name, stop)?;
        closed.is_consistent = true;
        Ok(())
    });
    // What was decided was decided on all events.
    if drained.is_err() || closed.left_out > 0 {
        closed.last.iter_mut().for_each(leave_open);
    }
    let asked = closed.asked.clone();
    let names = asked.properties.iter().map(|(property, _)| &property.name);
    let mut named = closed.last.iter().zip(names);
    let is_open = |(last, name)| matches!(last, &Last::Open) && !closed.told.contains(name);
    let reading = named
        .any(is_open)
        .then(|| drained.and_then(|()| read(closed, stop)));
    if let Some(Ok(reading)) = &reading {
        closed.events = reading.trace.len() as u64;
    }
    let mut rest = Rest::Nothing;
    let last = std::mem::take(&mut closed.last);
    for (last, (property, lets)) in last.iter().zip(asked.properties.iter()) {
        let name = &property.name;
        let deadline = Deadline::after(time, stop);
        let judged = match (last, &reading) {
            _ if closed.told.contains(name) => continue,
            (Last::Certain(_), _) | (Last::Open, None) => continue,
            (Last::Decided(outcome), _) => {
                Judged::bare(outcome.verdict.word(), outcome.verdict.reason())
            }
            (Last::Open, Some(Ok(reading))) => {
                let memory = asked.means.memory.unwrap_or(u64::MAX);
                let budget = Budget::new(&deadline).with_memory(memory, 0);
                judge(reading, property, lets, &budget)
            }
            (Last::Open, Some(Err(error))) => {
                let is_long = error.kind() == io::ErrorKind::FileTooLarge;
                let verdict = if is_long { "unknown" } else { "refused" };
                Judged::bare(verdict, Some(error.to_string()))
            }
        };
        let is_definite = matches!(judged.verdict, "holds" | "violated");
        if stop.is_set() && !is_definite {
            let reason = Some(STOPPED.to_owned());
            tell(&Told::News(closed.news(name, "unknown", reason)));
            rest = Rest::Stopped;
        } else if !is_definite && time < DECISION_TIME && deadline.is_over() {
            rest = Rest::Hard;
        } else {
            closed.tell(name, judged, tell, stop);
        }
    }
    closed.last = last;
    rest
}

impl Closed {
    /// Tells what was found out about a property, with the order that shows it.
    fn tell(&mut self, property: &str, judged: Judged, tell: &dyn Fn(&Told), stop: &Stop) {
        let news = self.news(property, judged.verdict, judged.reason);
        self::tell(&self.folder, &Told::News(news), tell);
        if let Some(order) = judged.order {
            let shown = Told::Witness(order.told(&self.name, property, self.events));
            self::tell(&self.folder, &shown, tell);
        } else if judged.verdict == "violated" {
            let shown = self.errand(property).and_then(|errand| show(&errand, stop));
            // The verdict stands without it.
            if let Ok(Some(shown)) = shown {
                self::tell(&self.folder, &shown, tell);
            }
        }
        self.told.insert(property.to_owned());
    }

    fn news(&self, property: &str, verdict: &'static str, reason: Option<String>) -> News {
        News {
            run: self.name.clone(),
            property: property.to_owned(),
            verdict,
            certain: false,
            reason,
            at: BTreeMap::new(),
            events: self.events,
            left_out: self.left_out,
        }
    }

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
