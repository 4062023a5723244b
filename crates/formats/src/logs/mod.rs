//! Other people's logs: one file for each format, recognised by its content.
//!
//! ```text
//! parts --head--> which format? --native--> native::read
//!                      |
//!                      +--any other--> its Reader --Entry--> Scribe --> TraceBuilder --finish--> Trace
//! ```
//!
//! A reader knows its format and nothing of runs: it tells events by names, with whatever the log says about their order.
//! What holds for several of them stands beside: lines and elements on all cores (`turns`), entries in no order (`unsorted`), messages
//! without ids (`matching`). Everything a log says that has a place in a run is kept; what has none is said in a note.

mod ascending;
mod calendar;
mod ccf;
mod document;
mod ecmascript;
mod edn;
mod elements;
mod entry;
mod etcd_raft;
mod ewd998;
mod guess;
mod head;
mod jaeger;
mod jepsen;
mod json;
mod linear;
mod lines;
mod mapped;
mod mapping;
mod matching;
mod numbered;
mod otlp;
mod p_checker;
mod places;
mod rapid;
mod relay;
mod scribe;
mod shiviz;
mod spans;
mod spin;
mod streamed;
mod symbols;
mod text;
mod tracing;
mod tree;
mod truncation;
mod turns;
mod unknown;
mod unsorted;
mod xtrace;
mod zipkin;

use std::io::{self, Cursor, Read};
use std::sync::atomic::{AtomicU64, Ordering};

use causet_base::{Code, Diagnostic};
use causet_trace::{BuildOptions, Fault, TraceBuilder, Warning};

pub use guess::guess;
pub use head::Head;
pub use mapping::MappingFile;
pub(crate) use truncation::HELP_FOR_LINE;

use crate::binary::{self, NotOpened};
use crate::error::{ReadError, mistake, passed};
use crate::native::{self, Part, Progress, ReadOptions, Reading};
use scribe::Scribe;
use text::Text;
use unknown::Beginning;

/// How logs are to be read.
#[derive(Clone, Default, Debug)]
pub struct LogOptions {
    /// The name of the format, if it is not to be recognised.
    pub format: Option<String>,
    /// Leniency and threads.
    pub read: ReadOptions,
    /// Whether whatever is wrong is noted, and the rest read without it.
    pub forgiving: bool,
    /// How records look: a regular expression with the groups `event`, `host` and `clock`, as for ShiViz.
    pub regex: Option<String>,
    /// What separates executions in a file: a regular expression, perhaps with the group `trace`.
    pub delimiter: Option<String>,
    /// Which of several executions or traces in a file is meant: its name, or its number from 1.
    pub execution: Option<String>,
    /// Whether several traces of spans are one run.
    pub merge: bool,
    /// Whether the clock of a host orders what happened on it, in formats where clocks order nothing otherwise.
    pub trust_local_clock: bool,
    /// Where everything stands in the lines, for the format `mapped`.
    pub mapping: Option<MappingFile>,
}

/// A format that can be read.
pub struct Format {
    /// What `--format` calls it.
    pub name: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// What becomes processes, events and order, in a sentence or two.
    pub about: &'static str,
    /// Whether some bytes look like the beginning of it.
    looks: fn(&Head<'_>) -> bool,
    open: Open,
}

impl Format {
    /// Whether some bytes look like the beginning of it.
    pub fn looks_like(&self, head: &Head<'_>) -> bool {
        (self.looks)(head)
    }
}

/// How a format is read.
enum Open {
    /// By the fast reader of the native format.
    Native,
    /// Without parsing: the binary form of a run.
    Binary,
    /// By a reader of its own. Whoever cannot match all receives in a usual log tolerates that.
    Log {
        reader: fn(&LogOptions) -> Result<Box<dyn Reader>, ReadError>,
        tolerant: bool,
    },
}

/// Reads the parts of a log, one after the other.
trait Reader {
    /// Reads a part.
    fn part(&mut self, text: &mut Text<'_>, scribe: &mut Scribe<'_>) -> Result<(), ReadError>;

