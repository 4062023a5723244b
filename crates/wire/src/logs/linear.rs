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
    let mut waits = vec![0u32; count];
    let mut next: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut wait = |earlier: u32, later: u32| {
        waits[later as usize] += 1;
        next[earlier as usize].push(later);
    };
    for (event, after) in after.iter().enumerate() {
        after
            .iter()
            .for_each(|&earlier| wait(earlier, event as u32));
    }
    for chain in chains {
        chain.windows(2).for_each(|pair| wait(pair[0], pair[1]));
    }
    let ready = (0..count as u32).filter(|&event| waits[event as usize] == 0);
    let mut ready: BinaryHeap<_> = ready.map(|event| Reverse((key(event), event))).collect();
    let mut order = Vec::with_capacity(count);
    while let Some(Reverse((_, event))) = ready.pop() {
        order.push(event);
        for &later in &next[event as usize] {
            waits[later as usize] -= 1;
            if waits[later as usize] == 0 {
                ready.push(Reverse((key(later), later)));
            }
        }
    }
    (order.len() == count).then_some(order)
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
