//! Short runs whose verdict is waited for: how long it takes from the last event it needs until it can be read.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::load::header;

/// What the names of their runs begin with.
const PREFIX: &str = "probe-";

/// The probes, and how long their verdicts took.
#[derive(Default)]
pub(super) struct Probes {
    asked: usize,
    /// When the last needed event was sent, by run.
    waiting: BTreeMap<String, Instant>,
    milliseconds: Vec<f64>,
    /// What else was said.
    pub(super) others: Vec<Value>,
}

impl Probes {
    /// Sends a run: one event that is safe, and then the one that shows a violation.
    pub(super) fn ask(&mut self, server: SocketAddr) -> Result<(), String> {
        let words = |error: std::io::Error| error.to_string();
        let name = format!("{PREFIX}{}", self.asked);
        self.asked += 1;
        let mut stream = TcpStream::connect(server).map_err(words)?;
        stream.set_nodelay(true).map_err(words)?;
        let first = format!("{}{{\"p\":\"p0\",\"set\":{{\"x\":1}}}}\n", header(&name));
        stream.write_all(first.as_bytes()).map_err(words)?;
        let mut answers = BufReader::new(stream.try_clone().map_err(words)?);
        let mut answer = String::new();
        while !answer.contains("\"ack\"") {
            answer.clear();
            if answers.read_line(&mut answer).map_err(words)? == 0 {
                return Err("the server hung up on a probe".to_owned());
            }
        }
        self.waiting.insert(name, Instant::now());
        let last = b"{\"p\":\"p5\",\"set\":{\"x\":1}}\n{\"over\":true}\n";
        stream.write_all(last).map_err(words)
    }

    /// Hears verdicts for a while.
    pub(super) fn hear(&mut self, said: &Receiver<(Instant, Value)>, time: Duration) {
        let end = Instant::now() + time;
        while let Ok((when, said)) =
            said.recv_timeout(end.saturating_duration_since(Instant::now()))
        {
            let run = said["run"].as_str().unwrap_or_default();
            if !run.starts_with(PREFIX) {
                self.others.push(said);
            } else if said["verdict"] == "violated"
                && let Some(asked) = self.waiting.remove(run)
            {
                let took = when.saturating_duration_since(asked);
                self.milliseconds.push(took.as_secs_f64() * 1e3);
            }
        }
    }

    /// How many verdicts came.
    pub(super) fn count(&self) -> usize {
        self.milliseconds.len()
    }

    /// So many of a hundred verdicts took no longer.
    pub(super) fn percentile(&mut self, of: usize) -> f64 {
        self.milliseconds.sort_by(f64::total_cmp);
        let at = self.milliseconds.len() * of / 100;
        let last = self.milliseconds.last().copied().unwrap_or_default();
        self.milliseconds.get(at).copied().unwrap_or(last)
    }
}
