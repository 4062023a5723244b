//! States one after the other in the Informal Trace Format of Apalache: all variables after each event of an order.
//!
//! ITF has no fractions; a decimal is written as `#unserializable`, which tools show as it is. An integer beyond what a
//! double can hold exactly is a `#bigint`. Which event led to a state stands in its `#meta`.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use causet_base::budget::{Budget, Spent};
use causet_check::outcome::Witness;
use causet_trace::{EventId, StoredValue, Trace, VarId};

use crate::Stopped;
use causet_formats::describe::push_json;

/// Writes the states of the recorded order.
pub fn write(trace: &Trace, out: &mut dyn io::Write) -> io::Result<()> {
    let description = "the recorded order of a run";
    let events = trace.order().recorded();
    match write_order(trace, events, description, &Budget::endless(), None, out) {
        Err(Stopped::Failed(error)) => Err(error),
        Err(Stopped::Limit(_)) | Ok(()) => Ok(()),
    }
}

/// Writes the states along a witness, and along what follows it as far as that matters; a limit ends it in the middle.
pub fn write_witness(
    trace: &Trace,
    witness: &Witness,
    property: &str,
    budget: &Budget<'_>,
    out: &mut dyn io::Write,
) -> Result<(), Stopped> {
    let description = format!("a witness for {property}");
    let events = witness.run.iter().chain(&witness.then);
    let pace = Pace::new(events.clone().count(), budget);
    write_order(
        trace,
        events.copied(),
        &description,
        budget,
        Some(&pace),
        out,
    )
}

/// Writes the states of an order of events that begins with the initial one.
fn write_order(
    trace: &Trace,
    events: impl Iterator<Item = EventId>,
    description: &str,
    budget: &Budget<'_>,
    pace: Option<&Pace>,
    out: &mut dyn io::Write,
) -> Result<(), Stopped> {
    let mut states = States::new(trace);
    let mut text = "{\"#meta\":{\"format\":\"ITF\",\"format-description\":\"https://apalache-mc.org/docs/adr/015adr-trace.html\",\"description\":".to_owned();
    push_json(&mut text, description);
    text.push_str("},\"vars\":[");
    for (number, name) in states.names.iter().enumerate() {
        text.push_str(if number > 0 { "," } else { "" });
        push_json(&mut text, name);
    }
    text.push_str("],\"states\":[");
    states.push(&mut text, 0, None);
    for (event, index) in events.zip(1..) {
        budget.tick_many(states.names.len() as u64)?;
        if let Some(pace) = pace {
            pace.look(index, budget)?;
        }
        text.push(',');
        states.take(event);
        states.push(&mut text, index, Some(event));
        out.write_all(text.as_bytes())?;
        text.clear();
    }
    text.push_str("\n]}\n");
    Ok(out.write_all(text.as_bytes())?)
}

/// Gives up at once on an order that cannot be written in the time that is left: a file of many gigabytes takes long to
/// remove again.
struct Pace {
    states: usize,
    start: Duration,
}

/// How many states are written between two looks at the pace.
const STATES_PER_LOOK: usize = 1 << 14;

impl Pace {
    fn new(states: usize, budget: &Budget<'_>) -> Self {
        Pace {
            states,
            start: budget.elapsed(),
        }
    }

    fn look(&self, written: usize, budget: &Budget<'_>) -> Result<(), Spent> {
        if !written.is_multiple_of(STATES_PER_LOOK) {
            return Ok(());
        }
        let taken = budget.elapsed().saturating_sub(self.start).as_secs_f64();
        let needed = taken / written as f64 * self.states.saturating_sub(written) as f64;
        match budget.time_left() {
            Some(left) if left.as_secs_f64() < needed => Err(Spent::Time),
            _ => Ok(()),
        }
    }
}

/// The variables and what they hold.
struct States<'t> {
    trace: &'t Trace,
    names: Vec<String>,
    values: Vec<StoredValue>,
    slots: HashMap<VarId, usize>,
}

impl<'t> States<'t> {
    fn new(trace: &'t Trace) -> Self {
        let vars: Vec<VarId> = trace.variables().collect();
        States {
            trace,
            names: vars.iter().map(|&var| trace.variable_name(var)).collect(),
            values: vars.iter().map(|&var| trace.initial_value(var)).collect(),
            slots: vars.iter().copied().zip(0..).collect(),
        }
    }

    fn take(&mut self, event: EventId) {
        for write in self.trace.writes(event) {
            if let Some(&slot) = self.slots.get(&write.var) {
                self.values[slot] = write.value;
            }
        }
    }

    fn push(&self, text: &mut String, index: usize, event: Option<EventId>) {
        let _ = write!(text, "\n{{\"#meta\":{{\"index\":{index}");
        if let Some(event) = event {
            let order = self.trace.order();
            text.push_str(",\"process\":");
            push_json(text, self.trace.process_name(order.process_of(event)));
            let _ = write!(text, ",\"event\":{}", order.position_of(event));
            if let Some(label) = self.trace.label(event) {
                text.push_str(",\"action\":");
                push_json(text, label);
            }
        }
        text.push('}');
        for (name, &value) in self.names.iter().zip(&self.values) {
            text.push(',');
            push_json(text, name);
            text.push(':');
            self.push_value(text, value);
        }
        text.push('}');
    }

    fn push_value(&self, text: &mut String, value: StoredValue) {
        const EXACT: i64 = 1 << 53;
        let _ = match value {
            StoredValue::Int(number) if (-EXACT..=EXACT).contains(&number) => {
                write!(text, "{number}")
            }
            StoredValue::Int(number) => write!(text, "{{\"#bigint\":\"{number}\"}}"),
            StoredValue::Bool(truth) => write!(text, "{truth}"),
            StoredValue::Decimal { .. } => {
                let number = value.number_text().unwrap_or_default();
                write!(text, "{{\"#unserializable\":\"{number}\"}}")
            }
            StoredValue::Text(value) => {
                push_json(text, self.trace.text(value));
                Ok(())
            }
        };
    }
}
