//! How a verdict came about, for `--explain`: each line a name and a text. The report adds the time it took.

use std::collections::BTreeMap;

use causet_base::budget::Budget;
use causet_check::compare::Comparison;
use causet_check::engine::{Step, bes, explicit};
use causet_check::linear::describe::{describe, languages};
use causet_check::outcome::Outcome;
use causet_check::prepare::Question;
use causet_check::subject::Subject;
use causet_formula::classify::classify_ctl;
use causet_formula::core::Ctl;
use causet_formula::print::Printer;
use causet_formula::{Instance, LeftOut, Names, Quantifier, VarRef};
use causet_report::words;

/// A core formula is cut at this width.
const CORE_WIDTH: usize = 240;
/// A part of a formula is cut at this width.
const PART_WIDTH: usize = 100;
/// So many automata are described.
const MOST_AUTOMATA: usize = 3;
/// More instances than this are counted.
const MOST_INSTANCES: usize = 6;

/// Lines under one name, which stands before the first.
pub(crate) fn titled(name: &'static str, lines: Vec<String>) -> Vec<(&'static str, String)> {
    let names = std::iter::once(name).chain(std::iter::repeat(""));
    names.zip(lines).collect()
}

/// All there is to say.
pub(crate) fn all(
    subject: &Subject<'_>,
    question: &Question,
    outcome: &Outcome,
) -> Vec<(&'static str, String)> {
    let body = &question.lowered.body;
    let core = Printer::new(subject).ctl(body);
    let owner = |var: VarRef| subject.variable(var).and_then(|variable| variable.process);
    let mut lines = vec![("core", words::short(&core, CORE_WIDTH))];
    let automata = automata(subject, question);
    if automata.is_empty() {
        lines.push(("class", classify_ctl(body, &owner).to_string()));
    }
    lines.extend(automata);
    lines.extend(instances(subject, question).map(|text| ("instances", text)));
    lines.extend(left_out(subject, &question.lowered.left_out).map(|text| ("left out", text)));
    lines.extend(steps(subject, outcome));
    if !outcome.stats.is_empty() {
        lines.push(("figures", listed(&outcome.stats)));
    }
    lines
}

/// The automata of the first few languages of runs.
fn automata(subject: &Subject<'_>, question: &Question) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let languages = languages(&question.lowered.body);
    for (runs, opposite) in languages.into_iter().take(MOST_AUTOMATA) {
        let text = match describe(runs, opposite, subject, &Budget::endless()) {
            Ok(description) => match description.stutter {
                Some(pair) => format!("{}: {pair}", description.summary),
                None => description.summary,
            },
            Err(_) => "too large".to_owned(),
        };
        lines.push(("automaton", text));
    }
    lines
}

/// The searches level by level, side by side.
pub(crate) fn comparisons(comparisons: &[Comparison]) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    for comparison in comparisons {
        for (name, counts) in comparison {
            let text = match counts {
                Ok(counts) => format!(
                    "{} states, {} transitions",
                    counts.states, counts.transitions
                ),
                Err(spent) => format!("gave up ({spent})"),
            };
            let label = if lines.is_empty() { "searches" } else { "" };
            lines.push((label, format!("{name:<10} {text}")));
        }
    }
    lines
}

/// The same for programs: of several languages the sums.
pub(crate) fn compared(comparisons: &[Comparison]) -> Vec<(&'static str, u64)> {
    let mut sums: BTreeMap<&'static str, u64> = BTreeMap::new();
    for (name, counts) in comparisons.iter().flatten() {
        let Some((_, states, transitions)) = COMPARED.iter().find(|(known, ..)| known == name)
        else {
            continue;
        };
        if let Ok(counts) = counts {
            *sums.entry(states).or_default() += counts.states;
            *sums.entry(transitions).or_default() += counts.transitions;
        }
    }
    sums.into_iter().collect()
}

/// What the figures of the searches are called.
const COMPARED: [(&str, &str, &str); 5] = [
    ("full", "full_states", "full_transitions"),
    ("guided", "guided_states", "guided_transitions"),
    ("two-phase", "two_phase_states", "two_phase_transitions"),
    ("sleep", "sleep_states", "sleep_transitions"),
    ("filtered", "filtered_states", "filtered_transitions"),
];

