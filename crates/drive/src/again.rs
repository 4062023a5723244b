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
}

/// How starting again ended.
pub(crate) enum Started {
    /// The system is in its first state.
    Yes,
    /// There was no time left.
    Late,
    /// This system is never started again.
    Never,
}

impl Starts {
    /// Starts a system again, if need be several times; `was_of_use` says whether anything came of the last start.
    pub(crate) fn again(
        &mut self,
        system: &mut impl System,
        was_of_use: bool,
        until: Option<Instant>,
        budget: &Budget<'_>,
    ) -> Result<Started, Trouble> {
        self.in_vain = match was_of_use {
            true => 0,
            false => self.in_vain + 1,
        };
        loop {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Ok(Started::Late);
            }
            if let Some(doublings) = self.in_vain.checked_sub(1) {
                let pause = PAUSE * 2_u32.pow(doublings.min(MOST_STARTS));
                system.pause(left.map_or(pause, |left| left.min(pause)), budget)?;
            }
            match system.restart(budget) {
                None => return Ok(Started::Never),
                Some(Ok(())) => return Ok(Started::Yes),
                Some(Err(Trouble::Adapter(what))) => {
                    self.in_vain += 1;
                    if self.in_vain >= MOST_STARTS {
                        return Err(Trouble::Adapter(what));
                    }
                }
                Some(Err(spent)) => return Err(spent),
            }
        }
    }

    /// Whether it is time to give up on a system that starts, but lives for nothing.
    pub(crate) fn are_enough(&self) -> bool {
        self.in_vain >= MOST_STARTS
    }
}
