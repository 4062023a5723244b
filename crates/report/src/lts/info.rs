//! What a system looks like, as text and as one JSON object.

use std::io::{self, Write};

use causet_lts::Labels;
use causet_lts::info::{Found, Info};
use serde::Serialize;

use crate::SCHEMA;
use causet_formats::words::{clean, count, list, short};

/// So many labels are named in the text.
const MOST_LABELS: usize = 12;

/// Writes the figures for a person.
pub fn write(path: &str, info: &Info, labels: &Labels, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", clean(path))?;
    let rows = [
        ("states", states(info)),
        (
            "transitions",
            format!(
                "{}, {} of them internal",
                info.transitions, info.internal_steps
            ),
        ),
        ("labels", labels_row(info, labels)),
        ("deadlocks", found(&info.deadlocks)),
        ("livelocks", livelocks(info)),
        ("branching", branching(info)),
        (
            "depth",
            format!(
                "{} to the farthest state",
                count(info.depth as usize, "step")
            ),
        ),
    ];
    for (name, text) in rows {
        writeln!(out, "  {name:<11}  {text}")?;
    }
    Ok(())
}

fn states(info: &Info) -> String {
    match info.states == info.reachable {
        true => format!("{}, all reachable", info.states),
        false => format!("{}, {} of them reachable", info.states, info.reachable),
    }
}

fn labels_row(info: &Info, labels: &Labels) -> String {
    let named = info.labels.iter().map(|&(label, steps)| {
        let text = short(labels.text(label), 40);
        format!("{text} ({steps})")
    });
    let named: Vec<String> = named.collect();
    match named.is_empty() {
        true => "none".to_owned(),
        false => format!("{}: {}", named.len(), list(&named, MOST_LABELS)),
    }
}

fn found(found: &Found) -> String {
    let states: Vec<String> = found.first.iter().map(u32::to_string).collect();
    let more = found.count - states.len() as u64;
    match (found.count, more) {
        (0, _) => "none".to_owned(),
        (1, _) => format!("1, state {}", states.join("")),
        (count, 0) => format!("{count}, states {}", states.join(", ")),
        (count, more) => format!("{count}, states {} and {more} more", states.join(", ")),
    }
}

/// Cycles of internal steps.
fn livelocks(info: &Info) -> String {
    let cycles = &info.internal_cycles;
    let Some(first) = cycles.first.first() else {
        return "none".to_owned();
    };
    let parts = count(cycles.count as usize, "component");
    let states = count(info.states_on_internal_cycles as usize, "state");
    format!("{parts} of internal steps with {states}, one of them {first}")
}

fn branching(info: &Info) -> String {
    let sure = match info.deterministic {
        true => "deterministic",
        false => "not deterministic",
    };
    let mean = info.mean_steps();
    format!(
        "{mean:.2} steps from a state, at most {}; {sure}",
        info.most_steps
    )
}

/// Writes the figures for a program.
pub fn write_json(
    version: &str,
    path: &str,
    info: &Info,
    labels: &Labels,
    out: &mut dyn Write,
) -> io::Result<()> {
    let whole = Whole {
        causet: version,
        schema: SCHEMA,
        path,
        states: info.states,
        reachable: info.reachable,
        transitions: info.transitions,
        internal_transitions: info.internal_steps,
        labels: info
            .labels
            .iter()
            .map(|&(label, transitions)| Label {
                label: labels.text(label),
                transitions,
                internal: labels.is_internal(label),
            })
            .collect(),
        deadlocks: Places::of(&info.deadlocks),
        internal_cycles: Places::of(&info.internal_cycles),
        states_on_internal_cycles: info.states_on_internal_cycles,
        most_steps: info.most_steps,
        mean_steps: info.mean_steps(),
        deterministic: info.deterministic,
        depth: info.depth,
    };
    serde_json::to_writer(&mut *out, &whole)?;
    writeln!(out)
}

#[derive(Serialize)]
struct Whole<'a> {
    causet: &'a str,
    schema: u32,
    path: &'a str,
    states: u32,
    reachable: u32,
    transitions: u64,
    internal_transitions: u64,
    labels: Vec<Label<'a>>,
    deadlocks: Places<'a>,
    internal_cycles: Places<'a>,
    states_on_internal_cycles: u64,
    most_steps: u32,
    mean_steps: f64,
    deterministic: bool,
    depth: u32,
}

#[derive(Serialize)]
struct Label<'a> {
    label: &'a str,
    transitions: u64,
    internal: bool,
}

#[derive(Serialize)]
struct Places<'a> {
    count: u64,
    first: &'a [u32],
}

impl<'a> Places<'a> {
    fn of(found: &'a Found) -> Places<'a> {
        Places {
            count: found.count,
            first: &found.first,
        }
    }
}
