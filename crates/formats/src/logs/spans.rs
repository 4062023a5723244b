//! What the formats of distributed tracing have in common: from spans to lanes, events and the order that is certain.
//!
//! ```text
//! client    start ---------------------> end
//!             \                          ^        parent.start -> child.start, always
//! server       start --> log --> end ---/         child.end -> parent.end, for a call that was answered
//! ```
//!
//! A service is not a process: it does many things at once. A span is one, with its start, what it logged in the order
//! of its own clock, and its end. Where spans name their threads, and nest on them as calls do, a thread is a process
//! instead. Clocks of different spans order nothing, unless somebody trusts those of one host: a child that starts
//! before its parent by the clock is usual, and is counted. A call is answered if a server's span ends below a client's
//! that did not fail and did not end earlier by the clock; producers do not wait for their consumers at all.

mod family;
mod lanes;

use causet_base::Code;
use causet_trace::Time;
use rustc_hash::{FxHashMap, FxHashSet};

use super::LogOptions;
use super::entry::{Datum, Earlier, Entry};
use super::scribe::Scribe;
use crate::caveats::Caveat;
use crate::error::ReadError;
use lanes::{Lane, Place};

/// On which side of a call or a message a span is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) enum Kind {
    /// On none.
    #[default]
    Internal,
    /// It calls and waits.
    Client,
    /// It is called.
    Server,
    /// It sends and does not wait.
    Producer,
    /// It receives.
    Consumer,
}

impl Kind {
    /// The kind that a format calls by a name such as `CLIENT`, `client` or `SPAN_KIND_CLIENT`.
    pub(crate) fn named(name: &str) -> Kind {
        let name = name.strip_prefix("SPAN_KIND_").unwrap_or(name);
        match name.to_ascii_lowercase().as_str() {
            "client" => Kind::Client,
            "server" => Kind::Server,
            "producer" => Kind::Producer,
            "consumer" => Kind::Consumer,
            _ => Kind::Internal,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Internal => "internal",
            Kind::Client => "client",
            Kind::Server => "server",
            Kind::Producer => "producer",
            Kind::Consumer => "consumer",
        }
    }
}

/// What variables are set to.
pub(crate) type Sets = Vec<(String, Datum<'static>)>;

/// A span.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Span {
    /// The line it stands on.
    pub(crate) line: u32,
    /// Its trace.
    pub(crate) trace: String,
    /// Its id; both sides of a call may have the same.
    pub(crate) id: String,
    /// The id of its parent in the same trace.
    pub(crate) parent: Option<String>,
    /// Further spans that it follows from: trace and id.
    pub(crate) links: Vec<(String, String)>,
    /// Which side it is on.
    pub(crate) kind: Kind,
    /// Who did it.
    pub(crate) service: String,
    /// What was done.
    pub(crate) name: String,
    /// Whose clock it went by.
    pub(crate) host: Option<String>,
    /// What tells its operating system process from all others, so that thread ids mean something.
    pub(crate) instance: Option<String>,
    /// The thread it ran on.
    pub(crate) thread: Option<String>,
    /// When it started, in nanoseconds.
    pub(crate) start: Option<i64>,
    /// When it ended, in nanoseconds.
    pub(crate) end: Option<i64>,
    /// What is known of it.
    pub(crate) sets: Sets,
    /// What is known of how it ended.
    pub(crate) outcome: Sets,
    /// Whether it failed.
    pub(crate) failed: bool,
    /// What it logged.
    pub(crate) logs: Vec<Log>,
}

/// Something that a span logged.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Log {
    /// When, in nanoseconds.
    pub(crate) time: Option<i64>,
    /// What.
    pub(crate) label: String,
    /// What it says.
    pub(crate) sets: Sets,
}

/// An id as it can be compared: in small letters, without zeros in front.
pub(crate) fn plain_id(id: &str) -> String {
    id.trim_start_matches('0').to_ascii_lowercase()
}

