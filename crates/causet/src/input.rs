//! Where a run comes from: files, directories, standard input or a text become the parts of one run.

use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use causet_base::budget::Spent;
use causet_base::{Code, Diagnostic};
use causet_formats::lint::{Linted, lint};
use causet_formats::logs::{FORMATS, Format, Head, LogOptions, MappingFile};
use causet_formats::logs::{expect_native, format_named, read, recognise};
use causet_formats::native::{Part, ReadOptions, Reading, decompressed, nth_line, stream};
use causet_formats::{ReadError, grouped, locate};
use causet_report::words;
use causet_trace::{BuildError, Sink};

use crate::failure::Failure;
use crate::folder::LogFolder;
use crate::limits::Limits;
use crate::team::Team;

/// How much of a log is looked at to see what it is.
const LOOKED_AT: u64 = 1 << 20;
/// So much of standard input is kept to show a line again; beyond that a late error names only the place.
const KEPT: usize = 64 << 20;

/// Files and folders, and how they are read.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The parts of the run; `-` is standard input.
    pub paths: Vec<PathBuf>,
    /// The name of the format, if it is not to be recognised.
    pub format: Option<String>,
    /// How records look, for ShiViz.
    pub regex: Option<String>,
    /// What separates executions.
    pub delimiter: Option<String>,
    /// Which of several executions is meant.
    pub execution: Option<String>,
    /// Whether several traces of spans are one run.
    pub merge: bool,
    /// Whether the clock of a host orders its spans.
    pub trust_local_clock: bool,
    /// The file that says where the fields of JSON lines stand.
    pub mapping: Option<PathBuf>,
    /// Whether receives without send and the like are let pass with a warning.
    pub lenient: bool,
    /// How many threads parse.
    pub workers: usize,
}

/// A run to be read.
#[derive(Debug)]
pub struct Input {
    /// What the person called it.
    pub path: String,
    places: Vec<Place>,
    options: LogOptions,
    /// What of the folders is not read.
    left_out: Vec<String>,
}

#[derive(Debug)]
enum Place {
    File(PathBuf),
    /// Standard input, of which the beginning is kept.
    Stdin(Arc<Mutex<Vec<u8>>>),
    /// A text in memory, and what it is called.
    Text(String, Arc<str>),
}

/// Why there is no run.
pub enum NotRead {
    /// A limit was reached.
    Stopped(Spent),
    /// Something is wrong with it.
    Failed(Failure),
}

impl From<Spent> for NotRead {
    fn from(spent: Spent) -> Self {
        NotRead::Stopped(spent)
    }
}

impl From<Failure> for NotRead {
    fn from(failure: Failure) -> Self {
        NotRead::Failed(failure)
    }
}

impl Input {
    /// Finds the parts; nothing is opened yet.
    pub fn find(source: &Source) -> Result<Input, Failure> {
        let options = options(source)?;
        let (mut places, mut left_out) = (Vec::new(), Vec::new());
        for path in &source.paths {
            if path == Path::new("-") {
                if places.iter().any(|place| matches!(place, Place::Stdin(_))) {
                    return Err(Failure::refused(
                        Code::ArgumentsDoNotFit,
                        "`-` can be given only once: there is one standard input",
                    ));
                }
                places.push(Place::Stdin(Arc::default()));
            } else if path.is_dir() {
                let folder = LogFolder::open(path)?;
                left_out.extend(folder.note(path));
                places.extend(folder.logs.into_iter().map(Place::File));
            } else {
                places.push(Place::File(path.clone()));
            }
        }
        let names: Vec<String> = source
            .paths
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        Ok(Input {
            path: names.join(" "),
            places,
            left_out,
            options,
        })
    }

    /// A text, which is called by a name where it is wrong.
    pub fn text(name: &str, text: &str, source: &Source) -> Result<Input, Failure> {
        Ok(Input {
            path: name.to_owned(),
            places: vec![Place::Text(name.to_owned(), Arc::from(text))],
            left_out: Vec::new(),
            options: options(source)?,
        })
    }

