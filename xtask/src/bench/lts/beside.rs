//! The other checkers: two libraries that `bench/peers` makes a program of, and Spin, if it is there.

use std::fs;
use std::path::Path;
use std::time::Instant;

use serde_json::Value;

use super::systems::{Question, System, bitalt};
use super::{ask, expect};
use crate::bench::lab::{Lab, Table, grouped};
use crate::bench::peers::{timed, verify};
use crate::bench::{output, target};

pub(super) const ABOUT_STATERIGHT: &str = "stateright 0.31 as a library, on states that are numbers, with a reader of \
     its own that skips the labels. Its depth-first search keeps a path for every open state, gigabytes at 10^6 states, \
     and is asked about small systems only.\n";
pub(super) const ABOUT_MERC: &str = "merc 2.0 as libraries: its reader, its translation to a parity game, its Zielonka \
     solver. Up to 10^6 states, the response up to 10^5; it has no pattern for the labels of the protocol's response.\n";

/// The depth-first search of stateright is not asked about more states, merc not about the response of more.
const DEEP: u64 = 110_000;
/// merc is not asked about more states.
const GAMES: u64 = 1_100_000;

/// The protocol as Spin reads it, but for the line of puts.
const MODEL: &str = "bench/peers/bitalt.pml";

/// The program of the libraries.
pub(super) struct Peers {
    program: String,
}

/// What one of them told.
pub(super) struct Theirs {
    pub(super) verdict: String,
    pub(super) read: f64,
    pub(super) check: f64,
    pub(super) wall: f64,
    /// Megabytes at most.
    pub(super) peak: f64,
}

impl Theirs {
    /// Seconds for reading and for checking, those of the whole process, megabytes.
    pub(super) fn figures(&self) -> [f64; 4] {
        [self.read, self.check, self.wall, self.peak]
    }
}

impl Peers {
    /// Builds the program, apart from our own.
    pub(super) fn build(root: &Path) -> Result<Self, String> {
        let folder = target(root).join("peers");
        let place = folder.display().to_string();
        let arguments = ["build", "--release", "--locked", "--target-dir", &place];
        output(&root.join("bench/peers"), "cargo", &arguments)?;
        Ok(Peers {
            program: folder.join("release/peers").display().to_string(),
        })
    }

    /// Lets stateright look for a deadlock.
    pub(super) fn stateright(
        &self,
        system: &System,
        search: &str,
        threads: usize,
        times: usize,
    ) -> Result<Theirs, String> {
        let threads = threads.to_string();
        self.median(times, &["stateright", &system.path, search, &threads])
    }

    /// Lets merc decide a formula, once.
    pub(super) fn merc(&self, system: &System, formula: &str) -> Result<Theirs, String> {
        self.median(1, &["merc", &system.path, formula])
    }

    fn median(&self, times: usize, arguments: &[&str]) -> Result<Theirs, String> {
        let mut told = Vec::with_capacity(times);
        for _ in 0..times {
            told.push(self.ask(arguments)?);
        }
        told.sort_by(|one, other| one.wall.total_cmp(&other.wall));
        Ok(told.swap_remove(times / 2))
    }

    fn ask(&self, arguments: &[&str]) -> Result<Theirs, String> {
        let start = Instant::now();
        let text = output(Path::new("."), &self.program, arguments)?;
        let wall = start.elapsed().as_secs_f64();
        let answer: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
        Ok(Theirs {
            verdict: answer["verdict"].as_str().unwrap_or("-").to_owned(),
            read: number(&answer["seconds"]["read"]),
            check: number(&answer["seconds"]["check"]),
            wall,
            peak: number(&answer["peak_bytes"]) / 1e6,
        })
    }
}

/// Whether stateright is asked about a system.
pub(super) fn stateright_can(system: &System, search: &str) -> bool {
    search == "bfs" || system.states <= DEEP
}