/// The spans of all parts; a parent may stand in another one.
#[derive(Default)]
pub(crate) struct Spans {
    spans: Vec<Span>,
    trust_local_clock: bool,
    /// Which trace is meant.
    wanted: Option<String>,
    /// Whether several traces are one run.
    merge: bool,
}

/// What a span does at an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Act {
    Start,
    Log(u32),
    End,
}

/// An event of a span.
#[derive(Clone, Copy, Debug)]
struct Happening {
    span: u32,
    act: Act,
    time: Option<i64>,
}

/// The events of all spans, and the order between different ones.
struct Plan {
    events: Vec<Happening>,
    /// Where the events of each span begin; the first is its start.
    first: Vec<u32>,
    /// What each event must come after, but for the events of its own span.
    after: Vec<Vec<u32>>,
}

impl Spans {
    /// No spans yet; the clock of a host may be trusted, and one of several traces may be meant.
    pub(crate) fn new(options: &LogOptions) -> Self {
        Spans {
            spans: Vec::new(),
            trust_local_clock: options.trust_local_clock,
            wanted: options.execution.clone(),
            merge: options.merge,
        }
    }

    /// Keeps a span.
    pub(crate) fn keep(&mut self, span: Span) {
        self.spans.push(span);
    }

    /// Tells all spans.
    pub(crate) fn tell(&mut self, scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        let mut spans = std::mem::take(&mut self.spans);
        without_doubles(&mut spans, scribe);
        if !self.merge {
            of_one_trace(&mut spans, self.wanted.as_deref())?;
        }
        let family = family::Family::of(&spans);
        family.note(&spans, scribe);
        let mut plan = Plan::of(&spans);
        plan.follow(&spans, &family);
        note_open(&spans, scribe);
        if self.trust_local_clock {
            plan.trust_clocks(&spans, scribe);
        }
        let (lanes, order) = lanes::arrange(&spans, &family, &plan, scribe);
        if !self.trust_local_clock {
            scribe.caveat = lanes::hosts(&lanes, &spans, &plan).map(Caveat::Clocks);
        }
        let places = lanes::places(&lanes, plan.events.len());
        for event in order {
            scribe.add(&entry_of(event, &spans, &plan, &lanes, &places))?;
        }
        Ok(())
    }
}

/// A span that was exported twice is one span.
fn without_doubles(spans: &mut Vec<Span>, scribe: &mut Scribe<'_>) {
    let mut seen = FxHashSet::default();
    let keep = spans.iter().map(|span| {
        let times = (span.kind, span.start, span.end);
        seen.insert((&span.trace, &span.id, &span.service, &span.name, times))
    });
    let keep: Vec<bool> = keep.collect();
    let doubles = keep.iter().filter(|&&keep| !keep).count();
    if let Some(first) = keep.iter().position(|&keep| !keep) {
        let help = "the first of them is kept; an exporter that repeats itself does this";
        let line = spans[first].line;
        scribe.note(line, counted(doubles, "occurs twice", "occur twice"), help);
    }
    let mut keep = keep.into_iter();
    spans.retain(|_| keep.next().unwrap_or(true));
}

/// How many traces are listed.
const LISTED: usize = 10;

/// Keeps the spans of the trace that is meant, which must be said if there are several.
fn of_one_trace(spans: &mut Vec<Span>, wanted: Option<&str>) -> Result<(), ReadError> {
    let traces = traces(spans);
    let chosen = match wanted {
        None if traces.len() < 2 => return Ok(()),
        None => {
            let message = format!("these spans belong to {} traces", traces.len());
            let help = format!(
                "--execution ID reads one of them, and --merge all as one run: {}",
                listed(&traces)
            );
            return Err(refused(&traces, message, help));
        }
        Some(wanted) => {
            let number = wanted.parse::<usize>().ok();
            let numbered = number.and_then(|number| traces.get(number.checked_sub(1)?));
            let id = plain_id(wanted);
            traces.iter().find(|first| first.0.trace == id).or(numbered)
        }
    };
    let Some((first, _)) = chosen else {
        let message = format!("there is no trace `{}`", wanted.unwrap_or_default());
        let help = format!("the traces are {}", listed(&traces));
        return Err(refused(&traces, message, help));
    };
    let trace = first.trace.clone();
    spans.retain(|span| span.trace == trace);
    Ok(())
}

