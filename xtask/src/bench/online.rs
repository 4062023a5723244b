//! `cargo xtask bench online`: a server under load from other processes, for minutes.
//!
//! ```text
//!  load (a process) --\                         verdicts, with the time they were read
//!                      +--> causet serve --------------------------------------------> here
//!  load (a process) --/        ^    memory, every second ----------------------------> here
//!  probes, from here ----------+    a short run each: from its last needed event to its verdict
//! ```
//!
//! The load is one run of ten processes in a ring: in each round a process hears of the round before of its neighbour, so
//! no two are further apart than the ring is long, however long it goes on. Three properties are followed: conditions
//! that never meet, a sum over several processes, and one in LTL. Every event is flushed to the disk before it is
//! acknowledged, and only acknowledged events are counted.
//!
//! `CAUSET_SECONDS` says how long, ten minutes without it.

mod load;
mod probe;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::lab::Lab;
use super::report::{Goals, ReportTable, grouped};
pub(super) use load::run as load;

/// How many processes the run has.
const PROCESSES: usize = 10;
/// How many processes of the machine send them.
const SENDERS: usize = 2;
/// So many events a second are sent, together; more would fill the disk before the time is over.
const RATE: f64 = 260_000.0;
/// So many a second are promised.
const PROMISED: f64 = 200_000.0;
/// So much memory is promised, in megabytes.
const MEMORY: f64 = 200.0;
/// The pause between two probes.
const PROBES: Duration = Duration::from_millis(100);

/// What is followed. `p0` and `p5` are eight rounds of sixteen apart, and the ring keeps them from being nearer than three.
const PROPERTIES: [&str; 6] = [
    "--ctl",
    "AG !(p0.x = 1 && p5.x = 1)",
    "--ctl",
    "AG p0.x + p5.x + p8.x < 3",
    "--ltl",
    "G (p0.x = 1 -> (p5.x = 0 U p0.x = 0))",
];

/// Measures and writes the report.
pub(super) fn run(root: &Path, options: &[String]) -> Result<(), String> {
    let is_quick = match options {
        [] => false,
        [quick] if quick == "--quick" => true,
        _ => return Err("`bench online` takes --quick".to_owned()),
    };
    let lab = Lab::open(root, is_quick, false)?;
    let given = std::env::var("CAUSET_SECONDS").ok();
    let given = given.and_then(|seconds| seconds.parse().ok());
    let seconds: u64 = given.unwrap_or(if lab.is_quick { 5 } else { 600 });
    let server = Server::start(&lab)?;
    let mut senders: Vec<Sender> = (0..SENDERS)
        .map(|number| Sender::start(number, server.address, seconds))
        .collect::<Result<_, _>>()?;
    let start = Instant::now();
    let mut probes = probe::Probes::default();
    let mut memory = Vec::new();
    while senders.iter_mut().any(Sender::is_at_work) {
        probes.ask(server.address)?;
        probes.hear(&server.said, PROBES);
        if memory.len() as u64 <= start.elapsed().as_secs() {
            memory.push(resident(server.child.id()));
        }
    }
    let taken = start.elapsed().as_secs_f64();
    let mut counts = Vec::new();
    for sender in &mut senders {
        counts.push(sender.finish()?);
    }
    let ending = Instant::now();
    let last = last_words(&mut probes, &server.said)?;
    let ended = ending.elapsed().as_secs_f64();
    let mut goals = Goals::default();
    let report = tables(&counts, &memory, &mut probes, taken, &mut goals);
    let report = format!(
        "{report}\nThe last verdict on the run came {ended:.1} s after it was over: {last}.\n"
    );
    drop(server);
    lab.site.save("online", &report, &goals)?;
    if is_quick { Ok(()) } else { goals.verdict() }
}

/// The verdicts on the loaded run, once it is over.
fn last_words(
    probes: &mut probe::Probes,
    said: &Receiver<(Instant, Value)>,
) -> Result<String, String> {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(120) {
        probes.hear(said, PROBES);
        let words = probes.others.iter().filter(|said| said["run"] == load::RUN);
        let words = words.filter(|said| said["verdict"].is_string());
        let words: Vec<String> = words
            .map(|said| format!("{} {}", said["property"], said["verdict"]))
            .collect();
        if words.len() == PROPERTIES.len() / 2 {
            return Ok(words.join(", ").replace('"', ""));
        }
    }
    Err(format!("the last word is missing: {:?}", probes.others))
}

