//! Models and formulas: what a system is made of, and whether its initial state satisfies a formula.
//!
//! ```text
//! Modal (equations) --Program--> x Lts or Numbered<Network> --Product--> equations solved on the fly
//!                                                                  |
//!                                            verdict <-------------+--> support --> Diagnostic --certify--> shown
//! ```

use causet_flow::NotSolved;
use causet_formula::modal::{Fixpoint, Modal, Operator, Term};
use causet_solve::bes::product::{Matching, Product};
use causet_solve::bes::program::{self, Node, Program};
use causet_solve::bes::support::support;
use causet_solve::bes::{self, Resolution, Sign, Strategy};
use causet_solve::budget::{Budget, Spent};
use causet_solve::numbered::Numbered;
use causet_solve::steps::{Edge, Steps};

use crate::certify::{Claim, Flaw, certify};
use crate::diagnostic::Diagnostic;
use crate::network::Network;
use crate::system::{Labels, Lts};

/// A system, stored or composed while it is explored.
#[derive(Debug)]
pub enum Model {
    /// All of it is in memory.
    Stored(Lts),
    /// Components, synchronised on the fly.
    Composed(Network),
}

impl Model {
    /// The labels of its steps.
    pub fn labels(&self) -> &Labels {
        match self {
            Model::Stored(lts) => lts.labels(),
            Model::Composed(network) => network.labels(),
        }
    }
}

/// How a formula is to be checked.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How the equations are solved.
    pub strategy: Strategy,
    /// A diagnostic of more than so many variables is left out; 0 for none at all.
    pub most_claims: usize,
}

/// What was found out about a formula.
#[derive(Debug)]
pub struct Checked {
    /// Whether the initial state satisfies it.
    pub holds: bool,
    /// Why, as part of the system; nothing when that would be too large.
    pub diagnostic: Option<Diagnostic>,
    /// How many variables were met.
    pub variables: u64,
    /// How many operands were looked at.
    pub operands: u64,
    /// How many states were explored, and how many steps were seen, of a system that is not stored.
    pub explored: Option<(usize, usize)>,
}

/// Why a formula could not be checked.
#[derive(Debug)]
pub enum NotChecked {
    /// A limit was reached.
    Spent(Spent),
    /// The diagnostic does not stand up to its check: a mistake of this program.
    Refuted(Flaw),
    /// Those who worked on it together failed.
    Failed(NotSolved),
}

impl From<NotSolved> for NotChecked {
    fn from(not: NotSolved) -> Self {
        match not {
            NotSolved::Spent(spent) => NotChecked::Spent(spent),
            other => NotChecked::Failed(other),
        }
    }
}

impl From<Spent> for NotChecked {
    fn from(spent: Spent) -> Self {
        NotChecked::Spent(spent)
    }
}

/// Decides whether the initial state of a model satisfies a formula.
pub fn check(
    model: &Model,
    formula: &Modal,
    options: Options,
    budget: &Budget<'_>,
) -> Result<Checked, NotChecked> {
    match model {
        Model::Stored(lts) => decide(lts, lts.labels(), formula, options, budget, |_, _| ()),
        Model::Composed(network) => {
            let steps = Numbered::new(network, budget)?;
            let look = |steps: &Numbered<'_, Network>, checked: &mut Checked| {
                checked.explored = Some((steps.explored(), steps.step_count()));
                if let Some(diagnostic) = &mut checked.diagnostic {
                    diagnostic.name_states(|state| steps.row(state).to_vec());
                }
            };
            decide(steps, network.labels(), formula, options, budget, look)
        }
    }
}

/// Decides a formula on numbered states; `look` sees the states once more before they are dropped.
fn decide<T: Steps>(
    steps: T,
    labels: &Labels,
    formula: &Modal,
    options: Options,
    budget: &Budget<'_>,
    look: impl FnOnce(&T, &mut Checked),
) -> Result<Checked, NotChecked> {
    let program = program(formula);
    let matching = matching(formula, labels);
    let product = Product::new(&program, &matching, steps, budget);
    let mut resolution = Resolution::new(product, options.strategy, budget);
    let holds = resolution.solve()?;
    let (variables, operands) = resolution.figures();
    let mut checked = Checked {
        holds,
        diagnostic: None,
        variables,
        operands,
        explored: None,
    };
    if options.most_claims > 0 {
        checked.diagnostic = match explain(&mut resolution, labels, formula, holds, options, budget)
        {
            // A verdict stands, whether or not there is time and memory left to explain it.
            Err(NotChecked::Spent(_)) => None,
            explained => explained?,
        };
    }
    look(resolution.equations().steps(), &mut checked);
    Ok(checked)
}

/// The part of the system that forces the value of the formula, after a second opinion.
pub(crate) fn explain<'a, T: Steps>(
    resolution: &mut Resolution<'a, Product<'a, T>>,
    labels: &Labels,
    formula: &Modal,
    holds: bool,
    options: Options,
    budget: &Budget<'_>,
) -> Result<Option<Diagnostic>, NotChecked> {
    let product = resolution.equations();
    let initial = product.steps().initial();
    let main = product.plain_variable(initial, product.program().main())?;
    let Some(found) = support(resolution, main, options.most_claims, budget)? else {
        return Ok(None);
    };
    let product = resolution.equations();
    let claims = found.reasons.iter().map(|reason| {
        let (state, node) = product.plain_meaning(reason.variable);
        Claim {
            state,
            equation: product.program().origin(node),
            value: reason.value,
        }
    });
    let claims: Vec<Claim> = claims.collect();
    let edges = |state| -> Result<Vec<Edge>, Spent> {
        Ok(product.steps_mut().edges(state, budget)?.to_vec())
    };
    certify(formula, labels, initial, holds, &claims, edges)?.map_err(NotChecked::Refuted)?;
    Ok(Some(Diagnostic::new(product, &found, budget)?))
}

/// The equations of a formula as the solver wants them.
pub fn program(formula: &Modal) -> Program {
    let nodes = formula.equations.iter().map(|equation| Node {
        sign: match equation.fixpoint {
            Fixpoint::Least => Sign::Mu,
            Fixpoint::Greatest => Sign::Nu,
        },
        operator: match equation.operator {
            Operator::Some => bes::Operator::Or,
            Operator::All => bes::Operator::And,
        },
        terms: equation
            .terms
            .iter()
            .map(|&term| match term {
                Term::Here(to) => program::Term::Here(to),
                Term::Step { action, to } => program::Term::Step { action, to },
            })
            .collect(),
    });
    Program::new(nodes.collect(), formula.main)
}

/// Which labels satisfy which actions of a formula.
pub fn matching(formula: &Modal, labels: &Labels) -> Matching {
    Matching::new(formula.actions.len(), labels.len(), |action, label| {
        formula.actions[action].admits(labels.text(label), labels.is_internal(label))
    })
}
