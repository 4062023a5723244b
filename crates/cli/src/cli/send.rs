//! The arguments of `causet send`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::Source;
use crate::quantity;

/// What to send, where, and in which order.
#[derive(Debug, Args)]
pub(crate) struct Send {
    #[command(flatten)]
    pub(crate) source: Source,
    /// The address of the server.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7464")]
    pub(crate) to: SocketAddr,
    /// What the run is called.
    #[arg(long, value_name = "NAME", default_value = "run")]
    pub(crate) run: String,
    /// A file with the token that the server wants to see.
    #[arg(long, value_name = "FILE")]
    pub(crate) token: Option<PathBuf>,
    /// Speak to the server encrypted.
    #[arg(long)]
    pub(crate) tls: bool,
    /// Whom to believe that it is the server (PEM); by default whom the system believes.
    #[arg(long, value_name = "FILE", requires = "tls")]
    pub(crate) ca: Option<PathBuf>,
    /// So many events a second; by default as many as the server takes.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rate: Option<u32>,
    /// Send the events of different processes in another order that the network could have produced, from a seed.
    #[arg(long, value_name = "SEED", num_args = 0..=1, default_missing_value = "0")]
    pub(crate) shuffle: Option<u64>,
    /// Say at the end that no process will do anything more, so that the server gives its last verdicts.
    #[arg(long)]
    pub(crate) over: bool,
    /// So long it is tried to reach a server that has gone away (ms, s, m, h).
    #[arg(long, value_name = "TIME", value_parser = quantity::duration, default_value = "10s")]
    pub(crate) patience: Duration,
}