fn tables(
    counts: &[Vec<u64>],
    memory: &[f64],
    probes: &mut probe::Probes,
    seconds: f64,
    goals: &mut Goals,
) -> String {
    let per_second: Vec<u64> = (0..seconds as usize - 1)
        .map(|second| {
            counts
                .iter()
                .map(|of| at(of, second + 1) - at(of, second))
                .sum()
        })
        .collect();
    let events: u64 = counts.iter().filter_map(|of| of.last()).sum();
    let tens = per_second.chunks_exact(10.min(per_second.len()));
    let slowest = tens.map(|ten| ten.iter().sum::<u64>() as f64 / ten.len() as f64);
    let slowest = slowest.fold(f64::INFINITY, f64::min);
    let rate = events as f64 / seconds;
    let (half, most) = (probes.percentile(50), probes.percentile(99));
    let mut table = ReportTable::new(&["what", "figure"]);
    let whole = |number: u64| grouped(number as usize);
    table.row(&["events acknowledged".to_owned(), whole(events)]);
    table.row(&["a second".to_owned(), whole(rate as u64)]);
    table.row(&[
        "in the slowest ten seconds, a second".to_owned(),
        whole(slowest as u64),
    ]);
    table.row(&[
        "verdicts of probes".to_owned(),
        whole(probes.count() as u64),
    ]);
    table.row(&[
        "last needed event to verdict, median".to_owned(),
        format!("{half:.1} ms"),
    ]);
    table.row(&["99 of 100 within".to_owned(), format!("{most:.1} ms")]);
    let moments = [
        memory.len() / 10,
        memory.len() / 2,
        memory.len().saturating_sub(1),
    ];
    for moment in moments {
        let used = memory.get(moment).copied().unwrap_or_default();
        table.row(&[format!("memory after {moment} s"), format!("{used:.0} MB")]);
    }
    let peak = memory.iter().copied().fold(0.0, f64::max);
    table.row(&["most memory".to_owned(), format!("{peak:.0} MB")]);
    goals.compare("events a second", rate, (Some(PROMISED), None), "");
    goals.compare("most memory", peak, (None, Some(MEMORY)), " MB");
    format!(
        "{PROCESSES} processes, {SENDERS} senders, {seconds:.0} s, three properties, every event flushed before it is \
         acknowledged; the senders keep to {RATE:.0} events a second.\n\n{}",
        table.text
    )
}

fn at(counts: &[u64], second: usize) -> u64 {
    let last = counts.last().copied().unwrap_or_default();
    counts.get(second).copied().unwrap_or(last)
}

/// A server, and what it says with the time it was read.
struct Server {
    child: Child,
    address: SocketAddr,
    said: Receiver<(Instant, Value)>,
}

impl Server {
    fn start(lab: &Lab) -> Result<Server, String> {
        let data = lab.file("online");
        // It may not be there.
        let _ = fs::remove_dir_all(&data);
        let mut child = lab
            .command()
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(&data)
            .args(PROPERTIES)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("the server cannot be started: {error}"))?;
        let said = listen(child.stdout.take());
        let (_, first) = said.recv().map_err(|_| "the server says nothing")?;
        let address = first["listening"]
            .as_str()
            .and_then(|text| text.parse().ok());
        Ok(Server {
            address: address.ok_or("the server does not say where it listens")?,
            child,
            said,
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be dead already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn listen(out: Option<ChildStdout>) -> Receiver<(Instant, Value)> {
    let (sender, said) = channel();
    std::thread::spawn(move || {
        let lines = out.into_iter().flat_map(|out| BufReader::new(out).lines());
        for line in lines.map_while(Result::ok) {
            let value = serde_json::from_str(&line).unwrap_or_default();
            if sender.send((Instant::now(), value)).is_err() {
                return;
            }
        }
    });
    said
}

/// A process that sends.
struct Sender {
    child: Child,
}

impl Sender {
    fn start(number: usize, server: SocketAddr, seconds: u64) -> Result<Sender, String> {
        let this = std::env::current_exe().map_err(|error| error.to_string())?;
        let each = PROCESSES / SENDERS;
        let rate = RATE / SENDERS as f64;
        let rounds = (rate / each as f64) as u64 * seconds;
        let child = Command::new(this)
            .args(["bench", "online-load"])
            .env(
                "CAUSET_LOAD",
                format!("{server} {} {each} {rounds} {rate}", number * each),
            )
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn();
        child
            .map(|child| Sender { child })
            .map_err(|error| format!("a sender cannot be started: {error}"))
    }

    fn is_at_work(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// How many of its events had been acknowledged after each second.
    fn finish(&mut self) -> Result<Vec<u64>, String> {
        let mut text = String::new();
        if let Some(out) = &mut self.child.stdout {
            out.read_to_string(&mut text)
                .map_err(|error| error.to_string())?;
        }
        let status = self.child.wait().map_err(|error| error.to_string())?;
        match status.success() {
            true => Ok(text.lines().filter_map(|line| line.parse().ok()).collect()),
            false => Err(format!("a sender ended with {status}")),
        }
    }
}

/// The resident memory of a process, in megabytes.
fn resident(process: u32) -> f64 {
    let text = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or_default() / 1e3
}
