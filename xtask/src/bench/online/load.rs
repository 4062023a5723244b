//! One process that sends its part of the run, and prints every second how many of its events were acknowledged.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::PROCESSES;

/// What the run is called.
pub(super) const RUN: &str = "load";
/// So many rounds are written at a time.
const TOGETHER: u64 = 200;
/// So many events may be under way.
const WINDOW: u64 = 200_000;
/// So long the last acknowledgement may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a sender was told: where, which processes, how many rounds, how many events a second.
struct Order {
    server: SocketAddr,
    first: usize,
    count: usize,
    rounds: u64,
    rate: f64,
}

/// Sends; what it is to do stands in `CAUSET_LOAD`.
pub(in crate::bench) fn run(_root: &Path, _options: &[String]) -> Result<(), String> {
    let order = Order::read().ok_or("CAUSET_LOAD does not say what to send")?;
    let words = |error: std::io::Error| error.to_string();
    let mut stream = TcpStream::connect(order.server).map_err(words)?;
    stream.write_all(header(RUN).as_bytes()).map_err(words)?;
    let safe = Arc::new(AtomicU64::new(0));
    count_acknowledgements(&stream, Arc::clone(&safe)).map_err(words)?;
    let start = Instant::now();
    let (mut round, mut printed) = (0, 0);
    let mut text = String::new();
    while round < order.rounds {
        if start.elapsed().as_secs() >= printed {
            println!("{}", safe.load(Ordering::Relaxed));
            printed += 1;
        }
        let sent = round * order.count as u64;
        let due = (start.elapsed().as_secs_f64() * order.rate) as u64;
        if sent > due || sent > safe.load(Ordering::Relaxed) + WINDOW {
            std::thread::sleep(Duration::from_millis(1));
            continue;
        }
        text.clear();
        let until = order.rounds.min(round + TOGETHER);
        for next in round..until {
            (order.first..order.first + order.count).for_each(|p| event(p, next, &mut text));
        }
        round = until;
        stream.write_all(text.as_bytes()).map_err(words)?;
    }
    finish(&mut stream, &order, &safe)
}

/// Ends the processes of the run, and waits until all that was sent is safe.
fn finish(stream: &mut TcpStream, order: &Order, safe: &AtomicU64) -> Result<(), String> {
    let mut text = String::new();
    for process in order.first..order.first + order.count {
        let _ = writeln!(text, "{{\"p\":\"p{process}\",\"end\":true}}");
    }
    let sent = stream.write_all(text.as_bytes());
    sent.map_err(|error| error.to_string())?;
    let waited = Instant::now();
    let wanted = order.rounds * order.count as u64;
    while safe.load(Ordering::Relaxed) < wanted {
        if waited.elapsed() > PATIENCE {
            return Err("what was sent last is not acknowledged".to_owned());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    println!("{}", safe.load(Ordering::Relaxed));
    Ok(())
}

impl Order {
    fn read() -> Option<Order> {
        let text = std::env::var("CAUSET_LOAD").ok()?;
        let mut words = text.split(' ');
        Some(Order {
            server: words.next()?.parse().ok()?,
            first: words.next()?.parse().ok()?,
            count: words.next()?.parse().ok()?,
            rounds: words.next()?.parse().ok()?,
            rate: words.next()?.parse().ok()?,
        })
    }
}

/// The first lines of a connection about a run of the ring.
pub(super) fn header(run: &str) -> String {
    let names: Vec<String> = (0..PROCESSES).map(|p| format!("\"p{p}\"")).collect();
    let values: Vec<String> = (0..PROCESSES).map(|p| format!("\"p{p}.x\":0")).collect();
    format!(
        "{{\"run\":\"{run}\"}}\n{{\"causet\":1,\"processes\":[{}],\"init\":{{{}}}}}\n",
        names.join(","),
        values.join(",")
    )
}

/// What a process does in a round: it hears of its neighbour's round before, and tells its other neighbour of this one.
fn event(process: usize, round: u64, text: &mut String) {
    let (before, after) = (
        (process + PROCESSES - 1) % PROCESSES,
        (process + 1) % PROCESSES,
    );
    let when = if process < PROCESSES / 2 { 0 } else { 8 };
    let x = u8::from(round % 16 == when);
    let _ = write!(
        text,
        "{{\"p\":\"p{process}\",\"set\":{{\"x\":{x}}},\"send\":\"{process}-{round}\",\"to\":\"p{after}\""
    );
    if let Some(last) = round.checked_sub(1) {
        let _ = write!(text, ",\"recv\":\"{before}-{last}\"");
    }
    text.push_str("}\n");
}

/// Counts what is safe, on a thread of its own.
fn count_acknowledgements(stream: &TcpStream, safe: Arc<AtomicU64>) -> std::io::Result<()> {
    let input = BufReader::new(stream.try_clone()?);
    std::thread::spawn(move || {
        let mut by_process = [0; PROCESSES];
        for line in input.lines().map_while(Result::ok) {
            let said: Value = serde_json::from_str(&line).unwrap_or_default();
            for (process, count) in said["ack"].as_object().into_iter().flatten() {
                let number = process[1..].parse::<usize>().ok();
                if let Some(slot) = number.and_then(|number| by_process.get_mut(number)) {
                    *slot = count.as_u64().unwrap_or_default();
                }
            }
            safe.store(by_process.iter().sum(), Ordering::Relaxed);
        }
    });
    Ok(())
}
