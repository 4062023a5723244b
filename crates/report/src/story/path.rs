//! The order a witness consists of: how far it is shown, what of the recorded order it has left behind, and the values
//! of variables at its end.

use std::cell::OnceCell;
use std::rc::Rc;

use causet_base::budget::Budget;
use causet_check::outcome::Witness;
use causet_check::valuation::Valuation;
use causet_formula::VarRef;
use causet_formula::core::Pred;
use causet_trace::{Cut, EventId, History, Order, Ranks, Trace, VarId};
use rustc_hash::FxHashMap;

use super::Held;
use super::budget::StoryBudget;
use causet_formats::words;

/// Of a longer order only the last events are shown.
const MOST_EVENTS: usize = 2000;
/// And of what follows the cut, the first.
const MOST_AFTER: usize = 500;
/// Of the events that are late, the last.
const MOST_LATE: usize = 200;

/// An order of events up to the cut that matters.
pub(super) struct Path<'a> {
    pub(super) trace: &'a Trace,
    /// The events up to the cut.
    pub(super) run: &'a [EventId],
    /// The cut they lead to.
    pub(super) cut: Cut,
    /// How it goes on, if that matters.
    pub(super) then: &'a [EventId],
    /// The places of events in the recorded order.
    pub(super) ranks: Ranks,
    /// What may still be done to tell its story.
    pub(super) budget: StoryBudget<'a>,
    /// The tables for all that is evaluated, once they are gathered.
    valuation: Option<Rc<Valuation<'a>>>,
    late: OnceCell<Vec<EventId>>,
    indices: OnceCell<Indices>,
}

/// Where the events stand on a path.
enum Indices {
    /// Where they were recorded.
    Recorded,
    /// On a path of few events of the run.
    Few(FxHashMap<EventId, usize>),
    /// By their numbers; the largest number for those that are not on it.
    Many(Vec<u32>),
}

/// A path with less than this part of the run has its places in a map.
const FEW: usize = 16;

/// The part of a path that is shown.
pub(super) struct Window<'a> {
    pub(super) events: &'a [EventId],
    pub(super) then: &'a [EventId],
    pub(super) start: Option<Vec<u32>>,
    pub(super) left_out: usize,
}

