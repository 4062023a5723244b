//! The clocks of the events of a process that others may still refer to with `after`.
//!
//! A process that knows the first `n` events of another learns nothing from an edge to one of them. So of the past of a
//! process only that part is kept which some process that will still refer to it does not know: it is as long as the two
//! are apart. The first reading tells who refers to whom, and up to which of his events. Clocks that differ in nothing
//! but their own entry are kept once.
//!
//! While a run is still going on nobody knows who will refer to whom. Then the last few clocks are kept, and whoever
//! refers to an event before them is told so.

use std::collections::VecDeque;

use causet_trace::ProcessId;

use crate::clock::Clock;

/// The last clocks of a process.
#[derive(Debug)]
pub(super) struct Past {
    /// The processes that refer to it, each with the position of its last event that does; `None` if any may.
    followers: Option<Vec<(ProcessId, u32)>>,
    /// Clocks by position; each is that of the events up to the next one, but for their own entry.
    clocks: VecDeque<(u32, Clock)>,
    /// The event before which clocks may have been dropped that somebody could ask for.
    dropped: u32,
}

/// So many clocks are kept at most when nobody knows who will ask for them.
const MOST_KEPT: usize = 4096;

impl Past {
    pub(super) fn new(followers: Option<Vec<(ProcessId, u32)>>) -> Self {
        Past {
            followers,
            clocks: VecDeque::new(),
            dropped: 0,
        }
    }

    /// Notes the clock of the next event of the process.
    pub(super) fn note(&mut self, own: usize, clock: &Clock) {
        if self.followers.as_ref().is_some_and(Vec::is_empty) {
            return;
        }
        let last = self.clocks.back();
        if !last.is_some_and(|(_, last)| last.is_same_but_for(own, clock)) {
            self.clocks.push_back((clock.get(own), clock.clone()));
        }
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let clock = self.clocks.back().map_or(0, |(_, last)| last.bytes());
        size_of::<Past>() + self.clocks.len() * (size_of::<(u32, Clock)>() + clock)
    }

    /// Drops the oldest clocks if there are many; nobody may ever ask for them.
    pub(super) fn keep_few(&mut self) {
        let many = self.clocks.len().saturating_sub(MOST_KEPT);
        self.clocks.drain(..many);
        if let (1.., Some(&(first, _))) = (many, self.clocks.front()) {
            self.dropped = first;
        }
    }

    /// Lets a clock know what an event of this process knew; `false` if that was dropped.
    pub(super) fn join(&self, process: ProcessId, number: u32, clock: &mut Clock) -> bool {
        let own = process.index();
        if clock.get(own) >= number {
            return true;
        }
        if number < self.dropped {
            return false;
        }
        let after = self.clocks.partition_point(|&(at, _)| at <= number);
        if let Some((_, known)) = after.checked_sub(1).and_then(|at| self.clocks.get(at)) {
            clock.join(known);
        }
        clock.raise(own, number);
        true
    }

    /// Forgets what all followers know: `known` tells how many events of the process a follower knows.
    pub(super) fn forget(&mut self, known: impl Fn(usize) -> u32, steps: &[u32]) {
        let Some(followers) = &mut self.followers else {
            return;
        };
        followers.retain(|&(follower, last)| steps[follower.index()] < last);
        let followers = followers.iter();
        let least = followers.map(|(follower, _)| known(follower.index())).min();
        let Some(least) = least else {
            self.clocks.clear();
            return;
        };
        // The next event that someone may ask for is the one after it, whose clock may stand before it.
        let needless = self.clocks.partition_point(|&(at, _)| at <= least + 1);
        self.clocks.drain(..needless.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_past_is_kept_as_far_as_a_follower_does_not_know_it() {
        let [own, follower] = [0, 1].map(ProcessId::new);
        let mut past = Past::new(Some(vec![(follower, 9)]));
        for (position, heard) in [(1, 0), (2, 0), (3, 4), (4, 4), (5, 6)] {
            past.note(0, &Clock::from([position, 0, heard]));
        }
        assert_eq!(past.clocks.len(), 3);
        let mut clock = Clock::from([0, 1, 0]);
        assert!(past.join(own, 4, &mut clock));
        assert_eq!([0, 1, 2].map(|at| clock.get(at)), [4, 1, 4]);
        past.forget(|_| 3, &[5, 1, 6]);
        assert_eq!(past.clocks.len(), 2);
        past.forget(|_| 3, &[5, 9, 6]);
        assert!(past.clocks.is_empty());
    }
}
