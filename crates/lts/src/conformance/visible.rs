//! What a tester can tell apart: a system after suspension, made deterministic while it is explored.
//!
//! A tester who has seen a trace knows the set of states the system may be in, closed under internal steps. The step of
//! a label leads to the closure of all its targets; `delta` leads to the closure of the quiescent states of the set,
//! which may be fewer: to have seen silence is to know more. The order matters, for after determinisation nobody could
//! say any more which states are quiescent.

use causet_base::budget::{Budget, Spent};
use causet_solve::steps::{Edge, Steps};
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

use super::quiescence::{Cycles, waits};
use super::roles::{Alphabet, Role};

/// Sets of states of a system, numbered as they are met.
pub struct Visible<'a, T> {
    steps: &'a mut T,
    alphabet: &'a Alphabet,
    sets: Vec<Box<[u32]>>,
    numbers: HashTable<u32>,
    cycles: Cycles,
    met: Met,
}

/// Which states were met since it was last cleared, which costs nothing: a state was met if it has the latest stamp.
#[derive(Default)]
struct Met {
    stamps: Vec<u32>,
    latest: u32,
}

impl Met {
    fn clear(&mut self) {
        self.latest = self.latest.checked_add(1).unwrap_or_else(|| {
            self.stamps.fill(0);
            1
        });
    }

    /// Meets a state; whether it was not met before.
    fn insert(&mut self, state: u32, budget: &Budget<'_>) -> Result<bool, Spent> {
        let index = state as usize;
        if index >= self.stamps.len() {
            let length = (index + 1).next_power_of_two();
            budget.charge((length - self.stamps.len()) * size_of::<u32>())?;
            self.stamps.resize(length, 0);
        }
        Ok(std::mem::replace(&mut self.stamps[index], self.latest) != self.latest)
    }
}

impl<'a, T: Steps> Visible<'a, T> {
    /// Nothing met so far.
    pub fn new(steps: &'a mut T, alphabet: &'a Alphabet) -> Self {
        Visible {
            steps,
            alphabet,
            sets: Vec::new(),
            numbers: HashTable::new(),
            cycles: Cycles::default(),
            met: Met::default(),
        }
    }

    /// The set before anything was seen.
    pub fn initial(&mut self, budget: &Budget<'_>) -> Result<u32, Spent> {
        let initial = self.steps.initial();
        self.number(vec![initial], budget)
    }

    /// How many sets have been met.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Whether nothing has been met.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// The states of a set, in order.
    pub fn members(&self, set: u32) -> &[u32] {
        &self.sets[set as usize]
    }

    /// The system itself.
    pub fn steps(&self) -> &T {
        self.steps
    }

    /// The steps from a set, in the order of their labels, at most one with each.
    pub fn successors(&mut self, set: u32, budget: &Budget<'_>) -> Result<Vec<Edge>, Spent> {
        let members = self.sets[set as usize].clone();
        let mut steps = Vec::new();
        for &state in &members {
            budget.tick()?;
            let edges = self.steps.edges(state, budget)?;
            if self.cycles.contain(state) || waits(edges, self.alphabet) {
                let label = self.alphabet.delta();
                steps.push(Edge {
                    label,
                    target: state,
                });
            }
            let visible = |edge: &&Edge| self.alphabet.role(edge.label) != Role::Internal;
            steps.extend(edges.iter().filter(visible));
        }
        steps.sort_unstable();
        let by_label = steps.chunk_by(|one, other| one.label == other.label);
        let mut successors = Vec::new();
        for chunk in by_label {
            let targets = chunk.iter().map(|edge| edge.target).collect();
            let target = self.number(targets, budget)?;
            let label = chunk[0].label;
            successors.push(Edge { label, target });
        }
        Ok(successors)
    }

    /// The number of the closure of some states.
    fn number(&mut self, states: Vec<u32>, budget: &Budget<'_>) -> Result<u32, Spent> {
        let closed = self.closure(states, budget)?;
        let hash = FxBuildHasher.hash_one(&*closed);
        let same = |&number: &u32| *self.sets[number as usize] == *closed;
        if let Some(&number) = self.numbers.find(hash, same) {
            return Ok(number);
        }
        budget.charge(size_of::<u32>() * (closed.len() + 2) + size_of::<Box<[u32]>>())?;
        self.cycles
            .look_at(self.steps, self.alphabet, &closed, budget)?;
        let number = u32::try_from(self.sets.len()).map_err(|_| Spent::Memory)?;
        self.sets.push(closed);
        let hash_of = |&n: &u32| FxBuildHasher.hash_one(&*self.sets[n as usize]);
        self.numbers.insert_unique(hash, number, hash_of);
        Ok(number)
    }

    /// Whatever some states reach by internal steps, themselves included, in order.
    fn closure(&mut self, mut states: Vec<u32>, budget: &Budget<'_>) -> Result<Box<[u32]>, Spent> {
        states.sort_unstable();
        states.dedup();
        self.met.clear();
        for &state in &states {
            self.met.insert(state, budget)?;
        }
        let mut next = 0;
        while let Some(&state) = states.get(next) {
            budget.tick()?;
            next += 1;
            for edge in self.steps.edges(state, budget)? {
                let is_internal = self.alphabet.role(edge.label) == Role::Internal;
                if is_internal && self.met.insert(edge.target, budget)? {
                    states.push(edge.target);
                }
            }
        }
        states.sort_unstable();
        Ok(states.into_boxed_slice())
    }
}
