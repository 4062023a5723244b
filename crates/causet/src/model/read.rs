//! Where a model comes from: an Aldebaran file, a network of such files, or standard input, compressed or not.
//!
//! What a file is, its name says (`.aut`, `.exp`), and failing that its first word: `des` starts a system, anything else
//! a network.

use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use causet_base::budget::{Budget, Spent};
use causet_base::{Code, Diagnostic};
use causet_formats::native::decompressed;
use causet_lts::aut::{self, NotRead as NotAut};
use causet_lts::explore::explore;
use causet_lts::model::Model;
use causet_lts::portion::Kept;
use causet_lts::{Labels, Lts, network};

use super::held::Held;
use crate::failure::Failure;
use crate::input::NotRead;
use crate::limits::Limits;
use crate::message::{FormulaText, Message};
use crate::observer::Progress;
use crate::team::Team;

/// What a file turns out to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    System,
    Network,
    /// A recorded run, which has a command of its own.
    Run,
}

/// The bytes of a file.
type Bytes<'a> = BufReader<Box<dyn Read + Send + 'a>>;

/// The text of a network is not longer than this.
const MOST_TEXT: u64 = 16 << 20;

/// How models are read.
#[derive(Clone, Debug, Default)]
pub struct ModelReading {
    /// The label of internal steps; by default `i` and `tau`.
    pub tau: Option<String>,
    /// How many threads may read.
    pub workers: usize,
}

/// Reads a model; what is odd about it is told. A team sees the bytes of all files; if each process of it has a part, only the
/// states of the workers of this process are kept of a system.
pub fn held(
    path: &Path,
    reading: &ModelReading,
    limits: &Limits,
    team: Option<&dyn Team>,
) -> Result<Held, NotRead> {
    let bytes = path.metadata().map_or(0, |file| file.len());
    let reader = Reader {
        reading,
        limits,
        budget: &limits.budget(),
        team,
        kept: team.and_then(|team| team.kept(bytes)),
    };
    reader.shown(path, |reader| reader.model(path))
}

/// Reads the whole model in a file.
pub fn model_in(
    path: &Path,
    reading: &ModelReading,
    limits: &Limits,
    team: Option<&dyn Team>,
) -> Result<Model, NotRead> {
    let reader = Reader {
        reading,
        limits,
        budget: &limits.budget(),
        kept: None,
        team,
    };
    reader.shown(path, |reader| reader.whole(path))
}

/// Reads the model in a file and explores it, if it is a network.
pub fn system_in(path: &Path, reading: &ModelReading, limits: &Limits) -> Result<Lts, NotRead> {
    match model_in(path, reading, limits, None)? {
        Model::Stored(lts) => Ok(lts),
        Model::Composed(network) => {
            let doing = format!("exploring {}", path.display());
            limits.begin(doing, None);
            let explored = explore(&network, &limits.budget());
            limits.end();
            Ok(explored?)
        }
    }
}

/// How a file is to be read.
struct Reader<'a> {
    reading: &'a ModelReading,
    limits: &'a Limits,
    budget: &'a Budget<'a>,
    /// Whose states are to be kept of a system, if not all.
    kept: Option<Kept>,
    /// The others that read the same.
    team: Option<&'a dyn Team>,
}

/// Why a system was not read, before anybody is told.
enum Unread {
    Spent(Spent),
    Failed(Failure),
    Fault(Diagnostic),
}

impl Unread {
    /// Why a component cannot be read, for whoever named it; a limit is remembered.
    fn reason(self, stopped: &mut Option<Spent>) -> String {
        match self {
            Unread::Spent(spent) => {
                *stopped = Some(spent);
                spent.to_string()
            }
            Unread::Failed(failure) => failure.sentence(),
            Unread::Fault(problem) => problem.to_string(),
        }
    }
}

impl From<Unread> for NotRead {
    fn from(trouble: Unread) -> Self {
        match trouble {
            Unread::Spent(spent) => NotRead::Stopped(spent),
            Unread::Failed(failure) => NotRead::Failed(failure),
            Unread::Fault(problem) => NotRead::Failed(problem.into()),
        }
    }
}

