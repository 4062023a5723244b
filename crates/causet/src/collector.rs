//! An observer that keeps the errors it hears, for the [`Error`] at the end.

use std::sync::{Arc, Mutex, PoisonError};

use causet_base::Severity;
use causet_base::budget::Spent;

use crate::error::Error;
use crate::failure::Failure;
use crate::message::Message;
use crate::observer::{Observer, Progress};

/// Keeps the errors it hears, and passes everything on to another observer.
pub(crate) struct Collector {
    other: Arc<dyn Observer>,
    errors: Mutex<Vec<Message>>,
}

impl Collector {
    pub(crate) fn of(other: Arc<dyn Observer>) -> Collector {
        Collector {
            other,
            errors: Mutex::default(),
        }
    }

    /// All errors of work that failed.
    pub(crate) fn ended(&self, failure: Failure) -> Error {
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        Error::after(errors.clone(), failure)
    }
}

impl Observer for Collector {
    fn message(&self, message: &Message) {
        if message.severity() == Severity::Error {
            let mut errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
            errors.push(message.clone());
        }
        self.other.message(message);
    }

    fn progress(&self, progress: Progress<'_>) {
        self.other.progress(progress);
    }

    fn stop(&self) -> Option<Spent> {
        self.other.stop()
    }
}
