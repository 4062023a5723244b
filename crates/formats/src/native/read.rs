//! Reading a run: bytes become blocks, a block becomes a batch, and a batch goes to a sink: the builder, or who streams.
//!
//! Blocks are parsed on several threads ([`in_order`]) and fed in their order by the caller's thread. The sink sees the
//! same batches for any number of workers, hence the result is the same, the first error included. There are as many
//! parsers as workers, since feeding takes less time than parsing: the caller's thread alone would leave cores idle.

use std::collections::VecDeque;
use std::io::Read;
use std::panic::resume_unwind;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{SyncSender, sync_channel};

use causet_base::{Code, Diagnostic, in_order};
use causet_trace::{BuildError, BuildOptions, Fault, Sink, Trace, TraceBuilder};
use memchr::memchr;

use super::batch::{BadLine, Batch};
use super::blocks::{Blocks, Gauge, RawBlock, Source};
use super::event::Lines;
use super::feed::{Feeder, Parsed};
use super::header::{Header, is_header};
use crate::caveats::Caveat;
use crate::error::{ReadError, mistake, passed};

/// How to read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadOptions {
    /// Let receives without send and holes in clocks pass, with a warning.
    pub lenient: bool,
    /// How many threads may work; 1 means the caller's own.
    pub workers: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            lenient: false,
            workers: 1,
        }
    }
}

/// One part of a run, such as a file.
pub struct Part<'a> {
    /// The name shown in errors.
    pub name: String,
    /// Its bytes, plain, gzip or zstd.
    pub input: Box<dyn Read + Send + 'a>,
}

impl<'a> Part<'a> {
    /// A part with a name.
    pub fn new(name: impl Into<String>, input: impl Read + Send + 'a) -> Self {
        Part {
            name: name.into(),
            input: Box::new(input),
        }
    }
}

/// What was read.
#[derive(Debug)]
pub struct Reading {
    /// The run.
    pub trace: Trace,
    /// The names of its parts; [`causet_trace::Place::part`] counts them from 0.
    pub parts: Vec<String>,
    /// What was let pass.
    pub warnings: Vec<Diagnostic>,
    /// How many bytes were read, before decompression.
    pub bytes: u64,
    /// What the format leaves out of the order.
    pub caveat: Option<Caveat>,
}

/// Someone who watches the reading and may stop it; both are asked from any thread, several times per megabyte.
pub trait Progress: Sync {
    /// So many bytes have been read, before decompression, all parts together.
    fn bytes_read(&self, _total: u64) {}

    /// Whether to go on; `false` ends the reading with [`ReadError::Stopped`].
    fn go_on(&self) -> bool {
        true
    }
}

/// Nobody watches.
impl Progress for () {}

/// Reads the parts of one run.
///
/// The headers of all parts are read first: what any of them declares holds for the whole run, and what several declare
/// must agree. Then the first line at fault ends the reading.
pub fn read(
    parts: Vec<Part<'_>>,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<Reading, ReadError> {
    let build = BuildOptions {
        lenient: options.lenient,
        forgiving: false,
    };
    read_into(parts, options, build, progress)
}

/// Reads the parts of one run for whoever wants to know everything that is wrong with it: all of that becomes warnings, and
/// what is at fault is left out. Only a line that cannot be read at all ends the reading.
pub fn inspect(
    parts: Vec<Part<'_>>,
    options: &ReadOptions,
    progress: &dyn Progress,
) -> Result<Reading, ReadError> {
    let build = BuildOptions {
        lenient: true,
        forgiving: true,
    };
    read_into(parts, options, build, progress)
}

fn read_into(
    parts: Vec<Part<'_>>,
    options: &ReadOptions,
    build: BuildOptions,
    progress: &dyn Progress,
) -> Result<Reading, ReadError> {
    let names: Vec<String> = parts.iter().map(|part| part.name.clone()).collect();
    let gauge = Gauge::default();
    let mut builder = TraceBuilder::new(build);
    let mut feeder = Feeder::new(&mut builder, &names);
    feeder.lenient = build.lenient;
    let header = feed(parts, options, progress, &gauge, &mut feeder, false)?;
    let mut cut_off = feeder.cut_off;
    let finished = builder.finish();
    let (trace, warnings) = finished.map_err(|error| late(placed(error, &header), &names))?;
    cut_off.extend(warnings.iter().map(|warning| passed(warning, &names)));
    Ok(Reading {
        trace,
        warnings: cut_off,
        bytes: gauge.bytes.load(Ordering::Relaxed),
        parts: names,
        caveat: None,
    })
}

