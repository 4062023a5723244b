//! `cargo xtask bench monitors`: properties of whole orders, which are monitors and LTL.
//!
//! | section | shows |
//! |---|---|
//! | table 1 of paper TMP | the paper's rows beside the paper's figures, up to a million events |
//! | as formulas | the same properties in LTL |
//! | wide lattices | LTL on runs with more cuts than can be visited |
//! | searches | what each search level by level goes through |
//! | patterns | how large the automata of the usual patterns are; a report of its own |
//!
//! The paper does not publish its traces; event counts match, and concurrency is a reconstruction. A faulty protocol does
//! not go wrong on every seed in a hundred events: the first seed on which it does is taken, and shown.

use std::fs;
use std::path::Path;

use super::lab::{Lab, Run, Table, Told, goal, grouped};
use super::output;

/// What the paper reports of one search; nothing where it ran out of memory.
type Search = Option<(f64, usize)>;

/// A row of the paper's table: processes, events, the explicit search, the symbolic one, seconds of Spin.
struct Row(usize, usize, Search, Search, Option<f64>);

/// A protocol, right or faulty, with the monitor of its property file that is the paper's.
struct Block {
    model: &'static str,
    monitor: &'static str,
    /// The same in LTL, in the same file.
    formula: &'static str,
    faulty: bool,
    rows: &'static [Row],
}

#[rustfmt::skip]
const BLOCKS: &[Block] = &[
    Block {
        model: "peterson", monitor: "exclusion", formula: "never-both", faulty: false,
        rows: &[
            Row(2, 10_000, Some((1.39, 21551)), Some((0.35, 4001)), Some(0.06)),
            Row(2, 100_000, Some((16.88, 215_544)), Some((3.45, 40_001)), Some(0.06)),
            Row(2, 1_000_000, None, Some((34.75, 400_002)), Some(0.06)),
        ],
    },
    Block {
        model: "peterson", monitor: "exclusion", formula: "never-both", faulty: true,
        rows: &[
            Row(2, 10_000, Some((1.11, 21384)), Some((0.01, 4)), Some(0.05)),
            Row(2, 100_000, Some((15.95, 214_727)), Some((0.05, 4)), Some(0.05)),
            Row(2, 1_000_000, None, Some((0.53, 4)), Some(0.05)),
        ],
    },
    Block {
        model: "abp", monitor: "received", formula: "in-turn", faulty: false,
        rows: &[
            Row(2, 10_000, Some((2.17, 31185)), Some((0.42, 4654)), Some(0.15)),
            Row(2, 100_000, Some((31.08, 316_414)), Some((4.25, 46_684)), Some(0.15)),
            Row(2, 1_000_000, None, Some((43.09, 466_887)), Some(0.15)),
        ],
    },
    Block {
        model: "abp", monitor: "received", formula: "in-turn", faulty: true,
        rows: &[
            Row(2, 10_000, Some((2.06, 31495)), Some((0.01, 5)), Some(0.13)),
            Row(2, 100_000, Some((29.70, 315_808)), Some((0.06, 5)), Some(0.13)),
            Row(2, 1_000_000, None, Some((0.53, 5)), Some(0.13)),
        ],
    },
    Block {
        model: "philosophers", monitor: "fork", formula: "fork-until", faulty: false,
        rows: &[
            Row(3, 100, Some((1.03, 6190)), Some((0.05, 299)), Some(0.40)),
            Row(5, 100, Some((87.02, 60727)), Some((0.21, 2875)), Some(12.01)),
            Row(10, 100, None, Some((1.52, 26791)), None),
            Row(10, 10_000, None, None, None),
            Row(10, 1_000_000, None, None, None),
        ],
    },
    Block {
        model: "philosophers", monitor: "fork", formula: "fork-until", faulty: true,
        rows: &[
            Row(3, 100, Some((0.09, 1187)), Some((0.01, 63)), Some(0.38)),
            Row(5, 100, Some((78.72, 55982)), Some((0.01, 78)), Some(11.01)),
            Row(10, 100, None, Some((0.01, 55)), None),
            Row(10, 10_000, None, None, None),
            Row(10, 1_000_000, None, None, None),
        ],
    },
];

