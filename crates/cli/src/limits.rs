//! What a person allows a command: its limits, Ctrl-C, and the progress bar on the terminal.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use causet::{Message, Observer, Progress, Severity, Spent};

use causet::inner as watch;
pub(crate) use causet::inner::{Limits, NotRead, peak_bytes, resident_bytes};

use crate::cli::lts::Allowed;
use crate::diagnostics;
use crate::progress::Bar;

/// Set by Ctrl-C; a second one ends the process at once.
static CANCELLED: AtomicBool = AtomicBool::new(false);

/// The limit that another process reached, which holds for all that decide together.
static IMPOSED: OnceLock<Spent> = OnceLock::new();

/// Whether nothing but errors is shown.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Shows messages and progress on standard error, and ends the work at Ctrl-C.
#[derive(Default)]
struct Terminal {
    bar: Bar,
}

impl Observer for Terminal {
    fn message(&self, message: &Message) {
        if !QUIET.load(Ordering::Relaxed) || message.severity() == Severity::Error {
            diagnostics::show_message(message);
        }
    }

    fn progress(&self, progress: Progress<'_>) {
        match progress {
            Progress::Begins { doing, total } => self.bar.start(doing, total),
            Progress::Bytes(done) => self.bar.bytes(done),
            Progress::Steps(done) => self.bar.steps(done),
            Progress::Lines(text) => self.bar.lines(text),
            Progress::Ends => self.bar.end(),
        }
    }

    fn stop(&self) -> Option<Spent> {
        if CANCELLED.load(Ordering::Relaxed) {
            return Some(Spent::Cancelled);
        }
        IMPOSED.get().copied()
    }
}

/// Limits that count from now, shown on the terminal.
pub(crate) fn limits(timeout: Option<Duration>, memory: Option<u64>) -> Limits {
    Limits::new(timeout, memory, Arc::new(Terminal::default()))
}

/// Lets the work of this command show nothing but errors from now on.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Limits as they were given, counted from now, with an ear for Ctrl-C.
pub(crate) fn of(allowed: Allowed) -> Arc<Limits> {
    listen_for_interrupt();
    Arc::new(limits(allowed.timeout, allowed.memory))
}

/// Does work that is nothing until it is done, within limits; it may outlive the command when the watcher gives up on it.
pub(crate) fn finished<A: Send + Sync + 'static, T: Send + 'static>(
    arguments: &Arc<A>,
    limits: &Arc<Limits>,
    work: impl FnOnce(&A, &Limits) -> Result<T, NotRead> + Send + 'static,
) -> Result<T, NotRead> {
    let (arguments, own) = (Arc::clone(arguments), Arc::clone(limits));
    watch::finished(limits, move || work(&arguments, &own))
}

/// Lets the first Ctrl-C end the work with what is known so far. Where no handler can be set, Ctrl-C just ends.
pub(crate) fn listen_for_interrupt() {
    let handler = || {
        if CANCELLED.swap(true, Ordering::Relaxed) {
            causet_child::end_all();
            std::process::exit(130);
        }
    };
    let _ = ctrlc::set_handler(handler);
}

/// Ends the work with what is known so far.
pub(crate) fn cancel() {
    CANCELLED.store(true, Ordering::Relaxed);
}

/// Ends the work because another process reached a limit. The first limit stands.
pub(crate) fn impose(spent: Spent) {
    IMPOSED.get_or_init(|| spent);
}
