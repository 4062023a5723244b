//! The lattice of a small run: every cut, level by level, for a picture of all orders at once.

use causet_check::glance::Glance;
use causet_trace::{Cut, Order};
use rustc_hash::FxHashMap;
use serde::Serialize;

/// A run with more cuts than this gets no such picture.
const MOST_CUTS: usize = 3000;
/// Nor one with more counts in all of them, which has processes by the thousand.
const MOST_COUNTS: usize = 1_000_000;

/// All cuts of a run, those with fewer events first.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Cuts {
    /// For each cut how many events of each process have happened, all cuts end to end.
    counts: Vec<u32>,
    /// The steps from cut to cut, as pairs of places in that list.
    steps: Vec<(u32, u32)>,
}

impl Cuts {
    /// All cuts, if there are few.
    pub(super) fn of(order: &Order) -> Option<Cuts> {
        // An order has a cut more than events.
        if order.len() >= MOST_CUTS {
            return None;
        }
        let mut cuts = vec![order.initial_cut()];
        let mut places = FxHashMap::default();
        places.insert(order.initial_cut(), 0u32);
        let mut steps = Vec::new();
        let mut next = 0;
        while let Some(cut) = cuts.get(next).cloned() {
            for event in order.enabled(&cut) {
                let further: Cut = cut.advanced(order.process_of(event));
                let place = *places.entry(further).or_insert_with_key(|further| {
                    cuts.push(further.clone());
                    cuts.len() as u32 - 1
                });
                steps.push((next as u32, place));
            }
            if cuts.len() > MOST_CUTS || cuts.len() * order.process_count() > MOST_COUNTS {
                return None;
            }
            next += 1;
        }
        let counts = cuts.iter().flat_map(|cut| cut.counts().to_vec()).collect();
        Some(Cuts { counts, steps })
    }

    /// Whether something is so at each cut: a text with a 1 or a 0 for each.
    pub(super) fn truths(&self, processes: usize, glance: &Glance<'_>) -> String {
        let cuts = self.counts.chunks(processes.max(1));
        cuts.map(|cut| if glance.holds(cut) { '1' } else { '0' })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use causet_trace::notation;

    #[test]
    fn two_independent_processes_make_a_grid() {
        let trace = notation::parse("a: . .\nb: . .").expect("a drawing");
        let cuts = Cuts::of(trace.order()).expect("few cuts");
        assert_eq!(cuts.counts.len(), 9 * 2);
        assert_eq!(cuts.steps.len(), 12);
        assert_eq!(cuts.counts[..2], [0, 0]);
        assert_eq!(cuts.counts[16..], [2, 2]);
    }

    #[test]
    fn many_cuts_are_not_listed() {
        let drawing: String = (0..12).map(|p| format!("p{p}: . . .\n")).collect();
        let trace = notation::parse(&drawing).expect("a drawing");
        assert!(Cuts::of(trace.order()).is_none());
    }
}