/// The question as merc is asked it, if it can be.
pub(super) fn for_merc(system: &System, question: &Question) -> Option<&'static str> {
    let response = question.name == "response";
    let most = if response { DEEP } else { GAMES };
    let can = system.states <= most && !(response && system.messages.is_some());
    can.then_some(question.mcrl2)
}

/// The protocol as a model of Spin, which looks for states where nothing can happen.
pub(super) fn spin(lab: &Lab) -> Result<String, String> {
    const TITLE: &str = "## Deadlock, beside Spin\n\n";
    let Ok(version) = output(Path::new("."), "spin", &["-V"]) else {
        eprintln!("SKIPPED: spin is not installed (Debian: apt-get install spin)");
        return Ok(format!("{TITLE}Skipped: spin is not installed.\n\n"));
    };
    let mut table = Table::new(&[
        "system",
        "states",
        "verdict",
        "generate + compile s",
        "verify s",
        "causet wall s",
        "verify / causet",
    ]);
    let sizes: &[u64] = if lab.trial { &[8] } else { &[16, 32, 64] };
    for &messages in sizes {
        table.row(&compare(lab, messages)?);
    }
    Ok(format!(
        "{TITLE}{}, on a model with the same states.\n\n{}\n",
        version.lines().next().unwrap_or("Spin"),
        table.text
    ))
}

/// One size of the protocol, both verdicts, and both numbers of states, which must be equal.
fn compare(lab: &Lab, messages: u64) -> Result<[String; 7], String> {
    let system = bitalt(lab, messages)?;
    let ours = ask(lab, &system, 0, "auto")?;
    let folder = lab.file("spin");
    let folder = Path::new(&folder);
    let text = fs::read_to_string(lab.given(MODEL)).map_err(|error| error.to_string())?;
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(folder.join("model.pml"), repeat_puts(&text, messages)))
        .map_err(|error| error.to_string())?;
    let (_, made) = timed(|| {
        output(folder, "spin", &["-a", "-o2", "model.pml"])?;
        let options = ["-O2", "-w", "-DSAFETY", "-o", "pan", "pan.c"];
        output(folder, "cc", &options)
    })?;
    let (said, verified) = timed(|| verify(folder))?;
    let verdict = match said.contains("errors: 0") {
        true => "holds",
        false => "violated",
    };
    expect(&system, 0, "Spin", verdict)?;
    if states_stored(&said) != Some(system.states) {
        let name = &system.name;
        return Err(format!(
            "{name}: Spin does not have the same states:\n{said}"
        ));
    }
    Ok([
        system.name.clone(),
        grouped(system.states as usize),
        verdict.to_owned(),
        format!("{made:.2}"),
        format!("{verified:.3}"),
        format!("{:.3}", ours.wall),
        format!("{:.2}", verified / ours.wall),
    ])
}

/// The model with its line of puts once for each message.
fn repeat_puts(model: &str, messages: u64) -> String {
    let mut text = String::new();
    for line in model.lines() {
        let puts = line.trim().strip_prefix("/* puts: ");
        match puts.and_then(|line| line.strip_suffix(" */")) {
            Some(put) => (0..messages).for_each(|message| {
                text += &put.replace("MESSAGE", &message.to_string());
                text.push('\n');
            }),
            None => {
                text += line;
                text.push('\n');
            }
        }
    }
    text
}

/// How many states the verifier says that it stored.
fn states_stored(said: &str) -> Option<u64> {
    let line = said.lines().find(|line| line.ends_with("states, stored"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn puts_are_repeated() {
        let model = "do\n  /* puts: :: sent = MESSAGE */\nod\n";
        let two = "do\n:: sent = 0\n:: sent = 1\nod\n";
        assert_eq!(repeat_puts(model, 2), two);
    }

    #[test]
    fn states_are_read_from_what_the_verifier_says() {
        let said = "errors: 0\n    25952 states, stored\n    56475 states, matched\n";
        assert_eq!(states_stored(said), Some(25952));
        assert_eq!(states_stored("none"), None);
    }
}
