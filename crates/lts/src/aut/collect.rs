//! From the batches of all workers to one system: blocks in the order of the file, labels as they first appear.
//!
//! A worker numbers its labels by itself. A label that is new to it in some block comes with that block; one it knows
//! came with an earlier block, which has been added before. So one list for each worker translates all its numbers.
//!
//! As long as sources do not decrease, the steps of the system are those of the file, one after the other, and all that is
//! kept of the sources is where each begins. Otherwise all sources are kept, and the steps are sorted by counting. When
//! only the steps of some states are wanted the batches hold no others, and what is called a source is its row; what is
//! said about the file counts all transitions.

use std::mem::size_of;

use causet_base::budget::{Budget, Spent};
use causet_base::{Code, Diagnostic};
use causet_solve::steps::Edge;

use super::NotRead;
use super::line::{Batch, FREE_STATES, Header, LAST_STATE, Step};
use super::problem::in_line;
use crate::portion::{Kept, Whole};
use crate::system::{Labels, Rows};

/// How many states may exist for every transition, beyond those that always may.
const STATES_PER_STEP: u64 = 16;

/// What a label takes beside its text, in the tables of the file and of one worker.
const LABEL_BYTES: usize = 96;

/// How many steps are sorted between two looks at the budget.
const STRETCH: usize = 1 << 20;

/// Puts the batches together.
pub(super) struct Collector<'a> {
    budget: &'a Budget<'a>,
    lines: u64,
    labels: Labels,
    edges: Vec<Edge>,
    order: Order,
    /// How many transitions the file has, those of others included.
    transitions: u64,
    /// One more than the largest state, and the line that names it if it may be too large.
    used: u64,
    too_wide: Option<Diagnostic>,
}

/// What came together.
pub(super) struct Collected {
    /// The steps, one row for each state or for each of those that are kept.
    pub(super) rows: Rows,
    pub(super) whole: Whole,
    pub(super) warnings: Vec<Diagnostic>,
}

/// What is known of the sources of the steps so far.
enum Order {
    /// They do not decrease: where the steps of each state start, up to the last state that has some.
    Ascending(Vec<u32>),
    /// Each of them.
    Any(Vec<u32>),
}

impl<'a> Collector<'a> {
    pub(super) fn new(budget: &'a Budget<'a>, lines: u64) -> Self {
        Collector {
            budget,
            lines,
            labels: Labels::default(),
            edges: Vec::new(),
            order: Order::Ascending(Vec::new()),
            transitions: 0,
            used: 0,
            too_wide: None,
        }
    }

    /// Adds the next batch of the file; `names` is what the labels of its worker are called here.
    pub(super) fn append(&mut self, names: &mut Vec<u32>, batch: Batch) -> Result<(), NotRead> {
        for label in &batch.labels {
            self.budget.charge(2 * label.len() + LABEL_BYTES)?;
            names.push(self.labels.number(label));
        }
        self.transitions += batch.transitions;
        self.note_states(&batch);
        reserve(&mut self.edges, batch.steps.len(), self.budget)?;
        if self.edges.len() + batch.steps.len() > u32::MAX as usize {
            return Err(too_many_steps().after_lines(self.lines).into());
        }
        let done = self.append_ascending(names, &batch.steps)?;
        self.append_any(names, &batch.steps[done..])?;
        match batch.end {
            Some(NotRead::Fault(problem)) => Err(problem.after_lines(self.lines).into()),
            Some(end) => Err(end),
            None => {
                self.lines += batch.lines;
                Ok(())
            }
        }
    }

    fn note_states(&mut self, batch: &Batch) {
        if batch.transitions > 0 && u64::from(batch.widest) >= self.used {
            self.used = u64::from(batch.widest) + 1;
            let problem = batch.too_wide.clone();
            self.too_wide = problem.map(|problem| problem.after_lines(self.lines));
        }
    }

