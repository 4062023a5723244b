//! What can be wrong with a recorded run, each with the place, the words to underline and a way out.

use std::fmt;

use causet_base::Code;
use causet_base::ids::Place;

/// Why a run was refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuildError {
    /// The line at fault.
    pub place: Place,
    /// The field of that line to point at, such as `recv`; empty for the whole line.
    pub field: &'static str,
    /// The text within the field to point at, when the field holds several.
    pub text: String,
    /// What is wrong.
    pub kind: Fault,
}

/// An event named for a reader: process, position, place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedEvent {
    /// The name of its process.
    pub process: String,
    /// Its position in the process, from 1.
    pub position: u32,
    /// Where it was read.
    pub place: Place,
}

/// The kinds of faults in a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A process that the header does not list.
    UnknownProcess {
        /// The name.
        name: String,
        /// The listed process with the most similar name.
        nearest: Option<String>,
    },
    /// A process listed twice in the header.
    ProcessTwice(String),
    /// An event of a process that had ended.
    AfterEnd {
        /// The process.
        process: String,
        /// Where it ended.
        ended: Place,
    },
    /// A message received that nobody sent.
    ReceiveWithoutSend(String),
    /// A message sent a second time.
    SentTwice {
        /// The message.
        message: String,
        /// The first send.
        first: Place,
    },
    /// Two events with one `id`.
    NameTwice {
        /// The `id`.
        name: String,
        /// The first event that has it.
        first: Place,
    },
    /// An `after` that names no event.
    NoSuchEvent {
        /// The event as it was named.
        named: String,
        /// How many events the process has, when the process is known.
        events: Option<u32>,
    },
    /// A clock without the entry of its own process.
    ClockWithoutOwn(String),
    /// A clock entry smaller than in an earlier event of the same process.
    ClockBackwards {
        /// The process of the entry.
        entry: String,
        /// The entry before.
        was: u32,
        /// The entry now.
        now: u32,
    },
    /// The own entry of a clock jumps over events that are not in the log.
    ClockSkips {
        /// The process.
        process: String,
        /// The entry that was expected.
        expected: u32,
        /// The entry found.
        found: u32,
    },
    /// A clock counts more events of a process than the log has.
    ClockBeyondLog {
        /// The process of the entry.
        entry: String,
        /// The entry.
        count: u32,
        /// How many events of the process were read.
        events: u32,
    },
    /// A clock that knows less than an event it depends on.
    ClockContradicts {
        /// The process of the entry.
        entry: String,
        /// What the clock says.
        says: u32,
        /// What follows from the clocks and messages of its predecessors.
        follows: u32,
    },
    /// A clock with an entry for a process the run does not have.
    ClockUnknownProcess {
        /// The name in the clock.
        name: String,
        /// The process with the most similar name.
        nearest: Option<String>,
    },
    /// Events that would have to happen before themselves.
    Cycle(Vec<NamedEvent>),
    /// An initial value for a variable of a process the run does not have.
    UnknownInit {
        /// The name in the header.
        name: String,
    },
    /// A `read` of a variable that is not shared.
    ReadNotShared {
        /// The name.
        name: String,
        /// The shared variable with the most similar name.
        nearest: Option<String>,
    },
    /// A second header that says something else than the first.
    HeaderDisagrees(&'static str),
    /// More than 2^32 - 2 events.
    TooMany,
    /// Something that cannot be understood while the events pass by, since what it refers to has been forgotten.
    NotInPassing {
        /// What is wrong.
        message: String,
        /// What the person can do about it.
        help: &'static str,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::UnknownProcess { name, .. } => write!(f, "unknown process `{name}`"),
            Fault::ProcessTwice(name) => write!(f, "process `{name}` is listed twice"),
            Fault::AfterEnd { process, .. } => {
                write!(f, "`{process}` goes on after its end")
            }
            Fault::ReceiveWithoutSend(message) => {
                write!(f, "message `{message}` is received but never sent")
            }
            Fault::SentTwice { message, .. } => write!(f, "message `{message}` is sent twice"),
            Fault::NameTwice { name, .. } => write!(f, "two events have the id `{name}`"),
            Fault::NoSuchEvent { named, .. } => write!(f, "there is no event {named}"),
            Fault::ClockWithoutOwn(process) => {
                write!(f, "the clock has no entry for its own process `{process}`")
            }
            Fault::ClockBackwards { entry, was, now } => {
                write!(
                    f,
                    "the clock goes backwards: `{entry}` was {was} and is {now}"
                )
            }
            Fault::ClockSkips {
                process,
                expected,
                found,
            } => write!(
                f,
                "the clock of `{process}` skips from {} to {found}",
                expected - 1
            ),
            Fault::ClockBeyondLog {
                entry,
                count,
                events,
            } => write!(
                f,
                "the clock counts {count} events of `{entry}`, the log has {events}"
            ),
            Fault::ClockContradicts {
                entry,
                says,
                follows,
            } => write!(
                f,
                "the clock contradicts another: it counts {says} events of `{entry}`, \
                 but an event it depends on comes after {follows} of them"
            ),
            Fault::ClockUnknownProcess { name, .. } => {
                write!(f, "the clock names the unknown process `{name}`")
            }
            Fault::Cycle(events) => {
                let names: Vec<String> = events
                    .iter()
                    .chain(events.first())
                    .map(ToString::to_string)
                    .collect();
                write!(
                    f,
                    "these events would have to happen before themselves: {}",
                    names.join(" -> ")
                )
            }
            Fault::UnknownInit { name } => {
                write!(
                    f,
                    "`{name}` is neither a shared variable nor one of a process"
                )
            }
            Fault::ReadNotShared { name, .. } => write!(f, "`{name}` is not a shared variable"),
            Fault::HeaderDisagrees(field) => {
                write!(f, "this header and the first one disagree about `{field}`")
            }
            Fault::TooMany => write!(f, "a run can have at most 4,294,967,294 events"),
            Fault::NotInPassing { message, .. } => f.write_str(message),
        }
    }
}

