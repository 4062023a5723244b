//! Time, memory and cancellation: what a person allows, and the one place that looks at the clock and at `/proc`.
//!
//! Time runs from the start of the command. Memory is the resident memory of the process: an engine is charged for what
//! it is about to take, and what it forgets to charge is seen here. A look at the clock costs some nanoseconds, a look
//! at `/proc` some microseconds, so the latter is taken only every few milliseconds.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use causet_base::budget::{Budget, Meter, Spent};
use causet_formats::native::Progress;

use crate::message::Message;
use crate::observer::{Observer, Progress as Doing, Silent};

/// How long a measurement of the resident memory is believed.
const MEMORY_LOOK: Duration = Duration::from_millis(5);

/// The report may take this part of the limits beside what the work took, and at least this time.
const SPARE: u32 = 20;
const LEAST_SPARE: Duration = Duration::from_millis(20);

/// What is allowed, since when, and who shows how far we are.
pub struct Limits {
    start: Instant,
    deadline: Option<Instant>,
    memory: Option<u64>,
    /// How many nanoseconds before the deadline the work at hand has to end.
    reserved: AtomicU64,
    /// How many nanoseconds before the deadline all work has to end, so that there is time to tell what came out.
    aside: AtomicU64,
    /// The resident memory as last measured, and when to measure it again, in milliseconds from the start.
    resident: AtomicU64,
    next_look: AtomicU64,
    /// Whether a verdict is known and not yet in the report.
    verdict_pending: AtomicBool,
    /// Whether the observer may end this work.
    can_be_stopped: bool,
    /// How long the work took, when it is over and the clock does not count any more.
    took: Option<Duration>,
    observer: Arc<dyn Observer>,
}

impl Limits {
    /// Limits that count from now, and who hears of the work and may end it.
    pub fn new(
        timeout: Option<Duration>,
        memory: Option<u64>,
        observer: Arc<dyn Observer>,
    ) -> Limits {
        let start = Instant::now();
        Limits {
            start,
            // A time so long that the clock cannot count it is no limit.
            deadline: timeout.and_then(|timeout| start.checked_add(timeout)),
            memory,
            reserved: AtomicU64::new(0),
            aside: AtomicU64::new(0),
            resident: AtomicU64::new(0),
            next_look: AtomicU64::new(0),
            verdict_pending: AtomicBool::new(false),
            can_be_stopped: true,
            took: None,
            observer,
        }
    }

    /// The limits of the report on work that was done within these: the same and a twentieth more, so that what is known
    /// can be told when one of them has ended the work. What Ctrl-C has ended is reported like anything else.
    pub fn for_report(&self) -> Limits {
        let more = |deadline: Instant| {
            let allowed = deadline - self.start;
            let spare = (allowed / SPARE).max(LEAST_SPARE);
            deadline.max(Instant::now()).checked_add(spare)
        };
        Limits {
            start: self.start,
            deadline: self.deadline.and_then(more),
            memory: self
                .memory
                .map(|memory| memory.saturating_add(memory / u64::from(SPARE))),
            can_be_stopped: false,
            aside: AtomicU64::new(self.aside.load(Ordering::Relaxed)),
            ..Limits::new(None, None, Arc::clone(&self.observer))
        }
    }

    /// No limits, for reports on work that is over, which say how long it took.
    pub fn after(&self) -> Limits {
        Limits {
            took: Some(self.start.elapsed()),
            ..Limits::none()
        }
    }

    /// The same with time set aside for the report, though no more than half of what is left.
    pub fn with_aside(self, report: Duration) -> Limits {
        self.set_aside(report);
        self
    }

    /// Sets time aside for the report, though no more than half of what is left.
    pub fn set_aside(&self, report: Duration) {
        let half = self.time_left().map(|left| left / 2);
        let aside = half.map_or(report, |half| report.min(half));
        let aside = u64::try_from(aside.as_nanos()).unwrap_or(u64::MAX);
        self.aside.store(aside, Ordering::Relaxed);
    }

    fn aside(&self) -> Duration {
        Duration::from_nanos(self.aside.load(Ordering::Relaxed))
    }

    /// Limits for a part of the work: at most half of the time that is left, and so much more memory.
    pub fn within(&self, time: Duration, memory: u64) -> Limits {
        let time = self.time_left().map_or(time, |left| time.min(left / 2));
        let memory = resident_bytes().unwrap_or(0).saturating_add(memory);
        let memory = self.memory.map_or(memory, |all| all.min(memory));
        Limits::new(Some(time), Some(memory), Arc::clone(&self.observer))
    }

    /// No limits, and no observer.
    pub fn none() -> Limits {
        Limits::new(None, None, Arc::new(Silent))
    }

