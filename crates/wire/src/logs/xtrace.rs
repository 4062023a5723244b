//! Reports of X-Trace: events with any number of parents, on threads.
//!
//! ```text
//! [{"id":"...","reports":[{"X-Trace":["19<task><event>"],"Edge":["<event>",...],"ProcessID":[...],"ThreadID":[...],...}]}]
//! [{"id":"...","reports":[{"TaskID":"...","EventID":"...","ParentEventID":["..."],"ProcessID":7,"ThreadID":1,...}]}]
//! ```
//!
//! Threads are processes; a report without a thread is one of its own. The events of a thread are ordered by its own
//! clock, and those at the same time as their edges say. Edges are edges. All other fields are variables.

mod fields;

use rustc_hash::FxHashMap;

use super::document::Document;
use super::entry::{Earlier, Entry, Name};
use super::head::Head;
use super::json::{datum, fault_in_document};
use super::linear::extension;
use super::scribe::Scribe;
use super::symbols::{Symbol, Symbols};
use super::text::Text;
use super::trouble::Trouble;
use super::{Format, Open, Reader};
use fields::{Fields, each};

pub(super) const FORMAT: Format = Format {
    name: "xtrace",
    title: "X-Trace reports",
    about: "Threads are processes, ordered by their own clocks; reports are events, ordered by their edges. All other \
            fields are variables.",
    looks: |head: &Head<'_>| {
        head.starts_with('[')
            && head.mentions("reports")
            && (head.mentions("X-Trace") || head.mentions("ParentEventID"))
    },
    open: Open::Log {
        reader: |_| Ok(Box::new(XTrace::default())),
        tolerant: false,
    },
};

const EXPECTED: &str = "expected reports of X-Trace: [{\"id\":\"...\",\"reports\":[{\"X-Trace\":[\"...\"],\"Edge\":[]}]}]";

#[derive(Default)]
struct XTrace {
    reports: Vec<Report>,
    /// Tasks and events together.
    ids: Symbols,
    /// All other texts.
    texts: Symbols,
    /// An id that is looked for, kept to be used again.
    id: String,
}

/// A report, with its thread.
struct Report {
    line: u32,
    id: Symbol,
    parents: Vec<Symbol>,
    process: Symbol,
    /// What its thread goes by, for order.
    clock: Option<i64>,
    time: Option<f64>,
    label: Option<Symbol>,
    fields: Vec<(Symbol, Symbol)>,
}

impl Reader for XTrace {
    fn part(&mut self, text: &mut Text<'_>, _: &mut Scribe<'_>) -> Result<(), Trouble> {
        let text = text.whole()?;
        if text.trim().is_empty() {
            return Ok(());
        }
        let document = Document::new(&text);
        let mut wrong = None;
        each(&text, |fields| {
            let line = document.first_line_of(fields.first_name().into_iter());
            match self.keep(&fields, line) {
                Err(message) if wrong.is_none() => wrong = Some((line, message)),
                _ => {}
            }
        })
        .map_err(|error| fault_in_document(&document, &error, EXPECTED))?;
        match wrong {
            None => Ok(()),
            Some((line, message)) => {
                let shown = document.text_of(line);
                let help = "every report needs X-Trace, or EventID, to be known by its children";
                Err(Trouble::of_line(line, shown, message, EXPECTED).with_help(help))
            }
        }
    }

    fn finish(&mut self, scribe: &mut Scribe<'_>) -> Result<(), Trouble> {
        let after = self.parents(scribe);
        let reports = &self.reports;
        let Some(order) = extension(&after, std::iter::empty(), |event| event) else {
            // The builder of the run says which events form a cycle.
            let order: Vec<u32> = (0..reports.len() as u32).collect();
            return self.tell(&after, &order, scribe);
        };
        let mut rank = vec![0u32; order.len()];
        for (number, &event) in order.iter().enumerate() {
            rank[event as usize] = number as u32;
        }
        let mut threads: FxHashMap<Symbol, Vec<u32>> = FxHashMap::default();
        for (number, report) in reports.iter().enumerate() {
            let thread = threads.entry(report.process).or_default();
            thread.push(number as u32);
        }
        for thread in threads.values_mut() {
            thread.sort_by_key(|&event| (reports[event as usize].clock, rank[event as usize]));
        }
        let chains = threads.values().map(Vec::as_slice);
        let key = |event: u32| (reports[event as usize].clock, rank[event as usize]);
        let by_clock = extension(&after, chains, key);
        if by_clock.is_none() {
            let message = "the clocks of threads contradict the edges of reports";
            let help = "the events of each thread are told in an order that keeps to the edges";
            scribe.note(reports[0].line, message, help);
        }
        self.tell(&after, &by_clock.unwrap_or(order), scribe)
    }
}

