//! What a run looks like before anything is asked of it: its size, its shape, its races.

use std::f64::consts::LN_10;
use std::fmt::Display;
use std::io::{self, Write};

use causet_base::budget::{Budget, Spent};
use causet_check::count::MOST_VISITED;
use causet_check::subject::Subject;
use causet_trace::{EventId, Race, Races, StoredValue, Trace, VarId};
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::Palette;
use super::words::{self, clean, padded, short_middle, width};
use crate::SCHEMA;

/// More rows of one kind than this are counted, not listed.
const MOST_ROWS: usize = 40;

/// A run and what took time to find out about it.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    /// The run.
    pub subject: Subject<'a>,
    /// The number of cuts.
    pub cuts: CutCount,
    /// The exact number of complete orders in the same way; none when there are more than [`MOST_VISITED`] cuts.
    pub runs: Option<Result<String, Spent>>,
    /// The largest number of pairwise concurrent events, or the limit that was reached.
    pub width: Result<usize, Spent>,
    /// The largest number of events of a causal chain, or the limit that was reached.
    pub longest_chain: Result<u32, Spent>,
    /// Unordered writes of shared variables, if there was time to look for them.
    pub races: Option<Races>,
    /// What messages there were, if there was time to count them.
    pub traffic: Option<Traffic>,
    /// The types each variable takes, if there was time to look at them.
    pub types: Option<Types>,
    /// What was odd in the input and let pass.
    pub warnings: Vec<String>,
}

/// What is known of the number of cuts.
#[derive(Clone, Debug)]
pub enum CutCount {
    /// The exact number, in decimal digits.
    Exact(String),
    /// The decimal logarithms of two numbers between which it is likely to be.
    Estimated(f64, f64),
    /// The limit that was reached.
    Unknown(Spent),
}

/// Writes the facts for a person.
pub fn write(facts: &Facts<'_>, palette: &Palette, out: &mut dyn Write) -> io::Result<()> {
    let trace = facts.subject.trace;
    let row = |out: &mut dyn Write, name: &str, text: &str| {
        let (strong, name) = (palette.strong, padded(name, 10));
        writeln!(out, "{strong}{name}{strong:#} {text}")
    };
    row(out, "processes", &trace.order().process_count().to_string())?;
    processes(trace, palette, out)?;
    row(out, "events", &trace.len().to_string())?;
    let traffic = match &facts.traffic {
        Some(traffic) => traffic.to_string(),
        None => format!("{} sent", trace.message_count()),
    };
    row(out, "messages", &traffic)?;
    row(out, "edges", &edges(trace))?;
    row(out, "variables", &trace.variables().count().to_string())?;
    variables(facts, palette, out)?;
    row(out, "cuts", &cuts(&facts.cuts))?;
    row(
        out,
        "runs",
        &facts.runs.as_ref().map_or_else(unvisited, runs),
    )?;
    let width = extent(&facts.width, "are pairwise concurrent");
    row(out, "width", &width)?;
    let chain = extent(&facts.longest_chain, "form a causal chain");
    row(out, "chain", &chain)?;
    match &facts.races {
        Some(found) => {
            row(out, "races", &found.total.to_string())?;
            races(facts.subject, found, palette, out)?;
        }
        None => row(out, "races", "not looked for: a limit was reached")?,
    }
    for warning in &facts.warnings {
        row(out, "warning", &clean(warning))?;
    }
    Ok(())
}

fn cuts(count: &CutCount) -> String {
    match count {
        CutCount::Exact(digits) => exact(digits),
        CutCount::Estimated(low, high) => {
            let (low, high) = (power(*low), power(*high));
            format!("about {low} to {high}   (estimated; --cuts counts them exactly)")
        }
        CutCount::Unknown(limit) => uncounted(*limit),
    }
}

/// A number with two digits and the power of ten, from its decimal logarithm.
fn power(log10: f64) -> String {
    let (mut exponent, mut tenths) = (log10.floor(), (log10.fract() * LN_10).exp() * 10.0);
    tenths = tenths.round();
    if tenths >= 100.0 {
        (exponent, tenths) = (exponent + 1.0, 10.0);
    }
    match exponent {
        ..6.0 => format!("{:.0}", tenths / 10.0 * 10.0_f64.powf(exponent)),
        _ => format!("{:.1}e{exponent}", tenths / 10.0),
    }
}

