//! A channel between threads: each message carries its stamp.

use std::sync::mpsc::{self, RecvError, SendError, TryRecvError};

use crate::event::Event;
use crate::recorder::Recorder;
use crate::stamp::Stamp;

/// The sending half of a channel.
#[derive(Debug)]
pub struct Sender<T> {
    inner: mpsc::Sender<(T, Stamp)>,
    to: Option<String>,
}

/// The receiving half of a channel.
#[derive(Debug)]
pub struct Receiver<T> {
    inner: mpsc::Receiver<(T, Stamp)>,
}

/// A channel without a bound.
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    open(None)
}

/// A channel to a process; messages under way are known to be for it.
pub fn channel_to<T>(process: &str) -> (Sender<T>, Receiver<T>) {
    open(Some(process.to_owned()))
}

fn open<T>(to: Option<String>) -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = mpsc::channel();
    (Sender { inner: sender, to }, Receiver { inner: receiver })
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
    /// Waits for a value: an event `receive`.
    pub fn recv(&self, recorder: &mut Recorder) -> Result<T, RecvError> {
        let (value, stamp) = self.take()?;
        recorder.event("receive").recv(&stamp).done();
        Ok(value)
    }

    /// Takes a value if there is one: an event `receive`. There is no event if there is none.
    pub fn try_recv(&self, recorder: &mut Recorder) -> Result<T, TryRecvError> {
        let (value, stamp) = self.inner.try_recv()?;
        recorder.event("receive").recv(&stamp).done();
        Ok(value)
    }

    /// Waits for a value and gives its stamp with it, for an event of one's own.
    pub fn take(&self) -> Result<(T, Stamp), RecvError> {
        self.inner.recv()
    }
}
