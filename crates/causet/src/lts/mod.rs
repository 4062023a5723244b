//! `causet lts`: labelled transition systems, one file per command.
//!
//! ```text
//! read --> Model --> check --> explain, diagnostic, labels (what is odd about a formula)
//! ```

mod check;
mod diagnostic;
mod explain;
mod labels;
mod read;

use causet_solve::bes;

use crate::cli::lts::{Lts, Strategy};
use crate::failure::{Failure, Status};

/// Runs the command.
pub(crate) fn run(command: Lts) -> Result<Status, Failure> {
    match command {
        Lts::Check(arguments) => check::run(*arguments),
    }
}

/// The strategy a flag stands for; none for the definition.
pub(crate) fn strategy(strategy: Strategy) -> Option<bes::Strategy> {
    match strategy {
        Strategy::Auto | Strategy::Lean => Some(bes::Strategy::Lean),
        Strategy::Dfs => Some(bes::Strategy::DepthFirst),
        Strategy::Bfs => Some(bes::Strategy::BreadthFirst),
        Strategy::Global => None,
    }
}
