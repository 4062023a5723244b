//! The report of a check for a person: the verdict first, then the order that shows it, drawn.
//!
//! The text depends on nothing but the input: times are shown only to those who ask for an explanation.

use std::io::{self, Write};

use causet_base::budget::Spent;
use causet_check::outcome::{Verdict, Witness};
use causet_check::subject::{Subject, var_id};
use causet_check::valuation::Needs;
use causet_trace::{EventId, VarId};
use rustc_hash::FxHashSet;

use super::diagram::{self, Diagram, Places};
use super::words::{self, capitalised, clean, one_line, padded, short, width};
use super::{About, Finding, Palette, Report, Stopped, state, workers};
use crate::lts::evidence;

/// A formula is cut at this width; its whole text is in the JSON report.
const FORMULA_WIDTH: usize = 160;

/// Said of a violation that has no order to show.
pub(super) const NO_SINGLE_ORDER: &str =
    "No single order shows this: it is about all of them together.";

/// Maximum number of processes for which the cut is told in place of a drawing.
const MOST_IN_CUT: usize = 5;

/// A sentence is broken at this width when nothing is known of the terminal.
const SENTENCE_WIDTH: usize = 120;

/// Writes the whole report: one block per property and a summary.
pub fn write(report: &Report<'_>, palette: &Palette, out: &mut dyn Write) -> io::Result<()> {
    let mut after_block = false;
    let name_width = name_width(report);
    for one in &report.findings {
        let is_block = has_block(one);
        if after_block || (is_block && !std::ptr::eq(one, &report.findings[0])) {
            writeln!(out)?;
        }
        verdict_line(one, name_width, palette, out)?;
        block(report, one, Times::Shown, palette, out)?;
        after_block = is_block;
    }
    if !report.findings.is_empty() {
        writeln!(out)?;
    }
    summary(report, out)
}

/// Whether more than one line is said about a property.
fn has_block(one: &Finding<'_>) -> bool {
    visible_witness(one).is_some()
        || one.evidence.is_some()
        || one.verdict == Verdict::Violated
        || !one.notes.is_empty()
        || !one.explanation.is_empty()
        || one.workers.len() > 1
        || one.verdict.reason().is_some()
}

/// The witness, unless it shows nothing: a constant holds without events and without variables.
fn visible_witness<'a>(one: &Finding<'a>) -> Option<&'a Witness> {
    let witness = one.witness?;
    let nothing = witness.run.is_empty() && witness.then.is_empty() && one.mentioned.is_empty();
    (!nothing || one.verdict == Verdict::Violated).then_some(witness)
}

/// Whether an explanation says how long it took.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Times {
    Shown,
    Hidden,
}

/// Writes what is to be said about one property, with its name in a column of this width, in words that are the same
/// each time.
pub(super) fn finding(
    report: &Report<'_>,
    one: &Finding<'_>,
    name_width: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let palette = Palette::plain();
    verdict_line(one, name_width, &palette, out)?;
    block(report, one, Times::Hidden, &palette, out)
}

/// Writes what follows the line of the verdict.
fn block(
    report: &Report<'_>,
    one: &Finding<'_>,
    times: Times,
    palette: &Palette,
    out: &mut dyn Write,
) -> io::Result<()> {
    explanation(one, times, palette, out)?;
    if let Verdict::Unknown(spent) = one.verdict {
        writeln!(out, "  {}", advice(spent, report))?;
    }
    match (visible_witness(one), report.about) {
        (
            Some(witness),
            About::Run {
                subject: Some(subject),
                ..
            },
        ) => match drawn(report, one, witness, subject, palette) {
            Ok(drawing) => out.write_all(&drawing)?,
            Err(Stopped::Limit(spent)) => cut_short(one, witness, subject, spent, palette, out)?,
            Err(Stopped::Failed(error)) => return Err(error),
        },
        (
            None,
            About::Run {
                subject: Some(_), ..
            },
        ) if one.verdict == Verdict::Violated && one.witness_spent.is_none() => {
            writeln!(out, "  {NO_SINGLE_ORDER}")?;
        }
        (_, About::Model(_)) => match (one.evidence, &one.claim) {
            (Some(evidence), _) => evidence::write(one.verdict, evidence, palette, out)?,
            (None, Some(claim)) => writeln!(out, "  {}", clean(claim))?,
            (None, None) => {}
        },
        _ => {}
    }
    for note in &one.notes {
        writeln!(out, "  note: {}", clean(note))?;
    }
    // How much each worker got to do is a matter of chance, like time.
    match workers::line(&one.workers).filter(|_| times == Times::Shown) {
        Some(line) if one.explanation.is_empty() => writeln!(out, "  {line}"),
        _ => Ok(()),
    }
}