impl fmt::Display for NamedEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}#{} (line {})",
            self.process, self.position, self.place.line
        )
    }
}

impl Fault {
    /// The stable code of the fault.
    pub fn code(&self) -> Code {
        match self {
            Fault::UnknownProcess { .. } => Code::UnknownProcess,
            Fault::ProcessTwice(_) => Code::ProcessTwice,
            Fault::AfterEnd { .. } => Code::EventAfterEnd,
            Fault::ReceiveWithoutSend(_) => Code::ReceiveWithoutSend,
            Fault::SentTwice { .. } => Code::MessageSentTwice,
            Fault::NameTwice { .. } => Code::DuplicateId,
            Fault::NoSuchEvent { .. } => Code::NoSuchEvent,
            Fault::ClockWithoutOwn(_) => Code::ClockWithoutOwnEntry,
            Fault::ClockBackwards { .. } => Code::ClockGoesBack,
            Fault::ClockSkips { .. } => Code::ClockSkips,
            Fault::ClockBeyondLog { .. } => Code::ClockBeyondLog,
            Fault::ClockContradicts { .. } => Code::ClockContradicts,
            Fault::ClockUnknownProcess { .. } => Code::ClockOfUnknownProcess,
            Fault::Cycle(_) => Code::Cycle,
            Fault::UnknownInit { .. } => Code::UnknownInit,
            Fault::ReadNotShared { .. } => Code::ReadNotShared,
            Fault::HeaderDisagrees(_) => Code::HeadersDisagree,
            Fault::TooMany => Code::TooManyEvents,
            Fault::NotInPassing { .. } => Code::NotInPassing,
        }
    }

