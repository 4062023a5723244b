//! What goes wrong, where and when: drawn at random, the same for the same seed.

use std::fmt;
use std::time::Duration;

use super::network::{Cut, HOSTS, cables};

/// The longest that a process starts after the others.
const LATEST: Duration = Duration::from_secs(1);

/// What goes wrong.
#[derive(Clone, Copy)]
pub(super) enum Fault {
    Kill(usize),
    Stop(usize),
    Cut(usize, usize, Cut),
}

impl Fault {
    /// The process that it happens to.
    pub(super) fn victim(self) -> Option<usize> {
        match self {
            Fault::Kill(victim) | Fault::Stop(victim) => Some(victim),
            Fault::Cut(..) => None,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Kill(victim) => write!(out, "kill {victim}"),
            Fault::Stop(victim) => write!(out, "stop {victim}"),
            Fault::Cut(one, other, Cut::Down) => write!(out, "cable {one}-{other} down"),
            Fault::Cut(one, other, Cut::Silent) => write!(out, "cable {one}-{other} loses all"),
        }
    }
}

/// One run with its fault.
pub(super) struct Plan {
    pub(super) fault: Fault,
    /// Counted from the start of the first process.
    pub(super) moment: Duration,
    /// A process that starts later than the others, and how much.
    late: Option<(usize, Duration)>,
}

impl Plan {
    /// Draws a plan. The kinds take turns, and in every other round one process comes late, so that some faults find
    /// the others waiting for it.
    pub(super) fn draw(number: usize, whole: Duration, random: &mut Random) -> Plan {
        let victim = random.below(HOSTS);
        let (one, other) = cables()[random.below(HOSTS)];
        let fault = match number % 4 {
            0 => Fault::Kill(victim),
            1 => Fault::Cut(one, other, Cut::Silent),
            2 => Fault::Stop(victim),
            _ => Fault::Cut(one, other, Cut::Down),
        };
        let delay = LATEST.mul_f64(random.fraction());
        // A process must have begun for something to happen to it.
        let late = (victim + 1 + random.below(HOSTS - 1)) % HOSTS;
        let late = ((number / 4) % 2 == 1).then_some((late, delay));
        let span = whole.mul_f64(0.85) + late.map_or(Duration::ZERO, |(_, delay)| delay);
        Plan {
            fault,
            moment: span.mul_f64(random.fraction()),
            late,
        }
    }

    /// When a process starts.
    pub(super) fn start(&self, process: usize) -> Duration {
        match self.late {
            Some((late, delay)) if late == process => delay,
            _ => Duration::ZERO,
        }
    }
}

/// A small generator of random numbers (SplitMix64).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// A number below another.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A number from 0 to 1.
    pub(super) fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_faults_again_and_another_seed_gives_others() {
        let draw = |seed| {
            let mut random = Random::new(seed);
            let whole = Duration::from_secs(5);
            let plans = (0..20).map(|number| Plan::draw(number, whole, &mut random));
            plans
                .map(|plan| (plan.fault.to_string(), plan.moment))
                .collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn the_one_that_comes_late_is_not_the_victim() {
        let mut random = Random::new(3);
        for number in 0..400 {
            let plan = Plan::draw(number, Duration::from_secs(5), &mut random);
            let (victim, late) = (plan.fault.victim(), plan.late);
            assert!(victim.is_none() || victim != late.map(|(late, _)| late));
        }
    }
}
