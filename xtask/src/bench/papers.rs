//! `cargo xtask bench papers`: the papers' tables, on runs generated from fixed seeds, beside what the papers report.
//!
//! Table 1 of paper TMP is about monitors and has its own command, `bench monitors`. The papers do not publish their traces; the workloads follow their descriptions, so the numbers of events match where they are given and the
//! concurrency is a reconstruction. Paper POTA gives no numbers of events; there are a hundred per process, and no fewer
//! than a thousand of `ddph`. Seconds of the papers are from their machines, some twenty years ago.
//!
//! Each row is decided on three seeds, and the slowest is shown. Beside it are the same questions with an engine forced,
//! on the first seed. The paper's own trees are made of the whole run, as published, the canonical ones of what the formula
//! can see; with `X` in the formula both see everything, and the quotient is what the form of the trees gains alone.

use std::path::Path;

use super::lab::{Lab, NEXT, Run, Table, Told, UNTIL, goal, grouped};

/// A question about runs of several sizes.
struct Question {
    paper: &'static str,
    model: &'static str,
    name: &'static str,
    /// The formulas, all in one file, for a number of processes.
    formulas: fn(usize) -> Vec<String>,
    /// Processes and events.
    sizes: &'static [(usize, usize)],
    /// Seconds the paper gives, as far as it does; infinite where it stopped.
    seconds: &'static [f64],
}

const PETERSON: &[(usize, usize)] = &[(2, 2000), (2, 5000), (2, 15000)];
const PETERSON_S: &[f64] = &[0.46, 7.53, 189.65];
const FILTER: &[(usize, usize)] = &[
    (2, 2000),
    (2, 5000),
    (2, 20000),
    (5, 1000),
    (5, 1500),
    (5, 5000),
    (10, 1500),
    (10, 2000),
    (10, 5000),
];
const FILTER_S: &[f64] = &[0.20, 6.44, 390.90, 2.04, 6.82, 176.62, 7.53, 27.01, 147.89];
const ABP: &[(usize, usize)] = &[(2, 1000), (2, 2000), (2, 5000)];
const PHILOSOPHERS: &[(usize, usize)] = &[
    (3, 100),
    (3, 200),
    (3, 2000),
    (5, 100),
    (5, 200),
    (5, 500),
    (10, 100),
    (10, 200),
    (10, 500),
];
const PHILOSOPHERS_S: &[f64] = &[
    0.15,
    1.11,
    366.22,
    0.25,
    27.05,
    125.56,
    1.67,
    26.94,
    f64::INFINITY,
];
const DDPH: &[(usize, usize)] = &[
    (3, 1000),
    (4, 1000),
    (5, 1000),
    (6, 1000),
    (7, 1000),
    (10, 1000),
    (20, 2000),
    (30, 3000),
    (40, 4000),
    (100, 10000),
    (250, 25000),
];
const DDPH_S: &[f64] = &[
    0.14, 0.17, 0.19, 0.23, 0.22, 0.49, 3.54, 10.37, 18.1, 137.2, 965.3,
];
const PAIRS: &[(usize, usize)] = &[
    (3, 300),
    (4, 400),
    (5, 500),
    (6, 600),
    (7, 700),
    (8, 800),
    (9, 900),
    (10, 1000),
    (20, 2000),
    (30, 3000),
    (40, 4000),
];
const PAIRS_S: &[f64] = &[
    0.01, 0.03, 0.08, 0.15, 0.28, 0.42, 0.65, 0.9, 4.07, 20.53, 70.66,
];
const GIOP: &[(usize, usize)] = &[
    (10, 1000),
    (20, 2000),
    (40, 4000),
    (80, 8000),
    (120, 12000),
    (160, 16000),
    (200, 20000),
    (250, 25000),
];
const GIOP_S: &[f64] = &[0.2, 0.24, 4.6, 50.8, 183.8, 1001.1, 1291.0, 1761.0];

/// The runs of paper IST with questions that see every event, so that nothing is left out before an engine begins.
const WITH_X: &str = "IST 1, with X";
/// While one is inside, the other does not step in.
const NEXT_MUTEX: &str = "AG !(p0.cs && EX p1.cs)";

