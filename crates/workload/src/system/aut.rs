//! The lines of an `.aut` file: a header with the sizes, then one transition a line.

use std::io::{self, Write};

/// How large a system is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sizes {
    /// How many states.
    pub states: u64,
    /// How many transitions; two that differ in nothing count twice.
    pub transitions: u64,
}

/// Writes the first line. It is padded, as by the tools that come back and fill it in at the end.
pub(super) fn header(out: &mut dyn Write, sizes: Sizes) -> io::Result<()> {
    let Sizes {
        states,
        transitions,
    } = sizes;
    writeln!(out, "{:60}", format!("des (0, {transitions}, {states})"))
}

/// Writes a transition whose label is in quotes.
pub(super) fn quoted(out: &mut dyn Write, from: u64, label: &str, to: u64) -> io::Result<()> {
    writeln!(out, "({from},\"{label}\",{to})")
}
