//! Which events are written of those that clocks count.
//!
//! A clock counts events that are not written, too: its entry for a process is counted anew as the number of events of
//! that process that are written and that it counts. As long as whatever a clock counts is written before it, these are
//! known at once, and nothing has to be read before the first event is told.

use super::super::ascending::Ascending;
use super::super::entry::Name;
use super::super::scribe::Scribe;
use super::super::symbols::Symbols;

/// The events that are written, as the clocks count them.
#[derive(Default)]
pub(super) struct Written {
    processes: Symbols,
    lanes: Vec<Lane>,
}

/// Those of a process.
#[derive(Default)]
struct Lane {
    counts: Ascending<u32>,
    /// The most that a clock has been asked for.
    asked: u32,
}

impl Written {
    /// One more is written; whether it comes after all of its process, and before all clocks that count it.
    pub(super) fn add(&mut self, process: &str, own: u32) -> bool {
        let lane = self.lane(process);
        let latest = lane.counts.numbers().last().copied().unwrap_or(0);
        let is_next = own > latest.max(lane.asked);
        if is_next {
            lane.counts.push(own);
        }
        is_next
    }

    /// All that are written, in any order.
    pub(super) fn all(events: &[(String, u32)]) -> Self {
        let mut written = Written::default();
        for (process, own) in events {
            written.lane(process).counts.push(*own);
        }
        written.lanes.iter_mut().for_each(|lane| lane.counts.sort());
        written
    }

    /// Counts anew what a clock counts.
    pub(super) fn recount(&mut self, clock: &mut Vec<(Name<'_>, u32)>) {
        for (process, count) in clock.iter_mut() {
            let lane = self.lane(process);
            lane.asked = lane.asked.max(*count);
            *count = lane.counts.count_up_to(*count) as u32;
        }
        clock.retain(|&(_, count)| count > 0);
    }

    /// Says how many events are counted and not written, in a trace that starts on some line.
    pub(super) fn note(&self, first: u32, scribe: &mut Scribe<'_>) {
        let all = || self.lanes.iter().map(|lane| lane.counts.numbers());
        let last = |counts: &[u32]| counts.last().map_or(0, |&last| u64::from(last));
        let counted: u64 = all().map(last).sum();
        let written: u64 = all().map(|counts| counts.len() as u64).sum();
        if let Some(missing @ 1..) = counted.checked_sub(written) {
            let message = format!("clocks count {missing} events that are not in the trace");
            let help = "the checker does not write all that it counts; the order of the others is not affected";
            scribe.note(first, message, help);
        }
    }

    fn lane(&mut self, process: &str) -> &mut Lane {
        let number = self.processes.symbol(process).index();
        if number == self.lanes.len() {
            self.lanes.push(Lane::default());
        }
        &mut self.lanes[number]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_that_are_not_written_are_not_counted() {
        let mut written = Written::default();
        for (process, own) in [("a", 2), ("b", 1), ("a", 5)] {
            assert!(written.add(process, own));
        }
        let mut clock: Vec<(Name<'_>, u32)> =
            vec![("a".into(), 4), ("b".into(), 3), ("c".into(), 1)];
        written.recount(&mut clock);
        assert_eq!(clock, [("a".into(), 1), ("b".into(), 1)]);
        assert!(!written.add("b", 3), "a clock has counted it before");
        assert!(!written.add("a", 5), "it is there");
        assert!(!written.add("a", 1), "a later one is there");
        assert!(written.add("b", 4));
    }
}
