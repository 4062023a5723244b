//! The equations of the complete test graph, solved by many workers, each with its part of the product.
//!
//! The equations are those of [`lead`](super::lead), written as a program that goes with any states: that a state
//! accepts is a step of its own to the state itself, as in the paper. The states are dealt out by their hash and
//! explored by whoever has them. What the workers show in the end explains the value, so it has every state that leads
//! to acceptance, and a way to acceptance from each; the raw graph is read off that. Suspension and determinisation
//! follow on one thread.

use std::collections::HashSet;

use causet_flow::{Crew, Dials, Divide, NotSolved, solve};
use causet_solve::bes::product::{Matching, Product as OnStates};
use causet_solve::bes::program::{Node, Program, Term};
use causet_solve::bes::{Operator, Sign};
use causet_solve::budget::{Budget, Spent};
use causet_solve::divided::Divided;
use causet_solve::fragment::Fragment;
use causet_solve::keeper::Keeper;
use causet_solve::numbered::Numbered;
use causet_solve::space::Space;
use causet_solve::steps::Steps;

use super::direct::Generated;
use super::graph::Failures;
use super::lead::{Raw, finish, nothing};
use super::product::Product;
use super::purpose::{Mark, Purpose};
use super::roles::Alphabet;

/// Makes the complete test graph of a purpose by solving equations with so many threads.
pub fn by_workers<S: Space + Sync>(
    specification: &S,
    alphabet: &Alphabet,
    purpose: &Purpose,
    (workers, failures): (usize, Failures),
    budget: &Budget<'_>,
) -> Result<Generated, NotSolved> {
    let product = Product::new(specification, purpose);
    let marked = Marked {
        product,
        accepts: alphabet.delta(),
    };
    let division = Division {
        marked: &marked,
        program: program(),
        matching: Matching::new(2, alphabet.labels().len(), |action, label| {
            (action == ACCEPTS) == (label == marked.accepts)
        }),
    };
    let branch = budget.branch();
    let dials = Dials::new(workers);
    let solved = solve(
        &Crew::Threads(workers),
        &division,
        usize::MAX,
        &dials,
        &branch,
    )?;
    if !solved.value {
        let explored = solved
            .workers
            .iter()
            .map(|worker| worker.explored.0 as usize);
        return Ok(nothing(explored.sum()));
    }
    let pieces = solved.pieces.unwrap_or_default();
    let mut initial = vec![0; product.width()];
    product.initial(&mut initial);
    let fragment = Fragment::read(&pieces, &initial, false);
    let fragment =
        fragment.ok_or_else(|| NotSolved::Broken("torn pieces of an account".to_owned()))?;
    let mut numbered = Numbered::new(&product, budget)?;
    let raw = raw_graph(&fragment, marked.accepts, &mut numbered, budget)?;
    Ok(finish(&mut numbered, &raw, alphabet, failures, budget)?)
}

/// Any step of the product.
const STEP: usize = 0;
/// The step that marks an accepting state.
const ACCEPTS: usize = 1;

/// The equations, one node for each kind of variable.
fn program() -> Program {
    let [x, w, y, z, yes, no] = [0, 1, 2, 3, 4, 5];
    let node = |sign, operator, terms: &[Term]| Node {
        sign,
        operator,
        terms: terms.to_vec(),
    };
    let step = |to| Term::Step { action: STEP, to };
    let accepts = |to| Term::Step {
        action: ACCEPTS,
        to,
    };
    let nodes = vec![
        node(Sign::Nu, Operator::And, &[Term::Here(y), step(w)]),
        node(Sign::Nu, Operator::Or, &[Term::Here(z), Term::Here(x)]),
        node(Sign::Mu, Operator::Or, &[accepts(yes), step(y)]),
        node(Sign::Nu, Operator::And, &[accepts(no), step(z)]),
        node(Sign::Nu, Operator::And, &[]),
        node(Sign::Mu, Operator::Or, &[]),
    ];
    Program::new(nodes, x)
}

/// A product in which accepting states have a step to themselves.
struct Marked<'a, S> {
    product: Product<'a, S>,
    accepts: u32,
}

impl<S: Space> Space for Marked<'_, S> {
    fn width(&self) -> usize {
        self.product.width()
    }

    fn initial(&self, state: &mut [u32]) {
        self.product.initial(state);
    }

    fn successors(&self, state: &[u32], each: &mut dyn FnMut(u32, &[u32])) {
        if self.product.mark(state) == Mark::Accept {
            each(self.accepts, state);
        }
        self.product.successors(state, each);
    }
}

/// The equations, divided by the hash of states.
struct Division<'a, S> {
    marked: &'a Marked<'a, S>,
    program: Program,
    matching: Matching,
}

impl<'a, S: Space + Sync> Divide for Division<'a, S> {
    type Part<'b>
        = OnStates<'b, Divided<'b, Marked<'a, S>>>
    where
        Self: 'b;

    fn part<'b>(
        &'b self,
        me: usize,
        workers: usize,
        budget: &'b Budget<'b>,
    ) -> Result<Self::Part<'b>, Spent> {
        let part = Divided::new(self.marked, me, Keeper::by_hash(workers), budget)?;
        Ok(OnStates::new(&self.program, &self.matching, part, budget))
    }
}

/// The states that were shown and lead to acceptance, by their numbers in the product.
fn raw_graph<S: Space>(
    fragment: &Fragment,
    accepts: u32,
    numbered: &mut Numbered<'_, Product<'_, S>>,
    budget: &Budget<'_>,
) -> Result<Raw, Spent> {
    let shown = fragment.outside();
    let mut steps = fragment;
    budget.charge(shown as usize * (size_of::<Vec<u32>>() + 3 * size_of::<u32>()))?;
    let mut before = vec![Vec::new(); shown as usize];
    let mut leading = vec![false; shown as usize];
    let mut waiting = Vec::new();
    for state in 0..shown {
        budget.tick()?;
        for edge in steps.edges(state, budget)? {
            if edge.label == accepts && !std::mem::replace(&mut leading[state as usize], true) {
                waiting.push(state);
            } else if edge.target < shown {
                budget.charge(size_of::<u32>())?;
                before[edge.target as usize].push(state);
            }
        }
    }
    let mut raw = Raw {
        states: HashSet::new(),
        steps: 0,
    };
    while let Some(state) = waiting.pop() {
        budget.tick()?;
        let number = numbered.number(fragment.name(state), budget)?;
        raw.states.insert(number);
        let marks = |label: u32| label == accepts;
        let edges = steps.edges(state, budget)?.iter();
        raw.steps += edges.filter(|edge| !marks(edge.label)).count();
        for &source in &before[state as usize] {
            if !std::mem::replace(&mut leading[source as usize], true) {
                waiting.push(source);
            }
        }
    }
    Ok(raw)
}
