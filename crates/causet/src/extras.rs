//! What a page shows beside run and verdicts and what takes a while: slices, and how the cuts are spread over the levels.
//! Somebody waits for a page, so each has a time of its own within that of the page, and a page without it says so.

use std::time::{Duration, Instant};

use causet_base::budget::{Meter, Spent};
use causet_check::count;
use causet_check::slicing::slice;
use causet_check::subject::Subject;
use causet_check::wanted::Wanted;
use causet_report::Report;
use causet_report::page::{self, DensityShown, Extras, SliceShown};

use crate::limits::Limits;

/// How long a slice may take, and then the counting of its cuts.
const SLICING: Duration = Duration::from_secs(4);
const COUNTING: Duration = Duration::from_secs(2);
/// How long exact numbers of cuts are tried for, and how long it may take to estimate them instead.
const EXACTLY: Duration = Duration::from_millis(1500);
const ABOUT: Duration = Duration::from_secs(12);
/// How much memory each may take beside the run.
const MEMORY: u64 = 1 << 30;
/// How long all slices of a report may take together before the others are left out.
const ALL_SLICES: Duration = Duration::from_secs(6);
/// Of a run with more events a report has no slices.
const MOST_EVENTS: usize = 200_000;
/// Nor of one with more processes: both compare every process with every other.
const MOST_PROCESSES: usize = 500;
/// About so many levels are counted, as a picture is wide.
const LEVELS: usize = 320;

/// What a report has beside run and verdicts.
pub fn of_report(report: &Report<'_>, limits: &Limits) -> Extras {
    let Some(subject) = report.about.subject() else {
        return Extras::default();
    };
    let begun = Instant::now();
    let slices = report.findings.iter().map(|finding| {
        let wanted = Wanted::by_property(finding.question?)?;
        let events = subject.trace.len();
        let no_time = || begun.elapsed() > ALL_SLICES || limits.reached().is_some();
        if events > MOST_EVENTS || is_crowded(subject) || no_time() {
            let reason = "There was no time to slice this run while the report was written; causet view does that.";
            return Some(SliceShown::missing(wanted.role, reason));
        }
        Some(sliced(subject, &wanted, limits))
    });
    Extras {
        slices: slices.collect(),
        slice: None,
        density: match has_room(subject, limits) {
            true => density(subject, &levels(report), limits),
            false => None,
        },
    }
}

/// The slice of a run for somebody who waits.
pub fn sliced(subject: Subject<'_>, wanted: &Wanted, limits: &Limits) -> SliceShown {
    let slicing = limits.within(SLICING, MEMORY);
    let counting = limits.within(SLICING + COUNTING, MEMORY);
    let found = slice(
        subject,
        &wanted.goal,
        wanted.vars.iter().copied(),
        &slicing.budget(),
        &counting.budget(),
    );
    let drawing = limits.within(SLICING, MEMORY);
    SliceShown::of(
        subject.trace,
        wanted.role,
        found.as_ref(),
        &drawing.budget(),
    )
}

/// How the cuts are spread over the levels, if the page does not draw each of them and it can be found out soon.
pub fn density(subject: Subject<'_>, levels: &[u32], limits: &Limits) -> Option<DensityShown> {
    if is_crowded(subject) || page::draws_every_cut(subject.trace.order()) {
        return None;
    }
    let (exactly, about) = (limits.within(EXACTLY, MEMORY), limits.within(ABOUT, MEMORY));
    let found: Result<_, Spent> =
        count::density(subject, LEVELS, levels, &exactly.budget(), &about.budget());
    found.ok().as_ref().map(DensityShown::from)
}

/// Whether the limits leave enough for a first look at all events.
fn has_room(subject: Subject<'_>, limits: &Limits) -> bool {
    let events = subject.trace.len() as u64;
    let time = Duration::from_nanos(LOOK_TIME * events);
    limits.time_left().is_none_or(|left| left > time)
        && limits
            .budget()
            .charge((LOOK_MEMORY * events) as usize)
            .is_ok()
}

/// How many nanoseconds and bytes that takes for each.
const LOOK_TIME: u64 = 100;
const LOOK_MEMORY: u64 = 32;

/// Whether a run has too many processes to compare them in pairs while somebody waits.
fn is_crowded(subject: Subject<'_>) -> bool {
    subject.trace.order().process_count() > MOST_PROCESSES
}

/// The levels that the stories of a report end at.
pub fn levels(report: &Report<'_>) -> Vec<u32> {
    let stories = report
        .findings
        .iter()
        .filter_map(|finding| finding.story.as_ref());
    stories.map(|story| story.cut.iter().sum()).collect()
}
