//! An observer that keeps what it hears: errors for the [`Error`] at the end, warnings for those who ask.

use std::sync::{Arc, Mutex, PoisonError};

use causet_base::Severity;
use causet_base::budget::Spent;

use crate::error::Error;
use crate::failure::Failure;
use crate::message::Message;
use crate::observer::{Observer, Progress};

/// Keeps what it hears, and passes everything on to another observer.
pub(crate) struct Collector {
    other: Arc<dyn Observer>,
    told: Mutex<Vec<Message>>,
}

impl Collector {
    pub(crate) fn of(other: Arc<dyn Observer>) -> Collector {
        Collector {
            other,
            told: Mutex::default(),
        }
    }

    /// All errors of work that failed.
    pub(crate) fn ended(&self, failure: Failure) -> Error {
        Error::after(self.heard(|severity| severity == Severity::Error), failure)
    }

    /// All warnings and notes.
    pub(crate) fn warnings(&self) -> Vec<Message> {
        self.heard(|severity| severity != Severity::Error)
    }

    fn heard(&self, is_meant: impl Fn(Severity) -> bool) -> Vec<Message> {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let meant = told.iter().filter(|message| is_meant(message.severity()));
        meant.cloned().collect()
    }
}

impl Observer for Collector {
    fn message(&self, message: &Message) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.push(message.clone());
        drop(told);
        self.other.message(message);
    }

    fn progress(&self, progress: Progress<'_>) {
        self.other.progress(progress);
    }

    fn stop(&self) -> Option<Spent> {
        self.other.stop()
    }
}
