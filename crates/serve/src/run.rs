//! One run while it goes on: events are taken once and in their order, kept, and followed.
//!
//! ```text
//!            header               pieces of lines                     over, or every process has ended
//!  new ----------------> open ---------------------------> open ------------------------------------> closed
//!                          |                                |
//!                          +---- settle: what is certain <--+
//! ```
//!
//! Nothing here waits: what was taken is safe when whoever owns the run has flushed its journal.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use causet_check::stream::{Last, Monitor, Standing};
use causet_formula::{Lets, Property};
use causet_trace::ProcessId;
use causet_wire::native::{self, Declared, Part, Piece, ReadOptions};
use serde::Serialize;

use crate::admission::{Admission, Ahead, Numbers};
use crate::keeping::Keeping;

/// What is asked of every run.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The properties, with the definitions they see.
    pub properties: Arc<Vec<(Property, Lets)>>,
    /// How many bytes each search of a property may take.
    pub memory: Option<u64>,
    /// How many bytes of lines a run may hold that are ahead of their process.
    pub ahead: usize,
}

/// A run that is followed.
pub struct Run {
    name: String,
    asked: Asked,
    monitor: Monitor,
    header: Header,
    keeping: Keeping,
    /// Lines that were taken and are not in the journal yet.
    fresh: Vec<u8>,
    /// Lines that are ahead of their process.
    held: BTreeMap<(ProcessId, u32), Held>,
    held_bytes: usize,
    again: u64,
    /// The properties of which something was told before the server began again.
    told: BTreeSet<String>,
}

/// What the run declares.
#[derive(Debug, Default)]
struct Header {
    declared: Declared,
    fields: serde_json::Map<String, serde_json::Value>,
    /// Whether it was given to the monitor; from then on nothing can be added.
    is_given: bool,
}

/// A line that is ahead of its process, and the end of the process if it stands there.
#[derive(Debug, Default)]
struct Held {
    line: Option<String>,
    end: Option<String>,
}

/// What has become of a property, told once.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct News {
    /// The run.
    pub run: String,
    /// The property.
    pub property: String,
    /// `holds`, `violated`, `unknown` or `refused`.
    pub verdict: &'static str,
    /// Whether it is so whatever comes; else it is said at the end.
    pub certain: bool,
    /// Why, where there is no verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How far the processes in view had come when it was seen.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub at: BTreeMap<String, u32>,
    /// How many events had been taken.
    pub events: u64,
}

impl Run {
    /// A new run.
    pub fn create(data: &Path, name: &str, asked: Asked) -> io::Result<Run> {
        let keeping = Keeping::create(data, name)?;
        Ok(Run::with(name.to_owned(), asked, keeping))
    }

    /// A run that was kept, as far as it had come.
    pub fn open(folder: &Path, asked: Asked) -> io::Result<Run> {
        let name = Keeping::name(folder)?;
        let mut monitor = Monitor::new(asked.properties.to_vec(), asked.memory);
        let mut header = Header::default();
        let mut fault = None;
        let keeping = Keeping::open(folder, |lines| {
            let taken = recover(&mut monitor, &mut header, &name, lines);
            fault = fault.take().or(taken.err());
        })?;
        if let Some(fault) = fault {
            return Err(io::Error::new(io::ErrorKind::InvalidData, fault));
        }
        let mut run = Run::with(name, asked, keeping);
        run.told = run.keeping.told().lines().filter_map(told).collect();
        run.monitor = monitor;
        run.header = header;
        Ok(run)
    }

