//! Simulations of Promela models: what `spin -p -g -l` prints step by step, and the sequence of messages of `spin -c`.
//!
//! An instance of a process type is a process, named by its type and its number: `P_0`. Each step is an event, labelled
//! with its statement. Global variables are shared, and the order of the simulation orders accesses that conflict: which
//! variables a statement reads is taken from its text, elements of arrays one by one where their index can be worked
//! out, all of them where not. Local variables are those of their process. What is sent through a queue is received in
//! the same order (see [`replay`]). A process begins after the step that started it.
//!
//! Spin prints no initial values; whatever was not printed is 0 before its first change.

mod lines;
mod replay;
mod statement;
mod terms;

use std::ops::Range;

use causet_base::Code;
use rustc_hash::FxHashMap;

use super::lines::{Say, Whole, each};
use super::scribe::Scribe;
use super::symbols::Symbol;
use super::text::Text;
use super::{Format, Head, Open, Reader};
use crate::error::ReadError;
use lines::Line;
use replay::{Owned, Simulation, Step};

pub(super) const FORMAT: Format = Format {
    name: "spin",
    title: "Spin simulation",
    about: "A simulated run of a Promela model: instances of process types, a step per event, globals as shared variables.",
    looks: |head| is_simulation(head) || is_sequence(head),
    open: Open::Log {
        reader: |_| Ok(Box::new(Spin::default())),
        tolerant: false,
    },
};

/// Steps of processes behind their numbers.
fn is_simulation(head: &Head<'_>) -> bool {
    head.full_lines().take(LOOK).any(|line| {
        let line = line.trim_start();
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && line[digits..].starts_with(":\tproc ")
    })
}

/// The processes, and then the head of a table of queues and processes.
fn is_sequence(head: &Head<'_>) -> bool {
    let mut lines = head.full_lines().take(LOOK);
    lines.any(|line| line.starts_with("proc ") && line.contains(" = "))
        && lines.any(|line| line.starts_with("q\\p "))
}

/// How many lines are looked at: a model may print something first.
const LOOK: usize = 200;

/// Reads simulations.
#[derive(Default)]
struct Spin {
    simulation: Simulation,
    /// The process that has a number now.
    current: FxHashMap<u32, u32>,
    /// What was printed of the step that comes next.
    ahead: Ahead,
    stage: Stage,
}

/// What the lines are that come next.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Stage {
    #[default]
    Steps,
    /// Rows of a sequence of messages.
    Table,
    Summary,
}

#[derive(Default)]
struct Ahead {
    passes: Option<(Symbol, Symbol)>,
    starts: FxHashMap<u32, Vec<u32>>,
}

impl Reader for Spin {
    fn part(&mut self, text: &mut Text<'_>, scribe: &mut Scribe<'_>) -> Result<(), ReadError> {
        let read = each(text, &Whole(Steps), |line| {
            self.read(line.number, line.text, line.said)
        });
        match read {
            // Whatever follows the steps may look as it likes, even if it is no text.
            Err(ReadError::Fault(_)) if self.stage == Stage::Summary => {}
            read => read?,
        }
        if self.simulation.steps.is_empty() {
            let expected = "expected the output of `spin -p -g -l` or of `spin -c`";
            return Err(ReadError::at(
                Code::NoEvents,
                1,
                "",
                0..0,
                "this simulation has no steps",
                expected,
            ));
        }
        let simulation = std::mem::take(self).simulation;
        simulation.tell(text.workers(), scribe)
    }
}

/// What a line says if it is one of a simulation.
struct Steps;

impl Say for Steps {
    type Said<'l> = Result<Option<Line<'l>>, ReadError>;

    fn say(number: u32, text: &str) -> Self::Said<'_> {
        lines::line(number, text)
    }
}

impl Spin {
    fn read(
        &mut self,
        number: u32,
        text: &str,
        line: Result<Option<Line<'_>>, ReadError>,
    ) -> Result<(), ReadError> {
        match self.stage {
            Stage::Summary => {}
            _ if text.starts_with("q\\p ") => self.stage = Stage::Table,
            Stage::Table if text.starts_with("-----") => self.stage = Stage::Summary,
            Stage::Table => self.row(number, text)?,
            Stage::Steps => match (text.strip_prefix("proc "), line?) {
                (Some(process), _) => self.declared(process),
                (None, Some(Line::End)) => self.stage = Stage::Summary,
                (None, Some(line)) => self.take(number, &line),
                (None, None) => {}
            },
        }
        Ok(())
    }

    /// `0 = P`, at the beginning of a sequence of messages.
    fn declared(&mut self, process: &str) {
        let named = process.split_once(" = ");
        if let Some((pid, name)) = named
            && let Ok(pid) = pid.trim().parse()
        {
            self.start(pid, name);
        }
    }

