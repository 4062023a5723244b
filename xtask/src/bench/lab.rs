//! What is measured and how: the programs, their folder, and the figures of one process.
//!
//! Everything is measured from outside, as a user would: the time of a process is that from its start to the last byte.
//! The times of reading and checking are those that the program reports with `--json`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::expr::Value;
use super::report::{Site, grouped};
use super::{SHIPPED, output, target};

/// A place to measure in.
pub(crate) struct Lab {
    pub(crate) site: Site,
    /// Where the files of the bench are.
    pub(super) folder: PathBuf,
    causet: PathBuf,
    /// Whether only small cases are measured, once each.
    pub(super) is_quick: bool,
}

impl Lab {
    /// Builds what is measured. The report of a part goes to the folder of the build.
    pub(crate) fn open(root: &Path, is_quick: bool, is_part: bool) -> Result<Self, String> {
        output(root, "cargo", &SHIPPED)?;
        Lab::of_program(root, target(root).join("dist/causet"), is_quick, is_part)
    }

    /// Measures a program that is built already.
    pub(super) fn of_program(
        root: &Path,
        causet: PathBuf,
        is_quick: bool,
        is_part: bool,
    ) -> Result<Self, String> {
        let folder = target(root).join(format!("bench/{}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let aside = (is_quick || is_part).then(|| target(root).join("bench-part"));
        Ok(Lab {
            site: Site::new(root, aside)?,
            folder,
            causet,
            is_quick,
        })
    }

    /// Builds the checkers that are libraries, apart from our own.
    pub(super) fn build_peers(&self) -> Result<(), String> {
        let place = self.peers().display().to_string();
        let arguments = ["build", "--release", "--locked", "--target-dir", &place];
        output(&self.site.root.join("bench/peers"), "cargo", &arguments).map(|_| ())
    }

    fn peers(&self) -> PathBuf {
        target(&self.site.root).join("peers")
    }

    /// A file of the bench.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(super) fn program(&self) -> &Path {
        &self.causet
    }

    /// The program under test, to be started.
    pub(super) fn command(&self) -> Command {
        Command::new(&self.causet)
    }

    /// Runs a command in the folder of the bench.
    pub(super) fn execute(
        &self,
        words: &[String],
        any_status: bool,
    ) -> Result<Measurement, String> {
        let (program, arguments) = words.split_first().ok_or("a command is empty")?;
        let mut command = match program.as_str() {
            "causet" => self.command(),
            "peers" => Command::new(self.peers().join("release/peers")),
            "pan" => Command::new(self.file("pan")),
            other => Command::new(other),
        };
        command.args(arguments).current_dir(&self.folder);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        // The others report their memory themselves, so that nothing disturbs them.
        let is_watched = arguments.iter().any(|word| word == "--quiet");
        let (finished, wall, peak) = timed(&mut command, is_watched)
            .map_err(|error| format!("`{program}` cannot be run: {error}"))?;
        // A verdict other than `holds` is a result, too.
        let is_verdict = program == "causet" && matches!(finished.status.code(), Some(1 | 3));
        if !(finished.status.success() || is_verdict || any_status) {
            let failure = String::from_utf8_lossy(&finished.stderr);
            return Err(format!("`{}` failed:\n{failure}", words.join(" ")));
        }
        let text = String::from_utf8_lossy(&finished.stdout).into_owned();
        let answer = serde_json::from_str(&text).unwrap_or_default();
        Ok(Measurement {
            wall,
            peak,
            answer,
            text,
            verdict: None,
        })
    }
}

impl Drop for Lab {
    /// Removes the runs, which are large; the seeds make them again.
    fn drop(&mut self) {
        // What cannot be removed is in a folder of the build, where it does no harm.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// What one process took, and what it printed.
pub(super) struct Measurement {
    /// Seconds from its start to its end.
    pub(super) wall: f64,
    /// Megabytes at most, if it was watched.
    peak: f64,
    answer: Json,
    pub(super) text: String,
    /// The verdict of several seeds, or of a command that was refused.
    pub(super) verdict: Option<String>,
}

impl Measurement {
    /// What stands for a command that was refused.
    pub(super) fn refused(words: &str) -> Measurement {
        let last = words.trim_end().lines().last().unwrap_or_default();
        Measurement {
            wall: f64::NAN,
            peak: f64::NAN,
            answer: Json::Null,
            text: String::new(),
            verdict: Some(format!("refused: {}", last.trim())),
        }
    }

    /// A figure by its name; a name that is none of ours is a path into the answer.
    pub(super) fn metric(&self, name: &str) -> Value {
        let first = &self.answer["results"][0];
        let number = |value: &Json| Value::Number(value.as_f64().unwrap_or(f64::NAN));
        let seconds = &self.answer["seconds"];
        match name {
            "wall" => Value::Number(self.wall),
            "peak" if self.peak.is_nan() => {
                Value::Number(number(&self.answer["peak_bytes"]).number() / 1e6)
            }
            "peak" => Value::Number(self.peak),
            "read" => number(&seconds["read"]),
            "total" => number(&seconds["total"]),
            "check" if seconds["check"].is_number() => number(&seconds["check"]),
            "check" => Value::Number(
                number(&seconds["total"]).number() - number(&seconds["read"]).number(),
            ),
            "events" => number(&self.answer["trace"]["events"]),
            "verdict" => Value::Text(self.verdict()),
            "stopped" => Value::Text(self.stopped().unwrap_or("-").to_owned()),
            // The verdict, with the limit that stopped it.
            "outcome" => Value::Text(
                self.stopped()
                    .map_or_else(|| self.verdict(), |limit| format!("unknown ({limit})")),
            ),
            "engines" => Value::Text(self.engines()),
            "engine" => number(&first["seconds"]),
            "recheck" => number(&first["certify_seconds"]),
            "version" => Value::Text(self.text.lines().next().unwrap_or_default().to_owned()),
            "stored" => Value::Number(self.stored()),
            _ => match name.split_once('.') {
                Some(("search", search)) => Value::Text(visited(&self.text, search)),
                Some(("workers", figure)) => Value::Number(self.workers(figure).iter().sum()),
                Some(("worker", figure)) => {
                    Value::Number(self.workers(figure).first().copied().unwrap_or(0.0))
                }
                Some(("stats", figure)) => number(&first["stats"][figure]),
                _ => match self.answer.pointer(&format!("/{}", name.replace('.', "/"))) {
                    Some(Json::String(text)) => Value::Text(text.clone()),
                    Some(Json::Array(items)) => Value::Number(items.len() as f64),
                    other => number(other.unwrap_or(&Json::Null)),
                },
            },
        }
    }

    /// The one verdict, or how many are not `holds`.
    pub(super) fn verdict(&self) -> String {
        if let Some(verdict) = &self.verdict {
            return verdict.clone();
        }
        if let Some(verdict) = self.answer["verdict"].as_str() {
            return verdict.to_owned();
        }
        if self.text.contains("errors: ") {
            let holds = self.text.contains("errors: 0");
            return if holds { "holds" } else { "violated" }.to_owned();
        }
        let words = self.words("verdict");
        let count = |word: &str| words.iter().filter(|&&other| other == word).count();
        let mut order = ["violated", "unknown", "holds"].into_iter();
        match order.find(|word| count(word) > 0) {
            None => self
                .text
                .split(' ')
                .next()
                .filter(|word| !word.is_empty())
                .unwrap_or("-")
                .to_owned(),
            Some(worst) if count(worst) == words.len() => worst.to_owned(),
            Some(worst) => format!("{} of {} {worst}", count(worst), words.len()),
        }
    }

    /// The engines that took part.
    fn engines(&self) -> String {
        let mut words = self.words("engine");
        words.retain(|&word| word != "-");
        words.sort_unstable();
        words.dedup();
        if words.is_empty() {
            "-".to_owned()
        } else {
            words.join("+")
        }
    }

    /// What stopped it: a limit, or that it was refused.
    pub(super) fn stopped(&self) -> Option<&'static str> {
        if self
            .verdict
            .as_ref()
            .is_some_and(|verdict| verdict.starts_with("refused"))
        {
            return Some("refused");
        }
        let reasons = self.words("reason");
        let stops = [("memory", "memory"), ("timeout", "T/O")];
        let stop = stops.iter().find(|(reason, _)| reasons.contains(reason));
        stop.map(|&(_, word)| word)
    }

    /// How many states Spin says that it stored.
    fn stored(&self) -> f64 {
        let line = self
            .text
            .lines()
            .find(|line| line.ends_with("states, stored"));
        let word = line.and_then(|line| line.split_whitespace().next());
        word.and_then(|word| word.parse().ok()).unwrap_or(f64::NAN)
    }

    /// What each worker of the first property counted.
    fn workers(&self, figure: &str) -> Vec<f64> {
        let workers = self.answer["results"][0]["workers"].as_array();
        let workers = workers.into_iter().flatten();
        workers
            .filter_map(|worker| worker[figure].as_f64())
            .collect()
    }

    fn words(&self, field: &str) -> Vec<&str> {
        let results = self.answer["results"].as_array().into_iter().flatten();
        results
            .map(|result| result[field].as_str().unwrap_or("-"))
            .collect()
    }
}

/// What one search visited, from what `--stats` prints.
fn visited(text: &str, search: &str) -> String {
    let lines = text.lines().map(str::trim_start);
    let mut lines = lines.map(|line| line.strip_prefix("searches").unwrap_or(line).trim_start());
    let line = lines.find_map(|line| line.strip_prefix(search)?.strip_prefix(' '));
    let Some(line) = line.map(str::trim) else {
        return "-".to_owned();
    };
    let numbers = line.split(' ').filter_map(|word| word.parse().ok());
    let numbers: Vec<String> = numbers.map(grouped).collect();
    if numbers.is_empty() {
        line.to_owned()
    } else {
        numbers.join(" / ")
    }
}

/// Runs a command; what it printed, its seconds, and its megabytes if it is watched.
fn timed(command: &mut Command, is_watched: bool) -> io::Result<(Output, f64, f64)> {
    let start = Instant::now();
    if !is_watched {
        let finished = command.output()?;
        return Ok((finished, start.elapsed().as_secs_f64(), f64::NAN));
    }
    let child = command.spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let peak = scope.spawn(|| highest(&status, &ended));
        let finished = child.wait_with_output();
        let wall = start.elapsed().as_secs_f64();
        ended.store(true, Ordering::Relaxed);
        Ok((finished?, wall, peak.join().unwrap_or(f64::NAN)))
    })
}

