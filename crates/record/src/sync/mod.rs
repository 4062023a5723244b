//! Shared memory that records itself: each operation is an event that comes after what it synchronises with.
//!
//! Every operation takes the recorder of the process that does it. The event is recorded while the object is held, so
//! the order of the lines is the order of the operations, and the edges are those the object enforces, no others:
//!
//! | object | the event | comes after |
//! |---|---|---|
//! | [`Shared`], [`AtomicInt`] | read | the last write |
//! | | write | the last write; if asked for, the reads since then |
//! | [`Mutex`] | lock | the last unlock |
//! | [`RwLock`] | lock to read | the last unlock of a writer |
//! | | lock to write | the last unlock of a writer and those of all readers since |
//! | [`channel`](fn@channel) | receive | the sending of the message |
//! | [`spawn`] | start | the spawning |
//! | | join | the last event of the thread |

mod atomic;
mod channel;
mod edges;
mod mutex;
mod rwlock;
mod shared;
mod thread;

pub use atomic::AtomicInt;
pub use channel::{Receiver, Sender, channel, channel_to};
pub use mutex::{Mutex, MutexGuard};
pub use rwlock::{ReadGuard, RwLock, WriteGuard};
pub use shared::Shared;
pub use thread::{JoinHandle, spawn};

use std::sync::PoisonError;

/// What a lock holds, whether or not a thread panicked while it held it.
fn held<G>(result: Result<G, PoisonError<G>>) -> G {
    result.unwrap_or_else(PoisonError::into_inner)
}