impl Reader<'_> {
    /// Does the reading while the bar shows it.
    fn shown<T>(&self, path: &Path, read: impl FnOnce(&Self) -> T) -> T {
        let size = path.metadata().ok().filter(Metadata::is_file);
        let doing = format!("reading {}", path.display());
        self.limits.begin(doing, size.map(|file| file.len()));
        let read = read(self);
        self.limits.end();
        read
    }

    /// The model, or what is kept of it.
    fn model(&self, path: &Path) -> Result<Held, NotRead> {
        let Some(kept) = &self.kept else {
            return self.whole(path).map(Held::All);
        };
        let (content, mut input) = self.recognised(path)?;
        if content == Content::Network {
            let network = self.network(path, input)?;
            return Ok(Held::All(Model::Composed(network)));
        }
        let name = shown(path);
        let read = aut::read_portion(&mut input, self.reading.workers.max(1), kept, self.budget);
        let mut reading = read.map_err(|error| trouble(error, &name))?;
        self.warn(&name, &reading.warnings);
        self.choose_internal(reading.portion.labels_mut());
        Ok(Held::Portion(reading.portion))
    }

    fn whole(&self, path: &Path) -> Result<Model, NotRead> {
        let (content, mut input) = self.recognised(path)?;
        if content == Content::Network {
            return self.network(path, input).map(Model::Composed);
        }
        let mut lts = self.system(&shown(path), &mut input)?;
        self.choose_internal(lts.labels_mut());
        Ok(Model::Stored(lts))
    }

    /// An open file and what it is: a system or a network.
    fn recognised(&self, path: &Path) -> Result<(Content, Bytes<'_>), NotRead> {
        let name = shown(path);
        let mut input = self.open(path)?;
        let content = content(&mut input).map_err(|error| unreadable(&name, &error))?;
        let content = match (kind_by_name(path), content) {
            (_, Content::Run) => return Err(NotRead::Failed(not_a_model(&name))),
            (Some(true), _) => Content::Network,
            (Some(false), _) => Content::System,
            (None, content) => content,
        };
        Ok((content, input))
    }

    fn choose_internal(&self, labels: &mut Labels) {
        if let Some(tau) = &self.reading.tau
            && !labels.choose_internal(tau)
        {
            self.warn_of_tau(tau);
        }
    }

    /// The bytes of a file, decompressed; the bar counts them before that.
    fn open(&self, path: &Path) -> Result<Bytes<'_>, Unread> {
        let name = shown(path);
        let counted = |input| Counted {
            input,
            bytes: 0,
            limits: self.limits,
        };
        let input: Box<dyn Read + Send + '_> = match path == Path::new("-") {
            true => Box::new(io::stdin()),
            false => {
                let refused = |error| {
                    Failure::io(
                        Code::NotReadable,
                        format!("{name} cannot be opened"),
                        &error,
                    )
                };
                let file = File::open(path).map_err(|error| Unread::Failed(refused(error)))?;
                match self.team {
                    Some(team) => team.reading(file),
                    None => Box::new(file),
                }
            }
        };
        let input = decompressed(counted(input));
        let input = input.map_err(|error| Unread::Failed(unreadable(&name, &error)))?;
        Ok(BufReader::with_capacity(1 << 16, input))
    }

    fn system(&self, name: &str, input: &mut (dyn Read + Send)) -> Result<Lts, Unread> {
        let read = aut::read(input, self.reading.workers.max(1), self.budget);
        let reading = read.map_err(|error| trouble(error, name))?;
        self.warn(name, &reading.warnings);
        Ok(reading.lts)
    }

    fn warn(&self, name: &str, warnings: &[Diagnostic]) {
        for warning in warnings {
            self.limits
                .tell(warning.clone().in_file(name, warning.line, 0));
        }
    }

    /// A network; its components are looked for beside it.
    fn network(&self, path: &Path, input: impl Read) -> Result<network::Network, NotRead> {
        let name = shown(path);
        let text = text_of(&name, input)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut stopped = None;
        let mut open = |file: &str| {
            let component = self.component(&folder.join(file));
            component.map_err(|trouble| trouble.reason(&mut stopped))
        };
        let tau = self.reading.tau.as_deref();
        let read = network::read(&text, tau, &mut open);
        if let Some(spent) = stopped {
            return Err(NotRead::Stopped(spent));
        }
        let source = Arc::new(FormulaText { name, text });
        let network = read.map_err(|mistakes| {
            for mistake in &mistakes {
                self.limits.tell(Message::in_formula(&source, mistake));
            }
            Failure::Told
        })?;
        for warning in network.warnings() {
            self.limits.tell(Message::in_formula(&source, warning));
        }
        if let Some(tau) = tau.filter(|tau| network.labels().find(tau).is_none()) {
            self.warn_of_tau(tau);
        }
        Ok(network)
    }

    fn component(&self, path: &Path) -> Result<Lts, Unread> {
        let mut input = self.open(path)?;
        if kind_by_name(path) == Some(true) {
            return Err(Unread::Failed(nested_network(path)));
        }
        self.system(&shown(path), &mut input)
    }

    fn warn_of_tau(&self, tau: &str) {
        let message = format!("no step is labelled `{tau}`, so none is internal");
        let warning = Diagnostic::new(Code::TauMissing, message);
        self.limits
            .tell(warning.with_help("--tau names the label of internal steps"));
    }
}

