//! What can happen when a test runs against an implementation that is a model itself.
//!
//! Test and implementation go along with each other: what the tester sends the implementation must take, what the
//! implementation does the tester sees, silence included. All runs are looked at, by sets of states that the tester
//! cannot tell apart. An output that a waiting test has no step for is a `Fail`.

use std::collections::BTreeSet;

use causet_base::budget::{Budget, Spent};
use causet_solve::steps::Edge;

use super::graph::{TestGraph, Verdict};
use super::ioco::Party;
use super::roles::Role;
use super::trail::Trail;
use super::visible::Visible;

/// What can happen.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Execution {
    /// The verdicts that some run comes to.
    pub verdicts: BTreeSet<Verdict>,
    /// What is seen and sent on a shortest run that fails.
    pub failing: Option<Vec<String>>,
    /// An input that the implementation does not take when it is sent.
    pub refused: Option<String>,
}

/// Runs a test, a case or a whole graph, against an implementation in all possible ways.
pub fn execute(
    test: &TestGraph,
    implementation: Party<'_>,
    budget: &Budget<'_>,
) -> Result<Execution, Spent> {
    let alphabet = implementation.alphabet;
    let mut lts = implementation.lts;
    let mut visible = Visible::new(&mut lts, alphabet);
    let start = (test.lts().initial(), visible.initial(budget)?);
    // The state of the test and the set of the implementation.
    let mut trail = Trail::new(start);
    let mut execution = Execution::default();
    let mut next = 0;
    while let Some(at) = trail.get(next) {
        budget.tick()?;
        if let Some(verdict) = test.verdict(at.0) {
            execution.verdicts.insert(verdict);
            if verdict == Verdict::Fail && execution.failing.is_none() {
                execution.failing = Some(trail.way(next, alphabet.labels()));
            }
            next += 1;
            continue;
        }
        let possible = visible.successors(at.1, budget)?;
        for step in test.lts().steps(at.0) {
            let text = test.lts().labels().text(step.label);
            let found = possible
                .iter()
                .find(|edge| alphabet.labels().text(edge.label) == text);
            match found {
                Some(edge) => {
                    trail.add((step.target, edge.target), (next, edge.label), budget)?;
                }
                None if test.sends(step.label) => execution.refused = Some(text.to_owned()),
                None => {}
            }
        }
        if let Some(edge) = unheard_of(test, at.0, &possible, implementation) {
            execution.verdicts.insert(Verdict::Fail);
            let mut failing = trail.way(next, alphabet.labels());
            failing.push(alphabet.labels().text(edge.label).to_owned());
            execution.failing.get_or_insert(failing);
        }
        next += 1;
    }
    Ok(execution)
}

/// An output that the implementation has and a waiting test has no step for.
fn unheard_of<'e>(
    test: &TestGraph,
    state: u32,
    possible: &'e [Edge],
    implementation: Party<'_>,
) -> Option<&'e Edge> {
    let alphabet = implementation.alphabet;
    let steps = test.lts().steps(state);
    let awaited = steps.iter().filter(|step| !test.sends(step.label));
    let awaited = awaited.map(|step| test.lts().labels().text(step.label));
    let awaited: Vec<&str> = awaited.collect();
    let is_new = |edge: &&Edge| {
        let text = alphabet.labels().text(edge.label);
        alphabet.role(edge.label) == Role::Output && !awaited.contains(&text)
    };
    possible.iter().filter(|_| !awaited.is_empty()).find(is_new)
}
