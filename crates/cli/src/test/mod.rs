//! `causet test`: tests against a real program, one file per command.
//!
//! ```text
//! run:  cases ----------> drive::run  --case_text--+
//!                                                  +--> outcome: text, JSON, JUnit, a recorded run, the exit status
//! walk: specification --> drive::walk -------------+
//! ```

mod case_text;
mod outcome;
mod run;
mod walk;

use std::fs::File;
use std::io;
use std::path::Path;

use causet_base::Code;
use causet_base::budget::Budget;
use causet_drive::adapter::{Adapter, Patience};
use causet_drive::record::Log;
use causet_drive::system::Trouble;

use crate::cli::test::{Driving, Test};
use crate::failure::{Failure, Status};
use crate::input::NotRead;
use crate::lts::ended;

/// Runs the command.
pub(crate) fn run(command: Test) -> Result<Status, Failure> {
    match command {
        Test::Run(arguments) => ended(run::run(&arguments)),
        Test::Walk(arguments) => ended(walk::run(&arguments)),
    }
}

/// Starts the adapter.
fn start(driving: &Driving, budget: &Budget<'_>) -> Result<Adapter, Trouble> {
    let patience = Patience {
        quiet: driving.quiet_after,
        ready: driving.ready_within,
        ..Patience::default()
    };
    Adapter::start(&driving.adapter, patience, budget)
}

/// Where what happens is recorded, if it is to be. The file is written as things happen: whoever is killed after a long
/// night leaves what there was.
fn log(driving: &Driving) -> Result<Log, Failure> {
    let Some(path) = &driving.record else {
        return Ok(Log::none());
    };
    let file = File::create(path).map_err(|error| not_written(path, &error))?;
    Ok(Log::to_writer(file))
}

fn not_written(path: &Path, error: &io::Error) -> Failure {
    Failure::io(
        Code::NotWritable,
        format!("{} cannot be written", path.display()),
        error,
    )
}

fn not_driven(trouble: Trouble) -> NotRead {
    match trouble {
        Trouble::Adapter(what) => Failure::refused(Code::AdapterFailed, what).into(),
        Trouble::Spent(spent) => spent.into(),
    }
}