/// The width of the column of names.
pub(super) fn name_width(report: &Report<'_>) -> usize {
    let names = report
        .findings
        .iter()
        .map(|finding| width(&short(finding.name, 40)));
    names.max().unwrap_or(0)
}

fn verdict_line(
    one: &Finding<'_>,
    name_width: usize,
    palette: &Palette,
    out: &mut dyn Write,
) -> io::Result<()> {
    let name = padded(&short(one.name, 40), name_width);
    let word = padded(one.verdict.word(), "violated".len());
    let formula = match one.kind {
        "monitor" => short(&one_line(&with_semicolons(one.formula)), FORMULA_WIDTH),
        _ => short(&one_line(one.formula), FORMULA_WIDTH),
    };
    let (style, strong) = (palette.verdict(one.verdict), palette.strong);
    let kind = if one.kind == "ctl" {
        String::new()
    } else {
        format!("{} ", one.kind)
    };
    writeln!(
        out,
        "{style}{word}{style:#}  {strong}{name}{strong:#}  {kind}{formula}"
    )
}

fn explanation(
    one: &Finding<'_>,
    times: Times,
    palette: &Palette,
    out: &mut dyn Write,
) -> io::Result<()> {
    let faint = palette.faint;
    let mut rows = one.explanation.clone();
    if times == Times::Shown && !rows.is_empty() {
        rows.push(("time", words::time(one.seconds)));
    }
    let name_width = rows.iter().map(|(name, _)| width(name)).max();
    for (name, text) in &rows {
        let name = padded(name, name_width.unwrap_or(0));
        writeln!(out, "  {faint}{name}{faint:#}  {}", clean(text))?;
    }
    Ok(())
}

/// Why there is no verdict, and what to do about it.
pub(super) fn advice(spent: Spent, report: &Report<'_>) -> String {
    let when = match report.about {
        about if about.is_read() => "before it was decided",
        About::Run { .. } => "while the trace was being read",
        About::Model(_) => "while the model was being read",
    };
    match spent {
        Spent::Time => format!("The time was up {when}: raise --timeout."),
        Spent::Memory => format!("The memory limit was reached {when}: raise --memory."),
        Spent::Cancelled => format!("Stopped {when}."),
    }
}

/// The order, drawn, and the cut it leads to.
fn drawn(
    report: &Report<'_>,
    one: &Finding<'_>,
    witness: &Witness,
    subject: Subject<'_>,
    palette: &Palette,
) -> Result<Vec<u8>, Stopped> {
    if let Some(spent) = one.story.as_ref().and_then(|story| story.cut_short) {
        return Err(Stopped::Limit(spent));
    }
    report.budget.look()?;
    let mut drawing = Vec::new();
    shown(report, one, witness, subject, palette, &mut drawing)?;
    Ok(drawing)
}

/// What there is always time for: the sentence, and how far the processes have come that the property names.
fn cut_short(
    one: &Finding<'_>,
    witness: &Witness,
    subject: Subject<'_>,
    spent: Spent,
    palette: &Palette,
    out: &mut dyn Write,
) -> io::Result<()> {
    match &one.story {
        Some(story) => sentence(&story.sentence, palette, out)?,
        None => writeln!(out, "  {}", opening(one, witness))?,
    }
    if let Some(cut) = &witness.cut {
        let mut named: Vec<_> = one
            .mentioned
            .iter()
            .filter_map(|&var| subject.trace.owner(var))
            .collect();
        named.sort_unstable();
        named.dedup();
        let order = subject.trace.order();
        let named = named.iter().take(MOST_IN_CUT).map(|&process| {
            let name = words::short_middle(subject.trace.process_name(process), 24);
            let all = order.chain(process).len();
            format!("{} of {all} of {name}", cut.of(process))
        });
        let mut counts: Vec<String> = named.collect();
        let done = words::count(witness.run.len(), "event");
        counts.insert(
            0,
            format!("  At the cut {done} of {} have happened", order.len()),
        );
        writeln!(out, "{}.", counts.join(", "))?;
    }
    writeln!(out, "  The drawing was cut short by the limit ({spent}).")
}

