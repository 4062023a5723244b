//! The suspension automaton: a system in which silence is a step like any other.
//!
//! Every quiescent state gets a step `delta` to itself. The functions here are the definitions, one set of states at a
//! time and on the whole system; [`visible`](super::visible) does the same on the fly and remembers what it met.

use std::collections::BTreeSet;

use causet_base::budget::{Budget, Spent};
use causet_solve::steps::Edge;

use super::quiescence::quiescent_states;
use super::roles::{Alphabet, Role};
use crate::system::Lts;

/// The system with a step `delta` from every quiescent state to itself, after its other steps. The budget stays charged
/// for it.
pub fn suspended(lts: &Lts, alphabet: &Alphabet, budget: &Budget<'_>) -> Result<Lts, Spent> {
    let loops = lts.states() as usize * (size_of::<Edge>() + size_of::<bool>());
    budget.charge(lts.bytes() + loops)?;
    let quiescent = quiescent_states(lts, alphabet, budget)?;
    let mut starts = vec![0];
    let mut edges = Vec::with_capacity(lts.step_count());
    for state in 0..lts.states() {
        edges.extend_from_slice(lts.steps(state));
        if quiescent[state as usize] {
            let label = alphabet.delta();
            edges.push(Edge {
                label,
                target: state,
            });
        }
        starts.push(edges.len() as u32);
    }
    let labels = alphabet.labels().clone();
    Ok(Lts::new(lts.initial(), starts, edges, labels))
}

/// A set of states.
pub type Set = BTreeSet<u32>;

/// Whatever a set of states reaches by internal steps, itself included.
pub fn closure(lts: &Lts, set: Set, alphabet: &Alphabet) -> Set {
    let mut waiting: Vec<u32> = set.iter().copied().collect();
    let mut closed = set;
    while let Some(state) = waiting.pop() {
        let steps = lts.steps(state).iter();
        for step in steps.filter(|step| alphabet.role(step.label) == Role::Internal) {
            if closed.insert(step.target) {
                waiting.push(step.target);
            }
        }
    }
    closed
}

/// Where a suspended system may be after a visible label, seen from a closed set of states.
pub fn after(suspended: &Lts, set: &Set, label: u32, alphabet: &Alphabet) -> Set {
    let steps = set.iter().flat_map(|&state| suspended.steps(state));
    let targets = steps
        .filter(|step| step.label == label)
        .map(|step| step.target);
    closure(suspended, targets.collect(), alphabet)
}

/// The outputs that some state of a set of a suspended system has, silence included.
pub fn out(suspended: &Lts, set: &Set, alphabet: &Alphabet) -> BTreeSet<u32> {
    let steps = set.iter().flat_map(|&state| suspended.steps(state));
    let labels = steps.map(|step| step.label);
    labels
        .filter(|&label| alphabet.role(label) == Role::Output)
        .collect()
}
