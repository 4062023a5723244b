//! What was sent and seen, as a recorded run of two processes.
//!
//! ```text
//! tester  --?coin--> --?button-->   +-- !coffee    (delta: an event of the tester alone)   --reset-->
//!            \           \         /                                                            \
//! system      ?coin       ?button  !coffee                                                       reset
//! ```
//!
//! A stimulus is a message to the system, an observation one from it. The order is that of the tester: nobody else saw any.
//! So the system receives every stimulus as soon as it was sent and sends every output just before it is seen, and an
//! output that was on its way while the tester sent looks like an answer. The tester's variable `verdict` says how each
//! test ended.

use std::fmt;
use std::io::{self, Write};

use causet_record::{Builder, Recorder, Recording};

use crate::system::Observation;

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
    /// The adapter failed like this, and was started again.
    Broke(String),
    /// A test ended like this.
    Verdict(String),
}

impl Step {
    /// The label of a stimulus or an observation.
    pub fn label(&self) -> Option<&str> {
        match self {
            Step::Sent(label) | Step::Saw(label) => Some(label),
            Step::Silence => Some(causet_lts::conformance::roles::DELTA),
            Step::Reset | Step::Broke(_) | Step::Verdict(_) => None,
        }
    }
}

impl From<Observation> for Step {
    fn from(observation: Observation) -> Step {
        match observation {
            Observation::Output(label) => Step::Saw(label),
            Observation::Silence => Step::Silence,
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

/// What becomes of the steps of tests: they are written as they happen, or forgotten.
#[derive(Debug, Default)]
pub struct Log {
    run: Option<Run>,
    lost: usize,
}

impl Log {
    /// A log that nobody reads.
    pub fn none() -> Log {
        Log::default()
    }

    /// A log that writes the run in the native format, whole lines, and nothing is left unwritten after a verdict.
    pub fn to_writer(out: impl Write + Send + 'static) -> Log {
        Log {
            run: Some(Run::begin(|builder| builder.to_writer(out))),
            lost: 0,
        }
    }

    /// Adds a step.
    pub fn add(&mut self, step: &Step) {
        match &mut self.run {
            Some(run) if run.is_full() => self.lost += 1,
            Some(run) => run.add(step),
            None => {}
        }
    }

    /// How many steps there was no room for: the last ones of a run that is as long as a run can be.
    pub fn lost(&self) -> usize {
        self.lost
    }

    /// Ends the run that is written, and tells the first error there was in writing it.
    pub fn end(self) -> io::Result<()> {
        self.run.map_or(Ok(()), Run::end)
    }
}

/// The run while it is written.
struct Run {
    recording: Recording,
    tester: Recorder,
    system: Recorder,
}

impl Run {
    fn begin(open: impl FnOnce(Builder) -> Recording) -> Run {
        let builder = Recording::builder().processes(["tester", "system"]);
        let recording = open(builder.init("tester.verdict", "none").without_clocks());
        Run {
            tester: recording.process("tester"),
            system: recording.process("system"),
            recording,
        }
    }

    /// Events have numbers, and the numbers have an end.
    fn is_full(&self) -> bool {
        self.tester.position() == u32::MAX
    }

    fn add(&mut self, step: &Step) {
        let (tester, system) = (&mut self.tester, &mut self.system);
        match step {
            Step::Sent(label) => pass(tester, system, label),
            Step::Saw(label) => pass(system, tester, label),
            Step::Reset => pass(tester, system, "reset"),
            Step::Silence => {
                tester.event("delta").done();
            }
            Step::Broke(_) => {
                tester.event("restart").done();
            }
            Step::Verdict(word) => {
                tester.event("verdict").set("verdict", word.as_str()).done();
                // An error is told by the last flush.
                let _ = self.recording.flush();
            }
        }
    }

    fn end(self) -> io::Result<()> {
        self.tester.end();
        self.system.end();
        self.recording.flush()
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Run").field(&self.tester.position()).finish()
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
    fn what_cannot_be_written_is_told_at_the_end() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::Error::other("no room"))
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut log = Log::to_writer(Full);
        log.add(&Step::Verdict("PASS".to_owned()));
        let error = log.end().expect_err("nothing can be written");
        assert_eq!(error.to_string(), "no room");
    }
}
