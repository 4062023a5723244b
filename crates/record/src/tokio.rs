//! Tasks and channels of tokio that record themselves.
//!
//! A task is a process: it owns its recorder and takes it along when it moves between threads. Nothing is kept in
//! thread-local or task-local storage, so `select!`, cancellation and nested runtimes change nothing: an event is recorded
//! when its line of code runs.
//!
//! ```
//! use causet_record::{Recording, tokio::{channel_to, spawn}};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let (recording, memory) = Recording::builder().processes(["main", "echo"]).to_memory();
//! let mut main = recording.process("main");
//! let (sender, mut receiver) = channel_to("echo");
//! let echo = spawn(&mut main, "echo", async move |mut echo| receiver.recv(&mut echo).await);
//! sender.send(&mut main, 7).expect("the task waits");
//! assert_eq!(echo.join(&mut main).await.expect("no panic"), Some(7));
//! assert_eq!(
//!     memory.text().lines().last(),
//!     Some(r#"{"p":"main","ev":"join echo","after":[["echo",2]]}"#)
//! );
//! # }
//! ```

use ::tokio::sync::mpsc;
use ::tokio::sync::mpsc::error::{SendError, TryRecvError};
use ::tokio::task;

use crate::event::Event;
use crate::recorder::Recorder;
use crate::stamp::Stamp;

/// A task that can be waited for.
#[derive(Debug)]
pub struct JoinHandle<T> {
    process: String,
    inner: task::JoinHandle<T>,
}

/// The sending half of a channel.
#[derive(Debug)]
pub struct Sender<T> {
    inner: mpsc::UnboundedSender<(T, Stamp)>,
    to: Option<String>,
}

/// The receiving half of a channel.
#[derive(Debug)]
pub struct Receiver<T> {
    inner: mpsc::UnboundedReceiver<(T, Stamp)>,
}

/// Begins a task that is a process of the recording: an event `spawn name` here, an event `start` there.
///
/// # Panics
///
/// Outside a runtime, or if the recording refuses the process; see [`Recording::process`](crate::Recording::process).
pub fn spawn<F>(
    recorder: &mut Recorder,
    process: &str,
    body: impl FnOnce(Recorder) -> F,
) -> JoinHandle<F::Output>
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    let child = recorder.spawn(process);
    JoinHandle {
        process: process.to_owned(),
        inner: task::spawn(body(child)),
    }
}

/// A channel without a bound. One with a bound would order a sending after the receipt that made room, which no message
/// shows.
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    open(None)
}

/// A channel to a process; messages under way are known to be for it.
pub fn channel_to<T>(process: &str) -> (Sender<T>, Receiver<T>) {
    open(Some(process.to_owned()))
}

fn open<T>(to: Option<String>) -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    (Sender { inner: sender, to }, Receiver { inner: receiver })
}

impl<T> JoinHandle<T> {
    /// Waits for the task: an event `join name`, after the last event of the task, be it finished or aborted.
    pub async fn join(self, recorder: &mut Recorder) -> Result<T, task::JoinError> {
        let result = self.inner.await;
        recorder.join(&self.process);
        result
    }

    /// Asks the task to stop at its next wait.
    pub fn abort(&self) {
        self.inner.abort();
    }
}

impl<T> Sender<T> {
    /// Sends a value: an event `send`. If the receiver is gone, the value comes back, and the message is recorded as
    /// one that never arrives.
    pub fn send(&self, recorder: &mut Recorder, value: T) -> Result<(), SendError<T>> {
        self.send_as(recorder.event("send"), value)
    }

    /// Sends a value by an event of one's own.
    pub fn send_as(&self, event: Event<'_>, value: T) -> Result<(), SendError<T>> {
        let stamp = event.addressed(self.to.as_deref()).send();
        let sent = self.inner.send((value, stamp));
        sent.map_err(|SendError((value, _))| SendError(value))
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Sender {
            inner: self.inner.clone(),
            to: self.to.clone(),
        }
    }
}

impl<T> Receiver<T> {
    /// Waits for a value: an event `receive`. `None`, without an event, once all senders are gone. If the wait is
    /// cancelled, nothing is lost.
    pub async fn recv(&mut self, recorder: &mut Recorder) -> Option<T> {
        let (value, stamp) = self.take().await?;
        recorder.event("receive").recv(&stamp).done();
        Some(value)
    }

    /// Takes a value if there is one: an event `receive`. There is no event if there is none.
    pub fn try_recv(&mut self, recorder: &mut Recorder) -> Result<T, TryRecvError> {
        let (value, stamp) = self.inner.try_recv()?;
        recorder.event("receive").recv(&stamp).done();
        Ok(value)
    }

    /// Waits for a value and gives its stamp with it, for an event of one's own.
    pub async fn take(&mut self) -> Option<(T, Stamp)> {
        self.inner.recv().await
    }
}
