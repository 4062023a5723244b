//! A recorded run to look at in a browser: one file that explains the verdicts, or a page that a local server feeds.
//!
//! ```text
//! Report --report--> one HTML file: page, columns of the run or of an excerpt, stories of the verdicts
//! Report --served--> the same page without the run --asks for--> Columns, Detail
//! ```
//!
//! * [`kept`](Kept): which events a page holds;
//! * [`columns`](Columns): the run as typed arrays;
//! * `facts`: names, figures, what events did;
//! * `cuts`: the lattice of a small run, and [`density`](DensityShown) how many cuts a large one has where;
//! * [`slices`](SliceShown): the cuts that a property looks for;
//! * `document`: everything put into one text, with a content security policy that lets nothing in or out.
//!
//! Whatever comes from a log reaches the page as JSON inside a data block or as numbers, and the page shows it as text.
//! The page itself is `crates/report/page`, plain HTML, CSS and JavaScript, of which nothing is built.

mod columns;
mod cuts;
mod density;
mod document;
mod facts;
mod kept;
mod slices;

pub use columns::Columns;
pub use density::DensityShown;
pub use document::Document;
pub use facts::Detail;
pub use kept::Kept;
pub use slices::SliceShown;

use causet_base::budget::Spent;
use causet_check::glance::Glance;
use causet_check::subject::Subject;
use causet_check::wanted::Wanted;
use causet_trace::{Cut, EventId, Order};
use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::story::{Story, Told};
use crate::{Finding, Report, words};
use cuts::Cuts;
use facts::Facts;
use kept::{Between, MOST_LANES};

/// A report holds at most so many events.
const MOST_EVENTS: usize = 4000;
/// Of all verdicts together at most so many events are said to matter.
const MOST_RELEVANT: usize = 100_000;
/// The clocks of an excerpt are left out when they would have more entries than this.
const MOST_CLOCK_ENTRIES: usize = 200_000;

/// What takes a while to find out, and so is found out by somebody who watches the time.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// For each finding the slice of the cuts that it looks for, if it looks for cuts.
    pub slices: Vec<Option<SliceShown>>,
    /// The slice that the page is about when it is not about properties, and its predicate.
    pub slice: Option<(String, SliceShown)>,
    /// How the cuts are spread over the levels, if there are too many to draw.
    pub density: Option<DensityShown>,
}

/// Whether the page draws every cut of a run, so that it need not be told how many there are.
pub fn draws_every_cut(order: &Order) -> bool {
    Cuts::of(order).is_some()
}

/// The report as one file, within its budget; `None` when the run was not kept.
pub fn report(report: &Report<'_>, extras: Extras) -> Option<Document> {
    let subject = report.about.subject()?;
    let whole = whole(report, subject, extras);
    Some(whole.unwrap_or_else(|spent| brief(report, spent)))
}

fn whole(report: &Report<'_>, subject: Subject<'_>, extras: Extras) -> Result<Document, Spent> {
    has_stories(report)?;
    let order = subject.trace.order();
    let findings = report.findings.iter();
    // Each may have its turn twice, since several may ask for the same events.
    let most = 8 + 2 * MOST_EVENTS / report.findings.len().max(1);
    let focuses = findings.map(|finding| focus(subject, finding, most));
    let sliced = extras.slice.iter().map(|(_, slice)| slice.focus(order));
    let focus = by_turns(focuses.chain(sliced).collect());
    let kept = Kept::around(order, focus, MOST_EVENTS, report.budget)?;
    let between = Between::of(order, &kept, report.budget)?;
    let columns = Columns::with(subject.trace, &kept, &between);
    let lattice = Cuts::of(order);
    let data = Data {
        facts: Facts::of(
            subject,
            report.path,
            report.version,
            &kept,
            columns.labels,
            false,
        ),
        run: Some(document::base64(&columns.bytes)),
        details: details(subject, kept.events()),
        clocks: clocks(between),
        verdicts: verdicts(subject, report, &kept, lattice.as_ref(), extras.slices)?,
        lattice,
        slice: extras
            .slice
            .map(|(predicate, shown)| Sliced { predicate, shown }),
        density: extras.density,
    };
    Document::within(&data, report.path, false, report.budget)
}

