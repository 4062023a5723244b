//! Reports of X-Trace: events with any number of parents, on threads.
//!
//! ```text
//! [{"id":"...","reports":[{"X-Trace":["19<task><event>"],"Edge":["<event>",...],"ProcessID":[...],"ThreadID":[...],...}]}]
//! [{"id":"...","reports":[{"TaskID":"...","EventID":"...","ParentEventID":["..."],"ProcessID":7,"ThreadID":1,...}]}]
//! ```
//!
//! Threads are processes; a report without a thread is one of its own. The events of a thread are ordered by its own
//! clock, and those at the same time as their edges say. Edges are edges. All other fields are variables.

mod cut;
mod fields;
mod ids;
mod report;

use std::ops::Range;

use causet_base::Code;
use causet_trace::Time;

use super::document::Document;
use super::elements::{each_cut, line_within};
use super::head::Head;
use super::json::{datum, fault, fault_in_document};
use super::linear::{extension, ranks};
use super::numbered::{Numbered, Teller, Wording};
use super::scribe::Scribe;
use super::streamed;
use super::symbols::{Symbol, Symbols};
use super::text::Text;
use super::turns::Parse;
use super::{Format, Open, Reader};
use crate::error::ReadError;
use cut::Reports;
use fields::{Fields, check};
use ids::{Id, Ids, Index};
use report::Report;

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
    reports: Vec<Kept>,
    /// Their ids.
    ids: Ids,
    /// The ids of the parents of all reports, one after the other.
    parents: Ids,
    /// The fields of all reports, one after the other.
    fields: Vec<(Symbol, Symbol)>,
    texts: Symbols,
    workers: usize,
}

/// A report that waits for the last part. Its texts are numbers, and what it has several of are ranges.
struct Kept {
    line: u32,
    process: Symbol,
    label: Option<Symbol>,
    clock: Option<i64>,
    time: Option<Time>,
    parents: Range<u32>,
    fields: Range<u32>,
}

impl Reader for XTrace {
    fn part(&mut self, text: &mut Text<'_>, _: &mut Scribe<'_>) -> Result<(), ReadError> {
        self.workers = text.workers();
        let before = self.size();
        let worked = Worked("");
        let read = streamed::each(text, Reports::default(), &worked, |(line, report)| {
            self.keep(line, &report);
            Ok(())
        });
        match read {
            Ok(()) => Ok(()),
            Err((ReadError::Fault(_), start)) => {
                self.shrink_to(before);
                let whole = text.whole_behind(start)?;
                self.whole(&text.mend(whole, Some("reports")))
            }
            Err((trouble, _)) => Err(trouble),
        }
    }

    fn finish(&mut self, scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        let after = self.after(scribe);
        let reports = &self.reports;
        let count = reports.len();
        let Some(order) = extension(count, after.edges(), [], |event| event) else {
            // The builder of the run says which events form a cycle.
            let order: Vec<u32> = (0..count as u32).collect();
            return self.tell(&after, &order, scribe);
        };
        let rank = ranks(&order);
        let key = |event: u32| (reports[event as usize].clock, rank[event as usize]);
        let mut threads = self.threads();
        for thread in &mut threads {
            if !thread.is_sorted_by_key(|&event| key(event)) {
                thread.sort_by_key(|&event| key(event));
            }
        }
        let chains = threads.iter().map(Vec::as_slice);
        let by_clock = extension(count, after.edges(), chains, key);
        if by_clock.is_none() {
            let message = "the clocks of threads contradict the edges of reports";
            let help = "the events of each thread are told in an order that keeps to the edges";
            scribe.note(reports[0].line, message, help);
        }
        self.tell(&after, &by_clock.unwrap_or(order), scribe)
    }
}

/// Parses the reports of a document, each with the line of its first field. What is at fault is shown if the document is
/// at hand.
struct Worked<'t>(&'t str);

impl Parse for Worked<'_> {
    type Item<'l> = (u32, Report<'l>);

    fn parse<'l>(&self, number: u32, piece: &'l str) -> Result<Option<Self::Item<'l>>, ReadError> {
        let mut fields = Fields::default();
        let read = fields.read(piece);
        read.map_err(|error| fault(number, piece, &error, EXPECTED))?;
        let first = fields.first_name.as_deref().unwrap_or(piece);
        let line = line_within(number, piece, first);
        let report = Report::of(&mut fields).map_err(|message| {
            let help = "every report needs X-Trace, or EventID, to be known by its children";
            let document = Document::new(self.0);
            ReadError::of_line(
                Code::MalformedDocument,
                line,
                document.text_of(line),
                message,
                EXPECTED,
            )
            .with_help(help)
        })?;
        Ok(Some((line, report)))
    }
}

/// What each report comes after: all in one list, and where those of each end.
#[derive(Default)]
struct After {
    events: Vec<u32>,
    ends: Vec<u32>,
}

impl After {
    /// The events that an event comes after.
    fn of(&self, event: u32) -> &[u32] {
        let event = event as usize;
        let start = event.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.events[start as usize..self.ends[event] as usize]
    }

