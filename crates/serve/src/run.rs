//! One run while it goes on: events are taken once and in their order, kept, and followed.
//!
//! ```text
//!            header               pieces of lines                     over, or every process has ended
//!  new ----------------> open ---------------------------> open ------------------------------------> closed
//!                          |                                |
//!                          +---- settle: what is certain <--+
//! ```
//!
//! Nothing here waits: what was taken is safe when whoever owns the run has written and flushed its journal, and a look
//! at what is certain takes no longer than a meter allows.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use causet_base::Diagnostic;
use causet_base::budget::Meter;
use causet_check::stream::{Last, Means, Monitor, Standing};
use causet_formats::native::{self, Part, Piece, ReadOptions};
use causet_formula::{Lets, Property};
use causet_trace::ProcessId;

use crate::admission::{Admission, Ahead, Numbers};
use crate::draining::{copy_lines, header_of};
use crate::header::Header;
use crate::keeping::{Keeping, Lost, told_of};
use crate::news::News;
use crate::refusal::refused;

/// What is asked of every run.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The properties, with the definitions they see.
    pub properties: Arc<Vec<(Property, Lets)>>,
    /// How they are followed.
    pub means: Means,
    /// How many bytes of lines a run may hold that are ahead of their process.
    pub ahead: usize,
}

impl Asked {
    fn monitor(&self) -> Monitor {
        Monitor::new(self.properties.to_vec(), self.means)
    }
}

/// The link of what the journal says.
const KEPT: u64 = u64::MAX;
/// So many things are named that are missing.
const NAMED: usize = 10;

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
    /// The properties that were given up because of the memory the run took, until that is told.
    given_up: Vec<usize>,
    /// The properties of which something was told before the server began again.
    told: BTreeSet<String>,
}

/// A line that is ahead of its process, and the end of the process if it stands there.
#[derive(Debug, Default)]
struct Held {
    line: Option<String>,
    end: Option<String>,
}

impl Run {
    /// A new run.
    pub fn create(data: &Path, name: &str, asked: Asked) -> io::Result<Run> {
        let keeping = Keeping::create(data, name)?;
        Ok(Run::with(name.to_owned(), asked, keeping))
    }

    /// A run that was kept, as far as it had come; one that would take more memory than this is followed no more.
    pub fn open(folder: &Path, asked: Asked, memory: u64) -> io::Result<Run> {
        let name = Keeping::name(folder)?;
        let mut monitor = asked.monitor();
        let mut header = Header::default();
        let mut fault = None;
        let mut given_up = Vec::new();
        let keeping = Keeping::open(folder, |lines| {
            let taken = recover(&mut monitor, &mut header, &name, lines);
            fault = fault.take().or(taken.err());
            if monitor.bytes() > memory {
                given_up.extend(monitor.forget());
            }
        })?;
        if let Some(fault) = fault {
            return Err(io::Error::new(io::ErrorKind::InvalidData, fault));
        }
        let mut run = Run::with(name, asked, keeping);
        run.told = told_of(folder);
        run.monitor = monitor;
        run.given_up = given_up;
        run.header = header;
        Ok(run)
    }

