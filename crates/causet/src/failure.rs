//! How a command ends: a status when it did its work, a failure when it could not.

use std::fmt;

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
            // EX_SOFTWARE of sysexits.h.
            Status::Internal => 70,
        }
    }
}

/// Why a command could not do its work.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something is wrong with what the person gave: a sentence, and perhaps a way out.
    Refused {
        /// What is wrong.
        message: String,
        /// What to do about it.
        help: Option<String>,
    },
    /// The same, and the person has been told already.
    Told,
    /// This program is wrong: an engine and the code that re-checks it disagree, or a thread ended early.
    Internal(String),
}

impl Failure {
    /// A refusal without a way out.
    pub(crate) fn refused(message: impl Into<String>) -> Failure {
        Failure::Refused {
            message: message.into(),
            help: None,
        }
    }

    /// A refusal with a way out.
    pub(crate) fn helped(message: impl Into<String>, help: impl Into<String>) -> Failure {
        Failure::Refused {
            message: message.into(),
            help: Some(help.into()),
        }
    }

    /// Something that was read or written could not be.
    pub(crate) fn io(what: impl fmt::Display, error: &std::io::Error) -> Failure {
        Failure::refused(format!("{what}: {error}"))
    }

    /// What is wrong, for a sentence around it.
    pub(crate) fn sentence(&self) -> String {
        match self {
            Failure::Refused { message, .. } | Failure::Internal(message) => message.clone(),
            Failure::Told => "see above".to_owned(),
        }
    }

    /// Tells the person and gives the exit status.
    pub(crate) fn report(self) -> Status {
        match self {
            Failure::Told => Status::Refused,
            Failure::Refused { message, help } => {
                diagnostics::sentence(&message, help.as_deref());
                Status::Refused
            }
            Failure::Internal(message) => {
                let help = "this is a defect of causet, and no verdict is given: please report it together with the \
                            trace and the properties";
                diagnostics::sentence(&format!("internal error: {message}"), Some(help));
                Status::Internal
            }
        }
    }
}