    /// All pairs of events, the earlier one first.
    fn edges(&self) -> impl Iterator<Item = (u32, u32)> + Clone {
        let events = 0..self.ends.len() as u32;
        events.flat_map(|event| self.of(event).iter().map(move |&earlier| (earlier, event)))
    }
}

impl XTrace {
    /// Reads a document that is there as a whole: one at fault, to say what is wrong.
    fn whole(&mut self, text: &str) -> Result<(), ReadError> {
        if text.trim().is_empty() {
            return Ok(());
        }
        let worked = Worked(text);
        let read = each_cut(
            text,
            Reports::default(),
            self.workers,
            &worked,
            |(line, report)| {
                self.keep(line, &report);
                Ok(())
            },
        );
        read.map_err(|trouble| match check(text) {
            Err(error) => fault_in_document(&Document::new(text), &error, EXPECTED),
            Ok(()) => trouble,
        })
    }

    /// How many reports, parents and fields are kept.
    fn size(&self) -> [usize; 3] {
        [self.reports.len(), self.parents.len(), self.fields.len()]
    }

    /// Forgets what was kept last.
    fn shrink_to(&mut self, [reports, parents, fields]: [usize; 3]) {
        self.reports.truncate(reports);
        self.ids.truncate(reports);
        self.parents.truncate(parents);
        self.fields.truncate(fields);
    }

    fn keep(&mut self, line: u32, report: &Report<'_>) {
        let texts = &mut self.texts;
        let task = texts.symbol(&report.task);
        self.ids.push(Id::of(task, &report.event, texts));
        let parents = self.parents.len() as u32;
        for parent in &report.parents {
            self.parents.push(Id::of(task, parent, texts));
        }
        let fields = self.fields.len() as u32;
        for (name, text) in &report.fields {
            self.fields.push((texts.symbol(name), texts.symbol(text)));
        }
        self.reports.push(Kept {
            line,
            process: texts.symbol(&report.process),
            label: report.label.as_ref().map(|label| texts.symbol(label)),
            clock: report.clock,
            time: report.time,
            parents: parents..self.parents.len() as u32,
            fields: fields..self.fields.len() as u32,
        });
    }

    /// The reports of each thread.
    fn threads(&self) -> Vec<Vec<u32>> {
        let mut threads: Vec<Vec<u32>> = Vec::new();
        let mut numbers = vec![None; self.texts.len()];
        for (report, event) in self.reports.iter().zip(0..) {
            let number = numbers[report.process.index()].get_or_insert_with(|| {
                threads.push(Vec::new());
                threads.len() - 1
            });
            threads[*number].push(event);
        }
        threads
    }

    /// For each report those that are its parents; a report that occurs twice is dropped.
    fn after(&mut self, scribe: &mut Scribe<'_>) -> After {
        let index = Index::of(std::mem::take(&mut self.ids));
        self.drop_doubles(&index, scribe);
        let parents = index.find(std::mem::take(&mut self.parents));
        let mut missing = None;
        let mut after = After::default();
        let mut known = Vec::new();
        for report in &self.reports {
            let parents = several(&parents, &report.parents);
            known.extend(parents.iter().flatten());
            let lost = parents.len() - known.len();
            if lost > 0 {
                let (count, line) = missing.unwrap_or((0, report.line));
                missing = Some((count + lost, line));
            }
            known.sort_unstable();
            known.dedup();
            after.events.append(&mut known);
            after.ends.push(after.events.len() as u32);
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

    fn drop_doubles(&mut self, index: &Index, scribe: &mut Scribe<'_>) {
        let doubles = index.doubles();
        let Some(&first) = doubles.first() else {
            return;
        };
        let message = match doubles.len() {
            1 => "1 report has the id of an earlier one".to_owned(),
            count => format!("{count} reports have the id of an earlier one"),
        };
        let line = self.reports[first as usize].line;
        scribe.note(line, message, "the first with an id is kept");
        let (mut number, mut doubles) = (0, doubles.iter().peekable());
        self.reports.retain(|_| {
            number += 1;
            doubles.next_if_eq(&&(number - 1)).is_none()
        });
    }

    fn tell(&self, after: &After, order: &[u32], scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        let mut counts = vec![0; self.texts.len()];
        let mut positions = vec![0; self.reports.len()];
        for &event in order {
            let process = self.reports[event as usize].process;
            let count = &mut counts[process.index()];
            *count += 1;
            positions[event as usize] = *count;
        }
        let wording = Wording {
            labels: &self.texts,
            texts: &self.texts,
            datum: |text| datum(text),
        };
        let mut teller = Teller::new(wording, scribe);
        let mut told = Numbered::default();
        for &event in order {
            let report = &self.reports[event as usize];
            told.start(report.process, report.line);
            told.label = report.label;
            told.time = report.time;
            told.sets.extend(several(&self.fields, &report.fields));
            told.after.extend(after.of(event).iter().map(|&parent| {
                let process = self.reports[parent as usize].process;
                (process, positions[parent as usize])
            }));
            teller.tell(&told)?;
        }
        Ok(())
    }
}

/// What stands in a range.
fn several<'a, T>(all: &'a [T], range: &Range<u32>) -> &'a [T] {
    &all[range.start as usize..range.end as usize]
}
