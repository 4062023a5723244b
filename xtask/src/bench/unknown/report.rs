//! The report: unknown verdicts by logic and by size, those left with their reasons, and disagreements.

use std::collections::BTreeMap;

use super::super::lab::{Table, grouped};
use super::property::LOGICS;
use super::results::CaseResult;
use super::{Options, TIMEOUT_SECONDS};

/// Both answers to a case.
struct Pair<'a> {
    before: &'a CaseResult,
    after: &'a CaseResult,
}

/// The whole report.
pub(super) fn text(
    options: &Options,
    machine: &str,
    before: &[CaseResult],
    after: &[CaseResult],
) -> String {
    let pairs = before.iter().zip(after);
    let pairs: Vec<Pair<'_>> = pairs
        .map(|(before, after)| Pair { before, after })
        .collect();
    [
        heading(options, machine),
        by_verdict(&pairs),
        by_logic(&pairs),
        by_size(&pairs),
        wrong(&pairs),
        by_reason(&pairs),
        left(&pairs),
    ]
    .join("\n")
}

fn heading(options: &Options, machine: &str) -> String {
    let name = |program: &Option<super::Program>| {
        let name = program.as_ref().and_then(|program| program.name.clone());
        name.unwrap_or_else(|| "not named".to_owned())
    };
    format!(
        "# Unknown verdicts within {TIMEOUT_SECONDS} s\n\n{machine}\n{} cases, seed {}. Before: {}; after: {}. A case is a run of a \
         protocol of `causet gen`, right or faulty, with 2 to 100 processes and 10^3 to 10^6 events, every order of magnitude \
         equally likely, and one of its own properties or a random one; `check --timeout {TIMEOUT_SECONDS}s`, reading included.\n",
        grouped(options.cases),
        options.seed,
        name(&options.before),
        name(&options.after),
    )
}

