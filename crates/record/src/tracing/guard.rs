//! A recording in memory of what one thread says by `tracing`, for tests.

use std::fmt;
use std::ops::Deref;

use ::tracing::subscriber::{DefaultGuard, set_default};
use tracing_subscriber::Registry;
use tracing_subscriber::layer::{Layer as Subscribe, SubscriberExt};

use super::{Layer, Turmoil};
use crate::recording::{Memory, Recording};

/// A recording in memory of the spans and events of a thread. It lasts until the guard is dropped; then the subscriber
/// that was in force before is in force again.
///
/// Another thread records into it after `let _guard = tracing::dispatcher::set_default(&dispatch)`, where `dispatch` is
/// what `tracing::dispatcher::get_default(Clone::clone)` gives on this one.
#[must_use = "the recording ends when the guard is dropped"]
pub struct RecordingGuard {
    memory: Memory,
    _subscriber: DefaultGuard,
}

/// Records the spans and events of this thread by a [`Layer`].
///
/// ```
/// use causet_record::tracing::record;
/// use tracing::{info, info_span};
///
/// let recorded = record();
/// info_span!("serving", process = "server").in_scope(|| info!(stored = 7, "store"));
/// assert!(recorded.text().contains(r#"{"p":"server","ev":"store","set":{"stored":7}}"#));
/// ```
pub fn record() -> RecordingGuard {
    record_with(Layer::new)
}

/// Records a simulation of turmoil that runs on this thread, by a [`Turmoil`]. It begins before the hosts are registered.
pub fn record_turmoil() -> RecordingGuard {
    record_with(Turmoil::new)
}

fn record_with<L>(layer: impl FnOnce(Recording) -> L) -> RecordingGuard
where
    L: Subscribe<Registry> + Send + Sync,
{
    let (recording, memory) = Recording::builder().to_memory();
    let subscriber = tracing_subscriber::registry().with(layer(recording));
    RecordingGuard {
        memory,
        _subscriber: set_default(subscriber),
    }
}

impl Deref for RecordingGuard {
    type Target = Memory;

    fn deref(&self) -> &Memory {
        &self.memory
    }
}

impl fmt::Debug for RecordingGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordingGuard").finish_non_exhaustive()
    }
}
