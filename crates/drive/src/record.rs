//! What was sent and seen, as a recorded run of two processes.
//!
//! ```text
//! tester  --?coin--> --?button-->   +-- !coffee    (delta: an event of the tester alone)   --reset-->
//!            \           \         /                                                            \
//! system      ?coin       ?button  !coffee                                                       reset
//! ```
//!
//! A stimulus is a message to the system, an observation one from it, so that properties of the run see what could have
//! crossed on the way. The tester's variable `verdict` says how each test ended.

use std::collections::VecDeque;

use causet_record::{Recorder, Recording};

/// Something that happened in a test.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// The tester did this to the system.
    Sent(String),
    /// The tester saw this.
    Saw(String),
    /// The tester saw nothing for as long as it waits.
    Silence,
    /// The system was brought back to its first state.
    Reset,
    /// A test ended like this.
    Verdict(String),
}

impl Step {
    /// The label of a stimulus or an observation.
    pub fn label(&self) -> Option<&str> {
        match self {
            Step::Sent(label) | Step::Saw(label) => Some(label),
            Step::Silence => Some(causet_lts::conformance::roles::DELTA),
            Step::Reset | Step::Verdict(_) => None,
        }
    }
}

/// The labels of some steps.
pub fn labels(steps: &[Step]) -> Vec<String> {
    steps
        .iter()
        .filter_map(Step::label)
        .map(str::to_owned)
        .collect()
}

/// The steps that are kept of a long test, the last ones.
#[derive(Clone, Debug)]
pub struct Log {
    steps: VecDeque<Step>,
    most: usize,
    forgotten: usize,
}

impl Log {
    /// A log of so many steps at most.
    pub fn new(most: usize) -> Log {
        Log {
            steps: VecDeque::new(),
            most,
            forgotten: 0,
        }
    }

    /// Adds a step, and forgets the first if there are too many.
    pub fn add(&mut self, step: Step) {
        if self.steps.len() >= self.most {
            self.steps.pop_front();
            self.forgotten += 1;
        }
        if self.most > 0 {
            self.steps.push_back(step);
        }
    }

    /// How many steps at the beginning were forgotten.
    pub fn forgotten(&self) -> usize {
        self.forgotten
    }

    /// The run in the native format.
    pub fn text(&self) -> String {
        let builder = Recording::builder().processes(["tester", "system"]);
        let (recording, memory) = builder
            .init("tester.verdict", "none")
            .without_clocks()
            .to_memory();
        let mut tester = recording.process("tester");
        let mut system = recording.process("system");
        for step in &self.steps {
            match step {
                Step::Sent(label) => pass(&mut tester, &mut system, label),
                Step::Saw(label) => pass(&mut system, &mut tester, label),
                Step::Reset => pass(&mut tester, &mut system, "reset"),
                Step::Silence => {
                    tester.event("delta").done();
                }
                Step::Verdict(word) => {
                    tester.event("verdict").set("verdict", word.as_str()).done();
                }
            }
        }
        tester.end();
        system.end();
        memory.text()
    }
}

fn pass(from: &mut Recorder, to: &mut Recorder, label: &str) {
    let stamp = from.event(label).to(to.name()).send();
    to.event(label).recv(&stamp).done();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_log_keeps_its_end() {
        let mut log = Log::new(2);
        for label in ["a", "b", "c"] {
            log.add(Step::Saw(label.to_owned()));
        }
        assert_eq!(log.forgotten(), 1);
        assert_eq!(
            log.steps,
            [Step::Saw("b".to_owned()), Step::Saw("c".to_owned())]
        );
    }
}
