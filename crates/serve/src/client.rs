//! Sending a recorded run to a server: what was not acknowledged is sent again, until all of it is safe.
//!
//! ```text
//!          connected, the server tells what it has      all lines sent and acknowledged
//!  away ------------------------------------------> sending ---------------------------> done
//!   ^                                                  |
//!   +--------------------------------------------------+
//!                 the connection is lost
//! ```

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::protocol::{Hello, Reply, Word};
use crate::tls::Trust;

/// What is sent, and how.
#[derive(Clone, Debug)]
pub struct Errand {
    /// Where the server is.
    pub server: SocketAddr,
    /// Which run it is.
    pub hello: Hello,
    /// The header of the run, if it has one.
    pub header: Option<String>,
    /// So many events a second, if not as many as possible.
    pub rate: Option<f64>,
    /// So long it is tried to reach the server again.
    pub patience: Duration,
}

/// A line of a run, and whose it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The process.
    pub process: String,
    /// The line, without its end.
    pub text: String,
    /// Whether it is an event; the end of a process is none.
    pub is_event: bool,
}

/// Why lines could not be sent.
#[derive(Debug)]
pub enum NotSent {
    /// The server does not want them.
    Refused(String),
    /// The server cannot show who it is.
    Unknown(io::Error),
    /// The server could not be reached for too long.
    Away(io::Error),
}

impl std::fmt::Display for NotSent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotSent::Refused(reason) => write!(f, "the server refuses: {reason}"),
            NotSent::Unknown(error) => write!(f, "the server is not believed: {error}"),
            NotSent::Away(error) => write!(f, "the server cannot be reached: {error}"),
        }
    }
}

/// What it took.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Sent {
    /// How many events are safe with the server.
    pub events: u64,
    /// How many times the connection was made again.
    pub again: u64,
}

/// So long between two attempts to reach a server.
const PAUSE: Duration = Duration::from_millis(50);
/// So much is collected before it is sent.
const CHUNK: usize = 64 << 10;
/// So many events may be under way.
const WINDOW: u64 = 100_000;
/// So long a server may say nothing while something is awaited from it.
const SILENCE: Duration = Duration::from_secs(30);

/// Sends lines, each process in its own order, and waits until all of them are safe; then says that the run is over, if
/// it is to be said.
pub fn send(errand: &Errand, lines: &[Line], over: bool) -> Result<Sent, NotSent> {
    send_over(&plain, errand, lines, over)
}

/// A connection: what comes from the server, and what goes to it.
pub type Connection = (Box<dyn Read + Send>, Box<dyn Write + Send>);

/// How a server is reached.
pub type Connect<'c> = &'c dyn Fn(SocketAddr) -> io::Result<Connection>;

/// The same over connections of another kind.
pub fn send_over(
    connect: Connect<'_>,
    errand: &Errand,
    lines: &[Line],
    over: bool,
) -> Result<Sent, NotSent> {
    let mut wanted: BTreeMap<&str, u32> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.is_event) {
        *wanted.entry(&line.process).or_default() += 1;
    }
    let mut sender = Sender {
        connect,
        errand,
        lines,
        wanted,
        safe: BTreeMap::new(),
        sent: Sent::default(),
        start: Instant::now(),
    };
    let mut away: Option<Instant> = None;
    loop {
        let before = sender.sent_safely();
        match sender.attempt(over) {
            Ok(()) => {
                sender.sent.events = sender.sent_safely();
                return Ok(sender.sent);
            }
            Err(refused @ (NotSent::Refused(_) | NotSent::Unknown(_))) => return Err(refused),
            Err(NotSent::Away(error)) => {
                if sender.sent_safely() > before {
                    away = None;
                }
                if away.get_or_insert_with(Instant::now).elapsed() > errand.patience {
                    return Err(NotSent::Away(error));
                }
                sender.sent.again += 1;
                std::thread::sleep(PAUSE);
            }
        }
    }
}

/// A connection that is not encrypted.
fn plain(server: SocketAddr) -> io::Result<Connection> {
    let stream = connect(server)?;
    Ok((Box::new(stream.try_clone()?), Box::new(stream)))
}

/// A connection that is encrypted, to somebody who can show to have that address.
pub fn encrypted(trust: &Trust, server: SocketAddr) -> io::Result<Connection> {
    let (input, output) = trust.connect(connect(server)?, &server.ip().to_string())?;
    Ok((Box::new(input), Box::new(output)))
}