fn trouble(error: NotAut, name: &str) -> Unread {
    match error {
        NotAut::Spent(spent) => Unread::Spent(spent),
        NotAut::Io(error) => Unread::Failed(unreadable(name, &error)),
        NotAut::Fault(problem) => Unread::Fault(in_file(problem, name)),
    }
}

/// What a person calls a file.
fn shown(path: &Path) -> String {
    match path == Path::new("-") {
        true => "<stdin>".to_owned(),
        false => path.display().to_string(),
    }
}

fn unreadable(name: &str, error: &io::Error) -> Failure {
    Failure::io(Code::NotReadable, format!("{name} cannot be read"), error)
}

/// Whether a name says that a file is a network, or that it is none.
fn kind_by_name(path: &Path) -> Option<bool> {
    let inner: PathBuf = match path.extension()?.to_str()? {
        "gz" | "zst" => path.with_extension(""),
        _ => path.to_owned(),
    };
    match inner.extension()?.to_str()? {
        "aut" => Some(false),
        "exp" => Some(true),
        _ => None,
    }
}

/// Whether the first word is `des`; nothing is consumed but blanks.
fn content(input: &mut impl BufRead) -> io::Result<Content> {
    loop {
        let bytes = input.fill_buf()?;
        let blanks = bytes.iter().take_while(|byte| byte.is_ascii_whitespace());
        let blanks = blanks.count();
        if blanks < bytes.len() || bytes.is_empty() {
            return Ok(match &bytes[blanks..] {
                [b'{', ..] => Content::Run,
                // What was read ahead may end within the word.
                text if text.starts_with(b"des") || b"des".starts_with(text) => Content::System,
                _ => Content::Network,
            });
        }
        input.consume(blanks);
    }
}

fn nested_network(path: &Path) -> Failure {
    let name = shown(path);
    let system = path.with_extension("aut");
    let system = system.display();
    Failure::refused(
        Code::NestedNetworks,
        format!(
            "networks cannot be nested: make it a system first, `causet lts convert {name} --to aut -o {system}`"
        ),
    )
}

fn not_a_model(name: &str) -> Failure {
    Failure::helped(
        Code::NotAModel,
        format!("{name} is no model: it starts like a recorded run"),
        "`causet check` is for runs; a model is an Aldebaran file (`des (0, 2, 3)` first) or a network of such files",
    )
}

fn text_of(name: &str, input: impl Read) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = input.take(MOST_TEXT + 1).read_to_end(&mut bytes);
    read.map_err(|error| unreadable(name, &error))?;
    let help = "a system starts with `des (`, a network is a text that names systems";
    if bytes.len() as u64 > MOST_TEXT {
        let message = format!("{name} is too long for a network, and no system");
        return Err(Failure::helped(Code::NotAModel, message, help));
    }
    String::from_utf8(bytes).map_err(|_| {
        Failure::helped(
            Code::NotAModel,
            format!("{name} is neither a system nor a text"),
            help,
        )
    })
}

/// A problem of a system with the name of its file.
fn in_file(problem: Diagnostic, name: &str) -> Diagnostic {
    let (line, column) = (problem.line, problem.column);
    problem.in_file(name, line, column)
}

/// An input whose bytes the bar counts.
struct Counted<'a> {
    input: Box<dyn Read + Send + 'a>,
    bytes: u64,
    limits: &'a Limits,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.bytes += read as u64;
        self.limits.show(Progress::Bytes(self.bytes));
        Ok(read)
    }
}
