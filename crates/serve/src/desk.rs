//! The desk: owns the runs and works through what arrives, on a thread of its own.
//!
//! ```text
//! requests --> as many as there are --> runs take them --> runs settle --> journals written --> syncer --> acks, news
//! ```
//!
//! Requests queue up while the desk works, and the next turn takes them all: the busier it is, the more events share one
//! look at what is certain and one flush. Each link may have a few pieces under way and waits for them to be safe before
//! it reads on, so nobody can fill the queue alone.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use causet_wire::native::Piece;
use rustc_hash::FxHashMap;
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};

use crate::admission::Numbers;
use crate::closing;
use crate::counts::Counts;
use crate::keeping::{Keeping, folder_of, is_over};
use crate::protocol::Reply;
use crate::run::{Asked, Closed, News, Run};
use crate::status::Status;
use crate::syncer::{self, Commit};

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
    /// Hears what has become of properties, once it is safe to say so.
    pub tell: Arc<dyn Fn(&News) + Send + Sync>,
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
    /// A link has said all it has to say; the permit is given back when everything before is safe.
    Mark(u64, OwnedSemaphorePermit),
    /// A link is gone.
    Gone(u64),
    /// Someone wants to know how the runs are: one of them with its processes, or all without.
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

/// So many requests may wait.
const QUEUE: usize = 256;
/// So many are worked through before the runs settle.
const TURN: usize = 512;
/// So many turns may wait to be flushed.
const UNFLUSHED: usize = 4;

