//! `cargo xtask bench flow`: one system, many workers: how much faster, at what price in memory and messages.
//!
//! Whole systems are explored: the alternating-bit protocol and a response, ranks and no deadlock, the lattice of a run
//! and an invariant. Each is decided by the sequential solver, then by one worker and more; everything in one run, so
//! that ratios mean something on a noisy machine. A model is fitted to the figures and asked about more workers than
//! there are cores.

mod fit;

use std::fs;
use std::path::Path;

use super::lab::{Lab, Table, Told, goal, grouped, median};
use super::lts::systems::{self, QUESTIONS, System};

/// The page of the book that shows the results.
const PAGE: &str = "docs/book/src/scaling.md";

/// So many workers are tried.
const WORKERS: [usize; 4] = [1, 2, 3, 4];

/// The same question is repeated so often to see whether it always has the same answer.
const REPETITIONS: usize = 50;

/// Measures everything and writes the report.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let lab = Lab::open(root)?;
    let mut goals = String::new();
    let mut report = String::new();
    let cases = cases(&lab)?;
    let (scaling, measured) = scaling(&lab, &cases, &mut goals)?;
    report += &scaling;
    report += &early(&lab, &mut goals)?;
    report += &partitions(&lab, &cases[0])?;
    report += &processes(&lab, &cases[0])?;
    report += &repeated(&lab)?;
    report += &fit::report(&measured);
    let about = format!(
        "By the time of the whole process, the fastest of {TURNS} for the speed-up and the median of {} otherwise. Reading is part of `wall`, and has as many threads as there are \
         workers; `check` is what comes after it. `sequential` reads with one thread and solves with the lean strategy.\n\n",
        lab.times()
    );
    let report = format!("{}{about}{report}## Goals\n\n{goals}", lab.header());
    lab.save("flow", &report)?;
    lab.publish_on(PAGE, "many workers", &summary(&measured))
}

/// Something to be explored completely.
struct Case {
    name: String,
    command: &'static str,
    arguments: Vec<String>,
    /// What is known of it.
    verdict: &'static str,
}

impl Case {
    fn system(system: &System, question: usize) -> Case {
        let asked = QUESTIONS[question];
        Case {
            name: format!("{}, {}", system.name, asked.name),
            command: "lts",
            arguments: vec![
                system.path.clone(),
                "--mu".to_owned(),
                asked.formula.to_owned(),
            ],
            verdict: if system.answers[question] {
                "holds"
            } else {
                "violated"
            },
        }
    }

    /// Asks once, with more options.
    fn ask(&self, lab: &Lab, more: &[&str]) -> Result<Told, String> {
        let arguments = self.arguments.iter().map(String::as_str);
        let arguments: Vec<&str> = arguments.chain(more.iter().copied()).collect();
        let told = match self.command {
            "lts" => lab.check_system_once(&arguments)?,
            _ => lab.check_once(&arguments)?,
        };
        match told.verdict() == self.verdict {
            true => Ok(told),
            false => Err(format!(
                "{} {more:?}: {}, known is {}",
                self.name,
                told.verdict(),
                self.verdict
            )),
        }
    }

    fn sequential(&self, lab: &Lab) -> Result<Told, String> {
        match self.command {
            "lts" => self.ask(lab, &["--strategy", "lean", "--workers", "1"]),
            _ => self.ask(lab, &["--engine", "bes"]),
        }
    }

    fn together(&self, lab: &Lab, workers: usize, more: &[&str]) -> Result<Told, String> {
        let workers = workers.to_string();
        let how: &[&str] = match self.command {
            "lts" => &["--strategy", "together", "--workers", &workers],
            _ => &["--engine", "bes", "--team", "--workers", &workers],
        };
        self.ask(lab, &[how, more].concat())
    }
}

fn cases(lab: &Lab) -> Result<Vec<Case>, String> {
    let messages = if lab.trial { 8 } else { 256 };
    let states = if lab.trial { 10_000 } else { 1_000_000 };
    let protocol = systems::bitalt(lab, messages)?;
    let ranks = systems::rank(lab, states, systems::GOOD)?;
    let mut cases = vec![Case::system(&protocol, 2), Case::system(&ranks, 0)];
    if !lab.trial {
        let large = systems::rank(lab, 10 * states, systems::GOOD)?;
        cases.push(Case::system(&large, 0));
    }
    cases.push(lattice(lab)?);
    Ok(cases)
}

