//! The other processes of a run: joined first, so that everything later is watched, and left last.
//!
//! ```text
//! join --> agree on the inputs --> solve, property by property --> conclude
//!                    \_________________________\
//!                                               fail: an error, or a limit that was reached
//! ```
//!
//! A process that fails tells the others why, and they end as well. A limit is told the same way, but means that nobody
//! knows the answer, and the others end as if they had reached it themselves.

use std::sync::atomic::{AtomicBool, Ordering};

use causet_base::Code;
use causet_base::budget::Spent;
use causet_flow::WorkerPool;
use causet_flow::cluster::{Cluster, Membership, NotJoined, Watch, join};
use causet_solve::workers::NotSolved;

use crate::failure::Failure;

/// The processes that decide together.
pub(crate) struct Company {
    cluster: Cluster,
    watch: Watch,
    /// Whether a loss does not matter any more.
    is_over: AtomicBool,
}

impl Company {
    /// Finds the others.
    pub(super) fn join(membership: Membership, attached: bool) -> Result<Company, Failure> {
        let cluster = join(membership).map_err(|not| match not {
            NotJoined::CannotListen { .. } if attached => Failure::Taken,
            NotJoined::OutOfRange { .. } | NotJoined::Workers(_) => {
                Failure::refused(Code::BadHosts, not.to_string())
            }
            not => Failure::Lost(not.to_string()),
        })?;
        Ok(Company {
            watch: cluster.watch(),
            cluster,
            is_over: AtomicBool::new(false),
        })
    }

    /// The workers of all processes.
    pub(super) fn pool(&self) -> WorkerPool<'_> {
        WorkerPool::across(&self.cluster)
    }

    /// Which process this is.
    pub(crate) fn process(&self) -> usize {
        self.cluster.process()
    }

    /// How many there are.
    pub(crate) fn processes(&self) -> usize {
        self.cluster.processes()
    }

    /// What is known of the others.
    pub(super) fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Whether a loss does not matter any more.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Waits until all have read the same.
    pub(super) fn agree(&self, digest: [u8; 32]) -> Result<(), NotSolved> {
        self.cluster.agree(digest).map_err(NotSolved::from)
    }

    /// Tells the others that this process cannot go on, unless they know why.
    pub(super) fn fail(&self, failure: &Failure) {
        self.is_over.store(true, Ordering::Relaxed);
        self.watch.fail(match failure {
            Failure::Told => "it has shown what is wrong".to_owned(),
            failure => failure.sentence(),
        });
    }

    /// Tells the others that this process reached a limit.
    pub(super) fn stop(&self, spent: Spent) {
        self.is_over.store(true, Ordering::Relaxed);
        self.watch.stop(spent);
    }

    /// Ends the run: all is decided, and everybody knows it.
    pub(super) fn conclude(&self) {
        if !self.is_over.swap(true, Ordering::Relaxed) {
            self.watch.finish();
        }
    }
}
