//! Time, memory and cancellation: how an engine learns that it must stop, and why.
//!
//! An engine calls [`Budget::tick`] in every loop and [`Budget::charge`] before it takes memory. Both return `Err` when
//! the limit is reached; the engine passes that on and the verdict is `unknown`. This crate has no clock: whoever starts
//! the work brings a [`Meter`].

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Which limit was reached.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Spent {
    /// The time is up.
    Time,
    /// The next allocation would exceed the memory limit.
    Memory,
    /// Somebody asked to stop.
    Cancelled,
}

impl std::fmt::Display for Spent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Spent::Time => "timeout",
            Spent::Memory => "memory",
            Spent::Cancelled => "cancelled",
        })
    }
}

/// The world's side of a budget: a clock, a signal handler, a progress bar.
pub trait Meter: Sync {
    /// Whether the work must stop, asked every few thousand steps.
    fn stop(&self) -> Option<Spent>;

    /// Told now and then how much has been done, in units of the engine's choice.
    fn progress(&self, _done: u64) {}

    /// The time since the work began; zero without a clock.
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    /// The time until the work must stop, if it is limited.
    fn time_left(&self) -> Option<Duration> {
        None
    }

    /// Called when a verdict is known and the work goes on to explain it.
    fn verdict_known(&self) {}
}

/// A meter that never stops anything.
#[derive(Clone, Copy, Default, Debug)]
pub struct Endless;

impl Meter for Endless {
    fn stop(&self) -> Option<Spent> {
        None
    }
}

/// How many ticks pass between two looks at the meter.
const TICKS_PER_LOOK: u64 = 1024;

/// What is left of time and memory.
pub struct Budget<'m> {
    meter: &'m dyn Meter,
    limit: Option<u64>,
    used: AtomicU64,
    ticks: AtomicU64,
    /// The time that must be left for other work, in nanoseconds; zero: what the trunk says.
    reserved: AtomicU64,
    /// The budget this one is a branch of, which is asked for all memory.
    trunk: Option<&'m Budget<'m>>,
}

impl std::fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Budget")
            .field("limit", &self.limit)
            .field("used", &self.used)
            .field("steps", &self.ticks)
            .finish_non_exhaustive()
    }
}

impl Drop for Budget<'_> {
    /// A branch gives back what was not given back by hand.
    fn drop(&mut self) {
        if let Some(trunk) = self.trunk {
            trunk.release(*self.used.get_mut() as usize);
        }
    }
}

impl<'m> Budget<'m> {
    /// A budget watched by a meter, without a memory limit.
    pub const fn new(meter: &'m dyn Meter) -> Self {
        Budget {
            meter,
            limit: None,
            used: AtomicU64::new(0),
            ticks: AtomicU64::new(0),
            reserved: AtomicU64::new(0),
            trunk: None,
        }
    }