/// An exact number as far as a person can take it in; the size of a long one.
fn exact(digits: &str) -> String {
    let length = digits.len();
    if length <= SHORT {
        return digits.to_owned();
    }
    let about = rounded(digits);
    match length <= LINE {
        true => format!("{digits}   (about {about})"),
        false => format!("about {about}   (--json gives all {length} digits)"),
    }
}

/// So many digits are read at a glance, and so many fit a line.
const SHORT: usize = 20;
const LINE: usize = 60;

/// A long number with two digits and the power of ten: `1.7e206`.
fn rounded(digits: &str) -> String {
    let leading = digits[..3].bytes();
    let leading = leading.fold(0, |sofar, digit| 10 * sofar + u32::from(digit - b'0'));
    let (tenths, exponent) = match (leading + 5) / 10 {
        100 => (10, digits.len()),
        tenths => (tenths, digits.len() - 1),
    };
    format!("{}.{}e{exponent}", tenths / 10, tenths % 10)
}

fn runs(figure: &Result<String, Spent>) -> String {
    figure
        .as_ref()
        .map_or_else(|&limit| uncounted(limit), |digits| exact(digits))
}

/// Why there is no number, and how to get one.
fn uncounted(limit: Spent) -> String {
    match limit {
        Spent::Time => "more than could be counted within the time limit; raise --timeout",
        Spent::Memory => "more than could be counted within the memory limit; raise --memory",
        Spent::Cancelled => "more than could be counted until counting was stopped",
    }
    .to_owned()
}

/// Why the orders are not counted.
fn unvisited() -> String {
    format!("not counted, since there are more than {MOST_VISITED} cuts")
}

/// How far the run extends in one direction.
fn extent<N: Display>(figure: &Result<N, Spent>, what: &str) -> String {
    match figure {
        Ok(events) => format!("{events}   (at most so many events {what})"),
        Err(limit) => match limit {
            Spent::Time => "unknown: the time was up; raise --timeout".to_owned(),
            Spent::Memory => "unknown: the memory limit was reached; raise --memory".to_owned(),
            Spent::Cancelled => "unknown: the search was stopped".to_owned(),
        },
    }
}

fn processes(trace: &Trace, palette: &Palette, out: &mut dyn Write) -> io::Result<()> {
    let order = trace.order();
    let name = |process| short_middle(trace.process_name(process), 30);
    let widest = order
        .processes()
        .map(|process| width(&name(process)))
        .max()
        .unwrap_or(0);
    let rows = order.processes().map(|process| {
        let events = words::count(order.chain(process).len(), "event");
        format!("{}  {events}", padded(&name(process), widest))
    });
    listed(rows, order.process_count() as u64, palette, out)
}

fn variables(facts: &Facts<'_>, palette: &Palette, out: &mut dyn Write) -> io::Result<()> {
    let trace = facts.subject.trace;
    let vars = sorted_variables(trace);
    let name = |var| short_middle(&trace.variable_name(var), 40);
    let widest = vars.iter().map(|&var| width(&name(var))).max().unwrap_or(0);
    let rows = vars.iter().map(|&var| {
        let initial = words::value(trace, trace.initial_value(var));
        let initial = match trace.given_init(var) {
            Some(_) => initial,
            None => format!("unset ({initial})"),
        };
        let types = facts.types.as_ref().and_then(|types| types.get(&var));
        let types = types.map_or(String::new(), |types| format!("{}, ", types.join(" or ")));
        format!("{}  {types}initially {initial}", padded(&name(var), widest))
    });
    listed(rows, trace.variables().count() as u64, palette, out)
}

/// The variables, shared ones first, then process by process.
fn sorted_variables(trace: &Trace) -> Vec<VarId> {
    let mut vars: Vec<VarId> = trace.variables().collect();
    vars.sort_by_key(|&var| (trace.owner(var), trace.short_name(var)));
    vars
}

