//! One order of events that keeps to all that is known of them: the least first, among those that wait for nothing.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An order of events in which each comes after those it must come after, and each chain in its own order; none if there
/// is none. What must come after what are pairs, the earlier event first. Of several that might be next it is the one with
/// the least key, or else with the least number.
///
/// Mostly the keys alone keep to all of that. Then nothing ever waits, and their order is the one that is asked for.
pub(crate) fn extension<'c, K: Ord>(
    count: usize,
    edges: impl Iterator<Item = (u32, u32)> + Clone,
    chains: impl IntoIterator<Item = &'c [u32], IntoIter: Clone>,
    key: impl Fn(u32) -> K,
) -> Option<Vec<u32>> {
    let of_chain = |chain: &'c [u32]| chain.windows(2).map(|pair| (pair[0], pair[1]));
    let of_chains = chains.into_iter().flat_map(of_chain);
    let pairs = edges.chain(of_chains);
    let by_key = sorted(count, &key);
    let ranks = ranks(&by_key);
    let rank = |event: u32| ranks[event as usize];
    if pairs.clone().all(|pair| rank(pair.0) < rank(pair.1)) {
        return Some(by_key);
    }
    let pairs: Vec<(u32, u32)> = pairs.collect();
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

/// The place of each event in an order.
pub(crate) fn ranks(order: &[u32]) -> Vec<u32> {
    let mut ranks = vec![0; order.len()];
    for (rank, &event) in order.iter().enumerate() {
        ranks[event as usize] = rank as u32;
    }
    ranks
}

/// All events by their keys, and those with the same by their numbers.
fn sorted<K: Ord>(count: usize, key: impl Fn(u32) -> K) -> Vec<u32> {
    let mut events: Vec<u32> = (0..count as u32).collect();
    if !events.is_sorted_by_key(|&event| key(event)) {
        events.sort_by_key(|&event| key(event));
    }
    events
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
        let edges = [(3, 0)];
        let chain: &[u32] = &[2, 1];
        let order = extension(4, edges.into_iter(), [chain], |event| event);
        assert_eq!(order, Some(vec![2, 1, 3, 0]));
        let back: &[u32] = &[0, 3];
        assert_eq!(extension(4, edges.into_iter(), [back], |event| event), None);
    }

    #[test]
    fn keys_that_keep_to_everything_are_the_order() {
        let edges = [(3, 0), (1, 2)];
        let key = |event: u32| [7, 2, 7, 1][event as usize];
        let chain: &[u32] = &[3, 1, 0];
        let order = extension(4, edges.into_iter(), [chain], key);
        assert_eq!(order, Some(vec![3, 1, 0, 2]));
    }
}
