//! `cargo xtask bench protocols`: every protocol of `causet gen`, right and faulty, with its own properties.
//!
//! The README promises how long that takes. Its sentence is written here, from what was measured, and only if the
//! promise is kept: otherwise the bench fails, and the sentence stays as it was.

use std::path::Path;

use super::lab::{Lab, Run, Table, Told, grouped};

const EVENTS: usize = 1_000_000;
const PROCESSES: usize = 10;
/// What the README promises: no check takes so many seconds, reading included.
const MAX_SECONDS: f64 = 2.0;

const COLUMNS: &[&str] = &[
    "protocol",
    "processes",
    "verdict",
    "engine",
    "read s",
    "check s",
    "total s",
    "total / read",
    "peak MB",
];

/// Measures all protocols, writes the report and the sentence of the README.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let lab = Lab::open(root)?;
    let events = lab.sizes(&[10_000, EVENTS]).pop().unwrap_or(EVENTS);
    let protocols = protocols(&lab.tell(&["gen", "--list"])?);
    let mut table = Table::new(COLUMNS);
    let mut worst = Worst::default();
    for (model, procs) in &protocols {
        for faulty in [false, true] {
            let run = Run {
                model,
                procs: *procs,
                events,
                seed: 7,
                setting: None,
                faulty,
            };
            let trace = lab.record(&run)?;
            let properties = lab.given(&format!("crates/workload/props/{model}.props"));
            let told = lab.check(&[&trace, "--props", &properties])?;
            table.row(&cells(&run, &told));
            worst.take(&run, &told);
        }
    }
    let events = grouped(events);
    let about = format!("{events} events, seed 7, the median of {}.", lab.times());
    lab.save(
        "protocols",
        &format!("{}{about}\n\n{}", lab.header(), table.text),
    )?;
    lab.publish("protocols", &format!("{about}\n\n{}", table.text))?;
    worst.kept(lab.trial)?;
    lab.rewrite("README.md", "protocols", &worst.sentence(protocols.len()))
}

/// The names of the protocols in the list that `causet gen` prints, and how many processes each gets.
fn protocols(list: &str) -> Vec<(String, usize)> {
    let mut found: Vec<(String, usize)> = Vec::new();
    for line in list.lines() {
        if let Some(range) = line.trim().strip_prefix("processes") {
            let mut ends = range.split([' ', ',']).filter_map(|word| word.parse().ok());
            let least = ends.next().unwrap_or(PROCESSES);
            let most = if range.contains(" to ") {
                ends.next().unwrap_or(least)
            } else {
                least
            };
            if let Some((_, procs)) = found.last_mut() {
                *procs = PROCESSES.clamp(least, most);
            }
        } else if !line.is_empty() && !line.starts_with(' ') {
            found.push((line.trim().to_owned(), PROCESSES));
        }
    }
    found
}

fn cells(run: &Run<'_>, told: &Told) -> Vec<String> {
    vec![
        name(run),
        run.procs.to_string(),
        told.stopped()
            .map_or(told.verdict(), |limit| format!("unknown ({limit})")),
        told.engines(),
        format!("{:.3}", told.read()),
        format!("{:.3}", told.check()),
        format!("{:.3}", told.total()),
        format!("{:.2}", told.total() / told.read()),
        format!("{:.0}", told.peak),
    ]
}

fn name(run: &Run<'_>) -> String {
    let faulty = if run.faulty { ", faulty" } else { "" };
    format!("{}{faulty}", run.model)
}

/// The slowest of all.
#[derive(Default)]
struct Worst {
    seconds: f64,
    quotient: f64,
    slow: Vec<String>,
}

impl Worst {
    fn take(&mut self, run: &Run<'_>, told: &Told) {
        let quotient = told.total() / told.read();
        self.seconds = self.seconds.max(told.total());
        self.quotient = self.quotient.max(quotient);
        let is_kept = told.total() < MAX_SECONDS && told.stopped().is_none();
        if !is_kept {
            self.slow
                .push(format!("{} ({:.2} s)", name(run), told.total()));
        }
    }

    /// Whether what the README says is true; trials are too small to tell.
    fn kept(&self, is_trial: bool) -> Result<(), String> {
        if self.slow.is_empty() || is_trial {
            return Ok(());
        }
        Err(format!(
            "these take {MAX_SECONDS} seconds or more: {}",
            self.slow.join(", ")
        ))
    }

    fn sentence(&self, protocols: usize) -> String {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let tenths = |figure: f64| (figure * 10.0).ceil() / 10.0;
        format!(
            "Each of the {protocols} built-in protocols, right or faulty, recorded with a million events and mostly ten \
             processes,\nis decided in less than {MAX_SECONDS:.0} seconds on {cores} cores, reading included; the slowest takes {:.1} \
             seconds, and\nthe one that takes longest beside reading {:.1} times as long as reading alone.",
            tenths(self.seconds),
            tenths(self.quotient)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protocols_get_ten_processes_if_they_can() {
        let list = "random\n  Random writes.\n  processes  1 to 10000, usually 4\n  --set density=N  so many\n\n\
                    peterson\n  A lock.\n  faulty     It enters.\n  processes  2\n\nring\n  processes  12 to 20, usually 12\n";
        let expected = [("random", 10), ("peterson", 2), ("ring", 12)];
        let found = protocols(list);
        let found: Vec<_> = found
            .iter()
            .map(|(name, procs)| (&**name, *procs))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_broken_promise_fails() {
        let mut worst = Worst::default();
        assert_eq!(worst.kept(false), Ok(()));
        worst.slow.push("safra (29.00 s)".to_owned());
        assert!(worst.kept(false).is_err());
        assert_eq!(worst.kept(true), Ok(()));
    }
}