    fn with(name: String, asked: Asked, keeping: Keeping) -> Run {
        Run {
            monitor: Monitor::new(asked.properties.to_vec(), asked.memory),
            name,
            asked,
            header: Header::default(),
            keeping,
            fresh: Vec::new(),
            held: BTreeMap::new(),
            held_bytes: 0,
            again: 0,
            told: BTreeSet::new(),
        }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it is kept.
    pub fn keeping(&self) -> &Keeping {
        &self.keeping
    }

    /// The state of its properties.
    pub fn monitor(&self) -> &Monitor {
        &self.monitor
    }

    /// How many events of each process have been taken.
    pub fn have(&self) -> BTreeMap<String, u32> {
        let processes = self.monitor.processes().zip(0..);
        let counted = processes.map(|(name, number)| {
            let count = self.monitor.events_of(ProcessId::new(number));
            (name.to_owned(), count)
        });
        counted.collect()
    }

    /// How many lines are held that are ahead of their process.
    pub fn held(&self) -> usize {
        self.held.len()
    }

    /// How many events arrived that had been taken before.
    pub fn again(&self) -> u64 {
        self.again
    }

    /// Takes a header. Once events have come it can only say again what was said.
    pub fn declare(&mut self, line: &str) -> Result<(), String> {
        self.header.add(&self.name, line)
    }

    /// Says that the next event of a process that comes with these numbers has this number.
    pub fn begin(&self, numbers: &mut Numbers, process: &str, number: u32) {
        numbers.begin(process, number, &self.monitor);
    }

    /// Takes the events of a piece; which processes they are of. What is wrong with a line does not undo the ones before.
    pub fn take(
        &mut self,
        numbers: &mut Numbers,
        piece: &mut Piece,
    ) -> Result<BTreeMap<String, u32>, String> {
        self.give_header()?;
        let admitted = self.admit(numbers, piece);
        let lines: Vec<&str> = match admitted.ahead.is_empty() {
            true => Vec::new(),
            false => piece.text().lines().collect(),
        };
        for one in admitted.ahead {
            let line = lines[one.line as usize - 1];
            self.hold(one.process, one.number, line)?;
        }
        self.release()?;
        admitted.fed?;
        let count = |p: ProcessId| {
            let name = self.monitor.process_name(p).to_owned();
            (name, self.monitor.events_of(p))
        };
        Ok(admitted.touched.into_iter().map(count).collect())
    }

    /// Gives a piece to the monitor, and keeps the lines that were taken.
    fn admit(&mut self, numbers: &mut Numbers, piece: &mut Piece) -> Admitted {
        let mut admission = Admission::new(&mut self.monitor, numbers);
        let fed = piece.feed(&self.name, &mut admission);
        let Admission {
            taken,
            ahead,
            touched,
            again,
            ..
        } = admission;
        self.again += again;
        keep(piece.text(), &taken, &mut self.fresh);
        Admitted {
            fed: fed.map_err(|error| error.to_string()),
            ahead,
            touched,
        }
    }

    /// Finds out what has become certain. Events that have to pass again are read from the journal.
    pub fn settle(&mut self) -> io::Result<Vec<News>> {
        let mut news = Vec::new();
        loop {
            for number in self.monitor.settle() {
                let fresh = self.news_of(number);
                news.extend(fresh.filter(|news| !self.told.contains(&news.property)));
            }
            if !self.monitor.wants_replay() {
                break;
            }
            self.write()?;
            let part = Part::new(&self.name, self.keeping.read()?);
            let options = ReadOptions::default();
            let passed = native::stream(vec![part], &options, &(), &mut self.monitor.replay());
            passed.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        }
        self.write()?;
        Ok(news)
    }

    /// Puts what was taken into the journal.
    fn write(&mut self) -> io::Result<()> {
        self.keeping.append(&self.fresh)?;
        self.fresh.clear();
        Ok(())
    }

    /// The journal, to be flushed.
    pub(crate) fn journal(&self) -> Arc<File> {
        self.keeping.journal()
    }

    /// Whether every process has said that it is over.
    pub fn is_over(&self) -> bool {
        self.monitor.is_over() && self.held.is_empty()
    }

    /// Takes nothing more: the last word on every property, as far as it can be told without the whole run.
    pub fn close(mut self) -> io::Result<Closed> {
        self.write()?;
        self.keeping.close()?;
        let events = self.monitor.events();
        let last = self.monitor.finish();
        Ok(Closed {
            name: self.name,
            asked: self.asked,
            keeping: self.keeping,
            last,
            events,
        })
    }

    fn news_of(&self, number: usize) -> Option<News> {
        let (property, standing) = self.monitor.standings().nth(number)?;
        let (verdict, reason, at) = match standing {
            Standing::Certain(shown) => {
                let verdict = if shown.holds { "holds" } else { "violated" };
                (verdict, None, shown.at.iter().cloned().collect())
            }
            Standing::GivenUp(spent) => ("unknown", Some(spent.to_string()), BTreeMap::new()),
            Standing::Refused(error) => ("refused", Some(error.message.clone()), BTreeMap::new()),
            Standing::Waiting(_) | Standing::Followed | Standing::AtEnd(_) => return None,
        };
        Some(News {
            run: self.name.clone(),
            property: property.name.clone(),
            verdict,
            certain: true,
            reason,
            at,
            events: self.monitor.events(),
        })
    }

    /// Gives the header to the monitor, before the first event.
    fn give_header(&mut self) -> Result<(), String> {
        if self.header.is_given {
            return Ok(());
        }
        self.header.give(&mut self.monitor)?;
        let line = self.header.line();
        self.fresh.extend_from_slice(line.as_bytes());
        Ok(())
    }

    fn hold(&mut self, process: ProcessId, number: u32, line: &str) -> Result<(), String> {
        self.held_bytes += line.len();
        if self.held_bytes > self.asked.ahead {
            let name = self.monitor.process_name(process);
            let next = self.monitor.events_of(process) + 1;
            return Err(format!(
                "too much is ahead of process `{name}`: its event {next} has not come, but {number} has"
            ));
        }
        let held = self.held.entry((process, number)).or_default();
        let is_end = line.contains("\"end\"") && is_end(line);
        let place = if is_end {
            &mut held.end
        } else {
            &mut held.line
        };
        if let Some(before) = place.replace(line.to_owned()) {
            self.held_bytes -= before.len();
        }
        Ok(())
    }

    /// Takes the lines that were held and whose turn has come.
    fn release(&mut self) -> Result<(), String> {
        while let Some((process, number)) = self.next_held() {
            let Some(held) = self.held.remove(&(process, number)) else {
                return Ok(());
            };
            let lines = held.line.into_iter().chain(held.end);
            let mut text = String::new();
            for line in lines {
                self.held_bytes = self.held_bytes.saturating_sub(line.len());
                text += &line;
                text.push('\n');
            }
            if self.monitor.events_of(process) >= number {
                continue;
            }
            let mut numbers = Numbers::default();
            let name = self.monitor.process_name(process);
            numbers.begin(name, number, &self.monitor);
            let mut piece = Piece::parse(text.into_bytes());
            self.admit(&mut numbers, &mut piece).fed?;
        }
        Ok(())
    }

    /// A line that is held and not ahead any more.
    fn next_held(&self) -> Option<(ProcessId, u32)> {
        let mut last = None;
        for &(process, number) in self.held.keys() {
            if last == Some(process) {
                continue;
            }
            last = Some(process);
            if number <= self.monitor.events_of(process) + 1 {
                return Some((process, number));
            }
        }
        None
    }
}

/// What has become of a piece.
struct Admitted {
    /// What was wrong with it, if something was.
    fed: Result<(), String>,
    /// The lines that are ahead of their process.
    ahead: Vec<Ahead>,
    /// The processes whose lines arrived.
    touched: Vec<ProcessId>,
}

/// A run that takes nothing more.
pub struct Closed {
    /// What it was called.
    pub name: String,
    /// What was asked of it.
    pub asked: Asked,
    /// Where it is kept.
    pub keeping: Keeping,
    /// The last word on each property.
    pub last: Vec<Last>,
    /// How many events it had.
    pub events: u64,
}

impl Header {
    fn add(&mut self, name: &str, line: &str) -> Result<(), String> {
        let fields: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(line).map_err(|error| format!("the header: {error}"))?;
        if self.is_given {
            let known = |(key, value)| self.fields.get(key) == Some(value);
            return match fields.iter().all(known) {
                true => Ok(()),
                false => Err("the run has begun with another header".to_owned()),
            };
        }
        let added = self.declared.add(name, line);
        added.map_err(|error| error.to_string())?;
        self.fields.extend(fields);
        Ok(())
    }