    /// What was expected at the place underlined.
    pub fn expected(&self) -> &'static str {
        match self {
            Fault::UnknownProcess { .. } => "expected a process listed in the header",
            Fault::ProcessTwice(_) => "expected each process once",
            Fault::AfterEnd { .. } => "expected nothing more of this process",
            Fault::ReceiveWithoutSend(_) => "expected a message that some event sends",
            Fault::SentTwice { .. } => "expected a message id that was not sent before",
            Fault::NameTwice { .. } => "expected an id of its own for each event",
            Fault::NoSuchEvent { .. } => "expected an event of this run",
            Fault::ClockWithoutOwn(_) => "expected an entry for the process itself",
            Fault::ClockBackwards { .. } => "expected an entry at least as large as before",
            Fault::ClockSkips { .. } => "expected the number of this event in its process",
            Fault::ClockBeyondLog { .. } => "expected at most the number of events in the log",
            Fault::ClockContradicts { .. } => "expected to know what its predecessors know",
            Fault::ClockUnknownProcess { .. } => "expected a process of this run",
            Fault::Cycle(_) => "one event of the cycle",
            Fault::UnknownInit { .. } => "expected a shared variable or `process.variable`",
            Fault::ReadNotShared { .. } => "expected a variable listed in `shared`",
            Fault::HeaderDisagrees(_) => "expected the same as in the first header",
            Fault::TooMany => "one event too many",
            Fault::NotInPassing { .. } => "needs more than the events at hand",
        }
    }

    /// What the person can do about it.
    pub fn help(&self) -> String {
        match self {
            Fault::UnknownProcess { nearest, .. } | Fault::ClockUnknownProcess { nearest, .. } => {
                match nearest {
                    Some(name) => format!("did you mean `{name}`?"),
                    None => "add it to `processes` in the header, or leave `processes` out".into(),
                }
            }
            Fault::ProcessTwice(_) => "remove one of the two".into(),
            Fault::AfterEnd { ended, .. } => {
                format!("its end was marked on line {}: move the mark down", ended.line)
            }
            Fault::ReceiveWithoutSend(_) => {
                "add the line that sends it, or read with --lenient if that line was lost".into()
            }
            Fault::SentTwice { first, .. } => format!(
                "it was first sent on line {}: give each message its own id (several processes may receive one)",
                first.line
            ),
            Fault::NameTwice { first, .. } => {
                format!("the other one is on line {}", first.line)
            }
            Fault::NoSuchEvent { events, .. } => match events {
                Some(count) => format!("the process has {count} events, counted from 1"),
                None => "name an event as [\"process\", number] or by its `id`".into(),
            },
            Fault::ClockWithoutOwn(_) => {
                "a clock counts the event itself: its own entry is 1 or more".into()
            }
            Fault::ClockBackwards { .. } => {
                "the lines of one process must stand in its process order".into()
            }
            Fault::ClockSkips { .. } | Fault::ClockBeyondLog { .. } => {
                "events are missing from the log: read with --lenient to keep the order that is known".into()
            }
            Fault::ClockContradicts { .. } => {
                "a receive takes the component-wise maximum of its own clock and the sender's".into()
            }
            Fault::Cycle(_) => {
                "one of these edges (messages, clocks, `after`, shared variables) is wrong".into()
            }
            Fault::UnknownInit { .. } => {
                "list it in `shared`, or write it as `process.variable` with a process of this run".into()
            }
            Fault::ReadNotShared { nearest, .. } => match nearest {
                Some(name) => format!("did you mean `{name}`?"),
                None => "list it in `shared` in the header; reads of local variables order nothing"
                    .into(),
            },
            Fault::HeaderDisagrees(_) => {
                "the parts of one run have one header; leave it out of the other files".into()
            }
            Fault::TooMany => "split the run".into(),
            Fault::NotInPassing { help, .. } => (*help).into(),
        }
    }
}

/// Something odd that was let pass because the reader was told to be lenient.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// The line it is about.
    pub place: Place,
    /// What is odd.
    pub kind: Fault,
}