const QUESTIONS: &[Question] = &[
    Question {
        paper: "IST 1",
        model: "peterson",
        name: "counter",
        formulas: |_| one("AG ncrit < 2"),
        sizes: PETERSON,
        seconds: PETERSON_S,
    },
    Question {
        paper: "IST 1",
        model: "peterson",
        name: "mutex",
        formulas: mutex,
        sizes: PETERSON,
        seconds: PETERSON_S,
    },
    Question {
        paper: "IST 1",
        model: "filter",
        name: "counter",
        formulas: |_| one("AG ncrit < 2"),
        sizes: FILTER,
        seconds: FILTER_S,
    },
    Question {
        paper: "IST 1",
        model: "filter",
        name: "mutex",
        formulas: mutex,
        sizes: FILTER,
        seconds: FILTER_S,
    },
    Question {
        paper: "IST 1",
        model: "abp",
        name: "received",
        formulas: |_| one("AG (sender.sent_msg = 0 -> AF receiver.received_msg = 0)"),
        sizes: ABP,
        seconds: &[13.60, 27.56, 257.29],
    },
    Question {
        paper: "IST 1",
        model: "philosophers",
        name: "until",
        formulas: |_| one(UNTIL),
        sizes: PHILOSOPHERS,
        seconds: PHILOSOPHERS_S,
    },
    Question {
        paper: WITH_X,
        model: "peterson",
        name: "mutex, next",
        formulas: |_| one(NEXT_MUTEX),
        sizes: PETERSON,
        seconds: &[],
    },
    Question {
        paper: WITH_X,
        model: "filter",
        name: "mutex, next",
        formulas: |_| one(NEXT_MUTEX),
        sizes: FILTER,
        seconds: &[],
    },
    Question {
        paper: WITH_X,
        model: "abp",
        name: "received, next",
        formulas: |_| {
            one(
                "AG (sender.sent_msg = 0 -> (AX sender.sent_msg = 0 || AF receiver.received_msg = 0))",
            )
        },
        sizes: ABP,
        seconds: &[],
    },
    Question {
        paper: WITH_X,
        model: "philosophers",
        name: "until, next",
        formulas: |_| one(NEXT),
        sizes: PHILOSOPHERS,
        seconds: &[],
    },
    Question {
        paper: "POTA 1",
        model: "ddph",
        name: "liveness",
        formulas: |procs| around(procs, hungry_eats),
        sizes: DDPH,
        seconds: DDPH_S,
    },
    Question {
        paper: "POTA 1",
        model: "ddph",
        name: "safety",
        formulas: |procs| around(procs, neighbours),
        sizes: DDPH,
        seconds: &[],
    },
    Question {
        paper: "POTA 1",
        model: "ddph",
        name: "again",
        formulas: |procs| around(procs, eats_again),
        sizes: DDPH,
        seconds: &[],
    },
    Question {
        paper: "POTA 1",
        model: "ddph",
        name: "forks",
        formulas: |_| {
            one("forall i in procs: AG (i.state = \"eat\" -> i.left_fork && i.right_fork)")
        },
        sizes: DDPH,
        seconds: &[],
    },
    Question {
        paper: "POTA 2",
        model: "primary-secondary",
        name: "pair",
        formulas: |_| {
            one(
                "AG count(i in procs: count(j in procs: i.primary && j.secondary && i.second = j.id && j.first = i.id) > 0) > 0",
            )
        },
        sizes: PAIRS,
        seconds: PAIRS_S,
    },
    Question {
        paper: "POTA 3 (i)",
        model: "giop",
        name: "answered",
        formulas: |_| {
            one(
                "forall i in procs(\"client*\"): AG (i.asked > i.answered -> AF i.asked = i.answered)",
            )
        },
        sizes: GIOP,
        seconds: GIOP_S,
    },
    Question {
        paper: "POTA 3 (v)",
        model: "giop",
        name: "served",
        formulas: |_| {
            one(
                "AG sum(i in procs(\"client*\"): i.answered) <= sum(j in procs(\"server*\"): j.served)",
            )
        },
        sizes: &[
            (10, 1000),
            (20, 2000),
            (40, 4000),
            (60, 6000),
            (80, 8000),
            (120, 12000),
        ],
        seconds: &[0.1, 5.3, 5.6, 60.7, 218.8, 520.6],
    },
    Question {
        paper: "POTA 3",
        model: "giop",
        name: "one reply",
        formulas: |_| {
            one("forall i in procs(\"client*\"): AG (i.answered <= i.asked <= i.answered + 1)")
        },
        sizes: GIOP,
        seconds: &[],
    },
    Question {
        paper: "POTA 3",
        model: "giop",
        name: "one place",
        formulas: |_| one("AG !(server1.object && server2.object)"),
        sizes: GIOP,
        seconds: &[],
    },
];

/// Whoever is hungry will eat.
pub(super) fn hungry_eats(i: usize, _: usize) -> String {
    format!("AG (p{i}.state = \"hungry\" -> AF p{i}.state = \"eat\")")
}

/// Neighbours do not eat at the same time.
pub(super) fn neighbours(i: usize, j: usize) -> String {
    format!("AG !(p{i}.state = \"eat\" && p{j}.state = \"eat\")")
}

/// It is always possible to eat once more.
pub(super) fn eats_again(i: usize, _: usize) -> String {
    format!("AG EF p{i}.state = \"eat\"")
}