impl Desk {
    /// Opens a desk, with the runs that were kept, and the threads that end when it stops.
    pub fn open(rules: Rules) -> io::Result<(Desk, JoinHandle<io::Result<()>>)> {
        std::fs::create_dir_all(&rules.data)?;
        let (sender, receiver) = mpsc::channel(QUEUE);
        let (ready, opened) = std::sync::mpsc::channel();
        let thread = std::thread::Builder::new().name("desk".to_owned());
        let desk = Desk {
            requests: sender,
            counts: Arc::default(),
        };
        let counts = Arc::clone(&desk.counts);
        let handle = thread.spawn(move || {
            let worked = work(rules, receiver, &ready, &counts);
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

fn work(
    rules: Rules,
    mut requests: mpsc::Receiver<Request>,
    ready: &std::sync::mpsc::Sender<io::Result<()>>,
    counts: &Arc<Counts>,
) -> io::Result<()> {
    let safety = rules.safety;
    let (commits, to_flush) = sync_channel(UNFLUSHED);
    let mut worker = Worker {
        rules,
        runs: BTreeMap::new(),
        links: FxHashMap::default(),
        dirty: BTreeSet::new(),
        acks: FxHashMap::default(),
        commits,
        counts: Arc::clone(counts),
    };
    let recovered = worker.recover();
    let is_recovered = recovered.is_ok();
    // Whoever opened the desk waits for this.
    let _ = ready.send(recovered);
    if !is_recovered {
        return Ok(());
    }
    std::thread::scope(|scope| {
        let syncer = scope.spawn(move || syncer::work(&to_flush, safety, counts));
        let worked = worker.turns(&mut requests);
        drop(worker);
        let flushed = syncer.join();
        worked.and(flushed.unwrap_or_else(|_| Err(io::Error::other("the syncer panicked"))))
    })
}

struct Worker {
    rules: Rules,
    runs: BTreeMap<String, Live>,
    links: FxHashMap<u64, Linked>,
    /// The runs that took something in this turn.
    dirty: BTreeSet<String>,
    /// What is to be acknowledged after this turn, by link.
    acks: FxHashMap<u64, Ack>,
    commits: SyncSender<Commit>,
    counts: Arc<Counts>,
}

struct Live {
    run: Run,
    /// When it last took something.
    heard: Instant,
}

impl Live {
    fn status(&self) -> Status {
        Status::of(&self.run, self.heard)
    }

    fn looked_at(&self) -> Status {
        Status::with_processes(&self.run, self.heard)
    }
}

struct Linked {
    run: String,
    numbers: Numbers,
    replies: mpsc::UnboundedSender<Reply>,
}

#[derive(Default)]
struct Ack {
    ack: BTreeMap<String, u32>,
    error: Option<String>,
    permits: Vec<OwnedSemaphorePermit>,
}

impl Worker {
    /// Opens the runs that were kept and are not over.
    fn recover(&mut self) -> io::Result<()> {
        for folder in Keeping::all(&self.rules.data)? {
            if is_over(&folder) {
                continue;
            }
            let run = Run::open(&folder, self.rules.asked.clone())?;
            let name = run.name().to_owned();
            self.dirty.insert(name.clone());
            self.add(name, run);
        }
        self.settle()
    }

    fn add(&mut self, name: String, run: Run) {
        let heard = Instant::now();
        self.runs.insert(name, Live { run, heard });
    }

    fn turns(&mut self, requests: &mut mpsc::Receiver<Request>) -> io::Result<()> {
        while let Some(first) = requests.blocking_recv() {
            let mut goes_on = self.handle(first);
            for _ in 1..TURN {
                match requests.try_recv() {
                    Ok(request) => goes_on &= self.handle(request),
                    Err(_) => break,
                }
            }
            self.settle()?;
            if !goes_on {
                break;
            }
        }
        Ok(())
    }

    /// Does what is asked; whether the desk goes on.
    fn handle(&mut self, request: Request) -> bool {
        match request {
            Request::Hello {
                link,
                run,
                replies,
                answer,
            } => {
                let have = self.hello(link, run, replies);
                // A link that is gone does not want to know.
                let _ = answer.send(have);
            }
            Request::Header(link, line) => self.with_run(link, |run, _| run.declare(&line)),
            Request::From(link, from) => self.with_run(link, |run, numbers| {
                for (process, number) in &from {
                    run.begin(numbers, process, *number);
                }
                Ok(())
            }),
            Request::Lines(link, piece, permit) => self.lines(link, *piece, permit),
            Request::Over(link) => {
                if let Some(linked) = self.links.get(&link) {
                    let name = linked.run.clone();
                    self.close(&name);
                }
            }
            Request::Mark(link, permit) => self.acks.entry(link).or_default().permits.push(permit),
            Request::Gone(link) => drop(self.links.remove(&link)),
            Request::Status(run, answer) => {
                let status = match run {
                    Some(name) => self
                        .runs
                        .get(&name)
                        .map(Live::looked_at)
                        .into_iter()
                        .collect(),
                    None => self.runs.values().map(Live::status).collect(),
                };
                let _ = answer.send(status);
            }
            Request::Tick => self.close_idle(),
            Request::Stop => return false,
        }
        true
    }

    fn hello(
        &mut self,
        link: u64,
        name: String,
        replies: mpsc::UnboundedSender<Reply>,
    ) -> Result<BTreeMap<String, u32>, String> {
        if !self.runs.contains_key(&name) {
            let folder = folder_of(&self.rules.data, &name);
            if is_over(&folder) {
                return Err("the run is over".to_owned());
            }
            if self.runs.len() >= self.rules.runs {
                return Err(format!("there are {} runs already", self.runs.len()));
            }
            let run = Run::create(&self.rules.data, &name, self.rules.asked.clone());
            let run = run.map_err(|error| format!("the run cannot be kept: {error}"))?;
            self.add(name.clone(), run);
        }
        let have = self.runs.get(&name).map(|live| live.run.have());
        self.links.insert(
            link,
            Linked {
                run: name,
                numbers: Numbers::default(),
                replies,
            },
        );
        Ok(have.unwrap_or_default())
    }

    /// Does something with the run of a link; what is wrong is told to it.
    fn with_run(
        &mut self,
        link: u64,
        act: impl FnOnce(&mut Run, &mut Numbers) -> Result<(), String>,
    ) {
        let Some(linked) = self.links.get_mut(&link) else {
            return;
        };
        let done = match self.runs.get_mut(&linked.run) {
            Some(live) => act(&mut live.run, &mut linked.numbers),
            None => Err("the run is over".to_owned()),
        };
        if let Err(error) = done {
            self.acks
                .entry(link)
                .or_default()
                .error
                .get_or_insert(error);
        }
    }

    fn lines(&mut self, link: u64, mut piece: Piece, permit: OwnedSemaphorePermit) {
        let Some(linked) = self.links.get_mut(&link) else {
            return;
        };
        let ack = self.acks.entry(link).or_default();
        ack.permits.push(permit);
        if ack.error.is_some() {
            return;
        }
        let Some(live) = self.runs.get_mut(&linked.run) else {
            ack.error = Some("the run is over".to_owned());
            return;
        };
        live.heard = Instant::now();
        let before = live.run.monitor().events();
        match live.run.take(&mut linked.numbers, &mut piece) {
            Ok(counts) => ack.ack.extend(counts),
            Err(error) => ack.error = Some(error),
        }
        self.counts.events.add(live.run.monitor().events() - before);
        if live.run.monitor().process_count() > self.rules.processes {
            let most = self.rules.processes;
            ack.error = Some(format!("the run has more than {most} processes"));
        }
        if !self.dirty.contains(&linked.run) {
            self.dirty.insert(linked.run.clone());
        }
    }

    /// Lets the runs find out what is certain, and sees to it that what they took becomes safe and is told.
    fn settle(&mut self) -> io::Result<()> {
        let mut commit = Commit {
            files: Vec::new(),
            say: Vec::new(),
        };
        let mut over = Vec::new();
        for name in std::mem::take(&mut self.dirty) {
            let Some(live) = self.runs.get_mut(&name) else {
                continue;
            };
            let news = live.run.settle()?;
            commit.files.push(live.run.journal());
            for news in news {
                let folder = live.run.keeping().folder().to_owned();
                let tell = Arc::clone(&self.rules.tell);
                commit
                    .say
                    .push(Box::new(move || closing::tell(&folder, &news, &*tell)));
            }
            if live.run.is_over() {
                over.push(name);
            }
        }
        for (link, ack) in std::mem::take(&mut self.acks) {
            let Some(linked) = self.links.get(&link) else {
                continue;
            };
            let replies = linked.replies.clone();
            commit.say.push(Box::new(move || ack.say(&replies)));
        }
        if !commit.files.is_empty() || !commit.say.is_empty() {
            let sent = self.commits.send(commit);
            sent.map_err(|_| io::Error::other("journals cannot be flushed any more"))?;
        }
        over.iter().for_each(|name| self.close(name));
        Ok(())
    }

    /// Takes nothing more for a run, and has the rest of its properties decided.
    fn close(&mut self, name: &str) {
        let Some(mut live) = self.runs.remove(name) else {
            return;
        };
        self.dirty.remove(name);
        let settled = live.run.settle();
        let tell = Arc::clone(&self.rules.tell);
        for news in settled.unwrap_or_default() {
            closing::tell(live.run.keeping().folder(), &news, &*tell);
        }
        let closed: io::Result<Closed> = live.run.close();
        if let Ok(closed) = closed {
            let thread = std::thread::Builder::new().name("closing".to_owned());
            // Without a thread the verdicts can still be had from the journal.
            let _ = thread.spawn(move || closing::close(&closed, &*tell));
        }
    }

    fn close_idle(&mut self) {
        let Some(idle) = self.rules.idle else {
            return;
        };
        let is_idle = |(_, live): &(&String, &Live)| live.heard.elapsed() >= idle;
        let idle: Vec<String> = self
            .runs
            .iter()
            .filter(is_idle)
            .map(|(name, _)| name.clone())
            .collect();
        idle.iter().for_each(|name| self.close(name));
    }
}

impl Ack {
    /// Tells a link; the permits are given back when it has been told.
    fn say(self, replies: &mpsc::UnboundedSender<Reply>) {
        if !self.ack.is_empty() {
            // A link that is gone does not want to know.
            let _ = replies.send(Reply::Ack { ack: self.ack });
        }
        if let Some(error) = self.error {
            let _ = replies.send(Reply::Error { error });
        }
        drop(self.permits);
    }
}
