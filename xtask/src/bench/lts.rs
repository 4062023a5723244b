//! `cargo xtask bench lts`: transition systems from 10^4 to 10^7 states, every strategy, beside other checkers in one run.
//!
//! Three questions are asked, those of paper MB-DSolve: is there no deadlock, is there a livelock, is each put followed
//! by a get or a livelock. The answers are known and asserted. Of other checkers each is asked what it can be asked:
//! stateright and Spin for a deadlock, merc for whatever needs no pattern of labels.

mod beside;
pub(super) mod systems;

use std::path::Path;

use super::lab::{Lab, Table, Told, goal, grouped};
use beside::Peers;
use systems::{QUESTIONS, Question, System};

/// The strategies of the program; it may refuse to use one, unless the choice is its own.
const STRATEGIES: &[&str] = &["auto", "lean", "dfs", "bfs", "global"];

/// More states than this are asked about once only.
const LARGE: u64 = 2_000_000;

/// Measures everything and writes the report.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let lab = Lab::open(root)?;
    ready(&lab)?;
    let peers = Peers::build(root)?;
    let mut goals = String::new();
    let mut report = String::new();
    let systems = systems::stored(&lab)?;
    report += &deadlocks(&lab, &peers, &systems, &mut goals)?;
    report += &games(&lab, &peers, &systems)?;
    report += &strategies(&lab, &systems)?;
    report += &networks(&lab)?;
    report += &beside::spin(&lab)?;
    let about = format!(
        "Medians of {}, systems above {} states once. {}\n\n",
        lab.times(),
        grouped(LARGE as usize),
        questions()
    );
    let report = format!("{}{about}{report}## Goals\n\n{goals}", lab.header());
    lab.save("lts", &report)
}

/// Says at once when the program cannot check transition systems, not after minutes of building the others.
fn ready(lab: &Lab) -> Result<(), String> {
    lab.tell(&["lts", "check", "--help"])
        .and_then(|_| lab.tell(&["lts", "gen", "--help"]))
        .map(|_| ())
        .map_err(|error| {
            format!("this bench needs `causet lts check` and `causet lts gen`, which are not there:\n{error}")
        })
}

fn questions() -> String {
    let lines = QUESTIONS.iter();
    let lines = lines.map(|question| format!("- {}: `{}`\n", question.name, question.formula));
    format!("The questions:\n\n{}", lines.collect::<String>())
}

/// How often a system is asked about.
fn times(lab: &Lab, system: &System) -> usize {
    match system.states > LARGE {
        true => 1,
        false => lab.times(),
    }
}

/// Asks one question, and holds the answer against what is known.
fn ask(lab: &Lab, system: &System, place: usize, strategy: &str) -> Result<Told, String> {
    let told = attempt(lab, system, place, strategy)?;
    expect(system, place, strategy, &told.verdict())?;
    Ok(told)
}

/// Asks one question; a strategy may refuse it.
fn attempt(lab: &Lab, system: &System, place: usize, strategy: &str) -> Result<Told, String> {
    let formula = QUESTIONS[place].formula;
    let arguments = [&system.path, "--mu", formula, "--strategy", strategy];
    lab.check_system(times(lab, system), &arguments)
}

/// A wrong verdict ends the bench.
fn expect(system: &System, place: usize, who: &str, said: &str) -> Result<(), String> {
    let known = match system.answers[place] {
        true => "holds",
        false => "violated",
    };
    let (name, question) = (&system.name, QUESTIONS[place].name);
    match said == known {
        true => Ok(()),
        false => Err(format!(
            "{name}, {question}: {who} says {said}, known is {known}"
        )),
    }
}

/// Who finds a deadlock, or none, in what time and memory: stateright by both searches and on one and two threads.
fn deadlocks(
    lab: &Lab,
    peers: &Peers,
    systems: &[System],
    goals: &mut String,
) -> Result<String, String> {
    let mut table = Table::new(DEADLOCK_COLUMNS);
    for system in systems {
        let told = ask(lab, system, 0, "auto")?;
        let ours = [told.read(), told.check(), told.wall, told.peak];
        table.row(&deadlock_row(system, "causet", ours, ours));
        for (search, threads) in [("bfs", 1), ("bfs", 2), ("dfs", 1), ("dfs", 2)] {
            if !beside::stateright_can(system, search) {
                continue;
            }
            let who = format!("stateright {search}, threads: {threads}");
            let theirs = peers.stateright(system, search, threads, times(lab, system))?;
            expect(system, 0, &who, &theirs.verdict)?;
            table.row(&deadlock_row(system, &who, theirs.figures(), ours));
            if (search, threads) == ("bfs", 1) {
                let what = format!("no deadlock, {}: wall / {who}", system.name);
                *goals += &goal(&what, told.wall / theirs.wall, 1.0, "");
            }
        }
    }
    let (about, table) = (beside::ABOUT_STATERIGHT, table.text);
    Ok(format!(
        "## Deadlock, beside stateright\n\n{about}\n{table}\n"
    ))
}

const DEADLOCK_COLUMNS: &[&str] = &[
    "system",
    "states",
    "transitions",
    "who",
    "read s",
    "check s",
    "wall s",
    "peak MB",
    "B / transition",
    "wall / causet",
    "peak / causet",
];