/// The page for a server that gives the columns and the details when it is asked for them; `None` when there is no run.
pub fn served(report: &Report<'_>, labels: Vec<String>) -> Option<Document> {
    let subject = report.about.subject()?;
    let whole = whole_served(report, subject, labels);
    Some(whole.unwrap_or_else(|spent| brief(report, spent)))
}

fn whole_served(
    report: &Report<'_>,
    subject: Subject<'_>,
    labels: Vec<String>,
) -> Result<Document, Spent> {
    has_stories(report)?;
    let kept = Kept::all(subject.trace.order());
    let told = report
        .findings
        .iter()
        .filter_map(|finding| finding.story.as_ref());
    let told = told.flat_map(|story| story.order.iter().chain(&story.late).chain(&story.then));
    let lattice = Cuts::of(subject.trace.order());
    let data = Data {
        facts: Facts::of(subject, report.path, report.version, &kept, labels, true),
        run: None,
        details: details(subject, told.map(|&event| EventId::new(event))),
        clocks: None,
        verdicts: verdicts(subject, report, &kept, lattice.as_ref(), Vec::new())?,
        lattice,
        slice: None,
        density: None,
    };
    Ok(Document::new(&data, report.path, true))
}

/// Whether there was time for all stories.
fn has_stories(report: &Report<'_>) -> Result<(), Spent> {
    let mut stories = report.findings.iter().filter_map(|one| one.story.as_ref());
    stories.try_for_each(|story| story.cut_short.map_or(Ok(()), Err))
}

/// The verdicts and their sentences, when there was no time to draw the run.
fn brief(report: &Report<'_>, spent: Spent) -> Document {
    let mut lines = Vec::new();
    for finding in &report.findings {
        let (name, verdict) = (finding.name, finding.verdict.word());
        lines.push(format!(
            "{verdict}  {name}  {}",
            words::one_line(finding.formula)
        ));
        lines.extend(
            finding
                .story
                .iter()
                .map(|story| format!("In short: {}.", story.sentence)),
        );
        lines.extend(finding.notes.iter().map(|note| format!("note: {note}")));
    }
    lines.push(format!("The drawing was cut short by the limit ({spent})."));
    Document::brief(&lines, report.path)
}

/// All that a page is given.
#[derive(Serialize)]
struct Data<'a> {
    #[serde(flatten)]
    facts: Facts<'a>,
    /// The columns, unless the server has them.
    run: Option<String>,
    /// By the numbers of events.
    details: Map<String, Json>,
    /// Of an excerpt: the clock of each kept event, as process and count.
    clocks: Option<Vec<Vec<(u32, u32)>>>,
    verdicts: Vec<Shown<'a>>,
    /// Of a small run: every cut.
    lattice: Option<Cuts>,
    /// Of another: how many there are.
    density: Option<DensityShown>,
    /// The slice that the page is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    slice: Option<Sliced>,
}

/// A slice with its predicate.
#[derive(Serialize)]
struct Sliced {
    predicate: String,
    #[serde(flatten)]
    shown: SliceShown,
}

/// A verdict with its story and what the page wants to know beside it.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    told: Told<'a>,
    /// Things worth saying.
    notes: Vec<String>,
    /// Whether a limit ended the search for an order that shows it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    search_ended: bool,
    /// The events that write what the formula names.
    relevant: Vec<u32>,
    /// What those variables hold where the order begins.
    before: Map<String, Json>,
    /// For each cut of the lattice, whether it is as the property wants single cuts to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    truths: Option<String>,
    /// Whether the property looks for cuts, which a slice can show.
    sliceable: bool,
    /// The slice, unless the server makes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    slice: Option<SliceShown>,
}