    /// Tells what had to wait for the last part.
    fn finish(&mut self, _scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        Ok(())
    }
}

/// All formats that can be read, in the order in which they are tried.
pub static FORMATS: &[Format] = &[
    NATIVE,
    BINARY,
    zipkin::FORMAT,
    jaeger::FORMAT,
    otlp::FORMAT,
    xtrace::FORMAT,
    jepsen::FORMAT,
    rapid::FORMAT,
    p_checker::FORMAT,
    tracing::FORMAT,
    ewd998::FORMAT,
    etcd_raft::FORMAT,
    ccf::FORMAT,
    spin::FORMAT,
    shiviz::FORMAT,
    mapped::FORMAT,
];

const NATIVE: Format = Format {
    name: "native",
    title: "Causet JSON lines",
    about: "One JSON object per event: process, variables, messages, clocks, explicit edges.",
    looks: |head| {
        let object = head.first_object();
        object.is_some_and(|object| object.contains_key("causet") || object.contains_key("p"))
    },
    open: Open::Native,
};

const BINARY: Format = Format {
    name: "bin",
    title: "Causet binary",
    about: "A run that was read before, in columns, as `causet convert --to bin` writes it.",
    looks: |head| binary::is_binary(head.text().as_bytes()),
    open: Open::Binary,
};

/// The format with a name.
pub fn format_named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// The format that the beginning of a log looks like.
pub fn recognise(head: &Head<'_>) -> Option<&'static Format> {
    FORMATS.iter().find(|format| (format.looks)(head))
}

/// How much of a log is looked at to recognise its format.
const HEAD: u64 = 256 << 10;

/// How much of each further part is looked at.
const NEXT_HEAD: u64 = 16 << 10;

/// Reads the parts of one run in the format that is asked for, or in the one that they look like.
///
/// What looks like no format at all is refused with what was seen, unless it may be the native one with a mistake.
pub fn read(
    mut parts: Vec<Part<'_>>,
    options: &LogOptions,
    progress: &dyn Progress,
) -> Result<(Reading, &'static Format), ReadError> {
    let format = match &options.format {
        Some(name) => format_named(name),
        None => looks_like(&mut parts, options)?,
    };
    let format = format.unwrap_or(&NATIVE);
    let misfit = match options.format {
        Some(_) => misfit(&mut parts, format)?,
        None => None,
    };
    let reading = match &format.open {
        Open::Native if options.forgiving => native::inspect(parts, &options.read, progress),
        Open::Native => native::read(parts, &options.read, progress),
        Open::Binary => read_binary(parts, options, progress),
        Open::Log { reader, tolerant } => {
            read_log(parts, reader(options)?, options, *tolerant, progress)
        }
    };
    match (reading, misfit) {
        (Ok(reading), _) => Ok((reading, format)),
        (Err(ReadError::Stopped), _) => Err(ReadError::Stopped),
        (Err(_), Some(problem)) => Err(ReadError::Fault(problem)),
        (Err(error), None) => Err(error),
    }
}

/// What to say of a fault if the first part with any content looks like another format than the one that was asked for.
fn misfit(parts: &mut [Part<'_>], format: &Format) -> Result<Option<Diagnostic>, ReadError> {
    for part in parts {
        let beginning = begin(part, HEAD)?;
        let head = Head::of(&beginning.plain);
        if beginning.plain.trim_ascii().is_empty() {
            continue;
        }
        let is_open = format.name != mapped::FORMAT.name && !(format.looks)(&head);
        return Ok(recognise(&head).filter(|_| is_open).map(|other| {
            let seen = format!("this looks like `{}`, {}", other.name, other.title);
            beginning.unlike(&head, format.name, &seen)
        }));
    }
    Ok(None)
}

/// Refuses parts that are not in the native format, for those who read nothing else.
pub fn expect_native(parts: &mut [Part<'_>]) -> Result<(), ReadError> {
    looks_like(parts, &LogOptions::default()).map(drop)
}

/// The format that the parts look like: that of the first with any content, which the others must share.
fn looks_like(
    parts: &mut [Part<'_>],
    options: &LogOptions,
) -> Result<Option<&'static Format>, ReadError> {
    if options.regex.is_some() {
        return Ok(format_named("shiviz"));
    }
    if options.mapping.is_some() {
        return Ok(format_named("mapped"));
    }
    let mut known: Option<(&'static Format, String)> = None;
    for part in parts {
        let room = if known.is_none() { HEAD } else { NEXT_HEAD };
        let beginning = begin(part, room)?;
        let head = Head::of(&beginning.plain);
        if beginning.plain.trim_ascii().is_empty() {
            continue;
        }
        match (recognise(&head), &known) {
            (Some(format), None) => known = Some((format, beginning.name)),
            (Some(format), Some((other, name)))
                if format.name != other.name && other.name != BINARY.name =>
            {
                return Err(mixed((other, name), (format, &beginning.name)));
            }
            // Another part of a log in text may begin in the middle of something.
            (None, Some((other, _))) if other.name != NATIVE.name => {}
            (None, _) => match unknown::refusal(&beginning) {
                Some(problem) => return Err(ReadError::Fault(problem)),
                None if known.is_none() => return Ok(None),
                None => {}
            },
            (Some(_), Some(_)) => {}
        }
    }
    Ok(known.map(|(format, _)| format))
}

/// The beginning of a part, which is put back.
fn begin(part: &mut Part<'_>, room: u64) -> Result<Beginning, ReadError> {
    let mut raw = Vec::new();
    let mut input = std::mem::replace(&mut part.input, Box::new(std::io::empty()));
    let read = input.by_ref().take(room).read_to_end(&mut raw);
    let mut plain = Vec::new();
    if let Ok(start) = native::decompressed(Cursor::new(&raw)) {
        // It ends in the middle of something.
        let _ = start.take(room).read_to_end(&mut plain);
    }
    part.input = Box::new(Cursor::new(raw.clone()).chain(input));
    read.map_err(|error| ReadError::Io {
        part: part.name.clone(),
        error,
    })?;
    Ok(Beginning {
        name: part.name.clone(),
        raw,
        plain,
    })
}

/// Two parts are in different formats.
fn mixed((one, first): (&Format, &str), (other, second): (&Format, &str)) -> ReadError {
    let message =
        format!("{first} and {second} are in different formats, and the parts of a run are in one");
    let seen = format!(
        "this is `{}`, {}, and {first} is `{}`, {}",
        other.name, other.title, one.name, one.title
    );
    let problem = mistake(Code::MixedFormats, 0..0, message, seen)
        .with_help("name the files of one of the two instead of the folder, or keep each run in a folder of its own");
    ReadError::Fault(problem.in_line(second, 1, ""))
}

/// Reads a run in its binary form, which is a run by itself.
fn read_binary(
    parts: Vec<Part<'_>>,
    options: &LogOptions,
    progress: &dyn Progress,
) -> Result<Reading, ReadError> {
    let mut names = parts.iter().map(|part| part.name.clone());
    let name = names.next().unwrap_or_default();
    let failed = |error| ReadError::Io {
        part: name.clone(),
        error,
    };
    let refused = |message: String| failed(io::Error::new(io::ErrorKind::InvalidData, message));
    if let Some(other) = names.next() {
        let message = format!("it is a whole run; read it without {other}");
        return Err(refused(message));
    }
    let input: Box<dyn Read + Send> = match parts.into_iter().next() {
        Some(part) => native::decompressed(part.input).map_err(failed)?,
        None => Box::new(io::empty()),
    };
    let stored = binary::read(input, options.read.workers, progress);
    let stored = stored.map_err(|error| match error {
        NotOpened::Damaged(damage) => refused(damage.to_string()),
        NotOpened::Input(error) => failed(error),
        NotOpened::Stopped => ReadError::Stopped,
    })?;
    Ok(Reading {
        trace: stored.trace,
        parts: stored.parts,
        warnings: Vec::new(),
        bytes: stored.bytes,
        caveat: None,
    })
}

fn read_log(
    parts: Vec<Part<'_>>,
    mut reader: Box<dyn Reader>,
    options: &LogOptions,
    tolerant: bool,
    progress: &dyn Progress,
) -> Result<Reading, ReadError> {
    let names: Vec<String> = parts.iter().map(|part| part.name.clone()).collect();
    let bytes = AtomicU64::new(0);
    let mut notes = Vec::new();
    let build = BuildOptions {
        lenient: options.read.lenient || tolerant || options.forgiving,
        forgiving: options.forgiving,
    };
    let mut builder = TraceBuilder::new(build);
    let mut scribe = Scribe::new(&mut builder, build, &mut notes);
    for (number, part) in parts.into_iter().enumerate() {
        scribe.start_part(&part.name);
        let text = Text::open(part.input, &bytes, progress, options.read.workers);
        let read = text.and_then(|text| {
            let mut text = text.leniently(options.read.lenient || options.forgiving);
            reader.part(&mut text, &mut scribe)?;
            Ok(text.cut_off())
        });
        let cut_off = read.map_err(|trouble| trouble.in_part(number, &names))?;
        if let Some((line, what)) = cut_off {
            scribe.leave_out(line, what);
        }
    }
    let last = names.len().saturating_sub(1);
    let finished = reader.finish(&mut scribe);
    finished.map_err(|trouble| trouble.in_part(last, &names))?;
    let caveat = scribe.caveat.take();
    let built = builder.finish();
    let (trace, warnings) = built.map_err(|error| ReadError::from(error).in_part(last, &names))?;
    notes.extend(told(&warnings, &names));
    Ok(Reading {
        trace,
        parts: names,
        warnings: notes,
        bytes: bytes.load(Ordering::Relaxed),
        caveat,
    })
}

/// What was let pass. A log may lack the sends of very many messages: these are counted, and the first is the example.
fn told(warnings: &[Warning], names: &[String]) -> Vec<Diagnostic> {
    let is_unsent = |warning: &&Warning| matches!(warning.kind, Fault::ReceiveWithoutSend(_));
    let (unsent, others): (Vec<&Warning>, Vec<&Warning>) = warnings.iter().partition(is_unsent);
    let first = unsent.iter().min_by_key(|warning| warning.place);
    let unsent = first.map(|first| {
        let mut passed = passed(first, names);
        if unsent.len() > 1 {
            let (count, first) = (unsent.len(), &passed.message);
            passed.message = format!("{count} messages are received but never sent; here, {first}");
        }
        passed
    });
    let others = others.iter().map(|warning| passed(warning, names));
    others.chain(unsent).collect()
}
