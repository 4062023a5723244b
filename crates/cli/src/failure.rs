//! How a command ends: a status when it did its work, a failure when it could not.

use std::fmt;

use causet_base::{Code, Diagnostic};

use crate::diagnostics;

/// The exit status of work that was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// Every property holds, or there was nothing to decide.
    Fine,
    /// At least one property is violated.
    Violated,
    /// The usage, the input or a formula is wrong.
    Refused,
    /// None violated, at least one unknown.
    Unknown,
    /// Several processes worked together, and one of them was lost or could not be found.
    Lost,
    /// The address of this process is taken; whoever started it may choose another.
    Taken,
    /// This program contradicts itself.
    Internal,
}

impl Status {
    /// The number the shell sees.
    pub(crate) fn code(self) -> i32 {
        match self {
            Status::Fine => 0,
            Status::Violated => 1,
            Status::Refused => 2,
            Status::Unknown => 3,
            Status::Lost => 4,
            // EX_TEMPFAIL of sysexits.h.
            Status::Taken => 75,
            // EX_SOFTWARE of sysexits.h.
            Status::Internal => 70,
        }
    }
}

impl From<Diagnostic> for Failure {
    fn from(error: Diagnostic) -> Self {
        Failure::Refused(error)
    }
}

/// Why a command could not do its work.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something is wrong with what the person gave.
    Refused(Diagnostic),
    /// The same, and the person has been told already.
    Told,
    /// One of several processes was lost, or they could not be brought together.
    Lost(String),
    /// The address of this process is taken, and whoever started it knows what to do.
    Taken,
    /// This program is wrong: an engine and the code that re-checks it disagree, or a thread ended early.
    Internal(String),
}

impl Failure {
    /// A refusal without a way out.
    pub(crate) fn refused(code: Code, message: impl Into<String>) -> Failure {
        Failure::Refused(Diagnostic::new(code, message))
    }

    /// A refusal with a way out.
    pub(crate) fn helped(
        code: Code,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Failure {
        Failure::Refused(Diagnostic::new(code, message).with_help(help))
    }

    /// Something that was read or written could not be.
    pub(crate) fn io(code: Code, what: impl fmt::Display, error: &std::io::Error) -> Failure {
        Failure::refused(code, format!("{what}: {error}"))
    }

    /// What is wrong, for a sentence around it.
    pub(crate) fn sentence(&self) -> String {
        match self {
            Failure::Refused(error) => error.message.clone(),
            Failure::Internal(message) | Failure::Lost(message) => message.clone(),
            Failure::Told => "see above".to_owned(),
            Failure::Taken => "its address is taken".to_owned(),
        }
    }

    /// Tells the person and gives the exit status.
    pub(crate) fn report(self) -> Status {
        match self {
            Failure::Told => Status::Refused,
            Failure::Refused(error) => {
                diagnostics::show(&error);
                Status::Refused
            }
            Failure::Lost(message) => {
                let help =
                    "no verdict is given, because messages are missing: start all processes again";
                diagnostics::sentence(Code::ProcessLost, &message, Some(help));
                Status::Lost
            }
            Failure::Taken => Status::Taken,
            Failure::Internal(message) => {
                let help = "this is a defect of causet, and no verdict is given: please report it together with the \
                            trace and the properties";
                let message = format!("internal error: {message}");
                diagnostics::sentence(Code::Internal, &message, Some(help));
                Status::Internal
            }
        }
    }
}
