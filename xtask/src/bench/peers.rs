//! `cargo xtask bench peers`: the same traces and properties through Spin, side by side.
//!
//! Spin gets what `causet convert --to promela` writes: a model whose runs are the orders of the recorded run. Its time
//! is that of generating, compiling and running the verifier; ours is that of the whole process.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::Value;

use super::{header, output, program, save};

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
    let mut report = header(root)?;
    report += &format!(
        "{}, side by side on the same traces (seed 1).\n\n\
         | workload | processes | events | property | causet | s | spin | generate + compile s | verify s |\n\
         |---|---|---|---|---|---|---|---|---|\n",
        spin.lines().next().unwrap_or("Spin")
    );
    for &(workload, procs, events, formula) in CASES {
        let line = compare(root, workload, procs, events, formula)?;
        eprint!("{line}");
        report += &line;
    }
    save(root, "peers", &report)
}

fn compare(
    root: &Path,
    workload: &str,
    procs: usize,
    events: usize,
    formula: &str,
) -> Result<String, String> {
    let folder = root.join("target").join("peers");
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let path = |name: &str| folder.join(name).display().to_string();
    let (trace, model) = (path("run.jsonl"), path("model.pml"));
    let causet = program(root);
    let (procs, events) = (procs.to_string(), events.to_string());
    let options = [
        "gen", workload, "--procs", &procs, "--events", &events, "--seed", "1", "-o", &trace,
    ];
    output(root, &causet, &options)?;
    output(
        root,
        &causet,
        &[
            "convert", &trace, "--to", "promela", "--ctl", formula, "-o", &model,
        ],
    )?;
    let (ours, seconds) = timed(|| {
        output(
            root,
            &causet,
            &["check", &trace, "--ctl", formula, "--json"],
        )
    })?;
    let ours: Value = serde_json::from_str(&ours).map_err(|error| error.to_string())?;
    let (_, made) = timed(|| {
        output(&folder, "spin", &["-a", "model.pml"])?;
        output(
            &folder,
            "cc",
            &["-O2", "-w", "-DSAFETY", "-o", "pan", "pan.c"],
        )
    })?;
    let (said, verified) = timed(|| verify(&folder))?;
    let theirs = if said.contains("errors: 0") {
        "holds"
    } else {
        "violated"
    };
    let verdict = ours["results"][0]["verdict"].as_str().unwrap_or("-");
    if verdict != theirs {
        return Err(format!(
            "{workload} {procs} x {events}: causet says {verdict}, Spin {theirs}"
        ));
    }
    Ok(format!(
        "| {workload} | {procs} | {events} | `{formula}` | {verdict} | {seconds:.4} | {theirs} | {made:.2} | {verified:.4} |\n"
    ))
}

/// Runs the verifier, which ends with a status of its own.
fn verify(folder: &Path) -> Result<String, String> {
    let finished = Command::new(folder.join("pan"))
        .args(["-m1000000", "-w24"])
        .current_dir(folder)
        .output()
        .map_err(|error| format!("the verifier cannot be run: {error}"))?;
    Ok(String::from_utf8_lossy(&finished.stdout).into_owned())
}

fn timed<T>(work: impl FnOnce() -> Result<T, String>) -> Result<(T, f64), String> {
    let start = Instant::now();
    let result = work()?;
    Ok((result, start.elapsed().as_secs_f64()))
}
