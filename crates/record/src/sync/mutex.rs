//! A mutex: a lock comes after the last unlock.

use std::ops::{Deref, DerefMut};
use std::sync;

use super::edges::Edges;
use super::held;
use crate::recorder::Recorder;

/// A mutex whose events are `lock name` and `unlock name`.
#[derive(Debug)]
pub struct Mutex<T> {
    lock: String,
    unlock: String,
    inner: sync::Mutex<(T, Edges)>,
}

/// Access to what a [`Mutex`] holds. It has the recorder, so that the unlocking is recorded however it comes about;
/// meanwhile events are recorded through [`recorder`](MutexGuard::recorder).
#[derive(Debug)]
pub struct MutexGuard<'a, T> {
    unlock: &'a str,
    recorder: &'a mut Recorder,
    inner: sync::MutexGuard<'a, (T, Edges)>,
}

impl<T> Mutex<T> {
    /// A mutex and what it holds.
    pub fn new(name: &str, value: T) -> Self {
        Mutex {
            lock: format!("lock {name}"),
            unlock: format!("unlock {name}"),
            inner: sync::Mutex::new((value, Edges::default())),
        }
    }

    /// Waits for the mutex and locks it. A thread that panicked with the mutex locked has unlocked it.
    pub fn lock<'a>(&'a self, recorder: &'a mut Recorder) -> MutexGuard<'a, T> {
        let inner = held(self.inner.lock());
        inner.1.after_write(recorder.event(&self.lock)).done();
        MutexGuard {
            unlock: &self.unlock,
            recorder,
            inner,
        }
    }
}

impl<T> MutexGuard<'_, T> {
    /// The recorder, for events while the mutex is locked.
    pub fn recorder(&mut self) -> &mut Recorder {
        self.recorder
    }
}

impl<T> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        let event = self.recorder.event(self.unlock).done();
        self.inner.1.note_write(event);
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner.0
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner.0
    }
}
