//! Everything that is wrong or suspicious in a log, each with its line, the rule it breaks, why that matters, and a way
//! out.
//!
//! What contradicts itself is noted while the log is read ([`crate::native::inspect`]); what is merely suspicious is looked
//! for afterwards, in the run as it was understood.

use std::io::{self, Write};

use causet_trace::{EventId, ProcessId, StoredValue, Trace};
use serde::Serialize;

use crate::error::{ReadError, ReadWarning};
use crate::logs::{self, LogOptions};
use crate::native::{Part, Progress, Reading};

/// How many findings of one rule are listed; the rest are counted.
const LISTED: usize = 20;

/// How bad something is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The log contradicts itself; it is refused unless that is mended.
    Error,
    /// Verdicts may not mean what they seem to.
    Warning,
    /// Worth knowing.
    Note,
}

/// A rule that logs are held against.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// How bad it is to break it.
    pub severity: Severity,
    /// Why it matters.
    pub explanation: &'static str,
    /// What to do about it.
    pub hint: &'static str,
}

/// Something that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The rule that is broken.
    pub rule: Rule,
    /// The part, as the caller named it.
    pub file: String,
    /// The line, from 1; 0 if it is about the run as a whole.
    pub line: u32,
    /// What is wrong there.
    pub message: String,
}

/// What became of a log that was looked at.
pub struct Linted {
    /// The name of its format.
    pub format: &'static str,
    /// How many events were read.
    pub events: usize,
    /// What was found, by file and line.
    pub findings: Vec<Finding>,
}

/// Looks at a log. What cannot be read at all is an error.
pub fn lint(
    parts: Vec<Part<'_>>,
    options: &LogOptions,
    progress: &dyn Progress,
) -> Result<Linted, ReadError> {
    let options = LogOptions {
        forgiving: true,
        ..options.clone()
    };
    let (reading, format) = logs::read(parts, &options, progress)?;
    let mut found = Findings::default();
    for warning in &reading.warnings {
        found.add_noted(warning);
    }
    let look = Look { reading: &reading };
    look.times(&mut found);
    // Events that form a circle were read without what orders them.
    if !reading
        .warnings
        .iter()
        .any(|warning| warning.rule == "cycle")
    {
        look.isolated(&mut found);
    }
    look.constants(&mut found);
    look.unreceived(&mut found);
    look.races(&mut found);
    Ok(Linted {
        format: format.name,
        events: reading.trace.len(),
        findings: found.all(),
    })
}

const TIME: Rule = Rule {
    name: "time-contradicts-order",
    severity: Severity::Warning,
    explanation: "The clocks of machines disagree, or the log orders events that happened the other way round.",
    hint: "Times are never used to order events; check the clocks, or how messages are matched.",
};
const ISOLATED: Rule = Rule {
    name: "isolated-process",
    severity: Severity::Warning,
    explanation: "Nothing orders this process with any other, so every order of them is checked.",
    hint: "Log the messages between them, or their vector clocks.",
};
const CONSTANT: Rule = Rule {
    name: "constant-variable",
    severity: Severity::Note,
    explanation: "It is written several times and never changes, so no property can depend on when.",
    hint: "Log what changes, or leave it out.",
};
const UNRECEIVED: Rule = Rule {
    name: "message-never-received",
    severity: Severity::Note,
    explanation: "The message is still in transit when the run ends, or its receive is missing from the log.",
    hint: "Log the receive; without it nothing orders the sender before the receiver.",
};
const RACE: Rule = Rule {
    name: "race",
    severity: Severity::Warning,
    explanation: "Two writes of a shared variable are not ordered, so its value is not defined in between.",
    hint: "Order them by messages or clocks, or say `\"order\":\"observed\"` in the header if the lines are one execution.",
};

