//! `causet cluster`: several processes of this program, started and watched by one more.
//!
//! ```text
//! run --> plan (what to start, where) --> children (start, feed, watch, end) --> one status
//! ```
//!
//! The processes find each other and notice losses by themselves (see `together`). This one makes sure that whatever
//! happens, all of them end, and that somebody says why.

mod children;
mod plan;

use causet_base::Code;
use causet_flow::cluster::Secret;

use crate::cli::cluster::{Cluster, Run};
use crate::failure::{Failure, Status};
use crate::output;

use children::{Ended, supervise};
use plan::Plan;

/// How often the processes are started when a port was taken meanwhile.
const ATTEMPTS: usize = 5;

/// Runs the command.
pub(crate) fn run(command: Cluster) -> Result<Status, Failure> {
    match command {
        Cluster::Run(arguments) => start(&arguments),
        Cluster::Secret => {
            let text = format!("{}\n", secret()?.to_text());
            output::to_stdout(text.as_bytes()).map(|()| Status::Fine)
        }
    }
}

fn start(arguments: &Run) -> Result<Status, Failure> {
    let plan = Plan::of(arguments)?;
    children::listen_for_interrupt();
    for _ in 0..ATTEMPTS {
        let hosts = plan.hosts()?;
        match supervise(&plan, &hosts, &secret()?)? {
            Ended::With(status) => return Ok(status),
            Ended::Taken if plan.chooses_ports() => {}
            Ended::Taken => {
                return Err(Failure::Lost(
                    "a process cannot listen on its address, because the address is in use or not of its machine"
                        .to_owned(),
                ));
            }
        }
    }
    Err(Failure::Lost(format!(
        "no free ports were found in {ATTEMPTS} attempts"
    )))
}

fn secret() -> Result<Secret, Failure> {
    Secret::random().map_err(|bad| Failure::refused(Code::CannotStart, bad.to_string()))
}
