//! An order told by its difference from the recorded one: the fewest events that have to be taken out of the recorded
//! order and put back elsewhere.
//!
//! ```text
//! recorded  1 2 3 4 5 6      order  1 3 4 2 5 6      moved  2 to place 4
//! ```
//!
//! The events that stay are a longest ascending subsequence of recorded places along the order, found by patience
//! sorting in `n log n` steps (Fredman, On computing the length of longest increasing subsequences, 1975). Exchanges of
//! neighbours were the alternative; one late event that passes a thousand others would be a thousand of them.

use causet_base::budget::{Budget, Spent};
use causet_trace::{EventId, Ranks};

/// No event before this one.
const NONE: u32 = u32::MAX;

/// The events of an order that do not stay where they were recorded, with their places in it, counted from 1.
///
/// Of the recorded order of the same events, take these out; what is left, with each of these put back at its place, is
/// the order.
pub(super) fn moved(
    order: &[EventId],
    ranks: &Ranks,
    budget: &Budget<'_>,
) -> Result<Vec<(EventId, usize)>, Spent> {
    let room = budget.branch();
    room.charge(3 * size_of::<u32>() * order.len())?;
    let rank = |index: u32| ranks.of(order[index as usize]);
    // Of the ascending subsequences of each length the end that was recorded first, and what comes before each event.
    let mut ends: Vec<u32> = Vec::new();
    let mut before: Vec<u32> = Vec::with_capacity(order.len());
    for index in 0..order.len() as u32 {
        room.tick()?;
        let here = rank(index);
        let length = match ends.last() {
            Some(&end) if rank(end) < here => ends.len(),
            _ => ends.partition_point(|&end| rank(end) < here),
        };
        before.push(length.checked_sub(1).map_or(NONE, |shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut moved = Vec::new();
    let mut stays = ends.last().copied().unwrap_or(NONE);
    for index in (0..order.len() as u32).rev() {
        match index == stays {
            true => stays = before[index as usize],
            false => moved.push((order[index as usize], index as usize + 1)),
        }
    }
    moved.reverse();
    Ok(moved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use causet_trace::notation;

    fn places(order: &[u32]) -> Vec<(u32, usize)> {
        let trace = notation::parse("a: . . . . . .").expect("a drawing");
        let order: Vec<EventId> = order.iter().map(|&event| EventId::new(event)).collect();
        let moved = moved(&order, &trace.order().ranks(), &Budget::endless());
        let moved = moved.expect("no limit").into_iter();
        moved.map(|(event, place)| (event.raw(), place)).collect()
    }

    #[test]
    fn as_few_as_possible_are_moved() {
        assert_eq!(places(&[0, 1, 2, 3]), []);
        assert_eq!(places(&[0, 2, 3, 1, 4, 5]), [(1, 4)]);
        assert_eq!(places(&[5, 0, 1, 2]), [(5, 1)]);
        assert_eq!(places(&[2, 1, 0]).len(), 2);
        assert_eq!(places(&[]), []);
    }

    #[test]
    fn what_moved_put_back_is_the_order() {
        let mut rng = fastrand::Rng::with_seed(7);
        let trace = notation::parse("a: . . . . . . . . . . . .").expect("a drawing");
        let ranks = trace.order().ranks();
        for _ in 0..500 {
            let mut order: Vec<EventId> = trace.events().collect();
            rng.shuffle(&mut order);
            order.truncate(rng.usize(..=12));
            let moved = moved(&order, &ranks, &Budget::endless()).expect("no limit");
            let mut again = order.clone();
            again.sort_by_key(|&event| ranks.of(event));
            again.retain(|event| moved.iter().all(|(other, _)| other != event));
            for (event, place) in moved {
                again.insert(place - 1, event);
            }
            assert_eq!(again, order);
        }
    }
}
