//! `causet lts compare`: whether two transition systems are bisimilar.
//!
//! A formula that tells them apart is checked on both before it is shown.

use std::sync::Arc;

use causet::inner::system_in;
use causet_base::Code;
use causet_base::budget::Budget;
use causet_formula::mu;
use causet_lts::Lts;
use causet_lts::compare::{Comparison, strong};
use causet_lts::model::{self, Model, NotChecked, Options};
use causet_report::lts::comparison;
use causet_solve::bes::Strategy;

use crate::cli::lts::Compare;
use crate::failure::{Failure, Status};
use crate::input::NotRead;
use crate::limits::{self, Limits};
use crate::output;

/// Runs the command.
pub(crate) fn run(arguments: Compare) -> Result<Status, NotRead> {
    let limits = limits::of(arguments.allowed);
    let arguments = Arc::new(arguments);
    let compared = limits::finished(&arguments, &limits, compare)?;
    let names = [&arguments.first, &arguments.second].map(|path| path.display().to_string());
    let names = [names[0].as_str(), names[1].as_str()];
    let mut bytes = Vec::new();
    let written = match arguments.json {
        true => comparison::write_json(env!("CARGO_PKG_VERSION"), names, &compared, &mut bytes),
        false => comparison::write(names, &compared, &mut bytes),
    };
    written
        .map_err(|error| Failure::io(Code::NotWritable, "the report cannot be written", &error))?;
    output::to_stdout(&bytes)?;
    Ok(match compared {
        Comparison::Equal => Status::Fine,
        Comparison::Different(_) => Status::Violated,
    })
}

fn compare(arguments: &Compare, limits: &Limits) -> Result<Comparison, NotRead> {
    let first = system_in(&arguments.first, &arguments.reading.model(), limits)?;
    let second = system_in(&arguments.second, &arguments.reading.model(), limits)?;
    limits.begin("comparing", None);
    let budget = limits.budget();
    let compared = strong(&first, &second, &budget);
    limits.end();
    let compared = compared?;
    if let Comparison::Different(difference) = &compared
        && let Some(formula) = &difference.formula
    {
        tells_apart(formula, [first, second], &budget)?;
    }
    Ok(compared)
}

/// Fails unless a formula holds of the first system and not of the second.
fn tells_apart(formula: &str, systems: [Lts; 2], budget: &Budget<'_>) -> Result<(), NotRead> {
    let wrong = || Failure::Internal(format!("this formula does not tell them apart: {formula}"));
    let read = mu::read(formula, &|_| None);
    let lowered = read.and_then(|formula| formula.lower());
    let lowered = lowered.map_err(|_| wrong())?;
    let options = Options {
        strategy: Strategy::Lean,
        most_claims: 0,
    };
    for (system, wanted) in systems.into_iter().zip([true, false]) {
        match model::check(&Model::Stored(system), &lowered, options, budget) {
            Ok(checked) if checked.holds == wanted => {}
            Err(NotChecked::Spent(spent)) => return Err(spent.into()),
            _ => return Err(wrong().into()),
        }
    }
    Ok(())
}
