//! Reports of X-Trace: events with any number of parents, on threads.
//!
//! ```text
//! [{"id":"...","reports":[{"X-Trace":["19<task><event>"],"Edge":["<event>",...],"ProcessID":[...],"ThreadID":[...],...}]}]
//! [{"id":"...","reports":[{"TaskID":"...","EventID":"...","ParentEventID":["..."],"ProcessID":7,"ThreadID":1,...}]}]
//! ```
//!
//! Threads are processes; a report without a thread is one of its own. The events of a thread are ordered by its own
//! clock, and those at the same time as their edges say. Edges are edges. All other fields are variables.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::Value;

use super::document::{Document, Word};
use super::entry::{Earlier, Entry, Name};
use super::head::Head;
use super::json::{datum, fault_in_document};
use super::linear::extension;
use super::scribe::Scribe;
use super::text::Text;
use super::trouble::Trouble;
use super::{Format, Open, Reader};

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
}

/// A report, with its thread.
struct Report {
    line: u32,
    task: String,
    id: String,
    parents: Vec<String>,
    process: String,
    /// What its thread goes by, for order.
    clock: Option<i64>,
    time: Option<f64>,
    label: Option<String>,
    fields: Vec<(String, String)>,
}

#[derive(Deserialize)]
struct Trace<'a> {
    #[serde(borrow)]
    reports: Vec<Fields<'a>>,
}

type Fields<'a> = BTreeMap<Word<'a>, Value>;

impl Reader for XTrace {
    fn part(&mut self, text: &mut Text<'_>, _: &mut Scribe<'_>) -> Result<(), Trouble> {
        let text = text.whole()?;
        if text.trim().is_empty() {
            return Ok(());
        }
        let document = Document::new(&text);
        let traces: Vec<Trace<'_>> = serde_json::from_str(&text)
            .map_err(|error| fault_in_document(&document, &error, EXPECTED))?;
        for fields in traces.iter().flat_map(|trace| &trace.reports) {
            let line = document.first_line_of(fields.keys().map(|key| &**key));
            let report = Report::of(fields, line);
            let shown = || document.text_of(line);
            let report = report.map_err(|message| {
                Trouble::of_line(line, shown(), message, EXPECTED).with_help(
                    "every report needs X-Trace, or EventID, to be known by its children",
                )
            })?;
            self.reports.push(report);
        }
        Ok(())
    }

    fn finish(&mut self, scribe: &mut Scribe<'_>) -> Result<(), Trouble> {
        let mut reports = std::mem::take(&mut self.reports);
        let after = parents_of(&mut reports, scribe);
        let Some(order) = extension(&after, std::iter::empty(), |event| event) else {
            // The builder of the run says which events form a cycle.
            let order: Vec<u32> = (0..reports.len() as u32).collect();
            return tell(&reports, &after, &order, scribe);
        };
        let mut rank = vec![0u32; order.len()];
        for (number, &event) in order.iter().enumerate() {
            rank[event as usize] = number as u32;
        }
        let mut threads: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
        for (number, report) in reports.iter().enumerate() {
            let thread = threads.entry(&report.process).or_default();
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
        tell(&reports, &after, &by_clock.unwrap_or(order), scribe)
    }
}

impl Report {
    fn of(fields: &Fields<'_>, line: u32) -> Result<Report, &'static str> {
        let find = |name: &str| fields.iter().find(|(key, _)| &***key == name);
        let text = |name: &str| find(name).and_then(|(_, value)| text_of(value));
        let (task, id) = match (text("X-Trace"), text("EventID")) {
            (Some(both), _) => split(&both).ok_or("this X-Trace id is too short")?,
            (None, Some(event)) => (text("TaskID").unwrap_or_default(), event),
            (None, None) => return Err("this report has no id"),
        };
        let parents = find("Edge").or_else(|| find("ParentEventID"));
        let parents = parents.map(|(_, value)| match value {
            Value::Array(items) => items.iter().filter_map(text_of).collect(),
            value => text_of(value).into_iter().collect(),
        });
        let process = match (text("ProcessID"), text("ThreadID")) {
            (Some(process), Some(thread)) => match text("Host") {
                Some(host) if !process.contains(&host) => format!("{process}@{host}/{thread}"),
                _ => format!("{process}/{thread}"),
            },
            _ => format!(
                "{}#{id}",
                text("Agent").unwrap_or_else(|| "report".to_owned())
            ),
        };
        let time = text("Timestamp").and_then(|time| time.parse::<f64>().ok());
        let time = time.map(|time| if time > 1e11 { time / 1e3 } else { time });
        let precise = text("HRT").and_then(|time| time.parse::<i64>().ok());
        Ok(Report {
            line,
            task,
            id,
            parents: parents.unwrap_or_default(),
            process,
            clock: precise.or(time.map(|time| (time * 1e6) as i64)),
            time,
            label: text("Label").or_else(|| text("Title")),
            fields: fields
                .iter()
                .filter(|(key, _)| !KNOWN.contains(&&***key))
                .filter_map(|(key, value)| Some((key.to_string(), text_of(value)?)))
                .collect(),
        })
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

/// A value as a text; of a list its first.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Object(_) => None,
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => items.first().and_then(text_of),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
    }
}

/// The task and the event of an id: the event is the last 16 digits, the task what stands before, but for two digits
/// that say how long the ids are.
fn split(both: &str) -> Option<(String, String)> {
    let at = both.len().checked_sub(16).filter(|&at| at >= 2)?;
    let task = both.get(2..at)?;
    Some((task.to_owned(), both.get(at..)?.to_owned()))
}

/// For each report those that are its parents; a report that occurs twice is dropped.
fn parents_of(reports: &mut Vec<Report>, scribe: &mut Scribe<'_>) -> Vec<Vec<u32>> {
    let mut index: FxHashMap<(String, String), u32> = FxHashMap::default();
    let mut doubles = None;
    let mut number = 0;
    reports.retain(|report| {
        let id = (report.task.clone(), report.id.clone());
        if index.contains_key(&id) {
            let (count, line) = doubles.unwrap_or((0, report.line));
            doubles = Some((count + 1, line));
            return false;
        }
        index.insert(id, number);
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
    let mut after = Vec::with_capacity(reports.len());
    for report in &*reports {
        let mut parents = Vec::new();
        for parent in &report.parents {
            match index.get(&(report.task.clone(), parent.clone())) {
                Some(&parent) => parents.push(parent),
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
    reports: &[Report],
    after: &[Vec<u32>],
    order: &[u32],
    scribe: &mut Scribe<'_>,
) -> Result<(), Trouble> {
    let mut counts: FxHashMap<&str, u32> = FxHashMap::default();
    let mut positions = vec![0; reports.len()];
    for &event in order {
        let count = counts.entry(&reports[event as usize].process).or_default();
        *count += 1;
        positions[event as usize] = *count;
    }
    for &event in order {
        let report = &reports[event as usize];
        let mut entry = Entry::of(report.process.as_str(), report.line);
        entry.label = report.label.as_deref().map(Name::from);
        entry.time = report.time;
        let fields = report.fields.iter();
        entry.sets = fields
            .map(|(name, text)| (name.as_str().into(), datum(text)))
            .collect();
        let parents = after[event as usize].iter();
        entry.after = parents
            .map(|&parent| {
                let process = reports[parent as usize].process.as_str();
                Earlier::new(process.into(), positions[parent as usize])
            })
            .collect();
        scribe.add(&entry)?;
    }
    Ok(())
}
