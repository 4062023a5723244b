//! Vector clocks: how many events of each other process one has heard of.
//!
//! A process's own entry is the number of its event and stands beside the clock, so a clock changes only when something
//! is heard. Until then all events, stamps and references of a process share one clock. The loser is the array indexed
//! by process: it needs all processes to be known beforehand, and hosts that record apart never meet to number them.

use std::cmp::Ordering;
use std::sync::Arc;

/// What is known of the other processes; `None` once something was heard whose clock is unknown. A clock that says too
/// little contradicts the edges of the run, so from then on none is written.
pub(crate) type Knowledge = Option<Arc<Known>>;

/// Processes and numbers of events, by name, none of them zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    entries: Vec<(Arc<str>, u32)>,
}

impl Known {
    /// The entries, by name.
    pub(crate) fn entries(&self) -> &[(Arc<str>, u32)] {
        &self.entries
    }

    /// Hears of the first `count` events of a process.
    pub(crate) fn hear(&mut self, process: &Arc<str>, count: u32) {
        let place = self
            .entries
            .binary_search_by(|(name, _)| by_name(name, process));
        match place {
            Ok(at) => self.entries[at].1 = self.entries[at].1.max(count),
            Err(at) if count > 0 => self.entries.insert(at, (process.clone(), count)),
            Err(_) => {}
        }
    }

    /// Hears of all that another clock knows of, except of the process `own`. Both are sorted: one walk along them.
    fn merge(&mut self, its: &Known, own: &str) {
        let mut at = 0;
        for (process, count) in &its.entries {
            let place = loop {
                match self.entries.get(at).map(|(name, _)| by_name(name, process)) {
                    Some(Ordering::Less) => at += 1,
                    place => break place,
                }
            };
            if place == Some(Ordering::Equal) {
                self.entries[at].1 = self.entries[at].1.max(*count);
            } else if **process != *own {
                self.entries.insert(at, (process.clone(), *count));
            }
        }
    }
}

/// Lets the process `own` hear of an event of another and of all that event had heard of.
pub(crate) fn learn(
    mine: &mut Knowledge,
    own: &str,
    process: &Arc<str>,
    number: u32,
    its: &Knowledge,
) {
    let Some(known) = mine else { return };
    let Some(its) = its else {
        *mine = None;
        return;
    };
    let known = Arc::make_mut(known);
    known.merge(its, own);
    if **process != *own {
        known.hear(process, number);
    }
}

/// The order of names; most are the same text in the same place.
fn by_name(one: &Arc<str>, other: &Arc<str>) -> Ordering {
    if Arc::ptr_eq(one, other) {
        Ordering::Equal
    } else {
        one.cmp(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(entries: &[(&str, u32)]) -> Known {
        let mut known = Known::default();
        for &(process, count) in entries {
            known.hear(&Arc::from(process), count);
        }
        known
    }

    #[test]
    fn merging_is_hearing_of_each_entry() {
        let rng = &mut fastrand::Rng::with_seed(1);
        let names = ["a", "b", "c", "d", "e", "own"];
        for _ in 0..1000 {
            let mut some = || {
                let entries = names.map(|name| (name, rng.u32(..3)));
                known(&entries[..rng.usize(..=5)])
            };
            let (mut merged, its) = (some(), some());
            let mut heard = merged.clone();
            let others = its.entries.iter().filter(|(name, _)| **name != *"own");
            others.for_each(|(name, count)| heard.hear(name, *count));
            merged.merge(&its, "own");
            assert_eq!(merged, heard);
        }
    }
}