/// Counts of both sides over the pairs that a row is about.
fn row(name: &str, pairs: &[Pair<'_>], belongs: impl Fn(&CaseResult) -> bool) -> [String; 5] {
    let chosen: Vec<&Pair<'_>> = pairs.iter().filter(|pair| belongs(pair.after)).collect();
    let before = chosen.iter().filter(|pair| pair.before.is_unknown());
    let after = chosen.iter().filter(|pair| pair.after.is_unknown());
    let regressed = chosen
        .iter()
        .filter(|pair| pair.before.is_decided() && pair.after.is_unknown());
    [
        name.to_owned(),
        chosen.len().to_string(),
        before.count().to_string(),
        after.count().to_string(),
        regressed.count().to_string(),
    ]
}

/// The counts of a row; the last is of verdicts that only the earlier program knew.
const COLUMNS: [&str; 4] = [
    "cases",
    "unknown before",
    "unknown after",
    "known only before",
];

fn table(first: &str) -> Table {
    Table::new(&[&[first], &COLUMNS[..]].concat())
}

fn by_verdict(pairs: &[Pair<'_>]) -> String {
    let mut table = Table::new(&["verdict", "before", "after"]);
    for verdict in ["holds", "violated", "unknown", "refused", "failed"] {
        let count = |side: fn(&Pair<'_>) -> String| {
            let same = pairs.iter().filter(|&pair| side(pair) == verdict);
            same.count().to_string()
        };
        table.row(&[
            verdict.to_owned(),
            count(|pair| pair.before.answer.verdict.clone()),
            count(|pair| pair.after.answer.verdict.clone()),
        ]);
    }
    let repeated = |side: fn(&Pair<'_>) -> Option<f64>| pairs.iter().filter_map(side).count();
    let starved = |side: fn(&Pair<'_>) -> bool| pairs.iter().filter(|&pair| side(pair)).count();
    let slowest = |side: fn(&Pair<'_>) -> f64| pairs.iter().map(side).fold(0.0, f64::max);
    format!(
        "## Verdicts\n\n{}\nThe slowest process took {:.2} s before and {:.2} s after. Where other processes took the \
         processors, the check was repeated with as much more time: {} times before, {} times after; {} and {} unknown ones \
         had too little time even so.\n",
        table.text,
        slowest(|pair| pair.before.answer.seconds),
        slowest(|pair| pair.after.answer.seconds),
        repeated(|pair| pair.before.answer.repeated),
        repeated(|pair| pair.after.answer.repeated),
        starved(|pair| pair.before.answer.is_starved()),
        starved(|pair| pair.after.answer.is_starved()),
    )
}

fn by_logic(pairs: &[Pair<'_>]) -> String {
    let mut table = table("logic");
    for logic in LOGICS {
        for own in [true, false] {
            let name = format!("{logic}, {}", if own { "own" } else { "random" });
            let cells = row(&name, pairs, |case| case.logic == logic && case.own == own);
            if cells[1] != "0" {
                table.row(&cells);
            }
        }
    }
    table.row(&row("all", pairs, |_| true));
    format!("## By logic\n\n{}", table.text)
}

fn by_size(pairs: &[Pair<'_>]) -> String {
    let mut events = table("events");
    for (least, most) in [(1_000, 10_000), (10_000, 100_000), (100_000, 1_000_001)] {
        let name = format!("{} to {}", grouped(least), grouped(most - most % 10));
        events.row(&row(&name, pairs, |case| {
            (least..most).contains(&case.events)
        }));
    }
    let mut processes = table("processes");
    for (least, most) in [(2, 4), (5, 9), (10, 31), (32, 100)] {
        let name = format!("{least} to {most}");
        processes.row(&row(&name, pairs, |case| {
            (least..=most).contains(&case.procs)
        }));
    }
    format!("## By size\n\n{}\n{}", events.text, processes.text)
}

/// What must not be: different verdicts, failures, and unknown verdicts that the recorded order decides.
fn wrong(pairs: &[Pair<'_>]) -> String {
    let list = |title: &str, chosen: Vec<&Pair<'_>>| {
        let lines = chosen.iter().map(|pair| {
            let told =
                |case: &CaseResult| format!("{} {}", case.answer.verdict, case.answer.reason);
            format!(
                "- `causet gen {}`: `{}`: before: {}; after: {}; recorded order: {}\n",
                pair.after.run,
                pair.after.line(),
                told(pair.before).trim_end(),
                told(pair.after).trim_end(),
                pair.after.recorded_or_dash(),
            )
        });
        format!(
            "{title}: {}.\n\n{}",
            chosen.len(),
            lines.collect::<String>()
        )
    };
    let choose = |wrong: fn(&Pair<'_>) -> bool| pairs.iter().filter(|pair| wrong(pair)).collect();
    let disagree = choose(|pair| {
        let both = pair.before.is_decided() && pair.after.is_decided();
        both && pair.before.answer.verdict != pair.after.answer.verdict
    });
    let failed = choose(|pair| ["refused", "failed"].contains(&&*pair.after.answer.verdict));
    let decidable = choose(|pair| ["holds", "violated"].contains(&&*pair.after.recorded));
    let open = choose(|pair| pair.after.recorded.starts_with("not found out"));
    format!(
        "## What must not be\n\n{}\n{}\n{}\n{}",
        list("Both decide, and differ", disagree),
        list("Refused or failed", failed),
        list(
            "Unknown, although one cut or the recorded order decides it",
            decidable
        ),
        list(
            "Unknown, and the recorded order alone could not be evaluated",
            open
        ),
    )
}

/// Those left, by the limit that was reached and the engines that were tried.
fn by_reason(pairs: &[Pair<'_>]) -> String {
    let mut counts = BTreeMap::<[String; 3], usize>::new();
    for pair in pairs.iter().filter(|pair| pair.after.is_unknown()) {
        let after = pair.after;
        let key = [&after.logic, &after.answer.reason, &after.tried].map(String::clone);
        *counts.entry(key).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut table = Table::new(&["logic", "reason", "engines tried", "unknown after"]);
    for ([logic, reason, tried], count) in counts {
        table.row(&[logic, reason, tried, count.to_string()]);
    }
    format!("## By reason\n\n{}", table.text)
}

fn left(pairs: &[Pair<'_>]) -> String {
    let mut table = Table::new(&["run", "property", "before", "reason", "engines tried"]);
    for pair in pairs.iter().filter(|pair| pair.after.is_unknown()) {
        let after = pair.after;
        let again = if after.again == "unknown" {
            String::new()
        } else {
            format!(" (a second attempt: {})", after.again)
        };
        table.row(&[
            format!("`{}`", after.run),
            format!("`{}`", after.line().replace('|', "\\|")),
            pair.before.answer.verdict.clone(),
            format!("{}{again}", after.answer.reason),
            after.tried.clone(),
        ]);
    }
    format!(
        "## Unknown after\n\nNone of these is decided by the initial cut, the final cut or the recorded order, unless it is \
         listed above.\n\n{}",
        table.text
    )
}
