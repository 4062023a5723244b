//! The Aldebaran format, `.aut`, in and out: one header, then one transition a line.
//!
//! ```text
//! des (0, 2, 3)            first state, number of transitions, number of states
//! (0,"put !1",1)           source, label, target
//! (1, i, 2)                labels without blank and comma need no quotes; `i` and `tau` are internal
//! ```
//!
//! Files of every tool that writes the format are read: blanks and tabs between tokens and at both ends of a line, blank
//! lines, CR LF, a header padded with blanks, no newline at the end. A quoted label ends at the next quote (there are no
//! escapes), an unquoted one at the last comma of its line.
//!
//! **What the header says is believed as far as the transitions bear it out.** A wrong number of transitions is a
//! warning. A state that is used exists, whatever the header says; a state that is only declared exists as long as there
//! are not absurdly many of them: up to 2^20 states, and sixteen more for every transition. Beyond that bound declared
//! states are left out with a warning, and a used one is refused, so that no number in a short file can take all memory.
//! States have 32 bits.
//!
//! **Reading is sequential, parsing is not.** Every worker takes the next block of whole lines from the input, parses it
//! and hands the steps to one collector, which puts blocks back in order. Labels are numbered as they first appear in the
//! file, hence nothing depends on the number of workers, the first error included. A file that lists its steps state by
//! state, as nearly all do, needs no sorting and no second copy. The alternative was to map the file into memory: it saves
//! one copy from the page cache, a small part of the time, but needs unsafe code, works only for files, and a file that
//! shrinks meanwhile kills the process.
//!
//! **A process that has some of the states reads all lines and keeps its own.** Each of several processes must number the
//! labels alike and find the same faults, so all of them parse the whole file; but the steps of others' states are dropped
//! where they are parsed, and never take memory.

mod collect;
mod line;
mod problem;
mod source;
mod table;
mod write;

use std::fmt;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use causet_base::Diagnostic;
use causet_base::budget::{Budget, Spent};

use self::collect::{Collected, Collector};
use self::line::{Batch, Header, parse_block};
use self::source::{Block, Buffer, Source};
use self::table::Table;
use crate::portion::{Kept, Portion};
use crate::system::Lts;

pub use self::write::{Respelled, write};

/// How much is parsed at a time, unless a line is longer.
const BLOCK: usize = 256 << 10;

/// What was read.
#[derive(Debug)]
pub struct Reading {
    /// The system.
    pub lts: Lts,
    /// What was odd and let pass.
    pub warnings: Vec<Diagnostic>,
}

/// What was read of a system of which others have the rest.
#[derive(Debug)]
pub struct PortionReading {
    /// The states that are kept, and what is known of the whole system.
    pub portion: Portion,
    /// What was odd and let pass, wherever it was.
    pub warnings: Vec<Diagnostic>,
}

/// Why nothing was read.
#[derive(Debug)]
pub enum NotRead {
    /// A line is at fault.
    Fault(Diagnostic),
    /// The bytes could not be read.
    Io(io::Error),
    /// Time or memory ran out.
    Spent(Spent),
}

impl fmt::Display for NotRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotRead::Fault(problem) => problem.fmt(f),
            NotRead::Io(error) => error.fmt(f),
            NotRead::Spent(spent) => write!(f, "reading was stopped: {spent}"),
        }
    }
}

impl std::error::Error for NotRead {}

impl From<Spent> for NotRead {
    fn from(spent: Spent) -> Self {
        NotRead::Spent(spent)
    }
}

impl From<io::Error> for NotRead {
    fn from(error: io::Error) -> Self {
        NotRead::Io(error)
    }
}

impl From<Diagnostic> for NotRead {
    fn from(problem: Diagnostic) -> Self {
        NotRead::Fault(problem)
    }
}

/// Reads a system from plain bytes with so many threads, the caller's own among them.
///
/// While it reads, the budget is charged for everything that grows with the input; afterwards for [`Lts::bytes`], which
/// the caller gives back with the system.
pub fn read(
    input: &mut (dyn Read + Send),
    workers: usize,
    budget: &Budget<'_>,
) -> Result<Reading, NotRead> {
    read_in_blocks(input, BLOCK, workers, budget)
}