/// The types of variables, by the words for them.
pub type Types = FxHashMap<VarId, Vec<&'static str>>;

/// The types each variable takes, its given initial value included.
pub fn types(trace: &Trace, budget: &Budget<'_>) -> Result<Types, Spent> {
    let mut types = Types::default();
    let mut note = |var: VarId, value: StoredValue| {
        let known = types.entry(var).or_default();
        let word = value.value_type().word();
        if !known.contains(&word) {
            known.push(word);
        }
    };
    for var in trace.variables() {
        if let Some(value) = trace.given_init(var) {
            note(var, value);
        }
    }
    for event in trace.events() {
        budget.tick()?;
        for write in trace.writes(event) {
            note(write.var, write.value);
        }
    }
    Ok(types)
}

fn races(
    subject: Subject<'_>,
    races: &Races,
    palette: &Palette,
    out: &mut dyn Write,
) -> io::Result<()> {
    let rows = races.pairs.iter().map(|race| {
        let name = subject.trace.variable_name(race.var);
        let (first, second) = (
            subject.event_name(race.first),
            subject.event_name(race.second),
        );
        clean(&format!("{name}: nothing orders {first} and {second}"))
    });
    listed(rows, races.total, palette, out)
}

/// Indented rows, the first few of `total`.
fn listed(
    rows: impl Iterator<Item = String>,
    total: u64,
    palette: &Palette,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (faint, more) = (palette.faint, total.saturating_sub(MOST_ROWS as u64));
    for row in rows.take(MOST_ROWS) {
        writeln!(out, "  {row}")?;
    }
    if more > 0 {
        writeln!(out, "  {faint}and {more} more{faint:#}")?;
    }
    Ok(())
}

fn edges(trace: &Trace) -> String {
    let crossing = trace.order().crossing_count();
    let explicit = trace.explicit_edges().len();
    match explicit {
        0 => format!("{crossing} between processes"),
        _ => format!("{crossing} between processes, {explicit} of them explicit or from clocks"),
    }
}

/// How many messages were sent, received by someone, and by nobody.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Traffic {
    sent: usize,
    received: usize,
    in_transit: usize,
}

impl Traffic {
    /// Counts the messages of a run.
    pub fn of(trace: &Trace, budget: &Budget<'_>) -> Result<Self, Spent> {
        let mut received: Vec<bool> = Vec::new();
        for event in trace.events() {
            budget.tick()?;
            for message in trace.receives(event) {
                if received.len() <= message.index() {
                    received.resize(message.index() + 1, false);
                }
                // A receive whose send is not known, in a log that was read leniently, counts for no message.
                received[message.index()] = trace.sender(*message).is_some();
            }
        }
        let known = received.into_iter().filter(|&known| known).count();
        let sent = trace.message_count();
        Ok(Traffic {
            sent,
            received: known,
            in_transit: sent - known,
        })
    }
}

impl std::fmt::Display for Traffic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Traffic {
            sent,
            received,
            in_transit,
        } = self;
        write!(
            f,
            "{sent} sent, {received} received, {in_transit} still in transit"
        )
    }
}

/// Writes the facts for a program.
pub fn write_json(facts: &Facts<'_>, out: &mut dyn Write) -> io::Result<()> {
    let trace = facts.subject.trace;
    let order = trace.order();
    let whole = Whole {
        schema: SCHEMA,
        processes: order
            .processes()
            .map(|process| trace.process_name(process))
            .collect(),
        events: trace.len(),
        messages: trace.message_count(),
        cuts: match &facts.cuts {
            CutCount::Exact(digits) => Some(digits),
            CutCount::Estimated(..) | CutCount::Unknown(_) => None,
        },
        width: facts.width.as_ref().ok().copied(),
        races: facts.races.as_ref().map(|races| {
            let pairs = races.pairs.iter();
            pairs.map(|race| race_json(facts, race)).collect()
        }),
        runs: facts.runs.as_ref().and_then(|runs| runs.as_deref().ok()),
        longest_chain: facts.longest_chain.as_ref().ok().copied(),
        events_of: order
            .processes()
            .map(|process| order.chain(process).len())
            .collect(),
        traffic: facts.traffic,
        edges: order.crossing_count(),
        variables: variables_json(trace, facts.types.as_ref()),
        races_total: facts.races.as_ref().map(|races| races.total),
        warnings: &facts.warnings,
    };
    serde_json::to_writer(&mut *out, &whole)?;
    writeln!(out)
}

