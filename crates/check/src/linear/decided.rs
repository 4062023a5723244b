//! After how many events of an order a language of runs is decided, whatever follows.
//!
//! A deterministic automaton reads the order until it is in a state from which it accepts every continuation. An automaton
//! that guesses would have to be made deterministic first; then nothing is said.

use causet_base::budget::{Budget, Spent};
use causet_formula::Runs;
use causet_trace::{EventId, Trace};

use super::compile::{Sizes, compile};
use crate::valuation::Valuation;

/// The length of the shortest beginning of an order of which every completion is a word of the language, if one is known.
pub(crate) fn decided_after(
    trace: &Trace,
    runs: &Runs,
    run: &[EventId],
    budget: &Budget<'_>,
) -> Result<Option<usize>, Spent> {
    let compiled = match compile(runs, Sizes::default(), budget) {
        Err(Spent::Memory) => return Ok(None),
        compiled => compiled?,
    };
    let automaton = &compiled.automaton;
    if !compiled.is_deterministic || runs.end.is_some() {
        return Ok(None);
    }
    let sure = automaton.sure();
    let valuation = Valuation::new(trace, &compiled.atoms);
    let order = trace.order();
    let mut cut = vec![0; order.process_count()];
    let mut state = automaton.initial();
    for length in 0..=run.len() {
        budget.tick()?;
        let event = length.checked_sub(1).map(|last| run[last]);
        if let Some(event) = event {
            cut[order.process_of(event).index()] += 1;
        }
        let atoms = &compiled.atoms;
        let holds = |atom: usize| valuation.holds_behind(&atoms[atom], &cut, event);
        let Some(&next) = automaton.next(state, holds).first() else {
            return Ok(None);
        };
        state = next;
        if sure[state as usize] {
            return Ok(Some(length));
        }
    }
    Ok(None)
}