fn verdicts<'a>(
    subject: Subject<'_>,
    report: &'a Report<'a>,
    kept: &Kept,
    lattice: Option<&Cuts>,
    slices: Vec<Option<SliceShown>>,
) -> Result<Vec<Shown<'a>>, Spent> {
    let findings = &report.findings;
    let most = MOST_RELEVANT / findings.len().max(1);
    let notes = |finding: &'a Finding<'a>| {
        let warnings = finding
            .warnings
            .iter()
            .map(causet_base::Diagnostic::sentence);
        finding.notes.iter().cloned().chain(warnings)
    };
    let slices = slices.into_iter().chain(std::iter::repeat(None));
    let shown = findings.iter().zip(slices).map(|(finding, slice)| {
        report.budget.tick_many(subject.trace.len() as u64)?;
        Ok(Shown {
            told: Told::of(finding),
            notes: notes(finding).collect(),
            search_ended: finding.witness_spent.is_some(),
            relevant: relevant(subject, finding, kept, most),
            before: finding
                .story
                .as_ref()
                .map_or_else(Map::new, |story| before(subject, story)),
            truths: lattice.and_then(|cuts| truths(subject, finding, cuts)),
            sliceable: finding.question.and_then(Wanted::by_property).is_some(),
            slice,
        })
    });
    shown.collect()
}

fn truths(subject: Subject<'_>, finding: &Finding<'_>, cuts: &Cuts) -> Option<String> {
    let glance = Glance::of(&subject, finding.question?)?;
    Some(cuts.truths(subject.trace.order().process_count(), &glance))
}

/// The events that write a variable which the formula names, the first of them when there are very many.
fn relevant(subject: Subject<'_>, finding: &Finding<'_>, kept: &Kept, most: usize) -> Vec<u32> {
    let histories = subject.trace.histories(&finding.mentioned);
    let writes = histories.iter().flat_map(|history| &history.writes);
    let shown = writes.filter(|(event, _)| kept.place(*event).is_some());
    let mut events: Vec<u32> = shown.map(|(event, _)| event.raw()).collect();
    events.sort_unstable();
    events.dedup();
    events.truncate(most);
    events
}

/// The first of each list, then the second of each, and so on.
fn by_turns(lists: Vec<Vec<EventId>>) -> impl Iterator<Item = EventId> {
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest).flat_map(move |turn| {
        let nth = lists.iter().filter_map(|list| list.get(turn).copied());
        nth.collect::<Vec<EventId>>()
    })
}

fn before(subject: Subject<'_>, story: &Story) -> Map<String, Json> {
    let order = subject.trace.order();
    let start = story
        .start
        .clone()
        .map_or_else(|| order.initial_cut(), Cut::new);
    let names: Vec<&str> = story.values.iter().map(|held| held.name.as_str()).collect();
    facts::values_at(subject.trace, &start, &names)
}

/// The events that a report of a large run must hold, the most important first: where the story ends and where it
/// departs from the recording, who wrote the values, then the order from its end back.
fn focus(subject: Subject<'_>, finding: &Finding<'_>, most: usize) -> Vec<EventId> {
    let Some(story) = &finding.story else {
        return Vec::new();
    };
    let order = subject.trace.order();
    let border = order.processes().zip(&story.cut);
    let border = border.filter_map(|(process, &count)| order.event(process, count));
    let swaps = story.swaps.iter().flat_map(|&(one, other)| [one, other]);
    let writers = story.values.iter().filter_map(|held| held.event);
    let others = story.late.iter().chain(&story.then).take(MOST_EVENTS / 4);
    let told = story.order.iter().rev().take(MOST_EVENTS / 2);
    let numbers = story.focus.iter().copied();
    let numbers = numbers
        .chain(swaps)
        .chain(writers)
        .chain(told.copied())
        .chain(others.copied());
    match order.process_count() > MOST_LANES {
        // Of many processes, what matters comes before the ends of the others.
        true => numbers.map(EventId::new).chain(border).take(most).collect(),
        false => border.chain(numbers.map(EventId::new)).take(most).collect(),
    }
}

fn details(subject: Subject<'_>, events: impl Iterator<Item = EventId>) -> Map<String, Json> {
    let detailed = events.filter_map(|event| {
        let detail = Detail::of(subject.trace, event);
        let detail = serde_json::to_value(detail).ok()?;
        Some((event.raw().to_string(), detail))
    });
    detailed.collect()
}

fn clocks(between: Between) -> Option<Vec<Vec<(u32, u32)>>> {
    let entries: usize = between.clocks.iter().map(Vec::len).sum();
    (entries > 0 && entries <= MOST_CLOCK_ENTRIES).then_some(between.clocks)
}