/// Independent processes, whose cuts are all points of a grid: ten million of them.
fn lattice(lab: &Lab) -> Result<Case, String> {
    let processes = if lab.trial { 4 } else { 7 };
    let path = lab.file("grid.jsonl");
    fs::write(&path, super::grid(processes, 9)).map_err(|error| error.to_string())?;
    let sum: Vec<String> = (1..=processes).map(|p| format!("p{p}.x")).collect();
    let formula = format!("AG ({} <= {})", sum.join(" + "), 9 * processes);
    Ok(Case {
        name: format!("lattice of 10^{processes} cuts, invariant"),
        command: "trace",
        arguments: vec![path, "--ctl".to_owned(), formula],
        verdict: "holds",
    })
}

/// What was measured with a number of workers.
#[derive(Clone)]
pub(super) struct Measured {
    pub(super) case: String,
    /// 0 for the sequential solver.
    pub(super) workers: usize,
    pub(super) wall: f64,
    pub(super) check: f64,
    pub(super) peak: f64,
    pub(super) variables: f64,
    pub(super) operands: f64,
    pub(super) crossing: f64,
    pub(super) messages: f64,
    pub(super) rounds: f64,
    pub(super) idle: f64,
}

impl Measured {
    fn new(case: &Case, workers: usize, told: &Told) -> Measured {
        let sum = |name: &str| told.workers(name).iter().sum::<f64>();
        let seconds = sum("seconds");
        // One worker alone has no figures of its own.
        let counted = |name: &str| match sum(name) {
            0.0 => told.figure(name),
            sum => sum,
        };
        Measured {
            case: case.name.clone(),
            workers,
            wall: told.wall,
            check: told.check(),
            peak: told.peak,
            variables: counted("variables"),
            operands: counted("operands"),
            crossing: sum("crossing"),
            messages: sum("messages"),
            rounds: told.workers("rounds").first().copied().unwrap_or(0.0),
            idle: if seconds > 0.0 {
                sum("idle_seconds") / seconds
            } else {
                0.0
            },
        }
    }

    /// The share of operands that belong to another worker.
    fn crossing_share(&self) -> f64 {
        self.crossing / self.operands
    }

    /// At most so many messages, says the paper: there and back for every operand that crosses, if operands are spread
    /// evenly.
    fn bound(&self) -> f64 {
        let workers = self.workers as f64;
        2.0 * (workers - 1.0) / workers * self.operands
    }
}

/// How often a case is measured with every number of workers.
const TURNS: usize = 5;

/// A case with every number of workers, first without. They take turns, so that a slow spell of the machine meets all of
/// them, and each is represented by its fastest, which was disturbed least.
fn in_turns(lab: &Lab, case: &Case) -> Result<Vec<Measured>, String> {
    let turns = if lab.trial { 1 } else { TURNS };
    let mut tries = vec![Vec::new(); 1 + WORKERS.len()];
    for _ in 0..turns {
        let sequential = case.sequential(lab)?;
        tries[0].push(Measured::new(case, 0, &sequential));
        for (tries, workers) in tries[1..].iter_mut().zip(WORKERS) {
            let told = case.together(lab, workers, &[])?;
            tries.push(Measured::new(case, workers, &told));
        }
    }
    let fastest = tries.into_iter().filter_map(|tries| {
        let by_wall = |one: &Measured, other: &Measured| one.wall.total_cmp(&other.wall);
        tries.into_iter().min_by(by_wall)
    });
    Ok(fastest.collect())
}