impl<'a> Path<'a> {
    /// The order of a witness, up to the event that decides a complete one.
    pub(super) fn of(trace: &'a Trace, witness: &'a Witness, budget: &'a Budget<'a>) -> Path<'a> {
        let decided = witness.enough.unwrap_or(witness.run.len());
        let run = &witness.run[..decided.min(witness.run.len())];
        Path {
            trace,
            run,
            cut: Cut::new(counts(trace.order(), run)),
            then: &witness.then,
            ranks: trace.order().ranks(),
            budget: StoryBudget::new(budget),
            valuation: None,
            late: OnceCell::new(),
            indices: OnceCell::new(),
        }
    }

    /// The place of an event on the path.
    pub(super) fn index_of(&self, event: EventId) -> Option<usize> {
        match self.indices.get_or_init(|| self.indices()) {
            Indices::Recorded => {
                let rank = self.ranks.of(event) as usize;
                (rank < self.run.len()).then_some(rank)
            }
            Indices::Few(indices) => indices.get(&event).copied(),
            Indices::Many(indices) => {
                let index = *indices.get(event.index())?;
                (index != u32::MAX).then_some(index as usize)
            }
        }
    }

    fn indices(&self) -> Indices {
        let mut numbered = self.run.iter().zip(0..);
        if numbered.all(|(&event, rank)| self.ranks.of(event) == rank) {
            return Indices::Recorded;
        }
        if self.run.len() < self.trace.len() / FEW {
            self.budget.allows(self.run.len());
            return Indices::Few(self.run.iter().copied().zip(0..).collect());
        }
        let size = self.trace.len() * size_of::<u32>();
        if !self.budget.allows(self.trace.len()) || !self.budget.charge(size) {
            return Indices::Many(Vec::new());
        }
        let mut indices = vec![u32::MAX; self.trace.len()];
        for (event, index) in self.run.iter().zip(0..) {
            indices[event.index()] = index;
        }
        Indices::Many(indices)
    }

    /// Tables that are enough for some predicates: those of the whole story where they are.
    pub(super) fn valuation<'p>(
        &self,
        preds: impl IntoIterator<Item = &'p Pred>,
    ) -> Rc<Valuation<'a>> {
        let preds: Vec<&Pred> = preds.into_iter().collect();
        let known = self.valuation.as_ref();
        let known = known.filter(|known| known.covers(preds.iter().copied()));
        known.map_or_else(|| self.new_valuation(preds), Rc::clone)
    }

    /// Gathers the tables for all that will be evaluated, in one pass over the run.
    pub(super) fn prepare(&mut self, preds: Vec<&Pred>) {
        self.valuation = Some(self.new_valuation(preds));
    }

    fn new_valuation(&self, preds: Vec<&Pred>) -> Rc<Valuation<'a>> {
        let goes_on = self.budget.allows(self.trace.len());
        let preds = preds.into_iter().filter(|_| goes_on);
        Rc::new(Valuation::new(self.trace, preds))
    }

    /// Whether an event had to come before another.
    pub(super) fn is_before(&self, first: EventId, second: EventId) -> bool {
        let order = self.trace.order();
        first != second && order.contains(&order.closure([second]), first)
    }

    /// The cuts along some events from a cut on, that one included.
    pub(super) fn cuts_from(&self, start: Vec<u32>, events: &[EventId]) -> Vec<Vec<u32>> {
        let order = self.trace.order();
        self.budget.allows(events.len() * order.process_count());
        let mut all = vec![start];
        for &event in events {
            let mut next = all[all.len() - 1].clone();
            next[order.process_of(event).index()] += 1;
            all.push(next);
        }
        all
    }

    /// What is shown of it.
    pub(super) fn window(&self) -> Window<'a> {
        let hidden = self.run.len().saturating_sub(MOST_EVENTS);
        let after = &self.then[..self.then.len().min(MOST_AFTER)];
        Window {
            events: &self.run[hidden..],
            then: after,
            start: (hidden > 0).then(|| counts(self.trace.order(), &self.run[..hidden])),
            left_out: hidden + self.then.len() - after.len(),
        }
    }

    /// Some events as they were recorded.
    pub(super) fn in_recorded_order(&self, events: &[EventId]) -> Vec<EventId> {
        let mut events = events.to_vec();
        events.sort_by_key(|&event| self.ranks.of(event));
        events
    }

    /// The events that were recorded before some event of the order and have not happened at the cut, as recorded; of
    /// many, the last.
    pub(super) fn late(&self) -> &[EventId] {
        self.late.get_or_init(|| {
            let places = self.run.iter().map(|&event| self.ranks.of(event));
            let last = places.max().map_or(0, |place| place as usize + 1);
            // Nothing is missing where as many events were recorded as have happened.
            if last == self.run.len() || !self.budget.allows(last) {
                return Vec::new();
            }
            let order = self.trace.order();
            let missing = order
                .recorded()
                .take(last)
                .filter(|&event| !order.contains(&self.cut, event));
            let mut missing: Vec<EventId> = missing.collect();
            missing.drain(..missing.len().saturating_sub(MOST_LATE));
            missing
        })
    }

    /// Those of the late events that were recorded after the first of the given ones.
    pub(super) fn late_within(&self, events: &[EventId]) -> Vec<EventId> {
        let first = events.iter().map(|&event| self.ranks.of(event)).min();
        let late = self.late().iter().copied();
        late.filter(|&event| events.len() == self.run.len() || Some(self.ranks.of(event)) > first)
            .collect()
    }

    /// What variables hold at the cut, and who wrote it.
    pub(super) fn values(&self, variables: &[VarId]) -> Vec<Held> {
        let known = self.valuation.as_ref();
        let known = |var: VarId| known.and_then(|known| known.history(VarRef(var.raw())));
        let others: Vec<VarId> = variables
            .iter()
            .copied()
            .filter(|&var| known(var).is_none())
            .collect();
        let gathered = match others.is_empty() || !self.budget.allows(self.trace.len()) {
            true => Vec::new(),
            false => self.trace.histories(&others),
        };
        let mut gathered = gathered.iter();
        let histories = variables
            .iter()
            .filter_map(|&var| known(var).or_else(|| gathered.next()));
        histories.map(|history| self.held(history)).collect()
    }

    fn held(&self, history: &History) -> Held {
        let done = history.done_in(self.trace, self.cut.counts());
        let writer = done.checked_sub(1).map(|last| history.writes[last].0.raw());
        Held {
            name: words::clean(&self.trace.variable_name(history.var)),
            value: words::value(self.trace, history.value_after(done)),
            event: writer,
        }
    }
}

/// How many events of each process some events are, which are the first of theirs.
fn counts(order: &Order, events: &[EventId]) -> Vec<u32> {
    if events.len() == order.len() {
        return order.final_cut().counts().to_vec();
    }
    let mut counts = vec![0; order.process_count()];
    for &event in events {
        counts[order.process_of(event).index()] += 1;
    }
    counts
}