/// The parts the formula was decided in, as a tree: what each can see, which engines were tried and why, what they did.
fn steps(subject: &Subject<'_>, outcome: &Outcome) -> Vec<(&'static str, String)> {
    let mut lines = match outcome.parts {
        0 => return vec![("plan", words_for_none(outcome))],
        1 => Vec::new(),
        parts => vec![("plan", format!("in {parts} parts"))],
    };
    for step in &outcome.steps {
        let part = Printer::new(subject).ctl(&step.formula);
        let name = if lines.is_empty() { "plan" } else { "" };
        lines.push((name, format!("+ {}", words::short(&part, PART_WIDTH))));
        if is_about_runs(step) {
            let turned = "|   turned into a question about the runs that begin in this way";
            lines.push(("", turned.to_owned()));
        }
        let figures = step.figures.iter();
        lines.extend(figures.map(|figures| ("", format!("|   {figures}"))));
        for (attempt, done) in &step.tried {
            let did = match done {
                Ok(figures) if figures.is_empty() => String::new(),
                Ok(figures) => format!("; {}", listed(figures)),
                Err(spent) => format!("; gave up ({spent})"),
            };
            let engine = attempt.engine.name;
            lines.push(("", format!("|   {engine}: {}{did}", attempt.reason)));
        }
    }
    let more = outcome.parts.saturating_sub(outcome.steps.len());
    lines.extend((more > 0).then(|| ("", format!("+ and {more} more"))));
    lines
}

/// Whether a part is a formula of the mu-calculus that was decided by engines which read runs.
fn is_about_runs(step: &Step) -> bool {
    let formula = match &step.formula {
        Ctl::Not(inner) => inner,
        formula => formula,
    };
    let mut engines = step.tried.iter().map(|(attempt, _)| attempt.engine);
    matches!(formula, Ctl::Modal(_)) && engines.all(|engine| engine != &bes::ENGINE)
}

/// How a formula was decided that is not in parts.
fn words_for_none(outcome: &Outcome) -> String {
    match outcome.engine {
        Some(engine) if engine == &explicit::ENGINE => {
            "explicit: every order of the whole run".to_owned()
        }
        Some(_) => "the initial cut is enough".to_owned(),
        None => "given up before anything was decided".to_owned(),
    }
}

fn listed(figures: &BTreeMap<&'static str, u64>) -> String {
    let figures = figures.iter().map(|(name, value)| match value {
        1 => format!("1 {}", name.strip_suffix('s').unwrap_or(name)),
        value => format!("{value} {name}"),
    });
    figures.collect::<Vec<_>>().join(", ")
}

/// What the leading quantifier was expanded to.
fn instances(subject: &Subject<'_>, question: &Question) -> Option<String> {
    let word = match question.lowered.quantifier? {
        Quantifier::Forall => "all of",
        Quantifier::Exists => "one of",
    };
    if let Some(template) = &question.lowered.template {
        let names = template.names.iter().zip(&template.ranges);
        let names = names.map(|(name, range)| format!("{name} of {} processes", range.len()));
        let names: Vec<String> = names.collect();
        return Some(format!(
            "{word} the choices of {}, made one at a time",
            names.join(", ")
        ));
    }
    let name = |instance: &Instance| {
        let bindings = instance.bindings.iter();
        let named =
            bindings.map(|(name, process)| format!("{name} = {}", subject.process_name(*process)));
        format!("({})", named.collect::<Vec<_>>().join(", "))
    };
    let names: Vec<String> = question.lowered.instances.iter().map(name).collect();
    Some(format!("{word} {}", words::list(&names, MOST_INSTANCES)))
}

/// The processes a bound name does not range over.
fn left_out(subject: &Subject<'_>, left_out: &[LeftOut]) -> Option<String> {
    let name = |left: &LeftOut| {
        let process = subject.process_name(left.process);
        format!(
            "{} = {process}, which has no variable {}",
            left.name, left.missing
        )
    };
    let names: Vec<String> = left_out.iter().map(name).collect();
    (!names.is_empty()).then(|| words::list(&names, MOST_INSTANCES))
}
