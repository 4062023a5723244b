//! A client that forgets what the server has said to be safe, and is interrupted again and again.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use causet_serve::client::Line;
use causet_serve::protocol::{Hello, Reply, Word};

use super::served::{HEADER, PATIENCE};

/// The lines of a run that have to be sent, and no others.
pub(crate) struct Trusting {
    server: SocketAddr,
    run: String,
    lines: Vec<(u32, Line)>,
    /// How many events of each process were said to be safe.
    safe: BTreeMap<String, u32>,
    rng: fastrand::Rng,
}

impl Trusting {
    pub(crate) fn new(server: SocketAddr, run: &str, lines: &[Line], seed: u64) -> Trusting {
        let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
        let numbered = lines.iter().map(|line| {
            let number = numbers.entry(&line.process).or_default();
            *number += u32::from(line.is_event);
            (*number, line.clone())
        });
        Trusting {
            server,
            run: run.to_owned(),
            lines: numbered.collect(),
            safe: BTreeMap::new(),
            rng: fastrand::Rng::with_seed(seed),
        }
    }

    /// Sends everything, a part on each connection, and says that the run is over.
    pub(crate) fn send(mut self) {
        let mut start = Instant::now();
        while self.lines.iter().any(|(_, line)| line.is_event) {
            let before = self.lines.len();
            if self.attempt().is_err() {
                std::thread::sleep(Duration::from_millis(5));
            }
            if self.lines.len() < before {
                start = Instant::now();
            }
            assert!(start.elapsed() < PATIENCE, "nothing becomes safe");
        }
        while !self.is_over() {
            assert!(start.elapsed() < 2 * PATIENCE, "the run does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// One connection, which is left in the middle.
    fn attempt(&mut self) -> io::Result<()> {
        let mut stream = self.connect()?;
        let have = self.have(&stream)?;
        self.forget(have)?;
        let from = self.safe.iter().map(|(p, safe)| (p.clone(), safe + 1));
        let mut text = format!("{HEADER}\n{}", Word::From(from.collect()).line());
        let most = self.rng.usize(1..8_000);
        for (_, line) in self.lines.iter().take(most) {
            text += &line.text;
            text.push('\n');
        }
        stream.write_all(text.as_bytes())
    }

    fn connect(&self) -> io::Result<TcpStream> {
        let mut stream = TcpStream::connect(self.server)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let hello = Word::Hello(Hello {
            run: self.run.clone(),
            token: None,
        });
        stream.write_all(hello.line().as_bytes())?;
        Ok(stream)
    }

    fn have(&self, stream: &TcpStream) -> io::Result<BTreeMap<String, u32>> {
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line)?;
        match serde_json::from_str(&line)? {
            Reply::Have { have, .. } => Ok(have),
            other => Err(io::Error::other(format!("{other:?}"))),
        }
    }

    /// Forgets what the server has.
    fn forget(&mut self, have: BTreeMap<String, u32>) -> io::Result<()> {
        for (process, safe) in &self.safe {
            let now = have.get(process).copied().unwrap_or_default();
            assert!(
                now >= *safe,
                "{}: {safe} events of {process} were safe, and now {now} are",
                self.run
            );
        }
        self.safe = have;
        let safe = &self.safe;
        let is_safe = |number: u32, line: &Line| {
            let count = safe.get(&line.process);
            line.is_event && count.is_some_and(|&count| number <= count)
        };
        self.lines.retain(|(number, line)| !is_safe(*number, line));
        Ok(())
    }

    /// Says that the run is over; whether the server knows.
    fn is_over(&self) -> bool {
        let said = self.connect().and_then(|mut stream| {
            self.have(&stream)?;
            stream.write_all(Word::Over.line().as_bytes())?;
            // The run is over when a line more is too much.
            writeln!(stream, "{{\"p\":\"a\"}}")?;
            let mut line = String::new();
            BufReader::new(&stream).read_line(&mut line)?;
            Ok(line)
        });
        said.is_ok_and(|line| line.contains("the run is over") || line.contains("\"ack\""))
    }
}
