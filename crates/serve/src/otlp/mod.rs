//! Spans of OpenTelemetry, taken as they are exported: each trace becomes a run.
//!
//! ```text
//! POST /v1/traces --http--+                      +--> spool: safe, acknowledged
//! gRPC Export -----grpc---+--> export: spans ----+
//!                                                +--> gathering: waits for the rest --translate--> desk: a run
//! ```
//!
//! A span belongs to the run of its trace, `otlp/` and the id of the trace, or to the one that a header or a resource
//! names; several traces can be one run then. What is acknowledged is in the spool. When a run looks whole, or nothing has
//! come for it for a while, its spans are read by the reader that `causet check` has for files, so the verdicts are the
//! same by construction, and the events it makes of them go to the desk; then the run is over, and a span that comes
//! later is refused.

mod export;
mod gathering;
#[cfg(feature = "full")]
mod grpc;
mod http;
mod json;
pub mod messages;
mod spool;
mod translate;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::post;
use tokio::sync::Semaphore;

pub use gathering::Patience;

use crate::desk::{Desk, Request, Safety};
use crate::inside::Refusal;
use crate::keeping::{folder_of, is_over};
use export::{Coding, Export, Refused};
use gathering::{Gathered, Gathering, Why};
use spool::{Record, Spool};

/// How spans are taken.
#[derive(Clone)]
pub struct Rules {
    /// Where runs are kept; the spool is a folder beside them.
    pub data: PathBuf,
    /// When something counts as safe.
    pub safety: Safety,
    /// How long spans wait, and how many.
    pub patience: Patience,
    /// The longest request, in bytes, when it is decompressed.
    pub request: usize,
    /// So many processes may a run have.
    pub processes: usize,
    /// Hears what whoever runs the server should know.
    pub tell: Tell,
}

/// Hears of a run, and what about it.
pub type Tell = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// Takes spans and makes runs of them.
pub struct Receiver {
    desk: Desk,
    rules: Rules,
    spool: Spool,
    state: Mutex<State>,
    /// Requests that are worked on.
    room: Semaphore,
    /// Whether nothing more is waited for.
    is_ending: AtomicBool,
}

#[derive(Default)]
struct State {
    gathering: Gathering,
    /// Runs that are being told: the file of the spool in which each begins, and how many bytes of spans it has.
    telling: BTreeMap<String, (u64, usize)>,
    /// The file that the spool has come to, as far as is known.
    file: u64,
}

/// Why a request is not taken.
#[derive(Clone, PartialEq, Eq, Debug)]
enum NotTaken {
    /// It is wrong.
    Wrong(String),
    /// It may be sent again later.
    Later(&'static str),
}

/// So many requests are worked on at a time.
const AT_ONCE: usize = 8;
/// So long a request waits for its turn.
const TURN: Duration = Duration::from_secs(5);
/// So often it is looked which runs are due.
const TICK: Duration = Duration::from_millis(100);
/// So long until a run that the desk refuses is told again.
const REFUSED: Duration = Duration::from_secs(1);

/// Where the one call of gRPC is made.
const GRPC: &str = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

/// Where it is not built in, whoever makes the call is told so.
#[cfg(not(feature = "full"))]
mod grpc {
    /// The answer: status 12, which is not implemented.
    pub(super) async fn export() -> [(&'static str, &'static str); 3] {
        [
            ("content-type", "application/grpc"),
            ("grpc-status", "12"),
            (
                "grpc-message",
                "this server was built without gRPC: send OTLP over HTTP to /v1/traces, or build it with --features full",
            ),
        ]
    }
}

/// The routes on which spans are taken, over HTTP and over gRPC, which needs HTTP/2. Whoever serves them says who may send.
pub fn router(receiver: Arc<Receiver>) -> Router {
    Router::new()
        .route("/v1/traces", post(http::traces))
        .route(GRPC, post(grpc::export))
        .with_state(receiver)
}

impl Receiver {
    /// Opens what was kept and goes on from there. Has to be called where tasks can be spawned.
    pub fn open(desk: Desk, rules: Rules) -> io::Result<Arc<Receiver>> {
        let mut recovery = Recovery {
            data: rules.data.clone(),
            gathering: Gathering::default(),
            over: BTreeMap::new(),
            closed: BTreeSet::new(),
        };
        let folder = rules.data.join("otlp");
        let spool = Spool::open(&folder, rules.safety, |file, record| {
            recovery.take(file, record);
        })?;
        let Recovery {
            gathering, closed, ..
        } = recovery;
        let receiver = Arc::new(Receiver {
            desk,
            rules,
            spool,
            state: Mutex::new(State {
                gathering,
                ..State::default()
            }),
            room: Semaphore::new(AT_ONCE),
            is_ending: AtomicBool::new(false),
        });
        tokio::spawn(Arc::clone(&receiver).work(closed));
        Ok(receiver)
    }

