//! How fast a run is read, beside a bare typed parse of the same lines: `read_speed [EVENTS | FILE] [--ours]`.
//!
//! `--ours` skips the comparison, so that the peak of memory is that of reading.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Cursor, Write as _};
use std::time::Instant;

use causet_wire::native::{Part, ReadOptions, Reading, read};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

/// An event as a typed parser sees it; strings are borrowed, nothing is checked further.
#[derive(Deserialize)]
#[expect(dead_code, reason = "only the time to fill the fields matters")]
struct Bare<'a> {
    p: &'a str,
    #[serde(borrow, default)]
    set: Pairs<'a>,
    send: Option<&'a str>,
    to: Option<&'a str>,
    recv: Option<&'a str>,
    ev: Option<&'a str>,
}

#[derive(Default)]
#[expect(dead_code, reason = "only the time to fill the fields matters")]
struct Pairs<'a>(Vec<(&'a str, Scalar<'a>)>);

#[expect(dead_code, reason = "only the time to fill the fields matters")]
enum Scalar<'a> {
    Int(i64),
    Float(f64),
    Bool(bool),
    Text(&'a str),
}

impl<'de: 'a, 'a> Deserialize<'de> for Pairs<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Pairs<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Pairs<'de>, M::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Scalar<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Scalar<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a value")
            }
            fn visit_i64<E>(self, number: i64) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Int(number))
            }
            fn visit_u64<E>(self, number: u64) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Int(number as i64))
            }
            fn visit_f64<E>(self, number: f64) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Float(number))
            }
            fn visit_bool<E>(self, truth: bool) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Bool(truth))
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Scalar<'de>, E> {
                Ok(Scalar::Text(text))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let ours_only = arguments.iter().any(|argument| argument == "--ours");
    let given = arguments.iter().find(|argument| *argument != "--ours");
    let given = given.map_or("1000000", String::as_str);
    let path = match given.parse::<usize>() {
        Ok(events) => generated(events)?,
        Err(_) => given.into(),
    };
    let mut report = io::stdout().lock();
    let bytes = std::fs::metadata(&path)?.len();
    writeln!(report, "{}: {:.1} MB", path.display(), bytes as f64 / 1e6)?;
    let processors = std::thread::available_parallelism()?.get();
    let rounds = if ours_only { 1 } else { 5 };
    if !ours_only {
        let text = std::fs::read_to_string(&path)?;
        let seconds = (0..rounds).map(|_| bare(&text));
        let (best, events) = seconds
            .reduce(|one, two| if one.0 < two.0 { one } else { two })
            .unwrap_or_default();
        line(&mut report, "bare typed serde_json", best, events)?;
        for workers in [1, 2, processors] {
            let mut best = f64::MAX;
            for _ in 0..rounds {
                best = best.min(ours(Cursor::new(text.as_bytes()), workers)?.0);
            }
            line(
                &mut report,
                &format!("ours from memory, {workers} worker(s)"),
                best,
                events,
            )?;
        }
    }
    let workers = if ours_only { 1 } else { processors };
    let (seconds, reading) = ours(File::open(&path)?, workers)?;
    let events = reading.trace.len();
    line(
        &mut report,
        &format!("ours from the file, {workers} worker(s)"),
        seconds,
        events,
    )?;
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find(|line| line.starts_with("VmHWM"));
    writeln!(report, "peak {}", peak.unwrap_or("unknown"))?;
    Ok(())
}

fn line(out: &mut impl io::Write, what: &str, seconds: f64, events: usize) -> io::Result<()> {
    let rate = events as f64 / seconds / 1e6;
    writeln!(out, "{what:34} {seconds:7.3} s {rate:7.2} M events/s")
}

fn bare(text: &str) -> (f64, usize) {
    let start = Instant::now();
    let mut events = 0;
    for line in text.lines().skip(1) {
        let event: Result<Bare<'_>, _> = serde_json::from_str(line);
        std::hint::black_box(&event);
        events += usize::from(event.is_ok());
    }
    (start.elapsed().as_secs_f64(), events)
}

fn ours(
    input: impl io::Read + Send,
    workers: usize,
) -> Result<(f64, Reading), Box<dyn std::error::Error>> {
    let options = ReadOptions {
        lenient: false,
        workers,
    };
    let start = Instant::now();
    let reading = read(vec![Part::new("trace", input)], &options, &())?;
    Ok((start.elapsed().as_secs_f64(), reading))
}

/// A run of ten processes: a third of the events send, a third receive, each writes one or two variables.
fn generated(events: usize) -> io::Result<std::path::PathBuf> {
    const PROCESSES: usize = 10;
    let path = std::env::temp_dir().join(format!("causet-read-speed-{events}.jsonl"));
    let mut out = io::BufWriter::new(File::create(&path)?);
    let mut rng = fastrand::Rng::with_seed(1);
    let names: Vec<String> = (1..=PROCESSES).map(|n| format!("\"p{n}\"")).collect();
    writeln!(out, "{{\"causet\":1,\"processes\":[{}]}}", names.join(","))?;
    let mut under_way: Vec<Vec<usize>> = vec![Vec::new(); PROCESSES];
    let mut line = String::new();
    for number in 0..events {
        let process = rng.usize(0..PROCESSES);
        line.clear();
        let _ = write!(line, "{{\"p\":{}", names[process]);
        let receives = !under_way[process].is_empty() && rng.f64() < 0.6;
        if receives {
            let at = rng.usize(0..under_way[process].len());
            let _ = write!(
                line,
                ",\"recv\":\"m{}\"",
                under_way[process].swap_remove(at)
            );
        } else if rng.f64() < 0.6 {
            let to = (process + rng.usize(1..PROCESSES)) % PROCESSES;
            under_way[to].push(number);
            let _ = write!(
                line,
                ",\"ev\":\"request\",\"send\":\"m{number}\",\"to\":{}",
                names[to]
            );
        }
        let _ = write!(line, ",\"set\":{{\"x\":{}", rng.u32(0..1000));
        if rng.bool() {
            let state = ["idle", "want", "crit"][rng.usize(0..3)];
            let _ = write!(line, ",\"state\":\"{state}\"");
        }
        line.push_str("}}\n");
        out.write_all(line.as_bytes())?;
    }
    out.flush()?;
    Ok(path)
}
