//! One thread works while another watches the limits.
//!
//! The work asks the limits wherever it loops, so it nearly always ends by itself; should it be somewhere that cannot
//! ask (sorting ten million events), the watcher goes on without it when a limit has been passed for a while, with what
//! is known.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use causet_base::Code;
use causet_base::budget::Spent;

use crate::failure::Failure;
use crate::input::NotRead;
use crate::limits::Limits;

/// How often the watcher looks at the limits.
const LOOK: Duration = Duration::from_millis(20);
/// How long the work may take to notice that it must stop.
pub const GRACE: Duration = Duration::from_millis(150);
/// The same for work that has no part to tell of, so that nothing is lost without it.
const FINISHING_GRACE: Duration = Duration::from_millis(50);
/// How long the work may take to notice it when a verdict is known: it may have gigabytes to give back before it can
/// tell the verdict.
const VERDICT_GRACE: Duration = Duration::from_secs(20);
/// The stack of a working thread; formulas nest, and recursion over them is bounded well below this.
pub(crate) const STACK: usize = 64 << 20;

/// Runs the work until it ends or a limit has been passed for longer than it needs to notice. The work may outlive this
/// function, hence it owns what it needs or borrows it for ever.
pub fn run(
    limits: &Limits,
    work: impl FnOnce() -> Result<(), Failure> + Send + 'static,
) -> Result<(), Failure> {
    run_patiently(limits, GRACE, work)
}

/// The same for work that is nothing until it is done: its result, or the limit that ended it.
pub fn finished<T: Send + 'static>(
    limits: &Limits,
    work: impl FnOnce() -> Result<T, NotRead> + Send + 'static,
) -> Result<T, NotRead> {
    let (sender, receiver) = channel();
    let work = move || {
        // The receiver may have given up.
        let _ = sender.send(work());
        Ok(())
    };
    run_patiently(limits, FINISHING_GRACE, work)?;
    receiver.try_recv().unwrap_or_else(|_| {
        let reached = limits.reached().unwrap_or(Spent::Time);
        Err(NotRead::Stopped(reached))
    })
}

/// Like [`run`] with another time to notice.
pub fn run_patiently(
    limits: &Limits,
    grace: Duration,
    work: impl FnOnce() -> Result<(), Failure> + Send + 'static,
) -> Result<(), Failure> {
    let (sender, receiver) = channel();
    let work = move || {
        // The receiver may have given up.
        let _ = sender.send(work());
    };
    let thread = std::thread::Builder::new()
        .name("check".to_owned())
        .stack_size(STACK);
    thread
        .spawn(work)
        .map_err(|error| Failure::io(Code::CannotStart, "no thread could be started", &error))?;
    let ended = wait(limits, grace, &receiver);
    limits.end();
    ended
}

fn wait(
    limits: &Limits,
    grace: Duration,
    end: &Receiver<Result<(), Failure>>,
) -> Result<(), Failure> {
    let mut passed: Option<Instant> = None;
    loop {
        match end.recv_timeout(LOOK) {
            Ok(ended) => return ended,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::Internal(
                    "the checking thread ended early".to_owned(),
                ));
            }
        }
        let grace = match limits.is_verdict_pending() {
            true => grace.max(VERDICT_GRACE),
            false => grace,
        };
        if limits.reached().is_none() {
            passed = None;
        } else if passed.get_or_insert_with(Instant::now).elapsed() >= grace {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, OnceLock};

    use causet_base::budget::Meter;

    use super::*;
    use crate::observer::Silent;

    /// Work that notices a limit late, and what is known when the watcher is done.
    fn known_in_the_end(is_decided: bool) -> Option<bool> {
        let limits = Limits::new(Some(Duration::ZERO), None, Arc::new(Silent));
        let limits = Arc::new(limits);
        let known: Arc<OnceLock<bool>> = Arc::default();
        let (own_limits, own_known) = (Arc::clone(&limits), Arc::clone(&known));
        let work = move || {
            if is_decided {
                own_limits.verdict_known();
            }
            std::thread::sleep(10 * LOOK);
            own_known.get_or_init(|| true);
            own_limits.verdict_reported();
            Ok(())
        };
        assert!(run_patiently(&limits, Duration::ZERO, work).is_ok());
        known.get().copied()
    }

    #[test]
    fn a_known_verdict_is_waited_for() {
        assert_eq!(known_in_the_end(true), Some(true));
    }

    #[test]
    fn work_that_does_not_end_in_time_has_no_result() {
        let limits = |time| Limits::new(time, None, Arc::new(Silent));
        let late = finished(&limits(Some(Duration::ZERO)), || {
            std::thread::sleep(Duration::from_mins(10));
            Ok(1)
        });
        assert!(matches!(late, Err(NotRead::Stopped(Spent::Time))));
        assert!(matches!(finished(&limits(None), || Ok(1)), Ok(1)));
    }

    #[test]
    fn nothing_else_is_waited_for() {
        assert_eq!(known_in_the_end(false), None);
    }
}
