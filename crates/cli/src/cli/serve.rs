//! The arguments of `causet serve`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use causet_check::engine::guided::Steps;
use clap::{Args, ValueEnum};

use super::Asked;
use crate::quantity;

/// What to follow, where it comes from, and what to do about it.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    pub(crate) asked: Asked,
    /// The address to listen on, for lines and for HTTP. One that other machines reach needs --token and --tls-cert.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7464")]
    pub(crate) listen: SocketAddr,
    /// Listen on a Unix socket too.
    #[arg(long, value_name = "PATH")]
    pub(crate) unix: Option<PathBuf>,
    /// Follow a file of JSON lines that grows, or all such files of a folder as one run; it need not be there yet.
    #[arg(long, value_name = "[NAME=]PATH")]
    pub(crate) follow: Vec<String>,
    /// Where runs are kept; by default in a folder that is removed at the end.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// When an event counts as safe, and is acknowledged.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(crate) safe: Safe,
    /// A file whose text clients have to send as their token.
    #[arg(long, value_name = "FILE")]
    pub(crate) token: Option<PathBuf>,
    /// Encrypt everything on the address, with this certificate and those that vouch for it (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The key of the certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Close a run after this much time without an event (ms, s, m, h), and decide it; 0 never does.
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, default_value = "1h")]
    pub(crate) idle: Duration,
    /// End when a property is violated, with status 1.
    #[arg(long)]
    pub(crate) exit_on_violation: bool,
    /// End the runs that go on when the server is stopped, with what is consistent of them; so it is without --data.
    #[arg(long)]
    pub(crate) end_runs: bool,
    /// Follow unseen events one at a time in two phases instead of leaving them out, in a row at most so many of a process.
    #[arg(long, value_name = "N")]
    pub(crate) max_steps: Option<u32>,
    /// After so long (ms, s, m, h) it is told what is missing, and a run with too many events that wait is given up.
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, default_value = "10s")]
    pub(crate) patience: Duration,
    /// So many events of a run may wait for others; beyond that their senders wait.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub(crate) max_waiting: usize,
    /// Call an address with each verdict: POST, a line of JSON.
    #[arg(long, value_name = "URL")]
    pub(crate) webhook: Option<String>,
    /// Whom to believe at an address of https (PEM); by default whom the system believes.
    #[arg(long, value_name = "FILE", requires = "webhook")]
    pub(crate) webhook_ca: Option<PathBuf>,
    /// Run a program when a property is violated, with the verdict as JSON on its standard input. Words are cut as a shell
    /// would cut them; nothing is expanded.
    #[arg(long, value_name = "COMMAND")]
    pub(crate) on_violation: Option<String>,
    /// So long it may run (ms, s, m, h); then it is killed.
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, default_value = "30s")]
    pub(crate) command_timeout: Duration,
    /// Memory of all runs together (K, M, G), and a sixteenth of it for the search for a property of a run.
    ///
    /// A property whose search needs more is unknown. When all runs together need more, the one that takes most is followed
    /// no more: its properties are unknown, its events are kept as before.
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes, default_value = "4G")]
    pub(crate) memory: u64,
    /// The longest line (K, M, G).
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes, default_value = "1M")]
    pub(crate) max_line: u64,
    /// The longest request that holds spans (K, M, G), decompressed.
    #[arg(long, value_name = "SIZE", value_parser = quantity::bytes, default_value = "16M")]
    pub(crate) max_request: u64,
    /// So long (ms, s, m, h) nothing may come for a trace that looks whole before it is told.
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, default_value = "10s")]
    pub(crate) otlp_whole: Duration,
    /// So long (ms, s, m, h) nothing may come for any other trace, or run of traces.
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, default_value = "1m")]
    pub(crate) otlp_partial: Duration,
    /// So many connections at a time.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) max_connections: usize,
    /// So many runs at a time.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) max_runs: usize,
    /// So many processes in a run.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) max_processes: usize,
}

impl Serve {
    /// Which of the enabled events are followed.
    pub(crate) fn steps(&self) -> Steps {
        match self.max_steps {
            None => Steps::All,
            max_steps => Steps::TwoPhase { max_steps },
        }
    }
}

/// When an event counts as safe.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum)]
pub(crate) enum Safe {
    /// When the disk has it: it survives a loss of power.
    #[default]
    Flushed,
    /// When the system has it: it survives the death of the server.
    Written,
}