fn shown(
    report: &Report<'_>,
    one: &Finding<'_>,
    witness: &Witness,
    subject: Subject<'_>,
    palette: &Palette,
    out: &mut dyn Write,
) -> Result<(), Stopped> {
    let mentioned = mentioned_by(one, witness);
    let recorded = Places::new(subject.trace);
    let events = match witness.enough {
        Some(enough) => &witness.run[..enough],
        None => &witness.run[..],
    };
    let decided = witness
        .enough
        .map(|_| subject.trace.order().closure(events.iter().copied()));
    let cut = witness.cut.as_ref().or(decided.as_ref());
    let story = one.story.as_ref().filter(|story| !story.is_plain);
    let focus = story.map_or(&[][..], |story| &story.focus);
    let focus: Vec<EventId> = focus.iter().map(|&event| EventId::new(event)).collect();
    let (ahead, now): (Vec<EventId>, Vec<EventId>) = focus
        .into_iter()
        .partition(|event| witness.then.contains(event));
    let mut diagram = Diagram {
        subject,
        focus: &now,
        events,
        before: 0,
        mentioned: &mentioned,
        recorded: &recorded,
        cut,
        budget: report.budget,
    };
    in_short(one, palette, out)?;
    writeln!(out, "\n  {}", opening(one, witness))?;
    if !events.is_empty() {
        writeln!(out)?;
        diagram.write(palette, out)?;
    }
    if one.claim.is_some() || cut.is_some() {
        writeln!(out)?;
    }
    if let Some(claim) = &one.claim {
        writeln!(out, "  {}", clean(claim))?;
    }
    if witness.enough.is_some() && !events.is_empty() {
        let rest = match witness.run.len() - events.len() {
            0 => String::new(),
            1 => ", and 1 other event follows".to_owned(),
            left => format!(", in whatever order the {left} other events follow"),
        };
        writeln!(out, "  That decides it{rest}:")?;
    }
    if let Some(cut) = cut {
        state::write(subject.trace, cut, &mentioned, palette, report.budget, out)?;
    }
    if !witness.then.is_empty() {
        let onward = one
            .onward
            .as_deref()
            .map_or(String::new(), |onward| format!(", and {onward}"));
        writeln!(
            out,
            "\n  From there it can go on like this{}:\n",
            clean(&onward)
        )?;
        diagram.events = &witness.then;
        diagram.focus = &ahead;
        diagram.before = witness.run.len();
        diagram.cut = None;
        diagram.write(palette, out)?;
    }
    let last = match witness.run.is_empty() && witness.then.is_empty() {
        true => "Every order starts there.".to_owned(),
        false => match (subject.trace.is_observed(), witness.observed, events.last()) {
            (true, Some(true), Some(&last)) => {
                format!("This happened: {}.", diagram::line(&subject, last))
            }
            _ => observed(one.verdict, witness.observed, subject.parts.len()).to_owned(),
        },
    };
    writeln!(out, "\n  {last}")?;
    Ok(())
}

/// The variables that the property names, of the processes that the order is about where it is about some.
fn mentioned_by(one: &Finding<'_>, witness: &Witness) -> FxHashSet<VarId> {
    let mut needs = Needs::default();
    let goal = one.question.and_then(|question| question.goal_of(witness));
    if let Some((goal, _)) = goal.filter(|_| witness.instance.is_some()) {
        goal.preds().for_each(|pred| needs.of(pred));
    }
    let named: FxHashSet<VarId> = needs.variables.into_iter().map(var_id).collect();
    match named.is_empty() {
        true => one.mentioned.iter().copied().collect(),
        false => named,
    }
}

