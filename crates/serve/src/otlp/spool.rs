//! Where spans are kept before they are a run: appended in frames, flushed together, and removed when their runs are over.
//!
//! ```text
//! data/otlp/spool-00000007.journal   {"run":"otlp/4bf9...","given":false,"span":{...}}    a span, as it came
//!           spool-00000008.journal   {"closed":"otlp/4bf9..."}                            what follows of it is too late
//! ```
//!
//! A file is removed when all runs that began in it or before are over. Everything goes through one thread, so what is
//! told in some order is kept in that order, and one flush serves all who wait.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};

use causet_formats::journal::{self, Frames, MAGIC};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use super::export::RunName;
use crate::desk::Safety;
use crate::keeping::sync_folder;
use crate::private::{close_folder, create_folder, options};

/// A file is followed by another one when it is longer than this.
const LONG: u64 = 16 << 20;
/// So many requests are flushed together at most.
const TOGETHER: usize = 256;

/// What a line of it says.
pub(super) enum Record<'r> {
    /// A span of a run, as an export of its own.
    Span(RunName, Cow<'r, str>),
    /// A run takes no more spans.
    Closed(String),
}

/// The fields of a line; which are there says what it is about.
#[derive(Deserialize)]
struct Fields<'r> {
    #[serde(default)]
    run: Option<String>,
    #[serde(default)]
    given: Option<bool>,
    #[serde(borrow, default)]
    span: Option<&'r RawValue>,
    #[serde(default)]
    closed: Option<String>,
}

impl<'r> Record<'r> {
    /// The line that says it.
    pub(super) fn line(&self) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        match self {
            Record::Closed(run) => format!("{{\"closed\":{}}}\n", quoted(run)),
            Record::Span(RunName { name, is_given }, span) => {
                let name = quoted(name);
                format!("{{\"run\":{name},\"given\":{is_given},\"span\":{span}}}\n")
            }
        }
    }

    /// What a line says, if it is one of these.
    pub(super) fn read(line: &'r str) -> Option<Record<'r>> {
        let fields: Fields<'r> = serde_json::from_str(line).ok()?;
        match fields {
            Fields {
                closed: Some(closed),
                ..
            } => Some(Record::Closed(closed)),
            Fields {
                run: Some(name),
                given: Some(is_given),
                span: Some(span),
                ..
            } => Some(Record::Span(RunName { name, is_given }, span.get().into())),
            _ => None,
        }
    }
}

/// The way to the thread that keeps spans.
#[derive(Clone)]
pub(super) struct Spool {
    orders: Sender<Order>,
}

enum Order {
    /// Keep lines, and say in which file they are when they are safe.
    Keep(String, oneshot::Sender<u64>),
    /// Remove the files before this one.
    Remove(u64),
}

impl Spool {
    /// Opens the spool in a folder, and gives what it holds to `take`: the number of the file, and a record.
    pub(super) fn open(
        folder: &Path,
        safety: Safety,
        mut take: impl FnMut(u64, Record<'_>),
    ) -> io::Result<Spool> {
        create_folder(folder)?;
        close_folder(folder);
        let numbers = numbers(folder)?;
        for &number in &numbers {
            read(&path(folder, number), |record| take(number, record))?;
        }
        let next = numbers.last().map_or(1, |last| last + 1);
        let mut keeper = Keeper {
            folder: folder.to_owned(),
            safety,
            numbers,
            file: create(folder, next)?,
            length: 0,
        };
        keeper.numbers.push(next);
        let (orders, receiver) = channel();
        let thread = std::thread::Builder::new().name("spool".to_owned());
        thread.spawn(move || keeper.work(&receiver))?;
        Ok(Spool { orders })
    }

    /// Keeps lines; the answer comes when they are safe, and never if they cannot be kept.
    pub(super) fn keep(&self, lines: String) -> oneshot::Receiver<u64> {
        let (sender, receiver) = oneshot::channel();
        // A thread that has ended answers nothing.
        let _ = self.orders.send(Order::Keep(lines, sender));
        receiver
    }

    /// Removes the files before this one.
    pub(super) fn remove_before(&self, number: u64) {
        let _ = self.orders.send(Order::Remove(number));
    }
}

struct Keeper {
    folder: PathBuf,
    safety: Safety,
    /// The files there are, the last of which is written.
    numbers: Vec<u64>,
    file: File,
    length: u64,
}

impl Keeper {
    /// Keeps what it is told to; ends when that is not possible any more, and then nothing is answered.
    fn work(&mut self, orders: &Receiver<Order>) {
        while let Ok(first) = orders.recv() {
            let others = orders.try_iter().take(TOGETHER);
            let orders: Vec<Order> = std::iter::once(first).chain(others).collect();
            if self.carry_out(orders).is_err() {
                return;
            }
        }
    }