    /// Adds steps as long as they are in order, and says how many.
    fn append_ascending(&mut self, labels: &[u32], steps: &[Step]) -> Result<usize, Spent> {
        let Order::Ascending(starts) = &mut self.order else {
            return Ok(0);
        };
        let granted = granted(self.transitions);
        for (done, step) in steps.iter().enumerate() {
            let source = step.source as usize;
            if source >= starts.len() {
                if step.source as u64 >= granted {
                    self.keep_sources()?;
                    return Ok(done);
                }
                reserve(starts, source + 1 - starts.len(), self.budget)?;
                starts.resize(source + 1, self.edges.len() as u32);
            } else if source + 1 < starts.len() {
                self.keep_sources()?;
                return Ok(done);
            }
            self.edges.push(edge(step, labels));
        }
        Ok(steps.len())
    }

    /// From now on the steps come in any order.
    fn keep_sources(&mut self) -> Result<(), Spent> {
        let Order::Ascending(starts) = &self.order else {
            return Ok(());
        };
        let mut sources = Vec::new();
        reserve(&mut sources, self.edges.len(), self.budget)?;
        for (source, &start) in starts.iter().enumerate().skip(1) {
            sources.resize(start as usize, source as u32 - 1);
        }
        if let Some(last) = starts.len().checked_sub(1) {
            sources.resize(self.edges.len(), last as u32);
        }
        self.budget.release(size_of::<u32>() * starts.capacity());
        self.order = Order::Any(sources);
        Ok(())
    }

    fn append_any(&mut self, labels: &[u32], steps: &[Step]) -> Result<(), Spent> {
        let Order::Any(sources) = &mut self.order else {
            return Ok(());
        };
        reserve(sources, steps.len(), self.budget)?;
        sources.extend(steps.iter().map(|step| step.source));
        self.edges
            .extend(steps.iter().map(|step| edge(step, labels)));
        Ok(())
    }

    /// All of it, when all batches were added.
    pub(super) fn finish(
        mut self,
        header: &Header,
        kept: Option<&Kept>,
    ) -> Result<Collected, NotRead> {
        let mut warnings = Vec::new();
        let (states, initial) = self.states(header, &mut warnings)?;
        self.check_count(header, &mut warnings);
        let rows = kept.map_or(states, |kept| kept.count(states));
        let starts = match std::mem::replace(&mut self.order, Order::Any(Vec::new())) {
            Order::Ascending(mut starts) => {
                let rest = rows as usize + 1 - starts.len();
                reserve(&mut starts, rest, self.budget)?;
                starts.resize(rows as usize + 1, self.edges.len() as u32);
                starts
            }
            Order::Any(sources) => self.sort(&sources, rows)?,
        };
        let (mut starts, mut edges) = (starts, self.edges);
        starts.shrink_to_fit();
        edges.shrink_to_fit();
        Ok(Collected {
            rows: Rows::new(starts, edges),
            whole: Whole {
                initial,
                states,
                transitions: self.transitions,
                labels: self.labels,
            },
            warnings,
        })
    }

    /// How many states there are, and which is the first.
    fn states(
        &mut self,
        header: &Header,
        warnings: &mut Vec<Diagnostic>,
    ) -> Result<(u32, u32), NotRead> {
        let granted = granted(self.transitions);
        if self.used > granted {
            return Err(self.refuse_widest(granted).into());
        }
        let mut warn = |message: String, help: String| {
            let line = u32::try_from(header.line).unwrap_or(u32::MAX);
            let warning = Diagnostic::new(Code::CountsDiffer, message).with_help(help);
            warnings.push(warning.in_file("", line, 0));
        };
        let (declared, used) = (header.states, self.used);
        let states = if declared > granted {
            let known = used.max(header.initial.min(granted - 1) + 1);
            let message =
                format!("the header declares {declared} states, but {known} can be of use");
            warn(
                message,
                format!("only the states up to {} exist", known - 1),
            );
            known
        } else {
            if declared < used {
                let declared = counted(declared, "state");
                let message = format!("the header declares {declared}, but {used} are used");
                warn(message, "all states that are used exist".to_owned());
            }
            declared.max(used)
        };
        if header.initial >= states {
            return Err(no_first_state(header, states).into());
        }
        Ok((states as u32, header.initial as u32))
    }

