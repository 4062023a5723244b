//! A transition system as a drawing for Graphviz: a circle per state, an arrow per step, an arrow from nowhere into the
//! initial state.

use std::io::{self, Write};

use causet_lts::Lts;

use causet_formats::describe::quotable;

/// Writes a system whose states are named by a function.
pub fn write(lts: &Lts, name: impl Fn(u32) -> String, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"digraph lts {\n  rankdir=LR;\n  node [shape=circle, fontsize=10];\n")?;
    writeln!(out, "  start [shape=point];\n  start -> {};", lts.initial())?;
    for state in 0..lts.states() {
        writeln!(out, "  {state} [label=\"{}\"];", quotable(&name(state)))?;
    }
    for (from, step) in lts.transitions() {
        let label = quotable(lts.labels().text(step.label));
        let style = match lts.labels().is_internal(step.label) {
            true => ", style=dashed",
            false => "",
        };
        writeln!(
            out,
            "  {from} -> {} [label=\"{label}\"{style}];",
            step.target
        )?;
    }
    out.write_all(b"}\n")
}