/// The size at which the goals are set.
const LARGE: usize = 1_000_000;
/// With fewer events the program takes more memory than the run.
const SOME: usize = 100_000;
/// A seed after this is not tried.
const SEEDS: u64 = 100;
/// A search that stops early goes through no more than so many configurations.
const FEW: f64 = 1000.0;

/// Measures everything and writes the reports.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let lab = Lab::open(root)?;
    let mut goals = String::new();
    let mut report = String::new();
    for section in [table, formulas, wide, searches] {
        report += &section(&lab, &mut goals)?;
        report += "\n";
    }
    let report = format!("{}{report}## Goals\n\n{goals}", lab.header());
    lab.save("monitors", &report)?;
    lab.save("patterns", &format!("{}{}", lab.header(), patterns(root)?))
}

/// Table 1 of paper TMP.
fn table(lab: &Lab, goals: &mut String) -> Result<String, String> {
    let columns = [
        "workload",
        "processes",
        "events",
        "seed",
        "monitor",
        "verdict",
        "configurations",
        "engine",
        "engine s",
        "re-check s",
        "read s",
        "total s",
        "total / read",
        "bytes an event",
        "of them read",
        "paper: symbolic s",
        "configurations",
        "explicit s",
        "configurations",
        "Spin s",
    ];
    let mut table = Table::new(&columns);
    for block in BLOCKS {
        for row in block.rows.iter().filter(|row| lab.fits(row.1)) {
            let measured = Measured::of(lab, block, row)?;
            table.row(&measured.cells(block, row));
            *goals += &measured.goals(block, row);
        }
    }
    Ok(format!(
        "## Table 1 of paper TMP\n\nThe monitors of the workloads' property files. *configurations* is what the engine \
         `monitor` visits, *engine* what `auto` chooses, with its seconds; *re-check* is the part of these in which the witness is replayed \
         by other code. Bytes are the peak of the process, from 100,000 events on, *of them read* that of one that only reads. The median of \
         {}; the seconds of the paper are from its machine.\n\n{}",
        lab.times(),
        table.text
    ))
}

/// A row of ours.
struct Measured {
    seed: u64,
    told: Told,
    configurations: f64,
    /// Bytes for an event, at most, and for reading alone.
    bytes: (f64, f64),
}

impl Measured {
    fn of(lab: &Lab, block: &Block, row: &Row) -> Result<Self, String> {
        let asked = excerpt(lab, block.model, &format!("monitor {} ", block.monitor))?;
        let (seed, trace) = recorded(lab, block, row, &asked)?;
        let told = lab.check(&[&trace, "--props", &asked])?;
        let forced = lab.check_once(&[&trace, "--props", &asked, "--engine", "monitor"])?;
        let reader = lab.check_once(&[&trace, "--ctl", "true"])?;
        let each = |told: &Told| told.peak * 1e6 / row.1 as f64;
        Ok(Measured {
            seed,
            configurations: forced.figure("configurations"),
            bytes: (each(&told), each(&reader)),
            told,
        })
    }

    fn cells(&self, block: &Block, row: &Row) -> Vec<String> {
        let told = &self.told;
        let (engine, recheck) = told.decided();
        let Row(procs, events, explicit, symbolic, spin) = row;
        let mut cells = vec![
            name(block),
            procs.to_string(),
            grouped(*events),
            self.seed.to_string(),
            block.monitor.to_owned(),
            told.verdict(),
            grouped(self.configurations as usize),
            told.engines(),
            format!("{engine:.4}"),
            format!("{recheck:.4}"),
            format!("{:.4}", told.read()),
            format!("{:.4}", told.total()),
            format!("{:.2}", told.total() / told.read()),
            bytes(*events, self.bytes.0),
            bytes(*events, self.bytes.1),
        ];
        for search in [symbolic, explicit] {
            let seconds = search.map_or("-".to_owned(), |(seconds, _)| format!("{seconds:.2}"));
            let visited = search.map_or("-".to_owned(), |(_, visited)| grouped(visited));
            cells.extend([seconds, visited]);
        }
        cells.push(spin.map_or("-".to_owned(), |seconds| format!("{seconds:.2}")));
        cells
    }

