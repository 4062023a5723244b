//! A replicated key-value store over TCP on loopback: a client, a primary and two backups, each a process of its own.
//!
//! Every process records its events with `causet_record` into a log of its own; stamps travel with the messages. The
//! primary has a bug that no test has ever seen: it answers the client without waiting for its backups. They are always
//! quicker than the answer, so every log looks fine. `--careful` mends it.
//!
//! ```text
//! kv-store demo DIR [--careful]                        starts all processes; DIR/*.jsonl are their logs
//! kv-store demo --serve ADDRESS --run NAME [...]       they send to a server that follows the run instead
//! kv-store demo ... --stay                             no process ends before standard input does, as in a service
//! ```

use std::env;
use std::error::Error;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

use causet_record::{Recorder, Recording, ServerOptions, Stamp};

type Outcome<T> = Result<T, Box<dyn Error>>;

const PROCESSES: [&str; 4] = ["backup1", "backup2", "client", "primary"];

const USAGE: &str = "usage: kv-store demo (DIR | --serve ADDRESS --run NAME) [--careful] [--stay]";

fn main() -> Outcome<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match &words[..] {
        ["demo", manner @ ..] => demo(manner),
        ["backup", name, port, manner @ ..] => backup(name, port, &Manner::read(manner)?),
        ["primary", port, first, second, manner @ ..] => {
            primary(port, [first, second], &Manner::read(manner)?)
        }
        ["client", port, manner @ ..] => client(port, &Manner::read(manner)?),
        _ => Err(USAGE.into()),
    }
}

/// How the store works: where it records, whether its primary waits for its backups, and whether it stays.
#[derive(Default)]
struct Manner<'a> {
    folder: Option<&'a str>,
    server: Option<&'a str>,
    run: Option<&'a str>,
    careful: bool,
    stays: bool,
}

impl<'a> Manner<'a> {
    fn read(words: &[&'a str]) -> Outcome<Self> {
        let mut manner = Manner::default();
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            match word {
                "--careful" => manner.careful = true,
                "--stay" => manner.stays = true,
                "--serve" => manner.server = words.next(),
                "--run" => manner.run = words.next(),
                folder => manner.folder = Some(folder),
            }
        }
        match (manner.folder, manner.server, manner.run) {
            (Some(_), None, None) | (None, Some(_), Some(_)) => Ok(manner),
            _ => Err(USAGE.into()),
        }
    }

    /// Where a process records. All have the same header, so together they are one run.
    fn recording(&self, name: &str) -> Outcome<Recording> {
        let mut builder = Recording::builder()
            .processes(PROCESSES)
            .init("client.acked", false);
        // The client stores nothing, but a server can follow what is asked of all processes once all have the variable.
        for process in PROCESSES {
            builder = builder.init(&format!("{process}.value"), "old");
        }
        Ok(match (self.folder, self.server, self.run) {
            (None, Some(server), Some(run)) => {
                builder.to_server(ServerOptions::tcp(server, run))?
            }
            (folder, ..) => {
                let folder = Path::new(folder.ok_or(USAGE)?);
                builder.to_file(folder.join(format!("{name}.jsonl")))?
            }
        })
    }

    /// Ends a process, as soon as it may; everything it has recorded is safe then.
    fn end(&self, recorder: Recorder) -> Outcome<()> {
        if self.stays {
            io::copy(&mut io::stdin(), &mut io::sink())?;
        }
        let recording = recorder.recording().clone();
        recorder.end();
        Ok(recording.flush()?)
    }
}

/// Starts every process, waits for them all.
fn demo(manner: &[&str]) -> Outcome<()> {
    Manner::read(manner)?;
    let ports: Vec<String> = (0..3).map(|_| free_port()).collect::<Outcome<_>>()?;
    let [primary, first, second] = [&ports[0], &ports[1], &ports[2]].map(String::as_str);
    let children = [
        start(&["backup", "backup1", first], manner)?,
        start(&["backup", "backup2", second], manner)?,
        start(&["primary", primary, first, second], manner)?,
        start(&["client", primary], manner)?,
    ];
    for mut child in children {
        if !child.wait()?.success() {
            return Err("a process of the store failed".into());
        }
    }
    Ok(())
}