    fn with(name: String, asked: Asked, keeping: Keeping) -> Run {
        Run {
            monitor: asked.monitor(),
            name,
            asked,
            header: Header::default(),
            keeping,
            fresh: Vec::new(),
            held: BTreeMap::new(),
            held_bytes: 0,
            again: 0,
            given_up: Vec::new(),
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

    /// What was lost of its journal before it was opened; asked once.
    pub(crate) fn lost(&mut self) -> Option<Lost> {
        self.keeping.lost()
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

    /// What is asked of it.
    pub(crate) fn asked(&self) -> &Asked {
        &self.asked
    }

    /// What is missing: messages that processes wait for and nobody has sent, and events that come before others.
    pub fn missing(&self) -> Vec<(String, String)> {
        let messages = self.monitor.missing(NAMED).into_iter();
        let messages = messages.map(|(process, id)| (process, format!("message `{id}`")));
        let mut ahead: Vec<ProcessId> = self.held.keys().map(|&(process, _)| process).collect();
        ahead.dedup();
        let events = ahead.into_iter().take(NAMED).map(|process| {
            let next = self.monitor.events_of(process) + 1;
            let name = self.monitor.process_name(process).to_owned();
            (name, format!("event {next}"))
        });
        messages.chain(events).collect()
    }

    /// Follows the run no more; its events are kept, and its properties are decided when it is over.
    pub fn give_up(&mut self, reason: &str) {
        self.monitor.give_up(reason);
    }

    /// About how many bytes of memory it takes.
    pub fn bytes(&self) -> u64 {
        self.monitor.bytes() + (self.held_bytes + self.fresh.capacity()) as u64
    }

    /// Follows the run no more because of the memory it takes; its events are kept as before. What was held is to be sent
    /// again: it was not acknowledged.
    pub fn forget(&mut self) {
        self.held.clear();
        self.held_bytes = 0;
        self.given_up.extend(self.monitor.forget());
    }

    /// How many lines are held that are ahead of their process.
    pub fn held(&self) -> usize {
        self.held.len()
    }

    /// How many events arrived that had been taken before.
    pub fn again(&self) -> u64 {
        self.again
    }

    /// Takes the header of a link. Once events have come it can only say again what was said.
    pub fn declare(&mut self, link: u64, line: &str) -> Result<(), Diagnostic> {
        self.header.add(link, &self.name, line)
    }

    /// Forgets what a link that was refused has declared, unless events rest on it.
    pub(crate) fn retract(&mut self, link: u64) {
        self.header.retract(link, &self.name);
    }

    /// Whether nothing of it is kept: no event, no end of a process, and no line that is ahead.
    pub(crate) fn is_empty(&self) -> bool {
        self.keeping.is_empty() && self.fresh.is_empty() && self.held.is_empty()
    }

    /// Whether a link has declared something that the next one can rely on.
    pub(crate) fn is_declared(&self) -> bool {
        self.header.is_said()
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
    ) -> Result<BTreeMap<String, u32>, Diagnostic> {
        let is_first = !self.header.is_given;
        self.give_header()?;
        let given = self.fresh.len();
        let taken = self.take_lines(numbers, piece);
        let is_nothing = self.monitor.events() == 0 && self.fresh.len() == given;
        if is_first && taken.is_err() && is_nothing {
            self.begin_anew();
        }
        taken
    }

    /// Takes back a header on which no event rests, and lines that are ahead and were not acknowledged.
    fn begin_anew(&mut self) {
        self.monitor = self.asked.monitor();
        self.header.take_back();
        self.held.clear();
        self.held_bytes = 0;
        self.fresh.clear();
    }

    fn take_lines(
        &mut self,
        numbers: &mut Numbers,
        piece: &mut Piece,
    ) -> Result<BTreeMap<String, u32>, Diagnostic> {
        let admitted = self.admit(numbers, piece);
        let lines: Vec<&str> = match admitted.ahead.is_empty() {
            true => Vec::new(),
            false => piece.text().lines().collect(),
        };
        for one in admitted.ahead {
            let line = lines[one.line as usize - 1];
            self.hold(&one, line)?;
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
        copy_lines(piece.text(), &taken, &mut self.fresh);
        Admitted {
            fed: fed.map_err(|error| refused(error.to_string())),
            ahead,
            touched,
        }
    }

    /// Finds out what has become certain, with searches that end when the meter stops them and go on the next time.
    /// Events that have to pass again are read from the journal.
    pub fn settle(&mut self, meter: &dyn Meter) -> io::Result<Vec<News>> {
        let mut news = Vec::new();
        loop {
            let given_up = std::mem::take(&mut self.given_up);
            let settled = self.monitor.settle_within(meter);
            for number in given_up.into_iter().chain(settled) {
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
        Ok(news)
    }

    /// Whether a search can go on with what has been taken.
    pub fn is_behind(&self) -> bool {
        self.monitor.is_behind()
    }

    /// Puts what was taken into the journal.
    pub fn write(&mut self) -> io::Result<()> {
        self.keeping.append(&self.fresh)?;
        self.fresh = Vec::new();
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

    /// Takes nothing more, for a reason if no client said so: the last word on every property, as far as it can be told
    /// without the whole run and before the meter stops the searches.
    pub fn close(mut self, why: &str, meter: &dyn Meter) -> io::Result<Closed> {
        self.write()?;
        self.keeping.close(&self.have(), why)?;
        Ok(Closed {
            name: self.name,
            asked: self.asked,
            folder: self.keeping.folder().to_owned(),
            is_consistent: self.monitor.is_consistent(),
            is_forgotten: self.monitor.is_forgotten(),
            events: self.monitor.events(),
            left_out: 0,
            last: self.monitor.finish_within(meter),
            told: self.told,
        })
    }

    /// Whether the order of arrival shows what is certain of a property.
    pub(crate) fn is_observed(&self, property: &str) -> bool {
        let mut standings = self.monitor.standings();
        let standing = standings.find(|(asked, _)| asked.name == property);
        matches!(standing, Some((_, Standing::Certain(shown))) if shown.observed.is_some())
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
            left_out: 0,
        })
    }

    /// Gives the header to the monitor, before the first event.
    fn give_header(&mut self) -> Result<(), Diagnostic> {
        if self.header.is_given {
            return Ok(());
        }
        self.header.give(&mut self.monitor)?;
        let line = self.header.line();
        self.fresh.extend_from_slice(line.as_bytes());
        Ok(())
    }

    fn hold(&mut self, ahead: &Ahead, line: &str) -> Result<(), Diagnostic> {
        let &Ahead {
            process, number, ..
        } = ahead;
        self.held_bytes += line.len();
        if self.held_bytes > self.asked.ahead {
            let name = self.monitor.process_name(process);
            let next = self.monitor.events_of(process) + 1;
            return Err(refused(format!(
                "too much is ahead of process `{name}`: its event {next} has not come, but {number} has"
            )));
        }
        let held = self.held.entry((process, number)).or_default();
        let place = match ahead.is_event {
            true => &mut held.line,
            false => &mut held.end,
        };
        if let Some(before) = place.replace(line.to_owned()) {
            self.held_bytes -= before.len();
        }
        Ok(())
    }

    /// Takes the lines that were held and whose turn has come.
    fn release(&mut self) -> Result<(), Diagnostic> {
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
    fed: Result<(), Diagnostic>,
    /// The lines that are ahead of their process.
    ahead: Vec<Ahead>,
    /// The processes whose lines arrived.
    touched: Vec<ProcessId>,
}

/// A run that takes nothing more.
pub struct Closed {
    /// What it was called.
    pub(crate) name: String,
    /// What was asked of it.
    pub(crate) asked: Asked,
    /// Where it is kept.
    pub(crate) folder: PathBuf,
    /// The last word on each property.
    pub(crate) last: Vec<Last>,
    /// Whether every event is known to have all it depends on.
    pub(crate) is_consistent: bool,
    /// Whether it took too much memory, so that nothing more is found out.
    pub(crate) is_forgotten: bool,
    /// How many events it had.
    pub(crate) events: u64,
    /// How many events were left out because what they depend on never came.
    pub(crate) left_out: u64,
    /// The properties of which something was told, here or before the server began again.
    pub(crate) told: BTreeSet<String>,
}

impl Closed {
    /// A run that was over when the server was killed, before the last word on it was told.
    pub(crate) fn left(folder: &Path, asked: Asked) -> io::Result<Closed> {
        Ok(Closed {
            name: Keeping::name(folder)?,
            last: asked.properties.iter().map(|_| Last::Open).collect(),
            asked,
            folder: folder.to_owned(),
            is_consistent: false,
            is_forgotten: false,
            events: 0,
            left_out: 0,
            told: told_of(folder),
        })
    }
}

/// Gives the lines of a frame to a monitor that has seen all before.
fn recover(
    monitor: &mut Monitor,
    header: &mut Header,
    name: &str,
    lines: &[u8],
) -> Result<(), Diagnostic> {
    let mut lines = lines;
    if !header.is_given {
        let (first, rest) = header_of(lines);
        header.add(KEPT, name, first)?;
        header.give(monitor)?;
        lines = rest;
    }
    let fed = Piece::parse(lines.to_vec()).feed(name, monitor);
    fed.map_err(|error| refused(error.to_string()))
}
