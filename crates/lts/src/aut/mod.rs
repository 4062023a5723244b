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
//! and hands the steps to one collector when the turn of its block comes ([`in_order()`]). Labels are numbered as they first appear in the
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
mod table;
mod write;

use std::fmt;
use std::io::{self, Read};

use causet_base::Diagnostic;
use causet_base::budget::{Budget, Spent};
use causet_base::in_order;
use causet_base::line_blocks::{Filled, LineBlocks};

use self::collect::{Collected, Collector};
use self::line::{Batch, Header, parse_block};
use self::table::Table;
use crate::portion::{Kept, Portion};
use crate::system::Lts;

pub use self::write::{Respelled, write};

/// How much is parsed at a time, unless a line is longer.
const BLOCK: usize = 256 << 10;

/// Longer lines are refused: no label is that long, and something without newlines is no text.
const MAX_LINE: usize = 16 << 20;

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
    let branch = budget.branch();
    let mut blocks = LineBlocks::new(input, block, MAX_LINE);
    let header = Header::read(&mut blocks, &branch)?;
    let mut collector = Collector::new(&branch, header.line);
    let fill = |worker: &mut Worker| {
        branch.look()?;
        worker.filled = fill(&mut blocks, &mut worker.bytes, &branch)?;
        Ok(worker.filled != Filled::Nothing)
    };
    in_order(fill, workers, &mut collector, |worker, turn| {
        let batch = worker.parse(kept);
        turn.take(|collector| collector.append(&mut worker.names, batch).map(|()| true));
    })?;
    collector.finish(&header, kept)
}

/// Reads the next lines into a buffer that is paid for.
fn fill(
    blocks: &mut Blocks<'_>,
    bytes: &mut Vec<u8>,
    budget: &Budget<'_>,
) -> Result<Filled, NotRead> {
    blocks.fill(bytes, |more| Ok(budget.charge(more)?))
}

/// The lines of a file.
type Blocks<'a> = LineBlocks<&'a mut (dyn Read + Send)>;

/// A block that is parsed, and what the worker that parses it knows of the blocks before.
struct Worker {
    bytes: Vec<u8>,
    filled: Filled,
    table: Table,
    /// What its labels are called in the whole file.
    names: Vec<u32>,
}

impl Default for Worker {
    fn default() -> Self {
        Worker {
            bytes: Vec::new(),
            filled: Filled::Nothing,
            table: Table::default(),
            names: Vec::new(),
        }
    }
}

impl Worker {
    fn parse(&mut self, kept: Option<&Kept>) -> Batch {
        match self.filled.clone() {
            Filled::Lines(lines) => parse_block(&self.bytes[lines], &mut self.table, kept),
            Filled::LongLine(start) => Batch::ending(problem::long_line(&self.bytes[start]).into()),
            Filled::Nothing => Batch::default(),
        }
    }
}
