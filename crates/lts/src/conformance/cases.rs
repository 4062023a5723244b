//! Controllable test cases from a test graph: in every state the tester sends one thing, or waits for whatever comes.
//!
//! A search backwards from `Pass` gives every state its rank, and the step by which it is reached first decides what to
//! do there: send that label and nothing else, or wait (the way of TGV). Along that step the rank falls, so `Pass` can
//! always be reached. That is one test case, the one that is soonest there.
//!
//! Any other begins with a way through the graph that somebody wants to see, such as one to a step that no case has
//! shown, and goes on by rank:
//!
//! ```text
//! way:      0 --send a--> 1 --wait--> 2 --send b--> 3       each state of the way is a state of the case of its own,
//!                         |                         |       even if the way comes back to it
//! by rank:                +-- something else --> ...+--> ... --> PASS
//! ```
//!
//! To decide state by state along the way instead would make cases smaller, but where the way by rank runs into the way
//! again it could go round for ever.

use std::collections::{HashMap, HashSet, VecDeque};

use causet_base::budget::{Budget, Spent};
use causet_solve::steps::Edge;
use fastrand::Rng;

use super::graph::{TestGraph, Verdict};

/// A random way is not longer than this.
const LONGEST_WAY: usize = 200;

/// A test case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// The case.
    pub graph: TestGraph,
    /// For each of its states the state of the graph that it was made from.
    pub origin: Vec<u32>,
}

/// Makes test cases from one graph.
pub struct Cases<'g> {
    graph: &'g TestGraph,
    /// For each state the label of the first step of a shortest way to `Pass`: an input is sent, an output is waited for.
    by_rank: Vec<Option<u32>>,
}

impl<'g> Cases<'g> {
    /// Finds the ranks of a graph in which some `Pass` can be reached from everywhere but other verdicts.
    pub fn new(graph: &'g TestGraph) -> Self {
        let lts = graph.lts();
        let mut before: Vec<Vec<(u32, u32)>> = vec![Vec::new(); lts.states() as usize];
        for (source, step) in lts.transitions() {
            before[step.target as usize].push((source, step.label));
        }
        let passes = (0..lts.states()).filter(|&state| graph.verdict(state) == Some(Verdict::Pass));
        let mut queue: VecDeque<u32> = passes.collect();
        let mut by_rank = vec![None; lts.states() as usize];
        while let Some(state) = queue.pop_front() {
            for &(source, label) in &before[state as usize] {
                if by_rank[source as usize].is_none() {
                    by_rank[source as usize] = Some(label);
                    queue.push_back(source);
                }
            }
        }
        Cases { graph, by_rank }
    }

    /// The case that is soonest at `Pass`.
    pub fn shortest(&self, budget: &Budget<'_>) -> Result<Case, Spent> {
        self.along(&[], budget)
    }

    /// Cases that together have every step of the graph, one at a time.
    pub fn covering(&self) -> Covering<'_> {
        Covering::new(self)
    }

    /// A case that begins at random and goes on by rank; the same generator state gives the same case.
    pub fn random(&self, random: &mut Rng, budget: &Budget<'_>) -> Result<Case, Spent> {
        let lts = self.graph.lts();
        let mut way = Vec::new();
        let mut state = lts.initial();
        let length = random.usize(0..=(2 * lts.states() as usize).min(LONGEST_WAY));
        while way.len() < length {
            let goes_on = |step: &&Edge| {
                !matches!(
                    self.graph.verdict(step.target),
                    Some(Verdict::Fail | Verdict::Inconclusive)
                )
            };
            let steps: Vec<&Edge> = lts.steps(state).iter().filter(goes_on).collect();
            if steps.is_empty() {
                break;
            }
            let step = steps[random.usize(..steps.len())];
            way.push(step.label);
            state = step.target;
        }
        self.along(&way, budget)
    }

    /// The case that follows a way from the initial state, as far as the graph has it, and goes on by rank.
    pub fn along(&self, way: &[u32], budget: &Budget<'_>) -> Result<Case, Spent> {
        let branch = budget.branch();
        let mut draft = Draft::default();
        draft.number((Some(0), self.graph.lts().initial()), self, way);
        let mut next = 0;
        while let Some(&(stage, state)) = draft.nodes.get(next) {
            branch.tick()?;
            let chosen = self.chosen(stage, state, way);
            let keeps = |step: &&Edge| match chosen {
                Some(label) if self.graph.sends(label) => step.label == label,
                _ => !self.graph.sends(step.label),
            };
            for step in self.graph.lts().steps(state).iter().filter(keeps) {
                branch.charge(3 * size_of::<(u32, Edge)>())?;
                let stage = stage.filter(|_| chosen == Some(step.label));
                let stage = stage.map(|stage| stage + 1);
                let target = draft.number((stage, step.target), self, way);
                let label = step.label;
                draft.steps.push((next as u32, Edge { label, target }));
            }
            next += 1;
        }
        let origin: Vec<u32> = draft.nodes.iter().map(|&(_, state)| state).collect();
        let verdicts = origin.iter().map(|&state| self.graph.verdict(state));
        let labels = self.graph.lts().labels();
        Ok(Case {
            graph: TestGraph::new(
                &draft.steps,
                verdicts.collect(),
                labels,
                self.graph.roles(),
                self.graph.failures(),
            ),
            origin,
        })
    }

    /// The label that decides a state of a case: that of the way, or else that of the rank.
    fn chosen(&self, stage: Option<usize>, state: u32, way: &[u32]) -> Option<u32> {
        let wanted = stage.and_then(|stage| way.get(stage)).copied();
        wanted.or(self.by_rank[state as usize])
    }
}

