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
mod terms;

use std::collections::HashMap;

use super::scribe::Scribe;
use super::text::Text;
use super::trouble::Trouble;
use super::{Format, Head, Open, Reader};
use lines::Line;
use replay::{Simulation, Step};

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
    current: HashMap<u32, usize>,
    /// What was printed of the step that comes next.
    ahead: Ahead,
}

#[derive(Default)]
struct Ahead {
    passes: Option<(String, String)>,
    starts: HashMap<u32, Vec<usize>>,
}

impl Reader for Spin {
    fn part(&mut self, text: &mut Text<'_>, scribe: &mut Scribe<'_>) -> Result<(), Trouble> {
        let mut is_table = false;
        while let Some((number, line)) = text.next_line()? {
            if line.starts_with("q\\p ") {
                is_table = true;
            } else if is_table {
                if line.starts_with("-----") {
                    break;
                }
                self.row(number, line)?;
            } else if let Some(process) = line.strip_prefix("proc ") {
                self.declared(process);
            } else if let Some(said) = lines::line(number, line)? {
                if said == Line::End {
                    break;
                }
                self.take(number, &said);
            }
        }
        if self.simulation.steps.is_empty() {
            let expected = "expected the output of `spin -p -g -l` or of `spin -c`";
            return Err(Trouble::at(
                1,
                "",
                0..0,
                "this simulation has no steps",
                expected,
            ));
        }
        let simulation = std::mem::take(self).simulation;
        simulation.tell(scribe)
    }
}

impl Spin {
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
    fn start(&mut self, pid: u32, name: &str) -> usize {
        let processes = &mut self.simulation.processes;
        let mut name = format!("{}_{pid}", name.trim_matches(':'));
        while processes.contains(&name) {
            name.push_str("_again");
        }
        processes.push(name);
        self.current.insert(pid, processes.len() - 1);
        processes.len() - 1
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
                self.ahead.passes = Some((content.to_owned(), queue.to_owned()));
            }
            Line::Step {
                pid,
                name,
                statement,
            } => {
                let known = self.current.get(&pid).copied();
                let process = known.unwrap_or_else(|| self.start(pid, name));
                let (content, queue) = self.ahead.passes.take().unzip();
                self.simulation.steps.push(Step {
                    line: number,
                    pid,
                    process,
                    statement: statement.to_owned(),
                    content,
                    queue,
                    starts: self.ahead.starts.remove(&pid).unwrap_or_default(),
                    ..Step::default()
                });
            }
            Line::Holds {
                pid,
                variable,
                value,
            } => {
                if let Some(step) = self.simulation.steps.last_mut() {
                    let held = (pid, variable.to_owned(), value.to_owned());
                    step.holds.push(held);
                }
            }
            Line::Queue { pid, name, queue } => {
                if let Some(step) = self.simulation.steps.last_mut() {
                    step.queues.push((pid, name.to_owned(), queue.to_owned()));
                }
            }
            Line::End => {}
        }
    }

    /// A row of a sequence of messages.
    fn row(&mut self, number: u32, line: &str) -> Result<(), Trouble> {
        let Some((queue, pid, statement)) = lines::row(number, line)? else {
            return Ok(());
        };
        let Some(&process) = self.current.get(&pid) else {
            let start = line.find(statement).unwrap_or(0);
            return Err(Trouble::at(
                number,
                line,
                start..start + statement.len(),
                format!("there is no process {pid}, in whose column this stands"),
                "expected a line `proc N = NAME` for each column",
            ));
        };
        let content = statement
            .split_once(['!', '?'])
            .map(|(_, content)| content.to_owned());
        self.simulation.steps.push(Step {
            line: number,
            pid,
            process,
            statement: statement.to_owned(),
            content,
            queue: Some(queue.to_owned()),
            ..Step::default()
        });
        Ok(())
    }
}