    /// A new process with a number, which another may have had before.
    fn start(&mut self, pid: u32, name: &str) -> u32 {
        let processes = &mut self.simulation.processes;
        let mut name = format!("{}_{pid}", name.trim_matches(':'));
        while processes.contains(&name) {
            name.push_str("_again");
        }
        let process = processes.len() as u32;
        processes.push(name);
        self.current.insert(pid, process);
        process
    }

    fn take(&mut self, number: u32, line: &Line<'_>) {
        match *line {
            Line::Creates { by, pid, name } => {
                let child = self.start(pid, name);
                if let Some(by) = by {
                    self.ahead.starts.entry(by).or_default().push(child);
                }
            }
            Line::Passes { content, queue } => {
                let texts = &mut self.simulation.texts;
                self.ahead.passes = Some((texts.symbol(content), texts.symbol(queue)));
            }
            Line::Step {
                pid,
                name,
                statement,
            } => {
                let known = self.current.get(&pid).copied();
                let process = known.unwrap_or_else(|| self.start(pid, name));
                let passes = self.ahead.passes.take();
                if let Some(starts) = self.ahead.starts.remove(&pid) {
                    self.simulation.starts.extend(starts);
                }
                self.step(number, (pid, process), statement, passes);
            }
            Line::Holds {
                pid,
                variable,
                value,
            } => {
                let held = self.owned(pid, variable, value);
                if let Some(step) = self.simulation.steps.last_mut() {
                    self.simulation.holds.push(held);
                    step.holds.end += 1;
                }
            }
            Line::Queue { pid, name, queue } => {
                let known = self.owned(pid, name, queue);
                if let Some(step) = self.simulation.steps.last_mut() {
                    self.simulation.queues.push(known);
                    step.queues.end += 1;
                }
            }
            Line::End => {}
        }
    }

    fn owned(&mut self, pid: Option<u32>, name: &str, value: &str) -> Owned {
        let texts = &mut self.simulation.texts;
        Owned {
            pid,
            name: texts.symbol(name),
            value: texts.symbol(value),
        }
    }

    /// A step of a process; what was sent or received, and through which queue, may be known.
    fn step(
        &mut self,
        line: u32,
        (pid, process): (u32, u32),
        statement: &str,
        passes: Option<(Symbol, Symbol)>,
    ) {
        let simulation = &mut self.simulation;
        let (content, queue) = passes.unzip();
        let started = simulation.steps.last().map_or(0, |last| last.starts.end);
        let end_of = |length: usize| -> Range<u32> { length as u32..length as u32 };
        simulation.steps.push(Step {
            line,
            pid,
            process,
            statement: simulation.statements.symbol(statement),
            content,
            queue,
            starts: started..simulation.starts.len() as u32,
            holds: end_of(simulation.holds.len()),
            queues: end_of(simulation.queues.len()),
        });
    }

    /// A row of a sequence of messages.
    fn row(&mut self, number: u32, line: &str) -> Result<(), ReadError> {
        let Some((queue, pid, statement)) = lines::row(number, line)? else {
            return Ok(());
        };
        let Some(&process) = self.current.get(&pid) else {
            let start = line.find(statement).unwrap_or(0);
            return Err(ReadError::at(
                Code::UnknownColumn,
                number,
                line,
                start..start + statement.len(),
                format!("there is no process {pid}, in whose column this stands"),
                "expected a line `proc N = NAME` for each column",
            ));
        };
        let content = statement.split_once(['!', '?']).map(|(_, content)| content);
        let texts = &mut self.simulation.texts;
        let passes = (
            texts.symbol(content.unwrap_or_default()),
            texts.symbol(queue),
        );
        self.step(number, (pid, process), statement, Some(passes));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::super::{LogOptions, read};
    use crate::native::Part;

    fn steps_of(text: &[u8]) -> Option<usize> {
        let options = LogOptions {
            format: Some("spin".to_owned()),
            ..LogOptions::default()
        };
        let parts = vec![Part::new("x", Cursor::new(text.to_vec()))];
        let read = read(parts, &options, &()).ok();
        read.map(|(reading, _)| reading.trace.len())
    }

    #[test]
    fn what_follows_the_steps_may_be_no_text() {
        let step = b"  1:\tproc  0 (P:1) m.pml:7 (state 1)\t[x = 1]\n\t\tx = 1\n";
        let summary = b"#processes: 1\n\xff\xfe\n";
        assert_eq!(steps_of(&[&step[..], summary].concat()), Some(1));
        assert_eq!(steps_of(&[&step[..], b"\xff\n", &step[..]].concat()), None);
    }
}
