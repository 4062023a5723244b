//! `cargo xtask bench peers`: the same traces and properties through Spin, side by side.
//!
//! Spin gets what `causet convert --to promela` writes: a model whose runs are the orders of the recorded run. Its time
//! is that of generating, compiling and running the verifier; ours is that of the whole process.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use super::lab::{Lab, Run, Table};
use super::output;

/// A workload of a size, and the property to decide.
const CASES: &[(&str, usize, usize, &str)] = &[
    ("peterson", 2, 200, "AG ncrit < 2"),
    ("peterson", 2, 1000, "AG ncrit < 2"),
    ("filter", 5, 200, "AG ncrit < 2"),
    ("abp", 2, 200, "AG (receiver.delivered <= sender.sent)"),
    ("abp", 2, 1000, "AG (receiver.delivered <= sender.sent)"),
    (
        "philosophers",
        3,
        100,
        "AG !(p0.state = \"eat\" && p1.state = \"eat\")",
    ),
    (
        "philosophers",
        5,
        100,
        "AG !(p0.state = \"eat\" && p1.state = \"eat\")",
    ),
    (
        "ddph",
        5,
        100,
        "AG !(p0.state = \"eat\" && p1.state = \"eat\")",
    ),
    ("token-ring", 4, 100, "AG steps(p1) >= 0"),
];

/// Runs every case through both.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let spin = output(root, "spin", &["-V"])
        .map_err(|_| "SKIPPED: spin is not installed (Debian: apt-get install spin)".to_owned())?;
    let lab = Lab::open(root)?;
    let mut table = Table::new(&[
        "workload",
        "processes",
        "events",
        "property",
        "causet",
        "s",
        "spin",
        "generate + compile s",
        "verify s",
    ]);
    for &(model, procs, events, formula) in CASES {
        let run = Run {
            model,
            procs,
            events,
            seed: 1,
            setting: None,
            faulty: false,
        };
        table.row(&compare(&lab, &run, formula)?);
    }
    let report = format!(
        "{}{}, side by side on the same traces (seed 1).\n\n{}",
        lab.header(),
        spin.lines().next().unwrap_or("Spin"),
        table.text
    );
    lab.save("peers", &report)
}

/// One run, one property, both verdicts, which must be equal.
fn compare(lab: &Lab, run: &Run<'_>, formula: &str) -> Result<Vec<String>, String> {
    let (trace, model) = (lab.record(run)?, lab.file("model.pml"));
    lab.tell(&[
        "convert", &trace, "--to", "promela", "--ctl", formula, "-o", &model,
    ])?;
    let ours = lab.check_once(&[&trace, "--ctl", formula])?;
    let folder = Path::new(&model).parent().unwrap_or(Path::new("."));
    let (_, made) = timed(|| {
        output(folder, "spin", &["-a", "model.pml"])?;
        output(
            folder,
            "cc",
            &["-O2", "-w", "-DSAFETY", "-o", "pan", "pan.c"],
        )
    })?;
    let (said, verified) = timed(|| verify(folder))?;
    let theirs = match said.contains("errors: 0") {
        true => "holds",
        false => "violated",
    };
    let verdict = ours.verdict();
    let (name, procs, events) = (run.model, run.procs, run.events);
    if verdict != theirs {
        return Err(format!(
            "{name} {procs} x {events}: causet says {verdict}, Spin {theirs}"
        ));
    }
    Ok(vec![
        name.to_owned(),
        procs.to_string(),
        events.to_string(),
        format!("`{formula}`"),
        verdict,
        format!("{:.4}", ours.wall),
        theirs.to_owned(),
        format!("{made:.2}"),
        format!("{verified:.4}"),
    ])
}

/// Runs the verifier, which ends with a status of its own.
pub(super) fn verify(folder: &Path) -> Result<String, String> {
    let finished = Command::new(folder.join("pan"))
        .args(["-m1000000", "-w24"])
        .current_dir(folder)
        .output()
        .map_err(|error| format!("the verifier cannot be run: {error}"))?;
    Ok(String::from_utf8_lossy(&finished.stdout).into_owned())
}

/// Does something and tells how many seconds it took.
pub(super) fn timed<T>(work: impl FnOnce() -> Result<T, String>) -> Result<(T, f64), String> {
    let start = Instant::now();
    let result = work()?;
    Ok((result, start.elapsed().as_secs_f64()))
}
