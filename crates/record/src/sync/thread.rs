//! Threads: the first event of one comes after its spawning, a join after its last event.

use std::thread;

use crate::recorder::Recorder;

/// A thread that can be waited for.
#[derive(Debug)]
pub struct JoinHandle<T> {
    process: String,
    inner: thread::JoinHandle<T>,
}

/// Begins a thread that is a process of the recording: an event `spawn name` here, an event `start` there.
///
/// # Panics
///
/// If the recording refuses the process; see [`Recording::process`](crate::Recording::process).
pub fn spawn<T: Send + 'static>(
    recorder: &mut Recorder,
    process: &str,
    body: impl FnOnce(Recorder) -> T + Send + 'static,
) -> JoinHandle<T> {
    let child = recorder.spawn(process);
    JoinHandle {
        process: process.to_owned(),
        inner: thread::spawn(move || body(child)),
    }
}

impl<T> JoinHandle<T> {
    /// Waits for the thread: an event `join name`. What the thread's recorder did after the thread had moved it
    /// elsewhere comes after nothing.
    pub fn join(self, recorder: &mut Recorder) -> thread::Result<T> {
        let result = self.inner.join();
        recorder.join(&self.process);
        result
    }
}
