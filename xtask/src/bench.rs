//! `cargo xtask bench`: measures what the project promises, all in one run, and keeps the result with date and machine.
//!
//! Machines differ and are noisy, so the figures to look at are ratios of things measured minutes apart on one machine:
//! reading beside a bare parse of the same lines, checking beside reading. Reports go to `bench/DATE-NAME.md`.

pub(crate) mod papers;
pub(crate) mod peers;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Measures everything and writes the report.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let mut report = header(root)?;
    report += &reading(root)?;
    report += &every_cut(root)?;
    save(root, "reading", &report)
}

/// Builds what is measured; the first lines of every report say when and where.
fn header(root: &Path) -> Result<String, String> {
    output(
        root,
        "cargo",
        &["build", "--release", "--locked", "--package", "causet"],
    )?;
    Ok(format!(
        "# Measured on {}\n\n{}\n",
        date(root)?,
        machine(root)?
    ))
}

/// Prints a report and keeps it as `bench/DATE-NAME.md`.
fn save(root: &Path, name: &str, report: &str) -> Result<(), String> {
    let folder = root.join("bench");
    let path = folder.join(format!("{}-{name}.md", date(root)?));
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&path, report))
        .map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    print!("{report}");
    Ok(())
}

/// The program under test.
fn program(root: &Path) -> String {
    root.join("target/release/causet").display().to_string()
}

/// Reading a run, beside a bare typed parse of the same lines.
fn reading(root: &Path) -> Result<String, String> {
    let example = [
        "run",
        "--release",
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
fn every_cut(root: &Path) -> Result<String, String> {
    let mut table = String::from(
        "## Visiting every cut\n\n`AG` and `EF AG` over independent processes, the explicit engine:\n\n\
         | processes | events | cuts | seconds | million cuts/s | bytes a cut |\n|---|---|---|---|---|---|\n",
    );
    for (processes, events) in [(2, 1000), (3, 100), (4, 32), (6, 10)] {
        let trace = root
            .join("target")
            .join(format!("bench-grid-{processes}-{events}.jsonl"));
        fs::write(&trace, grid(processes, events)).map_err(|error| error.to_string())?;
        let row = check_grid(root, &trace)?;
        let cuts = row["stats"]["cuts"].as_f64().unwrap_or(f64::NAN);
        let seconds = row["seconds"].as_f64().unwrap_or(f64::NAN);
        let bytes = row["peak"].as_f64().unwrap_or(f64::NAN);
        let _ = writeln!(
            table,
            "| {processes} | {} | {cuts} | {seconds:.3} | {:.2} | {:.0} |",
            processes * events,
            cuts / seconds / 1e6,
            bytes / cuts
        );
    }
    Ok(table)
}

/// Checks two properties of a grid; the row of results that is the slower one, with the peak of memory.
fn check_grid(root: &Path, trace: &Path) -> Result<Value, String> {
    let trace = trace.display().to_string();
    let formula = "EF AG (p1.x >= 1 && p2.x >= 1)";
    let arguments = [
        "check", &trace, "--engine", "explicit", "--ctl", formula, "--json",
    ];
    let text = output(root, &program(root), &arguments)?;
    let object: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let mut row = object["results"][0].clone();
    row["peak"] = object["peak_bytes"].clone();
    Ok(row)
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

fn date(root: &Path) -> Result<String, String> {
    Ok(output(root, "date", &["+%Y-%m-%d"])?.trim().to_owned())
}

fn machine(root: &Path) -> Result<String, String> {
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

/// What a command prints; its failure is ours.
fn output(root: &Path, program: &str, arguments: &[&str]) -> Result<String, String> {
    let finished = Command::new(program)
        .args(arguments)
        .current_dir(root)
        .output()
        .map_err(|error| format!("`{program}` cannot be run: {error}"))?;
    // A verdict other than `holds` is a result, too.
    let verdict =
        matches!(finished.status.code(), Some(1 | 3)) && arguments.first() == Some(&"check");
    if !(finished.status.success() || verdict) {
        let words = String::from_utf8_lossy(&finished.stderr);
        return Err(format!(
            "`{program} {}` failed:\n{words}",
            arguments.join(" ")
        ));
    }
    Ok(String::from_utf8_lossy(&finished.stdout).into_owned())
}