    /// Tells everything that waits, for a server that ends its runs when it ends.
    pub async fn end(&self) {
        self.is_ending.store(true, Ordering::Relaxed);
        while !self.state().is_empty() && self.desk.ask(Request::Tick).await {
            tokio::time::sleep(TICK).await;
        }
    }

    /// Takes a request; the answer, which spans are not taken, comes when the others are safe.
    async fn take(
        self: &Arc<Self>,
        coding: Coding,
        bytes: impl AsRef<[u8]> + Send + 'static,
        run: Option<String>,
    ) -> Result<Refused, NotTaken> {
        let receiver = Arc::clone(self);
        let taken = tokio::task::spawn_blocking(move || {
            let export = Export::read(coding, bytes.as_ref(), run.as_deref());
            receiver.gather(export.map_err(|error| NotTaken::Wrong(error.to_string()))?)
        });
        let failed = "spans cannot be kept any more";
        let (safe, refused) = taken.await.map_err(|_| NotTaken::Later(failed))??;
        let file = safe.await.map_err(|_| NotTaken::Later(failed))?;
        let mut state = self.state();
        state.file = state.file.max(file);
        Ok(refused)
    }

    /// Lets spans wait for the rest of their runs, and has those that are new kept.
    fn gather(
        &self,
        export: Export,
    ) -> Result<(tokio::sync::oneshot::Receiver<u64>, Refused), NotTaken> {
        let Export { spans, mut refused } = export;
        let mut state = self.state();
        if state.bytes() > 2 * self.rules.patience.bytes {
            return Err(NotTaken::Later("too many spans wait to be told"));
        }
        let (mut lines, now) = (String::new(), Instant::now());
        let mut known: BTreeMap<String, bool> = BTreeMap::new();
        for span in spans {
            let name = &span.run.name;
            let is_told = state.telling.contains_key(name)
                || *known
                    .entry(name.clone())
                    .or_insert_with(|| is_over(&folder_of(&self.rules.data, name)));
            if is_told {
                let why = "it came after its trace or run was closed";
                refused.add(why.to_owned());
                continue;
            }
            let record = Record::Span(span.run.clone(), span.line.as_str().into()).line();
            let file = state.file;
            if state.gathering.take(span, file, now) {
                lines += &record;
            }
        }
        // While nobody else can, so that spans are kept before what says that no more are taken.
        Ok((self.spool.keep(lines), refused))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells runs whose time has come, until the desk closes; first those that were closed before.
    async fn work(self: Arc<Self>, closed: BTreeSet<String>) {
        for run in closed {
            let gathered = self.state().close(&run);
            if let Some(gathered) = gathered
                && self.tell(&run, &gathered).await.is_err()
            {
                return;
            }
        }
        self.tidy();
        loop {
            let now = Instant::now();
            let mut patience = self.rules.patience;
            if self.is_ending.load(Ordering::Relaxed) {
                patience.partial = Duration::ZERO;
            }
            let due = self.state().gathering.due(&patience, now);
            let Some((run, why)) = due else {
                tokio::time::sleep(TICK).await;
                continue;
            };
            if self.close(&run, why).await.is_err() {
                return;
            }
        }
    }

    /// Takes no more spans for a run, and tells it.
    async fn close(&self, run: &str, why: Why) -> Result<(), Refusal> {
        let (gathered, noted) = {
            let mut state = self.state();
            let closed = Record::Closed(run.to_owned()).line();
            (state.close(run), self.spool.keep(closed))
        };
        let Some(gathered) = gathered else {
            return Ok(());
        };
        noted.await.map_err(|_| Refusal::Closed)?;
        match why {
            Why::Whole | Why::Idle(0) => {}
            Why::Idle(count) => {
                let what = format!("{count} parents never came; it is told without them");
                (self.rules.tell)(run, &what);
            }
            Why::Room => {
                let what = "too many spans wait, and it has waited longest: it is told as it is";
                (self.rules.tell)(run, what);
            }
        }
        self.tell(run, &gathered).await
    }

    /// Makes a run of spans, and tells it to the desk.
    async fn tell(&self, run: &str, gathered: &Gathered) -> Result<(), Refusal> {
        let (text, most) = (gathered.text(), self.rules.processes);
        let name = run.to_owned();
        let spans = text.clone();
        let translated = tokio::task::spawn_blocking(move || translate::run(&name, spans, most));
        let translated = translated.await.map_err(|_| Refusal::Closed)?;
        let told = match &translated {
            Ok(native) => self.hand_over(run, native).await,
            Err(what) => Err(Refusal::Told(what.to_string())),
        };
        match told {
            Err(Refusal::Closed) => return Err(Refusal::Closed),
            Err(Refusal::Told(what)) => self.set_aside(run, &text, &what),
            Ok(()) => {}
        }
        self.state().telling.remove(run);
        self.tidy();
        Ok(())
    }

    /// Gives a run to the desk, which may have to make room first.
    async fn hand_over(&self, run: &str, native: &translate::Native) -> Result<(), Refusal> {
        let mut is_said = false;
        loop {
            if is_over(&folder_of(&self.rules.data, run)) {
                return Ok(());
            }
            match native.open(&self.desk, run).await {
                Ok(client) => return native.send(client).await,
                Err(Refusal::Closed) => return Err(Refusal::Closed),
                Err(Refusal::Told(what)) if !is_said => (self.rules.tell)(run, &what),
                Err(Refusal::Told(_)) => {}
            }
            is_said = true;
            tokio::time::sleep(REFUSED).await;
        }
    }

    /// Keeps the spans of a run that cannot be told where they can be looked at.
    fn set_aside(&self, run: &str, text: &str, what: &str) {
        let folder = folder_of(&self.rules.data, run);
        let digest = folder.file_name().unwrap_or_default().to_string_lossy();
        let path = self
            .rules
            .data
            .join("otlp")
            .join(format!("refused-{digest}.jsonl"));
        let kept = match std::fs::write(&path, text) {
            Ok(()) => format!("its spans are in {}", path.display()),
            Err(error) => format!("its spans cannot be kept: {error}"),
        };
        (self.rules.tell)(run, &format!("{what}; {kept}"));
    }

    /// Removes what is not needed from the spool.
    fn tidy(&self) {
        let state = self.state();
        let telling = state.telling.values().map(|(file, _)| *file);
        let needed = telling.chain(state.gathering.first_file()).min();
        self.spool.remove_before(needed.unwrap_or(state.file));
    }
}

impl State {
    fn is_empty(&self) -> bool {
        self.gathering.first_file().is_none() && self.telling.is_empty()
    }

