//! The desk: owns the runs and works through what arrives, on a thread of its own.
//!
//! ```text
//! requests --> as many as there are --> runs take them --> runs settle --> journals written --> syncer --> acks, news
//! ```
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

use causet_check::stream::Standing;
use causet_wire::native::Piece;
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};

use crate::news::Told;
use crate::patience::Waits;
use crate::protocol::Reply;
use crate::run::{Asked, Run};

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
    /// How long what is missing is waited for.
    pub waits: Waits,
    /// Whether runs are over when the desk stops; else they go on when it is opened again.
    pub ends: bool,
    /// Hears what is told, once it is safe to say so.
    pub tell: Arc<dyn Fn(&Told) + Send + Sync>,
}

/// What is asked of a desk.
pub enum Request {
    /// A link says which run it is about; the answer is what is safe of that run.
    Hello {
        /// The link.
        link: u64,
        /// The run.
        run: String,
        /// Where its acknowledgements go.
        replies: mpsc::UnboundedSender<Reply>,
        /// The answer.
        answer: oneshot::Sender<Result<BTreeMap<String, u32>, String>>,
    },
    /// A link sends a header.
    Header(u64, String),
    /// A link says which events come next.
    From(u64, BTreeMap<String, u32>),
    /// A link sends lines; the permit is given back when they are safe.
    Lines(u64, Box<Piece>, OwnedSemaphorePermit),
    /// A link says that its run is over.
    Over(u64),
    /// A link is gone.
    Gone(u64),
    /// Someone wants to know how the runs are.
    Status(oneshot::Sender<Vec<Status>>),
    /// Time passes.
    Tick,
    /// Everything is written and flushed, and the desk closes.
    Stop,
}

/// How a run is.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// What it is called.
    pub run: String,
    /// How many events of each process were taken.
    pub have: BTreeMap<String, u32>,
    /// How many events of each process have all they depend on, where that is followed.
    pub passed: BTreeMap<String, u32>,
    /// How many events were taken.
    pub events: u64,
    /// How many wait for others that have not come.
    pub waiting: usize,
    /// Processes, each with what is missing of it or for it.
    pub missing: Vec<(String, String)>,
    /// How many lines are held that are ahead of their process.
    pub held: usize,
    /// How many events arrived that had been taken before.
    pub again: u64,
    /// What has become of each property.
    pub properties: Vec<(String, &'static str, Option<String>)>,
}

/// The way to a desk.
#[derive(Clone)]
pub struct Desk {
    requests: mpsc::Sender<Request>,
}

/// So many requests may wait.
const QUEUE: usize = 256;

impl Desk {
    /// Opens a desk, with the runs that were kept, and the threads that end when it stops.
    pub fn open(rules: Rules) -> io::Result<(Desk, JoinHandle<io::Result<()>>)> {
        std::fs::create_dir_all(&rules.data)?;
        let (sender, receiver) = mpsc::channel(QUEUE);
        let (ready, opened) = std::sync::mpsc::channel();
        let thread = std::thread::Builder::new().name("desk".to_owned());
        let handle = thread.spawn(move || worker::work(rules, receiver, &ready))?;
        match opened.recv() {
            Ok(Ok(())) => Ok((Desk { requests: sender }, handle)),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(io::Error::other("the desk ended at once")),
        }
    }

    /// Asks for something; waits while the desk is busy. `false` when the desk has closed.
    pub async fn ask(&self, request: Request) -> bool {
        self.requests.send(request).await.is_ok()
    }

    /// How the runs are.
    pub async fn status(&self) -> Vec<Status> {
        let (sender, receiver) = oneshot::channel();
        match self.ask(Request::Status(sender)).await {
            true => receiver.await.unwrap_or_default(),
            false => Vec::new(),
        }
    }
}

fn status(run: &Run) -> Status {
    let monitor = run.monitor();
    let state = |standing: &Standing| match standing {
        Standing::Waiting(why) => ("waiting", Some(why.clone())),
        Standing::Followed => ("followed", None),
        Standing::AtEnd(why) => ("at the end", Some(why.clone())),
        Standing::Certain(shown) if shown.holds => ("holds", None),
        Standing::Certain(_) => ("violated", None),
        Standing::GivenUp(spent) => ("unknown", Some(spent.to_string())),
        Standing::Refused(error) => ("refused", Some(error.message.clone())),
    };
    let properties = monitor.standings().map(|(property, standing)| {
        let (word, why) = state(standing);
        (property.name.clone(), word, why)
    });
    Status {
        run: run.name().to_owned(),
        have: run.have(),
        passed: run.passed(),
        events: monitor.events(),
        waiting: monitor.waiting(),
        missing: run.missing(),
        held: run.held(),
        again: run.again(),
        properties: properties.collect(),
    }
}