/// Reads the parts of one run for someone who takes the events as they come, and keeps none of them.
///
/// The parts take turns, block by block, unless the order of the lines is that of the run: what belongs together in the
/// logs of several processes is then not far apart. Whoever takes the events knows for himself when he is done with
/// them; leniency is his affair, too.
pub fn stream<S: Sink>(
    parts: Vec<Part<'_>>,
    options: &ReadOptions,
    progress: &dyn Progress,
    sink: &mut S,
) -> Result<(), ReadError> {
    let names: Vec<String> = parts.iter().map(|part| part.name.clone()).collect();
    let gauge = Gauge::default();
    let mut feeder = Feeder::new(sink, &names);
    feed(parts, options, progress, &gauge, &mut feeder, true).map(drop)
}

/// Opens the parts, declares what their headers say, and feeds the events.
fn feed<S: Sink>(
    parts: Vec<Part<'_>>,
    options: &ReadOptions,
    progress: &dyn Progress,
    gauge: &Gauge,
    feeder: &mut Feeder<'_, S>,
    in_turn: bool,
) -> Result<Header, ReadError> {
    let names = feeder.names;
    let (sources, header) = open(parts, names, gauge, progress)?;
    if !names.is_empty() {
        feeder.sink.enter_part(0);
    }
    let declared = header.apply(feeder.sink);
    declared.map_err(|kind| late(header_fault(&header, kind), names))?;
    let blocks = Blocks {
        sources,
        in_turn: in_turn && !header.is_observed(),
        names,
        gauge,
        progress,
    };
    feed_all(blocks, options.workers, feeder)?;
    if let Some(last) = names.len().checked_sub(1) {
        feeder.sink.enter_part(last as u32);
    }
    Ok(header)
}

/// The parts, ready to be cut into blocks.
type Sources<'a> = VecDeque<(u32, Source<'a>)>;

/// Opens the parts and joins their headers.
fn open<'a>(
    parts: Vec<Part<'a>>,
    names: &[String],
    gauge: &'a Gauge,
    progress: &dyn Progress,
) -> Result<(Sources<'a>, Header), ReadError> {
    let mut sources = VecDeque::new();
    let mut joined = Header::default();
    for ((number, part), name) in (0..).zip(parts).zip(names) {
        let mut source =
            Source::open(part.input, gauge).map_err(|failure| failure.in_part(name))?;
        let first = source
            .first_line(|| progress.go_on())
            .map_err(|failure| failure.in_part(name))?;
        if let Some((line, bytes)) = first
            && let Ok(text) = str::from_utf8(&bytes)
            && is_header(text)
        {
            let header = Header::read(text).map(|header| header.at(number, line));
            let merged = header.and_then(|header| joined.merge(header));
            merged.map_err(|complaint| ReadError::Fault(complaint.in_line(name, line, text)))?;
            source.header = true;
        }
        sources.push_back((number, source));
    }
    Ok((sources, joined))
}

fn header_fault(header: &Header, kind: Fault) -> BuildError {
    let (part, line) = header.init_place();
    BuildError {
        place: causet_trace::Place { part, line },
        field: "processes",
        text: String::new(),
        kind,
    }
}

/// The builder believes that initial values stand in the first part; the header knows.
fn placed(mut error: BuildError, header: &Header) -> BuildError {
    if let Fault::UnknownInit { .. } = error.kind {
        error.place.part = header.init_place().0;
    }
    error
}

fn late(error: BuildError, names: &[String]) -> ReadError {
    ReadError::Late {
        error: Box::new(error),
        parts: names.to_vec(),
    }
}

/// Parses the blocks and feeds what they hold, in their order, on the caller's thread.
fn feed_all<S: Sink>(
    blocks: Blocks<'_>,
    workers: usize,
    feeder: &mut Feeder<'_, S>,
) -> Result<(), ReadError> {
    if workers <= 1 {
        let mut batch = Batch::default();
        for block in blocks {
            let mut parsed = parse(block?, batch);
            if !feed_one(&mut parsed, feeder)? {
                break;
            }
            batch = parsed.batch;
        }
        return Ok(());
    }
    let gauge = blocks.gauge;
    std::thread::scope(|scope| {
        let (sender, batches) = sync_channel(QUEUED_BATCHES);
        let parsing = scope.spawn(move || parse_all(blocks, workers, sender));
        let mut fed = Ok(true);
        for mut parsed in &batches {
            fed = feed_one(&mut parsed, feeder);
            if !matches!(fed, Ok(true)) {
                break;
            }
        }
        gauge.stop.store(true, Ordering::Relaxed);
        drop(batches);
        let parsed = parsing.join().unwrap_or_else(|panic| resume_unwind(panic));
        match fed? {
            true => parsed,
            false => Ok(()),
        }
    })
}