    /// Reads the run; what is wrong with it is told.
    pub fn read(&self, limits: &Limits) -> Result<Reading, NotRead> {
        self.read_by(limits, None)
    }

    /// Reads the run, and tells what was let pass; tells it and gives nothing if reading was stopped.
    pub fn read_whole(&self, limits: &Limits) -> Result<Option<Reading>, Failure> {
        match self.read(limits) {
            Ok(reading) => {
                self.note_left_out(limits);
                tell_warnings(&reading.warnings, limits);
                Ok(Some(reading))
            }
            Err(NotRead::Failed(failure)) => Err(failure),
            Err(NotRead::Stopped(spent)) => {
                let message = format!("reading was stopped: {spent}");
                limits.tell(Diagnostic::new(Code::LimitReached, message));
                Ok(None)
            }
        }
    }

    /// Tells what of the folders is not read.
    pub fn note_left_out(&self, limits: &Limits) {
        for note in &self.left_out {
            limits.tell(Diagnostic::new(Code::FilesLeftOut, note));
        }
    }

    /// The same as [`read`](Self::read), with a team that sees the bytes of all parts.
    pub(crate) fn read_by(
        &self,
        limits: &Limits,
        team: Option<&dyn Team>,
    ) -> Result<Reading, NotRead> {
        let (reading, format) = self.opened("reading", limits, team, |parts| {
            read(parts, &self.options, limits)
        })?;
        let trace = &reading.trace;
        // Processes that are listed and did nothing are a run, of which a warning says that it is empty.
        match trace.is_empty() && trace.order().process_count() == 0 {
            true => Err(self.without_events(format.name).into()),
            false => Ok(reading),
        }
    }

    /// Refuses a run in which no event could be read: nothing of it would have been looked at.
    pub fn without_events(&self, format: &str) -> Failure {
        let message = format!("no event could be read from {}", self.path);
        let Some(written) = self.beginning() else {
            return Failure::helped(
                Code::NoEvents,
                format!("{message}: it is empty"),
                "a run has at least one event; was it recorded, and is this the right file?",
            );
        };
        let head = Head::of(&written);
        let first = head.first_line().unwrap_or_default();
        let first = words::short(first.trim(), 100);
        let flag = match &self.options {
            options if options.regex.is_some() => "--regex",
            options if options.mapping.is_some() => "--mapping",
            _ => "--format",
        };
        let is_forced = self.options.format.is_some() || flag != "--format";
        let other = recognise(&head).filter(|other| other.name != format);
        let code = match (&other, &self.options.format) {
            (Some(_), Some(_)) => Code::NotTheFormat,
            _ => Code::NoEvents,
        };
        let help = match other {
            Some(other) => format!(
                "it looks like `{}`, {}: leave {flag} out",
                other.name, other.title
            ),
            None if is_forced => format!("nothing in it fits {flag}; its first line is: {first}"),
            None => format!("its first line is: {first}"),
        };
        Failure::helped(code, format!("{message} as `{format}`"), help)
    }

    /// The first bytes of the first part with any content.
    fn beginning(&self) -> Option<Vec<u8>> {
        let beginnings = self.places.iter().filter_map(|place| match place {
            Place::File(path) => beginning(path).ok(),
            Place::Stdin(kept) => Some(kept.lock().ok()?.clone()),
            Place::Text(_, text) => Some(text.as_bytes().to_vec()),
        });
        let mut written = beginnings.filter(|bytes| !bytes.trim_ascii().is_empty());
        written.next()
    }

    /// Looks for everything that is wrong with the run; what cannot be read at all is told.
    pub fn lint(&self, limits: &Limits) -> Result<Linted, NotRead> {
        let linted = self.opened("looking at", limits, None, |parts| {
            lint(parts, &self.options, limits)
        })?;
        match linted.events {
            0 => Err(self.without_events(linted.format).into()),
            _ => Ok(linted),
        }
    }