/// Writes, for a program, that a run could not be read within the limits: nothing is known of it.
pub fn write_unread_json(out: &mut dyn Write) -> io::Result<()> {
    let nothing = serde_json::json!({
        "schema": SCHEMA, "processes": null, "events": null, "messages": null, "cuts": null, "width": null, "races": null,
        "runs": null, "longest_chain": null
    });
    serde_json::to_writer(&mut *out, &nothing)?;
    writeln!(out)
}

#[derive(Serialize)]
struct Whole<'a> {
    schema: u32,
    processes: Vec<&'a str>,
    events: usize,
    messages: usize,
    cuts: Option<&'a str>,
    width: Option<usize>,
    races: Option<Vec<RaceJson<'a>>>,
    runs: Option<&'a str>,
    longest_chain: Option<u32>,
    /// In the order of `processes`.
    events_of: Vec<usize>,
    traffic: Option<Traffic>,
    edges: usize,
    variables: Vec<VariableJson>,
    /// How many races there are; `races` lists some thousand of each variable at most.
    races_total: Option<u64>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct RaceJson<'a> {
    variable: String,
    first: EventJson<'a>,
    second: EventJson<'a>,
}

#[derive(Serialize)]
struct EventJson<'a> {
    process: &'a str,
    number: u32,
    line: u32,
    file: Option<&'a str>,
}

#[derive(Serialize)]
struct VariableJson {
    name: String,
    types: Vec<&'static str>,
}

fn race_json<'a>(facts: &'a Facts<'a>, race: &Race) -> RaceJson<'a> {
    RaceJson {
        variable: facts.subject.trace.variable_name(race.var),
        first: event_json(&facts.subject, race.first),
        second: event_json(&facts.subject, race.second),
    }
}

fn event_json<'a>(subject: &Subject<'a>, event: EventId) -> EventJson<'a> {
    let (trace, place) = (subject.trace, subject.trace.place(event));
    EventJson {
        process: trace.process_name(trace.order().process_of(event)),
        number: trace.order().position_of(event),
        line: place.line,
        file: subject.parts.get(place.part as usize).map(String::as_str),
    }
}

fn variables_json(trace: &Trace, types: Option<&Types>) -> Vec<VariableJson> {
    let types = |var: &VarId| types.and_then(|types| types.get(var));
    let vars = sorted_variables(trace).into_iter();
    let described = vars.map(|var| VariableJson {
        name: trace.variable_name(var),
        types: types(&var).cloned().unwrap_or_default(),
    });
    described.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(digits: &str) -> String {
        exact(digits)
    }

    #[test]
    fn an_estimate_is_shown_as_a_range_of_powers() {
        assert_eq!(power(0.0), "1");
        assert_eq!(power(5.0), "100000");
        assert_eq!(power(9.999_9), "1.0e10");
        assert_eq!(power(472.38), "2.4e472");
    }

    #[test]
    fn numbers_are_shown_in_full_as_long_as_they_fit() {
        assert_eq!(shown("27650"), "27650");
        assert_eq!(shown(&"9".repeat(20)), "9".repeat(20));
        let long = "123456789012345678901";
        assert_eq!(shown(long), format!("{long}   (about 1.2e20)"));
    }

    #[test]
    fn a_long_number_is_shown_by_its_size() {
        let long = format!("1749{}", "0".repeat(203));
        assert_eq!(
            shown(&long),
            "about 1.7e206   (--json gives all 207 digits)"
        );
        assert_eq!(rounded("175000"), "1.8e5");
        assert_eq!(rounded("9949"), "9.9e3");
        assert_eq!(rounded("9950"), "1.0e4");
    }
}
