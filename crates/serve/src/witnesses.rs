//! The order of events that shows a verdict, looked for beside the work when the verdict has been told: a violation, or
//! an order that a property asks for.
//!
//! ```text
//! certain, at byte n of the journal --> consistent beginning of those n bytes --> checked like a recorded run --> told
//! ```
//!
//! A monitor forgets the events it has passed, so it knows at which cut a property was violated and not how the run came
//! there. The journal knows; a violation that is certain is one of every beginning that shows it. If the order of arrival
//! shows it, that is what is shown: it is the recorded order of the journal, and looked at before anything is searched.
//! If a search has found the cut, the events that come before it are put first, in the order in which they arrived, and
//! looked at in the same way. What is long is not looked at: then the cut has to do, and `causet check` on the folder of
//! the run.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use causet_base::budget::Budget;
use causet_formats::native::{self, Part, ReadOptions, Reading};
use causet_trace::{EventId, Trace};

use crate::closing;
use crate::draining::beginning;
use crate::keeping::journal_of;
use crate::news::{Told, Witness};
use crate::recorded::judge;
use crate::run::Asked;
use crate::stop::{Deadline, Stop};

/// So many bytes of lines are looked at, at most.
const MOST_LINES: usize = 64 << 20;
/// So long a search may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// So much memory.
const MEMORY: u64 = 512 << 20;
/// So many may wait to be looked for.
const QUEUE: usize = 64;

/// A verdict that is to be shown.
pub(crate) struct Errand {
    pub(crate) folder: PathBuf,
    pub(crate) run: String,
    /// Which property it is, by name.
    pub(crate) property: String,
    pub(crate) asked: Asked,
    /// `violated`, or `holds` where an order shows it.
    pub(crate) verdict: &'static str,
    /// How many bytes of the journal showed it.
    pub(crate) length: u64,
    /// How many events there were.
    pub(crate) events: u64,
    /// How far the processes in view had come when it was seen.
    pub(crate) at: BTreeMap<String, u32>,
    /// Whether the order of arrival shows it.
    pub(crate) is_observed: bool,
}

/// Where errands are handed in; they are done one after the other.
#[derive(Clone)]
pub(crate) struct Witnesses {
    errands: SyncSender<Errand>,
}

/// Hears what is told.
pub(crate) type Tell = Arc<dyn Fn(&Told) + Send + Sync>;

impl Witnesses {
    /// Starts the thread that looks; it ends when nobody can hand in errands any more.
    pub(crate) fn start(tell: Tell, stop: Stop) -> io::Result<(Witnesses, JoinHandle<()>)> {
        let (errands, queue) = sync_channel(QUEUE);
        let thread = std::thread::Builder::new().name("witnesses".to_owned());
        let handle = thread.spawn(move || work(&queue, &tell, &stop))?;
        Ok((Witnesses { errands }, handle))
    }

    /// Hands in an errand; when too many wait, it is told that nobody will look.
    pub(crate) fn ask(&self, errand: Errand, tell: &Tell) {
        if let Err(refused) = self.errands.try_send(errand) {
            let (std::sync::mpsc::TrySendError::Full(errand)
            | std::sync::mpsc::TrySendError::Disconnected(errand)) = refused;
            let told = without(&errand, "too many others were to be shown".to_owned());
            closing::tell(&errand.folder, &told, &**tell);
        }
    }
}

fn work(queue: &Receiver<Errand>, tell: &Tell, stop: &Stop) {
    while let Ok(errand) = queue.recv() {
        let told = show(&errand, stop).unwrap_or_else(|reason| Some(without(&errand, reason)));
        if let Some(told) = told {
            closing::tell(&errand.folder, &told, &**tell);
        }
    }
}

/// Nothing is shown, and why.
fn without(errand: &Errand, reason: String) -> Told {
    Told::Witness(Witness {
        run: errand.run.clone(),
        property: errand.property.clone(),
        witness: serde_json::Value::Null,
        reason: Some(reason),
        of: errand.events,
    })
}

/// Looks for the order that shows a verdict; `None` where a property holds for more reasons than one order.
pub(crate) fn show(errand: &Errand, stop: &Stop) -> Result<Option<Told>, String> {
    let words = |error: io::Error| error.to_string();
    let journal = || -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(journal_of(&errand.folder)?.take(errand.length)))
    };
    let lines = beginning(&errand.run, journal, MOST_LINES, stop).map_err(words)?;
    let lines = lines.ok_or("the run is long; `causet check` shows it")?;
    let mut reading = read(&errand.run, lines.clone(), stop)?;
    let is_reordered = !errand.is_observed && !errand.at.is_empty();
    if is_reordered {
        reading = read(
            &errand.run,
            first_to(&reading.trace, &lines, &errand.at),
            stop,
        )?;
    }
    let mut properties = errand.asked.properties.iter();
    let asked = properties.find(|(property, _)| property.name == errand.property);
    let (property, lets) = asked.ok_or("nobody asks for it")?;
    let deadline = Deadline::after(PATIENCE, stop);
    let budget = Budget::new(&deadline).with_memory(MEMORY, 0);
    let judged = judge(&reading, property, lets, &budget);
    match (judged.verdict, judged.order) {
        (verdict, Some(order)) if verdict == errand.verdict => {
            let events = reading.trace.len() as u64;
            let mut told = order.told(&errand.run, &errand.property, events);
            if is_reordered && told.witness.is_object() {
                // The order of arrival would have been the first to show a cut; of more it may show a part.
                let has_cut = !told.witness["cut"].is_null();
                told.witness["observed"] = has_cut.then_some(false).into();
            }
            Ok(Some(Told::Witness(told)))
        }
        ("holds", None) if errand.verdict == "holds" => Ok(None),
        ("violated", None) if errand.verdict == "violated" => {
            Err("no order of events shows it by itself".to_owned())
        }
        (verdict, _) => {
            let reason = judged.reason.unwrap_or_default();
            Err(format!("checked again, it is {verdict} {reason}")
                .trim_end()
                .to_owned())
        }
    }
}

fn read(run: &str, lines: Vec<u8>, stop: &Stop) -> Result<Reading, String> {
    let part = Part::new(run, io::Cursor::new(lines));
    let reading = native::read(vec![part], &ReadOptions::default(), stop);
    reading.map_err(|error| error.to_string())
}

/// The lines of a run, header first, in another order in which it can have happened: first those events that a cut has
/// and all they depend on. An order that shows what holds at the cut is then the first that is looked at.
fn first_to(trace: &Trace, lines: &[u8], cut: &BTreeMap<String, u32>) -> Vec<u8> {
    let order = trace.order();
    let ends = cut.iter().filter_map(|(process, &count)| {
        let process = trace.process(process)?;
        order.event(process, count)
    });
    let mut is_first = vec![false; order.len()];
    let mut open: Vec<EventId> = ends.collect();
    while let Some(event) = open.pop() {
        if !std::mem::replace(&mut is_first[event.index()], true) {
            open.extend(order.predecessors(event));
        }
    }
    let texts: Vec<&[u8]> = lines.split_inclusive(|&byte| byte == b'\n').collect();
    let mut reordered = texts
        .first()
        .map_or_else(Vec::new, |header| header.to_vec());
    for first in [true, false] {
        for event in order
            .recorded()
            .filter(|event| is_first[event.index()] == first)
        {
            let line = trace.place(event).line as usize;
            reordered.extend_from_slice(texts.get(line.wrapping_sub(1)).unwrap_or(&&b""[..]));
        }
    }
    reordered
}
