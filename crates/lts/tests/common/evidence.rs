//! What every diagnostic must be: part of the system, and of the shape that it claims.

use std::collections::{HashMap, HashSet, VecDeque};

use causet_lts::Lts;
use causet_lts::counterexample::{Counterexample, Shape, Step};
use causet_solve::steps::Edge;

/// Its states are reachable states of the system, each once, the initial one first; its steps are steps of it, each once.
pub fn is_part_of(
    diagnostic: &Counterexample,
    lts: &Lts,
    reachable: &HashMap<u32, usize>,
    place: &str,
) {
    let states = &diagnostic.states;
    assert_eq!(states[0], lts.initial(), "{place}");
    assert!(
        states.iter().all(|state| reachable.contains_key(state)),
        "{place}"
    );
    let different: HashSet<&u32> = states.iter().collect();
    assert_eq!(different.len(), states.len(), "{place}");
    let different: HashSet<&Step> = diagnostic.steps.iter().collect();
    assert_eq!(different.len(), diagnostic.steps.len(), "{place}");
    for step in &diagnostic.steps {
        let edge = Edge {
            label: step.label,
            target: states[step.to],
        };
        assert!(
            lts.steps(states[step.from]).contains(&edge),
            "{step:?}: {place}"
        );
    }
}

/// Its shape by counting: all its states can be reached, so it is a tree when there is one step less than states.
pub fn is_of_its_shape(diagnostic: &Counterexample, place: &str) {
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); diagnostic.states.len()];
    for step in &diagnostic.steps {
        after[step.from].push(step.to);
    }
    let mut met = HashSet::from([0]);
    let mut next = vec![0];
    while let Some(state) = next.pop() {
        next.extend(after[state].iter().filter(|&&to| met.insert(to)));
    }
    assert_eq!(met.len(), after.len(), "{place}\n{diagnostic:?}");
    let is_line = after.iter().all(|targets| targets.len() <= 1);
    let shape = match (is_line, diagnostic.steps.len() < after.len()) {
        (true, true) => Shape::Path,
        (true, false) => Shape::Lasso,
        (false, true) => Shape::Tree,
        (false, false) => Shape::Graph,
    };
    assert_eq!(diagnostic.shape, shape, "{place}\n{diagnostic:?}");
    let line = diagnostic.line();
    assert_eq!(line.is_some(), is_line, "{place}");
    let mut at = 0;
    for step in line.into_iter().flatten() {
        assert_eq!(step.from, at, "{place}\n{diagnostic:?}");
        at = step.to;
    }
}

/// The states that can be reached, with the least number of steps it takes.
pub fn distances(lts: &Lts) -> HashMap<u32, usize> {
    let mut distances = HashMap::from([(lts.initial(), 0)]);
    let mut queue = VecDeque::from([lts.initial()]);
    while let Some(state) = queue.pop_front() {
        let next = distances[&state] + 1;
        for edge in lts.steps(state) {
            if let std::collections::hash_map::Entry::Vacant(entry) = distances.entry(edge.target) {
                entry.insert(next);
                queue.push_back(edge.target);
            }
        }
    }
    distances
}
