//! Several workers on one equation system: what they are given, what is gathered from them, what they report.
//!
//! Solving on one thread needs none of this. Whoever has workers (threads, processes, machines) implements [`Workers`]
//! and hands it to those who have systems to solve, so that these need no library for threads or networks.
//!
//! ```text
//! Divide (the equations of one worker) --> SharedSystem --Workers::solve--> Solved: value, pieces, summaries
//!                                               |
//!                                               +--> WorkerShare, one for each worker, driven in rounds
//! ```

use std::ops::AddAssign;
use std::time::Duration;

use crate::bes::share::rounds::Vote;
use crate::bes::share::shared::Shared;
use crate::bes::share::{Batch, Figures, Share, Told};
use causet_base::budget::{Budget, Spent};

/// Those who solve a system together.
pub trait Workers {
    /// How many workers there are in all.
    fn count(&self) -> usize;

    /// How many of them are threads of this process.
    fn threads(&self) -> usize;

    /// Whether worker 0 is a thread of this process.
    fn is_first(&self) -> bool;

    /// Finds the value of the main variable, and gathers what is asked for once it is known.
    fn solve(
        &self,
        system: &dyn SharedSystem,
        gather: Gather,
        budget: &Budget<'_>,
    ) -> Result<Solved, NotSolved>;
}

/// What is gathered from all workers once the value is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gather {
    /// The states that explain the value, as written by [`Shared::show`], if they are no more than so many; 0 for none.
    Reasons(usize),
    /// The names of the states at which a node of the program is known to have a value.
    Where {
        /// The node, by its place in the table that the program was made from.
        node: usize,
        /// The value.
        value: bool,
    },
}

/// What was found out.
#[derive(Debug)]
pub struct Solved {
    /// The value of the main variable.
    pub value: bool,
    /// What was to be gathered; nothing when that is too much or nobody asked, and only where worker 0 is.
    pub pieces: Option<Vec<u32>>,
    /// The limit that ended the gathering, if one did: the value stands without it.
    pub pieces_spent: Option<Spent>,
    /// What each worker did.
    pub workers: Vec<WorkerSummary>,
}

/// Why nothing was found out.
#[derive(Debug)]
pub enum NotSolved {
    /// A limit was reached, by one worker and so by all.
    Spent(Spent),
    /// A worker was lost, or the workers could not be brought together.
    Lost {
        /// What happened, as a sentence.
        why: String,
        /// The limit that the lost worker had reached, if it left because of one.
        limit: Option<Spent>,
    },
    /// A worker ended early, or a value has no reason: a mistake of this program.
    Broken(String),
}

impl From<Spent> for NotSolved {
    fn from(spent: Spent) -> Self {
        NotSolved::Spent(spent)
    }
}

/// What one worker did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct WorkerSummary {
    /// How many variables it met.
    pub variables: u64,
    /// How many operands it looked at.
    pub operands: u64,
    /// How many of them belong to others.
    pub crossing: u64,
    /// How many messages it had for others.
    pub messages: u64,
    /// How many bytes these took.
    pub bytes: u64,
    /// How long it had nothing to do.
    pub idle: Duration,
    /// How long it worked and waited in all.
    pub elapsed: Duration,
    /// How many rounds there were.
    pub rounds: u64,
    /// How many states it explored, of a system that is not stored, and how many steps these have.
    pub explored: (u64, u64),
}

/// What was done in one piece of work after another.
impl AddAssign for WorkerSummary {
    fn add_assign(&mut self, other: WorkerSummary) {
        self.variables += other.variables;
        self.operands += other.operands;
        self.crossing += other.crossing;
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.idle += other.idle;
        self.elapsed += other.elapsed;
        self.rounds += other.rounds;
        self.explored.0 += other.explored.0;
        self.explored.1 += other.explored.1;
    }
}

/// A system that can be divided among workers.
pub trait Divide: Sync {
    /// The equations of one worker.
    type Part<'b>: Shared
    where
        Self: 'b;

    /// The part of worker `me` among `workers`, made by that worker itself.
    fn part<'b>(
        &'b self,
        me: usize,
        workers: usize,
        budget: &'b Budget<'b>,
    ) -> Result<Self::Part<'b>, Spent>;
}

/// The same, whatever the equations are.
pub trait SharedSystem: Sync {
    /// The share of worker `me` among `workers`. When a limit keeps it from starting, it has the limit as well and is
    /// made without one, since somebody has to tell the others; nothing if even that is impossible.
    fn share<'b>(
        &'b self,
        me: usize,
        workers: usize,
        budget: &'b Budget<'b>,
        endless: &'b Budget<'b>,
    ) -> Option<(Box<dyn WorkerShare + 'b>, Result<(), Spent>)>;
}

impl<D: Divide> SharedSystem for D {
    fn share<'b>(
        &'b self,
        me: usize,
        workers: usize,
        budget: &'b Budget<'b>,
        endless: &'b Budget<'b>,
    ) -> Option<(Box<dyn WorkerShare + 'b>, Result<(), Spent>)> {
        let (part, started) = match self.part(me, workers, budget) {
            Ok(part) => (part, Ok(())),
            Err(spent) => (self.part(me, workers, endless).ok()?, Err(spent)),
        };
        Some((Box::new(Share::new(part, me, workers, budget)), started))
    }
}

/// The variables of one worker, whatever the equations are: see [`Share`], which says what each of these does.
pub trait WorkerShare {
    /// How many blocks of equations there are.
    fn blocks(&self) -> usize;
    /// Asks for the main variable, if it is one of these.
    fn start(&mut self) -> Result<(), Spent>;
    /// The value of the main variable, once this worker knows it.
    fn verdict(&self) -> Option<bool>;
    /// The value of the main variable was found by another worker.
    fn conclude(&mut self, verdict: bool);
    /// Takes what another worker has sent.
    fn accept(&mut self, from: usize, batch: &Batch) -> Result<(), Spent>;
    /// The batches that are worth sending, and to whom.
    fn full(&mut self) -> Vec<(usize, Batch)>;
    /// Takes all that has been said since for worth sending.
    fn flush(&mut self);
    /// How many variables of a block are waiting to be expanded.
    fn queued(&self, block: usize) -> usize;
    /// How many variables are waiting to be expanded.
    fn all_queued(&self) -> usize;
    /// What this worker has to do, for all to agree on what to do next.
    fn vote(&mut self) -> Vote;
    /// Expands at most so many variables of a block; how many it were.
    fn expand(&mut self, block: usize, most: u64) -> Result<u64, Spent>;
    /// Gives the open variables of a block its default value.
    fn finish(&mut self, block: usize) -> Result<(), Spent>;
    /// Begins the explanation of the value.
    fn mark_trail(&mut self);
    /// Shows at most so many states that explain the value.
    fn walk(&mut self, most: usize) -> Result<(), Spent>;
    /// Names the states at which a node is known to have a value.
    fn call_roll(&mut self, node: usize, value: bool) -> Result<(), Spent>;
    /// How the explanation ended.
    fn told_all(&self) -> Told;
    /// What was gathered.
    fn pieces(&mut self) -> Vec<u32>;
    /// What was done so far.
    fn figures(&self) -> Figures;
}
