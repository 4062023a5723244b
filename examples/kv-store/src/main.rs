//! A replicated key-value store over TCP on loopback: a client, a primary and two backups, each a process of its own.
//!
//! Every process records its events with `causet_record` into a log of its own; stamps travel with the messages. The
//! primary has a bug that no test has ever seen: it answers the client without waiting for its backups. They are always
//! quicker than the answer, so every log looks fine. `--careful` mends it.
//!
//! ```text
//! kv-store demo DIR [--careful]     starts all processes; DIR/*.jsonl are their logs
//! ```

use std::env;
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

use causet_record::{Recorder, Recording, Stamp};

type Outcome<T> = Result<T, Box<dyn Error>>;

const PROCESSES: [&str; 4] = ["backup1", "backup2", "client", "primary"];

fn main() -> Outcome<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["demo", folder] => demo(Path::new(folder), false),
        ["demo", folder, "--careful"] => demo(Path::new(folder), true),
        ["backup", name, port, folder] => backup(name, port, Path::new(folder)),
        ["primary", port, first, second, folder, care] => {
            primary(port, [first, second], Path::new(folder), care == "careful")
        }
        ["client", port, folder] => client(port, Path::new(folder)),
        _ => Err("usage: kv-store demo DIR [--careful]".into()),
    }
}

/// Starts every process, waits for them all.
fn demo(folder: &Path, careful: bool) -> Outcome<()> {
    let ports: Vec<String> = (0..3).map(|_| free_port()).collect::<Outcome<_>>()?;
    let logs = folder.display().to_string();
    let care = if careful { "careful" } else { "hasty" };
    let [primary, first, second] = [&ports[0], &ports[1], &ports[2]].map(String::as_str);
    let children = [
        start(&["backup", "backup1", first, &logs])?,
        start(&["backup", "backup2", second, &logs])?,
        start(&["primary", primary, first, second, &logs, care])?,
        start(&["client", primary, &logs])?,
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

fn start(arguments: &[&str]) -> Outcome<Child> {
    Ok(Command::new(env::current_exe()?).args(arguments).spawn()?)
}

/// The log of one process; all logs have the same header, so together they are one run.
fn recorder(name: &str, folder: &Path) -> Outcome<Recorder> {
    let mut builder = Recording::builder()
        .processes(PROCESSES)
        .init("client.acked", false);
    for replica in ["primary", "backup1", "backup2"] {
        builder = builder.init(&format!("{replica}.value"), "old");
    }
    let recording = builder.to_file(folder.join(format!("{name}.jsonl")))?;
    Ok(recording.process(name))
}

/// Stores what the primary sends and confirms it.
fn backup(name: &str, port: &str, folder: &Path) -> Outcome<()> {
    let mut recorder = recorder(name, folder)?;
    let mut primary = Line::accept(port)?;
    let (value, stamp) = primary.receive("COPY")?;
    recorder
        .event("apply")
        .recv(&stamp)
        .set("value", value)
        .done();
    let stamp = recorder.event("confirm").to("primary").send();
    primary.send("DONE", "-", &stamp)?;
    recorder.end();
    Ok(())
}

/// Stores what the client sends, copies it to the backups and answers.
fn primary(port: &str, backups: [&str; 2], folder: &Path, careful: bool) -> Outcome<()> {
    let mut recorder = recorder("primary", folder)?;
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
    if careful {
        confirm(&mut recorder, &mut backups)?;
    }
    // The disk is slow: by now the backups have long applied the write. Nothing makes it so.
    thread::sleep(Duration::from_millis(50));
    let stamp = recorder.event("answer").to("client").send();
    client.send("OK", "-", &stamp)?;
    if !careful {
        confirm(&mut recorder, &mut backups)?;
    }
    recorder.end();
    Ok(())
}

fn confirm(recorder: &mut Recorder, backups: &mut [Line]) -> Outcome<()> {
    for backup in backups {
        let (_, stamp) = backup.receive("DONE")?;
        recorder.event("confirmed").recv(&stamp).done();
    }
    Ok(())
}

/// Writes once and waits for the answer.
fn client(port: &str, folder: &Path) -> Outcome<()> {
    let mut recorder = recorder("client", folder)?;
    let mut primary = Line::connect(port)?;
    let stamp = recorder.event("put").to("primary").send();
    primary.send("PUT", "new", &stamp)?;
    let (_, stamp) = primary.receive("OK")?;
    recorder
        .event("done")
        .recv(&stamp)
        .set("acked", true)
        .done();
    recorder.end();
    Ok(())
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
