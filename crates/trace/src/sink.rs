//! Whoever takes the events of a run as they are read: the builder, or someone who keeps less of them.
//!
//! ```text
//! declare_*, init --> enter_part --> start_block --> names (process, text, variable, message), add, end --+
//!                         ^              ^                                                               |
//!                         +--------------+---------------------------------------------------------------+
//! ```
//!
//! Everything in an event was named before it is added, in the same block. What the names of processes and variables
//! stand for never changes; what a text or a message stands for is asked anew in every block, so that a sink can forget
//! them. A message is asked for once per mention, in the order of the block: first all that are sent, then all that are
//! received.

use crate::builder::{NewEvent, TraceBuilder};
use crate::error::{BuildError, Fault};
use crate::value::StoredValue;
use causet_base::ids::{MessageId, Place, ProcessId, TextId, VarId};

/// Takes the events of a run.
pub trait Sink {
    /// What is read next belongs to this part.
    fn enter_part(&mut self, part: u32);

    /// A new block begins: texts and messages are named again.
    fn start_block(&mut self) {}

    /// Whether more events are wanted; asked after each block.
    fn wants_more(&self) -> bool {
        true
    }

    /// Where a line of the current part is.
    fn place(&self, line: u32) -> Place;

    /// Lists the processes; from now on any other is refused.
    fn declare_processes(&mut self, names: &[String]) -> Result<(), Fault>;

    /// Says that a variable name is shared by all processes.
    fn declare_shared(&mut self, name: &str);

    /// Says that the order of the lines is one real execution.
    fn declare_observed(&mut self);

    /// Hands over what the header carries for its writer's own use.
    fn set_meta(&mut self, _meta: &str) {}

    /// Gives a variable, named as in formulas, its initial value.
    fn init(&mut self, name: &str, value: StoredValue, place: Place);

    /// The process with a name.
    fn process(&mut self, name: &str) -> Result<ProcessId, Fault>;

    /// The process a clock entry names.
    fn clock_process(&mut self, name: &str) -> Result<ProcessId, Fault>;

    /// The number of a text.
    fn text(&mut self, text: &str) -> TextId;

    /// The variable an event of `process` means by `name`.
    fn variable(&mut self, process: ProcessId, name: &str) -> VarId;

    /// The shared variable with a name.
    fn shared_variable(&mut self, name: &str) -> Result<VarId, Fault>;

    /// The message with an id.
    fn message(&mut self, id: &str) -> MessageId;

    /// Takes the next event of a process.
    fn add(&mut self, event: &NewEvent<'_>) -> Result<(), BuildError>;

    /// Marks the end of a process.
    fn end(&mut self, process: ProcessId, line: u32) -> Result<(), BuildError>;
}

impl Sink for TraceBuilder {
    fn enter_part(&mut self, part: u32) {
        while self.parts() <= part {
            self.start_part();
        }
    }

    #[inline]
    fn place(&self, line: u32) -> Place {
        TraceBuilder::place(self, line)
    }

    fn declare_processes(&mut self, names: &[String]) -> Result<(), Fault> {
        TraceBuilder::declare_processes(self, names.iter().map(String::as_str))
    }

    fn declare_shared(&mut self, name: &str) {
        TraceBuilder::declare_shared(self, name);
    }

    fn declare_observed(&mut self) {
        TraceBuilder::declare_observed(self);
    }

    fn set_meta(&mut self, meta: &str) {
        TraceBuilder::set_meta(self, meta);
    }

    fn init(&mut self, name: &str, value: StoredValue, place: Place) {
        // The builder takes initial values for those of the part it is in, and the header of the run corrects it.
        TraceBuilder::init(self, name, value, place.line);
    }

    #[inline]
    fn process(&mut self, name: &str) -> Result<ProcessId, Fault> {
        TraceBuilder::process(self, name)
    }

    #[inline]
    fn clock_process(&mut self, name: &str) -> Result<ProcessId, Fault> {
        TraceBuilder::clock_process(self, name)
    }

    #[inline]
    fn text(&mut self, text: &str) -> TextId {
        TraceBuilder::text(self, text)
    }

    #[inline]
    fn variable(&mut self, process: ProcessId, name: &str) -> VarId {
        TraceBuilder::variable(self, process, name)
    }

    fn shared_variable(&mut self, name: &str) -> Result<VarId, Fault> {
        TraceBuilder::shared_variable(self, name)
    }

    #[inline]
    fn message(&mut self, id: &str) -> MessageId {
        TraceBuilder::message(self, id)
    }

    #[inline]
    fn add(&mut self, event: &NewEvent<'_>) -> Result<(), BuildError> {
        TraceBuilder::add(self, event).map(drop)
    }

    fn end(&mut self, process: ProcessId, line: u32) -> Result<(), BuildError> {
        TraceBuilder::end(self, process, line)
    }
}
