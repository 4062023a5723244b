//! The end of the server, for those who read and decide beside the work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use causet_base::budget::{Meter, Spent};
use causet_formats::native::Progress;

/// Whether the server stops, and whoever still reads or decides is to leave it.
#[derive(Clone, Default, Debug)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Tells them.
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether they were told.
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Progress for Stop {
    fn go_on(&self) -> bool {
        !self.is_set()
    }
}

/// A limit on time that the end of the server cuts short.
pub(crate) struct Deadline {
    end: Instant,
    stop: Stop,
}

impl Deadline {
    /// Counts from now.
    pub(crate) fn after(time: Duration, stop: &Stop) -> Deadline {
        Deadline {
            end: Instant::now() + time,
            stop: stop.clone(),
        }
    }

    /// Whether the time has passed.
    pub(crate) fn is_over(&self) -> bool {
        Instant::now() >= self.end
    }
}

impl Meter for Deadline {
    fn stop(&self) -> Option<Spent> {
        if self.stop.is_set() {
            return Some(Spent::Cancelled);
        }
        self.is_over().then_some(Spent::Time)
    }
}
