//! `causet completions`: what a shell needs to complete the command line.

use clap::CommandFactory;

use crate::cli::{Cli, Completions};
use crate::failure::{Failure, Status};
use crate::output;

/// Prints the script.
pub(crate) fn run(arguments: &Completions) -> Result<Status, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "causet", &mut script);
    output::to_stdout(&script)?;
    Ok(Status::Fine)
}