    fn bytes(&self) -> usize {
        let telling = self.telling.values().map(|(_, bytes)| bytes);
        self.gathering.bytes() + telling.sum::<usize>()
    }

    fn close(&mut self, run: &str) -> Option<Gathered> {
        let gathered = self.gathering.remove(run)?;
        let about = (gathered.file, gathered.bytes());
        self.telling.insert(run.to_owned(), about);
        Some(gathered)
    }
}

/// What the spool holds, put together again.
struct Recovery {
    data: PathBuf,
    gathering: Gathering,
    /// Whether runs are over.
    over: BTreeMap<String, bool>,
    /// Runs that were closed and are not over.
    closed: BTreeSet<String>,
}

impl Recovery {
    fn take(&mut self, file: u64, record: Record<'_>) {
        let (run, span) = match record {
            Record::Span(run, span) => (run, span),
            Record::Closed(run) => {
                self.closed.insert(run);
                return;
            }
        };
        let data = &self.data;
        let is_over = *self
            .over
            .entry(run.name.clone())
            .or_insert_with_key(|run| is_over(&folder_of(data, run)));
        if is_over || self.closed.contains(&run.name) {
            return;
        }
        let export = Export::of_json(&span, None).unwrap_or_default();
        let now = Instant::now();
        for mut span in export.spans {
            span.run = run.clone();
            self.gathering.take(span, file, now);
        }
    }
}

impl fmt::Display for NotTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotTaken::Wrong(what) => f.write_str(what),
            NotTaken::Later(what) => f.write_str(what),
        }
    }
}