/// The cases that cover a graph, while they are made.
pub struct Covering<'c> {
    cases: &'c Cases<'c>,
    /// The states breadth-first, each with its place in front of it and the label from there.
    states: Vec<(u32, Option<(usize, u32)>)>,
    shown: HashSet<(u32, u32)>,
    /// The state and its step to look at next.
    next: (usize, usize),
    any: bool,
}

impl<'c> Covering<'c> {
    fn new(cases: &'c Cases<'c>) -> Self {
        let lts = cases.graph.lts();
        let mut states = vec![(lts.initial(), None)];
        let mut met = HashSet::from([lts.initial()]);
        let mut next = 0;
        while let Some(&(state, _)) = states.get(next) {
            for step in lts.steps(state) {
                if met.insert(step.target) {
                    states.push((step.target, Some((next, step.label))));
                }
            }
            next += 1;
        }
        Covering {
            cases,
            states,
            shown: HashSet::new(),
            next: (0, 0),
            any: false,
        }
    }

    /// A case with a step that none before it has; nothing when all steps have been shown. There is one case at least.
    pub fn next_case(&mut self, budget: &Budget<'_>) -> Result<Option<Case>, Spent> {
        while let Some(&(state, _)) = self.states.get(self.next.0) {
            budget.tick()?;
            let Some(step) = self.cases.graph.lts().steps(state).get(self.next.1) else {
                self.next = (self.next.0 + 1, 0);
                continue;
            };
            self.next.1 += 1;
            if !self.shown.contains(&(state, step.label)) {
                let way = self.way(self.next.0, step.label);
                let case = self.cases.along(&way, budget)?;
                let steps = case.graph.lts().transitions();
                self.shown
                    .extend(steps.map(|(source, step)| (case.origin[source as usize], step.label)));
                self.any = true;
                return Ok(Some(case));
            }
        }
        match std::mem::replace(&mut self.any, true) {
            true => Ok(None),
            false => self.cases.shortest(budget).map(Some),
        }
    }

    /// A shortest way to a state, and one step more.
    fn way(&self, mut at: usize, last: u32) -> Vec<u32> {
        let mut way = vec![last];
        while let Some((before, label)) = self.states[at].1 {
            way.push(label);
            at = before;
        }
        way.reverse();
        way
    }
}

/// A state of a case: how far along the way, if on it, and the state of the graph.
type Node = (Option<usize>, u32);

/// A case while it is built.
#[derive(Default)]
struct Draft {
    nodes: Vec<Node>,
    numbers: HashMap<Node, u32>,
    steps: Vec<(u32, Edge)>,
}

impl Draft {
    fn number(&mut self, (stage, state): Node, cases: &Cases<'_>, way: &[u32]) -> u32 {
        let has = |label: u32| {
            cases
                .graph
                .lts()
                .steps(state)
                .iter()
                .any(|step| step.label == label)
        };
        let stage = stage.filter(|&stage| way.get(stage).is_some_and(|&label| has(label)));
        let node = (stage, state);
        *self.numbers.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            self.nodes.len() as u32 - 1
        })
    }
}