fn connect(server: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(server)?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

struct Sender<'e> {
    connect: Connect<'e>,
    errand: &'e Errand,
    lines: &'e [Line],
    /// How many events each process has.
    wanted: BTreeMap<&'e str, u32>,
    /// How many events of each process are safe.
    safe: BTreeMap<String, u32>,
    sent: Sent,
    start: Instant,
}

impl Sender<'_> {
    fn sent_safely(&self) -> u64 {
        self.safe.values().map(|&count| u64::from(count)).sum()
    }

    /// One connection, to its end.
    fn attempt(&mut self, over: bool) -> Result<(), NotSent> {
        let connected = (self.connect)(self.errand.server);
        let (input, mut stream) = connected.map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => NotSent::Unknown(error),
            _ => NotSent::Away(error),
        })?;
        let mut opening = Word::Hello(self.errand.hello.clone()).line();
        stream
            .write_all(opening.as_bytes())
            .map_err(NotSent::Away)?;
        let told = listen(input);
        match hear(&told)? {
            Reply::Have { have, .. } => self.safe = have,
            Reply::Error { error } => return Err(NotSent::Refused(error)),
            Reply::Ack { .. } => {}
        }
        opening.clear();
        if let Some(header) = &self.errand.header {
            opening = format!("{header}\n");
        }
        let from = self
            .safe
            .iter()
            .map(|(process, &safe)| (process.clone(), safe + 1));
        opening += &Word::From(from.collect()).line();
        stream
            .write_all(opening.as_bytes())
            .map_err(NotSent::Away)?;
        self.send_rest(&mut stream, &told)?;
        while !self.is_safe() {
            self.note(hear(&told)?)?;
        }
        if over {
            let over = Word::Over.line();
            stream.write_all(over.as_bytes()).map_err(NotSent::Away)?;
        }
        Ok(())
    }

    /// Sends what is not safe yet.
    fn send_rest(&mut self, stream: &mut dyn Write, told: &Receiver<Reply>) -> Result<(), NotSent> {
        let begun = self.safe.clone();
        let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
        let mut chunk = Vec::with_capacity(2 * CHUNK);
        let mut sent = self.sent_safely();
        for line in self.lines {
            let number = numbers.entry(&line.process).or_default();
            *number += u32::from(line.is_event);
            if line.is_event
                && begun
                    .get(&line.process)
                    .is_some_and(|safe| *number <= *safe)
            {
                continue;
            }
            chunk.extend_from_slice(line.text.as_bytes());
            chunk.push(b'\n');
            sent += u64::from(line.is_event);
            let ahead = self.ahead(sent);
            if chunk.len() < CHUNK && ahead.is_zero() {
                continue;
            }
            stream.write_all(&chunk).map_err(NotSent::Away)?;
            chunk.clear();
            std::thread::sleep(ahead);
            for reply in told.try_iter() {
                self.note(reply)?;
            }
            while sent > self.sent_safely() + WINDOW {
                self.note(hear(told)?)?;
            }
        }
        stream.write_all(&chunk).map_err(NotSent::Away)
    }

    /// How long to wait before more is sent, so that there are not too many a second.
    fn ahead(&self, sent: u64) -> Duration {
        let due = self.errand.rate.map_or(0.0, |rate| sent as f64 / rate);
        let due = Duration::try_from_secs_f64(due).unwrap_or(SILENCE);
        due.saturating_sub(self.start.elapsed())
    }

    fn note(&mut self, reply: Reply) -> Result<(), NotSent> {
        match reply {
            Reply::Ack { ack } => self.safe.extend(ack),
            // The run may be over when all of it has come.
            Reply::Error { .. } if self.is_safe() => {}
            Reply::Error { error } => return Err(NotSent::Refused(error)),
            Reply::Have { .. } => {}
        }
        Ok(())
    }

    /// Whether the server has every event.
    fn is_safe(&self) -> bool {
        let mut wanted = self.wanted.iter();
        wanted.all(|(process, count)| self.safe.get(*process).is_some_and(|safe| safe >= count))
    }
}

/// What the server says, read on a thread of its own.
fn listen(input: Box<dyn Read + Send>) -> Receiver<Reply> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(input).lines() {
            let reply = line.ok().and_then(|line| serde_json::from_str(&line).ok());
            if reply.is_none_or(|reply| sender.send(reply).is_err()) {
                return;
            }
        }
    });
    receiver
}

fn hear(told: &Receiver<Reply>) -> Result<Reply, NotSent> {
    told.recv_timeout(SILENCE)
        .map_err(|_| NotSent::Away(io::ErrorKind::ConnectionAborted.into()))
}