    /// Reads the run for someone who takes the events as they come; what is wrong with it is told.
    pub fn stream(
        &self,
        doing: &str,
        limits: &Limits,
        sink: &mut impl Sink,
    ) -> Result<(), NotRead> {
        self.opened(doing, limits, None, |mut parts| {
            expect_native(&mut parts)?;
            stream(parts, &self.options.read, limits, sink)
        })
    }

    /// Opens the parts and does something with them; what is wrong with them is told.
    fn opened<'p, T>(
        &'p self,
        doing: &str,
        limits: &Limits,
        team: Option<&'p dyn Team>,
        work: impl FnOnce(Vec<Part<'p>>) -> Result<T, ReadError>,
    ) -> Result<T, NotRead> {
        limits.begin(format!("{doing} {}", self.path), self.size());
        let parts = self.places.iter().map(|place| place.open(team));
        let parts: Result<Vec<Part<'_>>, Failure> = parts.collect();
        let done = work(parts?);
        limits.end();
        done.map_err(|error| self.not_read(error, limits))
    }

    /// The names of the parts, unless one is standard input.
    pub fn part_names(&self) -> Option<Vec<String>> {
        let names = self.places.iter().map(|place| match place {
            Place::File(path) => Some(path.display().to_string()),
            Place::Text(name, _) => Some(name.clone()),
            Place::Stdin(_) => None,
        });
        names.collect()
    }

    /// The format that was asked for, or that the first part with any content looks like.
    pub fn format(&self) -> Option<&'static Format> {
        let options = &self.options;
        let asked = options.format.as_deref();
        let asked = asked.or_else(|| options.regex.as_ref().map(|_| "shiviz"));
        let asked = asked.or_else(|| options.mapping.as_ref().map(|_| "mapped"));
        if let Some(name) = asked {
            return format_named(name);
        }
        recognise(&Head::of(&self.beginning()?))
    }

    /// What is wrong with the run as a whole.
    pub(crate) fn refuse(&self, error: &BuildError) -> Failure {
        let line = self.line_of(error);
        let parts = self.part_names().unwrap_or_default();
        Failure::Refused(locate(error, &parts, line.as_deref()))
    }

    /// Whether all parts are files, and not pipes of which nothing is left after a reading.
    pub fn can_be_read_twice(&self) -> bool {
        self.size().is_some()
    }

    /// The bytes of all parts, when they are files.
    pub fn size(&self) -> Option<u64> {
        let sizes = self.places.iter().map(|place| match place {
            Place::File(path) => path
                .metadata()
                .ok()
                .filter(fs::Metadata::is_file)
                .map(|file| file.len()),
            Place::Text(_, text) => Some(text.len() as u64),
            Place::Stdin(_) => None,
        });
        sizes.sum()
    }

    fn not_read(&self, error: ReadError, limits: &Limits) -> NotRead {
        match error {
            ReadError::Stopped => {
                // Only a limit stops the reading; memory may have been given back since.
                NotRead::Stopped(limits.reached().unwrap_or(Spent::Memory))
            }
            ReadError::Io { part, error } => NotRead::Failed(unreadable(&part, &error)),
            ReadError::Fault(problem) => NotRead::Failed(self.in_format(problem).into()),
            ReadError::Late { error, parts } => {
                let line = self.line_of(&error);
                NotRead::Failed(locate(&error, &parts, line.as_deref()).into())
            }
        }
    }

    /// What is wrong, with the format that was asked for if the log looks like none.
    fn in_format(&self, mut problem: Diagnostic) -> Diagnostic {
        let asked = self.options.format.as_deref().and_then(format_named);
        let beginning = self.beginning().unwrap_or_default();
        let is_unknown = recognise(&Head::of(&beginning)).is_none();
        if let Some(format) = asked.filter(|_| is_unknown) {
            let (file, message) = (&problem.file, &problem.message);
            problem.message = format!("{file} is not `{}`: {message}", format.name);
            problem.code = Code::NotTheFormat;
            let help = || "leave --format out to be told what the file looks like".to_owned();
            problem.help.get_or_insert_with(help);
        }
        problem
    }

    /// The line a late error is about, fetched again.
    fn line_of(&self, error: &BuildError) -> Option<String> {
        let line = error.place.line;
        match self.places.get(error.place.part as usize)? {
            Place::File(path) => nth_line(File::open(path).ok()?, line).ok()?,
            Place::Stdin(kept) => {
                let bytes = kept.lock().ok()?;
                (bytes.len() < KEPT).then(|| nth_line(bytes.as_slice(), line).ok()?)?
            }
            Place::Text(_, text) => nth_line(text.as_bytes(), line).ok()?,
        }
    }
}

