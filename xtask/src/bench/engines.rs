//! `cargo xtask bench engines`: the engines on runs that are large in one way each, beside what reading them takes.
//!
//! | section | large in |
//! |---|---|
//! | until | events, seen through a formula that looks at few of them |
//! | next step | cuts, since a formula with `AX` sees every event |
//! | many properties | processes and properties |
//! | real | cuts of a recording of a real system |
//! | memory | diagrams, which must stop in time |

use std::path::Path;

use serde_json::Value;

use super::lab::{Lab, NEXT, Run, Table, Told, UNTIL, goal, grouped};
use super::papers::{around, eats_again, hungry_eats, neighbours};

const REAL: &str = "testdata/real/wiredtiger.jsonl.zst";
const ONE_HOLDER: &str = "AG count(i in procs: i.holds) <= 1";

/// Measures everything and writes the report.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let lab = Lab::open(root)?;
    let mut goals = String::new();
    let mut report = String::new();
    for section in [until, next_step, many_properties, real, memory] {
        report += &section(&lab, &mut goals)?;
        report += "\n";
    }
    let about = format!("The median of {}, seed 1.", lab.times());
    let report = format!("{about}\n\n{report}## Goals\n\n{goals}");
    lab.save("engines", &format!("{}{report}", lab.header()))?;
    lab.publish("engines", &report.replace("\n## ", "\n### "))
}

/// What tables of single questions show.
const COLUMNS: &[&str] = &[
    "processes",
    "events",
    "verdict",
    "engine",
    "read s",
    "check s",
    "total s",
    "total / read",
    "peak MB",
];

fn cells(procs: usize, told: &Told) -> Vec<String> {
    vec![
        procs.to_string(),
        told.events()
            .as_u64()
            .map_or("-".to_owned(), |events| grouped(events as usize)),
        told.stopped()
            .map_or(told.verdict(), |limit| format!("unknown ({limit})")),
        told.engines(),
        format!("{:.4}", told.read()),
        format!("{:.4}", told.check()),
        format!("{:.4}", told.total()),
        format!("{:.2}", told.total() / told.read()),
        format!("{:.0}", told.peak),
    ]
}

/// Ten philosophers, a formula without a next step: reading is most of the work.
fn until(lab: &Lab, goals: &mut String) -> Result<String, String> {
    let sizes = lab.sizes(&[1_000, 10_000, 100_000, 1_000_000, 10_000_000]);
    let (table, told) = philosophers(lab, UNTIL, &sizes)?;
    if let Some((_, told)) = told.iter().find(|(events, _)| *events == 1_000_000) {
        let what = "until over 1,000,000 events, total / reading";
        *goals += &goal(what, told.total() / told.read(), 2.0, "");
    }
    Ok(format!("## Until\n\n`{UNTIL}`\n\n{}", table.text))
}

/// The same with a next step: every event counts, and every cut is in the diagram.
fn next_step(lab: &Lab, goals: &mut String) -> Result<String, String> {
    let sizes = lab.sizes(&[1_000, 10_000, 100_000]);
    let (table, told) = philosophers(lab, NEXT, &sizes)?;
    if let Some((events, told)) = told.last() {
        let what = format!("`AX` over {} events, peak", grouped(*events));
        *goals += &goal(&what, told.peak, 1000.0, " MB");
    }
    Ok(format!("## Next step\n\n`{NEXT}`\n\n{}", table.text))
}

fn philosophers(
    lab: &Lab,
    formula: &str,
    sizes: &[usize],
) -> Result<(Table, Vec<(usize, Told)>), String> {
    let (mut table, mut all) = (Table::new(COLUMNS), Vec::new());
    for &events in sizes {
        let trace = lab.record(&Run::philosophers(10, events))?;
        let told = lab.check(&[&trace, "--ctl", formula])?;
        table.row(&cells(10, &told));
        all.push((events, told));
    }
    Ok((table, all))
}

/// A ring of philosophers with three properties each, in one file.
fn many_properties(lab: &Lab, goals: &mut String) -> Result<String, String> {
    let procs = if lab.trial { 25 } else { 250 };
    let formulas = ring(procs);
    let columns = [
        "processes",
        "events",
        "output",
        "read s",
        "process that only reads s",
        "process s",
        "process / read",
        "process / process that only reads",
        "peak MB",
    ];
    let mut table = Table::new(&columns);
    let (small, large) = (100 * procs, 4_000 * procs);
    for events in [small, large] {
        let ring = Ring::measure(lab, procs, events, &formulas, events == small)?;
        ring.told
            .iter()
            .for_each(|told| table.row(&ring.cells(procs, events, told)));
        let what = format!("{} properties of {}", formulas.len(), grouped(events));
        *goals += &ring.goals(&what, events == large);
    }
    Ok(format!(
        "## Many properties\n\n{} properties of distributed dining philosophers in one file: for each, that the hungry eats, \
         that neighbours do not eat together, that it can always eat again. `--quiet` gives the exit status; `--json` works \
         out, checks and writes an order for every violated one. The seconds of a process are those from its start to its end; \
         one that only reads is asked for `true`.\n\n{}",
        formulas.len(),
        table.text
    ))
}

/// Three properties for each philosopher.
fn ring(procs: usize) -> Vec<String> {
    let kinds: [fn(usize, usize) -> String; 3] = [hungry_eats, neighbours, eats_again];
    let formulas = kinds.iter().flat_map(|&kind| around(procs, kind));
    formulas.collect()
}

