//! The options of a process that decides together with others.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::quantity;

/// Which processes decide together.
#[derive(Debug, Default, Args)]
pub(crate) struct Together {
    /// Decide together with other processes: where each of them listens, one `host:port` per line.
    ///
    /// Every process is started with the same file, inputs, options and secret, and with a number of its own. Process 0
    /// prints the report, and all end with the same status. `causet cluster run` starts them all.
    #[arg(long, value_name = "FILE")]
    pub(crate) hosts: Option<PathBuf>,
    /// Which of the hosts this process is: the number of its line, from 0.
    #[arg(long, value_name = "I")]
    pub(crate) process: Option<usize>,
    /// The file with the secret by which the processes know each other; by default the variable CAUSET_SECRET holds it.
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: Option<PathBuf>,
    /// How long to wait for the other processes (ms, s, m, h); by default 8s.
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    pub(crate) wait: Option<Duration>,
    /// How many states in a row a worker of one process gets, as a power of two: to measure what that changes.
    #[arg(long, hide = true)]
    pub(crate) heap: Option<u32>,
    /// Let one worker of this process do what several would do together: to measure what that costs.
    #[arg(long, hide = true)]
    pub(crate) team: bool,
    /// Be told secret and hosts on standard input, and end when that does.
    #[arg(long, hide = true, conflicts_with_all = ["hosts", "secret_file"])]
    pub(crate) attached: bool,
}

impl Together {
    /// Whether there are to be other processes.
    pub(crate) fn has_others(&self) -> bool {
        self.attached || self.hosts.is_some()
    }
}