/// Every case with every number of workers.
fn scaling(
    lab: &Lab,
    cases: &[Case],
    goals: &mut String,
) -> Result<(String, Vec<Measured>), String> {
    let mut table = Table::new(&[
        "what",
        "workers",
        "wall s",
        "check s",
        "peak MB",
        "wall: 1 worker / this",
        "check: 1 worker / this",
        "wall / sequential",
        "check / sequential",
        "peak / sequential",
        "crossing",
        "messages / bound",
        "idle",
        "rounds",
    ]);
    let mut all = Vec::new();
    for case in cases {
        let mut rows = in_turns(lab, case)?;
        let (sequential, one) = (&rows[0], &rows[1]);
        for row in &rows {
            table.row(&scaling_row(row, one, sequential));
        }
        let two = &rows[2];
        let name = &case.name;
        *goals += &goal(
            &format!("{name}: 2 workers / 1 worker, wall"),
            two.wall / one.wall,
            1.0 / 1.6,
            "",
        );
        *goals += &goal(
            &format!("{name}: 2 workers / 1 worker, check"),
            two.check / one.check,
            1.0 / 1.6,
            "",
        );
        *goals += &goal(
            &format!("{name}: 1 worker / sequential, check"),
            one.check / sequential.check,
            1.5,
            "",
        );
        *goals += &goal(
            &format!("{name}: memory of 2 workers / sequential"),
            two.peak / sequential.peak,
            2.0,
            "",
        );
        all.append(&mut rows);
    }
    let text = format!("## Speed-up and memory\n\n{}\n", table.text);
    Ok((text, all))
}

fn scaling_row(row: &Measured, one: &Measured, sequential: &Measured) -> [String; 14] {
    let ratio = |a: f64, b: f64| format!("{:.2}", a / b);
    let many = row.workers > 1;
    let only = |text: String| {
        if many { text } else { "-".to_owned() }
    };
    [
        row.case.clone(),
        match row.workers {
            0 => "sequential".to_owned(),
            workers => workers.to_string(),
        },
        format!("{:.3}", row.wall),
        format!("{:.3}", row.check),
        format!("{:.0}", row.peak),
        ratio(one.wall, row.wall),
        ratio(one.check, row.check),
        ratio(row.wall, sequential.wall),
        ratio(row.check, sequential.check),
        ratio(row.peak, sequential.peak),
        only(format!("{:.1} %", 100.0 * row.crossing_share())),
        only(ratio(row.messages, row.bound())),
        only(format!("{:.0} %", 100.0 * row.idle)),
        format!("{:.0}", row.rounds),
    ]
}

/// A counterexample that shows early: everybody stops.
fn early(lab: &Lab, goals: &mut String) -> Result<String, String> {
    let states = if lab.trial { 10_000 } else { 1_000_000 };
    let broken = systems::rank(lab, states, systems::DEADLOCK)?;
    let live = systems::rank(lab, states, systems::LIVELOCK)?;
    let cases = [
        Case::system(&broken, 0),
        Case::system(&broken, 2),
        Case::system(&live, 1),
    ];
    let mut table = Table::new(&[
        "what",
        "workers",
        "check s",
        "check / sequential",
        "variables",
    ]);
    for case in &cases {
        let sequential = median(lab.times(), || {
            case.ask(lab, &["--strategy", "lean", "--workers", "2"])
        })?;
        let row = |who: &str, told: &Told| {
            [
                case.name.clone(),
                who.to_owned(),
                format!("{:.3}", told.check()),
                format!("{:.2}", told.check() / sequential.check()),
                grouped(told.figure("variables") as usize),
            ]
        };
        table.row(&row("sequential", &sequential));
        for workers in [1, 2] {
            let told = median(lab.times(), || case.together(lab, workers, &[]))?;
            table.row(&row(&workers.to_string(), &told));
            if workers == 2 {
                let what = format!("{}: 2 workers / sequential, check", case.name);
                *goals += &goal(&what, told.check() / sequential.check(), 2.0, "");
            }
        }
    }
    Ok(format!(
        "## A counterexample that shows early\n\n{}\n",
        table.text
    ))
}

