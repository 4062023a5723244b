//! The order that a witness shows, for programs: its events one by one, or, of a long one, those that moved.

use causet_base::budget::{Budget, Spent};
use causet_check::outcome::Witness;
use causet_check::subject::Subject;
use causet_trace::{Cut, EventId, Place, StoredValue, Trace};
use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use super::json::Object;
use super::moved::moved;

/// An order of more events is told by those that moved, unless all are asked for.
pub(super) const MOST_LISTED: usize = 10_000;

/// How orders of more than 10,000 events are told.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum LongOrders {
    /// By the events that moved from where they were recorded.
    #[default]
    Moved,
    /// Event by event.
    Full,
}

/// The order of a witness.
#[derive(Serialize)]
pub(super) struct Order<'a> {
    cut: Option<Object<'a, u32>>,
    run: Option<Events<'a>>,
    observed: Option<bool>,
    then: Option<Events<'a>>,
    instance: Option<&'a str>,
    /// Of a long run.
    #[serde(skip_serializing_if = "is_listed")]
    moved: Told<'a>,
    /// Of a long way on.
    #[serde(skip_serializing_if = "is_listed")]
    then_moved: Told<'a>,
    /// Where a long way on ends, unless that is the final cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    then_end: Option<Object<'a, u32>>,
    /// What the events of a short one are.
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<Vec<Described<'a>>>,
}

/// How some events in an order are told.
enum Told<'a> {
    Listed,
    Moved(Vec<(&'a str, u32, usize)>),
    /// There was no time to find out what moved.
    LeftOut(Spent),
}

impl Serialize for Told<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Told::Moved(moved) => moved.serialize(serializer),
            Told::Listed | Told::LeftOut(_) => serializer.serialize_none(),
        }
    }
}

fn is_listed(told: &Told<'_>) -> bool {
    matches!(told, Told::Listed)
}

/// Events as process and number.
struct Events<'a> {
    trace: &'a Trace,
    events: &'a [EventId],
}

impl Serialize for Events<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.events.iter().map(|&event| named(self.trace, event)))
    }
}

/// An event and what the log says of it.
#[derive(Serialize)]
struct Described<'a> {
    event: (&'a str, u32),
    label: Option<&'a str>,
    /// Of a run of several files.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    line: u32,
    /// What it wrote.
    values: Object<'a, Json>,
}

/// The order of a witness, and a note when a limit has left something out of it.
pub(super) fn of<'a>(
    witness: &'a Witness,
    subject: Subject<'a>,
    long: LongOrders,
    budget: &Budget<'_>,
) -> (Order<'a>, Option<String>) {
    let trace = subject.trace;
    let is_long = |events: &[EventId]| long == LongOrders::Moved && events.len() > MOST_LISTED;
    let [run, then] = [&witness.run, &witness.then].map(|events| match is_long(events) {
        true => told(trace, events, budget),
        false => Told::Listed,
    });
    let left_out = [&run, &then].into_iter().find_map(|told| match told {
        Told::LeftOut(spent) => Some(left_out_by(*spent)),
        _ => None,
    });
    let listed = |told: &Told<'_>, events: &'a [EventId]| {
        is_listed(told).then_some(Events { trace, events })
    };
    let is_whole = witness.run.len() + witness.then.len() == trace.len();
    let ends = !is_listed(&then) && !is_whole;
    let all = witness.run.iter().chain(&witness.then);
    let is_short = witness.run.len() + witness.then.len() <= MOST_LISTED;
    let order = Order {
        cut: witness.cut.as_ref().map(|cut| counts(trace, cut)),
        run: listed(&run, &witness.run),
        observed: witness.observed,
        then: listed(&then, &witness.then),
        instance: witness.instance.as_deref(),
        moved: run,
        then_moved: then,
        then_end: ends.then(|| counts(trace, &trace.order().closure(all.clone().copied()))),
        events: is_short.then(|| all.map(|&event| described(subject, event)).collect()),
    };
    (order, left_out)
}

/// A witness without its order, for which a limit left no room, and the note that says so.
pub(super) fn left_out<'a>(
    witness: &'a Witness,
    subject: Subject<'a>,
    spent: Spent,
) -> (Order<'a>, Option<String>) {
    let order = Order {
        cut: witness.cut.as_ref().map(|cut| counts(subject.trace, cut)),
        run: None,
        observed: witness.observed,
        then: None,
        instance: witness.instance.as_deref(),
        moved: Told::LeftOut(spent),
        then_moved: Told::LeftOut(spent),
        then_end: None,
        events: None,
    };
    (order, Some(left_out_by(spent)))
}

fn left_out_by(spent: Spent) -> String {
    format!("the order was left out by the limit ({spent})")
}

/// The order that a witness shows, event by event, as it stands in a report, without what the log says of the events.
pub fn witness(witness: &Witness, subject: Subject<'_>) -> Json {
    let (mut order, _) = of(witness, subject, LongOrders::Full, &Budget::endless());
    order.events = None;
    serde_json::to_value(order).unwrap_or_default()
}

fn told<'a>(trace: &'a Trace, events: &[EventId], budget: &Budget<'_>) -> Told<'a> {
    match moved(events, &trace.order().ranks(), budget) {
        Ok(moved) => {
            let moved = moved.into_iter().map(|(event, place)| {
                let (process, number) = named(trace, event);
                (process, number, place)
            });
            Told::Moved(moved.collect())
        }
        Err(spent) => Told::LeftOut(spent),
    }
}

fn counts<'a>(trace: &'a Trace, cut: &Cut) -> Object<'a, u32> {
    let processes = trace.order().processes();
    let counts = processes.map(|process| (trace.process_name(process), cut.of(process)));
    Object(counts.collect())
}

fn named(trace: &Trace, event: EventId) -> (&str, u32) {
    let order = trace.order();
    let process = trace.process_name(order.process_of(event));
    (process, order.position_of(event))
}

fn described(subject: Subject<'_>, event: EventId) -> Described<'_> {
    let trace = subject.trace;
    let Place { part, line, .. } = trace.place(event);
    let writes = trace.writes(event);
    let values = writes.map(|write| (trace.short_name(write.var), json(trace, write.value)));
    Described {
        event: named(trace, event),
        label: trace.label(event),
        file: subject
            .parts
            .get(part as usize)
            .filter(|_| subject.parts.len() > 1)
            .map(String::as_str),
        line,
        values: Object(values.collect()),
    }
}

/// A value as the native format writes it.
fn json(trace: &Trace, value: StoredValue) -> Json {
    match value {
        StoredValue::Bool(truth) => truth.into(),
        StoredValue::Text(text) => trace.text(text).into(),
        number => {
            let text = number.number_text().unwrap_or_default();
            serde_json::from_str(&text).unwrap_or(Json::String(text))
        }
    }
}