    fn goals(&self, block: &Block, row: &Row) -> String {
        let what = format!(
            "{}, {} processes, {} events",
            name(block),
            row.0,
            grouped(row.1)
        );
        let mut goals = String::new();
        if block.faulty {
            let words = format!("{what}, configurations");
            goals += &goal(&words, self.configurations, FEW, "");
        }
        if row.1 == LARGE {
            let ratio = self.told.total() / self.told.read();
            goals += &goal(&format!("{what}, total / reading"), ratio, 2.0, "");
            goals += &goal(
                &format!("{what}, peak"),
                self.bytes.0,
                100.0,
                " bytes an event",
            );
        }
        goals
    }
}

fn name(block: &Block) -> String {
    let faulty = if block.faulty { ", faulty" } else { "" };
    format!("{}{faulty}", block.model)
}

/// A run of the protocol, with its seed: for a faulty one the first on which the mistake shows.
fn recorded(lab: &Lab, block: &Block, row: &Row, asked: &str) -> Result<(u64, String), String> {
    for seed in 1..=SEEDS {
        let trace = lab.record(&run_of(block, row, seed))?;
        let shows =
            !block.faulty || lab.check_once(&[&trace, "--props", asked])?.verdict() == "violated";
        if shows {
            return Ok((seed, trace));
        }
    }
    Err(format!("no seed up to {SEEDS} breaks {}", name(block)))
}

fn run_of(block: &Block, row: &Row, seed: u64) -> Run<'static> {
    let usual = Run::philosophers(row.0, row.1);
    Run {
        model: block.model,
        seed,
        setting: usual.setting.filter(|_| block.model == "philosophers"),
        faulty: block.faulty,
        ..usual
    }
}

/// A file with one property of a workload: from the line that begins with these words to the end of its block or line.
fn excerpt(lab: &Lab, model: &str, words: &str) -> Result<String, String> {
    let (all, one) = (lab.file("all.props"), lab.file("one.props"));
    let few = ["gen", model, "--events", "1", "-o"];
    lab.tell(&[&few[..], &[&lab.file("short.jsonl"), "--props", &all]].concat())?;
    let text = fs::read_to_string(&all).map_err(|error| error.to_string())?;
    let lets = text.lines().filter(|line| line.starts_with("let "));
    let mut kept: Vec<&str> = lets.collect();
    let mut lines = text.lines().skip_while(|line| !line.starts_with(words));
    let first = lines
        .next()
        .ok_or_else(|| format!("{model} has no `{words}`"))?;
    kept.push(first);
    if first.ends_with('{') {
        kept.extend(lines.take_while(|line| !line.starts_with('}')));
        kept.push("}");
    }
    fs::write(&one, kept.join("\n")).map_err(|error| error.to_string())?;
    Ok(one)
}

/// The same properties in LTL, on the largest runs.
fn formulas(lab: &Lab, goals: &mut String) -> Result<String, String> {
    let mut table = Table::new(&[&["workload", "formula"], COLUMNS].concat());
    for block in BLOCKS {
        let Some(row) = block.rows.iter().rfind(|row| lab.fits(row.1)) else {
            continue;
        };
        let asked = excerpt(lab, block.model, &format!("property {}:", block.formula))?;
        let (_, trace) = recorded(lab, block, row, &asked)?;
        let told = lab.check(&[&trace, "--props", &asked])?;
        let asked = [name(block), block.formula.to_owned()];
        table.row(&[&asked[..], &cells(row.1, &told)].concat());
        if row.1 == LARGE {
            let what = format!("{}, `{}`, total / reading", name(block), block.formula);
            *goals += &goal(&what, told.total() / told.read(), 2.0, "");
        }
    }
    Ok(format!(
        "## As formulas\n\nThe same in LTL, which `auto` decides as CTL where it can.\n\n{}",
        table.text
    ))
}

/// What tables of single questions show.
const COLUMNS: &[&str] = &[
    "events",
    "verdict",
    "engine",
    "engine s",
    "re-check s",
    "read s",
    "total s",
    "total / read",
    "bytes an event",
];

fn cells(events: usize, told: &Told) -> Vec<String> {
    let (engine, recheck) = told.decided();
    vec![
        grouped(events),
        told.stopped()
            .map_or(told.verdict(), |limit| format!("unknown ({limit})")),
        told.engines(),
        format!("{engine:.4}"),
        format!("{recheck:.4}"),
        format!("{:.4}", told.read()),
        format!("{:.4}", told.total()),
        format!("{:.2}", told.total() / told.read()),
        bytes(events, told.peak * 1e6 / events as f64),
    ]
}