    fn refuse_widest(&mut self, granted: u64) -> Diagnostic {
        let most = granted.min(u64::from(LAST_STATE) + 1) - 1;
        let problem = self.too_wide.take();
        let mut problem = problem.unwrap_or_else(|| in_line(Code::StateGap, b"", 0..0, "", ""));
        let steps = counted(self.transitions, "transition");
        problem.label = Some(format!("expected at most {most} in a file with {steps}"));
        problem
    }

    fn check_count(&self, header: &Header, warnings: &mut Vec<Diagnostic>) {
        let (said, found) = (header.transitions, self.transitions);
        if said == found {
            return;
        }
        let help = if found < said {
            "check that the file was copied whole"
        } else {
            "all of them were read"
        };
        let line = u32::try_from(header.line).unwrap_or(u32::MAX);
        let message = format!(
            "the header declares {}, but the file has {found}",
            counted(said, "transition")
        );
        let warning = Diagnostic::new(Code::CountsDiffer, message).with_help(help);
        warnings.push(warning.in_file("", line, 0));
    }

    /// Sorts the steps by their sources; those of one source keep their order.
    fn sort(&mut self, sources: &[u32], rows: u32) -> Result<Vec<u32>, Spent> {
        let mut starts = Vec::new();
        reserve(&mut starts, rows as usize + 2, self.budget)?;
        starts.resize(rows as usize + 2, 0_u32);
        for stretch in sources.chunks(STRETCH) {
            self.budget.look()?;
            for &source in stretch {
                starts[source as usize + 2] += 1;
            }
        }
        for row in 2..starts.len() {
            starts[row] += starts[row - 1];
        }
        let mut sorted = Vec::new();
        reserve(&mut sorted, self.edges.len(), self.budget)?;
        sorted.resize(
            self.edges.len(),
            Edge {
                label: 0,
                target: 0,
            },
        );
        for (sources, edges) in sources.chunks(STRETCH).zip(self.edges.chunks(STRETCH)) {
            self.budget.look()?;
            for (&source, &edge) in sources.iter().zip(edges) {
                // One place on stands where the next step of this state goes; in the end, where those of the next start.
                let place = &mut starts[source as usize + 1];
                sorted[*place as usize] = edge;
                *place += 1;
            }
        }
        starts.pop();
        self.edges = sorted;
        Ok(starts)
    }
}

/// How many states a file with so many transitions may have.
fn granted(transitions: u64) -> u64 {
    FREE_STATES
        + STATES_PER_STEP
            .saturating_mul(transitions)
            .min(u64::from(LAST_STATE))
}

#[inline]
fn edge(step: &Step, labels: &[u32]) -> Edge {
    Edge {
        label: labels[step.label as usize],
        target: step.target,
    }
}

/// Makes room for more, by half of what is there at least, and pays for it.
fn reserve<T>(list: &mut Vec<T>, more: usize, budget: &Budget<'_>) -> Result<(), Spent> {
    let needed = list.len() + more;
    if needed > list.capacity() {
        let capacity = needed.max(list.capacity() + list.capacity() / 2);
        budget.charge((capacity - list.capacity()) * size_of::<T>())?;
        list.reserve_exact(capacity - list.len());
    }
    Ok(())
}

fn counted(count: u64, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

fn too_many_steps() -> Diagnostic {
    let message = "there are too many transitions";
    in_line(
        Code::TooManyTransitions,
        b"",
        0..0,
        message,
        format!("expected at most {}", u32::MAX),
    )
}

fn no_first_state(header: &Header, states: u64) -> Diagnostic {
    let initial = header.initial;
    let message = format!("the first state, {initial}, does not exist");
    let expected = match states {
        0 => "expected at least one state".to_owned(),
        states => format!("expected at most {}", states - 1),
    };
    let help = "states are numbered from 0; the header is `des (first state, transitions, states)`";
    header
        .first_state_problem(message, expected)
        .with_help(help)
}
