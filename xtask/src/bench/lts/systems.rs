//! The systems of the bench, the questions, and the answers that are known of each.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;

use crate::bench::lab::Lab;

/// A question that every system is asked.
#[derive(Clone, Copy)]
pub(in crate::bench) struct Question {
    pub(in crate::bench) name: &'static str,
    pub(in crate::bench) formula: &'static str,
    /// The same as mCRL2 writes it, for labels without values.
    pub(in crate::bench) mcrl2: &'static str,
}

pub(in crate::bench) const QUESTIONS: [Question; 3] = [
    Question {
        name: "no deadlock",
        formula: "[true*] <true> true",
        mcrl2: "[true*]<true>true",
    },
    Question {
        name: "livelock",
        formula: "mu X. ((nu Y. <tau> Y) || <true> X)",
        mcrl2: "mu X. ((nu Y. <tau>Y) || <true>X)",
    },
    Question {
        name: "response",
        formula: "[true* . 'put.*'] mu Y. (((nu Z. <tau> Z) || (<true> true && [!'get.*'] false)) || (<true> true && [true] Y))",
        mcrl2: "[true*.put] mu Y. (((nu Z. <tau>Z) || (<true>true && [!get]false)) || (<true>true && [true]Y))",
    },
];

/// A system in a file.
#[derive(Clone)]
pub(in crate::bench) struct System {
    pub(in crate::bench) name: String,
    pub(in crate::bench) path: String,
    pub(in crate::bench) states: u64,
    pub(in crate::bench) transitions: u64,
    /// Which of the questions hold.
    pub(in crate::bench) answers: [bool; 3],
    /// How many messages, if it is the alternating-bit protocol, whose labels have values.
    pub(in crate::bench) messages: Option<u64>,
}

/// The modes of the ranks, and what holds in each.
pub(in crate::bench) const GOOD: (&str, [bool; 3]) = ("good", [true, false, true]);
pub(in crate::bench) const DEADLOCK: (&str, [bool; 3]) = ("deadlock", [false, false, false]);
pub(in crate::bench) const LIVELOCK: (&str, [bool; 3]) = ("livelock", [true, true, true]);

/// One state in a hundred is of rank 0.
const DEPTH: u64 = 99;

/// All systems that are read from files; those that are there already are not made again.
pub(in crate::bench) fn stored(lab: &Lab) -> Result<Vec<System>, String> {
    let mut systems = Vec::new();
    let sizes = lab.sizes(&[10_000, 100_000, 1_000_000, 10_000_000]);
    for &states in &sizes {
        systems.push(rank(lab, states as u64, GOOD)?);
    }
    let states = if lab.trial { 10_000 } else { 1_000_000 };
    for mode in [DEADLOCK, LIVELOCK] {
        systems.push(rank(lab, states, mode)?);
    }
    for &messages in protocols(lab) {
        systems.push(bitalt(lab, messages)?);
    }
    Ok(systems)
}

/// How many messages the protocol has. 104 of them make about 10^6 states, 256 are those of paper MB-DSolve.
fn protocols(lab: &Lab) -> &'static [u64] {
    match lab.trial {
        true => &[8],
        false => &[32, 104, 256],
    }
}

pub(in crate::bench) fn rank(
    lab: &Lab,
    states: u64,
    (mode, answers): (&str, [bool; 3]),
) -> Result<System, String> {
    let settings = [
        format!("groups={}", states / (DEPTH + 1)),
        format!("depth={DEPTH}"),
        format!("mode={mode}"),
    ];
    let path = lab.file(&format!("rank-{states}-{mode}.aut"));
    generate(lab, "rank", &settings, &["-o", &path], &path)?;
    let system = describe(format!("rank {mode} 10^{}", states.ilog10()), path, answers)?;
    sized(&system, states)?;
    Ok(system)
}

/// The protocol with so many messages.
pub(in crate::bench) fn bitalt(lab: &Lab, messages: u64) -> Result<System, String> {
    let path = lab.file(&format!("bitalt-{messages}.aut"));
    let settings = [format!("n={messages}")];
    generate(lab, "bitalt", &settings, &["-o", &path], &path)?;
    let mut system = describe(format!("bitalt {messages}"), path, [true; 3])?;
    sized(&system, 92 * messages * messages + 150 * messages)?;
    system.messages = Some(messages);
    Ok(system)
}

/// The protocol from its file, and as the network that is the same system.
pub(in crate::bench) fn networks(lab: &Lab) -> Result<Vec<(System, System)>, String> {
    let pair = |&messages: &u64| {
        let folder = lab.file(&format!("bitalt-{messages}-network"));
        let path = Path::new(&folder).join("bitalt.exp").display().to_string();
        let settings = [format!("n={messages}")];
        generate(lab, "bitalt", &settings, &["--network", &folder], &path)?;
        let stored = bitalt(lab, messages)?;
        let composed = System {
            path,
            ..stored.clone()
        };
        Ok((stored, composed))
    };
    protocols(lab).iter().map(pair).collect()
}

/// Lets the program write a system, unless it was written before.
fn generate(
    lab: &Lab,
    model: &str,
    settings: &[String],
    place: &[&str],
    path: &str,
) -> Result<(), String> {
    if fs::exists(path).unwrap_or(false) {
        return Ok(());
    }
    let mut arguments = vec!["lts", "gen", model];
    arguments.extend(settings.iter().flat_map(|setting| ["--set", setting]));
    arguments.extend(place);
    lab.tell(&arguments).map(|_| ())
}

/// What the first line of a file says.
fn describe(name: String, path: String, answers: [bool; 3]) -> Result<System, String> {
    let mut line = String::new();
    File::open(&path)
        .and_then(|file| BufReader::new(file).read_line(&mut line))
        .map_err(|error| format!("{path}: {error}"))?;
    let numbers: Vec<u64> = line
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|word| word.parse().ok())
        .collect();
    let [_, transitions, states] = numbers[..] else {
        return Err(format!(
            "{path}:1: expected `des (0, 3, 2)`, found `{}`",
            line.trim_end()
        ));
    };
    Ok(System {
        name,
        path,
        states,
        transitions,
        answers,
        messages: None,
    })
}

fn sized(system: &System, states: u64) -> Result<(), String> {
    match system.states == states {
        true => Ok(()),
        false => Err(format!(
            "{} has {} states, but {states} were asked for",
            system.name, system.states
        )),
    }
}