/// Bytes an event, where the run is more than the program itself.
fn bytes(events: usize, each: f64) -> String {
    match events >= SOME {
        true => format!("{each:.0}"),
        false => "-".to_owned(),
    }
}

const REAL: &str = "testdata/real/wiredtiger.jsonl.zst";
/// Questions about a recording of a storage engine.
const REAL_ASKED: &[&str] = &[
    "G count(i in procs: i.holds) <= 1",
    "G (thread5.holds -> F thread6.holds)",
    "forall i in procs: G (i.holds -> F !i.holds)",
    "forall i, j in procs where i != j: G (i.holds -> (!j.holds W !i.holds))",
    "F (thread5.holds && F (thread6.holds && F thread7.holds))",
    "F G !thread5.holds",
    "F count(i in procs: i.holds) = 2",
    "G (thread5.holds -> X !thread6.holds)",
    "G (count(i in procs: i.holds) = 1 -> X count(i in procs: i.holds) <= 1)",
    "G (on(\"Entering __fs_maybewait\") -> F on(\"Exiting __fs_maybewait\"))",
    "F (on(\"Entering __fs_maybewait\") && X on(\"Exiting __fs_maybewait\"))",
];
/// Questions about ten philosophers.
const TEN_ASKED: &[&str] = &[
    "G (p0.state = \"hungry\" -> F p0.state = \"eat\")",
    "G (p0.state = \"hungry\" -> F p5.state = \"eat\")",
    "forall i in procs: G (i.state = \"hungry\" -> F i.state = \"eat\")",
    "G (p0.state = \"eat\" -> (p1.state != \"eat\" W p0.state != \"eat\"))",
    "G (on(p0.state = \"hungry\") -> F on(p5.state = \"eat\"))",
    "G (on(\"hungry\") -> F on(\"eat\"))",
    "G (p0.state = \"eat\" -> X p1.state != \"eat\")",
    "F G p0.state = \"think\"",
    "G count(i in procs: i.state = \"eat\") <= 5",
];

/// LTL on runs with far more cuts than can be visited.
fn wide(lab: &Lab, goals: &mut String) -> Result<String, String> {
    let mut table = Table::new(&[&["run", "formula"], COLUMNS].concat());
    let mut slowest: f64 = 0.0;
    let events = if lab.trial { 1_000 } else { 100_000 };
    let ten = lab.record(&Run::philosophers(10, events))?;
    let real = lab.given(REAL);
    for (name, trace, asked) in [
        ("wiredtiger", &real, REAL_ASKED),
        ("philosophers", &ten, TEN_ASKED),
    ] {
        for formula in asked {
            let told = lab.check(&[trace, "--ltl", formula, "--timeout", lab.patience()])?;
            let events = told.events().as_u64().unwrap_or(1) as usize;
            let asked = [name.to_owned(), code(formula)];
            table.row(&[&asked[..], &cells(events, &told)].concat());
            slowest = slowest.max(told.total());
        }
    }
    *goals += &goal(
        "the slowest LTL formula on a wide lattice",
        slowest,
        10.0,
        " s",
    );
    Ok(format!(
        "## Wide lattices\n\n`{REAL}` has about 10^39 cuts; ten philosophers more than can be counted in a short time.\n\n{}",
        table.text
    ))
}

/// Runs small enough that every search finishes, and formulas about them: workload, processes, events, formula.
const SEARCHED: &[(&str, usize, usize, &str)] = &[
    ("peterson", 2, 1000, "G !(p0.cs && p1.cs)"),
    ("peterson", 2, 1000, "G (p0.flag = 1 -> F p0.cs)"),
    ("filter", 4, 400, "G (p0.cs -> (!p1.cs W !p0.cs))"),
    (
        "abp",
        2,
        1000,
        "G (sender.sent_msg = 0 -> (sender.sent_msg != 1 W receiver.received_msg = 0))",
    ),
    (
        "philosophers",
        5,
        200,
        "G !(p0.state = \"eat\" && p1.state = \"eat\")",
    ),
    (
        "philosophers",
        5,
        200,
        "G (p0.state = \"hungry\" -> F p0.state = \"eat\")",
    ),
    (
        "philosophers",
        5,
        200,
        "G (on(p0.state = \"hungry\") -> F on(p0.state = \"eat\"))",
    ),
    (
        "philosophers",
        5,
        200,
        "F (p0.state = \"eat\" && p2.state = \"eat\")",
    ),
    (
        "raft-election",
        4,
        200,
        "p0.role != \"leader\" W p0.role = \"candidate\"",
    ),
    ("token-ring", 4, 200, "G (p0.crit -> (!p1.crit W !p0.crit))"),
    (
        "two-phase-commit",
        4,
        200,
        "G (part1.vote = \"yes\" -> F coordinator.decision != \"none\")",
    ),
];
/// The searches that `--stats` compares.
const SEARCHES: [&str; 5] = ["full", "guided", "two-phase", "sleep", "filtered"];

