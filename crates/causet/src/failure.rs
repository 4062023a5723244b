//! Why work could not be done.

use std::fmt;

use causet_base::{Code, Diagnostic};

impl From<Diagnostic> for Failure {
    fn from(error: Diagnostic) -> Self {
        Failure::Refused(error)
    }
}

/// Why work could not be done.
#[derive(Debug)]
pub enum Failure {
    /// Something is wrong with what the person gave.
    Refused(Diagnostic),
    /// The same, and the observer has heard of it.
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
    pub fn refused(code: Code, message: impl Into<String>) -> Failure {
        Failure::Refused(Diagnostic::new(code, message))
    }

    /// A refusal with a way out.
    pub fn helped(code: Code, message: impl Into<String>, help: impl Into<String>) -> Failure {
        Failure::Refused(Diagnostic::new(code, message).with_help(help))
    }

    /// Something that was read or written could not be.
    pub fn io(code: Code, what: impl fmt::Display, error: &std::io::Error) -> Failure {
        Failure::refused(code, format!("{what}: {error}"))
    }

    /// What is wrong, for a sentence around it.
    pub fn sentence(&self) -> String {
        match self {
            Failure::Refused(error) => error.message.clone(),
            Failure::Internal(message) | Failure::Lost(message) => message.clone(),
            Failure::Told => "see above".to_owned(),
            Failure::Taken => "its address is taken".to_owned(),
        }
    }

    /// What to tell of it; nothing if the observer has heard of it.
    pub fn diagnostic(self) -> Option<Diagnostic> {
        match self {
            Failure::Told | Failure::Taken => None,
            Failure::Refused(error) => Some(error),
            Failure::Lost(message) => Some(Diagnostic::new(Code::ProcessLost, message).with_help(
                "no verdict is given, because messages are missing: start all processes again",
            )),
            Failure::Internal(message) => {
                let message = format!("internal error: {message}");
                Some(Diagnostic::new(Code::Internal, message).with_help(
                    "this is a defect of causet, and no verdict is given: please report it together with the trace and the \
                     properties",
                ))
            }
        }
    }
}