/// What a ring of philosophers took.
struct Ring {
    /// Seconds that reading took, within a process that does nothing else.
    read: f64,
    /// Seconds of that process.
    reader: f64,
    /// By kind of output; the quiet one comes first.
    told: Vec<(&'static str, Told)>,
}

impl Ring {
    /// Checks a ring quietly, and with all results if wanted.
    fn measure(
        lab: &Lab,
        procs: usize,
        events: usize,
        formulas: &[String],
        with_json: bool,
    ) -> Result<Self, String> {
        let trace = lab.record(&Run {
            model: "ddph",
            procs,
            events,
            seed: 1,
            setting: None,
            faulty: false,
        })?;
        let asked = lab.properties(formulas)?;
        let question = [trace.as_str(), "--props", asked.as_str()];
        let reader = lab.check(&[&trace, "--ctl", "true"])?;
        let mut told = vec![("--quiet", lab.check_quietly(&question)?)];
        if with_json {
            told.push(("--json", lab.check(&question)?));
        }
        Ok(Ring {
            read: reader.read(),
            reader: reader.wall,
            told,
        })
    }

    fn cells(&self, procs: usize, events: usize, told: &(&str, Told)) -> Vec<String> {
        let (output, told) = told;
        vec![
            procs.to_string(),
            grouped(events),
            format!("`{output}`"),
            format!("{:.4}", self.read),
            format!("{:.4}", self.reader),
            format!("{:.4}", told.wall),
            format!("{:.2}", told.wall / self.read),
            format!("{:.2}", told.wall / self.reader),
            format!("{:.0}", told.peak),
        ]
    }

    /// What was aimed at: memory for a large ring, time for a small one.
    fn goals(&self, what: &str, large: bool) -> String {
        let (_, quiet) = &self.told[0];
        if large {
            return goal(&format!("{what} events, peak"), quiet.peak, 4000.0, " MB");
        }
        let inside = format!("{what} events, process / reading");
        let outside = format!("{what} events, process / process that only reads");
        goal(&inside, quiet.wall / self.read, 3.0, "")
            + &goal(&outside, quiet.wall / self.reader, 3.0, "")
    }
}

/// A recording of a storage engine: far more cuts than can be visited.
fn real(lab: &Lab, goals: &mut String) -> Result<String, String> {
    let trace = lab.given(REAL);
    let info = lab.tell(&["info", &trace, "--json", "--timeout", "20s"])?;
    let info: Value = serde_json::from_str(&info).map_err(|error| error.to_string())?;
    let cuts = match info["cuts"].as_str() {
        Some(cuts) if cuts.len() > 9 => format!("about 10^{}", cuts.len() - 1),
        Some(cuts) => cuts.to_owned(),
        None => "more than 10^7".to_owned(),
    };
    let procs = info["processes"].as_array().map_or(0, Vec::len);
    let told = lab.check(&[&trace, "--ctl", ONE_HOLDER])?;
    let mut table = Table::new(COLUMNS);
    table.row(&cells(procs, &told));
    *goals += &goal("real run, after reading", told.check() * 1e3, 50.0, " ms");
    Ok(format!(
        "## A real run\n\n`{ONE_HOLDER}` on `{REAL}`, which has {cuts} cuts.\n\n{}",
        table.text
    ))
}

/// Random messages from all to all, where diagrams grow without measure: they stop at the limit, and slices decide.
fn memory(lab: &Lab, goals: &mut String) -> Result<String, String> {
    let procs = if lab.trial { 12 } else { MESSY };
    let trace = lab.record(&Run {
        model: "random",
        procs,
        events: 50 * procs,
        seed: 1,
        setting: Some("density=20"),
        faulty: false,
    })?;
    let odd: Vec<String> = (0..procs).map(|i| format!("p{i}.x0 % 2 != 0")).collect();
    let odd = format!("EF ({})", odd.join(" && "));
    let next = "AG (p0.sent >= p1.got || EX p2.sent > 3)";
    let columns = [&["question", "engine asked for"], COLUMNS].concat();
    let mut table = Table::new(&columns);
    for (name, formula, engine) in [
        ("all odd at once", odd.as_str(), "ist"),
        ("all odd at once", odd.as_str(), "auto"),
        ("next step", next, "ist"),
    ] {
        let limits = ["--engine", engine, "--memory", "300M", "--timeout", "90s"];
        let told = lab.check_once(&[&[trace.as_str(), "--ctl", formula][..], &limits].concat())?;
        let asked = [name.to_owned(), engine.to_owned()];
        table.row(&[&asked[..], &cells(procs, &told)].concat());
        let what = format!("{name}, {engine}, peak under a limit of 300 M");
        *goals += &goal(&what, told.peak, LIMIT, " MB");
    }
    Ok(format!(
        "## A limit of memory\n\n{procs} processes that send to anybody, `--memory 300M`, measured once. *All odd at once* is \
         `EF (p0.x0 % 2 != 0 && ...)` over all processes, *next step* is `{next}`. Diagrams that would need more give up, \
         which is `unknown` and no verdict; `auto` decides the first by slices.\n\n{}",
        table.text
    ))
}

/// Processes whose messages make diagrams too large.
const MESSY: usize = 32;
/// 300 M are 314.6 MB, and the program is a little more than its diagrams.
const LIMIT: f64 = 330.0;
