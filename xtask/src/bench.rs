//! `cargo xtask bench`: measures what the project promises, all in one run, and keeps the result with date and machine.
//!
//! Machines differ and are noisy, so the figures to look at are ratios of things measured minutes apart on one machine:
//! reading beside a bare parse of the same lines, checking beside reading. Reports go to `bench/DATE-NAME.md`.

pub(crate) mod conformance;
pub(crate) mod engines;
pub(crate) mod flow;
pub(crate) mod formats;
pub(crate) mod growth;
mod lab;
pub(crate) mod lts;
pub(crate) mod monitors;
pub(crate) mod online;
pub(crate) mod papers;
pub(crate) mod peers;
mod plot;
pub(crate) mod protocols;
pub(crate) mod unknown;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use lab::{Lab, Table};

/// Measures everything and writes the report.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let lab = Lab::open(root)?;
    let mut report = lab.header();
    report += &reading(root)?;
    report += &every_cut(&lab)?;
    lab.save("reading", &report)
}

/// Builds what is shipped, below `dist`.
pub(crate) const SHIPPED: [&str; 8] = [
    "build",
    "--profile",
    "dist",
    "--features",
    "full",
    "--locked",
    "--package",
    "causet",
];

/// Reading a run, beside a bare typed parse of the same lines.
fn reading(root: &Path) -> Result<String, String> {
    let example = [
        "run",
        "--profile",
        "dist",
        "--locked",
        "--package",
        "causet-wire",
        "--example",
        "read_speed",
        "--",
    ];
    let beside = output(root, "cargo", &[&example[..], &["1000000"]].concat())?;
    let large = output(
        root,
        "cargo",
        &[&example[..], &["10000000", "--ours"]].concat(),
    )?;
    Ok(format!(
        "## Reading a run\n\nA million events, beside a bare typed parse:\n\n```text\n{beside}```\n\n\
         Ten million events, alone:\n\n```text\n{large}```\n\n"
    ))
}

/// The explicit engine on grids of independent processes: how many cuts a second, how many bytes a cut.
fn every_cut(lab: &Lab) -> Result<String, String> {
    let mut table = Table::new(&[
        "processes",
        "events",
        "cuts",
        "seconds",
        "million cuts/s",
        "bytes a cut",
    ]);
    for (processes, events) in [(2, 1000), (3, 100), (4, 32), (6, 10)] {
        let trace = lab.file("grid.jsonl");
        fs::write(&trace, grid(processes, events)).map_err(|error| error.to_string())?;
        let formula = "EF AG (p1.x >= 1 && p2.x >= 1)";
        let told = lab.check_once(&[&trace, "--engine", "explicit", "--ctl", formula])?;
        let cuts = told.figure("cuts");
        table.row(&[
            processes.to_string(),
            (processes * events).to_string(),
            cuts.to_string(),
            format!("{:.3}", told.check()),
            format!("{:.2}", cuts / told.check() / 1e6),
            format!("{:.0}", told.peak * 1e6 / cuts),
        ]);
    }
    Ok(format!(
        "## Visiting every cut\n\n`EF AG` over independent processes, the explicit engine:\n\n{}",
        table.text
    ))
}

fn grid(processes: usize, events: usize) -> String {
    let mut lines = String::new();
    for event in 1..=events {
        for process in 1..=processes {
            let _ = writeln!(lines, "{{\"p\":\"p{process}\",\"set\":{{\"x\":{event}}}}}");
        }
    }
    lines
}

pub(crate) fn date(root: &Path) -> Result<String, String> {
    Ok(output(root, "date", &["+%Y-%m-%d"])?.trim().to_owned())
}

pub(crate) fn machine(root: &Path) -> Result<String, String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let about = |path: &str, key: &str| {
        let text = fs::read_to_string(path).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with(key));
        line.and_then(|line| line.split(':').nth(1))
            .unwrap_or("unknown")
            .trim()
            .to_owned()
    };
    let processor = about("/proc/cpuinfo", "model name");
    let memory = about("/proc/meminfo", "MemTotal");
    let compiler = output(root, "rustc", &["--version"])?;
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or("unknown");
    Ok(format!(
        "{cores} cores ({processor}), {memory} of memory, {}, load {load} before the run.\n",
        compiler.trim()
    ))
}

/// Where cargo puts what it builds.
pub(crate) fn target(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

/// What a command prints; its failure is ours.
pub(crate) fn output(root: &Path, program: &str, arguments: &[&str]) -> Result<String, String> {
    let finished = Command::new(program)
        .args(arguments)
        .current_dir(root)
        .output()
        .map_err(|error| format!("`{program}` cannot be run: {error}"))?;
    // A verdict other than `holds` is a result, too.
    let verdict = matches!(finished.status.code(), Some(1 | 3))
        && matches!(
            arguments,
            ["check", ..] | ["lts", "check", ..] | ["cluster", "run", ..]
        );
    if !(finished.status.success() || verdict) {
        let words = String::from_utf8_lossy(&finished.stderr);
        return Err(format!(
            "`{program} {}` failed:\n{words}",
            arguments.join(" ")
        ));
    }
    Ok(String::from_utf8_lossy(&finished.stdout).into_owned())
}