/// What each search level by level goes through.
fn searches(lab: &Lab, _: &mut String) -> Result<String, String> {
    let columns = [
        &["workload", "processes", "events", "formula", "verdict"],
        &SEARCHES[..],
    ];
    let mut table = Table::new(&columns.concat());
    for &(model, procs, events, formula) in SEARCHED {
        let trace = lab.record(&Run {
            model,
            procs,
            events,
            seed: 1,
            setting: None,
            faulty: false,
        })?;
        let asked = [
            "check",
            &trace,
            "--ltl",
            formula,
            "--stats",
            "--timeout",
            "60s",
        ];
        let text = lab.tell(&asked)?;
        let verdict = text.split(' ').next().unwrap_or("-");
        let mut cells = vec![
            model.to_owned(),
            procs.to_string(),
            grouped(events),
            code(formula),
            verdict.to_owned(),
        ];
        cells.extend(SEARCHES.map(|search| gone_through(&text, search)));
        table.row(&cells);
    }
    Ok(format!(
        "## Searches level by level\n\n`causet check --stats`: states / transitions, a state being a cut with a state of the \
         automaton.\n\n{}",
        table.text
    ))
}

/// What one search went through, from what `--stats` prints.
fn gone_through(text: &str, search: &str) -> String {
    let lines = text.lines().map(str::trim_start);
    let mut lines = lines.map(|line| line.strip_prefix("searches").unwrap_or(line).trim_start());
    let line = lines.find_map(|line| line.strip_prefix(search)?.strip_prefix(' '));
    let Some(line) = line.map(str::trim) else {
        return "-".to_owned();
    };
    let numbers = line.split(' ').filter_map(|word| word.parse().ok());
    let numbers: Vec<String> = numbers.map(grouped).collect();
    match numbers.is_empty() {
        true => line.to_owned(),
        false => numbers.join(" / "),
    }
}

/// The automata of the usual patterns, as the tests of the translation print them.
fn patterns(root: &Path) -> Result<String, String> {
    let test = [
        "test",
        "--locked",
        "--package",
        "causet-solve",
        "--test",
        "automaton",
        "patterns_have_the_recorded_sizes",
        "--",
        "--nocapture",
    ];
    let printed = output(root, "cargo", &test)?;
    let mut table = Table::new(&[
        "pattern",
        "scope",
        "formula",
        "states",
        "questions",
        "classes",
    ]);
    for line in printed.lines() {
        let cells: Vec<&str> = line.split("|||").map(str::trim).collect();
        if let [pattern, scope, formula, rest @ ..] = &cells[..] {
            let asked = [(*pattern).to_owned(), (*scope).to_owned(), code(formula)];
            let rest: Vec<String> = rest.iter().map(|&cell| cell.to_owned()).collect();
            table.row(&[&asked[..], &rest].concat());
        }
    }
    Ok(format!(
        "The specification patterns of Dwyer, Avrunin and Corbett over finite words: the least deterministic automaton of \
         each, its states and the questions its edges ask about a letter. *Stutter*: it does not notice a repeated letter; \
         *weak*: it never comes back to a state it has left.\n\n{}",
        table.text
    ))
}

/// A formula in a cell of a table.
fn code(formula: &str) -> String {
    format!("`{}`", formula.replace('|', "\\|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_search_are_found_by_its_name() {
        let text = "holds  a\n  searches  full       1335 states, 3842 transitions\n            sleep      gave up (timeout)\n";
        assert_eq!(gone_through(text, "full"), "1,335 / 3,842");
        assert_eq!(gone_through(text, "sleep"), "gave up (timeout)");
        assert_eq!(gone_through(text, "guided"), "-");
    }
}
