//! Where the events of a picture stand from left to right.
//!
//! An event stands right of the one recorded before it, right of whoever it waited for, and so far from its neighbour on
//! the lane that the words of both have room. So words of one lane never meet, and the recorded order can be read off.

use causet_trace::{EventId, Trace};
use rustc_hash::FxHashMap;

/// The least distance to the event recorded before.
const STEP: f64 = 14.0;
/// The least distance along an arrow.
const ARROW: f64 = 34.0;
/// The gap between the words of two neighbours on a lane.
const GAP: f64 = 14.0;
/// The gap when events in between are left out.
const WIDE_GAP: f64 = 44.0;

/// The horizontal place of every event drawn.
pub(super) struct Places {
    x: FxHashMap<EventId, f64>,
    /// How far right the words go.
    pub(super) end: f64,
}

impl Places {
    /// Places events, given as they were recorded, with the widths of their words, from a left margin on.
    pub(super) fn of(trace: &Trace, events: &[EventId], widths: &[f64], left: f64) -> Places {
        let order = trace.order();
        let mut x: FxHashMap<EventId, f64> = FxHashMap::default();
        // The last event drawn on each lane, and where its words end.
        let mut ends: FxHashMap<_, (u32, f64)> = FxHashMap::default();
        let (mut previous, mut end) = (left - STEP, left);
        for (&event, &width) in events.iter().zip(widths) {
            let process = order.process_of(event);
            let position = order.position_of(event);
            let mut place = previous + STEP;
            let &(last, words_end) = ends.get(&process).unwrap_or(&(0, left - GAP));
            let gap = if position == last + 1 { GAP } else { WIDE_GAP };
            place = place.max(words_end + gap + width / 2.0);
            for before in order.crossing_into(event) {
                if let Some(from) = x.get(before) {
                    place = place.max(from + ARROW);
                }
            }
            x.insert(event, place);
            ends.insert(process, (position, place + width / 2.0));
            end = end.max(place + width / 2.0);
            previous = place;
        }
        Places { x, end }
    }

    /// The place of an event, if it is drawn.
    pub(super) fn get(&self, event: EventId) -> Option<f64> {
        self.x.get(&event).copied()
    }
}
