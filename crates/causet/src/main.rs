//! The one binary: reads the command line, runs a command, turns its end into an exit status.
//!
//! ```text
//! cli --> check    input --> wire::native::read --> check::prepare, plan, decide --> wire::report
//!     |-> info     input --> wire::native::read --> counts, width, races
//!     |-> convert  input --> wire::native::read --> wire writers --> output
//!     +-> completions, man
//! ```
//!
//! Files, the clock, signals and the terminal are touched here and nowhere else.

mod check;
mod claim;
mod cli;
mod completions;
mod convert;
mod diagnostics;
mod explain;
mod failure;
mod info;
mod input;
mod limits;
mod man;
mod output;
mod progress;
mod properties;
mod quantity;

use clap::Parser;

use cli::{Cli, Command};
use failure::{Failure, Status};

fn main() {
    let cli = Cli::parse();
    cli.color.write_global();
    let ended = run(cli.command);
    let status = ended.unwrap_or_else(Failure::report);
    // Not by returning: a trace of many gigabytes is faster left to the system than dropped.
    std::process::exit(status.code());
}

fn run(command: Command) -> Result<Status, Failure> {
    match command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Info(arguments) => info::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
    }
}
