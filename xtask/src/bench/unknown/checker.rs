//! One program under test: what it says of a property within the time limit, and what it had tried.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::TIMEOUT_SECONDS;

/// A process that is still there after this long is ended.
const PROCESS_TIMEOUT: Duration = Duration::from_mins(2);
/// A process that was given less of a processor than this part of the time limit did not have the time it was promised.
const FAIR_SHARE: f64 = 0.75;
/// How often a check is repeated on a busy machine, and the longest time limit then.
const MAX_REPETITIONS: usize = 2;
const MAX_REPEATED_SECONDS: f64 = 10.0;
/// How long the question about the recorded order alone may take, by each engine.
const RECORDED_TIMEOUT: &str = "20s";
/// The engines that a plan may name.
const ENGINES: [&str; 15] = [
    "observed",
    "rows",
    "slice",
    "ist",
    "masks",
    "monitor",
    "guided",
    "levels",
    "two-phase",
    "sleep",
    "persistent",
    "bes",
    "explicit",
    "first levels",
    "ist-paper",
];

/// A program under test, and a folder for what it reads and writes.
pub(super) struct Checker {
    pub(super) program: PathBuf,
    pub(super) folder: PathBuf,
}

/// What the program said.
#[derive(Clone, Default, Debug)]
pub(super) struct Answer {
    /// holds, violated, unknown, refused or failed.
    pub(super) verdict: String,
    /// The limit that was reached, or the first line of the error.
    pub(super) reason: String,
    pub(super) engine: String,
    /// Seconds of the whole process.
    pub(super) seconds: f64,
    /// Seconds that it had a processor, all threads together.
    pub(super) processor_seconds: f64,
    /// The time limit of a repetition on a busy machine.
    pub(super) repeated: Option<f64>,
}

impl Answer {
    /// Whether the time limit was reached because other processes took the processors.
    pub(super) fn is_starved(&self) -> bool {
        self.reason == "timeout" && self.processor_seconds < FAIR_SHARE * TIMEOUT_SECONDS
    }
}

/// How a process ended.
struct Ended {
    status: Option<i32>,
    /// Whether it had to be ended.
    killed: bool,
    processor_seconds: f64,
}

impl Checker {
    /// Generates a run and the properties of its protocol.
    pub(super) fn generate(&self, arguments: &str) -> Result<(PathBuf, String), String> {
        let (trace, props) = (self.folder.join("run.jsonl"), self.folder.join("own.props"));
        let mut command = Command::new(&self.program);
        command.arg("gen").args(arguments.split(' '));
        command.arg("-o").arg(&trace).arg("--props").arg(&props);
        if self.finish(command)?.status != Some(0) {
            return Err(format!("`causet gen {arguments}` failed"));
        }
        let own = fs::read_to_string(&props).map_err(|error| error.to_string())?;
        Ok((trace, own))
    }

    /// The verdict on a property file with one property.
    ///
    /// The time limit is one of the clock on the wall. If other processes took the processors and the limit was reached,
    /// the check is repeated with as much more time as it had less.
    pub(super) fn check(&self, trace: &Path, text: &str) -> Result<Answer, String> {
        let mut answer = self.ask(trace, text, &["--timeout", &limit(TIMEOUT_SECONDS)])?;
        for _ in 0..MAX_REPETITIONS {
            if !answer.is_starved() {
                break;
            }
            let share = answer.processor_seconds / answer.seconds;
            let longer = (TIMEOUT_SECONDS / share.max(0.01)).min(MAX_REPEATED_SECONDS);
            answer = self.ask(trace, text, &["--timeout", &limit(longer)])?;
            answer.repeated = Some(longer);
        }
        Ok(answer)
    }

    /// The verdict on a run with one order only, by the definition if it is fast enough.
    pub(super) fn check_single_order(&self, trace: &Path, text: &str) -> Result<Answer, String> {
        let limit = ["--timeout", RECORDED_TIMEOUT];
        let answer = self.ask(
            trace,
            text,
            &[&["--engine", "explicit"][..], &limit].concat(),
        )?;
        if answer.verdict == "holds" || answer.verdict == "violated" {
            return Ok(answer);
        }
        self.ask(trace, text, &limit)
    }

    /// The engines that an attempt with so many seconds tries, and its verdict.
    pub(super) fn explain(
        &self,
        trace: &Path,
        text: &str,
        seconds: f64,
    ) -> Result<(String, String), String> {
        let options = ["--timeout", &limit(seconds), "--explain"];
        let command = self.check_command(trace, text, &options)?;
        self.finish(command)?;
        let output = self.output("stdout");
        let verdict = output.split_whitespace().next().unwrap_or("-").to_owned();
        Ok((engines(&output), verdict))
    }