    fn give(&mut self, monitor: &mut Monitor) -> Result<(), String> {
        let declared = self.declared.apply(monitor);
        declared.map_err(|error| error.kind.to_string())?;
        self.fields.entry("causet").or_insert(1.into());
        self.is_given = true;
        Ok(())
    }

    fn line(&self) -> String {
        let mut line = serde_json::to_string(&self.fields).unwrap_or_default();
        line.push('\n');
        line
    }
}

/// Gives the lines of a frame to a monitor that has seen all before.
fn recover(
    monitor: &mut Monitor,
    header: &mut Header,
    name: &str,
    lines: &[u8],
) -> Result<(), String> {
    let mut lines = lines;
    if !header.is_given {
        let text = String::from_utf8_lossy(lines);
        let first = text.lines().next().unwrap_or_default();
        header.add(name, first)?;
        header.give(monitor)?;
        lines = &lines[(first.len() + 1).min(lines.len())..];
    }
    let fed = Piece::parse(lines.to_vec()).feed(name, monitor);
    fed.map_err(|error| error.to_string())
}

/// The property that a line of what was told is about.
fn told(line: &str) -> Option<String> {
    let told: serde_json::Value = serde_json::from_str(line).ok()?;
    told["property"].as_str().map(str::to_owned)
}

/// Whether a line is the end of a process.
fn is_end(line: &str) -> bool {
    #[derive(serde::Deserialize)]
    struct End {
        end: Option<bool>,
    }
    serde_json::from_str(line).is_ok_and(|End { end }| end.is_some())
}

/// Copies the lines that were taken, counted from 1, in order.
fn keep(text: &str, taken: &[u32], into: &mut Vec<u8>) {
    let is_all = taken.last() == Some(&(taken.len() as u32)) && text.ends_with('\n');
    if is_all && text.lines().count() == taken.len() {
        into.extend_from_slice(text.as_bytes());
        return;
    }
    let mut lines = text.lines();
    let mut at = 0;
    for &number in taken {
        if let Some(line) = lines.nth((number - at - 1) as usize) {
            into.extend_from_slice(line.as_bytes());
            into.push(b'\n');
        }
        at = number;
    }
}
