//! `causet lts`: labelled transition systems, one file per command.
//!
//! ```text
//! read --> Held --> check (workforce: who decides) --> explain, diagnostic, labels (what is odd about a formula)
//!               +-> info, reduce, compare, convert: on the explored system
//!               +-> ioco, tests (interface: inputs and outputs; test_graph: who makes it; test_text: cases for people;
//!                     trace_text: labels and traces for people, also those of `causet test`)
//! ```

mod check;
mod compare;
mod convert;
mod diagnostic;
mod generate;
mod info;
pub(crate) mod interface;
mod ioco;
mod reduce;
mod test_graph;
mod test_text;
mod tests;
pub(crate) mod trace_text;
mod workforce;

use causet_base::Code;
use causet_base::budget::Spent;
use causet_solve::bes;

use crate::cli::lts::{Lts, Strategy};
use crate::diagnostics;
use crate::failure::{Failure, Status};
use crate::input::NotRead;

pub(crate) use check::preflight;
pub(crate) use tests::preflight as preflight_tests;

/// Runs the command.
pub(crate) fn run(command: Lts) -> Result<Status, Failure> {
    match command {
        Lts::Check(arguments) => check::run(*arguments),
        Lts::Info(arguments) => ended(info::run(arguments)),
        Lts::Reduce(arguments) => ended(reduce::run(arguments)),
        Lts::Compare(arguments) => ended(compare::run(arguments)),
        Lts::Ioco(arguments) => ended(ioco::run(arguments)),
        Lts::Tests(arguments) => tests::run(*arguments),
        Lts::Convert(arguments) => ended(convert::run(arguments)),
        Lts::Generate(arguments) => generate::run(&arguments),
    }
}

/// The status of work that may have been stopped by a limit, which the person is told.
pub(crate) fn ended(result: Result<Status, NotRead>) -> Result<Status, Failure> {
    match result {
        Ok(status) => Ok(status),
        Err(NotRead::Failed(failure)) => Err(failure),
        Err(NotRead::Stopped(spent)) => {
            let (message, help) = match spent {
                Spent::Time => (
                    "the time was up before the work was done",
                    Some("raise --timeout"),
                ),
                Spent::Memory => ("the memory limit was reached", Some("raise --memory")),
                Spent::Cancelled => ("stopped", None),
            };
            diagnostics::sentence(Code::LimitReached, message, help);
            Ok(Status::Unknown)
        }
    }
}

/// The strategy a flag stands for; none for the definition.
pub(crate) fn strategy(strategy: Strategy) -> Option<bes::Strategy> {
    match strategy {
        Strategy::Auto | Strategy::Lean => Some(bes::Strategy::Lean),
        Strategy::Dfs => Some(bes::Strategy::DepthFirst),
        Strategy::Bfs => Some(bes::Strategy::BreadthFirst),
        Strategy::Global | Strategy::Together => None,
    }
}
