//! The commands about several processes that decide together.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::at_least_one;
use crate::quantity;

/// The commands about several processes.
#[derive(Debug, Subcommand)]
pub(crate) enum Cluster {
    /// Start several processes that decide together, here or on other machines, and watch them.
    ///
    /// After `--` stands what to do: `lts check`, `lts tests` or `check --engine bes`, with its options. Process 0 prints the
    /// report, and the exit status is that of the report. When a process dies, hangs or cannot start, all are ended, and
    /// the exit status is 4.
    Run(Run),
    /// Print a new secret, by which processes that are started one by one know each other.
    Secret,
}

/// Which processes, where, and what they decide.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// How many processes to start on this machine.
    #[arg(long, short, value_name = "P", value_parser = at_least_one(),
          required_unless_present = "hosts", conflicts_with = "hosts")]
    pub(crate) processes: Option<usize>,
    /// How many workers each process has; by default one.
    #[arg(long, value_name = "W", value_parser = at_least_one())]
    pub(crate) workers: Option<usize>,
    /// Start one process on each of these hosts instead: one `host:port` per line.
    #[arg(long, value_name = "FILE", requires = "where")]
    pub(crate) hosts: Option<PathBuf>,
    /// Start the processes on other hosts by `ssh`, which must not ask for a password.
    #[arg(long, group = "where", requires = "hosts")]
    pub(crate) ssh: bool,
    /// Start the processes on other hosts by this command, which is given a shell command as its last argument.
    ///
    /// `{host}` stands for the host, as in `ssh -p 2222 {host}`.
    #[arg(long, value_name = "COMMAND", group = "where", requires = "hosts")]
    pub(crate) launch: Option<String>,
    /// The program to start on other hosts.
    #[arg(
        long,
        value_name = "NAME",
        default_value = "causet",
        requires = "hosts"
    )]
    pub(crate) program: String,
    /// How long the processes wait for each other (ms, s, m, h); by default 8s.
    #[arg(long, value_name = "TIME", value_parser = quantity::duration)]
    pub(crate) wait: Option<Duration>,
    /// What to decide, after `--`.
    #[arg(value_name = "COMMAND", last = true, required = true)]
    pub(crate) command: Vec<OsString>,
}
