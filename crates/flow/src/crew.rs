//! Who works: the threads of this process, alone or together with those of others.

use std::any::Any;
use std::ops::AddAssign;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use causet_solve::bes::share::Share;
use causet_solve::bes::share::shared::Shared;
use causet_solve::budget::{Budget, Spent};
use timely::communication::allocator::thread::Thread;
use timely::communication::initialize::Config;
use timely::communication::{Allocator, AllocatorBuilder};

use crate::cluster::{Cluster, Lost, NotJoined, Watch};
use crate::dials::Dials;
use crate::driver::{Driver, Ended, REPORTED};
use crate::port::Port;

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

/// Those who work together.
pub enum Crew<'c> {
    /// Threads of this process.
    Threads(usize),
    /// The threads of several processes.
    Cluster(&'c Cluster),
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
    pub workers: Vec<Summary>,
}

/// What one worker did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Summary {
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

impl Summary {
    fn of(numbers: &[u64; REPORTED]) -> Summary {
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
        Summary {
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
}

/// What was done in one piece of work after another.
impl AddAssign for Summary {
    fn add_assign(&mut self, other: Summary) {
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

/// Why nothing was found out.
#[derive(Debug)]
pub enum NotSolved {
    /// A limit was reached, by one worker and so by all.
    Spent(Spent),
    /// A worker was lost.
    Lost(Lost),
    /// The workers could not be connected.
    NotJoined(NotJoined),
    /// A thread ended early, or a value has no reason: a mistake of this program.
    Broken(String),
}

impl From<Spent> for NotSolved {
    fn from(spent: Spent) -> Self {
        NotSolved::Spent(spent)
    }
}

impl Crew<'_> {
    /// How many workers there are in all.
    pub fn workers(&self) -> usize {
        match self {
            Crew::Threads(threads) => (*threads).max(1),
            Crew::Cluster(cluster) => cluster.processes() * cluster.workers(),
        }
    }

    /// How many of them are threads of this process.
    pub fn threads(&self) -> usize {
        match self {
            Crew::Threads(threads) => (*threads).max(1),
            Crew::Cluster(cluster) => cluster.workers(),
        }
    }

    /// Whether worker 0 is a thread of this process.
    pub fn is_first(&self) -> bool {
        match self {
            Crew::Threads(_) => true,
            Crew::Cluster(cluster) => cluster.process() == 0,
        }
    }

    fn allocators(&self) -> Result<(Vec<AllocatorBuilder>, Box<dyn Any + Send>), NotSolved> {
        match self {
            Crew::Threads(0 | 1) => Config::Thread.try_build().map_err(NotSolved::Broken),
            Crew::Threads(threads) => Config::Process(*threads)
                .try_build()
                .map_err(NotSolved::Broken),
            Crew::Cluster(cluster) => cluster.allocators().map_err(NotSolved::NotJoined),
        }
    }

    fn watch(&self) -> Option<Watch> {
        match self {
            Crew::Threads(_) => None,
            Crew::Cluster(cluster) => Some(cluster.watch()),
        }
    }
}

/// Solves a system together.
pub fn solve<D: Divide>(
    crew: &Crew<'_>,
    system: &D,
    gather: Gather,
    dials: &Dials,
    budget: &Budget<'_>,
) -> Result<Solved, NotSolved> {
    let (allocators, guard) = crew.allocators()?;
    let watch = crew.watch();
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
                let (watch, dial) = (watch.clone(), dials.of(thread));
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
                    let (part, spent) = match system.part(me, workers, &branch) {
                        Ok(part) => (part, Ok(())),
                        // Somebody has to tell the others.
                        Err(spent) => (system.part(me, workers, endless).ok()?, Err(spent)),
                    };
                    let share = Share::new(part, me, workers, &branch);
                    Driver::new(&mut port, share, gather, dial).run(spent, is_lost)
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
        return Err(NotSolved::Lost(lost));
    }
    if let Some(panic) = panic {
        return Err(NotSolved::Broken(panic));
    }
    drop(guard);
    conclude(ends)
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
        workers: ended.reports.iter().map(Summary::of).collect(),
    })
}

/// Makes an allocator on the thread that will use it.
fn build(builder: AllocatorBuilder) -> Allocator {
    match builder {
        AllocatorBuilder::Thread(_) => Allocator::Thread(Thread::default()),
        AllocatorBuilder::Process(process) => Allocator::Process(process.build()),
        AllocatorBuilder::Tcp(tcp) => Allocator::Tcp(tcp.build()),
    }
}
