//! The report: unknown verdicts by logic and by size, those left with their reasons, and disagreements.

use std::collections::BTreeMap;

use super::super::report::{ReportTable, grouped};
use super::checker::Answer;
use super::property::LOGICS;
use super::results::CaseResult;
use super::{Options, TIMEOUT_SECONDS};

/// Both answers to a case, or only the later one if no earlier program was asked.
struct Pair<'a> {
    before: Option<&'a CaseResult>,
    after: &'a CaseResult,
}

/// The whole report; `before` is empty if there is nothing to compare with.
pub(super) fn text(options: &Options, before: &[CaseResult], after: &[CaseResult]) -> String {
    let pairs = after.iter().enumerate();
    let pairs: Vec<Pair<'_>> = pairs
        .map(|(number, after)| Pair {
            before: before.get(number),
            after,
        })
        .collect();
    [
        heading(options),
        by_verdict(&pairs),
        by_logic(&pairs),
        by_size(&pairs),
        wrong(&pairs),
        by_reason(&pairs),
        left(&pairs),
    ]
    .join("\n")
}

fn heading(options: &Options) -> String {
    let name = |program: &Option<super::Program>| {
        let name = program.as_ref().and_then(|program| program.name.clone());
        name.unwrap_or_else(|| "not named".to_owned())
    };
    format!(
        "Unknown verdicts within {TIMEOUT_SECONDS} s: {} cases, seed {}. Before: {}; after: {}. A case is a run of a \
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
    let before = |is_so: fn(&CaseResult) -> bool, unknown_after: bool| {
        let cases = chosen.iter().filter(|pair| {
            let after = !unknown_after || pair.after.is_unknown();
            after && pair.before.is_some_and(is_so)
        });
        earlier(pairs, cases.count())
    };
    let after = chosen.iter().filter(|pair| pair.after.is_unknown());
    [
        name.to_owned(),
        chosen.len().to_string(),
        before(CaseResult::is_unknown, false),
        after.count().to_string(),
        before(CaseResult::is_decided, true),
    ]
}

/// A figure about the earlier program, or a dash if there is none.
fn earlier(pairs: &[Pair<'_>], figure: usize) -> String {
    match pairs.iter().any(|pair| pair.before.is_some()) {
        true => figure.to_string(),
        false => "-".to_owned(),
    }
}

/// The counts of a row; the last is of verdicts that only the earlier program knew.
const COLUMNS: [&str; 4] = [
    "cases",
    "unknown before",
    "unknown after",
    "known only before",
];

fn table(first: &str) -> ReportTable {
    ReportTable::new(&[&[first], &COLUMNS[..]].concat())
}

fn by_verdict(pairs: &[Pair<'_>]) -> String {
    let mut table = ReportTable::new(&["verdict", "before", "after"]);
    for verdict in ["holds", "violated", "unknown", "refused", "failed"] {
        let count = |side: Side| {
            let same = answers(pairs, side).filter(|answer| answer.verdict == verdict);
            same.count()
        };
        table.row(&[
            verdict.to_owned(),
            earlier(pairs, count(BEFORE)),
            count(AFTER).to_string(),
        ]);
    }
    let told = |name: &str, side: Side| {
        let slowest = answers(pairs, side).map(|answer| answer.seconds);
        let repeated = answers(pairs, side).filter(|answer| answer.repeated.is_some());
        let starved = answers(pairs, side).filter(|answer| answer.is_starved());
        format!(
            "The slowest process {name} took {:.2} s. Where other processes took the processors, the check was repeated with \
             as much more time: {} times; {} unknown ones had too little time even so.\n",
            slowest.fold(0.0, f64::max),
            repeated.count(),
            starved.count(),
        )
    };
    let before = match pairs.iter().any(|pair| pair.before.is_some()) {
        true => told("before", BEFORE),
        false => String::new(),
    };
    format!(
        "## Verdicts\n\n{}\n{before}{}",
        table.text,
        told("after", AFTER)
    )
}

/// One side of the comparison.
type Side = for<'p, 'a> fn(&'p Pair<'a>) -> Option<&'a CaseResult>;
const BEFORE: Side = |pair| pair.before;
const AFTER: Side = |pair| Some(pair.after);

/// The answers of one side.
fn answers<'p>(pairs: &'p [Pair<'_>], side: Side) -> impl Iterator<Item = &'p Answer> {
    pairs.iter().filter_map(side).map(|case| &case.answer)
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
                pair.before.map_or("-".to_owned(), told).trim_end(),
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
        let decided = pair.before.filter(|before| before.is_decided());
        let differs = |before: &CaseResult| before.answer.verdict != pair.after.answer.verdict;
        pair.after.is_decided() && decided.is_some_and(differs)
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
    let mut table = ReportTable::new(&["logic", "reason", "engines tried", "unknown after"]);
    for ([logic, reason, tried], count) in counts {
        table.row(&[logic, reason, tried, count.to_string()]);
    }
    format!("## By reason\n\n{}", table.text)
}

fn left(pairs: &[Pair<'_>]) -> String {
    let mut table = ReportTable::new(&["run", "property", "before", "reason", "engines tried"]);
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
            pair.before
                .map_or("-", |before| &before.answer.verdict)
                .to_owned(),
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