/// One checker; its figures and ours are seconds for reading and checking, those of the whole process, and megabytes.
fn deadlock_row(system: &System, who: &str, figures: [f64; 4], ours: [f64; 4]) -> [String; 11] {
    let [read, check, wall, peak] = figures;
    [
        system.name.clone(),
        grouped(system.states as usize),
        grouped(system.transitions as usize),
        who.to_owned(),
        format!("{read:.3}"),
        format!("{check:.3}"),
        format!("{wall:.3}"),
        format!("{peak:.0}"),
        format!("{:.1}", peak * 1e6 / system.transitions as f64),
        format!("{:.2}", wall / ours[2]),
        format!("{:.2}", peak / ours[3]),
    ]
}

/// All questions beside merc, which makes a parity game of each.
fn games(lab: &Lab, peers: &Peers, systems: &[System]) -> Result<String, String> {
    let mut table = Table::new(&[
        "system",
        "question",
        "verdict",
        "causet wall s",
        "peak MB",
        "merc read s",
        "check s",
        "wall s",
        "peak MB",
        "merc / causet wall",
        "peak",
    ]);
    for system in systems {
        for (place, question) in QUESTIONS.iter().enumerate() {
            let Some(formula) = beside::for_merc(system, question) else {
                continue;
            };
            let ours = ask(lab, system, place, "auto")?;
            let theirs = peers.merc(system, formula)?;
            expect(system, place, "merc", &theirs.verdict)?;
            table.row(&[
                system.name.clone(),
                question.name.to_owned(),
                ours.verdict(),
                format!("{:.3}", ours.wall),
                format!("{:.0}", ours.peak),
                format!("{:.3}", theirs.read),
                format!("{:.3}", theirs.check),
                format!("{:.3}", theirs.wall),
                format!("{:.0}", theirs.peak),
                format!("{:.2}", theirs.wall / ours.wall),
                format!("{:.2}", theirs.peak / ours.peak),
            ]);
        }
    }
    Ok(format!(
        "## Formulas, beside merc\n\n{}\n{}\n",
        beside::ABOUT_MERC,
        table.text
    ))
}

/// Every question by every strategy, on the largest systems by the usual one.
fn strategies(lab: &Lab, systems: &[System]) -> Result<String, String> {
    let mut table = Table::new(&[
        "system",
        "question",
        "strategy",
        "verdict",
        "read s",
        "solve s",
        "total s",
        "variables",
        "million variables/s",
        "peak MB",
        "B / transition",
    ]);
    let mut refusals = String::new();
    for system in systems {
        for (place, question) in QUESTIONS.iter().enumerate() {
            // Of the largest systems only what a person gets who asks for no strategy.
            let most = if system.states > LARGE {
                1
            } else {
                STRATEGIES.len()
            };
            for strategy in &STRATEGIES[..most] {
                let told = match attempt(lab, system, place, strategy) {
                    Err(refusal) if *strategy != "auto" => {
                        let (name, question) = (&system.name, question.name);
                        let reason = last_line(&refusal);
                        refusals += &format!("- {name}, {question}, {strategy}: {reason}\n");
                        continue;
                    }
                    told => told?,
                };
                expect(system, place, strategy, &told.verdict())?;
                table.row(&strategy_row(system, question, strategy, &told));
            }
        }
    }
    let refusals = match refusals.is_empty() {
        true => "None was refused.\n".to_owned(),
        false => format!("Refused:\n\n{refusals}"),
    };
    Ok(format!("## Strategies\n\n{}\n{refusals}\n", table.text))
}

fn strategy_row(system: &System, question: &Question, strategy: &str, told: &Told) -> [String; 11] {
    let (solve, variables) = (told.decided().0, told.figure("variables"));
    [
        system.name.clone(),
        question.name.to_owned(),
        strategy.to_owned(),
        told.verdict(),
        format!("{:.3}", told.read()),
        format!("{solve:.3}"),
        format!("{:.3}", told.total()),
        format!("{variables}"),
        format!("{:.2}", variables / solve / 1e6),
        format!("{:.0}", told.peak),
        format!("{:.1}", told.peak * 1e6 / system.transitions as f64),
    ]
}

fn last_line(text: &str) -> &str {
    text.trim_end().lines().last().unwrap_or_default()
}

/// The protocol composed while it is explored, beside the same system read from a file.
fn networks(lab: &Lab) -> Result<String, String> {
    let mut table = Table::new(&[
        "system",
        "states",
        "question",
        "verdict",
        "stored s",
        "peak MB",
        "composed s",
        "peak MB",
        "composed / stored",
    ]);
    for (stored, composed) in systems::networks(lab)? {
        for (place, question) in QUESTIONS.iter().enumerate() {
            let one = ask(lab, &stored, place, "auto")?;
            let other = ask(lab, &composed, place, "auto")?;
            table.row(&[
                stored.name.clone(),
                grouped(stored.states as usize),
                question.name.to_owned(),
                other.verdict(),
                format!("{:.3}", one.total()),
                format!("{:.0}", one.peak),
                format!("{:.3}", other.total()),
                format!("{:.0}", other.peak),
                format!("{:.2}", other.total() / one.total()),
            ]);
        }
    }
    Ok(format!("## Composed on the fly\n\n{}\n", table.text))
}
