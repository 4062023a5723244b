//! Those who work: the threads of this process, alone or together with those of others.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use causet_base::budget::Budget;
use causet_solve::workers::{Gather, NotSolved, SharedSystem, Solved, WorkerSummary, Workers};
use timely::communication::allocator::thread::Thread;
use timely::communication::initialize::Config;
use timely::communication::{Allocator, AllocatorBuilder};

use crate::cluster::{Cluster, Watch};
use crate::dials::Dials;
use crate::driver::{Driver, Ended, REPORTED};
use crate::port::Port;

/// Workers on timely dataflow: threads of this process, or of this and others.
pub struct WorkerPool<'c> {
    cluster: Option<&'c Cluster>,
    threads: usize,
    dials: Arc<Dials>,
}

impl WorkerPool<'static> {
    /// So many threads of this process, at least one.
    pub fn of_threads(threads: usize) -> Self {
        WorkerPool::new(None, threads.max(1))
    }
}

impl<'c> WorkerPool<'c> {
    /// The threads of several processes.
    pub fn across(cluster: &'c Cluster) -> Self {
        WorkerPool::new(Some(cluster), cluster.workers())
    }

    fn new(cluster: Option<&'c Cluster>, threads: usize) -> Self {
        WorkerPool {
            cluster,
            threads,
            dials: Arc::new(Dials::new(threads)),
        }
    }

    /// What the workers of this process show while they solve.
    pub fn dials(&self) -> &Arc<Dials> {
        &self.dials
    }

    fn allocators(&self) -> Result<(Vec<AllocatorBuilder>, Box<dyn Any + Send>), NotSolved> {
        match (self.cluster, self.threads) {
            (Some(cluster), _) => cluster.allocators().map_err(NotSolved::from),
            (None, 1) => Config::Thread.try_build().map_err(NotSolved::Broken),
            (None, threads) => Config::Process(threads)
                .try_build()
                .map_err(NotSolved::Broken),
        }
    }
}

impl Workers for WorkerPool<'_> {
    fn count(&self) -> usize {
        self.threads * self.cluster.map_or(1, Cluster::processes)
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn is_first(&self) -> bool {
        self.cluster.is_none_or(|cluster| cluster.process() == 0)
    }

    fn solve(
        &self,
        system: &dyn SharedSystem,
        gather: Gather,
        budget: &Budget<'_>,
    ) -> Result<Solved, NotSolved> {
        let (allocators, guard) = self.allocators()?;
        let watch = self.cluster.map(Cluster::watch);
        let lost = || watch.as_ref().and_then(Watch::lost);
        let mut ends: Vec<Option<Ended>> = Vec::new();
        let mut panic = None;
        let endless = Budget::endless();
        let broken = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let threads: Vec<_> = allocators
                .into_iter()
                .enumerate()
                .map(|(thread, allocator)| {
                    let (watch, dial) = (watch.clone(), self.dials.of(thread));
                    let (endless, broken) = (&endless, &broken);
                    let work = move || {
                        let _alarm = Alarm(broken);
                        let is_lost = || {
                            broken.load(Ordering::Relaxed)
                                || watch.as_ref().is_some_and(|watch| watch.lost().is_some())
                        };
                        let mut port = Port::open(build(allocator));
                        let branch = budget.branch();
                        let (me, workers) = (port.index(), port.peers());
                        let (share, started) = system.share(me, workers, &branch, endless)?;
                        Driver::new(&mut port, share, gather, dial).run(started, is_lost)
                    };
                    let name = format!("worker {thread}");
                    std::thread::Builder::new()
                        .name(name)
                        .spawn_scoped(scope, work)
                })
                .collect();
            for thread in threads {
                match thread.map(std::thread::ScopedJoinHandle::join) {
                    Ok(Ok(ended)) => ends.push(ended),
                    Ok(Err(_)) => panic = Some("a worker ended early".to_owned()),
                    Err(error) => panic = Some(format!("a worker could not be started: {error}")),
                }
            }
        });
        if let Some(lost) = lost() {
            return Err(lost.into());
        }
        if let Some(panic) = panic {
            return Err(NotSolved::Broken(panic));
        }
        drop(guard);
        conclude(ends)
    }
}

/// Tells the other workers of this process when one ends early, so that they do not wait for it.
struct Alarm<'a>(&'a AtomicBool);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

fn conclude(ends: Vec<Option<Ended>>) -> Result<Solved, NotSolved> {
    let ends: Option<Vec<Ended>> = ends.into_iter().collect();
    let first = ends.and_then(|ends| ends.into_iter().next());
    let Some(ended) = first else {
        return Err(NotSolved::Broken("no worker has an answer".to_owned()));
    };
    if ended.is_contradictory {
        let message = "a value was found that nothing explains";
        return Err(NotSolved::Broken(message.to_owned()));
    }
    Ok(Solved {
        value: ended.verdict?,
        pieces: ended.pieces,
        pieces_spent: ended.pieces_spent,
        workers: ended.reports.iter().map(summary).collect(),
    })
}

fn summary(numbers: &[u64; REPORTED]) -> WorkerSummary {
    let &[
        variables,
        operands,
        crossing,
        messages,
        bytes,
        idle,
        elapsed,
        rounds,
        states,
        steps,
    ] = numbers;
    WorkerSummary {
        variables,
        operands,
        crossing,
        messages,
        bytes,
        idle: Duration::from_micros(idle),
        elapsed: Duration::from_micros(elapsed),
        rounds,
        explored: (states, steps),
    }
}

/// Makes an allocator on the thread that will use it.
fn build(builder: AllocatorBuilder) -> Allocator {
    match builder {
        AllocatorBuilder::Thread(_) => Allocator::Thread(Thread::default()),
        AllocatorBuilder::Process(process) => Allocator::Process(process.build()),
        AllocatorBuilder::Tcp(tcp) => Allocator::Tcp(tcp.build()),
    }
}
