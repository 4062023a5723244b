//! The part of a system that forces a verdict, for a person: steps one under the other, a tree, or its size.
//!
//! A path or lasso has one line per state, with the label of the step that leaves it; of a long one the beginning and the
//! end are shown. A tree is drawn with its branches. Of anything larger the size is given: a person who wants to see it
//! is better served by a drawing program.

use std::io::{self, Write};

use causet_check::outcome::Verdict;
use causet_lts::counterexample::{Shape, Step};

use super::Evidence;
use crate::Palette;
use causet_formats::words::{capitalised, clean, count, padded, short, width};

/// So many steps are shown.
const MOST_STEPS: usize = 40;
/// So many of them are the last ones, when some are left out.
const LAST_STEPS: usize = 10;
/// A label is cut at this width.
const LABEL_WIDTH: usize = 80;

/// Writes what shows a verdict.
pub fn write(
    verdict: Verdict,
    evidence: Evidence<'_>,
    palette: &Palette,
    out: &mut dyn Write,
) -> io::Result<()> {
    let diagnostic = evidence.diagnostic;
    let steps = diagnostic.steps.len();
    match diagnostic.shape {
        Shape::Path | Shape::Lasso => {
            opening(verdict, evidence, out)?;
            line(evidence, palette, out)?;
        }
        Shape::Tree if steps <= MOST_STEPS => {
            opening(verdict, evidence, out)?;
            tree(evidence, out)?;
        }
        Shape::Graph if steps <= MOST_STEPS => {
            opening(verdict, evidence, out)?;
            graph(evidence, out)?;
        }
        Shape::Tree | Shape::Graph => {
            return match sentence(verdict, evidence) {
                Some(size) => writeln!(out, "  {size}"),
                None => Ok(()),
            };
        }
    }
    writeln!(out, "\n  {}", closing(verdict, evidence))
}

/// What the part shows, in words; nothing where the part is no news.
pub(crate) fn sentence(verdict: Verdict, evidence: Evidence<'_>) -> Option<String> {
    let diagnostic = evidence.diagnostic;
    match diagnostic.shape {
        Shape::Tree | Shape::Graph if diagnostic.steps.len() > MOST_STEPS => {
            // That a formula holds everywhere is no news about any part of the model.
            (verdict != Verdict::Holds).then(|| size_only(verdict, evidence))
        }
        _ => Some(closing(verdict, evidence)),
    }
}

/// The word for what shows a verdict.
fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Violated => "counterexample",
        _ => "example",
    }
}

fn opening(verdict: Verdict, evidence: Evidence<'_>, out: &mut dyn Write) -> io::Result<()> {
    let steps = count(evidence.diagnostic.steps.len(), "step");
    let shape = evidence.diagnostic.shape.word();
    let word = capitalised(word(verdict));
    writeln!(
        out,
        "\n  {word}, a {shape} of {steps} from the initial state:"
    )?;
    if !evidence.diagnostic.rows.is_empty() {
        writeln!(
            out,
            "  (a state is given by those of the components, in the order of the network)"
        )?;
    }
    writeln!(out)
}

fn size_only(verdict: Verdict, evidence: Evidence<'_>) -> String {
    let diagnostic = evidence.diagnostic;
    let states = count(diagnostic.states.len(), "state");
    let steps = count(diagnostic.steps.len(), "step");
    let (word, shape) = (capitalised(word(verdict)), diagnostic.shape.word());
    format!(
        "{word}: a {shape} of {states} and {steps}, too large to be printed; --diagnostic FILE writes it."
    )
}