impl Place {
    fn open<'p>(&'p self, team: Option<&'p dyn Team>) -> Result<Part<'p>, Failure> {
        match self {
            Place::File(path) => {
                let name = path.display().to_string();
                let file = File::open(path).map_err(|error| {
                    Failure::io(
                        Code::NotReadable,
                        format!("{name} cannot be opened"),
                        &error,
                    )
                })?;
                Ok(match team {
                    Some(team) => Part::new(name, team.reading(file)),
                    None => Part::new(name, file),
                })
            }
            Place::Stdin(kept) => Ok(Part::new("<stdin>", Keeping(Arc::clone(kept)))),
            Place::Text(name, text) => Ok(Part::new(name, Cursor::new(text.as_bytes()))),
        }
    }
}

/// The bytes of a part could not be read or decompressed.
fn unreadable(part: &str, error: &io::Error) -> Failure {
    let message = format!("{part} cannot be read: {error}");
    let unpack = match Path::new(part).extension().and_then(|end| end.to_str()) {
        Some("gz") => "gzip -dc",
        Some("zst") => "zstd -dc",
        _ => return Failure::refused(Code::NotReadable, message),
    };
    let help = format!(
        "if the file is cut off, `{unpack} {part} > part.jsonl` writes what is left of it; then read part.jsonl with --lenient"
    );
    Failure::helped(Code::NotReadable, message, help)
}

/// The mapping in a file.
fn mapping(path: &Path) -> Result<MappingFile, Failure> {
    let name = path.display().to_string();
    match fs::read_to_string(path) {
        Ok(text) => Ok(MappingFile { name, text }),
        Err(error) => Err(Failure::io(
            Code::NotReadable,
            format!("{name} cannot be read"),
            &error,
        )),
    }
}

/// Tells what was let pass in a log: each note, and of every other kind the first with their number.
pub(crate) fn tell_warnings(warnings: &[Diagnostic], limits: &Limits) {
    for warning in grouped(warnings) {
        limits.tell(warning);
    }
}

/// How the parts of a source are read.
fn options(source: &Source) -> Result<LogOptions, Failure> {
    if let Some(name) = &source.format
        && format_named(name).is_none()
    {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        return Err(Failure::helped(
            Code::NoSuchFormat,
            format!("there is no format `{name}`"),
            format!("the formats are {}", names.join(", ")),
        ));
    }
    Ok(LogOptions {
        format: source.format.clone(),
        read: ReadOptions {
            lenient: source.lenient,
            workers: source.workers.max(1),
        },
        forgiving: false,
        regex: source.regex.clone(),
        delimiter: source.delimiter.clone(),
        execution: source.execution.clone(),
        merge: source.merge,
        mapping: source.mapping.as_deref().map(mapping).transpose()?,
        trust_local_clock: source.trust_local_clock,
    })
}

/// The first bytes of a log, decompressed.
pub fn beginning(path: &Path) -> io::Result<Vec<u8>> {
    let input: Box<dyn Read + Send> = if path == Path::new("-") {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path)?)
    };
    let mut bytes = Vec::new();
    decompressed(input)?
        .take(LOOKED_AT)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Standard input, the beginning of which is kept.
struct Keeping(Arc<Mutex<Vec<u8>>>);

impl Read for Keeping {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = io::stdin().lock().read(buffer)?;
        if let Ok(mut kept) = self.0.lock() {
            let room = KEPT - kept.len();
            kept.extend_from_slice(&buffer[..count.min(room)]);
        }
        Ok(count)
    }
}