/// How states are dealt out: heaps of one state are the hash of its number, large ones keep neighbours together.
fn partitions(lab: &Lab, case: &Case) -> Result<String, String> {
    let mut table = Table::new(&[
        "dealt out in",
        "crossing",
        "messages",
        "messages / bound",
        "check s",
        "idle",
    ]);
    let heaps = ["0", "3", "6", "9", "12", "15", "18", "21"];
    for heap in heaps.map(Some).into_iter().chain([None]) {
        let told = median(lab.times(), || match heap {
            Some(heap) => case.together(lab, 2, &["--heap", heap]),
            None => case.together(lab, 2, &[]),
        })?;
        let row = Measured::new(case, 2, &told);
        table.row(&[
            heap.map_or("waves".to_owned(), |heap| format!("heaps of 2^{heap}")),
            format!("{:.1} %", 100.0 * row.crossing_share()),
            grouped(row.messages as usize),
            format!("{:.2}", row.messages / row.bound()),
            format!("{:.3}", row.check),
            format!("{:.0} %", 100.0 * row.idle),
        ]);
    }
    Ok(format!(
        "## How states are dealt out\n\n{}, two workers; heaps are so many states in a row, waves are those of a breadth-first numbering, each cut in two.\n\n{}\n",
        case.name, table.text
    ))
}

/// The same with two processes that talk over loopback.
fn processes(lab: &Lab, case: &Case) -> Result<String, String> {
    let mut table = Table::new(&["processes x workers", "wall s"]);
    for (processes, workers) in [("1", "2"), ("2", "1")] {
        let wall = cluster(lab, case, processes, workers)?;
        table.row(&[format!("{processes} x {workers}"), format!("{wall:.3}")]);
    }
    Ok(format!(
        "## Processes\n\n{}, over loopback; each process reads the whole file.\n\n{}\n",
        case.name, table.text
    ))
}

/// Seconds that a cluster takes, median.
fn cluster(lab: &Lab, case: &Case, processes: &str, workers: &str) -> Result<f64, String> {
    let mut times = Vec::new();
    for _ in 0..lab.times() {
        let start = std::time::Instant::now();
        ask_cluster(lab, case, processes, workers)?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

fn ask_cluster(lab: &Lab, case: &Case, processes: &str, workers: &str) -> Result<(), String> {
    let mut arguments = vec!["cluster", "run", "--processes", processes];
    arguments.extend(["--workers", workers, "--", "lts", "check", "--json"]);
    arguments.extend(case.arguments.iter().map(String::as_str));
    let told = lab.tell(&arguments)?;
    let expected = format!("\"verdict\":\"{}\"", case.verdict);
    match told.replace(' ', "").contains(&expected) {
        true => Ok(()),
        false => Err(format!("{}: another verdict: {told}", case.name)),
    }
}

/// The same question again and again, with any number of workers and with two processes.
fn repeated(lab: &Lab) -> Result<String, String> {
    let messages = if lab.trial { 8 } else { 32 };
    let times = if lab.trial { 3 } else { REPETITIONS };
    let protocol = systems::bitalt(lab, messages)?;
    let states = if lab.trial { 10_000 } else { 100_000 };
    let ranks = systems::rank(lab, states, systems::GOOD)?;
    let cases: Vec<Case> = (0..3)
        .flat_map(|question| {
            [
                Case::system(&protocol, question),
                Case::system(&ranks, question),
            ]
        })
        .collect();
    let mut asked = 0;
    for case in &cases {
        for _ in 0..times {
            for workers in WORKERS {
                case.together(lab, workers, &[])?;
                asked += 1;
            }
        }
        for _ in 0..times {
            ask_cluster(lab, case, "2", "1")?;
            asked += 1;
        }
    }
    Ok(format!(
        "## The same answer every time\n\n{} questions, {} times each with 1 to 4 workers and with 2 processes: {} answers, \
         all as known.\n\n",
        cases.len(),
        times,
        grouped(asked)
    ))
}

/// What the book shows.
fn summary(measured: &[Measured]) -> String {
    let mut table = Table::new(&["what", "workers", "wall s", "check s", "peak MB"]);
    for row in measured {
        table.row(&[
            row.case.clone(),
            match row.workers {
                0 => "sequential".to_owned(),
                workers => workers.to_string(),
            },
            format!("{:.3}", row.wall),
            format!("{:.3}", row.check),
            format!("{:.0}", row.peak),
        ]);
    }
    format!("{}\n{}", table.text, fit::report(measured))
}
