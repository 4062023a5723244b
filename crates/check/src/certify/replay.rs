//! A run re-enacted event by event: how far each process has come and what the claim sees there.
//!
//! An event is refused when something it depends on has not happened. What it changes was written down by the stage, and
//! nothing here comes from tables made for an engine.

use causet_trace::EventId;

use super::stage::Stage;

/// The state of the system after some events.
pub(super) struct Replay<'s, 't> {
    stage: &'s Stage<'t>,
    happened: Vec<u32>,
    slots: Vec<i64>,
    /// Per part of the claim: its truth here, once it has been found out. Forgotten as soon as anything visible happens.
    known: Vec<Option<bool>>,
}

impl<'s, 't> Replay<'s, 't> {
    /// Before the first event, for a claim of so many parts.
    pub(super) fn new(stage: &'s Stage<'t>, parts: usize) -> Self {
        Replay {
            stage,
            happened: vec![0; stage.trace().order().process_count()],
            slots: stage.initial().to_vec(),
            known: vec![None; parts],
        }
    }

    /// How many events of each process have happened.
    pub(super) fn happened(&self) -> &[u32] {
        &self.happened
    }

    /// What the slots hold.
    pub(super) fn slots(&self) -> &[i64] {
        &self.slots
    }

    /// Where to remember the truth of a part of the claim until something visible happens.
    pub(super) fn known(&mut self, part: usize) -> &mut Option<bool> {
        &mut self.known[part]
    }

    /// Whether everything has happened.
    pub(super) fn is_over(&self) -> bool {
        let order = self.stage.trace().order();
        let mut processes = order.processes();
        processes
            .all(|process| order.chain(process).len() == self.happened[process.index()] as usize)
    }

    /// The events that may happen now.
    pub(super) fn possible(&self) -> Vec<EventId> {
        self.possible_at(&self.happened)
    }

    /// The events that may happen when so many of each process have.
    pub(super) fn possible_at(&self, happened: &[u32]) -> Vec<EventId> {
        let order = self.stage.trace().order();
        let next = order.processes().filter_map(|process| {
            let event = *order
                .chain(process)
                .get(happened[process.index()] as usize)?;
            self.may_happen(event, happened).then_some(event)
        });
        next.collect()
    }

    /// The process of an event.
    pub(super) fn process_of(&self, event: EventId) -> usize {
        self.stage.trace().order().process_of(event).index()
    }

    /// Lets an event happen; `false` when it cannot happen now.
    pub(super) fn step(&mut self, event: EventId) -> bool {
        let may = self.may_happen(event, &self.happened);
        if may {
            self.advance(event);
        }
        may
    }

    /// Lets an event of the recorded order happen, and with it whatever invisible comes before it on its process.
    pub(super) fn advance(&mut self, event: EventId) {
        let order = self.stage.trace().order();
        self.happened[order.process_of(event).index()] = order.position_of(event);
        let changes = self.stage.changes(event);
        if !changes.is_empty() {
            self.known.fill(None);
        }
        for change in changes {
            change.apply(&mut self.slots);
        }
    }

    /// Whether it is the next event of its process and everything that directly precedes it elsewhere has happened.
    fn may_happen(&self, event: EventId, happened: &[u32]) -> bool {
        let order = self.stage.trace().order();
        if event.index() >= order.len() {
            return false;
        }
        let has_happened =
            |e: &EventId| order.position_of(*e) <= happened[order.process_of(*e).index()];
        order.position_of(event) == happened[order.process_of(event).index()] + 1
            && order.crossing_into(event).iter().all(has_happened)
    }
}