/// States one under the other, each with the step that leaves it.
fn line(evidence: Evidence<'_>, palette: &Palette, out: &mut dyn Write) -> io::Result<()> {
    let steps = &evidence.diagnostic.steps;
    let (first, last) = match steps.len() > MOST_STEPS {
        true => (
            &steps[..MOST_STEPS - LAST_STEPS],
            &steps[steps.len() - LAST_STEPS..],
        ),
        false => (&steps[..], &[][..]),
    };
    let end = steps.last().map_or(0, |step| step.to);
    let states = first.iter().chain(last).map(|step| step.from).chain([end]);
    let columns = states.map(|state| evidence.state(state).len()).max();
    let columns = columns.unwrap_or(1);
    let faint = palette.faint;
    let row = |step: &Step, out: &mut dyn Write| {
        let (state, label) = (evidence.state(step.from), label(evidence, step));
        writeln!(out, "    {state:>columns$}  {label}")
    };
    first.iter().try_for_each(|step| row(step, out))?;
    if !last.is_empty() {
        let more = count(steps.len() - MOST_STEPS, "more step");
        writeln!(out, "    {:>columns$}  {faint}({more}){faint:#}", "...")?;
    }
    last.iter().try_for_each(|step| row(step, out))?;
    let note = match (evidence.diagnostic.shape, evidence.is_stuck) {
        (Shape::Lasso, _) => format!("  {faint}(again){faint:#}"),
        (_, true) => format!("  {faint}(no step leaves this state){faint:#}"),
        (_, false) => String::new(),
    };
    writeln!(out, "    {:>columns$}{note}", evidence.state(end))
}

/// Steps as the branches of a tree, from the initial state down.
fn tree(evidence: Evidence<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "    {}", evidence.state(0))?;
    let children = |state: usize| {
        let steps = evidence.diagnostic.steps.iter();
        steps.filter(move |step| step.from == state)
    };
    // Steps still to be drawn, the next one last; each with what stands before it and whether its siblings are done.
    let pushed = |state: usize, before: &str| -> Vec<(Step, String, bool)> {
        let steps: Vec<Step> = children(state).copied().collect();
        let count = steps.len();
        let steps = steps.into_iter().enumerate();
        let steps = steps.map(|(place, step)| (step, before.to_owned(), place + 1 == count));
        steps.rev().collect()
    };
    let mut open = pushed(0, "");
    while let Some((step, before, is_last)) = open.pop() {
        let (corner, below) = if is_last {
            ("└─", "   ")
        } else {
            ("├─", "│  ")
        };
        let (label, state) = (label(evidence, &step), evidence.state(step.to));
        writeln!(out, "    {before}{corner} {label} ─> {state}")?;
        open.extend(pushed(step.to, &format!("{before}{below}")));
    }
    Ok(())
}

/// Steps as a table.
fn graph(evidence: Evidence<'_>, out: &mut dyn Write) -> io::Result<()> {
    let steps = &evidence.diagnostic.steps;
    let sources = steps.iter().map(|step| evidence.state(step.from).len());
    let columns = sources.max().unwrap_or(1);
    let labels = steps.iter().map(|step| width(&label(evidence, step)));
    let label_columns = labels.max().unwrap_or(1);
    for step in steps {
        let (from, to) = (evidence.state(step.from), evidence.state(step.to));
        let label = padded(&label(evidence, step), label_columns);
        writeln!(out, "    {from:>columns$}  {label}  {to}")?;
    }
    Ok(())
}

fn label(evidence: Evidence<'_>, step: &Step) -> String {
    short(evidence.labels.text(step.label), LABEL_WIDTH)
}

/// What the part shows, in a sentence or two; nothing is said that the part alone does not show.
fn closing(verdict: Verdict, evidence: Evidence<'_>) -> String {
    let diagnostic = evidence.diagnostic;
    let formula = match verdict {
        Verdict::Violated => "the formula is broken",
        _ => "the formula is satisfied",
    };
    match diagnostic.shape {
        Shape::Path if diagnostic.steps.is_empty() => {
            format!("The initial state alone decides: {formula}.")
        }
        Shape::Path if evidence.is_stuck => {
            format!("Nothing can happen after these steps. They decide: {formula}.")
        }
        Shape::Path => format!("These steps decide: {formula}."),
        Shape::Lasso => {
            let back = diagnostic.steps.last().map_or(0, |step| step.to);
            let state = clean(&evidence.state(back));
            format!(
                "From state {state} on it can go round for ever. These steps decide: {formula}."
            )
        }
        Shape::Tree | Shape::Graph => format!("These states and steps decide: {formula}."),
    }
}
