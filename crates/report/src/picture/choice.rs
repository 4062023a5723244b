//! Which events are drawn: all of a small run; of a large one those around the cut, and those a reader has to see.

use causet_trace::{EventId, Order, Ranks};
use rustc_hash::FxHashSet;

use super::Picture;

/// So many events are drawn unless more are asked for.
const MOST_EVENTS: usize = 60;
/// So many of them before the middle of a range that nobody has chosen.
const MOST_BEFORE: usize = 40;

/// Which part of the recorded order a person wants to see, counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Range {
    /// The first event.
    pub from: Option<usize>,
    /// The last event.
    pub to: Option<usize>,
    /// The event in the middle.
    pub around: Option<EventId>,
}

/// The events to draw, as they were recorded, and how many were left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The events.
    pub events: Vec<EventId>,
    /// How many others the run has.
    pub left_out: usize,
}

impl Choice {
    /// The events of a picture within a range.
    pub fn of(picture: &Picture<'_>, range: Range) -> Choice {
        let order = picture.trace.order();
        let ranks = order.ranks();
        let (first, last) = bounds(picture, range, order, &ranks);
        let mut chosen: FxHashSet<EventId> = (first..last)
            .map(|rank| ranks.at(u32::try_from(rank).unwrap_or(u32::MAX)))
            .collect();
        if range == Range::default() {
            chosen.extend(important(picture));
        }
        let mut events: Vec<EventId> = chosen.into_iter().collect();
        events.sort_by_key(|&event| ranks.of(event));
        Choice {
            left_out: order.len() - events.len(),
            events,
        }
    }
}

/// The ranks of the first event drawn and of the one behind the last.
fn bounds(picture: &Picture<'_>, range: Range, order: &Order, ranks: &Ranks) -> (usize, usize) {
    let count = order.len();
    let around = |middle: usize| {
        let first = middle.saturating_sub(MOST_BEFORE);
        let last = (first + MOST_EVENTS).min(count);
        (last.saturating_sub(MOST_EVENTS), last)
    };
    match (range.from, range.to, range.around) {
        (None, None, Some(event)) => around(ranks.of(event) as usize),
        (None, None, None) if count <= MOST_EVENTS => (0, count),
        (None, None, None) => around(middle(picture, ranks)),
        (from, to, _) => {
            let first = from.unwrap_or(1).saturating_sub(1).min(count);
            let last = to.unwrap_or(count).min(count);
            (first, last.max(first))
        }
    }
}

/// The rank of the event that matters most: the last one of the order that shows the verdict.
fn middle(picture: &Picture<'_>, ranks: &Ranks) -> usize {
    let story = picture.told.and_then(|told| told.story);
    let last = story.and_then(|story| story.order.last());
    last.map_or(0, |&event| ranks.of(EventId::new(event)) as usize)
}

/// The events without which the story cannot be followed.
fn important(picture: &Picture<'_>) -> Vec<EventId> {
    let Some(story) = picture.told.and_then(|told| told.story) else {
        return Vec::new();
    };
    let mut numbers: Vec<u32> = story.values.iter().filter_map(|held| held.event).collect();
    numbers.extend(&story.focus);
    numbers.truncate(MOST_EVENTS);
    numbers.into_iter().map(EventId::new).collect()
}
