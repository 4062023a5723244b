//! Several workers that decide each property together, as the library sees them; the crate `causet-flow` has some.

use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use causet_base::budget::Spent;
use causet_lts::portion::Kept;
use causet_report::{Worker, workers};
use causet_solve::workers::{NotSolved, WorkerSummary, Workers};

use crate::failure::Failure;
use crate::limits::Limits;
use crate::watch;

/// Workers of this process, or of several that found each other.
pub trait Team: Send + Sync {
    /// Begins to watch the workers while the work goes on.
    fn watch(self: Arc<Self>, limits: Arc<Limits>) -> Result<(), Failure>;

    /// The same bytes as in a file of the run, for a team that compares them.
    fn reading<'t>(&'t self, file: File) -> Box<dyn Read + Send + 't>;

    /// Whose states of a stored system this process keeps, if other processes keep the rest; the system is in a file of this
    /// many bytes.
    fn kept(&self, bytes: u64) -> Option<Kept>;

    /// Waits until all processes have read the same run; says which limit was reached meanwhile, if one was.
    fn agree(&self) -> Result<Option<Spent>, Failure>;

    /// Lets the workers do something.
    fn solve(&self, work: &mut dyn FnMut(&dyn Workers));

    /// Does the work of this process in a thread of its own. What ends it early is told to the others.
    fn run(
        &self,
        limits: &Limits,
        work: Box<dyn FnOnce() -> Result<(), Failure> + Send>,
        is_complete: &dyn Fn() -> bool,
    ) -> Result<(), Failure>;
}

/// Does the work of a task in a thread of its own, with its team if it has one. The work may outlive this function when
/// the watcher gives up on it.
pub(crate) fn run_watched(
    team: Option<&Arc<dyn Team>>,
    limits: &Arc<Limits>,
    work: impl FnOnce() -> Result<(), Failure> + Send + 'static,
    is_complete: &dyn Fn() -> bool,
) -> Result<(), Failure> {
    let Some(team) = team else {
        return watch::run(limits, work);
    };
    Arc::clone(team).watch(Arc::clone(limits))?;
    team.run(limits, Box::new(work), is_complete)
}

/// What the workers did, for a report.
pub fn reported(summaries: &[WorkerSummary]) -> Vec<Worker> {
    let worker = |one: &WorkerSummary| Worker {
        variables: one.variables,
        operands: one.operands,
        crossing: one.crossing,
        messages: one.messages,
        bytes: one.bytes,
        idle_seconds: one.idle.as_secs_f64(),
        seconds: one.elapsed.as_secs_f64(),
        rounds: one.rounds,
    };
    match summaries {
        [] | [_] => Vec::new(),
        several => several.iter().map(worker).collect(),
    }
}

/// The figures of all workers together that only several have.
pub fn stats(all: &[Worker]) -> Vec<(&'static str, u64)> {
    if all.is_empty() {
        return Vec::new();
    }
    let sum = workers::sum(all);
    vec![
        ("crossing", sum.crossing),
        ("messages", sum.messages),
        ("message_bytes", sum.bytes),
        ("rounds", sum.rounds),
    ]
}

/// The limit that kept all from an answer, or the failure that did.
pub fn not_solved(not: NotSolved) -> Result<Spent, Failure> {
    match not {
        NotSolved::Spent(spent)
        | NotSolved::Lost {
            limit: Some(spent), ..
        } => Ok(spent),
        NotSolved::Lost { why, limit: None } => Err(Failure::Lost(why)),
        NotSolved::Broken(why) => Err(Failure::Internal(why)),
    }
}