/// The rule with a name that a reader noted.
fn noted(name: &'static str) -> Rule {
    let (severity, explanation) = match name {
        "receive-without-send" => (
            Severity::Warning,
            "An event is missing from the log, so what came before this receive is not known.",
        ),
        "clock-skips" | "clock-beyond-log" => (
            Severity::Warning,
            "Events are missing from the log, so what they wrote is not known.",
        ),
        "clock-of-unknown-process" => (
            Severity::Warning,
            "The log of a process is missing, or its name is misspelt.",
        ),
        "line-cut-off" => (
            Severity::Warning,
            "The event that the line told of is missing; the run ends before it.",
        ),
        "note" => (
            Severity::Note,
            "The log was understood in a way worth knowing.",
        ),
        _ => (
            Severity::Error,
            "The log contradicts itself; it is refused until that is mended.",
        ),
    };
    let hint = match name {
        "receive-without-send" => {
            "Log the send with the same id; `--lenient` reads the log as it is."
        }
        "clock-skips" => "Log every event that counts; `--lenient` reads the log as it is.",
        "clock-beyond-log" => {
            "Add the rest of that process's log; `--lenient` reads the log as it is."
        }
        "clock-of-unknown-process" => {
            "Add its log, or mend the name; `--lenient` leaves the entry out."
        }
        "line-cut-off" => "Remove the line; `--lenient` reads the log as it is.",
        "clock-goes-back" => {
            "Write the events of a process in its own order, and never reset its clock."
        }
        "clock-contradicts" => {
            "Merge the sender's clock into the receiver's when a message arrives."
        }
        "clock-without-own-entry" => "Count the event itself in the entry of its own process.",
        "message-sent-twice" => "Give every message an id of its own; several may receive it.",
        "duplicate-id" => "Give every event an id of its own, or none.",
        "event-after-end" => "Write `end` after the last event of a process.",
        "cycle" => "Look at the messages and clocks of the events named: one of them is wrong.",
        "note" => "Nothing needs to be done.",
        _ => "Mend the line.",
    };
    Rule {
        name,
        severity,
        explanation,
        hint,
    }
}

/// What was found so far.
#[derive(Default)]
struct Findings {
    findings: Vec<Finding>,
    /// Per rule: how many there are.
    counts: Vec<(Rule, usize)>,
}

impl Findings {
    fn add_noted(&mut self, warning: &ReadWarning) {
        self.add(Finding {
            rule: noted(warning.rule),
            file: warning.file.clone(),
            line: warning.line,
            message: warning.message.clone(),
        });
    }

    fn add(&mut self, finding: Finding) {
        let known = self
            .counts
            .iter_mut()
            .find(|(rule, _)| *rule == finding.rule);
        let count = match known {
            Some((_, count)) => {
                *count += 1;
                *count
            }
            None => {
                self.counts.push((finding.rule, 1));
                1
            }
        };
        if count <= LISTED {
            self.findings.push(finding);
        }
    }

    /// All of them in order, those that were not listed as a number.
    fn all(mut self) -> Vec<Finding> {
        self.findings
            .sort_by(|one, other| (&one.file, one.line).cmp(&(&other.file, other.line)));
        for (rule, count) in self.counts {
            if count > LISTED {
                self.findings.push(Finding {
                    rule,
                    file: String::new(),
                    line: 0,
                    message: format!("{} more of these are not listed", count - LISTED),
                });
            }
        }
        self.findings
    }
}

/// Looks for what is suspicious in a run.
struct Look<'r> {
    reading: &'r Reading,
}

