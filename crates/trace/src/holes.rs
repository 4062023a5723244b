//! What is known to be missing from a recorded run, and what that leaves in doubt.
//!
//! Vector clocks order the events that were logged whatever else is missing, as long as every event has one; and they
//! count the events of each process. Then only the values are in doubt that the missing events may have written: those of
//! their process, and those that are shared. Without clocks, a receive without a send says that an event is missing,
//! perhaps of whom, and that something came before the receive which is not known.

use causet_base::ids::ProcessId;

/// The holes of a log.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Holes {
    /// The processes some of whose events are missing.
    silent: Vec<ProcessId>,
    /// Whether a whole process may be missing that the log does not name.
    has_outsiders: bool,
    /// Whether the list of processes follows from the lines, some of which are missing: they may have stood in another
    /// order.
    is_list_open: bool,
    /// Whether events are missing of nobody knows whom.
    is_anybody: bool,
    /// Whether some events may be ordered that are not known to be.
    is_order_open: bool,
}

impl Holes {
    /// Whether nothing is known to be missing.
    pub fn is_empty(&self) -> bool {
        *self == Holes::default()
    }

    /// Whether events of a process are missing.
    pub fn has_missing(&self, process: ProcessId) -> bool {
        self.is_anybody || self.silent.contains(&process)
    }

    /// Whether events are missing of nobody knows whom.
    pub fn is_anybody(&self) -> bool {
        self.is_anybody
    }

    /// Whether a whole process may be missing that the log does not name.
    pub fn has_outsiders(&self) -> bool {
        self.has_outsiders
    }

    /// Whether the processes may be in another order with the missing lines: no header lists them.
    pub fn is_list_open(&self) -> bool {
        self.is_list_open
    }

    /// The processes some of whose events are missing.
    pub fn silent(&self) -> &[ProcessId] {
        &self.silent
    }

    /// Whether events are missing that may have written shared variables, or are of any label.
    pub fn has_missing_events(&self) -> bool {
        !self.silent.is_empty() || self.has_outsiders || self.is_anybody
    }

    /// Whether some events may be ordered that are not known to be.
    pub fn is_order_open(&self) -> bool {
        self.is_order_open
    }

    /// Notes that events of a process are missing.
    pub(crate) fn add_missing(&mut self, process: ProcessId) {
        if !self.silent.contains(&process) {
            self.silent.push(process);
        }
    }

    /// Notes that an event is missing, of any process.
    pub(crate) fn add_anybody(&mut self) {
        self.is_anybody = true;
    }

    /// Notes that a process may be missing that the log does not name.
    pub(crate) fn add_outsider(&mut self) {
        self.has_outsiders = true;
    }

    /// Notes that missing lines may change the order of the processes.
    pub(crate) fn open_list(&mut self) {
        self.is_list_open = true;
    }

    /// Notes that some order may be missing.
    pub(crate) fn open_order(&mut self) {
        self.is_order_open = true;
    }
}
