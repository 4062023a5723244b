//! The equations of a formula on a model, all of them, written down: to be looked at, or solved by the definition.

use causet_base::budget::{Budget, Spent};
use causet_formula::modal::Modal;
use causet_solve::bes::global;
use causet_solve::bes::product::Product;
use causet_solve::bes::system::System;
use causet_solve::numbered::Numbered;
use causet_solve::steps::Steps;

use crate::model::{Checked, Model, matching, program};

/// Every equation that the formula at the initial state depends on.
pub fn equations(model: &Model, formula: &Modal, budget: &Budget<'_>) -> Result<System, Spent> {
    match model {
        Model::Stored(lts) => explored(lts, model, formula, budget),
        Model::Composed(network) => {
            explored(Numbered::new(network, budget)?, model, formula, budget)
        }
    }
}

/// Decides a formula by the definition of a solution, without diagnostic: what other ways are compared with.
pub fn check_globally(
    model: &Model,
    formula: &Modal,
    budget: &Budget<'_>,
) -> Result<Checked, Spent> {
    let system = equations(model, formula, budget)?;
    let values = global::solution(&system, budget)?;
    let operands = system.equations().iter();
    let operands = operands.map(|equation| equation.operands.len() as u64);
    let figures = (system.equations().len() as u64, operands.sum());
    let holds = values[system.main_variable() as usize];
    Ok(Checked::unexplained(holds, figures))
}

fn explored<T: Steps>(
    steps: T,
    model: &Model,
    formula: &Modal,
    budget: &Budget<'_>,
) -> Result<System, Spent> {
    let program = program(formula);
    let matching = matching(formula, model.labels());
    let product = Product::new(&program, &matching, steps, budget);
    System::explore(product, budget)
}
