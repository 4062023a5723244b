//! A run as a Graphviz drawing: one lane per process, solid arrows for messages, dashed ones for other edges.
//!
//! Lanes are columns (`rank=same` under `rankdir=LR`), time runs downwards. Only process order ranks the nodes of a
//! lane; the arrows between lanes do not, or a message back and forth would tear the lanes apart.

use std::fmt::Write as _;
use std::io;

use causet_trace::{EventId, Order, ProcessId, Trace};

use crate::describe::{phrases, quotable};

/// Writes the drawing.
pub fn write(trace: &Trace, out: &mut dyn io::Write) -> io::Result<()> {
    out.write_all(b"digraph trace {\n  rankdir=LR;\n  node [shape=box, fontsize=10];\n")?;
    for process in trace.order().processes() {
        out.write_all(lane(trace, process).as_bytes())?;
    }
    for process in trace.order().processes().skip(1) {
        let number = process.index();
        writeln!(out, "  lane{} -> lane{number} [style=invis];", number - 1)?;
    }
    for event in trace.order().recorded() {
        out.write_all(messages(trace, event).as_bytes())?;
    }
    for &(before, event) in trace.explicit_edges() {
        let (before, event) = (node(trace.order(), before), node(trace.order(), event));
        writeln!(
            out,
            "  {before} -> {event} [style=dashed, constraint=false];"
        )?;
    }
    out.write_all(b"}\n")
}

/// The nodes of a process and the edges between them.
fn lane(trace: &Trace, process: ProcessId) -> String {
    let order = trace.order();
    let number = process.index();
    let name = quotable(trace.process_name(process));
    let mut text = format!("  subgraph lane_{number} {{\n    rank=same;\n");
    let _ = writeln!(
        text,
        "    lane{number} [label=\"{name}\", shape=plaintext];"
    );
    for &event in order.chain(process) {
        let label: Vec<String> = phrases(trace, event).iter().map(|p| quotable(p)).collect();
        let _ = writeln!(
            text,
            "    {} [label=\"{}\"];",
            node(order, event),
            label.join("\\n")
        );
    }
    let mut nodes = vec![format!("lane{number}")];
    nodes.extend(order.chain(process).iter().map(|&event| node(order, event)));
    if nodes.len() > 1 {
        let _ = writeln!(text, "    {};", nodes.join(" -> "));
    }
    text + "  }\n"
}

/// The arrows into an event, one for each message it received.
fn messages(trace: &Trace, event: EventId) -> String {
    let mut text = String::new();
    for &message in trace.receives(event) {
        let Some(sender) = trace.sender(message) else {
            continue;
        };
        let (from, to) = (node(trace.order(), sender), node(trace.order(), event));
        let name = quotable(trace.message_name(message));
        let _ = writeln!(
            text,
            "  {from} -> {to} [label=\"{name}\", constraint=false];"
        );
    }
    text
}

fn node(order: &Order, event: EventId) -> String {
    format!(
        "e{}_{}",
        order.process_of(event).index(),
        order.position_of(event)
    )
}

#[cfg(test)]
mod tests {
    use causet_trace::notation::parse;

    #[test]
    fn lanes_messages_and_explicit_edges_are_drawn() {
        let run = parse("a: x=1  m!b\nb:      .   m?,@got  <a.1").expect("a drawing");
        let mut out = Vec::new();
        super::write(&run, &mut out).expect("memory is writable");
        let expected = r#"digraph trace {
  rankdir=LR;
  node [shape=box, fontsize=10];
  subgraph lane_0 {
    rank=same;
    lane0 [label="a", shape=plaintext];
    e0_1 [label="x = 1"];
    e0_2 [label="send m"];
    lane0 -> e0_1 -> e0_2;
  }
  subgraph lane_1 {
    rank=same;
    lane1 [label="b", shape=plaintext];
    e1_1 [label="step"];
    e1_2 [label="got\nrecv m"];
    e1_3 [label="step"];
    lane1 -> e1_1 -> e1_2 -> e1_3;
  }
  lane0 -> lane1 [style=invis];
  e0_2 -> e1_2 [label="m", constraint=false];
  e0_1 -> e1_3 [style=dashed, constraint=false];
}
"#;
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }
}
