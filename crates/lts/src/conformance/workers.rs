//! The equations of the complete test graph, solved by many workers, each with its part of the product.
//!
//! The equations are those of [`lead`](super::lead), written as a program that goes with any states: that a state
//! accepts is a step of its own to the state itself, as in the paper. As all values are wanted and not one, two of the
//! four are enough, for `Y` is what `Z` is not, and `X` follows from the `W` of what comes after:
//!
//! ```text
//! W_s =nu Z_s or (W_t for every step s -> t)         asked for wherever a step from a state that leads to acceptance goes
//! Z_s =nu s does not accept, and all Z_t
//! ```
//!
//! The states are dealt out and explored by whoever has them; the workers may be threads, processes or machines. In the
//! end all of them say for which states `Z` turned out to be false: that is the raw graph. Suspension and determinisation
//! follow on one thread, where the first worker is.

use causet_base::budget::{Budget, Spent};
use causet_solve::bes::product::{Matching, Product as OnStates};
use causet_solve::bes::program::{Node, Program, Term};
use causet_solve::bes::{Operator, Sign};
use causet_solve::divided::Divided;
use causet_solve::keeper::Keeper;
use causet_solve::numbered::Numbered;
use causet_solve::space::Space;
use causet_solve::steps::Steps;
use causet_solve::workers::{Divide, Gather, NotSolved, WorkerSummary, Workers};

use super::direct::Generated;
use super::graph::Failures;
use super::lead::{Raw, finish, nothing};
use super::product::Product;
use super::purpose::{Mark, Purpose};
use super::roles::Alphabet;

/// What all workers found out about a specification and a purpose.
pub struct Found {
    /// What each worker did.
    pub workers: Vec<WorkerSummary>,
    /// The states of the raw graph, one name after another; only where the first worker is.
    names: Option<Vec<u32>>,
}

/// Solves the equations with several workers, who get states as a keeper says.
pub fn solve_together<S: Space + Sync>(
    specification: &S,
    alphabet: &Alphabet,
    purpose: &Purpose,
    (workers, keeper): (&dyn Workers, Keeper),
    budget: &Budget<'_>,
) -> Result<Found, NotSolved> {
    let marked = Marked {
        product: Product::new(specification, purpose),
        accepts: alphabet.delta(),
    };
    let division = Division {
        marked: &marked,
        program: program(),
        matching: Matching::new(2, alphabet.labels().len(), |action, label| {
            (action == ACCEPTS) == (label == marked.accepts)
        }),
        keeper,
    };
    // What the workers need is given back when they are done.
    let branch = budget.branch();
    let leading = Gather::Where {
        node: Z,
        value: false,
    };
    let solved = workers.solve(&division, leading, &branch)?;
    Ok(Found {
        workers: solved.workers,
        names: solved.pieces,
    })
}

impl Found {
    /// Makes the complete test graph, where the first worker is.
    pub fn graph<S: Space>(
        &self,
        specification: &S,
        alphabet: &Alphabet,
        purpose: &Purpose,
        failures: Failures,
        budget: &Budget<'_>,
    ) -> Result<Generated, Spent> {
        let missing = || budget.look().err().unwrap_or(Spent::Memory);
        let names = self.names.as_ref().ok_or_else(missing)?;
        if names.is_empty() {
            let explored = self.workers.iter().map(|worker| worker.explored.0 as usize);
            return Ok(nothing(explored.sum()));
        }
        let product = Product::new(specification, purpose);
        let mut numbered = Numbered::new(&product, budget)?;
        let mut raw = Raw::default();
        for name in names.chunks_exact(product.width()) {
            budget.tick()?;
            let state = numbered.number(name, budget)?;
            raw.insert(state, budget)?;
            raw.count(numbered.edges(state, budget)?);
        }
        finish(&mut numbered, &raw, alphabet, failures, budget)
    }
}

/// The node of the states that do not lead to acceptance.
const Z: usize = 2;

/// Any step of the product.
const STEP: usize = 0;
/// The step that marks an accepting state.
const ACCEPTS: usize = 1;

/// The equations, one node for each kind of variable.
fn program() -> Program {
    let [w, x, z, no] = [0, 1, Z, 3];
    let node = |sign, operator, terms: &[Term]| Node {
        sign,
        operator,
        terms: terms.to_vec(),
    };
    let step = |to| Term::Step { action: STEP, to };
    let accepts = Term::Step {
        action: ACCEPTS,
        to: no,
    };
    let nodes = vec![
        node(Sign::Nu, Operator::Or, &[Term::Here(z), Term::Here(x)]),
        node(Sign::Nu, Operator::And, &[step(w)]),
        node(Sign::Nu, Operator::And, &[accepts, step(z)]),
        node(Sign::Mu, Operator::Or, &[]),
    ];
    Program::new(nodes, w)
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

/// The equations, divided as the keeper says.
struct Division<'a, S> {
    marked: &'a Marked<'a, S>,
    program: Program,
    matching: Matching,
    keeper: Keeper,
}

impl<'a, S: Space + Sync> Divide for Division<'a, S> {
    type Part<'b>
        = OnStates<'b, Divided<'b, Marked<'a, S>>>
    where
        Self: 'b;

    fn part<'b>(
        &'b self,
        me: usize,
        _workers: usize,
        budget: &'b Budget<'b>,
    ) -> Result<Self::Part<'b>, Spent> {
        let part = Divided::new(self.marked, me, self.keeper.clone(), budget)?;
        Ok(OnStates::new(&self.program, &self.matching, part, budget))
    }
}