    fn ask(&self, trace: &Path, text: &str, options: &[&str]) -> Result<Answer, String> {
        let mut command = self.check_command(trace, text, options)?;
        command.arg("--json");
        let start = Instant::now();
        let ended = self.finish(command)?;
        let seconds = start.elapsed().as_secs_f64();
        let failure = |verdict: &str, reason: String| Answer {
            verdict: verdict.to_owned(),
            reason,
            seconds,
            processor_seconds: ended.processor_seconds,
            ..Answer::default()
        };
        if ended.killed {
            return Ok(failure("failed", "did not end".to_owned()));
        }
        let answer: Value = serde_json::from_str(&self.output("stdout")).unwrap_or_default();
        let message = || {
            let told = answer["error"]["message"].as_str();
            let errors = self.output("stderr");
            told.or(errors.lines().next()).unwrap_or("-").to_owned()
        };
        match ended.status {
            Some(0 | 1 | 3) => Ok(Answer {
                seconds,
                processor_seconds: ended.processor_seconds,
                ..answered(&answer["results"][0])
            }),
            Some(2) => Ok(failure("refused", message())),
            status => Ok(failure(
                "failed",
                format!("status {status:?}: {}", message()),
            )),
        }
    }

    fn check_command(&self, trace: &Path, text: &str, options: &[&str]) -> Result<Command, String> {
        let props = self.folder.join("asked.props");
        fs::write(&props, text).map_err(|error| error.to_string())?;
        let mut command = Command::new(&self.program);
        command.arg("check").arg(trace).arg("--props").arg(&props);
        command.args(options);
        Ok(command)
    }

    /// Runs a command to its end, or ends it.
    fn finish(&self, mut command: Command) -> Result<Ended, String> {
        let file = |name: &str| File::create(self.folder.join(name)).map_err(|e| e.to_string());
        command.stdout(file("stdout")?).stderr(file("stderr")?);
        command.stdin(Stdio::null());
        let program = self.program.display();
        let mut child = command
            .spawn()
            .map_err(|error| format!("`{program}` cannot be run: {error}"))?;
        let start = Instant::now();
        let mut processor_seconds = 0.0;
        loop {
            processor_seconds = processor_seconds_of(child.id()).unwrap_or(processor_seconds);
            let mut status = child.try_wait().map_err(|error| error.to_string())?;
            let killed = status.is_none() && start.elapsed() > PROCESS_TIMEOUT;
            if killed {
                let ended = child.kill().and_then(|()| child.wait());
                status = Some(ended.map_err(|error| error.to_string())?);
            }
            if let Some(status) = status {
                return Ok(Ended {
                    status: status.code(),
                    killed,
                    processor_seconds,
                });
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    fn output(&self, name: &str) -> String {
        fs::read(self.folder.join(name)).map_or_else(
            |_| String::new(),
            |bytes| String::from_utf8_lossy(&bytes).into_owned(),
        )
    }
}

/// A time limit as the command line takes it.
fn limit(seconds: f64) -> String {
    format!("{:.0}ms", seconds * 1e3)
}

/// How long a process has had a processor, as far as the system shows it; it counts in hundredths of a second.
fn processor_seconds_of(process: u32) -> Option<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program stands in parentheses; user and system time are the 12th and 13th words after it.
    let (_, fields) = text.rsplit_once(')')?;
    let mut ticks = fields.split_whitespace().skip(11);
    let mut next = || ticks.next()?.parse::<f64>().ok();
    Some((next()? + next()?) / 100.0)
}

fn answered(result: &Value) -> Answer {
    let word = |name: &str| result[name].as_str().unwrap_or_default().to_owned();
    Answer {
        verdict: word("verdict"),
        reason: word("reason"),
        engine: word("engine"),
        ..Answer::default()
    }
}

/// The engines that a plan names, in order, each once.
fn engines(plan: &str) -> String {
    let mut tried: Vec<&str> = Vec::new();
    for line in plan.lines() {
        let line = line.trim_start_matches([' ', '|', '+']);
        let name = line.split_once(':').map_or("", |(name, _)| name);
        if let Some(&engine) = ENGINES.iter().find(|&&engine| engine == name)
            && !tried.contains(&engine)
        {
            tried.push(engine);
        }
    }
    tried.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engines_of_a_plan_are_listed_once() {
        let plan = "unknown  q\n  plan  + AG x\n   |   what it sees: 2 chains\n   |   ist: no shape\n   |   ist: again\n   |   bes: more\n";
        assert_eq!(engines(plan), "ist, bes");
    }
}
