//! How fast a run is read, beside a bare typed parse of the same lines: `read_speed [EVENTS | FILE] [--ours]`.
//!
//! `--ours` skips the comparison, so that the peak of memory is that of reading.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Cursor, Write as _};
use std::path::PathBuf;
use std::time::Instant;

use causet_formats::native::{Part, ReadOptions, Reading, read};
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
        Err(_) => PathBuf::from(given),
    };
    let bytes = std::fs::metadata(&path)?.len();
    let name = path.file_name().unwrap_or_default().display();
    println!("{name}: {:.1} MB", bytes as f64 / 1e6);
    if !ours_only {
        compare(&std::fs::read_to_string(&path)?)?;
    }
    let (times, reading) = ours(File::open(&path)?, 1)?;
    show("ours from the file, 1 worker", times, reading.trace.len());
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find(|line| line.starts_with("VmHWM"));
    println!("peak {}", peak.unwrap_or("unknown"));
    Ok(())
}

/// The best of several rounds, taken in turn so that a busy minute hits all alike.
fn compare(text: &str) -> Result<(), Box<dyn std::error::Error>> {
    let processors = std::thread::available_parallelism()?.get();
    let several = processors.max(2);
    let mut best = [Times::WORST; 3];
    let mut events = 0;
    for _ in 0..7 {
        let (times, count) = bare(text);
        events = count;
        best[0] = best[0].min(times);
        for (best, workers) in best[1..].iter_mut().zip([1, several]) {
            *best = best.min(ours(Cursor::new(text.as_bytes()), workers)?.0);
        }
    }
    show("bare typed serde_json", best[0], events);
    for (times, workers) in best[1..].iter().zip([1, several]) {
        show(
            &format!("ours from memory, {workers} worker(s)"),
            *times,
            events,
        );
    }
    println!(
        "ours with 1 worker / bare: {:.2}",
        best[1].cpu / best[0].cpu
    );
    Ok(())
}

/// Seconds on the wall and on the processor, the latter of the calling thread only.
#[derive(Clone, Copy)]
struct Times {
    wall: f64,
    cpu: f64,
}

impl Times {
    const WORST: Times = Times {
        wall: f64::MAX,
        cpu: f64::MAX,
    };

    fn min(self, other: Times) -> Times {
        Times {
            wall: self.wall.min(other.wall),
            cpu: self.cpu.min(other.cpu),
        }
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (Times, T) {
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let result = work();
    let times = Times {
        wall: start.elapsed().as_secs_f64(),
        cpu: cpu_seconds() - cpu,
    };
    (times, result)
}

fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text
        .split(' ')
        .next()
        .and_then(|number| number.parse::<f64>().ok());
    nanoseconds.unwrap_or(0.0) / 1e9
}

fn show(what: &str, times: Times, events: usize) {
    let Times { wall, cpu } = times;
    let rate = events as f64 / wall / 1e6;
    println!("{what:30} {wall:7.3} s wall {cpu:7.3} s cpu {rate:6.2} M events/s");
}

fn bare(text: &str) -> (Times, usize) {
    timed(|| {
        let mut events = 0;
        for line in text.lines().skip(1) {
            let event: Result<Bare<'_>, _> = serde_json::from_str(line);
            std::hint::black_box(&event);
            events += usize::from(event.is_ok());
        }
        events
    })
}

fn ours(
    input: impl io::Read + Send,
    workers: usize,
) -> Result<(Times, Reading), Box<dyn std::error::Error>> {
    let options = ReadOptions {
        lenient: false,
        workers,
    };
    let (times, reading) = timed(|| read(vec![Part::new("trace", input)], &options, &()));
    Ok((times, reading?))
}

/// A run of ten processes: a third of the events send, a third receive, each writes one or two variables.
fn generated(events: usize) -> io::Result<PathBuf> {
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
