//! `cargo xtask bench NAME`: measures what the project promises, all in one run, and keeps the result with date and machine.
//!
//! Machines differ and are noisy, so the figures to look at are ratios of things measured minutes apart on one machine.
//! Most benches are tables, `bench/cases/NAME.toml`, which one runner measures; a few are programs of their own.
//!
//! ```text
//! bench/cases/NAME.toml --> cases --> runner --> lab (processes) --> report --> bench/DATE-NAME.md, pages
//!                                     expr (templates of commands and columns)
//! ```

mod cases;
mod expr;
mod guard;
mod lab;
mod measure;
mod online;
mod plot;
mod protocols;
pub(crate) mod report;
mod runner;
mod scope;
mod shown;
mod unknown;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds what is shipped, below `dist`.
pub(crate) const SHIPPED: [&str; 8] = [
    "build",
    "--profile",
    "dist",
    "--features",
    "full",
    "--locked",
    "--package",
    "causet-cli",
];

/// A bench that is a program of its own.
struct Program {
    name: &'static str,
    what: &'static str,
    run: fn(&Path, &[String]) -> Result<(), String>,
}

const PROGRAMS: [Program; 4] = [
    Program {
        name: "guard",
        what: "counts instructions of small cases against bench/guard.toml (--accept writes it)",
        run: guard::run,
    },
    Program {
        name: "online",
        what: "puts a server under load for ten minutes: rate, delay and memory (--quick)",
        run: online::run,
    },
    Program {
        name: "online-load",
        what: "sends the load of `bench online`, which starts it",
        run: online::load,
    },
    Program {
        name: "unknown",
        what: "counts unknown verdicts of two programs on a seeded sample (--before, --after)",
        run: unknown::run,
    },
];

/// Runs a bench by its name.
pub(crate) fn run(root: &Path, name: &str, options: &[String]) -> Result<(), String> {
    if let Some(program) = PROGRAMS.iter().find(|program| program.name == name) {
        return (program.run)(root, options);
    }
    let known = names(root)?;
    if !known.iter().any(|known| known == name) {
        return Err(format!("which bench? There are:\n{}", help(root)));
    }
    let (is_quick, only) = match options {
        [] => (false, None),
        [quick] if quick == "--quick" => (true, None),
        [key, words] if key == "--only" => (false, Some(&**words)),
        [quick, key, words] | [key, words, quick] if quick == "--quick" && key == "--only" => {
            (true, Some(&**words))
        }
        _ => return Err("a bench takes --quick and --only TEXT".to_owned()),
    };
    runner::run(root, name, is_quick, only)
}

/// The lines of `cargo xtask help` about benches.
pub(crate) fn help(root: &Path) -> String {
    let programs = PROGRAMS
        .iter()
        .map(|program| (program.name.to_owned(), program.what.to_owned()));
    let mut benches: Vec<(String, String)> = programs.collect();
    for name in names(root).unwrap_or_default() {
        let file = cases::CaseFile::read(&root.join(format!("bench/cases/{name}.toml")));
        benches.push((name, file.map_or_else(|error| error, |file| file.about)));
    }
    benches.sort();
    let mut text = String::new();
    for (name, what) in benches {
        let _ = writeln!(text, "  bench {name:12} {what}");
    }
    text
}

/// The names of the case files.
fn names(root: &Path) -> Result<Vec<String>, String> {
    let folder = root.join("bench/cases");
    let entries =
        fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let files = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    Ok(files
        .filter_map(|file| Some(file.strip_suffix(".toml")?.to_owned()))
        .collect())
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
    if !finished.status.success() {
        let words = String::from_utf8_lossy(&finished.stderr);
        return Err(format!(
            "`{program} {}` failed:\n{words}",
            arguments.join(" ")
        ));
    }
    Ok(String::from_utf8_lossy(&finished.stdout).into_owned())
}