    /// A budget for a part of the work: it takes its memory from this one and gives all of it back when it is dropped,
    /// however the part ended.
    pub fn branch(&self) -> Budget<'_> {
        Budget {
            meter: self.meter,
            limit: None,
            used: AtomicU64::new(0),
            ticks: AtomicU64::new(0),
            reserved: AtomicU64::new(0),
            trunk: Some(self),
        }
    }

    /// A branch that may take half of the time that is left, if time is limited. When that is spent it fails with
    /// [`Spent::Time`], while this budget can go on.
    pub fn branch_for_half_the_time(&self) -> Budget<'_> {
        let mut branch = self.branch();
        let half = nanoseconds(self.time_left().unwrap_or_default() / 2);
        branch.reserved = AtomicU64::new(self.reserved().saturating_add(half));
        branch
    }

    /// A branch that may take no more than so many bytes.
    pub fn branch_within(&self, limit: u64) -> Budget<'_> {
        let mut branch = self.branch();
        branch.limit = Some(limit);
        branch
    }

    /// No limit at all.
    pub const fn endless() -> Budget<'static> {
        Budget::new(&Endless)
    }

    /// Limits memory to `limit` bytes, of which `already` are taken.
    pub fn with_memory(mut self, limit: u64, already: u64) -> Self {
        self.limit = Some(limit);
        self.used = AtomicU64::new(already);
        self
    }

    /// Counts one step of work; fails when the work must stop.
    pub fn tick(&self) -> Result<(), Spent> {
        let ticks = self.ticks.fetch_add(1, Ordering::Relaxed);
        if ticks.is_multiple_of(TICKS_PER_LOOK) {
            self.look()?;
        }
        Ok(())
    }

    /// Counts many steps of work at once and looks at the meter.
    pub fn tick_many(&self, steps: u64) -> Result<(), Spent> {
        self.ticks.fetch_add(steps, Ordering::Relaxed);
        self.look()
    }

    /// Looks at the meter now; for loops whose steps are long.
    pub fn look(&self) -> Result<(), Spent> {
        self.meter.progress(self.ticks.load(Ordering::Relaxed));
        self.meter.stop().map_or(Ok(()), Err)?;
        let reserved = self.reserved();
        let is_over = |left: Duration| left.as_nanos() <= u128::from(reserved);
        match reserved > 0 && self.meter.time_left().is_some_and(is_over) {
            true => Err(Spent::Time),
            false => Ok(()),
        }
    }

    /// Explains a verdict within half of the time that is left. The other half is for the work after it; an error ends
    /// the explanation alone, and the verdict stands.
    pub fn explain<T>(&self, explanation: impl FnOnce() -> Result<T, Spent>) -> Result<T, Spent> {
        let before = self.reserve_half();
        let explained = explanation();
        self.reserved.store(before, Ordering::Relaxed);
        explained
    }

    /// Leaves half of the time for the work after the explanation that begins now; returns what was reserved before. Now
    /// that a verdict is known, no time is kept for others who would have looked for one.
    pub fn reserve_half(&self) -> u64 {
        self.meter.verdict_known();
        let half = self.meter.time_left().unwrap_or_default() / 2;
        self.reserved.swap(nanoseconds(half), Ordering::Relaxed)
    }

    /// The time that is left for this budget, if it is limited.
    pub fn time_left(&self) -> Option<Duration> {
        let left = self.meter.time_left()?;
        Some(left.saturating_sub(Duration::from_nanos(self.reserved())))
    }

    /// The time to leave for other work, as the innermost budget that says something has it.
    fn reserved(&self) -> u64 {
        match (self.reserved.load(Ordering::Relaxed), self.trunk) {
            (0, Some(trunk)) => trunk.reserved(),
            (reserved, _) => reserved,
        }
    }

    /// The time since the work began; zero without a clock.
    pub fn elapsed(&self) -> Duration {
        self.meter.elapsed()
    }

    /// How many steps of work were counted.
    pub fn steps(&self) -> u64 {
        self.ticks.load(Ordering::Relaxed)
    }

    /// Takes memory; fails, and takes nothing, when that would exceed the limit.
    pub fn charge(&self, bytes: usize) -> Result<(), Spent> {
        if let Some(trunk) = self.trunk {
            trunk.charge(bytes)?;
        }
        let bytes = bytes as u64;
        let used = self.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if self.limit.is_some_and(|limit| used > limit) {
            self.used.fetch_sub(bytes, Ordering::Relaxed);
            if let Some(trunk) = self.trunk {
                trunk.release(bytes as usize);
            }
            return Err(Spent::Memory);
        }
        Ok(())
    }

    /// Gives memory back. What another budget was charged for, as by the search that this one ends, is not counted here.
    pub fn release(&self, bytes: usize) {
        if let Some(trunk) = self.trunk {
            trunk.release(bytes);
        }
        let less = |used: u64| Some(used.saturating_sub(bytes as u64));
        let _ = self
            .used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }

    /// How many bytes are taken.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct AfterLooks(AtomicU64);

    impl Meter for AfterLooks {
        fn stop(&self) -> Option<Spent> {
            let looks = self.0.fetch_add(1, Ordering::Relaxed);
            (looks >= 3).then_some(Spent::Time)
        }
    }

    #[test]
    fn a_branch_of_a_branch_gives_everything_back() {
        let budget = Budget::endless().with_memory(100, 0);
        let branch = budget.branch();
        assert!(branch.branch().charge(80).is_ok());
        assert_eq!((branch.used(), budget.used()), (0, 0));
        assert!(branch.charge(80).is_ok());
        drop(branch);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn the_meter_is_asked_again_and_again() {
        let meter = AfterLooks(AtomicU64::new(0));
        let budget = Budget::new(&meter);
        let steps = (0..1_000_000).take_while(|_| budget.tick().is_ok()).count();
        assert_eq!(steps as u64, 3 * TICKS_PER_LOOK);
    }

    /// Work of so many looks, each of which takes a second; tells how many there were when the verdict became known.
    struct Seconds {
        all: u64,
        passed: AtomicU64,
        verdict: AtomicU64,
    }

    impl Meter for Seconds {
        fn stop(&self) -> Option<Spent> {
            let passed = self.passed.fetch_add(1, Ordering::Relaxed);
            (passed >= self.all).then_some(Spent::Time)
        }

        fn time_left(&self) -> Option<Duration> {
            let passed = self.passed.load(Ordering::Relaxed);
            Some(Duration::from_secs(self.all.saturating_sub(passed)))
        }

        fn verdict_known(&self) {
            self.verdict
                .store(self.passed.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }

    #[test]
    fn an_explanation_leaves_half_of_the_time() {
        let meter = Seconds {
            all: 100,
            passed: AtomicU64::new(20),
            verdict: AtomicU64::new(0),
        };
        let budget = Budget::new(&meter);
        let branch = budget.branch();
        let explained: Result<(), Spent> = budget.explain(|| {
            loop {
                branch.branch().look()?;
            }
        });
        assert_eq!(explained, Err(Spent::Time));
        assert_eq!(meter.verdict.load(Ordering::Relaxed), 20);
        assert_eq!(meter.passed.load(Ordering::Relaxed), 60);
        let looks = (0..100).take_while(|_| branch.look().is_ok()).count();
        assert_eq!(looks, 40);
    }

    #[test]
    fn a_branch_for_half_the_time_leaves_the_other_half() {
        let meter = Seconds {
            all: 100,
            passed: AtomicU64::new(0),
            verdict: AtomicU64::new(0),
        };
        let budget = Budget::new(&meter);
        let half = budget.branch_for_half_the_time();
        let looks = |budget: &Budget<'_>| (0..200).take_while(|_| budget.look().is_ok()).count();
        assert_eq!(looks(&half), 49);
        assert_eq!(
            looks(&half.branch()),
            0,
            "a branch has no more than its trunk"
        );
        assert_eq!(looks(&budget.branch_for_half_the_time()), 24);
        assert_eq!(half.explain(|| half.branch().look()), Ok(()));
        assert!(budget.look().is_ok());
    }

    #[test]
    fn an_explanation_without_a_time_limit_goes_on() {
        let budget = Budget::endless();
        assert_eq!(budget.explain(|| budget.look()), Ok(()));
    }

    #[test]
    fn a_branch_gives_everything_back() {
        let budget = Budget::endless().with_memory(100, 0);
        let branch = budget.branch();
        assert_eq!(branch.charge(70), Ok(()));
        branch.release(20);
        assert_eq!((branch.used(), budget.used()), (50, 50));
        assert_eq!(budget.branch().charge(60), Err(Spent::Memory));
        drop(branch);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn a_branch_can_be_limited_by_itself() {
        let budget = Budget::endless().with_memory(100, 0);
        let branch = budget.branch_within(50);
        assert_eq!(branch.charge(40), Ok(()));
        assert_eq!(branch.charge(20), Err(Spent::Memory));
        assert_eq!((branch.used(), budget.used()), (40, 40));
        assert_eq!(budget.charge(60), Ok(()));
    }

    #[test]
    fn a_refused_charge_takes_nothing() {
        let budget = Budget::endless().with_memory(100, 40);
        assert_eq!(budget.charge(60), Ok(()));
        assert_eq!(budget.charge(1), Err(Spent::Memory));
        budget.release(10);
        assert_eq!(budget.charge(10), Ok(()));
        assert_eq!(budget.used(), 100);
    }
}
