//! The waves of a system whose states were numbered breadth-first, as most tools that explore systems number them.
//!
//! The first wave is the initial state, the next one whatever its steps lead to, and so on: if the numbering is
//! breadth-first, a wave ends after the largest number that the steps of the waves before lead to. So the waves are found
//! in one pass over the steps, and a numbering that is something else shows itself by a wave that takes in too much.

use crate::system::Lts;

/// A numbering with fewer waves is not worth the name.
const FEWEST: usize = 8;

/// Waves of fewer states on average are too narrow to be shared.
const NARROWEST: usize = 256;

/// A single wave of more than so many thirds of all states says that the numbering is something else.
const LARGEST: u32 = 2;

/// Where the waves end, if the states are numbered breadth-first.
pub(crate) fn waves(lts: &Lts) -> Option<Vec<u32>> {
    let (states, rows) = (lts.states(), lts.rows());
    if lts.initial() != 0 || states == 0 {
        return None;
    }
    let mut ends = vec![1];
    let mut start = 0;
    let mut end = 1;
    while end < states {
        let targets = rows.steps_of(start..end).iter().map(|edge| edge.target);
        let farthest = targets.max().filter(|&target| target >= end)?;
        (start, end) = (end, farthest + 1);
        if end - start > states / 3 * LARGEST {
            return None;
        }
        ends.push(end);
    }
    let is_wide = states as usize / ends.len() >= NARROWEST;
    (is_wide && ends.len() >= FEWEST).then_some(ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::Labels;
    use causet_solve::steps::Edge;

    /// A system of which only the targets are given.
    fn system(states: u32, targets: impl Fn(u32) -> Vec<u32>) -> Lts {
        let steps = (0..states).flat_map(|source| {
            let edges = targets(source)
                .into_iter()
                .map(|target| Edge { label: 0, target });
            edges.map(move |edge| (source, edge)).collect::<Vec<_>>()
        });
        let mut labels = Labels::default();
        labels.number("a");
        Lts::from_steps(states, 0, &steps.collect::<Vec<_>>(), labels)
    }

    #[test]
    fn a_tree_numbered_breadth_first_has_its_levels_for_waves() {
        let levels = 13;
        let states = (1 << levels) - 1;
        let tree = system(states, |source| {
            let targets = [2 * source + 1, 2 * source + 2];
            targets
                .into_iter()
                .filter(|&target| target < states)
                .collect()
        });
        let ends: Vec<u32> = (1..=levels).map(|level| (1 << level) - 1).collect();
        assert_eq!(waves(&tree), Some(ends));
    }

    #[test]
    fn a_strip_has_waves_of_its_width() {
        let (width, length) = (300, 20);
        let states = 1 + width * length;
        let strip = system(states, |source| match source {
            0 => (1..=width).collect(),
            _ if source + width < states => vec![source + width, source.saturating_sub(width)],
            _ => vec![source],
        });
        let ends: Vec<u32> = (0..=length).map(|wave| 1 + wave * width).collect();
        assert_eq!(waves(&strip), Some(ends));
    }

    #[test]
    fn a_path_is_too_narrow_and_a_jump_too_wide() {
        let path = system(5000, |source| vec![(source + 1).min(4999)]);
        assert_eq!(waves(&path), None);
        let jump = system(5000, |source| vec![(source * 7919 + 1) % 5000]);
        assert_eq!(waves(&jump), None);
    }
}
