//! Whether a system takes every input at any time, as an implementation under test is assumed to do.
//!
//! A state takes an input when it has a step with it, perhaps after internal steps. Conformance is defined without
//! this, but a test that sends an input nobody takes has no verdict.

use causet_base::budget::{Budget, Spent};

use super::roles::{Alphabet, Role};
use crate::system::Lts;

/// A reachable state and an input that it does not take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The state.
    pub state: u32,
    /// The label of the input.
    pub input: u32,
}

/// The first input in the order of labels that some reachable state does not take, with the first such state.
pub fn refusal(
    lts: &Lts,
    alphabet: &Alphabet,
    budget: &Budget<'_>,
) -> Result<Option<Refusal>, Spent> {
    let branch = budget.branch();
    // Per state who comes before it, two marks and a place in a queue; per internal step a source.
    let per_state = size_of::<Vec<u32>>() + 2 * size_of::<bool>() + size_of::<u32>();
    branch.charge(lts.states() as usize * per_state + lts.step_count() * size_of::<u32>())?;
    let reachable = reachable(lts, &branch)?;
    let before = before_internal(lts, alphabet);
    for input in alphabet.with_role(Role::Input) {
        let takes = takers(lts, input, &before, &branch)?;
        let refuses = |&state: &u32| reachable[state as usize] && !takes[state as usize];
        if let Some(state) = (0..lts.states()).find(refuses) {
            return Ok(Some(Refusal { state, input }));
        }
    }
    Ok(None)
}

fn reachable(lts: &Lts, budget: &Budget<'_>) -> Result<Vec<bool>, Spent> {
    let mut met = vec![false; lts.states() as usize];
    met[lts.initial() as usize] = true;
    let mut waiting = vec![lts.initial()];
    while let Some(state) = waiting.pop() {
        budget.tick()?;
        for step in lts.steps(state) {
            if !std::mem::replace(&mut met[step.target as usize], true) {
                waiting.push(step.target);
            }
        }
    }
    Ok(met)
}

/// For each state, those with an internal step to it.
fn before_internal(lts: &Lts, alphabet: &Alphabet) -> Vec<Vec<u32>> {
    let mut before = vec![Vec::new(); lts.states() as usize];
    for (source, step) in lts.transitions() {
        if alphabet.role(step.label) == Role::Internal {
            before[step.target as usize].push(source);
        }
    }
    before
}

fn takers(
    lts: &Lts,
    input: u32,
    before: &[Vec<u32>],
    budget: &Budget<'_>,
) -> Result<Vec<bool>, Spent> {
    let has = |state: u32| lts.steps(state).iter().any(|step| step.label == input);
    let mut takes: Vec<bool> = (0..lts.states()).map(has).collect();
    let mut waiting: Vec<u32> = (0..lts.states())
        .filter(|&state| takes[state as usize])
        .collect();
    while let Some(state) = waiting.pop() {
        budget.tick()?;
        for &source in &before[state as usize] {
            if !std::mem::replace(&mut takes[source as usize], true) {
                waiting.push(source);
            }
        }
    }
    Ok(takes)
}
