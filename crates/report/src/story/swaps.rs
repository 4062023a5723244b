//! Where an order departs from the recorded one: pairs of events the other way round.
//!
//! Both orders keep to what had to come first. So two events that stand one way in the one and the other way in the
//! other cannot depend on each other, in either direction: a swap is always a pair of concurrent events, and no clock has
//! to be asked.
//!
//! There may be as many swaps as there are pairs. Those between events that the property names by `on(...)` come first,
//! then those between events that write what it names, the nearest in the recorded order before the others; after them
//! neighbours in the order shown, of which there is at least one when the orders differ at all.

use std::sync::Arc;

use causet_check::subject::process_id;
use causet_formula::core::{Ctl, EventAtom, Pred};
use causet_trace::{EventId, ProcessId, Trace, VarId};
use rustc_hash::FxHashSet;

use super::Claim;
use super::path::Path;

/// More swaps than this help nobody.
const MOST_SWAPS: usize = 50;
/// So many events that the property is about are compared with each other.
const MOST_COMPARED: usize = 300;

/// The swaps of the events shown, and of those that are late, the best first.
pub(super) fn of(
    path: &Path<'_>,
    shown: &[EventId],
    interest: &Interest,
) -> Vec<(EventId, EventId)> {
    let late = path.late_within(shown);
    let sequence: Vec<EventId> = shown.iter().copied().chain(late).collect();
    let rank = |event: EventId| path.ranks.of(event);
    let mut found = among_named(path, &sequence, interest);
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

/// Puts the pairs first that the sentence speaks of.
pub(super) fn put_first(path: &Path<'_>, claims: &[Claim], swaps: &mut Vec<(EventId, EventId)>) {
    let told = claims.iter().filter_map(|claim| match claim {
        Claim::Unordered(pair) => Some((EventId::new(pair.first), EventId::new(pair.second))),
        _ => None,
    });
    let mut first: Vec<(EventId, EventId)> = told
        .filter(|&(later, earlier)| path.ranks.of(later) < path.ranks.of(earlier))
        .collect();
    swaps.retain(|pair| !first.contains(pair));
    first.append(swaps);
    first.truncate(MOST_SWAPS);
    *swaps = first;
}

/// The swaps between events the property is about, those it names first, then the nearest.
fn among_named(
    path: &Path<'_>,
    sequence: &[EventId],
    interest: &Interest,
) -> Vec<(EventId, EventId)> {
    let named = sequence.iter().copied();
    let named: Vec<EventId> = named
        .filter(|&event| interest.in_event(path.trace, event).is_some())
        .collect();
    let named = &named[named.len().saturating_sub(MOST_COMPARED)..];
    let mut found = Vec::new();
    for (index, &later) in named.iter().enumerate() {
        for &earlier in &named[..index] {
            let (recorded, instead) = (path.ranks.of(later), path.ranks.of(earlier));
            if recorded < instead {
                let interest = [later, earlier].map(|one| interest.in_event(path.trace, one));
                let strangeness = interest.into_iter().flatten().sum::<u8>();
                found.push(((strangeness, instead - recorded), (later, earlier)));
            }
        }
    }
    found.sort_unstable();
    found.into_iter().map(|(_, pair)| pair).collect()
}

/// What a property is about.
pub(super) struct Interest {
    variables: FxHashSet<VarId>,
    /// The labels it names, perhaps of one process only.
    labels: Vec<(Option<ProcessId>, Arc<str>)>,
}

impl Interest {
    /// What a formula with these variables is about.
    pub(super) fn of(formula: &Ctl, variables: &[VarId]) -> Interest {
        let mut interest = Interest {
            variables: variables.iter().copied().collect(),
            labels: Vec::new(),
        };
        formula.preds().for_each(|pred| interest.add(pred));
        interest
    }

    fn add(&mut self, pred: &Pred) {
        for (atom, _) in pred.atoms() {
            match atom {
                Pred::On(EventAtom::Label(label)) => self.labels.push((None, label.clone())),
                Pred::On(EventAtom::ProcessLabel(process, label)) => {
                    let process = process_id(*process);
                    self.labels.push((Some(process), label.clone()));
                }
                _ => {}
            }
        }
    }

    /// How far an event is from what the property is about: 0 when its label is named, 1 when it writes a variable of
    /// it, nothing when neither.
    fn in_event(&self, trace: &Trace, event: EventId) -> Option<u8> {
        let process = trace.order().process_of(event);
        let is_named = |label: &str| {
            let mut labels = self.labels.iter();
            labels.any(|(of, name)| &**name == label && of.is_none_or(|of| of == process))
        };
        if trace.label(event).is_some_and(is_named) {
            return Some(0);
        }
        let mut writes = trace.writes(event);
        let is_written = writes.any(|write| self.variables.contains(&write.var));
        is_written.then_some(1)
    }
}
