//! Models and formulas: what a system is made of, and whether its initial state satisfies a formula.
//!
//! ```text
//! Modal (equations) --Program--> x Lts or Numbered<Network> --Product--> equations solved on the fly
//!                                                                  |
//!                                            verdict <-------------+--> support --> Counterexample --certify--> shown
//! ```

use std::time::Duration;

use causet_base::budget::{Budget, Spent};
use causet_formula::modal::Modal;
use causet_solve::bes::product::{Matching, Product};
use causet_solve::bes::program::Program;
use causet_solve::bes::support::support;
use causet_solve::bes::{Resolution, Strategy};
use causet_solve::numbered::Numbered;
use causet_solve::steps::{Edge, Steps};
use causet_solve::workers::NotSolved;

use crate::certify::{Claim, Flaw, certify};
use crate::counterexample::Counterexample;
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
    pub diagnostic: Option<Counterexample>,
    /// The limit that ended the explanation, if one did: the verdict stands without it.
    pub explanation_spent: Option<Spent>,
    /// How long the diagnostic was re-checked, by the clock of the budget.
    pub certify_time: Duration,
    /// How many variables were met.
    pub variables: u64,
    /// How many operands were looked at.
    pub operands: u64,
    /// How many states were explored, and how many steps were seen, of a system that is not stored.
    pub explored: Option<(usize, usize)>,
}

impl Checked {
    /// A verdict that nothing explains yet.
    pub(crate) fn unexplained(holds: bool, (variables, operands): (u64, u64)) -> Checked {
        Checked {
            holds,
            diagnostic: None,
            explanation_spent: None,
            certify_time: Duration::ZERO,
            variables,
            operands,
            explored: None,
        }
    }

    /// Explains the verdict within a share of the time; a limit ends the explanation alone.
    pub(crate) fn explain(
        &mut self,
        budget: &Budget<'_>,
        explanation: impl FnOnce() -> Result<Explained, NotChecked>,
    ) -> Result<(), NotChecked> {
        let mut trouble = None;
        let explained = budget.explain(|| match explanation() {
            Err(NotChecked::Spent(spent)) => Err(spent),
            Err(other) => {
                trouble = Some(other);
                Ok(Explained::default())
            }
            Ok(explained) => Ok(explained),
        });
        match explained {
            Ok(explained) => {
                self.diagnostic = explained.diagnostic;
                self.certify_time = explained.certify_time;
            }
            Err(spent) => self.explanation_spent = Some(spent),
        }
        trouble.map_or(Ok(()), Err)
    }
}

/// An explanation of a verdict, re-checked.
#[derive(Default)]
pub(crate) struct Explained {
    /// Nothing when it would be too large.
    pub(crate) diagnostic: Option<Counterexample>,
    pub(crate) certify_time: Duration,
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
    let mut checked = Checked::unexplained(holds, resolution.figures());
    if options.most_claims > 0 {
        checked.explain(budget, || {
            explain(&mut resolution, labels, formula, holds, options, budget)
        })?;
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
) -> Result<Explained, NotChecked> {
    let product = resolution.equations();
    let initial = product.steps().initial();
    let main = product.plain_variable(initial, product.program().main())?;
    let Some(found) = support(resolution, main, options.most_claims, budget)? else {
        return Ok(Explained::default());
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
        budget.tick()?;
        Ok(product.steps_mut().edges(state, budget)?.to_vec())
    };
    let start = budget.elapsed();
    certify(formula, labels, initial, holds, &claims, edges)?.map_err(NotChecked::Refuted)?;
    let certify_time = budget.elapsed().saturating_sub(start);
    Ok(Explained {
        diagnostic: Some(Counterexample::new(product, &found, budget)?),
        certify_time,
    })
}

/// The equations of a formula as the solver wants them.
pub fn program(formula: &Modal) -> Program {
    Program::new(formula.nodes(), formula.main)
}

/// Which labels satisfy which actions of a formula.
pub fn matching(formula: &Modal, labels: &Labels) -> Matching {
    Matching::new(formula.actions.len(), labels.len(), |action, label| {
        formula.actions[action].admits(labels.text(label), labels.is_internal(label))
    })
}