/// The first span of each trace, with how many there are.
fn traces(spans: &[Span]) -> Vec<(&Span, usize)> {
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    let mut traces: Vec<(&Span, usize)> = Vec::new();
    for span in spans {
        let place = *places.entry(&span.trace).or_insert(traces.len());
        match traces.get_mut(place) {
            Some((_, count)) => *count += 1,
            None => traces.push((span, 1)),
        }
    }
    traces
}

fn listed(traces: &[(&Span, usize)]) -> String {
    let shown = traces.iter().take(LISTED).map(|(first, count)| {
        let spans = if *count == 1 { "span" } else { "spans" };
        format!("{} ({count} {spans}, {})", first.trace, first.name)
    });
    let shown: Vec<String> = shown.collect();
    match traces.len().saturating_sub(LISTED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn refused(traces: &[(&Span, usize)], message: String, help: String) -> ReadError {
    let line = traces
        .get(1)
        .or(traces.first())
        .map_or(1, |(first, _)| first.line);
    ReadError::at(
        Code::SeveralTraces,
        line,
        "",
        0..0,
        message,
        "expected the spans of one trace",
    )
    .with_help(help)
}

fn counted(count: usize, one: &str, many: &str) -> String {
    match count {
        1 => format!("1 span {one}"),
        _ => format!("{count} spans {many}"),
    }
}

fn note_open(spans: &[Span], scribe: &mut Scribe<'_>) {
    let open = || spans.iter().filter(|span| span.end.is_none());
    if let Some(first) = open().next() {
        let message = counted(open().count(), "has no end", "have no end");
        scribe.note(first.line, message, "their lanes end with what came last");
    }
}

impl Plan {
    fn of(spans: &[Span]) -> Plan {
        let mut events = Vec::new();
        let mut first = Vec::with_capacity(spans.len() + 1);
        for (number, span) in spans.iter().enumerate() {
            let happening = |act, time| Happening {
                span: number as u32,
                act,
                time,
            };
            first.push(events.len() as u32);
            events.push(happening(Act::Start, span.start));
            let mut logs: Vec<u32> = (0..span.logs.len() as u32).collect();
            logs.sort_by_key(|&log| span.logs[log as usize].time);
            let logs = logs.into_iter();
            events.extend(logs.map(|log| happening(Act::Log(log), span.logs[log as usize].time)));
            if span.end.is_some() {
                events.push(happening(Act::End, span.end));
            }
        }
        first.push(events.len() as u32);
        let after = vec![Vec::new(); events.len()];
        Plan {
            events,
            first,
            after,
        }
    }

    fn start_of(&self, span: u32) -> u32 {
        self.first[span as usize]
    }

    /// The end of a span that has one.
    fn end_of(&self, span: u32) -> Option<u32> {
        let last = self.first[span as usize + 1].checked_sub(1)?;
        (self.events[last as usize].act == Act::End).then_some(last)
    }

    fn events_of(&self, span: u32) -> std::ops::Range<u32> {
        self.first[span as usize]..self.first[span as usize + 1]
    }

    /// Children start after their parents, and calls end after their answers.
    fn follow(&mut self, spans: &[Span], family: &family::Family) {
        for child in 0..spans.len() as u32 {
            let start = self.start_of(child);
            let earlier = family.before_start(child).map(|span| self.start_of(span));
            let mut earlier: Vec<u32> = earlier.collect();
            earlier.sort_unstable();
            earlier.dedup();
            self.after[start as usize] = earlier;
            if let Some(client) = family.answers(child)
                && let (Some(child), Some(client)) = (self.end_of(child), self.end_of(client))
            {
                self.after[client as usize].push(child);
            }
        }
    }

    /// Orders the events of each host by its clock; events at the same time stay unordered.
    fn trust_clocks(&mut self, spans: &[Span], scribe: &mut Scribe<'_>) {
        let mut hosts: FxHashMap<&str, Vec<(i64, u32)>> = FxHashMap::default();
        for (number, event) in self.events.iter().enumerate() {
            let span = &spans[event.span as usize];
            // A span logs between its start and its end, whatever the clock says.
            let last = span.end.unwrap_or(i64::MAX);
            let time = event
                .time
                .map(|time| Some(time).max(span.start).unwrap_or(time).min(last));
            if let (Some(host), Some(time)) = (span.host.as_deref(), time) {
                let events = hosts.entry(host).or_default();
                events.push((time, number as u32));
            }
        }
        if hosts.is_empty() && !spans.is_empty() {
            let message = "no span says on which host it ran, so no local clock orders anything";
            let help = "expected host.name, hostname, ip or an address of the local endpoint";
            scribe.note(spans[0].line, message, help);
        }
        for events in hosts.into_values() {
            self.order_by_clock(events);
        }
    }

    fn order_by_clock(&mut self, mut events: Vec<(i64, u32)>) {
        /// So many edges between the events of two times are worth it; more are given up, and the times become one.
        const EDGES: usize = 1024;
        events.sort_unstable();
        let (mut earlier, mut now): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        for same in events.chunk_by(|one, other| one.0 == other.0) {
            let next: Vec<u32> = same.iter().map(|&(_, event)| event).collect();
            let is_worth_it = |before: &[u32]| {
                before.len().min(next.len()) <= 1 || before.len() * next.len() <= EDGES
            };
            if !is_worth_it(&now) {
                let known = if is_worth_it(&earlier) {
                    earlier.as_slice()
                } else {
                    &[]
                };
                next.iter()
                    .for_each(|&event| self.after[event as usize].extend(known));
                now.extend(next);
                continue;
            }
            next.iter()
                .for_each(|&event| self.after[event as usize].extend(&now));
            earlier = std::mem::replace(&mut now, next);
        }
    }
}

/// An event as the log tells it.
fn entry_of<'s>(
    event: u32,
    spans: &'s [Span],
    plan: &Plan,
    lanes: &'s [Lane],
    places: &[Place],
) -> Entry<'s> {
    let happening = plan.events[event as usize];
    let span = &spans[happening.span as usize];
    let place = places[event as usize];
    let lane = &lanes[place.lane as usize];
    let mut entry = Entry::of(lane.name.as_str(), span.line);
    entry.time = happening.time.map(Time::from_nanos);
    let mut set = |name: &'s str, datum| entry.sets.push((name.into(), datum));
    let label = match happening.act {
        Act::Start => {
            set("kind", Datum::Text(span.kind.name().into()));
            set("service", Datum::Text(span.service.as_str().into()));
            set("operation", Datum::Text(span.name.as_str().into()));
            "start"
        }
        Act::Log(log) => span.logs[log as usize].label.as_str(),
        Act::End => "end",
    };
    let told = match happening.act {
        Act::Start => &span.sets,
        Act::Log(log) => &span.logs[log as usize].sets,
        Act::End => &span.outcome,
    };
    for (name, datum) in told {
        set(name, datum.clone());
    }
    match lane.depth_after(place.position) {
        Some(depth) => set("depth", Datum::int(i64::from(depth))),
        None => match happening.act {
            Act::Start => set("active", Datum::bool(true)),
            Act::End => set("active", Datum::bool(false)),
            Act::Log(_) => {}
        },
    }
    entry.label = match (happening.act, lane.is_thread()) {
        (Act::Start | Act::End, true) => Some(format!("{label} {}", span.name).into()),
        _ => (!label.is_empty()).then_some(label.into()),
    };
    let after = plan.after[event as usize].iter();
    entry.after = after
        .map(|&earlier| places[earlier as usize])
        .filter(|earlier| earlier.lane != place.lane || earlier.position >= place.position)
        .map(|earlier| {
            let lane = &lanes[earlier.lane as usize];
            Earlier::new(lane.name.as_str().into(), earlier.position)
        })
        .collect();
    entry
}
