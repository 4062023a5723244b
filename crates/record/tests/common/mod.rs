//! A small server that speaks the protocol of `causet serve` and dies when it is told to.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// What the server does on one connection.
pub(crate) enum Act {
    /// Everything as it should be.
    Serve,
    /// Ends before it says what it has.
    HangUp,
    /// Ends after so many bytes, perhaps in the middle of a line; acknowledges nothing or every so many lines, and keeps
    /// or forgets what it has not acknowledged.
    Die {
        after: u64,
        ack_every: Option<usize>,
        keeps: bool,
    },
    /// Ends when a process does, without having heard it.
    DieAtEnd,
    /// Takes everything and acknowledges nothing.
    TakeSilently,
    /// Takes a little time for every line.
    Slow,
    /// Says why it does not want to, before or after it says what it has.
    Refuse { let_in: bool },
    /// Waits until it hears something, then serves.
    Wait(Receiver<()>),
}

/// What has arrived.
#[derive(Default, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) hellos: Vec<Value>,
    pub(crate) headers: BTreeSet<String>,
    /// The lines of each process, by number.
    pub(crate) events: BTreeMap<String, Vec<String>>,
    pub(crate) ends: BTreeSet<String>,
    /// Lines that came before those between, or came again in another form.
    pub(crate) faults: Vec<String>,
    /// How many lines were taken and forgotten.
    pub(crate) forgotten: usize,
}

/// A server on a port of its own.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    kept: Arc<Mutex<Kept>>,
}

impl Server {
    /// Plays these acts on the first connections, one after the other, then serves.
    pub(crate) fn play(acts: Vec<Act>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let kept = Arc::new(Mutex::new(Kept::default()));
        let all = Arc::clone(&kept);
        thread::spawn(move || {
            let mut acts = VecDeque::from(acts);
            for stream in listener.incoming() {
                let stream = stream.expect("a connection");
                let kept = Arc::clone(&all);
                match acts.pop_front() {
                    None => drop(thread::spawn(move || {
                        connection(stream, &Act::Serve, &kept);
                    })),
                    Some(act) => connection(stream, &act, &kept),
                }
            }
        });
        Server { address, kept }
    }

    /// Puts events there that nobody sent.
    pub(crate) fn with_events(self, process: &str, count: usize) -> Server {
        let lines = vec![String::new(); count];
        self.kept().events.insert(process.to_owned(), lines);
        self
    }

    pub(crate) fn kept(&self) -> MutexGuard<'_, Kept> {
        lock(&self.kept)
    }
}

/// Talks on one connection of TCP.
fn connection(stream: TcpStream, act: &Act, kept: &Mutex<Kept>) {
    let input = stream.try_clone().expect("another handle");
    stream.set_nodelay(true).expect("a setting");
    // Whoever is at the other end may go away at any time.
    let _ = talk(input, stream, act, kept);
}

/// Talks on one connection.
pub(crate) fn talk(
    input: impl Read,
    mut output: impl Write,
    act: &Act,
    kept: &Mutex<Kept>,
) -> std::io::Result<()> {
    let mut input = BufReader::new(input);
    let mut line = String::new();
    input.read_line(&mut line)?;
    let hello: Value = serde_json::from_str(&line)?;
    let error = json!({"error": "not \"you\""});
    let (after, ack_every, keeps) = match *act {
        Act::HangUp => return Ok(()),
        Act::Refuse { let_in: false } => return writeln!(output, "{error}"),
        Act::Die {
            after,
            ack_every,
            keeps,
        } => (after, ack_every, keeps),
        Act::TakeSilently => (u64::MAX, None, true),
        Act::Wait(ref told) => {
            // The test may be over.
            let _ = told.recv();
            (u64::MAX, Some(1), true)
        }
        Act::Serve | Act::Slow | Act::DieAtEnd | Act::Refuse { let_in: true } => {
            (u64::MAX, Some(1), true)
        }
    };
    let mut own = lock(kept).clone();
    own.hellos.push(hello.clone());
    lock(kept).hellos.push(hello.clone());
    let counts = own.events.iter().map(|(name, all)| (name, all.len()));
    let have: BTreeMap<&String, usize> = counts.collect();
    writeln!(output, "{}", json!({"run": hello["run"], "have": have}))?;
    if matches!(act, Act::Refuse { .. }) {
        return writeln!(output, "{error}");
    }
    let mut input = input.take(after);
    let mut numbers = BTreeMap::new();
    let mut unsaid = BTreeSet::new();
    // What is forgotten is taken into a copy.
    let mut forgotten = own;
    let mut count = 0;
    let mut unsaid_lines = 0;
    loop {
        line.clear();
        input.read_line(&mut line)?;
        if !line.ends_with('\n') {
            lock(kept).forgotten += if keeps { 0 } else { unsaid_lines };
            return Ok(());
        }
        if matches!(act, Act::DieAtEnd) && line.contains("\"end\"") {
            return Ok(());
        }
        if matches!(act, Act::Slow) {
            thread::sleep(Duration::from_micros(200));
        }
        let process = match keeps {
            true => lock(kept).take(&line, &mut numbers),
            false => forgotten.take(&line, &mut numbers),
        };
        unsaid.extend(process);
        unsaid_lines += 1;
        count += 1;
        if unsaid.is_empty() || ack_every.is_none_or(|every| count % every != 0) {
            continue;
        }
        unsaid_lines = 0;
        if !keeps {
            *lock(kept) = forgotten.clone();
        }
        let events = &lock(kept).events;
        let number = |name: String| {
            let count = events.get(&name).map_or(0, Vec::len);
            (name, count)
        };
        let ack: BTreeMap<String, usize> = std::mem::take(&mut unsaid)
            .into_iter()
            .map(number)
            .collect();
        writeln!(output, "{}", json!({"ack": ack}))?;
    }
}

impl Kept {
    /// Takes a line; the process it is of.
    fn take(&mut self, line: &str, numbers: &mut BTreeMap<String, usize>) -> Option<String> {
        let line = line.trim_end();
        let value: Value = serde_json::from_str(line).expect("JSON");
        if !value["causet"].is_null() {
            self.headers.insert(line.to_owned());
            return None;
        }
        if let Some(from) = value["from"].as_object() {
            for (process, number) in from {
                let number = number.as_u64().expect("a number") as usize;
                numbers.insert(process.clone(), number);
            }
            return None;
        }
        let process = value["p"].as_str().expect("a process").to_owned();
        let all = self.events.entry(process.clone()).or_default();
        let number = numbers.entry(process.clone()).or_insert(1);
        if value["end"] == true {
            if *number != all.len() + 1 {
                self.faults.push(format!("{line} as number {number}"));
            }
            self.ends.insert(process.clone());
            return Some(process);
        }
        match all.get(*number - 1) {
            None if *number == all.len() + 1 => all.push(line.to_owned()),
            Some(before) if before == line => {}
            _ => self.faults.push(format!("{line} as number {number}")),
        }
        *number += 1;
        Some(process)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no panic")
}
