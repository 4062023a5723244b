//! Why a process could not join the others, in sentences that say what to do.

use std::fmt;
use std::time::Duration;

use causet_solve::workers::NotSolved;

use super::watch::{Lost, in_words};

/// Why there is no cluster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotJoined {
    /// The number of this process is that of no line of the host file.
    OutOfRange {
        /// The number of this process.
        process: usize,
        /// The number of hosts.
        hosts: usize,
    },
    /// A process without workers cannot take part, nor one with more than can be counted.
    Workers(usize),
    /// The address of this process cannot be listened on.
    CannotListen {
        /// The address.
        address: String,
        /// What the system said.
        why: String,
    },
    /// Some processes did not come in time.
    Missing {
        /// Those that did not come.
        missing: Vec<Missing>,
        /// How long they were waited for.
        patience: Duration,
        /// How many connections were refused because they did not know the secret.
        refused: usize,
    },
    /// A process that knows the secret was told something else about the run.
    Differs {
        /// The other process.
        process: usize,
        /// Its address.
        address: String,
        /// What is not the same.
        what: Difference,
    },
    /// A process that was connected to has another secret.
    WrongSecret {
        /// The other process.
        process: usize,
        /// Its address.
        address: String,
    },
    /// Another process than expected answers at an address: the host files are not the same.
    OtherProcess {
        /// The process that should answer there.
        expected: usize,
        /// The process that does.
        found: usize,
        /// The address.
        address: String,
    },
    /// A process was lost, or gave up, before all were there.
    Lost(Lost),
    /// The system refused something that is needed; this is what it said.
    System(String),
}

/// A process that did not come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missing {
    /// Its number.
    pub process: usize,
    /// Its address.
    pub address: String,
    /// What the last attempt to reach it ended with; nothing if it should have connected by itself.
    pub why: Option<String>,
}

/// What two processes were told differently.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Difference {
    /// The programs.
    Version {
        /// Here.
        ours: String,
        /// There.
        theirs: String,
    },
    /// The numbers of hosts.
    Hosts {
        /// Here.
        ours: usize,
        /// There.
        theirs: usize,
    },
    /// The numbers of workers in each process.
    Workers {
        /// Here.
        ours: usize,
        /// There.
        theirs: usize,
    },
    /// What is asked.
    Job,
    /// It read other bytes.
    Inputs,
}

impl NotJoined {
    /// The process with which there was no agreement, which knows that by itself.
    pub(super) fn culprit(&self) -> Option<usize> {
        match self {
            NotJoined::Differs { process, .. } | NotJoined::WrongSecret { process, .. } => {
                Some(*process)
            }
            NotJoined::OtherProcess { expected, .. } => Some(*expected),
            NotJoined::Lost(lost) => Some(lost.process),
            _ => None,
        }
    }
}

impl fmt::Display for NotJoined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotJoined::OutOfRange { process, hosts } => write!(
                f,
                "there is no process {process}: the host file has {hosts} hosts, numbered from 0"
            ),
            NotJoined::Workers(workers) => {
                write!(
                    f,
                    "{workers} workers cannot take part: expected 1 to 4096 in every process"
                )
            }
            NotJoined::CannotListen { address, why } => write!(
                f,
                "cannot listen on {address}, which the host file says is this process: {why}"
            ),
            NotJoined::Missing {
                missing,
                patience,
                refused,
            } => write_missing(f, missing, *patience, *refused),
            NotJoined::Differs {
                process,
                address,
                what,
            } => write!(f, "process {process} ({address}) {what}"),
            NotJoined::WrongSecret { process, address } => write!(
                f,
                "the secret is not that of process {process} ({address}): give all processes the same"
            ),
            NotJoined::OtherProcess {
                expected,
                found,
                address,
            } => write!(
                f,
                "process {found} answers at {address}, where process {expected} should: \
                 give all processes the same host file, and each its own number"
            ),
            NotJoined::Lost(lost) => write!(f, "before all processes were there: {lost}"),
            NotJoined::System(why) => write!(f, "the system refused what a cluster needs: {why}"),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Version { ours, theirs } => write!(
                f,
                "runs version {theirs}, this one {ours}: use the same program everywhere"
            ),
            Difference::Hosts { ours, theirs } => write!(
                f,
                "knows of {theirs} hosts, this one of {ours}: use the same host file everywhere"
            ),
            Difference::Workers { ours, theirs } => write!(
                f,
                "has {theirs} workers, this one {ours}: give every process the same number"
            ),
            Difference::Inputs => f.write_str(
                "has read something else: give every process the same model and the same files",
            ),
            Difference::Job => f.write_str(
                "is asked something else: give every process the same files and options",
            ),
        }
    }
}

impl std::error::Error for NotJoined {}

impl From<NotJoined> for NotSolved {
    fn from(not: NotJoined) -> Self {
        match not {
            NotJoined::Lost(lost) => lost.into(),
            not => NotSolved::Lost {
                why: not.to_string(),
                limit: None,
            },
        }
    }
}

fn write_missing(
    f: &mut fmt::Formatter<'_>,
    missing: &[Missing],
    patience: Duration,
    refused: usize,
) -> fmt::Result {
    write!(f, "after {} there is still no word of ", in_words(patience))?;
    for (index, one) in missing.iter().enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        write!(f, "{separator}process {} ({}", one.process, one.address)?;
        if let Some(why) = &one.why {
            write!(f, ": {why}")?;
        }
        f.write_str(")")?;
    }
    match refused {
        0 => Ok(()),
        1 => f.write_str("; 1 connection was refused because it did not know the secret"),
        _ => write!(
            f,
            "; {refused} connections were refused because they did not know the secret"
        ),
    }
}
