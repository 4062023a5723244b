//! The front door: how runs are read, and how long and with which engine they are checked.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use causet_base::{Code, Diagnostic};
use causet_check::engine::Engine;
use causet_check::plan::Choice;
use causet_solve::bes::Strategy;

use crate::collector::Collector;
use crate::error::Error;
use crate::failure::Failure;
use crate::input::{Input, NotRead, Source};
use crate::limits::Limits;
use crate::model::Model;
use crate::model::read::{ModelReading, held};
use crate::model::task::{ModelOrigin, ModelTask, lowered, only_mu};
use crate::observer::{Observer, Silent};
use crate::properties::Properties;
use crate::report::{Answers, Report};
use crate::run::Run;
use crate::task::{Origin, Task};
use crate::watch;

/// How runs are read and checked: limits, threads, the engine, who hears of the work.
///
/// ```
/// use causet::{Session, Verdict};
/// use std::time::Duration;
///
/// let session = Session::new().timeout(Duration::from_secs(10)).memory(1 << 30);
/// let run = session.read("{\"p\":\"a\",\"set\":{\"x\":1}}\n{\"p\":\"b\",\"set\":{\"y\":1}}\n")?;
/// let report = session.check(&run, &"AG (b.y = 1 -> a.x = 1)".parse()?)?;
/// assert_eq!(report.findings()[0].verdict, Verdict::Violated);
/// # Ok::<(), causet::Error>(())
/// ```
#[derive(Clone)]
pub struct Session {
    timeout: Option<Duration>,
    memory: Option<u64>,
    workers: Option<usize>,
    choice: Choice,
    source: Source,
    observer: Arc<dyn Observer>,
}

impl Default for Session {
    fn default() -> Session {
        Session {
            timeout: None,
            memory: None,
            workers: None,
            choice: Choice::Auto,
            source: Source::default(),
            observer: Arc::new(Silent),
        }
    }
}

impl Session {
    /// No limits, all processors, the engine that fits best.
    pub fn new() -> Session {
        Session::default()
    }

    /// Ends each reading and each check after this long; what is not decided by then is unknown.
    pub fn timeout(mut self, timeout: Duration) -> Session {
        self.timeout = Some(timeout);
        self
    }

    /// Ends the work before the process takes more memory than this many bytes.
    pub fn memory(mut self, bytes: u64) -> Session {
        self.memory = Some(bytes);
        self
    }

    /// Works with this many threads.
    pub fn workers(mut self, workers: usize) -> Session {
        self.workers = Some(workers);
        self
    }

    /// Decides with this engine alone; it refuses what it cannot decide.
    ///
    /// ```
    /// assert!(causet::Session::new().engine("slice").is_ok());
    /// assert!(causet::Session::new().engine("slize").is_err());
    /// ```
    pub fn engine(mut self, name: &str) -> Result<Session, Error> {
        self.choice = if name == "auto" {
            Choice::Auto
        } else {
            let engine = Engine::named(name).ok_or_else(|| no_engine(name))?;
            Choice::Forced(engine)
        };
        Ok(self)
    }

    /// Reads runs in this format, instead of recognising it by the content.
    pub fn format(mut self, name: &str) -> Session {
        self.source.format = Some(name.to_owned());
        self
    }

    /// Lets receives without send, holes in clocks and a last line that is cut off pass.
    ///
    /// ```
    /// let text = "{\"p\":\"a\",\"set\":{\"x\":1}}\n{\"p\":\"a\",\"se";
    /// assert!(causet::Run::read(text).is_err());
    /// let run = causet::Session::new().lenient().read(text)?;
    /// assert_eq!(run.events(), 1);
    /// # Ok::<(), causet::Error>(())
    /// ```
    pub fn lenient(mut self) -> Session {
        self.source.lenient = true;
        self
    }

    /// Lets an observer hear of warnings and of progress, and end the work.
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Session {
        self.observer = observer;
        self
    }

    /// Reads files and folders, which together are the parts of one run.
    ///
    /// ```
    /// # let folder = std::env::temp_dir().join(format!("causet-doc-open-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// # let (a, b) = (folder.join("a.jsonl"), folder.join("b.jsonl"));
    /// std::fs::write(&a, "{\"p\":\"a\",\"send\":\"m\"}\n").unwrap();
    /// std::fs::write(&b, "{\"p\":\"b\",\"recv\":\"m\"}\n").unwrap();
    /// let run = causet::Session::new().open([&a, &b])?;
    /// assert_eq!(run.processes(), ["a", "b"]);
    /// # std::fs::remove_dir_all(&folder).unwrap();
    /// # Ok::<(), causet::Error>(())
    /// ```
    pub fn open<P: AsRef<Path>>(&self, paths: impl IntoIterator<Item = P>) -> Result<Run, Error> {
        let paths = paths.into_iter().map(|path| path.as_ref().to_owned());
        let source = Source {
            paths: paths.collect(),
            ..self.source()
        };
        if source.paths.is_empty() {
            return Err(
                Failure::refused(Code::NoEvents, "no file is named, so there is no run").into(),
            );
        }
        self.taken(Input::find(&source)?)
    }

