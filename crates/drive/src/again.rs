//! Starting a system again that has failed, and not too often.
//!
//! One that fails after something was seen of it is started again at once. If nothing was, there is a pause first, and a
//! longer one the next time. A start that fails is tried again after a pause, some times:
//!
//! ```text
//! fails -- start, fails -- 0.1 s -- start, fails -- 0.2 s -- start, fails -- 0.4 s -- ... -- given up
//! ```
//!
//! So a port that is not free yet or a machine that is busy does not end a night, and a system that cannot live is not
//! started as fast as the machine can.

use std::time::{Duration, Instant};

use causet_base::budget::Budget;

use crate::system::{System, Trouble};

/// After so many starts in a row that fail there is no other.
pub const MOST_STARTS: u32 = 8;

/// The first pause; each is twice as long as the one before.
const PAUSE: Duration = Duration::from_millis(100);

/// So many pauses grow if the system starts, but lives for nothing: it may be the program, which is to be tested.
const GROWING: u32 = 5;

/// How often a system lived for nothing, of late.
#[derive(Default)]
pub(crate) struct Starts {
    in_vain: u32,
    /// How much had been seen before the last start.
    seen: usize,
}

impl Starts {
    /// Starts a system again after trouble, if need be several times, unless the time is over; `seen` says how much was seen
    /// so far.
    pub(crate) fn again(
        &mut self,
        system: &mut impl System,
        seen: usize,
        until: Option<Instant>,
        budget: &Budget<'_>,
    ) -> Result<(), Trouble> {
        self.in_vain = match std::mem::replace(&mut self.seen, seen) < seen {
            true => 0,
            false => GROWING.min(self.in_vain + 1),
        };
        let mut failed = 0;
        loop {
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Ok(());
            }
            let before = (self.in_vain + failed).min(MOST_STARTS - 1);
            if let Some(doublings) = before.checked_sub(1) {
                let pause = PAUSE * 2_u32.pow(doublings);
                system.pause(left.map_or(pause, |left| left.min(pause)), budget)?;
            }
            failed += 1;
            match system.restart(budget) {
                Err(Trouble::Adapter(_)) if failed < MOST_STARTS => {}
                ended => return ended,
            }
        }
    }
}