    fn carry_out(&mut self, orders: Vec<Order>) -> io::Result<()> {
        let mut frames = Vec::new();
        let mut waiting = Vec::new();
        let mut remove = 0;
        for order in orders {
            match order {
                Order::Keep(lines, answer) => {
                    if !lines.is_empty() {
                        journal::frame(lines.as_bytes(), &mut frames);
                    }
                    waiting.push(answer);
                }
                Order::Remove(before) => remove = remove.max(before),
            }
        }
        if !frames.is_empty() {
            self.file.write_all(&frames)?;
            self.length += frames.len() as u64;
            if self.safety == Safety::Flushed {
                self.file.sync_data()?;
            }
        }
        self.remove(remove);
        let number = self.numbers.last().copied().unwrap_or_default();
        for answer in waiting {
            // Whoever is gone does not want to know.
            let _ = answer.send(number);
        }
        if self.length > LONG {
            self.file = create(&self.folder, number + 1)?;
            self.numbers.push(number + 1);
            self.length = 0;
        }
        Ok(())
    }

    fn remove(&mut self, before: u64) {
        let last = self.numbers.last().copied().unwrap_or_default();
        let folder = &self.folder;
        self.numbers.retain(|&number| {
            let is_old = number < before.min(last);
            // What stays is read again, and found to be over.
            !(is_old && fs::remove_file(path(folder, number)).is_ok())
        });
    }
}

fn path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("spool-{number:08}.journal"))
}

/// The numbers of the files there are, in order.
fn numbers(folder: &Path) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        let number = name.strip_prefix("spool-");
        let number = number.and_then(|name| name.strip_suffix(".journal"));
        numbers.extend(number.and_then(|number| number.parse::<u64>().ok()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

fn create(folder: &Path, number: u64) -> io::Result<File> {
    let mut file = options()
        .create_new(true)
        .append(true)
        .open(path(folder, number))?;
    file.write_all(&MAGIC)?;
    file.sync_all()?;
    sync_folder(folder)?;
    Ok(file)
}

/// Reads the records of a file. What was being written when the writer was killed was not acknowledged, and is passed
/// over.
fn read(path: &Path, mut take: impl FnMut(Record<'_>)) -> io::Result<()> {
    let wrong = |what: &str| {
        let what = format!("{}: {what}", path.display());
        io::Error::new(io::ErrorKind::InvalidData, what)
    };
    let mut file = BufReader::new(File::open(path)?);
    let mut magic = Vec::new();
    file.by_ref()
        .take(MAGIC.len() as u64)
        .read_to_end(&mut magic)?;
    if magic != MAGIC {
        return match MAGIC.starts_with(&magic) {
            true => Ok(()),
            false => Err(wrong("it is not a journal")),
        };
    }
    let mut frames = Frames::new(file);
    while let Some(lines) = frames.next_frame()? {
        let text = str::from_utf8(lines).map_err(|_| wrong("it holds no text"))?;
        for line in text.lines() {
            take(Record::read(line).ok_or_else(|| wrong("it holds something else than spans"))?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(name: &str) -> String {
        let run = RunName {
            name: name.to_owned(),
            is_given: true,
        };
        Record::Span(run, "{\"x\":[1.50]}".into()).line()
    }

    fn say(record: &Record<'_>) -> String {
        match record {
            Record::Span(run, span) => format!("{}:{}:{span}", run.name, run.is_given),
            Record::Closed(run) => format!("closed {run}"),
        }
    }

    fn open(folder: &Path) -> (Spool, String) {
        let mut held = String::new();
        let take = |number, record: Record<'_>| held += &format!("{number} {}\n", say(&record));
        let spool = Spool::open(folder, Safety::Written, take).expect("it opens");
        (spool, held)
    }

    fn keep(spool: &Spool, lines: String) -> u64 {
        let kept = spool.keep(lines).blocking_recv();
        kept.expect("it is kept")
    }

    #[test]
    fn what_was_kept_is_there_in_its_order_until_it_is_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (spool, held) = open(folder.path());
        assert_eq!(held, "");
        assert_eq!(keep(&spool, span("a \"1\"") + &span("b")), 1);
        assert_eq!(keep(&spool, String::new()), 1);
        assert_eq!(keep(&spool, Record::Closed("b".to_owned()).line()), 1);
        let (again, held) = open(folder.path());
        let expected = "1 a \"1\":true:{\"x\":[1.50]}\n1 b:true:{\"x\":[1.50]}\n1 closed b\n";
        assert_eq!(held, expected);
        assert_eq!(keep(&again, span("d")), 2);
        again.remove_before(2);
        keep(&again, String::new());
        let (_, held) = open(folder.path());
        assert_eq!(held, "2 d:true:{\"x\":[1.50]}\n");
    }

    #[test]
    fn what_was_being_written_is_passed_over_and_anything_else_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let (spool, _) = open(folder.path());
        keep(&spool, span("a"));
        keep(&spool, span("b"));
        let path = path(folder.path(), 1);
        let bytes = fs::read(&path).expect("a file");
        let first = 4 + 8 + span("a").len();
        for length in 0..bytes.len() {
            fs::write(&path, &bytes[..length]).expect("a file");
            let mut count = 0;
            read(&path, |_| count += 1).expect("it can be read");
            assert_eq!(count, usize::from(length >= first), "{length}");
        }
        let mut wrong = MAGIC.to_vec();
        journal::frame(b"{\"span\":1}\n", &mut wrong);
        fs::write(&path, wrong).expect("a file");
        assert!(read(&path, |_| {}).is_err());
    }
}
