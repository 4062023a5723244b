//! How a command ends: a status when it did its work, a failure when it could not.

pub(crate) use causet::inner::Failure;

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
    /// The address of this process is taken; the process that started it may choose another.
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

/// Tells the person why a command could not do its work, and gives the exit status.
pub(crate) fn report(failure: Failure) -> Status {
    let status = match &failure {
        Failure::Told | Failure::Refused(_) => Status::Refused,
        Failure::Lost(_) => Status::Lost,
        Failure::Taken => Status::Taken,
        Failure::Internal(_) => Status::Internal,
    };
    if let Some(diagnostic) = failure.diagnostic() {
        diagnostics::show(&diagnostic);
    }
    status
}
