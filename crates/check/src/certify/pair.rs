//! What is said of two events, judged again: that nothing orders them, that a cut lies between them, and that the least
//! cut past both of them is none of those that show the verdict.
//!
//! Neither clocks nor tables of an engine are used: the past of an event is found by walking back from it, and a formula
//! is evaluated after its cut has been replayed.

use causet_base::budget::{Budget, Spent};
use causet_formula::core::Ctl;
use causet_trace::{Cut, EventId, Trace};
use fixedbitset::FixedBitSet;

use super::claim::Reading;
use super::replay::Replay;
use super::stage::Stage;
use super::{Court, Lens};

/// Whether neither of two events happens before the other.
pub fn are_concurrent(
    trace: &Trace,
    one: EventId,
    other: EventId,
    budget: &Budget<'_>,
) -> Result<bool, Spent> {
    let is_before = |first: EventId, second: EventId| -> Result<bool, Spent> {
        Ok(past(trace, &[second], budget)?.contains(first.index()))
    };
    Ok(!is_before(one, other)? && !is_before(other, one)?)
}

/// Whether a cut holds the second of two events and not the first, and whether a formula is false at the least cut that
/// holds all of it and the first one, too.
pub fn removes(
    trace: &Trace,
    (first, second): (EventId, EventId),
    cut: &Cut,
    formula: &Ctl,
    budget: &Budget<'_>,
) -> Result<bool, Spent> {
    let order = trace.order();
    let lasts = order.processes().filter_map(|process| {
        let done = cut.of(process) as usize;
        order.chain(process)[..done].last().copied()
    });
    let mut events: Vec<EventId> = lasts.collect();
    let within = past(trace, &events, budget)?;
    if within.contains(first.index()) || !within.contains(second.index()) {
        return Ok(false);
    }
    events.push(first);
    let together = past(trace, &events, budget)?;
    Ok(!holds_behind(trace, formula, &together, budget)?)
}

/// Whether a formula holds at the initial cut, found by brute force; fails with [`Spent::Memory`] where that takes too
/// many states.
pub fn holds_by_definition(
    trace: &Trace,
    formula: &Ctl,
    budget: &Budget<'_>,
) -> Result<bool, Spent> {
    holds_behind(trace, formula, &FixedBitSet::new(), budget)
}

/// Some events and all that happen before them.
fn past(trace: &Trace, events: &[EventId], budget: &Budget<'_>) -> Result<FixedBitSet, Spent> {
    let mut past = FixedBitSet::with_capacity(trace.len());
    let mut open = events.to_vec();
    while let Some(event) = open.pop() {
        budget.tick()?;
        if !past.put(event.index()) {
            open.extend(trace.order().predecessors(event));
        }
    }
    Ok(past)
}

/// Whether a formula holds when these events have happened.
fn holds_behind(
    trace: &Trace,
    formula: &Ctl,
    events: &FixedBitSet,
    budget: &Budget<'_>,
) -> Result<bool, Spent> {
    budget.tick_many(trace.len() as u64)?;
    let reading = Reading::new(trace, formula);
    let stage = Stage::new(trace, &reading);
    let court = Court {
        stage: &stage,
        reading: &reading,
        lens: Lens::Visible,
        budget,
        futures: super::RefCell::new((0..reading.parts).map(|_| None).collect()),
    };
    let mut now = Replay::new(&stage, reading.parts);
    for event in trace.order().recorded() {
        if events.contains(event.index()) && !now.step(event) {
            return Ok(false);
        }
    }
    court.holds(&reading.claim, &mut now)
}
