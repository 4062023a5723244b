//! What is certain about the states of an automaton: from which of them no word is accepted, and from which every word is.

use causet_solve::automaton::{Automaton, Look, Place, State};
use rustc_hash::FxHashSet;

/// What is certain about each state, whatever letters follow.
pub(super) struct Fate {
    dead: Vec<bool>,
    sure: Vec<bool>,
    haste: Vec<u32>,
}

impl Fate {
    /// Looks at all states.
    pub(super) fn of(automaton: &Automaton) -> Fate {
        let leaves: Vec<Vec<&[State]>> = (0..automaton.len())
            .map(|state| leaves(automaton, state as State))
            .collect();
        let accepting = |state: usize| automaton.is_accepting(state as State);
        let sure = sure(&leaves, accepting);
        Fate {
            dead: automaton.dead(),
            haste: distances(&leaves, |state| sure[state]),
            sure,
        }
    }

    /// Whether no word is accepted from here, not even the one that ends here.
    pub(super) fn is_dead(&self, state: State) -> bool {
        self.dead[state as usize]
    }

    /// Whether every word is accepted from here; some states of which that is true may not be known for it.
    pub(super) fn is_sure(&self, state: State) -> bool {
        self.sure[state as usize]
    }

    /// How many letters it takes at least to come to a state that is sure.
    pub(super) fn haste(&self, state: State) -> u32 {
        self.haste[state as usize]
    }
}

/// The sets of states that may be next.
fn leaves(automaton: &Automaton, state: State) -> Vec<&[State]> {
    let mut leaves = Vec::new();
    let mut seen: FxHashSet<Place> = FxHashSet::default();
    let mut stack = vec![automaton.start(state)];
    while let Some(place) = stack.pop() {
        if !seen.insert(place) {
            continue;
        }
        match automaton.look(place) {
            Look::Ask { no, yes, .. } => stack.extend([yes, no]),
            Look::Go(states) => leaves.push(states),
        }
    }
    leaves
}

/// How many letters it takes at least from each state to one of the goals.
fn distances(leaves: &[Vec<&[State]>], goal: impl Fn(usize) -> bool) -> Vec<u32> {
    let mut before = vec![Vec::new(); leaves.len()];
    for (state, leaves) in leaves.iter().enumerate() {
        for &next in leaves.iter().copied().flatten() {
            before[next as usize].push(state);
        }
    }
    let mut distances = vec![u32::MAX; leaves.len()];
    let mut queue: Vec<usize> = (0..leaves.len()).filter(|&state| goal(state)).collect();
    for &state in &queue {
        distances[state] = 0;
    }
    let mut done = 0;
    while let Some(&state) = queue.get(done) {
        done += 1;
        for &earlier in &before[state] {
            if distances[earlier] == u32::MAX {
                distances[earlier] = distances[state] + 1;
                queue.push(earlier);
            }
        }
    }
    distances
}

/// The greatest set of accepting states that can go on within the set whatever the letter.
fn sure(leaves: &[Vec<&[State]>], accepting: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut sure: Vec<bool> = (0..leaves.len()).map(accepting).collect();
    loop {
        let stays = |leaf: &&[State]| leaf.iter().any(|&next| sure[next as usize]);
        let kept: Vec<bool> = (0..leaves.len())
            .map(|state| sure[state] && leaves[state].iter().all(stays))
            .collect();
        if kept == sure {
            return sure;
        }
        sure = kept;
    }
}