fn free_port() -> Outcome<String> {
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    Ok(port.to_string())
}

fn start(role: &[&str], manner: &[&str]) -> Outcome<Child> {
    let mut command = Command::new(env::current_exe()?);
    Ok(command.args(role).args(manner).spawn()?)
}

/// Stores what the primary sends and confirms it.
fn backup(name: &str, port: &str, manner: &Manner) -> Outcome<()> {
    let mut recorder = manner.recording(name)?.process(name);
    let mut primary = Line::accept(port)?;
    let (value, stamp) = primary.receive("COPY")?;
    recorder
        .event("apply")
        .recv(&stamp)
        .set("value", value)
        .done();
    let stamp = recorder.event("confirm").to("primary").send();
    primary.send("DONE", "-", &stamp)?;
    manner.end(recorder)
}

/// Stores what the client sends, copies it to the backups and answers.
fn primary(port: &str, backups: [&str; 2], manner: &Manner) -> Outcome<()> {
    let mut recorder = manner.recording("primary")?.process("primary");
    let mut backups = [Line::connect(backups[0])?, Line::connect(backups[1])?];
    let mut client = Line::accept(port)?;
    let (value, stamp) = client.receive("PUT")?;
    recorder
        .event("store")
        .recv(&stamp)
        .set("value", value.as_str())
        .done();
    for (backup, name) in backups.iter_mut().zip(["backup1", "backup2"]) {
        let stamp = recorder.event("replicate").to(name).send();
        backup.send("COPY", &value, &stamp)?;
    }
    if manner.careful {
        confirm(&mut recorder, &mut backups)?;
    }
    // The disk is slow: by now the backups have long applied the write. Nothing makes it so.
    thread::sleep(Duration::from_millis(50));
    let stamp = recorder.event("answer").to("client").send();
    client.send("OK", "-", &stamp)?;
    if !manner.careful {
        confirm(&mut recorder, &mut backups)?;
    }
    manner.end(recorder)
}

fn confirm(recorder: &mut Recorder, backups: &mut [Line]) -> Outcome<()> {
    for backup in backups {
        let (_, stamp) = backup.receive("DONE")?;
        recorder.event("confirmed").recv(&stamp).done();
    }
    Ok(())
}

/// Writes once and waits for the answer.
fn client(port: &str, manner: &Manner) -> Outcome<()> {
    let mut recorder = manner.recording("client")?.process("client");
    let mut primary = Line::connect(port)?;
    let stamp = recorder.event("put").to("primary").send();
    primary.send("PUT", "new", &stamp)?;
    let (_, stamp) = primary.receive("OK")?;
    recorder
        .event("done")
        .recv(&stamp)
        .set("acked", true)
        .done();
    manner.end(recorder)
}

/// A connection that carries lines of a word, a value and a stamp.
struct Line {
    reader: BufReader<TcpStream>,
}

impl Line {
    fn accept(port: &str) -> Outcome<Line> {
        let (stream, _) = TcpListener::bind(format!("127.0.0.1:{port}"))?.accept()?;
        Ok(Line {
            reader: BufReader::new(stream),
        })
    }

    /// Connects, and tries again for a while: the other process may still be starting.
    fn connect(port: &str) -> Outcome<Line> {
        let address = format!("127.0.0.1:{port}");
        for _ in 0..500 {
            if let Ok(stream) = TcpStream::connect(&address) {
                return Ok(Line {
                    reader: BufReader::new(stream),
                });
            }
            thread::sleep(Duration::from_millis(10));
        }
        Err(format!("nobody listens on {address}").into())
    }

    fn send(&mut self, word: &str, value: &str, stamp: &Stamp) -> Outcome<()> {
        Ok(writeln!(self.reader.get_mut(), "{word} {value} {stamp}")?)
    }

    fn receive(&mut self, expected: &str) -> Outcome<(String, Stamp)> {
        let mut line = String::new();
        self.reader.read_line(&mut line)?;
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            [word, value, stamp] if word == expected => Ok((value.to_owned(), stamp.parse()?)),
            _ => Err(format!("expected {expected}, got {line:?}").into()),
        }
    }
}
