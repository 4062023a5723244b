//! Whether two systems are bisimilar, as text and as one JSON object.

use std::io::{self, Write};

use causet_lts::compare::{Comparison, Difference, Side};
use serde::Serialize;

use crate::SCHEMA;
use causet_formats::words::{clean, count};

/// Writes the answer for a person; the systems go by what the person called them.
pub fn write(names: [&str; 2], comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let [first, second] = names.map(clean);
    let Comparison::Different(difference) = comparison else {
        return writeln!(out, "{first} and {second} are bisimilar.");
    };
    writeln!(out, "{first} and {second} are not bisimilar.\n")?;
    match &difference.formula {
        Some(formula) => writeln!(
            out,
            "  This formula holds of {first} and not of {second}:\n\n    {}\n",
            clean(formula)
        )?,
        None => writeln!(
            out,
            "  A formula that tells them apart would be too long to print.\n"
        )?,
    }
    let (able, other) = match difference.able {
        Side::First => (first, second),
        Side::Second => (second, first),
    };
    let then = clean(&difference.then);
    let labels: Vec<String> = difference.trace.iter().map(|label| clean(label)).collect();
    match labels.is_empty() {
        true => writeln!(
            out,
            "  At the start {able} can make the step {then}; {other} cannot."
        ),
        false => writeln!(
            out,
            "  After {} ({}) {able} can make the step {then}; {other} cannot.",
            count(labels.len(), "step"),
            labels.join(", ")
        ),
    }
}

/// Writes the answer for a program.
pub fn write_json(
    version: &str,
    names: [&str; 2],
    comparison: &Comparison,
    out: &mut dyn Write,
) -> io::Result<()> {
    let difference = match comparison {
        Comparison::Equal => None,
        Comparison::Different(difference) => Some(difference),
    };
    let whole = Whole {
        causet: version,
        schema: SCHEMA,
        first: names[0],
        second: names[1],
        bisimilar: difference.is_none(),
        difference: difference.map(Apart::of),
    };
    serde_json::to_writer(&mut *out, &whole)?;
    writeln!(out)
}

#[derive(Serialize)]
struct Whole<'a> {
    causet: &'a str,
    schema: u32,
    first: &'a str,
    second: &'a str,
    bisimilar: bool,
    difference: Option<Apart<'a>>,
}

#[derive(Serialize)]
struct Apart<'a> {
    formula: Option<&'a str>,
    trace: &'a [String],
    then: &'a str,
    able: &'static str,
}

impl<'a> Apart<'a> {
    fn of(difference: &'a Difference) -> Apart<'a> {
        Apart {
            formula: difference.formula.as_deref(),
            trace: &difference.trace,
            then: &difference.then,
            able: match difference.able {
                Side::First => "first",
                Side::Second => "second",
            },
        }
    }
}
