//! A lock for many readers or one writer: readers come after the last writer, a writer after all before it.

use std::ops::{Deref, DerefMut};
use std::sync;

use super::edges::Edges;
use super::held;
use crate::recorder::Recorder;

/// A lock whose events are `lock name` and `unlock name` for a writer, `share name` and `unshare name` for a reader.
#[derive(Debug)]
pub struct RwLock<T> {
    labels: Labels,
    inner: sync::RwLock<T>,
    /// Readers change it too, so it has a lock of its own, which is never waited for with `inner` wanted.
    edges: sync::Mutex<Edges>,
}

#[derive(Debug)]
struct Labels {
    lock: String,
    unlock: String,
    share: String,
    unshare: String,
}

/// Access of one reader among many to what a [`RwLock`] holds.
#[derive(Debug)]
pub struct ReadGuard<'a, T> {
    lock: &'a RwLock<T>,
    recorder: &'a mut Recorder,
    inner: sync::RwLockReadGuard<'a, T>,
}

/// Access of the one writer to what a [`RwLock`] holds.
#[derive(Debug)]
pub struct WriteGuard<'a, T> {
    lock: &'a RwLock<T>,
    recorder: &'a mut Recorder,
    inner: sync::RwLockWriteGuard<'a, T>,
}

impl<T> RwLock<T> {
    /// A lock and what it holds.
    pub fn new(name: &str, value: T) -> Self {
        RwLock {
            labels: Labels {
                lock: format!("lock {name}"),
                unlock: format!("unlock {name}"),
                share: format!("share {name}"),
                unshare: format!("unshare {name}"),
            },
            inner: sync::RwLock::new(value),
            edges: sync::Mutex::default(),
        }
    }

    /// Waits until there is no writer.
    pub fn read<'a>(&'a self, recorder: &'a mut Recorder) -> ReadGuard<'a, T> {
        let inner = held(self.inner.read());
        let event = recorder.event(&self.labels.share);
        held(self.edges.lock()).after_write(event).done();
        ReadGuard {
            lock: self,
            recorder,
            inner,
        }
    }

    /// Waits until there is neither reader nor writer.
    pub fn write<'a>(&'a self, recorder: &'a mut Recorder) -> WriteGuard<'a, T> {
        let inner = held(self.inner.write());
        let event = recorder.event(&self.labels.lock);
        held(self.edges.lock()).after_all(event).done();
        WriteGuard {
            lock: self,
            recorder,
            inner,
        }
    }
}

impl<T> ReadGuard<'_, T> {
    /// The recorder, for events while the lock is held.
    pub fn recorder(&mut self) -> &mut Recorder {
        self.recorder
    }
}

impl<T> WriteGuard<'_, T> {
    /// The recorder, for events while the lock is held.
    pub fn recorder(&mut self) -> &mut Recorder {
        self.recorder
    }
}

impl<T> Drop for ReadGuard<'_, T> {
    fn drop(&mut self) {
        let event = self.recorder.event(&self.lock.labels.unshare).done();
        held(self.lock.edges.lock()).note_read(event);
    }
}

impl<T> Drop for WriteGuard<'_, T> {
    fn drop(&mut self) {
        let event = self.recorder.event(&self.lock.labels.unlock).done();
        held(self.lock.edges.lock()).note_write(event);
    }
}

impl<T> Deref for ReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T> Deref for WriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T> DerefMut for WriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}