/// A formula for each process of a ring and the one after it.
pub(super) fn around(procs: usize, formula: fn(usize, usize) -> String) -> Vec<String> {
    (0..procs).map(|i| formula(i, (i + 1) % procs)).collect()
}

fn one(formula: &str) -> Vec<String> {
    vec![formula.to_owned()]
}

/// Never two inside, seen from the processes.
fn mutex(_: usize) -> Vec<String> {
    one("forall i, j in procs where i < j: AG !(i.cs && j.cs)")
}

/// Engines that are forced, to be compared.
const FORCED: [&str; 3] = ["explicit", "ist", "ist-paper"];
const COLUMNS: &[&str] = &[
    "table",
    "workload",
    "processes",
    "events",
    "question",
    "verdict",
    "engine",
    "read s",
    "check s",
    "process s",
    "peak MB",
    "paper s",
    "explicit s",
    "ist s",
    "ist-paper s",
];
const LEGEND: &str = "*check s* is everything after reading, *process s* the whole process with its start, both the median of \
three repetitions on the slowest of the seeds 1 to 3. Some questions are files with a property per process; the verdict then says how many \
differ. The last columns have seconds after reading with an engine forced, once, on seed 1: `T/O` after 10 seconds, `memory` \
after 4 GB, `-` where a smaller run was not finished. `explicit` and `ist-paper` work on the whole run, `ist` on what the formula can \
see; in the rows *with X* that is the whole run, too.\n\n\
Where seeds differ it is about the end of a run: `AF` and `AG EF` are false for a process that the end of the record finds \
hungry, waiting or done with its last meal.\n\n";

/// Runs every row and keeps the table.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let lab = Lab::open(root)?;
    let mut table = Table::new(COLUMNS);
    let mut rows = Vec::new();
    for question in QUESTIONS {
        let mut unfinished = Vec::new();
        for (number, &(_, events)) in question.sizes.iter().enumerate() {
            if !lab.fits(events) {
                continue;
            }
            let row = Row::measure(&lab, question, number, &mut unfinished)?;
            table.row(&row.cells());
            rows.push(row);
        }
    }
    let summary = summary(&rows);
    let report = format!("{}{LEGEND}{}\n{summary}", lab.header(), table.text);
    lab.save("papers", &report)?;
    lab.publish("papers", &format!("{}\n{summary}", largest(&rows)))
}

/// One row of the table.
struct Row {
    question: &'static Question,
    number: usize,
    verdict: String,
    slowest: Told,
    forced: [Forced; FORCED.len()],
}

/// How an engine fared that had no choice.
#[derive(Clone, Copy, PartialEq)]
enum Forced {
    /// Seconds after reading.
    Finished(f64),
    /// Which limit it ran into, or that it does not take such questions.
    Stopped(&'static str),
}

/// Sizes at which engines gave up.
type Unfinished = Vec<(&'static str, (usize, usize))>;

impl Row {
    fn measure(
        lab: &Lab,
        question: &'static Question,
        number: usize,
        unfinished: &mut Unfinished,
    ) -> Result<Self, String> {
        let size = question.sizes[number];
        let asked = lab.properties(&(question.formulas)(size.0))?;
        let seeds = if lab.trial { 1 } else { 3 };
        let mut told = Vec::new();
        // The first seed comes last, so that its run is there for the other engines.
        for seed in (1..=seeds).rev() {
            let trace = lab.record(&run_of(question, size, seed))?;
            told.push((seed, lab.check(&limited(lab, &trace, &asked))?));
        }
        let trace = lab.record(&run_of(question, size, 1))?;
        let verdict = verdicts(&told);
        told.sort_by(|one, other| one.1.wall.total_cmp(&other.1.wall));
        let (_, slowest) = told.pop().ok_or("no seed was tried")?;
        let mut forced = [Forced::Stopped("-"); FORCED.len()];
        for (place, engine) in forced.iter_mut().zip(FORCED) {
            let hopeless = |&(other, least): &(&str, (usize, usize))| {
                other == engine && least.0 <= size.0 && least.1 <= size.1
            };
            if unfinished.iter().any(hopeless) {
                continue;
            }
            *place = force(lab, &trace, &asked, engine)?;
            if matches!(place, Forced::Stopped(_)) {
                unfinished.push((engine, size));
            }
        }
        Ok(Row {
            question,
            number,
            verdict,
            slowest,
            forced,
        })
    }

    fn cells(&self) -> Vec<String> {
        let question = self.question;
        let (procs, events) = question.sizes[self.number];
        let told = &self.slowest;
        let mut cells = vec![
            question.paper.to_owned(),
            question.model.to_owned(),
            procs.to_string(),
            grouped(events),
            question.name.to_owned(),
            self.verdict.clone(),
            told.engines(),
            format!("{:.4}", told.read()),
            format!("{:.4}", told.check()),
            format!("{:.4}", told.wall),
            format!("{:.0}", told.peak),
            self.paper_seconds(),
        ];
        cells.extend(self.forced.iter().map(|forced| match forced {
            Forced::Finished(seconds) => format!("{seconds:.4}"),
            Forced::Stopped(why) => (*why).to_owned(),
        }));
        cells
    }

    fn paper_seconds(&self) -> String {
        match self.question.seconds.get(self.number) {
            None => "-".to_owned(),
            Some(seconds) if seconds.is_infinite() => "> 600".to_owned(),
            Some(seconds) => seconds.to_string(),
        }
    }
}

fn run_of(question: &Question, (procs, events): (usize, usize), seed: u64) -> Run<'static> {
    let setting = Run::philosophers(procs, events).setting;
    Run {
        model: question.model,
        procs,
        events,
        seed,
        setting: setting.filter(|_| question.model == "philosophers"),
        faulty: false,
    }
}

fn limited<'a>(lab: &Lab, trace: &'a str, asked: &'a str) -> [&'a str; 7] {
    [
        trace,
        "--props",
        asked,
        "--timeout",
        lab.patience(),
        "--memory",
        "4G",
    ]
}