/// Reads a system in blocks of about so many bytes; tests take small ones, to see many blocks in a small file.
pub fn read_in_blocks(
    input: &mut (dyn Read + Send),
    block: usize,
    workers: usize,
    budget: &Budget<'_>,
) -> Result<Reading, NotRead> {
    let collected = collect(input, block, workers, None, budget)?;
    let Collected {
        rows,
        whole,
        warnings,
    } = collected;
    let lts = Lts::of_rows(whole.initial, rows, whole.labels);
    budget.charge(lts.bytes())?;
    Ok(Reading { lts, warnings })
}

/// Reads a system of which only some states are kept, with so many threads, the caller's own among them.
///
/// Labels, errors and warnings are those of the whole file, whoever is kept. The budget is charged for what is kept:
/// afterwards for [`Portion::bytes`].
pub fn read_portion(
    input: &mut (dyn Read + Send),
    threads: usize,
    kept: &Kept,
    budget: &Budget<'_>,
) -> Result<PortionReading, NotRead> {
    read_portion_in_blocks(input, BLOCK, threads, kept, budget)
}

/// Reads a portion in blocks of about so many bytes.
pub fn read_portion_in_blocks(
    input: &mut (dyn Read + Send),
    block: usize,
    threads: usize,
    kept: &Kept,
    budget: &Budget<'_>,
) -> Result<PortionReading, NotRead> {
    let collected = collect(input, block, threads, Some(kept), budget)?;
    let Collected {
        rows,
        whole,
        warnings,
    } = collected;
    let portion = Portion::new(kept.clone(), rows, whole);
    budget.charge(portion.bytes())?;
    Ok(PortionReading { portion, warnings })
}

/// Reads all lines and keeps the steps of all states or of some; the budget is as it was before.
fn collect(
    input: &mut (dyn Read + Send),
    block: usize,
    workers: usize,
    kept: Option<&Kept>,
    budget: &Budget<'_>,
) -> Result<Collected, NotRead> {
    let workers = workers.max(1);
    let branch = budget.branch();
    let mut source = Source::new(input, block.max(1), &branch);
    let header = Header::read(&mut source)?;
    let shared = Shared {
        collector: Mutex::new(Collector::new(&branch, workers, header.line)),
        source: Mutex::new(source),
        stop: AtomicBool::new(false),
        kept,
        budget: &branch,
    };
    std::thread::scope(|scope| {
        let shared = &shared;
        for worker in 1..workers {
            scope.spawn(move || shared.work(worker));
        }
        shared.work(0);
    });
    let collector = shared.collector.into_inner();
    let collector = collector.unwrap_or_else(PoisonError::into_inner);
    collector.finish(&header, kept)
}

/// What the workers share.
struct Shared<'a> {
    source: Mutex<Source<'a>>,
    collector: Mutex<Collector<'a>>,
    /// Set when nobody wants more.
    stop: AtomicBool,
    /// Whose steps are wanted, if not everybody's.
    kept: Option<&'a Kept>,
    budget: &'a Budget<'a>,
}

impl Shared<'_> {
    /// Parses blocks until there are no more.
    fn work(&self, worker: usize) {
        let mut table = Table::default();
        let mut buffer = Buffer::default();
        while !self.stop.load(Ordering::Relaxed) {
            let taken = self.budget.look();
            let taken = taken.and_then(|()| lock(&self.source).next(&mut buffer));
            let (sequence, batch) = match taken {
                Ok(None) => return,
                Ok(Some((sequence, block))) => (sequence, parse(block, &mut table, self.kept)),
                Err(spent) => return self.give_up(spent),
            };
            if batch.end.is_some() {
                lock(&self.source).close();
            }
            if lock(&self.collector).add(worker, sequence, batch).is_err() {
                self.stop.store(true, Ordering::Relaxed);
            }
        }
    }

    fn give_up(&self, spent: Spent) {
        lock(&self.collector).fail(spent.into());
        self.stop.store(true, Ordering::Relaxed);
    }
}

fn parse(block: Block<'_>, table: &mut Table, kept: Option<&Kept>) -> Batch {
    match block {
        Block::Lines(bytes) => parse_block(bytes, table, kept),
        Block::LongLine(start) => Batch::ending(problem::long_line(start).into()),
        Block::Failed(error) => Batch::ending(error.into()),
    }
}

/// Locks; a worker that panicked takes the whole reading with it, so nobody sees what it left behind.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
