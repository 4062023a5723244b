//! Time, memory and cancellation: how an engine learns that it must stop, and why.
//!
//! An engine calls [`Budget::tick`] in every loop and [`Budget::charge`] before it takes memory. Both return `Err` when
//! the limit is reached; the engine passes that on and the verdict is `unknown`. This crate has no clock: whoever starts
//! the work brings a [`Meter`].

use std::sync::atomic::{AtomicU64, Ordering};

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
    /// The budget this one is a branch of, which is asked for all memory.
    trunk: Option<&'m Budget<'m>>,
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
            trunk: Some(self),
        }
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
        self.meter.stop().map_or(Ok(()), Err)
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

    /// Gives memory back.
    pub fn release(&self, bytes: usize) {
        if let Some(trunk) = self.trunk {
            trunk.release(bytes);
        }
        self.used.fetch_sub(bytes as u64, Ordering::Relaxed);
    }

    /// How many bytes are taken.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }
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
