//! `cargo xtask bench guard [--accept]`: instructions of small cases, against the ceilings in `bench/guard.toml`.
//!
//! Seconds of a shared machine hide a loss of a few percent; instructions do not. Each case runs twice under callgrind
//! with one worker and a fixed seed. `--accept` writes what was counted as the new ceilings. The release build is
//! counted, which takes half the time of the shipped one to build.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use super::lab::Lab;
use super::report::{Goals, ReportTable, grouped};
use super::scope::plain_words;
use super::{output, target};

/// How far above its ceiling a case may be.
const TOLERANCE: f64 = 1.03;
const FILE: &str = "bench/guard.toml";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Guard {
    case: Vec<GuardCase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GuardCase {
    name: String,
    /// Commands of the program that are not counted.
    prepare: Vec<String>,
    command: String,
    /// Instructions.
    ceiling: f64,
}

/// Counts every case, and fails if one is above its ceiling.
pub(super) fn run(root: &Path, options: &[String]) -> Result<(), String> {
    let is_accepted = match options {
        [] => false,
        [accept] if accept == "--accept" => true,
        _ => return Err("`bench guard` takes --accept".to_owned()),
    };
    if !has_valgrind() {
        eprintln!(
            "SKIPPED, nothing was counted: valgrind is not installed (Debian: apt-get install valgrind)"
        );
        return Ok(());
    }
    let path = root.join(FILE);
    let text = fs::read_to_string(&path).map_err(|error| format!("{FILE}: {error}"))?;
    let guard: Guard = toml::from_str(&text).map_err(|error| format!("{FILE}: {error}"))?;
    output(
        root,
        "cargo",
        &["build", "--release", "--locked", "--package", "causet-cli"],
    )?;
    let lab = Lab::of_program(root, target(root).join("release/causet"), false, true)?;
    let mut goals = Goals::default();
    let mut table = ReportTable::new(&[
        "case",
        "instructions",
        "spread",
        "ceiling",
        "instructions / ceiling",
    ]);
    let mut counted = Vec::new();
    for case in &guard.case {
        let (least, most) = case.count(&lab)?;
        counted.push(least);
        table.row(&[
            case.name.clone(),
            grouped(least as usize),
            format!("{:.3} %", 100.0 * (most - least) / least),
            grouped(case.ceiling as usize),
            format!("{:.3}", least / case.ceiling),
        ]);
        let worse = format!(
            "{}: {:+.2} % instructions, goal 3 %",
            case.name,
            100.0 * (least / case.ceiling - 1.0)
        );
        goals.add(&worse, least <= case.ceiling * TOLERANCE);
    }
    lab.site.save("guard", &table.text, &goals)?;
    if is_accepted {
        return fs::write(&path, with_ceilings(&text, &counted))
            .map_err(|error| format!("{FILE}: {error}"));
    }
    goals.verdict()
}

/// Whether there is valgrind; it is installed where `CI` says that the machine is for tests.
fn has_valgrind() -> bool {
    let is_there = || Command::new("valgrind").arg("--version").output().is_ok();
    if !is_there() && std::env::var("CI").is_ok_and(|ci| ci == "true") {
        let install = "apt-get update && apt-get install -y valgrind";
        let _ = Command::new("sh").args(["-c", install]).status();
    }
    is_there()
}

impl GuardCase {
    /// The instructions of two runs, the lesser first.
    fn count(&self, lab: &Lab) -> Result<(f64, f64), String> {
        for command in &self.prepare {
            lab.execute(&plain_words(command)?, false)?;
        }
        let (one, other) = (self.count_once(lab)?, self.count_once(lab)?);
        Ok((one.min(other), one.max(other)))
    }

    fn count_once(&self, lab: &Lab) -> Result<f64, String> {
        let words = plain_words(&self.command)?;
        let finished = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg(lab.program())
            .args(&words[1..])
            .current_dir(&lab.folder)
            .env_remove("RUST_LOG")
            .output()
            .map_err(|error| format!("valgrind cannot be run: {error}"))?;
        let said = String::from_utf8_lossy(&finished.stderr);
        if !matches!(finished.status.code(), Some(0 | 1 | 3)) {
            return Err(format!("{}: `{}` failed:\n{said}", self.name, self.command));
        }
        collected(&said).ok_or_else(|| format!("{}: callgrind counted nothing:\n{said}", self.name))
    }
}

/// The total that callgrind prints at the end.
fn collected(said: &str) -> Option<f64> {
    let (_, total) = said.rsplit_once("Collected :")?;
    total.split_whitespace().next()?.parse().ok()
}

/// The file with new ceilings, in the order of the cases.
fn with_ceilings(text: &str, counted: &[f64]) -> String {
    let mut counted = counted.iter();
    let line = |line: &str| match line.starts_with("ceiling = ") {
        true => format!(
            "ceiling = {}\n",
            counted.next().copied().unwrap_or_default()
        ),
        false => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_found() {
        let said = "==7== Events    : Ir\n==7== Collected : 12345\n==7==\n";
        assert_eq!(collected(said), Some(12345.0));
        assert_eq!(collected("error"), None);
    }

    #[test]
    fn only_ceilings_are_replaced() {
        let text = "[[case]]\nname = \"a\"\nceiling = 1\n[[case]]\nceiling = 2\n";
        let expected = "[[case]]\nname = \"a\"\nceiling = 10\n[[case]]\nceiling = 20\n";
        assert_eq!(with_ceilings(text, &[10.0, 20.0]), expected);
    }

    #[test]
    fn the_file_of_the_repository_has_ten_cases() {
        let text = fs::read_to_string(crate::root().join(FILE)).unwrap();
        assert_eq!(toml::from_str::<Guard>(&text).unwrap().case.len(), 10);
    }
}
