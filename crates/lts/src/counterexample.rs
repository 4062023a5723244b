//! The part of a system that forces a verdict: an example, or a counterexample.
//!
//! It is a system of its own, with the states and steps that the support of the verdict speaks of. The formula has the
//! same value on it as on the whole: a step that some diamond needs is there, and of a box that holds all its steps are.
//! Where every state has one step at most it is a path, or a lasso; where no state is reached twice it is a tree.

use std::collections::{HashMap, HashSet, VecDeque};

use causet_base::budget::{Budget, Spent};
use causet_solve::bes::Operator;
use causet_solve::bes::product::Product;
use causet_solve::bes::program::Term;
use causet_solve::bes::support::{Reason, Support};
use causet_solve::steps::{Edge, Steps};

use crate::system::{Labels, Lts};

/// What a diagnostic looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// One step after another to a last state.
    Path,
    /// One step after another, and back to a state before.
    Lasso,
    /// Several ways that never meet again.
    Tree,
    /// Anything else.
    Graph,
}

impl Shape {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Shape::Path => "path",
            Shape::Lasso => "lasso",
            Shape::Tree => "tree",
            Shape::Graph => "graph",
        }
    }
}

/// A step of a diagnostic, between states numbered in the diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Step {
    /// From this state.
    pub from: usize,
    /// With this label of the system.
    pub label: u32,
    /// To this state.
    pub to: usize,
}

/// A part of a system; its state 0 is the initial one.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The states' numbers in the system, breadth-first.
    pub states: Vec<u32>,
    /// The steps, state by state.
    pub steps: Vec<Step>,
    /// What it looks like.
    pub shape: Shape,
    /// Per state: the local states of the components, for a network.
    pub rows: Vec<Vec<u32>>,
}

/// What a step takes while it is listed, in hash tables half full.
const BYTES_PER_STEP: usize = 2 * size_of::<(u32, Edge)>() + 2 * size_of::<(u32, Vec<Edge>)>();

impl Counterexample {
    /// The states and steps that a support speaks of.
    pub(crate) fn new<T: Steps>(
        product: &mut Product<'_, T>,
        support: &Support,
        budget: &Budget<'_>,
    ) -> Result<Counterexample, Spent> {
        let initial = product.steps().initial();
        let mut steps: HashMap<u32, Vec<Edge>> = HashMap::new();
        let mut listed: HashSet<(u32, Edge)> = HashSet::new();
        for reason in &support.reasons {
            budget.tick()?;
            let state = product.plain_meaning(reason.variable).0;
            for edge in taken(product, reason, budget)? {
                if listed.insert((state, edge)) {
                    budget.charge(BYTES_PER_STEP)?;
                    steps.entry(state).or_default().push(edge);
                }
            }
        }
        Ok(Counterexample::from_steps(initial, &steps))
    }

    /// The part of it that the initial state reaches, which is all of it, in order.
    fn from_steps(initial: u32, steps: &HashMap<u32, Vec<Edge>>) -> Counterexample {
        let mut states = vec![initial];
        let mut numbers = HashMap::from([(initial, 0)]);
        let mut queue = VecDeque::from([initial]);
        let mut all = Vec::new();
        while let Some(state) = queue.pop_front() {
            let from = numbers[&state];
            for edge in steps.get(&state).into_iter().flatten() {
                let to = *numbers.entry(edge.target).or_insert_with(|| {
                    states.push(edge.target);
                    queue.push_back(edge.target);
                    states.len() - 1
                });
                let label = edge.label;
                all.push(Step { from, label, to });
            }
        }
        Counterexample {
            shape: shape(states.len(), &all),
            states,
            steps: all,
            rows: Vec::new(),
        }
    }

    /// Says what the states of a network are made of.
    pub(crate) fn name_states(&mut self, row: impl Fn(u32) -> Vec<u32>) {
        self.rows = self.states.iter().map(|&state| row(state)).collect();
    }

    /// Gives the states other numbers.
    pub(crate) fn renumber(&mut self, number: impl Fn(u32) -> u32) {
        self.states
            .iter_mut()
            .for_each(|state| *state = number(*state));
    }

    /// The steps one after another, of a path or a lasso.
    pub fn line(&self) -> Option<Vec<Step>> {
        if !matches!(self.shape, Shape::Path | Shape::Lasso) {
            return None;
        }
        // Breadth-first numbers of a line are in its order.
        Some(self.steps.clone())
    }

    /// The diagnostic as a system with the labels of the one it is a part of.
    pub fn to_lts(&self, labels: &Labels) -> Lts {
        let steps: Vec<(u32, Edge)> = self
            .steps
            .iter()
            .map(|step| {
                let edge = Edge {
                    label: step.label,
                    target: step.to as u32,
                };
                (step.from as u32, edge)
            })
            .collect();
        Lts::from_steps(self.states.len() as u32, 0, &steps, labels.clone())
    }
}

/// The steps that a reason speaks of: for each operand after a step, one step that leads there where one suffices, and
/// every such step where all matter.
fn taken<T: Steps>(
    product: &mut Product<'_, T>,
    reason: &Reason,
    budget: &Budget<'_>,
) -> Result<Vec<Edge>, Spent> {
    let (state, node) = product.plain_meaning(reason.variable);
    let (program, matching) = (product.program(), product.matching());
    let node = &program.nodes()[node];
    let one = (node.operator == Operator::Or) == reason.value;
    let mut wanted: HashSet<(u32, usize)> = HashSet::new();
    for &operand in &reason.because {
        let (target, to) = product.plain_meaning(operand);
        let here = target == state && node.terms.contains(&Term::Here(to));
        if !(one && here) {
            wanted.insert((target, to));
        }
    }
    let mut taken = Vec::new();
    for term in &node.terms {
        let Term::Step { action, to } = *term else {
            continue;
        };
        for &edge in product.steps_mut().edges(state, budget)? {
            let speaks = wanted.contains(&(edge.target, to)) && matching.admits(action, edge.label);
            if speaks {
                taken.push(edge);
                if one {
                    return Ok(taken);
                }
            }
        }
    }
    Ok(taken)
}

fn shape(states: usize, steps: &[Step]) -> Shape {
    let mut leaving = vec![0_usize; states];
    let mut entering = vec![0_usize; states];
    for step in steps {
        leaving[step.from] += 1;
        entering[step.to] += 1;
    }
    let line = leaving.iter().all(|&count| count <= 1);
    let tree = entering[0] == 0 && entering.iter().all(|&count| count <= 1);
    match (line, tree) {
        (true, true) => Shape::Path,
        (true, false) => Shape::Lasso,
        (false, true) => Shape::Tree,
        (false, false) => Shape::Graph,
    }
}
