//! What can be seen of workers while they work: a few numbers each, written by them and read by whoever watches.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use causet_solve::workers::WorkerShare;

use crate::cluster::Figures;
use crate::port::Port;

/// The dials of the workers of this process.
#[derive(Debug)]
pub struct Dials {
    dials: Vec<Dial>,
}

impl Dials {
    /// For so many workers, starting now.
    pub fn new(workers: usize) -> Dials {
        let dials = (0..workers).map(|_| Dial::default());
        Dials {
            dials: dials.collect(),
        }
    }

    /// What they show, one worker after another.
    pub fn read(&self) -> Vec<Figures> {
        self.dials.iter().map(Dial::read).collect()
    }

    /// The dial of a worker of this process.
    pub(crate) fn of(&self, worker: usize) -> &Dial {
        &self.dials[worker]
    }
}

/// What one worker shows.
#[derive(Debug)]
pub(crate) struct Dial {
    start: Instant,
    variables: AtomicU64,
    queued: AtomicU64,
    messages: AtomicU64,
    bytes: AtomicU64,
    idle_micros: AtomicU64,
    /// How often it looked around: a worker that hangs does not.
    steps: AtomicU64,
}

impl Default for Dial {
    fn default() -> Dial {
        Dial {
            start: Instant::now(),
            variables: AtomicU64::new(0),
            queued: AtomicU64::new(0),
            messages: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            idle_micros: AtomicU64::new(0),
            steps: AtomicU64::new(0),
        }
    }
}

impl Dial {
    pub(crate) fn turn(&self, share: &dyn WorkerShare, port: &Port) {
        let figures = share.figures();
        let set = |place: &AtomicU64, value| place.store(value, Ordering::Relaxed);
        set(&self.variables, figures.variables);
        set(&self.queued, (share.all_queued() + port.backlog()) as u64);
        set(&self.messages, figures.messages);
        set(&self.bytes, port.bytes());
        set(&self.idle_micros, port.idle().as_micros() as u64);
        self.steps.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn seconds_since_start(&self) -> Duration {
        self.start.elapsed()
    }

    fn read(&self) -> Figures {
        let get = |place: &AtomicU64| place.load(Ordering::Relaxed);
        let elapsed = self.start.elapsed().as_micros().max(1) as u64;
        Figures {
            variables: get(&self.variables),
            queued: get(&self.queued),
            messages: get(&self.messages),
            bytes: get(&self.bytes),
            idle_permille: (get(&self.idle_micros) * 1000 / elapsed).min(1000) as u32,
            steps: get(&self.steps),
        }
    }
}
