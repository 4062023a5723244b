//! Where an order departs from the recorded one: pairs of events the other way round.
//!
//! Both orders keep to what had to come first. So two events that stand one way in the one and the other way in the
//! other cannot depend on each other, in either direction: a swap is always a pair of concurrent events, and no clock has
//! to be asked.
//!
//! There may be as many swaps as there are pairs. Those between events that write what the property names come first,
//! the nearest in the recorded order before the others; after them neighbours in the order shown, of which there is at
//! least one when the orders differ at all.

use causet_trace::{EventId, VarId};
use rustc_hash::FxHashSet;

use super::path::Path;

/// More swaps than this help nobody.
const MOST_SWAPS: usize = 50;
/// So many events that write something named are compared with each other.
const MOST_COMPARED: usize = 300;

/// The swaps of the events shown, and of those that are late, the best first.
pub(super) fn of(
    path: &Path<'_>,
    shown: &[EventId],
    variables: &[VarId],
) -> Vec<(EventId, EventId)> {
    let late = path.late_within(shown);
    let sequence: Vec<EventId> = shown.iter().copied().chain(late).collect();
    let rank = |event: EventId| path.ranks.of(event);
    let mut found = among_writers(path, &sequence, variables);
    let neighbours = sequence.windows(2).map(|pair| (pair[1], pair[0]));
    let mut others: Vec<(EventId, EventId)> = neighbours
        .filter(|&(later, earlier)| rank(later) < rank(earlier))
        .collect();
    others.sort_by_key(|&(later, earlier)| rank(earlier) - rank(later));
    found.extend(others);
    let mut seen = FxHashSet::default();
    found.retain(|pair| seen.insert(*pair));
    found.truncate(MOST_SWAPS);
    found
}

/// The swaps between events that write a variable of the property, nearest first.
fn among_writers(
    path: &Path<'_>,
    sequence: &[EventId],
    variables: &[VarId],
) -> Vec<(EventId, EventId)> {
    let variables: FxHashSet<VarId> = variables.iter().copied().collect();
    let writes = |&event: &EventId| {
        let mut writes = path.trace.writes(event);
        writes.any(|write| variables.contains(&write.var))
    };
    let writers: Vec<EventId> = sequence.iter().copied().filter(writes).collect();
    let writers = &writers[writers.len().saturating_sub(MOST_COMPARED)..];
    let mut found = Vec::new();
    for (index, &later) in writers.iter().enumerate() {
        for &earlier in &writers[..index] {
            let (recorded, instead) = (path.ranks.of(later), path.ranks.of(earlier));
            if recorded < instead {
                found.push((instead - recorded, (later, earlier)));
            }
        }
    }
    found.sort_unstable();
    found.into_iter().map(|(_, pair)| pair).collect()
}