impl Look<'_> {
    fn trace(&self) -> &Trace {
        &self.reading.trace
    }

    fn at(&self, rule: Rule, event: EventId, message: String) -> Finding {
        let place = self.trace().place(event);
        let file = self.reading.parts.get(place.part as usize);
        Finding {
            rule,
            file: file.cloned().unwrap_or_default(),
            line: place.line,
            message,
        }
    }

    fn name(&self, process: ProcessId) -> &str {
        self.trace().process_name(process)
    }

    fn times(&self, found: &mut Findings) {
        let trace = self.trace();
        let order = trace.order();
        for event in trace.events() {
            let Some(now) = trace.time(event) else {
                continue;
            };
            let late = order.predecessors(event).find_map(|before| {
                let then = trace.time(before).filter(|&then| then > now)?;
                Some((before, then))
            });
            if let Some((before, then)) = late {
                let other = self.name(order.process_of(before));
                let gap = then
                    .since(now)
                    .map_or_else(String::new, |gap| format!("{gap} s "));
                let message = format!(
                    "this event comes after one of `{other}` (line {}), and {gap}earlier by the clock",
                    trace.place(before).line,
                );
                found.add(self.at(TIME, event, message));
            }
        }
    }

    fn isolated(&self, found: &mut Findings) {
        let order = self.trace().order();
        let mut joined = vec![false; order.process_count()];
        for event in self.trace().events() {
            for &before in order.crossing_into(event) {
                joined[order.process_of(before).index()] = true;
                joined[order.process_of(event).index()] = true;
            }
        }
        if order.process_count() < 2 {
            return;
        }
        for process in order.processes() {
            if let (false, Some(&first)) = (joined[process.index()], order.chain(process).first()) {
                let message = format!(
                    "nothing orders `{}` with any other process",
                    self.name(process)
                );
                found.add(self.at(ISOLATED, first, message));
            }
        }
    }

    fn constants(&self, found: &mut Findings) {
        let trace = self.trace();
        // Per variable: the first write, how many there are, and whether all write the same.
        let mut writes: Vec<Option<(EventId, StoredValue, usize, bool)>> = Vec::new();
        for event in trace.events() {
            for write in trace.writes(event) {
                let index = write.var.index();
                if writes.len() <= index {
                    writes.resize(index + 1, None);
                }
                match &mut writes[index] {
                    Some((_, value, count, same)) => {
                        *count += 1;
                        *same &= *value == write.value;
                    }
                    none => *none = Some((event, write.value, 1, true)),
                }
            }
        }
        for var in trace.variables() {
            let Some(&Some((first, value, count, true))) = writes.get(var.index()) else {
                continue;
            };
            if count > 1 && (trace.given_init(var).is_none_or(|init| init == value)) {
                let name = trace.variable_name(var);
                let message =
                    format!("`{name}` is written {count} times, always with the same value");
                found.add(self.at(CONSTANT, first, message));
            }
        }
    }

    fn unreceived(&self, found: &mut Findings) {
        let trace = self.trace();
        let mut received = Vec::new();
        for event in trace.events() {
            for message in trace.receives(event) {
                if received.len() <= message.index() {
                    received.resize(message.index() + 1, false);
                }
                received[message.index()] = true;
            }
        }
        for event in trace.events() {
            for &message in trace.sends(event) {
                if !received.get(message.index()).copied().unwrap_or(false) {
                    let text = format!("`{}` is never received", trace.message_name(message));
                    found.add(self.at(UNRECEIVED, event, text));
                }
            }
        }
    }

    fn races(&self, found: &mut Findings) {
        let trace = self.trace();
        for race in trace.races(1).pairs {
            let message = format!(
                "this write of `{}` is not ordered with the one on line {}",
                trace.variable_name(race.var),
                trace.place(race.first).line
            );
            found.add(self.at(RACE, race.second, message));
        }
    }
}

/// Writes findings as text.
pub fn write_text(linted: &Linted, out: &mut dyn Write) -> io::Result<()> {
    for finding in &linted.findings {
        let place = match finding.line {
            0 => String::new(),
            line => format!("{}:{line}: ", finding.file),
        };
        let severity = match finding.rule.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        writeln!(
            out,
            "{place}{severity}[{}]: {}",
            finding.rule.name, finding.message
        )?;
        if finding.line > 0 {
            writeln!(out, "  why:  {}", finding.rule.explanation)?;
            writeln!(out, "  help: {}", finding.rule.hint)?;
        }
    }
    match linted.findings.len() {
        0 => writeln!(out, "nothing found"),
        1 => writeln!(out, "1 finding"),
        count => writeln!(out, "{count} findings"),
    }
}

#[derive(Serialize)]
struct Shown<'a> {
    rule: &'a str,
    severity: Severity,
    file: &'a str,
    line: u32,
    message: &'a str,
    explanation: &'a str,
    hint: &'a str,
}

/// Writes findings as one JSON object.
pub fn write_json(linted: &Linted, out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Document<'a> {
        format: &'a str,
        findings: Vec<Shown<'a>>,
    }
    let findings = linted.findings.iter().map(|finding| Shown {
        rule: finding.rule.name,
        severity: finding.rule.severity,
        file: &finding.file,
        line: finding.line,
        message: &finding.message,
        explanation: finding.rule.explanation,
        hint: finding.rule.hint,
    });
    let document = Document {
        format: linted.format,
        findings: findings.collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}
