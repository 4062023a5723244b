//! A computation slice: as a JSON object, as a drawing, and in a few words.
//!
//! ```text
//! {"schema": 2, "predicate": .., "lean": true, "cuts": {"before": "18", "after": "4"},
//!  "bottom": {"a": 1, ..}, "top": {"a": 2, ..}, "size": {"nodes": 2, "edges": 1, "events": 3},
//!  "nodes": [{"id": 0, "events": [["a", 2]]}, ..], "edges": [[0, 1], ..]}
//! ```
//!
//! A node holds the events that happen together, each as its process and its number there; an edge leads from a node to
//! one that cannot happen before it. `bottom` and `top` say how many events of each process are in every cut of the
//! slice and in its last cut, and are null when the slice has no cuts; a number of cuts is null when a limit was reached.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use causet_check::slicing::ComputationSlice;
use causet_trace::{EventId, Trace};
use serde::Serialize;

use crate::SCHEMA;
use causet_formats::describe::replaced;
use causet_formats::words::count;

/// A slice, the run it was made of and the predicate it was made for.
#[derive(Clone, Copy, Debug)]
pub struct Sliced<'a> {
    /// The run.
    pub trace: &'a Trace,
    /// The predicate as it was given.
    pub predicate: &'a str,
    /// The slice.
    pub slice: &'a ComputationSlice,
}

/// Writes the whole slice as one JSON object.
pub fn write_json(sliced: &Sliced<'_>, out: &mut dyn Write) -> io::Result<()> {
    let groups = sliced.slice.groups.iter().enumerate();
    let nodes = groups.map(|(id, events)| Node {
        id,
        events: events.iter().map(|&event| sliced.name(event)).collect(),
    });
    write_object(&sliced.whole(Some(nodes.collect())), out)
}

/// Writes what there is to say of a slice without its graph, as one JSON object.
pub fn write_summary_json(sliced: &Sliced<'_>, out: &mut dyn Write) -> io::Result<()> {
    write_object(&sliced.whole(None), out)
}

/// Writes the slice as a drawing for Graphviz.
pub fn write_dot(sliced: &Sliced<'_>, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"digraph slice {\n  node [shape=box, fontsize=10];\n")?;
    for (id, events) in sliced.slice.groups.iter().enumerate() {
        let events: Vec<String> = events.iter().map(|&event| sliced.label(event)).collect();
        writeln!(out, "  n{id} [label=\"{}\"];", events.join("\\n"))?;
    }
    for (before, after) in &sliced.slice.edges {
        writeln!(out, "  n{before} -> n{after};")?;
    }
    out.write_all(b"}\n")
}

/// Writes a few lines for a person.
pub fn write_summary(sliced: &Sliced<'_>, out: &mut dyn Write) -> io::Result<()> {
    let slice = sliced.slice;
    let counted = |cuts: &Result<String, _>| match cuts {
        Ok(digits) => digits.clone(),
        Err(_) => "more than could be counted".to_owned(),
    };
    let (before, after) = (counted(&slice.cuts_before), counted(&slice.cuts_after));
    writeln!(out, "cuts    {before} in the run, {after} in the slice")?;
    let Some((bottom, _)) = &slice.bounds else {
        return writeln!(out, "empty   no cut satisfies the predicate");
    };
    let always: u32 = bottom.iter().sum();
    let sometimes: usize = slice.groups.iter().map(Vec::len).sum();
    let never = sliced.trace.len() - always as usize - sometimes;
    writeln!(
        out,
        "events  {always} in every cut, {sometimes} in some, {never} in none"
    )?;
    let (nodes, edges) = (slice.groups.len(), slice.edges.len());
    let (nodes, edges) = (count(nodes, "node"), count(edges, "edge"));
    writeln!(out, "graph   {nodes}, {edges}")?;
    match slice.lean {
        true => writeln!(
            out,
            "lean    yes: every cut of the slice satisfies the predicate"
        ),
        false => writeln!(
            out,
            "lean    no: some cuts of the slice do not satisfy the predicate"
        ),
    }
}

fn write_object(whole: &Whole<'_>, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, whole)?;
    out.write_all(b"\n")
}

impl<'a> Sliced<'a> {
    fn whole(&self, nodes: Option<Vec<Node<'a>>>) -> Whole<'a> {
        let slice = self.slice;
        let bounds = slice.bounds.as_ref();
        Whole {
            schema: SCHEMA,
            predicate: self.predicate,
            lean: slice.lean,
            cuts: Cuts {
                before: slice.cuts_before.as_deref().ok(),
                after: slice.cuts_after.as_deref().ok(),
            },
            bottom: bounds.map(|(bottom, _)| self.counts(bottom)),
            top: bounds.map(|(_, top)| self.counts(top)),
            size: Size {
                nodes: slice.groups.len(),
                edges: slice.edges.len(),
                events: slice.groups.iter().map(Vec::len).sum(),
            },
            edges: nodes.is_some().then_some(&slice.edges),
            nodes,
        }
    }

    fn counts(&self, cut: &[u32]) -> BTreeMap<&'a str, u32> {
        let processes = self.trace.order().processes();
        let names = processes.map(|process| self.trace.process_name(process));
        names.zip(cut.iter().copied()).collect()
    }

    fn name(&self, event: EventId) -> (&'a str, u32) {
        let order = self.trace.order();
        let process = self.trace.process_name(order.process_of(event));
        (process, order.position_of(event))
    }

    fn label(&self, event: EventId) -> String {
        let (process, number) = self.name(event);
        let mut label = format!("{process}#{number}");
        if let Some(name) = self.trace.label(event) {
            let _ = write!(label, " {name}");
        }
        replaced(&label, |c| match c {
            '"' => Some("\\\""),
            '\\' => Some("\\\\"),
            _ => None,
        })
    }
}

#[derive(Serialize)]
struct Whole<'a> {
    schema: u32,
    predicate: &'a str,
    lean: bool,
    cuts: Cuts<'a>,
    bottom: Option<BTreeMap<&'a str, u32>>,
    top: Option<BTreeMap<&'a str, u32>>,
    size: Size,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<Vec<Node<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    edges: Option<&'a Vec<(usize, usize)>>,
}

#[derive(Serialize)]
struct Cuts<'a> {
    before: Option<&'a str>,
    after: Option<&'a str>,
}

#[derive(Serialize)]
struct Size {
    nodes: usize,
    edges: usize,
    events: usize,
}

#[derive(Serialize)]
struct Node<'a> {
    id: usize,
    events: Vec<(&'a str, u32)>,
}