/// What happens, in a sentence, where there is more to say than the drawing does.
fn in_short(one: &Finding<'_>, palette: &Palette, out: &mut dyn Write) -> io::Result<()> {
    let Some(story) = one.story.as_ref().filter(|story| !story.is_plain) else {
        return Ok(());
    };
    sentence(&story.sentence, palette, out)
}

/// A sentence in lines that fit the terminal.
fn sentence(sentence: &str, palette: &Palette, out: &mut dyn Write) -> io::Result<()> {
    let sentence = format!("In short: {sentence}.");
    let most = palette.columns.unwrap_or(SENTENCE_WIDTH).max(40) - 2;
    for line in broken(&sentence, most) {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}

/// A text in lines of at most so many columns, as far as its words allow.
fn broken(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(word) <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The sentence over the drawing.
fn opening(one: &Finding<'_>, witness: &Witness) -> String {
    let verb = if one.verdict == Verdict::Violated {
        "breaks"
    } else {
        "shows"
    };
    let case = witness
        .instance
        .as_deref()
        .map(|instance| format!("For {}, ", clean(instance)));
    let is_decided_at_start = witness.run.is_empty() || witness.enough == Some(0);
    let sentence = match (&witness.cut, is_decided_at_start, verb) {
        (None, true, "breaks") => "it is broken from the start, whatever follows:".to_owned(),
        (None, true, _) => "it is so from the start, whatever follows:".to_owned(),
        (Some(_), true, "breaks") => "it is broken from the start, before any event:".to_owned(),
        (Some(_), true, _) => "it is so from the start, before any event:".to_owned(),
        (Some(_), ..) => format!("this order of the recorded events {verb} it:"),
        (None, ..) => format!("this order of all recorded events {verb} it:"),
    };
    match case {
        Some(case) => format!("{case}{sentence}"),
        None => capitalised(&sentence),
    }
}

/// The statements of a monitor, each of which ends a line or has a semicolon, all with one.
fn with_semicolons(monitor: &str) -> String {
    let mut text = String::new();
    let lines = monitor.lines().map(|line| without_comment(line).trim());
    for line in lines.filter(|line| !line.is_empty()) {
        let needs_one = !text.is_empty() && !text.ends_with(['{', ';']) && line != "}";
        text.push_str(if needs_one { "; " } else { " " });
        text.push_str(line);
    }
    text
}

/// A line up to a `#` that does not stand in a text.
fn without_comment(line: &str) -> &str {
    let starts = |&(at, _): &(usize, &str)| line[..at].matches('"').count().is_multiple_of(2);
    let mut marks = line.match_indices('#');
    marks.find(starts).map_or(line, |(at, _)| &line[..at])
}

/// What the recorded order has to say about it.
fn observed(verdict: Verdict, observed: Option<bool>, parts: usize) -> &'static str {
    match (observed, verdict) {
        // The files of a run were written side by side.
        (Some(true), _) if parts > 1 => "The order in which the files were read shows it.",
        (Some(false), _) if parts > 1 => "The order in which the files were read does not show it.",
        (Some(true), _) => "The log's own order shows it.",
        (Some(false), Verdict::Violated) => {
            "The recorded order does not show it: no test run in that order would have."
        }
        (Some(false), _) => "The recorded order does not show it.",
        (None, _) => {
            "Whether the recorded order shows it too could not be found out within the limits."
        }
    }
}

/// The last line: how many of which verdict, about how much.
fn summary(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let tally = report.tally();
    let properties = words::count(report.findings.len(), "property");
    let hold = if tally.hold == 1 { "holds" } else { "hold" };
    write!(
        out,
        "{properties}: {} violated, {} {hold}, {} unknown",
        tally.violated, tally.hold, tally.unknown
    )?;
    match report.about {
        About::Run {
            size: Some(size), ..
        } => {
            write!(out, "   ({})", words::count(size.events, "event"))?;
        }
        About::Model(Some(size)) => write!(out, "   ({})", size.words())?,
        _ => {}
    }
    writeln!(out)
}
