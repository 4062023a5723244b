//! What a page is told about a run beside its columns: names, figures, and what each event did, in words.

use causet_check::subject::Subject;
use causet_trace::{Cut, EventId, StoredValue, Trace, VarId};
use rustc_hash::FxHashSet;
use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::kept::Kept;
use causet_formats::words;

/// A longer text of a log is cut: a page is for looking, and the log is still there.
const LONGEST: usize = 240;
/// The initial values of more variables than this are not listed.
const MOST_VARIABLES: usize = 20_000;

/// The text, cut with an ellipsis when it is very long.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// Names and figures of a run.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Facts<'a> {
    /// The program that made the page.
    pub(super) program: String,
    /// What the person called the run.
    pub(super) title: &'a str,
    /// How many events the run has, and how many of them the page holds.
    pub(super) events: usize,
    pub(super) kept: usize,
    pub(super) messages: usize,
    pub(super) processes: Vec<String>,
    /// How many events each process has.
    pub(super) counts: Vec<usize>,
    pub(super) labels: Vec<String>,
    pub(super) parts: Vec<String>,
    /// What variables hold at first.
    pub(super) initial: Map<String, Json>,
    /// Whether a server can be asked for more.
    pub(super) live: bool,
}

impl<'a> Facts<'a> {
    pub(super) fn of(
        subject: Subject<'_>,
        title: &'a str,
        version: &str,
        kept: &Kept,
        labels: Vec<String>,
        live: bool,
    ) -> Facts<'a> {
        let trace = subject.trace;
        let order = trace.order();
        Facts {
            program: format!("causet {version}"),
            title,
            events: trace.len(),
            kept: kept.len(),
            messages: trace.message_count(),
            processes: order
                .processes()
                .map(|process| shortened(trace.process_name(process)))
                .collect(),
            counts: order
                .processes()
                .map(|process| order.chain(process).len())
                .collect(),
            labels,
            parts: subject.parts.iter().map(|part| shortened(part)).collect(),
            initial: initial(trace),
            live,
        }
    }
}

fn initial(trace: &Trace) -> Map<String, Json> {
    let variables = trace.variables().take(MOST_VARIABLES);
    let valued = variables.map(|var| {
        let value = value_text(trace, trace.initial_value(var));
        (shortened(&trace.variable_name(var)), Json::from(value))
    });
    valued.collect()
}

/// What an event did, for a reader; what it did not do is not there.
#[derive(Clone, Debug, Serialize)]
pub struct Detail {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The file it was read from, when there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    writes: Vec<(String, String)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reads: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sends: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    to: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    receives: Vec<String>,
}

impl Detail {
    /// What an event of a run did.
    pub fn of(trace: &Trace, event: EventId) -> Detail {
        let message = |&message: &_| shortened(trace.message_name(message));
        let part = trace.place(event).part;
        let variable = |var: VarId| shortened(&trace.variable_name(var));
        Detail {
            name: trace.event_name(event).map(shortened),
            part: (part > 0).then_some(part),
            writes: trace
                .writes(event)
                .map(|write| (variable(write.var), value_text(trace, write.value)))
                .collect(),
            reads: trace
                .reads(event)
                .iter()
                .map(|&var| variable(var))
                .collect(),
            sends: trace.sends(event).iter().map(message).collect(),
            to: trace
                .destinations(event)
                .iter()
                .map(|&process| shortened(trace.process_name(process)))
                .collect(),
            receives: trace.receives(event).iter().map(message).collect(),
        }
    }
}

/// What variables hold at a cut, by their names.
pub(super) fn values_at(trace: &Trace, cut: &Cut, names: &[&str]) -> Map<String, Json> {
    let names: FxHashSet<&str> = names.iter().copied().collect();
    let named = trace.variables().filter_map(|var| {
        let name = trace.variable_name(var);
        names.contains(name.as_str()).then_some((var, name))
    });
    let (vars, names): (Vec<VarId>, Vec<String>) = named.unzip();
    let histories = trace.histories(&vars).into_iter();
    let values = histories.map(|history| {
        let done = history.done_in(trace, cut.counts());
        Json::from(value_text(trace, history.value_after(done)))
    });
    names.into_iter().zip(values).collect()
}

fn value_text(trace: &Trace, value: StoredValue) -> String {
    words::value_with(trace, value, shortened)
}
