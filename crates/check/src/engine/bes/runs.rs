//! Languages of runs as equations: some run is accepted if, from the initial cut, a step leads to where one is.
//!
//! ```text
//! X = some { accepted here, X after a step }
//! ```
//!
//! A state is a cut and the state of the automaton that has read a way to it. Before the letter of the initial cut is
//! read there is one state more, since an automaton that guesses may have several after it. What can accept nothing any
//! more is left out, and what accepts everything is not followed.

use causet_base::budget::{Budget, Spent};
use causet_solve::automaton::{Automaton, State};
use causet_solve::bes::product::Matching;
use causet_solve::bes::program::{Node, Program, Term};
use causet_solve::bes::{Operator, Sign};
use causet_solve::space::Space;

use super::asked::Asking;
use super::cuts::{Known, Lattice, with_copy};
use super::together::{Explain, JointSolver, Question};
use crate::linear::{Scene, Search};

/// Looks for a complete run that an automaton accepts.
pub(crate) fn run_words<S: Scene + Sync>(
    scene: &S,
    automaton: &Automaton,
    wants_steps: bool,
    joint: Option<&JointSolver<'_>>,
    budget: &Budget<'_>,
) -> Result<Search, Spent> {
    let readings = Readings {
        scene,
        automaton,
        dead: automaton.dead(),
        sure: automaton.sure(),
        last: (0..scene.count())
            .map(|chain| scene.length(chain))
            .collect(),
    };
    let accepted = Term::Atom {
        atom: 0,
        truth: true,
    };
    let node = Node {
        sign: Sign::Mu,
        operator: Operator::Or,
        terms: vec![accepted, Term::Step { action: 0, to: 0 }],
    };
    let question = Question {
        program: &Program::new(vec![node], 0),
        matching: &Matching::new(1, 1, |_, _| true),
        lattice: &readings,
    };
    let way = Way {
        chains: scene.count(),
        wants_steps,
    };
    let (found, steps, stats) = question.decide(&way, joint, budget)?;
    Ok(Search {
        found,
        steps,
        stats,
    })
}

/// Cuts with the states of an automaton. The label of a step is its chain, or their number where no event is read.
struct Readings<'a, S> {
    scene: &'a S,
    automaton: &'a Automaton,
    dead: Vec<bool>,
    sure: Vec<bool>,
    last: Vec<u32>,
}

impl<S: Scene> Readings<'_, S> {
    /// The automaton state of a row, once the letter of the initial cut was read.
    fn state(&self, row: &[u32]) -> Option<State> {
        let state = row[self.last.len()];
        ((state as usize) < self.automaton.len()).then_some(state)
    }

    fn is_enabled(&self, cut: &[u32], chain: usize) -> bool {
        let next = cut[chain] + 1;
        let needs = |other: usize| self.scene.least(chain, next, other);
        next <= self.last[chain]
            && (0..cut.len()).all(|other| other == chain || needs(other) <= cut[other])
    }

    /// Tells of all states that may be next when a letter is read at the cut of a row.
    fn read(
        &self,
        from: State,
        row: &mut [u32],
        by: Option<usize>,
        each: &mut dyn FnMut(u32, &[u32]),
    ) {
        let chains = self.last.len();
        let next = self.automaton.next(from, |atom| {
            let cut = &row[..chains];
            self.scene.truth(atom, cut, by)
        });
        for &state in next.iter().filter(|&&state| !self.dead[state as usize]) {
            row[chains] = state;
            each(by.unwrap_or(chains) as u32, row);
        }
    }
}

impl<S: Scene> Space for Readings<'_, S> {
    fn width(&self) -> usize {
        self.last.len() + 1
    }

    fn initial(&self, row: &mut [u32]) {
        row.fill(0);
        row[self.last.len()] = self.automaton.len() as u32;
    }

    fn successors(&self, row: &[u32], each: &mut dyn FnMut(u32, &[u32])) {
        let cut = &row[..self.last.len()];
        with_copy(row, |next| match self.state(row) {
            None => self.read(self.automaton.initial(), next, None, each),
            Some(state) if self.sure[state as usize] => {}
            Some(state) => {
                for chain in 0..cut.len() {
                    if self.is_enabled(cut, chain) {
                        next[chain] += 1;
                        self.read(state, next, Some(chain), each);
                        next[chain] -= 1;
                    }
                }
            }
        });
    }
}

impl<S: Scene> Lattice for Readings<'_, S> {
    /// The only proposition: a run that has come here is accepted, whatever follows.
    fn holds(&self, _atom: u32, row: &[u32]) -> bool {
        self.state(row).is_some_and(|state| {
            let ends = row[..self.last.len()] == self.last[..];
            self.sure[state as usize] || (ends && self.automaton.is_accepting(state))
        })
    }

    fn lengths(&self) -> Vec<u32> {
        self.last.clone()
    }
}

/// Looks for a way to where a run is accepted.
struct Way {
    chains: usize,
    wants_steps: bool,
}

impl Explain for Way {
    /// The chains that advance.
    type Shown = Vec<usize>;

    fn can_show(&self, value: bool) -> bool {
        value && self.wants_steps
    }

    fn explain<K: Known>(
        &self,
        resolution: &mut Asking<'_, K>,
        _value: bool,
        _sure: Option<bool>,
        budget: &Budget<'_>,
    ) -> Result<Option<Vec<usize>>, Spent> {
        let main = resolution.equations().program().main();
        let mut steps = Vec::new();
        let mut state = resolution.equations().steps().initial();
        while !resolution.equations().steps().holds(0, state) {
            budget.tick()?;
            let known = resolution.equations().steps_mut();
            let edges = known.edges(state, budget)?.to_vec();
            let mut onward = None;
            for edge in edges {
                let variable = resolution.equations().variable(edge.target, main)?;
                if let Some(variable) = variable
                    && resolution.value(variable)?
                {
                    onward = Some(edge);
                    break;
                }
            }
            let Some(edge) = onward else {
                return Ok(None);
            };
            steps.extend(Some(edge.label as usize).filter(|&chain| chain < self.chains));
            state = edge.target;
        }
        Ok(Some(steps))
    }
}
