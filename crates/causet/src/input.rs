//! The TRACE arguments: files, directories and standard input become the parts of one run.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use causet_base::budget::Spent;
use causet_base::{Code, Diagnostic};
use causet_serve::keeping;
use causet_trace::{BuildError, Sink};
use causet_wire::lint::{Linted, lint};
use causet_wire::logs::{FORMATS, Format, Head, LogOptions, MappingFile};
use causet_wire::logs::{expect_native, format_named, read, recognise};
use causet_wire::native::{Part, ReadOptions, Reading, nth_line, stream};
use causet_wire::report::words;
use causet_wire::{ReadError, locate};

use crate::cli::Source;
use crate::diagnostics;
use crate::failure::Failure;
use crate::folder::LogFolder;
use crate::limits::Limits;
use crate::map::beginning;
use crate::together::Inputs;

/// So much of standard input is kept to show a line again; beyond that a late error names only the place.
const KEPT: usize = 64 << 20;

/// A run to be read.
#[derive(Debug)]
pub(crate) struct Input {
    /// What the person called it.
    pub(crate) path: String,
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
}

/// Why there is no run.
pub(crate) enum NotRead {
    /// A limit was reached.
    Stopped(Spent),
    /// Something is wrong with it.
    Failed(Failure),
}

impl From<Failure> for NotRead {
    fn from(failure: Failure) -> Self {
        NotRead::Failed(failure)
    }
}

impl Input {
    /// Finds the parts; nothing is opened yet.
    pub(crate) fn find(source: &Source) -> Result<Input, Failure> {
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
        let (mut places, mut left_out) = (Vec::new(), Vec::new());
        for path in &source.traces {
            if path == Path::new("-") {
                if places.iter().any(|place| matches!(place, Place::Stdin(_))) {
                    return Err(Failure::refused(
                        Code::ArgumentsDoNotFit,
                        "`-` can be given only once: there is one standard input",
                    ));
                }
                places.push(Place::Stdin(Arc::default()));
            } else if path.is_dir() {
                check_kept(path, source.lenient)?;
                let folder = LogFolder::open(path)?;
                left_out.extend(folder.note(path));
                places.extend(folder.logs.into_iter().map(Place::File));
            } else {
                if let Some(folder) = kept_folder(path) {
                    check_kept(folder, source.lenient)?;
                }
                places.push(Place::File(path.clone()));
            }
        }
        let names: Vec<String> = source
            .traces
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        Ok(Input {
            path: names.join(" "),
            places,
            left_out,
            options: LogOptions {
                format: source.format.clone(),
                read: ReadOptions {
                    lenient: source.lenient,
                    workers: source.workers(),
                },
                forgiving: false,
                regex: source.regex.clone(),
                delimiter: source.delimiter.clone(),
                execution: source.execution.clone(),
                merge: source.merge,
                mapping: source.mapping.as_deref().map(mapping).transpose()?,
                trust_local_clock: source.trust_local_clock,
            },
        })
    }

    /// Reads the run; what is wrong with it is shown.
    pub(crate) fn read(&self, limits: &Limits) -> Result<Reading, NotRead> {
        self.read_counted(limits, None)
    }

