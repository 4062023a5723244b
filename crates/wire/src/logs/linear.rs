//! One order of events that keeps to all that is known of them: the least first, among those that wait for nothing.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An order of events in which each comes after those it must come after, and each chain in its own order; none if there
/// is none. Of several that might be next it is the one with the least key, or else with the least number.
pub(crate) fn extension<'c, K: Ord>(
    after: &[Vec<u32>],
    chains: impl IntoIterator<Item = &'c [u32]>,
    key: impl Fn(u32) -> K,
) -> Option<Vec<u32>> {
    let count = after.len();
    let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(2 * count);
    for (event, after) in after.iter().enumerate() {
        pairs.extend(after.iter().map(|&earlier| (earlier, event as u32)));
    }
    for chain in chains {
        pairs.extend(chain.windows(2).map(|pair| (pair[0], pair[1])));
    }
    let mut waits = vec![0u32; count];
    pairs.iter().for_each(|pair| waits[pair.1 as usize] += 1);
    let next = Followers::of(&pairs, count);
    let ready = (0..count as u32).filter(|&event| waits[event as usize] == 0);
    let mut ready: BinaryHeap<_> = ready.map(|event| Reverse((key(event), event))).collect();
    let mut order = Vec::with_capacity(count);
    while let Some(Reverse((_, event))) = ready.pop() {
        order.push(event);
        for &later in next.of_event(event) {
            waits[later as usize] -= 1;
            if waits[later as usize] == 0 {
                ready.push(Reverse((key(later), later)));
            }
        }
    }
    (order.len() == count).then_some(order)
}

/// The events that wait for each: all in one list, and where those of each event start.
struct Followers {
    starts: Vec<usize>,
    events: Vec<u32>,
}

impl Followers {
    fn of(pairs: &[(u32, u32)], count: usize) -> Self {
        let mut starts = vec![0; count + 1];
        pairs.iter().for_each(|pair| starts[pair.0 as usize] += 1);
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        // From the ends backwards, so that what is left are the starts, and each list is in the order of the pairs.
        let mut events = vec![0; pairs.len()];
        for &(earlier, later) in pairs.iter().rev() {
            starts[earlier as usize] -= 1;
            events[starts[earlier as usize]] = later;
        }
        Followers { starts, events }
    }

    fn of_event(&self, event: u32) -> &[u32] {
        let event = event as usize;
        &self.events[self.starts[event]..self.starts[event + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::extension;

    #[test]
    fn what_must_wait_waits() {
        let after = [vec![3], vec![], vec![], vec![]];
        let chain: &[u32] = &[2, 1];
        let order = extension(&after, [chain], |event| event);
        assert_eq!(order, Some(vec![2, 1, 3, 0]));
        let back: &[u32] = &[0, 3];
        assert_eq!(extension(&after, [back], |event| event), None);
    }
}
