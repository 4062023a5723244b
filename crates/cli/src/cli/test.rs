//! The commands that run tests against a real program.

use std::path::PathBuf;
use std::time::Duration;

use causet_base::Diagnostic;
use clap::{Args, Subcommand};

use super::at_least_one;
use super::lts::{Allowed, Interface, Reading};
use crate::quantity;

/// The commands about tests.
#[derive(Debug, Subcommand)]
pub(crate) enum Test {
    /// Run test cases, as `causet lts tests --cases` writes them, against a program.
    ///
    /// The exit status is 0 when every case passes and 1 when at least one fails, whatever happens after that. If none
    /// fails it is 2 when something is wrong with a case or with the adapter, and 3 when at least one is inconclusive or a
    /// limit was reached.
    Run(Run),
    /// Walk at random along a specification, and hold what a program does against it.
    ///
    /// The exit status is 0 when nothing was wrong and 1 when the program did what the specification does not allow,
    /// whatever happens after that. Otherwise it is 2 when something is wrong with the specification or with the adapter,
    /// and 3 when a limit was reached.
    Walk(Walk),
}

/// Which cases to run.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The test cases, each in an Aldebaran file.
    #[arg(value_name = "CASE", required = true)]
    pub(crate) cases: Vec<PathBuf>,
    /// The specification that the cases were made from: an output that was on its way while a case sent is then judged by
    /// what the specification allows, and not by what the case awaits.
    #[arg(long, value_name = "SPEC")]
    pub(crate) spec: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) driving: Driving,
}

/// Where to walk, and how far.
#[derive(Debug, Args)]
pub(crate) struct Walk {
    /// The specification, as for `causet lts check`.
    #[arg(value_name = "SPEC")]
    pub(crate) specification: PathBuf,
    /// Where chance begins.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,
    /// So many stimuli and observations in a walk at most.
    #[arg(long, value_name = "N", default_value = "50", value_parser = at_least_one())]
    pub(crate) steps: usize,
    /// So many walks at most; by default 20, or without end if there is a time.
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    walks: Option<usize>,
    /// Begin no other step after this long (ms, s, m, h).
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    pub(crate) time: Option<Duration>,
    /// Begin no other walk after the first failure, which is then told as it was met.
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// Start an adapter that fails again, and count that among the failures of the program.
    #[arg(long)]
    pub(crate) restart: bool,
    #[command(flatten)]
    pub(crate) driving: Driving,
}

/// So many walks there are if nobody says how many or for how long.
const WALKS: usize = 20;

impl Walk {
    /// So many walks at most.
    pub(crate) fn walks(&self) -> usize {
        let by_default = match self.time {
            Some(_) => usize::MAX,
            None => WALKS,
        };
        self.walks.unwrap_or(by_default)
    }
}

/// The program under test, how long to wait for it, and what to say about it.
#[derive(Debug, Args)]
pub(crate) struct Driving {
    /// The command that starts the adapter of the program; it is cut into words, and no shell sees it.
    #[arg(long, value_name = "COMMAND", allow_hyphen_values = true)]
    pub(crate) adapter: String,
    /// A program that does nothing for so many milliseconds is silent; other units as in 2s.
    #[arg(long, value_name = "MS", default_value = "250", value_parser = milliseconds)]
    pub(crate) quiet_after: Duration,
    /// Wait so long for the adapter to be ready (ms, s, m, h).
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = quantity::duration)]
    pub(crate) ready_within: Duration,
    #[command(flatten)]
    pub(crate) interface: Interface,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) allowed: Allowed,
    /// Write what was sent and seen as a recorded run, of the processes tester and system.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a report as JUnit XML.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
}

/// A bare number is milliseconds.
fn milliseconds(text: &str) -> Result<Duration, Diagnostic> {
    match text.bytes().all(|byte| byte.is_ascii_digit()) {
        true => quantity::duration(&format!("{text}ms")),
        false => quantity::duration(text),
    }
}
