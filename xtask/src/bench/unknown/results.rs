//! The answers of one side, kept in a file so that a sample can be checked in parts and compared later.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::checker::Answer;
use super::property::{Property, one_line};
use super::sample::SampleRun;

/// A case and what one program said of it.
#[derive(Clone, Debug)]
pub(super) struct CaseResult {
    /// The arguments of `causet gen`.
    pub(super) run: String,
    pub(super) protocol: String,
    pub(super) procs: usize,
    pub(super) events: usize,
    /// The property file.
    pub(super) text: String,
    pub(super) logic: String,
    pub(super) own: bool,
    pub(super) answer: Answer,
    /// The engines that a second attempt tried, and the verdict of that attempt.
    pub(super) tried: String,
    pub(super) again: String,
    /// The verdict that the recorded order alone gives, or `no`; empty if it was not asked.
    pub(super) recorded: String,
}

impl CaseResult {
    pub(super) fn new(run: &SampleRun, property: &Property, answer: Answer) -> CaseResult {
        CaseResult {
            run: run.arguments(),
            protocol: run.protocol.to_owned(),
            procs: run.procs,
            events: run.events,
            text: property.text.clone(),
            logic: property.logic.to_owned(),
            own: property.own,
            answer,
            tried: String::new(),
            again: String::new(),
            recorded: String::new(),
        }
    }

    /// Whether it is unknown, and the recorded order has not been asked.
    pub(super) fn is_open(&self) -> bool {
        self.is_unknown() && self.recorded.is_empty()
    }

    pub(super) fn is_unknown(&self) -> bool {
        self.answer.verdict == "unknown"
    }

    /// Holds or violated.
    pub(super) fn is_decided(&self) -> bool {
        ["holds", "violated"].contains(&self.answer.verdict.as_str())
    }

    /// What the recorded order alone says, if it was asked.
    pub(super) fn recorded_or_dash(&self) -> &str {
        if self.recorded.is_empty() {
            "-"
        } else {
            &self.recorded
        }
    }

    /// The property in one line.
    pub(super) fn line(&self) -> String {
        one_line(&self.text)
    }

    fn key(&self) -> String {
        key(&self.run, &self.text)
    }

    fn to_json(&self) -> Value {
        json!({
            "run": self.run, "protocol": self.protocol, "procs": self.procs, "events": self.events,
            "text": self.text, "logic": self.logic, "own": self.own,
            "verdict": self.answer.verdict, "reason": self.answer.reason,
            "engine": self.answer.engine, "seconds": self.answer.seconds,
            "processor_seconds": self.answer.processor_seconds, "repeated": self.answer.repeated,
            "tried": self.tried, "again": self.again, "recorded": self.recorded,
        })
    }

    fn from_json(line: &Value) -> CaseResult {
        let word = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        let number = |name: &str| line[name].as_u64().unwrap_or_default() as usize;
        CaseResult {
            run: word("run"),
            protocol: word("protocol"),
            procs: number("procs"),
            events: number("events"),
            text: word("text"),
            logic: word("logic"),
            own: line["own"].as_bool().unwrap_or_default(),
            answer: Answer {
                verdict: word("verdict"),
                reason: word("reason"),
                engine: word("engine"),
                seconds: line["seconds"].as_f64().unwrap_or_default(),
                processor_seconds: line["processor_seconds"].as_f64().unwrap_or_default(),
                repeated: line["repeated"].as_f64(),
            },
            tried: word("tried"),
            again: word("again"),
            recorded: word("recorded"),
        }
    }
}

fn key(run: &str, text: &str) -> String {
    format!("{run}\n{text}")
}

/// The answers of one side.
pub(super) struct Results {
    /// In the order of the sample.
    pub(super) cases: Vec<CaseResult>,
    /// Answers of earlier runs of the bench; of two with the same key the later counts.
    kept: HashMap<String, CaseResult>,
    path: Option<PathBuf>,
}

impl Results {
    /// Reads what is kept, if something is to be kept.
    pub(super) fn open(directory: Option<&Path>, side: &str) -> Result<Results, String> {
        let path = directory.map(|directory| directory.join(format!("{side}.jsonl")));
        let mut kept = HashMap::new();
        if let Some(path) = path.as_ref().filter(|path| path.exists()) {
            let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
            for line in text.lines() {
                let line: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
                let result = CaseResult::from_json(&line);
                kept.insert(result.key(), result);
            }
        }
        Ok(Results {
            cases: Vec::new(),
            kept,
            path,
        })
    }

    /// Takes the kept answer to a case, if there is one; one that had too little time counts only if nobody can ask again.
    pub(super) fn reuse(&mut self, run: &SampleRun, property: &Property, can_ask: bool) -> bool {
        let kept = self.kept.get(&key(&run.arguments(), &property.text));
        let kept = kept.filter(|kept| !(can_ask && kept.answer.is_starved()));
        self.cases.extend(kept.cloned());
        kept.is_some()
    }

    /// Adds and keeps an answer.
    pub(super) fn add(&mut self, result: CaseResult) -> Result<(), String> {
        self.kept.insert(result.key(), result.clone());
        self.cases.push(result);
        self.save_last()
    }

    /// Keeps the last answer as it is now.
    pub(super) fn save_last(&self) -> Result<(), String> {
        let (Some(path), Some(last)) = (&self.path, self.cases.last()) else {
            return Ok(());
        };
        let file = OpenOptions::new().create(true).append(true).open(path);
        file.and_then(|mut file| writeln!(file, "{}", last.to_json()))
            .map_err(|error| format!("{}: {error}", path.display()))
    }

    /// How many are unknown so far.
    pub(super) fn unknown(&self) -> usize {
        self.cases.iter().filter(|case| case.is_unknown()).count()
    }
}