/// The verdict on all seeds, or on each.
fn verdicts(told: &[(u64, Told)]) -> String {
    let first = told
        .first()
        .map_or_else(String::new, |(_, told)| told.verdict());
    if told.iter().all(|(_, told)| told.verdict() == first) {
        return first;
    }
    let each = told.iter().rev();
    let each: Vec<String> = each
        .map(|(seed, told)| format!("{} (seed {seed})", told.verdict()))
        .collect();
    each.join(", ")
}

/// Asks one engine and no other.
fn force(lab: &Lab, trace: &str, asked: &str, engine: &str) -> Result<Forced, String> {
    let arguments = [&limited(lab, trace, asked)[..], &["--engine", engine]].concat();
    match lab.check_once(&arguments) {
        Ok(told) => Ok(match told.stopped() {
            Some(limit) => Forced::Stopped(limit),
            None => Forced::Finished(told.check()),
        }),
        Err(words) if words.contains("cannot be decided") => Ok(Forced::Stopped("refused")),
        Err(words) => Err(words),
    }
}

/// What the rows say together: the slowest of the first table, and what canonical trees gain.
fn summary(rows: &[Row]) -> String {
    let first = rows.iter().filter(|row| row.question.paper == "IST 1");
    let slowest = first.map(|row| row.slowest.wall).fold(0.0, f64::max);
    let (whole, seen): (Vec<&Row>, Vec<&Row>) =
        rows.iter().partition(|row| row.question.paper == WITH_X);
    goal("the slowest process of IST 1", slowest * 1e3, 20.0, " ms")
        + &gain(
            "the paper's trees / canonical trees, both of the whole run",
            &whole,
        )
        + &gain(
            "the paper's trees / canonical trees of what the formula can see",
            &seen,
        )
}

/// How many times longer the paper's trees take than canonical ones, over some rows.
fn gain(what: &str, rows: &[&Row]) -> String {
    let mut gains = Vec::new();
    let mut alone = 0;
    for row in rows {
        match row.forced {
            [_, Forced::Finished(ours), Forced::Finished(theirs)] => gains.push(theirs / ours),
            [_, Forced::Finished(_), _] => alone += 1,
            _ => {}
        }
    }
    gains.sort_by(f64::total_cmp);
    let middle = gains.get(gains.len() / 2).copied().unwrap_or(f64::NAN);
    let least = gains.first().copied().unwrap_or(f64::NAN);
    let most = gains.last().copied().unwrap_or(f64::NAN);
    format!(
        "- {what}: {least:.1} to {most:.0}, median {middle:.1}, over the {} rows that both finished; canonical trees alone \
         finished {alone} more.\n",
        gains.len()
    )
}

/// The last row of every question, which is the largest, in the columns that fit a page.
fn largest(rows: &[Row]) -> String {
    let shown = |place: usize| !["read s", "check s", "explicit s"].contains(&COLUMNS[place]);
    let columns: Vec<&str> = (0..COLUMNS.len())
        .filter(|&place| shown(place))
        .map(|place| COLUMNS[place])
        .collect();
    let mut table = Table::new(&columns);
    for row in rows {
        if row.number + 1 == row.question.sizes.len() {
            let cells = row.cells().into_iter().enumerate();
            let cells: Vec<String> = cells
                .filter(|&(place, _)| shown(place))
                .map(|(_, cell)| cell)
                .collect();
            table.row(&cells);
        }
    }
    table.text
}
