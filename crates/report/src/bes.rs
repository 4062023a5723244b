//! The solution of an equation system, as text and as one JSON object.

use std::io::{self, Write};

use serde::Serialize;

use crate::Palette;
use causet_formats::words::{clean, count, list};

/// So many reasons are printed for a person.
const MOST_REASONS: usize = 40;

/// What was found out about an equation system.
#[derive(Clone, Debug, Serialize)]
pub struct Answer<'a> {
    /// The version of the program.
    pub causet: &'a str,
    /// The version of this form.
    pub schema: u32,
    /// What the person called the system.
    pub path: &'a str,
    /// How many variables there are.
    pub variables: usize,
    /// The blocks.
    pub blocks: Vec<BlockWords>,
    /// The main variable.
    pub main: &'a str,
    /// Its value.
    pub value: bool,
    /// How many variables were met.
    pub looked_at: u64,
    /// How many operands were looked at.
    pub operands: u64,
    /// The variables that force the value, the main one first.
    pub support: Vec<ReasonWords<'a>>,
    /// The values of all variables, when they were asked for.
    pub solution: Option<Vec<(&'a str, bool)>>,
    /// Seconds to solve it.
    pub seconds: f64,
}

/// A block in words.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct BlockWords {
    /// `mu` or `nu`.
    pub sign: &'static str,
    /// What kind of equations it has.
    pub shape: &'static str,
}

/// A variable with the operands that give it its value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ReasonWords<'a> {
    /// The variable.
    pub variable: &'a str,
    /// Its value.
    pub value: bool,
    /// One operand that suffices, or all.
    pub because: Vec<&'a str>,
}

/// Writes the answer for a person.
pub fn write(answer: &Answer<'_>, palette: &Palette, out: &mut dyn Write) -> io::Result<()> {
    let style = match answer.value {
        true => palette.good,
        false => palette.bad,
    };
    let main = clean(answer.main);
    writeln!(
        out,
        "{style}{:<5}{style:#}  {main}   ({}, {} looked at)",
        answer.value,
        count(answer.variables, "variable"),
        answer.looked_at
    )?;
    if !answer.support.is_empty() {
        writeln!(
            out,
            "\n  Forced by {}:\n",
            count(answer.support.len(), "variable")
        )?;
    }
    for reason in answer.support.iter().take(MOST_REASONS) {
        let because: Vec<String> = reason.because.iter().map(|name| clean(name)).collect();
        let because = match because.is_empty() {
            true => "by its own equation".to_owned(),
            false => format!("because of {}", list(&because, 8)),
        };
        writeln!(
            out,
            "    {} is {}, {because}",
            clean(reason.variable),
            reason.value
        )?;
    }
    if let Some(more) = answer.support.len().checked_sub(MOST_REASONS + 1) {
        writeln!(out, "    and {} more", more + 1)?;
    }
    if let Some(solution) = &answer.solution {
        writeln!(out, "\n  All values:\n")?;
        for (name, value) in solution {
            writeln!(out, "    {value:<5}  {}", clean(name))?;
        }
    }
    Ok(())
}

/// Writes the answer for a program.
pub fn write_json(answer: &Answer<'_>, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, answer)?;
    writeln!(out)
}
