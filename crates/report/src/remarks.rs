//! What to know of a run as a whole before any verdict: it has no event, nothing orders its processes, or its times run
//! backwards.

use causet_base::{Code, Diagnostic};
use causet_trace::{ProcessId, Trace};

/// What is odd about a run.
#[derive(Clone, Default, Debug)]
pub struct Remarks {
    /// What may make verdicts mean something else.
    pub warnings: Vec<Diagnostic>,
    /// What is worth knowing.
    pub notes: Vec<Diagnostic>,
}

impl Remarks {
    /// All of them, warnings first.
    pub fn all(&self) -> impl Iterator<Item = &Diagnostic> {
        self.warnings.iter().chain(&self.notes)
    }
}

/// Fewer times of a process than this say nothing about their direction.
const FEWEST_TIMES: usize = 4;

/// Looks at a run.
pub fn remarks(trace: &Trace) -> Remarks {
    Remarks {
        warnings: no_events(trace)
            .into_iter()
            .chain(backward_times(trace))
            .collect(),
        notes: unordered_processes(trace).into_iter().collect(),
    }
}

fn no_events(trace: &Trace) -> Option<Diagnostic> {
    trace.is_empty().then(|| {
        let message = "no process has an event, so there is only one moment to look at";
        Diagnostic::new(Code::NothingHappened, message).with_help("the header lists the processes, and no line is an event of theirs: was the run recorded to its end?")
    })
}

fn unordered_processes(trace: &Trace) -> Option<Diagnostic> {
    let order = trace.order();
    let busy = order
        .processes()
        .filter(|&process| !order.chain(process).is_empty());
    let count = busy.count();
    let is_ordered = || {
        trace
            .events()
            .any(|event| !order.crossing_into(event).is_empty())
    };
    (count > 1 && !is_ordered()).then(|| {
        let message = format!(
            "nothing orders the {count} processes with each other, so all orders of their events are checked"
        );
        Diagnostic::new(Code::UnorderedProcesses, message)
            .with_help("log the messages between them (`send`, `recv`) or their vector clocks")
    })
}

fn backward_times(trace: &Trace) -> Option<Diagnostic> {
    let processes = trace.order().processes();
    let backward: Vec<ProcessId> = processes
        .filter(|&process| runs_backwards(trace, process))
        .collect();
    let first = trace.process_name(*backward.first()?);
    let message = match backward.len() {
        1 => format!("the times of `{first}` mostly run backwards"),
        count => {
            format!("the times of {count} processes, `{first}` among them, mostly run backwards")
        }
    };
    let help = "the order of its lines is the order of a process: is the log sorted with the newest line first?";
    Some(Diagnostic::new(Code::BackwardTimes, message).with_help(help))
}

/// Whether more than half of the steps of a process lead back in time.
fn runs_backwards(trace: &Trace, process: ProcessId) -> bool {
    let mut steps = [0, 0];
    let mut last = None;
    for &event in trace.order().chain(process) {
        let Some(time) = trace.time(event) else {
            continue;
        };
        if let Some(last) = last.replace(time) {
            steps[usize::from(time < last)] += 1;
        }
    }
    let [forward, backward] = steps;
    forward + backward + 1 >= FEWEST_TIMES && backward > forward
}