/// The last high-water mark that was seen of a process, in megabytes.
fn highest(status: &str, ended: &AtomicBool) -> f64 {
    let mut peak = f64::NAN;
    while !ended.load(Ordering::Relaxed) {
        let text = fs::read_to_string(status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<f64>().ok());
        peak = kilobytes.map_or(peak, |kilobytes| kilobytes * 1024.0 / 1e6);
        thread::sleep(Duration::from_millis(2));
    }
    peak
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_search_are_found_by_its_name() {
        let text = "holds  a\n  searches  full       1335 states, 3842 transitions\n            sleep      gave up (timeout)\n";
        assert_eq!(visited(text, "full"), "1,335 / 3,842");
        assert_eq!(visited(text, "sleep"), "gave up (timeout)");
        assert_eq!(visited(text, "guided"), "-");
    }

    #[test]
    fn verdicts_are_found_in_every_output() {
        let of = |text: &str| Measurement {
            wall: 1.0,
            peak: f64::NAN,
            answer: serde_json::from_str(text).unwrap_or_default(),
            text: text.to_owned(),
            verdict: None,
        };
        let two =
            r#"{"results":[{"verdict":"holds"},{"verdict":"violated","workers":[{"rounds":2}]}]}"#;
        assert_eq!(of(two).verdict(), "1 of 2 violated");
        let pan = "errors: 0\n    25952 states, stored\n";
        assert_eq!(of(pan).verdict(), "holds");
        assert_eq!(of(pan).metric("stored"), Value::Number(25952.0));
        let slow = r#"{"results":[{"verdict":"unknown","reason":"timeout"}],"graph":{"states":3}}"#;
        assert_eq!(
            of(slow).metric("outcome"),
            Value::Text("unknown (T/O)".to_owned())
        );
        assert_eq!(of(slow).metric("graph.states"), Value::Number(3.0));
    }
}
