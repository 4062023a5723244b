//! Vector clocks: how many events of each other process one has heard of.
//!
//! A process's own entry is the number of its event and stands beside the clock, so a clock changes only when something
//! is heard. Until then all events, stamps and references of a process share one clock. The loser is the array indexed
//! by process: it needs all processes to be known beforehand, and hosts that record apart never meet to number them.

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
        match self.entries.binary_search_by(|(name, _)| name.cmp(process)) {
            Ok(at) => self.entries[at].1 = self.entries[at].1.max(count),
            Err(at) if count > 0 => self.entries.insert(at, (process.clone(), count)),
            Err(_) => {}
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
    for (process, count) in its
        .entries()
        .iter()
        .map(|(p, c)| (p, *c))
        .chain([(process, number)])
    {
        if **process != *own {
            known.hear(process, count);
        }
    }
}