impl XTrace {
    fn keep(&mut self, fields: &Fields<'_>, line: u32) -> Result<(), &'static str> {
        let text = |name: &str| fields.text(name);
        let (task, event) = match (text("X-Trace"), text("EventID")) {
            (Some(both), _) => split(both).ok_or("this X-Trace id is too short")?,
            (None, Some(event)) => (text("TaskID").unwrap_or_default(), event),
            (None, None) => return Err("this report has no id"),
        };
        let parents = fields.all("Edge").or_else(|| fields.all("ParentEventID"));
        let parents = parents.into_iter().flatten();
        let parents = parents.map(|parent| self.id(task, parent)).collect();
        let process = match (text("ProcessID"), text("ThreadID")) {
            (Some(process), Some(thread)) => match text("Host") {
                Some(host) if !process.contains(host) => [process, "@", host, "/", thread].concat(),
                _ => [process, "/", thread].concat(),
            },
            _ => [text("Agent").unwrap_or("report"), "#", event].concat(),
        };
        let time = text("Timestamp").and_then(|time| time.parse::<f64>().ok());
        let time = time.map(|time| if time > 1e11 { time / 1e3 } else { time });
        let precise = text("HRT").and_then(|time| time.parse::<i64>().ok());
        let label = text("Label").or_else(|| text("Title"));
        let others = fields.texts().filter(|(name, _)| !KNOWN.contains(name));
        let texts = &mut self.texts;
        let report = Report {
            line,
            parents,
            process: texts.symbol(&process),
            clock: precise.or(time.map(|time| (time * 1e6) as i64)),
            time,
            label: label.map(|label| texts.symbol(label)),
            fields: others
                .map(|(name, text)| (texts.symbol(name), texts.symbol(text)))
                .collect(),
            id: self.id(task, event),
        };
        self.reports.push(report);
        Ok(())
    }

    fn id(&mut self, task: &str, event: &str) -> Symbol {
        self.id.clear();
        self.id.extend([task, " ", event]);
        self.ids.symbol(&self.id)
    }

    /// For each report those that are its parents; a report that occurs twice is dropped.
    fn parents(&mut self, scribe: &mut Scribe<'_>) -> Vec<Vec<u32>> {
        let mut index: Vec<Option<u32>> = vec![None; self.ids.texts().len()];
        let mut doubles = None;
        let mut number = 0;
        self.reports.retain(|report| {
            let known = &mut index[report.id.index()];
            if known.is_some() {
                let (count, line) = doubles.unwrap_or((0, report.line));
                doubles = Some((count + 1, line));
                return false;
            }
            *known = Some(number);
            number += 1;
            true
        });
        if let Some((count, line)) = doubles {
            let message = match count {
                1 => "1 report has the id of an earlier one".to_owned(),
                _ => format!("{count} reports have the id of an earlier one"),
            };
            scribe.note(line, message, "the first with an id is kept");
        }
        let mut missing = None;
        let mut after = Vec::with_capacity(self.reports.len());
        for report in &self.reports {
            let mut parents = Vec::new();
            for parent in &report.parents {
                match index[parent.index()] {
                    Some(parent) => parents.push(parent),
                    None => {
                        let (count, line) = missing.unwrap_or((0, report.line));
                        missing = Some((count + 1, line));
                    }
                }
            }
            parents.sort_unstable();
            parents.dedup();
            after.push(parents);
        }
        if let Some((count, line)) = missing {
            let message = match count {
                1 => "1 edge comes from a report that is not there".to_owned(),
                _ => format!("{count} edges come from reports that are not there"),
            };
            scribe.note(line, message, "what happened before is not known there");
        }
        after
    }

    fn tell(
        &self,
        after: &[Vec<u32>],
        order: &[u32],
        scribe: &mut Scribe<'_>,
    ) -> Result<(), Trouble> {
        let (reports, texts) = (&self.reports, &self.texts);
        let mut counts: FxHashMap<Symbol, u32> = FxHashMap::default();
        let mut positions = vec![0; reports.len()];
        for &event in order {
            let count = counts.entry(reports[event as usize].process).or_default();
            *count += 1;
            positions[event as usize] = *count;
        }
        for &event in order {
            let report = &reports[event as usize];
            let mut entry = Entry::of(texts.text(report.process), report.line);
            entry.label = report.label.map(|label| Name::from(texts.text(label)));
            entry.time = report.time;
            let fields = report.fields.iter();
            entry.sets = fields
                .map(|&(name, text)| (texts.text(name).into(), datum(texts.text(text))))
                .collect();
            let parents = after[event as usize].iter();
            entry.after = parents
                .map(|&parent| {
                    let process = texts.text(reports[parent as usize].process);
                    Earlier::new(process.into(), positions[parent as usize])
                })
                .collect();
            scribe.add(&entry)?;
        }
        Ok(())
    }
}

/// Fields that become something else than variables.
const KNOWN: [&str; 13] = [
    "X-Trace",
    "Edge",
    "TaskID",
    "EventID",
    "ParentEventID",
    "Host",
    "ProcessID",
    "ThreadID",
    "Timestamp",
    "HRT",
    "Label",
    "version",
    "Title",
];

/// The task and the event of an id: the event is the last 16 digits, the task what stands before, but for two digits
/// that say how long the ids are.
fn split(both: &str) -> Option<(&str, &str)> {
    let at = both.len().checked_sub(16).filter(|&at| at >= 2)?;
    Some((both.get(2..at)?, both.get(at..)?))
}