    /// Reads the run, for as long as the program lives, and says what was let pass; says so and gives nothing if reading was
    /// stopped.
    pub(crate) fn read_whole(&self, limits: &Limits) -> Result<Option<&'static Reading>, Failure> {
        match self.read(limits) {
            Ok(reading) => {
                let reading: &Reading = Box::leak(Box::new(reading));
                self.note_left_out();
                diagnostics::read_warnings(&reading.warnings);
                Ok(Some(reading))
            }
            Err(NotRead::Failed(failure)) => Err(failure),
            Err(NotRead::Stopped(spent)) => {
                diagnostics::sentence(
                    Code::LimitReached,
                    &format!("reading was stopped: {spent}"),
                    None,
                );
                Ok(None)
            }
        }
    }

    /// Says what of the folders is not read.
    pub(crate) fn note_left_out(&self) {
        for note in &self.left_out {
            diagnostics::note(Code::FilesLeftOut, note);
        }
    }

    /// The same as [`read`](Self::read); the bytes of all parts are counted in with the inputs, if these are given.
    pub(crate) fn read_counted(
        &self,
        limits: &Limits,
        inputs: Option<&Inputs>,
    ) -> Result<Reading, NotRead> {
        let (reading, format) = self.opened("reading", limits, inputs, |parts| {
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
    pub(crate) fn without_events(&self, format: &str) -> Failure {
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
        });
        let mut written = beginnings.filter(|bytes| !bytes.trim_ascii().is_empty());
        written.next()
    }

    /// Looks for everything that is wrong with the run; what cannot be read at all is shown.
    pub(crate) fn lint(&self, limits: &Limits) -> Result<Linted, NotRead> {
        let linted = self.opened("looking at", limits, None, |parts| {
            lint(parts, &self.options, limits)
        })?;
        match linted.events {
            0 => Err(self.without_events(linted.format).into()),
            _ => Ok(linted),
        }
    }

    /// Reads the run for someone who takes the events as they come; what is wrong with it is shown.
    pub(crate) fn stream(
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

    /// Opens the parts and does something with them; what is wrong with them is shown.
    fn opened<'p, T>(
        &'p self,
        doing: &str,
        limits: &Limits,
        inputs: Option<&'p Inputs>,
        work: impl FnOnce(Vec<Part<'p>>) -> Result<T, ReadError>,
    ) -> Result<T, NotRead> {
        limits
            .bar
            .start(format!("{doing} {}", self.path), self.size());
        let parts = self.places.iter().map(|place| place.open(inputs));
        let parts: Result<Vec<Part<'_>>, Failure> = parts.collect();
        let done = work(parts?);
        limits.bar.end();
        done.map_err(|error| self.not_read(error, limits))
    }

    /// The names of the parts, unless one is standard input.
    pub(crate) fn part_names(&self) -> Option<Vec<String>> {
        let names = self.places.iter().map(|place| match place {
            Place::File(path) => Some(path.display().to_string()),
            Place::Stdin(_) => None,
        });
        names.collect()
    }

    /// The format that was asked for, or that the first part with any content looks like.
    pub(crate) fn format(&self) -> Option<&'static Format> {
        let options = &self.options;
        let asked = options.format.as_deref();
        let asked = asked.or_else(|| options.regex.as_ref().map(|_| "shiviz"));
        let asked = asked.or_else(|| options.mapping.as_ref().map(|_| "mapped"));
        if let Some(name) = asked {
            return format_named(name);
        }
        recognise(&Head::of(&self.beginning()?))
    }

    /// Shows what is wrong with the run as a whole.
    pub(crate) fn refuse(&self, error: &BuildError) -> Failure {
        let line = self.line_of(error);
        let parts = self.part_names().unwrap_or_default();
        diagnostics::show(&locate(error, &parts, line.as_deref()));
        Failure::Told
    }

    /// Whether all parts are files, and not pipes of which nothing is left after a reading.
    pub(crate) fn can_be_read_twice(&self) -> bool {
        self.size().is_some()
    }

    /// The bytes of all parts, when they are files.
    pub(crate) fn size(&self) -> Option<u64> {
        let sizes = self.places.iter().map(|place| match place {
            Place::File(path) => path
                .metadata()
                .ok()
                .filter(fs::Metadata::is_file)
                .map(|file| file.len()),
            Place::Stdin(_) => None,
        });
        sizes.sum()
    }

    fn not_read(&self, error: ReadError, limits: &Limits) -> NotRead {
        match error {
            ReadError::Stopped => {
                // Only a limit stops the reading; memory may have been given back since.
                return NotRead::Stopped(limits.reached().unwrap_or(Spent::Memory));
            }
            ReadError::Io { part, error } => {
                return NotRead::Failed(unreadable(&part, &error));
            }
            ReadError::Fault(problem) => diagnostics::show(&self.in_format(problem)),
            ReadError::Late { error, parts } => {
                let line = self.line_of(&error);
                diagnostics::show(&locate(&error, &parts, line.as_deref()));
            }
        }
        NotRead::Failed(Failure::Told)
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
        }
    }
}

impl Place {
    fn open<'p>(&'p self, inputs: Option<&'p Inputs>) -> Result<Part<'p>, Failure> {
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
                Ok(match inputs {
                    Some(inputs) => Part::new(name, inputs.hashed(file)),
                    None => Part::new(name, file),
                })
            }
            Place::Stdin(kept) => Ok(Part::new("<stdin>", Keeping(Arc::clone(kept)))),
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

/// The folder of a run that a server has kept, if this is its journal.
fn kept_folder(path: &Path) -> Option<&Path> {
    let is_journal = path
        .file_name()
        .is_some_and(|name| name == "events.journal");
    let folder = path.parent().filter(|_| is_journal)?;
    match folder == Path::new("") {
        true => Some(Path::new(".")),
        false => Some(folder),
    }
}

/// Holds the journal of a run that a server has kept against what it has noted of it.
fn check_kept(folder: &Path, lenient: bool) -> Result<(), Failure> {
    match keeping::check(folder) {
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            let message = format!("{}: {error}", folder.display());
            if lenient {
                diagnostics::warning(Code::DamagedJournal, &message, None);
                return Ok(());
            }
            let help = "--lenient reads what is left of it";
            Err(Failure::helped(Code::DamagedJournal, message, help))
        }
        _ => {
            // Whoever reads the journal says what else is wrong with it.
            let bytes = keeping::unfinished(folder).unwrap_or(0);
            if bytes > 0 {
                let message = format!(
                    "{}: the last {bytes} bytes of the journal are no whole frame and are left out",
                    folder.display()
                );
                let help = "a server that still writes may complete it; one that is started again says what was lost";
                diagnostics::warning(Code::UnfinishedJournal, &message, Some(help));
            }
            Ok(())
        }
    }
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