    /// Reads a text.
    pub fn read(&self, text: &str) -> Result<Run, Error> {
        self.read_as("<text>", text)
    }

    /// Reads a text that messages and reports call by a name.
    pub fn read_as(&self, name: &str, text: &str) -> Result<Run, Error> {
        self.taken(Input::text(name, text, &self.source())?)
    }

    /// Checks properties on all orders of a run.
    pub fn check(&self, run: &Run, properties: &Properties) -> Result<Report, Error> {
        let (collector, limits) = self.limits();
        not_empty(properties)?;
        let task = Task {
            choice: self.choice,
            workers: self.threads(),
            ..Task::new(
                Arc::clone(&limits),
                Origin::Run(run.clone()),
                properties.clone(),
            )
        };
        let done = task.run().map_err(|failure| collector.ended(failure))?;
        Ok(Report::of(Answers::Run(done), &limits))
    }

    /// Reads a labelled transition system or a network.
    pub fn open_model(&self, path: impl AsRef<Path>) -> Result<Model, Error> {
        let (collector, limits) = self.limits();
        let path = path.as_ref().to_owned();
        let name = path.display().to_string();
        let reading = ModelReading {
            tau: None,
            workers: self.threads(),
        };
        let own = Arc::clone(&limits);
        let read = watch::finished(&limits, move || held(&path, &reading, &own, None));
        let held = read.map_err(|not| not_read(&collector, not))?;
        Ok(Model {
            held: Arc::new(held),
            path: name,
            warnings: collector.warnings().into(),
        })
    }

    /// Checks formulas of the mu-calculus on a model.
    pub fn check_model(&self, model: &Model, properties: &Properties) -> Result<Report, Error> {
        let (collector, limits) = self.limits();
        not_empty(properties)?;
        only_mu(properties)?;
        let formulas = lowered(properties, |message| limits.tell(message));
        let task = ModelTask {
            formulas: formulas.map_err(|failure| collector.ended(failure))?,
            limits: Arc::clone(&limits),
            path: model.path.clone(),
            origin: ModelOrigin::Held(Arc::clone(&model.held)),
            properties: properties.clone(),
            strategy: Some(Strategy::Lean),
            most_claims: MOST_CLAIMS,
            heap: None,
            team: None,
        };
        let done = task.run().map_err(|failure| collector.ended(failure))?;
        Ok(Report::of(Answers::Model(done), &limits))
    }

    fn taken(&self, input: Input) -> Result<Run, Error> {
        let (collector, limits) = self.limits();
        let (input, own) = (Arc::new(input), Arc::clone(&limits));
        let path = input.path.clone();
        let read = watch::finished(&limits, move || {
            let reading = input.read(&own)?;
            input.note_left_out(&own);
            Ok(reading)
        });
        match read {
            Ok(reading) => {
                let run = Run::of(reading, &path, limits.seconds());
                run.tell_warnings(&limits);
                Ok(run.warned(collector.warnings()))
            }
            Err(not) => Err(not_read(&collector, not)),
        }
    }

    /// Limits that count from now, and what keeps the errors that are told.
    fn limits(&self) -> (Arc<Collector>, Arc<Limits>) {
        let collector = Arc::new(Collector::of(Arc::clone(&self.observer)));
        let observer: Arc<dyn Observer> = Arc::<Collector>::clone(&collector);
        let limits = Limits::new(self.timeout, self.memory, observer);
        (collector, Arc::new(limits))
    }

    fn source(&self) -> Source {
        Source {
            workers: self.threads(),
            ..self.source.clone()
        }
    }

    fn threads(&self) -> usize {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        self.workers
            .unwrap_or_else(processors)
            .clamp(1, MOST_WORKERS)
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("timeout", &self.timeout)
            .field("memory", &self.memory)
            .field("workers", &self.workers)
            .finish_non_exhaustive()
    }
}

/// More threads than this are of no use, and a system may refuse to start them.
pub const MOST_WORKERS: usize = 256;

/// Refuses to check nothing: it would hold.
fn not_empty(properties: &Properties) -> Result<(), Error> {
    if properties.all().is_empty() {
        return Err(Failure::refused(Code::NothingToCheck, "there is no property to check").into());
    }
    Ok(())
}

/// How many variables what shows a verdict on a model may take, unless something else is said.
pub const MOST_CLAIMS: usize = 4_000;

fn not_read(collector: &Collector, not: NotRead) -> Error {
    collector.ended(match not {
        NotRead::Failed(failure) => failure,
        NotRead::Stopped(spent) => {
            Failure::refused(Code::LimitReached, format!("reading was stopped: {spent}"))
        }
    })
}

fn no_engine(name: &str) -> Error {
    let engines = Choice::all().map(|choice| match choice {
        Choice::Auto => "auto",
        Choice::Forced(engine) => engine.name,
    });
    let names: Vec<&str> = engines.collect();
    let message = format!("there is no engine `{name}`");
    let error = Diagnostic::new(Code::NoSuchName, message);
    Failure::Refused(error.with_help(format!("the engines are {}", names.join(", ")))).into()
}