    /// Tells an error, a warning or a note.
    pub fn tell(&self, message: impl Into<Message>) {
        self.observer.message(&message.into());
    }

    /// Says what is being done, and how much of it there is when that is known.
    pub fn begin(&self, doing: impl AsRef<str>, total: Option<u64>) {
        let doing = doing.as_ref();
        self.observer.progress(Doing::Begins { doing, total });
    }

    /// Says how far it is.
    pub fn show(&self, progress: Doing<'_>) {
        self.observer.progress(progress);
    }

    /// Says that it is done.
    pub fn end(&self) {
        self.observer.progress(Doing::Ends);
    }

    /// Which limit has been reached, if one has.
    pub fn reached(&self) -> Option<Spent> {
        if let Some(spent) = self.observer.stop().filter(|_| self.can_be_stopped) {
            return Some(spent);
        }
        let now = Instant::now();
        let reserved = Duration::from_nanos(self.reserved.load(Ordering::Relaxed));
        if self
            .deadline
            .is_some_and(|deadline| now + reserved + self.aside() >= deadline)
        {
            return Some(Spent::Time);
        }
        (self.resident(now) > self.memory?).then_some(Spent::Memory)
    }

    /// Does something within half of the time that is left; the other half is for what comes after it.
    pub fn within_half<T>(&self, work: impl FnOnce() -> T) -> T {
        let half = self.time_left().unwrap_or_default() / 2;
        let half = u64::try_from(half.as_nanos()).unwrap_or(u64::MAX);
        self.reserved.store(half, Ordering::Relaxed);
        let done = work();
        self.reserved.store(0, Ordering::Relaxed);
        done
    }

    /// The resident memory, at most a few milliseconds old.
    fn resident(&self, now: Instant) -> u64 {
        let elapsed = (now - self.start).as_millis() as u64;
        if elapsed >= self.next_look.load(Ordering::Relaxed) {
            let next = elapsed + MEMORY_LOOK.as_millis() as u64;
            self.next_look.store(next, Ordering::Relaxed);
            self.resident
                .store(resident_bytes().unwrap_or(0), Ordering::Relaxed);
        }
        self.resident.load(Ordering::Relaxed)
    }

    /// The budget for one piece of work, with what the process already uses taken off. Without a limit from outside the
    /// work may take most of what the machine has to give, so that a technique that wants more is given up for the next
    /// one instead of taking the machine down.
    pub fn budget(&self) -> Budget<'_> {
        let used = resident_bytes().unwrap_or(0);
        let most = || available_bytes().map(|free| used + free / 4 * 3);
        let budget = Budget::new(self);
        match self.memory.or_else(most) {
            Some(limit) => budget.with_memory(limit, used),
            None => budget,
        }
    }

    /// Whether a verdict is known and not yet in the report.
    pub fn is_verdict_pending(&self) -> bool {
        self.verdict_pending.load(Ordering::Relaxed)
    }

    /// Notes that the verdict is in the report.
    pub fn verdict_reported(&self) {
        self.verdict_pending.store(false, Ordering::Relaxed);
    }

    /// Seconds since the start.
    pub fn seconds(&self) -> f64 {
        self.elapsed().as_secs_f64()
    }
}

impl Meter for Limits {
    fn stop(&self) -> Option<Spent> {
        self.reached()
    }

    fn progress(&self, done: u64) {
        self.show(Doing::Steps(done));
    }

    fn elapsed(&self) -> Duration {
        self.took.unwrap_or_else(|| self.start.elapsed())
    }

    fn time_left(&self) -> Option<Duration> {
        let end = Instant::now() + self.aside();
        Some(self.deadline?.saturating_duration_since(end))
    }

    fn verdict_known(&self) {
        self.verdict_pending.store(true, Ordering::Relaxed);
    }
}

impl Progress for Limits {
    fn bytes_read(&self, total: u64) {
        self.show(Doing::Bytes(total));
    }

    fn go_on(&self) -> bool {
        self.reached().is_none()
    }
}

/// The resident memory of this process.
pub fn resident_bytes() -> Option<u64> {
    // The second number of statm counts pages; 4096 is their size wherever statm exists and we run.
    let text = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * 4096)
}

/// How much memory the machine can give without running out of it.
fn available_bytes() -> Option<u64> {
    kilobytes("/proc/meminfo", "MemAvailable:")
}

/// The largest resident memory this process ever had.
pub fn peak_bytes() -> Option<u64> {
    kilobytes("/proc/self/status", "VmHWM:")
}

/// A number of kilobytes from one of the system's tables, in bytes.
fn kilobytes(table: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(table).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}
