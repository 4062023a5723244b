//! On which line each event stands: logs have one event per line, so only the places are kept where that is not so.

use causet_base::ids::EventId;

/// The lines of the events.
#[derive(Clone, Default, Debug)]
pub(crate) struct Lines {
    /// The first event of each stretch of events on adjacent lines, and its line.
    pub(crate) stretches: Vec<(u32, u32)>,
    pub(crate) length: usize,
}

impl Lines {
    /// How many events there are.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Adds the line of the next event.
    #[inline]
    pub(crate) fn push(&mut self, line: u32) {
        let event = self.length as u32;
        let expected = self.stretches.last().map(|&last| line_in(last, event));
        if expected != Some(line) {
            self.stretches.push((event, line));
        }
        self.length += 1;
    }

    /// The line of an event.
    pub(crate) fn of(&self, event: EventId) -> u32 {
        let begun = self
            .stretches
            .partition_point(|&(first, _)| first <= event.raw());
        let stretch = begun.checked_sub(1).map(|last| self.stretches[last]);
        stretch.map_or(0, |stretch| line_in(stretch, event.raw()))
    }

    /// Gives back what growing had set aside.
    pub(crate) fn shrink(&mut self) {
        self.stretches.shrink_to_fit();
    }
}

/// The line an event of a stretch stands on; beyond the last number a line can have there is nothing to tell apart.
fn line_in((first, line): (u32, u32), event: u32) -> u32 {
    line.saturating_add(event - first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_comes_back() {
        let mut lines = Lines::default();
        let given = [
            2,
            3,
            4,
            7,
            8,
            8,
            0,
            0,
            1,
            5,
            2,
            u32::MAX - 1,
            u32::MAX,
            u32::MAX,
            1,
        ];
        given.iter().for_each(|&line| lines.push(line));
        lines.shrink();
        let back = (0..lines.len()).map(|event| lines.of(EventId::from_len(event)));
        assert_eq!(back.collect::<Vec<_>>(), given);
        assert!(!lines.is_empty() && Lines::default().is_empty());
    }

    #[test]
    fn adjacent_lines_take_no_room() {
        let mut lines = Lines::default();
        (2..1_000)
            .chain(1_001..2_000)
            .for_each(|line| lines.push(line));
        assert_eq!(lines.stretches, [(0, 2), (998, 1_001)]);
    }
}
