//! Starting a system again that has failed, and not too often.
//!
//! One that fails in the middle of a walk is started again at once. A start is in vain if it fails, or if the system fails
//! before anything was sent or seen; after such a start there is a pause, and after the next a longer one:
//!
//! ```text
//! fails -- start, in vain -- 0.1 s -- start, in vain -- 0.2 s -- start, in vain -- 0.4 s -- ... -- given up
//!                 ^                                        |
//!                 +------- a walk that comes along --------+
//! ```
//!
//! So a port that is not free yet or a machine that is busy does not end a night, and a system that cannot live is not
//! started as fast as the machine can.

use std::time::{Duration, Instant};

use causet_solve::budget::Budget;

use crate::system::{System, Trouble};

/// After so many starts in vain there is no other.
pub const MOST_STARTS: u32 = 8;

/// The first pause; each is twice as long as the one before.
const PAUSE: Duration = Duration::from_millis(100);

/// How often a system was started in vain, of late.
#[derive(Default)]
pub(crate) struct Starts {
    in_vain: u32,
    /// How much had been sent and seen before the last start.
    done: usize,
}

impl Starts {
    /// Starts a system again after trouble, if need be several times, unless the time is over; `done` says how much was
    /// sent and seen so far.
    pub(crate) fn again(
        &mut self,
        system: &mut impl System,
        mut trouble: Trouble,
        done: usize,
        until: Option<Instant>,
        budget: &Budget<'_>,
    ) -> Result<(), Trouble> {
        self.in_vain = match std::mem::replace(&mut self.done, done) < done {
            true => 0,
            false => self.in_vain + 1,
        };
        while self.in_vain < MOST_STARTS {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Ok(());
            }
            if self.in_vain > 0 {
                let pause = PAUSE * 2_u32.pow(self.in_vain - 1);
                system.pause(left.map_or(pause, |left| left.min(pause)), budget)?;
            }
            match system.restart(budget) {
                Ok(()) => return Ok(()),
                Err(again @ Trouble::Adapter(_)) => trouble = again,
                Err(spent) => return Err(spent),
            }
            self.in_vain += 1;
        }
        Err(trouble)
    }
}