/// Feeds a batch; whether the sink wants more.
fn feed_one<S: Sink>(parsed: &mut Parsed, feeder: &mut Feeder<'_, S>) -> Result<bool, ReadError> {
    feeder.feed(parsed)?;
    Ok(feeder.sink.wants_more())
}

/// Parses the blocks on several threads and sends the batches in order, until nobody receives them.
fn parse_all(
    mut blocks: Blocks<'_>,
    workers: usize,
    sender: SyncSender<Parsed>,
) -> Result<(), ReadError> {
    let fill = move |block: &mut Option<RawBlock>| {
        *block = blocks.next().transpose()?;
        Ok(block.is_some())
    };
    in_order(fill, workers, sender, |block, turn| {
        if let Some(block) = block.take() {
            let parsed = parse(block, Batch::default());
            turn.take(|sender| Ok(sender.send(parsed).is_ok()));
        }
    })
}

/// Maximum number of batches between the parsers and the sink.
const QUEUED_BATCHES: usize = 4;

/// Reads the lines of a block, up to the first one at fault, into a batch that may have been used before.
pub(super) fn parse(raw: RawBlock, mut batch: Batch) -> Parsed {
    let (text, bad_bytes) = match String::from_utf8(raw.bytes) {
        Ok(text) => (text, None),
        Err(error) => valid_lines(error),
    };
    batch.clear();
    let mut header = raw.header;
    let (mut start, mut number) = (0, 0);
    while start < text.len() && batch.fault.is_none() {
        let rest = &text.as_bytes()[start..];
        let end = memchr(b'\n', rest).map_or(text.len(), |length| start + length);
        let line = &text.as_bytes()[start..end];
        if line.first() != Some(&b'{') && line.trim_ascii().is_empty() {
            // A blank line is nothing.
        } else if header {
            header = false;
        } else {
            let added = Lines {
                block: &text,
                batch: &mut batch,
            }
            .add(start..end, number);
            batch.fault = added.err().map(|complaint| {
                let line = &text[start..end];
                // Blocks are cut at line ends, so only the last line of a part has none.
                let is_cut_off = end == text.len() && ends_early(line);
                BadLine::new(number, line, complaint, is_cut_off)
            });
        }
        start = end + 1;
        number += 1;
    }
    batch.lines = number;
    if let (None, Some(bad)) = (&batch.fault, bad_bytes) {
        batch.fault = Some(BadLine {
            line: number,
            ..bad
        });
    }
    Parsed {
        part: raw.part,
        text,
        batch,
    }
}

/// Whether a line is the beginning of JSON.
pub(crate) fn ends_early(line: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(line).is_err_and(|error| error.is_eof())
}

/// The lines before the first byte that is no UTF-8, and what is wrong with that byte's line.
fn valid_lines(error: std::string::FromUtf8Error) -> (String, Option<BadLine>) {
    let is_cut_off = error.utf8_error().error_len().is_none();
    let valid = error.utf8_error().valid_up_to();
    let mut bytes = error.into_bytes();
    let start = memchr::memrchr(b'\n', &bytes[..valid]).map_or(0, |newline| newline + 1);
    let end = memchr(b'\n', &bytes[valid..]).map_or(bytes.len(), |length| valid + length);
    let line = String::from_utf8_lossy(&bytes[start..end]).into_owned();
    let column = valid - start;
    let span = column..column + char::REPLACEMENT_CHARACTER.len_utf8();
    let message = format!("the byte {:#04x} is not UTF-8", bytes[valid]);
    let complaint = mistake(Code::NotUtf8, span, message, "expected UTF-8")
        .with_help("`iconv -f LATIN1 -t UTF-8` converts a file that is in Latin-1");
    bytes.truncate(start);
    let text = String::from_utf8(bytes).unwrap_or_default();
    (text, Some(BadLine::new(0, &line, complaint, is_cut_off)))
}
