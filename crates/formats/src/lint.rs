//! Everything that is wrong or suspicious in a log, each with its line, the rule it breaks, why that matters, and a way
//! out.
//!
//! What contradicts itself is noted while the log is read ([`crate::native::inspect`]); what is merely suspicious is looked
//! for afterwards, in the run as it was understood.

use std::io::{self, Write};

use causet_base::{Code, Diagnostic, Severity};
use causet_trace::{EventId, ProcessId, StoredValue, Trace};
use serde::Serialize;

use crate::SCHEMA;
use crate::error::ReadError;
use crate::logs::{self, LogOptions};
use crate::native::{Part, Progress, Reading};

/// How many findings of one rule are listed; the rest are counted.
const LISTED: usize = 20;

/// What became of a log that was looked at.
pub struct Linted {
    /// The name of its format.
    pub format: &'static str,
    /// How many events were read.
    pub events: usize,
    /// What was found, by file and line.
    pub findings: Vec<Diagnostic>,
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
        .any(|warning| warning.code == Code::Cycle)
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

/// Why it matters that a rule is broken, and what to do about it.
pub fn advice(code: Code) -> (&'static str, &'static str) {
    const CONTRADICTION: &str = "The log contradicts itself; it is refused until that is mended.";
    match code {
        Code::TimeContradictsOrder => (
            "The clocks of machines disagree, or the log orders events that happened the other way round.",
            "Times are never used to order events; check the clocks, or how messages are matched.",
        ),
        Code::IsolatedProcess => (
            "Nothing orders this process with any other, so every order of them is checked.",
            "Log the messages between them, or their vector clocks.",
        ),
        Code::ConstantVariable => (
            "It is written several times and never changes, so no property can depend on when.",
            "Log what changes, or leave it out.",
        ),
        Code::MessageNeverReceived => (
            "The message is still in transit when the run ends, or its receive is missing from the log.",
            "Log the receive; without it nothing orders the sender before the receiver.",
        ),
        Code::Race => (
            "Two writes of a shared variable are not ordered, so its value is not defined in between.",
            "Order them by messages or clocks, or say `\"order\":\"observed\"` in the header if the lines are one execution.",
        ),
        Code::ReceiveWithoutSend => (
            "An event is missing from the log, so what came before this receive is not known.",
            "Log the send with the same id; `--lenient` reads the log as it is.",
        ),
        Code::ClockSkips => (
            "Events are missing from the log, so what they wrote is not known.",
            "Log every event that counts; `--lenient` reads the log as it is.",
        ),
        Code::ClockBeyondLog => (
            "Events are missing from the log, so what they wrote is not known.",
            "Add the rest of that process's log; `--lenient` reads the log as it is.",
        ),
        Code::ClockOfUnknownProcess => (
            "The log of a process is missing, or its name is misspelt.",
            "Add its log, or mend the name; `--lenient` leaves the entry out.",
        ),
        Code::LineCutOff => (
            "The event that the line told of is missing; the run ends before it.",
            "Remove the line; `--lenient` reads the log as it is.",
        ),
        Code::LogNote => (
            "The log was understood in a way worth knowing.",
            "Nothing needs to be done.",
        ),
        code => {
            let hint = match code {
                Code::ClockGoesBack => {
                    "Write the events of a process in its own order, and never reset its clock."
                }
                Code::ClockContradicts => {
                    "Merge the sender's clock into the receiver's when a message arrives."
                }
                Code::ClockWithoutOwnEntry => {
                    "Count the event itself in the entry of its own process."
                }
                Code::MessageSentTwice => {
                    "Give every message an id of its own; several may receive it."
                }
                Code::DuplicateId => "Give every event an id of its own, or none.",
                Code::EventAfterEnd => "Write `end` after the last event of a process.",
                Code::Cycle => {
                    "Look at the messages and clocks of the events named: one of them is wrong."
                }
                _ => "Mend the line.",
            };
            (CONTRADICTION, hint)
        }
    }
}

/// How bad it is what a reader let pass.
fn severity(code: Code) -> Severity {
    match code {
        Code::ReceiveWithoutSend
        | Code::ClockSkips
        | Code::ClockBeyondLog
        | Code::ClockOfUnknownProcess
        | Code::LineCutOff => Severity::Warning,
        Code::LogNote => Severity::Note,
        _ => Severity::Error,
    }
}

/// What was found so far.
#[derive(Default)]
struct Findings {
    findings: Vec<Diagnostic>,
    /// How many there are of each code.
    counts: Vec<(Code, Severity, usize)>,
}

impl Findings {
    fn add_noted(&mut self, warning: &Diagnostic) {
        let severity = severity(warning.code);
        self.add(warning.clone().with_severity(severity));
    }

    fn add(&mut self, finding: Diagnostic) {
        let mut counts = self.counts.iter_mut();
        let count = match counts.find(|(code, ..)| *code == finding.code) {
            Some((.., count)) => {
                *count += 1;
                *count
            }
            None => {
                self.counts.push((finding.code, finding.severity, 1));
                1
            }
        };
        if count <= LISTED {
            self.findings.push(finding);
        }
    }

    /// All of them in order, those that were not listed as a number.
    fn all(mut self) -> Vec<Diagnostic> {
        self.findings
            .sort_by(|one, other| (&one.file, one.line).cmp(&(&other.file, other.line)));
        for (code, severity, count) in self.counts {
            if count > LISTED {
                let message = format!("{} more of these are not listed", count - LISTED);
                self.findings
                    .push(Diagnostic::new(code, message).with_severity(severity));
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

    fn at(&self, code: Code, event: EventId, message: String) -> Diagnostic {
        let place = self.trace().place(event);
        let file = self.reading.parts.get(place.part as usize);
        Diagnostic::new(code, message).in_file(file.cloned().unwrap_or_default(), place.line, 0)
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
                found.add(self.at(Code::TimeContradictsOrder, event, message));
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
                found.add(self.at(Code::IsolatedProcess, first, message));
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
                found.add(self.at(Code::ConstantVariable, first, message));
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
                    found.add(self.at(Code::MessageNeverReceived, event, text));
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
            found.add(self.at(Code::Race, race.second, message));
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
        let (severity, rule) = (finding.severity, finding.code.rule());
        writeln!(out, "{place}{severity}[{rule}]: {}", finding.message)?;
        if finding.line > 0 {
            let (why, help) = advice(finding.code);
            writeln!(out, "  why:  {why}")?;
            writeln!(out, "  help: {help}")?;
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
    code: String,
    severity: &'a str,
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
        schema: u32,
        format: &'a str,
        findings: Vec<Shown<'a>>,
    }
    let findings = linted.findings.iter().map(|finding| {
        let (explanation, hint) = advice(finding.code);
        Shown {
            rule: finding.code.rule(),
            code: finding.code.to_string(),
            severity: finding.severity.word(),
            file: &finding.file,
            line: finding.line,
            message: &finding.message,
            explanation,
            hint,
        }
    });
    let document = Document {
        schema: SCHEMA,
        format: linted.format,
        findings: findings.collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}
