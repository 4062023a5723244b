//! Several workers that decide one formula: threads of this process, or of several that found each other.
//!
//! ```text
//! options --membership--> Company (joined processes) --+
//! --workers ------------------------------------------+--> Workforce --> a pool of workers
//!                                                       watcher: losses, hangs, figures, the progress bar
//! ```

mod attached;
mod company;
mod digest;
mod membership;
mod watcher;

use std::fs::File;
use std::io::Read;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use causet::inner::{self as watch, Team};
use causet_base::budget::Spent;
use causet_flow::{Dials, WorkerPool};
use causet_lts::portion::Kept;
use causet_lts::together::usual_heap;
use causet_solve::deal::Deal;
use causet_solve::workers::Workers;

use crate::cli::together::Together;
use crate::failure::Failure;
use crate::limits::Limits;

pub(crate) use causet::inner::not_solved;
pub(crate) use digest::Digest;
use digest::Inputs;
pub(crate) use membership::hosts_in;

use company::Company;

/// How long the work may take to notice a limit when others must hear of it. It nearly always does by itself, and then
/// all know the same.
const GRACE: Duration = Duration::from_secs(2);

/// How many bytes of a file there are for each state, roughly.
const BYTES_PER_STATE: u64 = 64;

/// Those who decide.
pub(crate) struct Workforce {
    /// How many threads of this process solve.
    threads: usize,
    company: Option<Company>,
    /// What the threads show while they solve.
    dials: Mutex<Option<Arc<Dials>>>,
    attached: bool,
    /// The files of the run that this process has read.
    inputs: Inputs,
}

impl Workforce {
    /// Threads of this process, or, if other processes are named, these as well: they are found before this returns.
    pub(crate) fn gather(
        options: &Together,
        threads: usize,
        job: Digest,
    ) -> Result<Workforce, Failure> {
        let membership = membership::of(options, threads, job.finish())?;
        let attached = options.attached;
        let company = membership.map(|membership| Company::join(membership, attached));
        Ok(Workforce {
            threads,
            company: company.transpose()?,
            dials: Mutex::default(),
            attached,
            inputs: Inputs::default(),
        })
    }

    /// Whether this process prints the report.
    pub(crate) fn is_first(&self) -> bool {
        self.company
            .as_ref()
            .is_none_or(|company| company.process() == 0)
    }

    /// Lets the workers do something, watched.
    pub(crate) fn solve<T>(&self, work: impl FnOnce(&dyn Workers) -> T) -> T {
        let pool = match &self.company {
            Some(company) => company.pool(),
            None => WorkerPool::of_threads(self.threads),
        };
        *self.dials() = Some(Arc::clone(pool.dials()));
        let done = work(&pool);
        *self.dials() = None;
        done
    }

    /// Ends the run: this process knows all verdicts, and so do the others.
    pub(crate) fn conclude(&self, quiet: bool) {
        let Some(company) = &self.company else {
            return;
        };
        company.conclude();
        if company.process() > 0 && !quiet && !self.attached {
            eprintln!(
                "process {} of {} is done; process 0 has the report",
                company.process(),
                company.processes()
            );
        }
    }

    fn dials(&self) -> MutexGuard<'_, Option<Arc<Dials>>> {
        self.dials.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Team for Workforce {
    fn watch(self: Arc<Self>, limits: Arc<Limits>) -> Result<(), Failure> {
        watcher::start(self, limits)
    }

    fn reading<'t>(&'t self, file: File) -> Box<dyn Read + Send + 't> {
        match self.company {
            Some(_) => Box::new(self.inputs.hashed(file)),
            None => Box::new(file),
        }
    }

    fn kept(&self, bytes: u64) -> Option<Kept> {
        let company = self.company.as_ref()?;
        let workers = company.processes() * self.threads;
        let heap = usual_heap(bytes / BYTES_PER_STATE, workers);
        let deal = Deal::heaps(workers, heap);
        let first = company.process() * self.threads;
        Some(Kept::new(deal, first, self.threads))
    }

    fn agree(&self) -> Result<Option<Spent>, Failure> {
        let digest = || self.inputs.digest();
        let agreed = self.company.as_ref().map(|company| company.agree(digest()));
        match agreed {
            Some(Err(not)) => not_solved(not).map(Some),
            Some(Ok(())) | None => Ok(None),
        }
    }

    fn solve(&self, work: &mut dyn FnMut(&dyn Workers)) {
        Workforce::solve(self, |workers| work(workers));
    }

    fn run(
        &self,
        limits: &Limits,
        work: Box<dyn FnOnce() -> Result<(), Failure> + Send>,
        is_complete: &dyn Fn() -> bool,
    ) -> Result<(), Failure> {
        let grace = match self.company {
            Some(_) => GRACE,
            None => watch::GRACE,
        };
        let ended = watch::run_patiently(limits, grace, work);
        if let Some(company) = &self.company {
            match &ended {
                Err(failure) => company.fail(failure),
                Ok(()) if !is_complete() => company.stop(limits.reached().unwrap_or(Spent::Time)),
                Ok(()) => {}
            }
        }
        ended
    }
}
