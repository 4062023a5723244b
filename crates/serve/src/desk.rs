//! The desk: owns the runs and works through what arrives, on a thread of its own.
//!
//! ```text
//! requests --> as many as there are --> runs take them --> journals written --> syncer --> acks
//!    ^                                                       +--> runs settle, for a slice of time --> syncer --> news
//!    +-- while a search is behind: another slice ------------+
//! ```
//!
//! Searches get a slice of time each turn, after the journals have been handed over: however hard a property is, events are
//! taken and acknowledged, and a search that is behind at the end of its run leaves the last word to its journal.
//!
//! Requests queue up while the desk works, and the next turn takes them all: the busier it is, the more events share one
//! look at what is certain and one flush. Each link may have a few pieces under way and waits for them to be safe before
//! it reads on, so nobody can fill the queue alone.

mod worker;

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use causet_base::Diagnostic;
use causet_formats::native::Piece;
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};

use crate::counts::Counts;
use crate::news::Told;
use crate::patience::Waits;
use crate::private::create_folder;
use crate::protocol::Reply;
use crate::run::Asked;
use crate::status::Status;

/// When something counts as safe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Safety {
    /// When the disk has it: it survives a loss of power.
    Flushed,
    /// When the system has it: it survives the death of the server.
    Written,
}

/// How a desk works.
#[derive(Clone)]
pub struct Rules {
    /// Where runs are kept.
    pub data: PathBuf,
    /// What is asked of every run.
    pub asked: Asked,
    /// When something counts as safe.
    pub safety: Safety,
    /// So many runs may go on at a time.
    pub runs: usize,
    /// So many processes may a run have.
    pub processes: usize,
    /// After so long without an event a run is over.
    pub idle: Option<Duration>,
    /// About how many bytes of memory all runs together may take.
    pub memory: u64,
    /// How long searches may go on before requests are looked at again.
    pub search: Duration,
    /// How long what is missing is waited for.
    pub waits: Waits,
    /// Whether runs are over when the desk stops; else they go on when it is opened again.
    pub ends: bool,
    /// Hears what is told, once it is safe to say so.
    pub tell: Arc<dyn Fn(&Told) + Send + Sync>,
}

/// The usual time that searches have in a turn.
pub const SEARCH: Duration = Duration::from_millis(10);

impl Rules {
    /// The usual rules: everything is flushed, and runs go on when the desk is opened again.
    pub fn new(data: PathBuf, asked: Asked, tell: Arc<dyn Fn(&Told) + Send + Sync>) -> Rules {
        Rules {
            data,
            asked,
            safety: Safety::Flushed,
            runs: 1000,
            processes: 10_000,
            idle: Some(IDLE),
            memory: MEMORY,
            search: SEARCH,
            waits: Waits::default(),
            ends: false,
            tell,
        }
    }
}

/// What is asked of a desk.
pub enum Request {
    /// A link says which run it is about; the answer is what is safe of that run, given once it is.
    Hello {
        /// The link.
        link: u64,
        /// The run.
        run: String,
        /// Where its acknowledgements go.
        replies: mpsc::UnboundedSender<Reply>,
        /// The answer.
        answer: oneshot::Sender<Result<BTreeMap<String, u32>, Diagnostic>>,
    },
    /// A link sends a header.
    Header(u64, String),
    /// A link says which events come next.
    From(u64, BTreeMap<String, u32>),
    /// A link sends lines; the permit is given back when they are safe.
    Lines(u64, Box<Piece>, OwnedSemaphorePermit),
    /// A link says that its run is over.
    Over(u64),
    /// A link has said all it has to say; the permit is given back when everything before is safe.
    Mark(u64, OwnedSemaphorePermit),
    /// A link is gone.
    Gone(u64),
    /// Someone wants to know how the runs are: one of them with its processes, once what it has is safe, or all without.
    Status(Option<String>, oneshot::Sender<Vec<Status>>),
    /// Time passes.
    Tick,
    /// Everything is written and flushed, and the desk closes.
    Stop,
}

/// The way to a desk.
#[derive(Clone)]
pub struct Desk {
    requests: mpsc::Sender<Request>,
    counts: Arc<Counts>,
}

/// After so long without an event a run is over, if nothing else is said.
const IDLE: Duration = Duration::from_secs(3600);
/// How many bytes of memory all runs together may take, if nothing else is said.
const MEMORY: u64 = 4 << 30;
/// So many requests may wait.
const QUEUE: usize = 256;

impl Desk {
    /// Opens a desk, with the runs that were kept, and the threads that end when it stops.
    pub fn open(rules: Rules) -> io::Result<(Desk, JoinHandle<io::Result<()>>)> {
        create_folder(&rules.data)?;
        let (sender, receiver) = mpsc::channel(QUEUE);
        let (ready, opened) = std::sync::mpsc::channel();
        let thread = std::thread::Builder::new().name("desk".to_owned());
        let desk = Desk {
            requests: sender,
            counts: Arc::default(),
        };
        let counts = Arc::clone(&desk.counts);
        let handle = thread.spawn(move || {
            let worked = worker::work(rules, receiver, &ready, &counts);
            worked.inspect_err(|error| counts.fail(&error.to_string()))
        })?;
        match opened.recv() {
            Ok(Ok(())) => Ok((desk, handle)),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(io::Error::other("the desk ended at once")),
        }
    }

    /// Asks for something; waits while the desk is busy. `false` when the desk has closed.
    pub async fn ask(&self, request: Request) -> bool {
        self.requests.send(request).await.is_ok()
    }

    /// Whether it still does what it is asked.
    pub fn is_open(&self) -> bool {
        !self.requests.is_closed()
    }

    /// What has been counted since the start.
    pub fn counts(&self) -> &Arc<Counts> {
        &self.counts
    }

    /// How the runs are, without their processes.
    pub async fn status(&self) -> Vec<Status> {
        self.statuses(None).await
    }

    /// How one run is, with its processes.
    pub async fn look(&self, run: &str) -> Option<Status> {
        self.statuses(Some(run.to_owned())).await.pop()
    }

    async fn statuses(&self, run: Option<String>) -> Vec<Status> {
        let (sender, receiver) = oneshot::channel();
        match self.ask(Request::Status(run, sender)).await {
            true => receiver.await.unwrap_or_default(),
            false => Vec::new(),
        }
    }
}
