//! What the program and the sending thread share: the queue, how the connection is, and what has gone wrong for good.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::options::ServerOptions;
use super::queue::Queue;
use super::replies::Reply;
use super::report::NotSent;
use super::stream::Stream;

/// Shared between the program and the sending thread.
pub(crate) struct Shared {
    pub(crate) options: ServerOptions,
    header: String,
    state: Mutex<State>,
    /// The sending thread waits here, for lines or for the end.
    for_sender: Condvar,
    /// The program waits here, for room or for acknowledgements.
    for_program: Condvar,
}

struct State {
    queue: Queue,
    link: Link,
    /// The connection, so that it can be ended while someone waits for it.
    stream: Option<Stream>,
    /// Since when the server owes an answer.
    owed_since: Option<Instant>,
    /// How many times more became safe.
    progress: u64,
    /// Whether the server has ever said what it has.
    was_let_in: bool,
    /// Why the last connection ended.
    trouble: Option<String>,
    failure: Option<Failure>,
    /// Whether a flush has waited in vain and nothing was acknowledged since.
    waited_in_vain: bool,
    is_sender_waiting: bool,
    is_closed: bool,
}

/// How the connection is.
enum Link {
    Away,
    /// Hello is said.
    Greeted,
    /// The server has said what it has; this is where the numbers begin.
    Opened(String),
    Sending,
    Broken(Trouble),
}

/// Why a connection ended.
#[derive(Clone, Debug)]
pub(crate) enum Trouble {
    Lost(String),
    Refused(String),
}

/// What has gone wrong for good.
enum Failure {
    /// There was no room for too long. What was taken in is still sent.
    Full,
    /// The server does not want the recording.
    Refused(String),
    /// What the server has does not fit.
    Amiss(String),
}

impl Shared {
    pub(crate) fn new(options: ServerOptions, header: String) -> Self {
        let state = State {
            queue: Queue::new(options.buffer),
            link: Link::Away,
            stream: None,
            owed_since: None,
            progress: 0,
            was_let_in: false,
            trouble: None,
            failure: None,
            waited_in_vain: false,
            is_sender_waiting: false,
            is_closed: false,
        };
        Shared {
            options,
            header,
            state: Mutex::new(state),
            for_sender: Condvar::new(),
            for_program: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing here is left half done by a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The side of the program.
impl Shared {
    /// Takes in an event; waits for room at most as long as said.
    pub(crate) fn event(&self, name: &Arc<str>, number: u32, line: &[u8]) {
        let mut state = self.state();
        let process = self.process(&mut state, name);
        if !state.may_take(process) {
            return state.queue.drop_event(process);
        }
        if !state.queue.has_room(line.len()) {
            let is_full =
                |state: &mut State| state.may_take(process) && !state.queue.has_room(line.len());
            let time = self.options.block_at_most;
            let waited = self.for_program.wait_timeout_while(state, time, is_full);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if state.may_take(process) && state.queue.has_room(line.len()) {
            state.queue.push(process, number, line);
            self.wake_sender(&state);
            return;
        }
        if !self.options.drop_when_full {
            state.failure.get_or_insert(Failure::Full);
        }
        state.queue.drop_event(process);
    }

    /// Takes in the end of a process.
    pub(crate) fn end(&self, name: &Arc<str>) {
        let mut state = self.state();
        let process = self.process(&mut state, name);
        state.queue.end(process);
        self.wake_sender(&state);
    }

    /// Waits until everything is acknowledged, as long as said; then says what is not.
    pub(crate) fn flush(&self) -> io::Result<()> {
        let state = self.state();
        let is_owed = |state: &mut State| !state.queue.is_safe() && !state.has_failed();
        let time = self.options.flush_at_most;
        let waited = self.for_program.wait_timeout_while(state, time, is_owed);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        state.waited_in_vain = !state.queue.is_safe();
        state.report(time)
    }

    /// Whether it makes sense to wait for acknowledgements.
    pub(crate) fn may_still_get_through(&self) -> bool {
        let state = self.state();
        !state.has_failed() && !state.waited_in_vain
    }

    /// Ends the sending thread, whatever it waits for.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        if let Some(stream) = &state.stream {
            stream.shut_down();
        }
        self.for_sender.notify_all();
    }

    fn process(&self, state: &mut State, name: &Arc<str>) -> usize {
        let (process, wrong) = state.queue.process(name);
        if let Some(wrong) = wrong {
            self.fail(state, Failure::Amiss(wrong));
        }
        process
    }

    fn wake_sender(&self, state: &State) {
        if state.is_sender_waiting {
            self.for_sender.notify_all();
        }
    }
}

/// The side of the sending thread.
impl Shared {
    /// Notes a connection on which hello is about to be said; `false` when everything is over.
    pub(crate) fn greet(&self, stream: Stream) -> bool {
        let mut state = self.state();
        state.link = Link::Greeted;
        state.stream = Some(stream);
        state.owed_since = Some(Instant::now());
        !state.is_over()
    }

    /// Waits for the next bytes to send; `false` when the connection has ended or everything is over.
    pub(crate) fn next(&self, most: usize, out: &mut Vec<u8>) -> bool {
        out.clear();
        let mut state = self.state();
        loop {
            if state.is_over() || matches!(state.link, Link::Broken(_)) {
                return false;
            }
            if let Link::Opened(from) = &state.link {
                out.extend_from_slice(self.header.as_bytes());
                out.extend_from_slice(from.as_bytes());
                state.link = Link::Sending;
                return true;
            }
            if matches!(state.link, Link::Sending) && state.queue.take(most, out) {
                state.owed_since.get_or_insert_with(Instant::now);
                return true;
            }
            state = self.wait(state, None);
        }
    }

    /// Takes note of what the server says; `false` when nothing more is wanted from it.
    pub(crate) fn hear(&self, reply: Reply) -> bool {
        let mut state = self.state();
        let heard = match reply {
            Reply::Error(error) => {
                state.link = Link::Broken(Trouble::Refused(error));
                Ok(false)
            }
            Reply::Have(have) => state.open(have),
            Reply::Ack(counts) => state.acknowledge(&counts),
        };
        state.owed_since = state.queue.is_under_way().then(Instant::now);
        let goes_on = heard.unwrap_or_else(|wrong| {
            self.fail(&mut state, Failure::Amiss(wrong));
            false
        });
        self.wake_sender(&state);
        self.for_program.notify_all();
        goes_on
    }

    /// Whether the server owes an answer for too long.
    pub(crate) fn is_silent(&self) -> bool {
        let since = self.state().owed_since;
        since.is_some_and(|since| since.elapsed() >= self.options.silence_at_most)
    }

    /// Notes that the connection is lost, unless more is known.
    pub(crate) fn lost(&self, reason: String) {
        let mut state = self.state();
        if !matches!(state.link, Link::Broken(_)) {
            state.link = Link::Broken(Trouble::Lost(reason));
        }
        self.wake_sender(&state);
    }

    /// Waits a moment for whoever reads to say why the connection ended.
    pub(crate) fn wait_for_reason(&self, time: Duration) {
        let end = Instant::now() + time;
        let mut state = self.state();
        while !state.is_over() && !matches!(state.link, Link::Broken(_)) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self.wait(state, Some(left));
        }
    }

    /// Leaves a connection; why it ended, or `None` when everything is over.
    pub(crate) fn leave(&self) -> Option<Trouble> {
        let mut state = self.state();
        state.stream = None;
        state.owed_since = None;
        let link = std::mem::replace(&mut state.link, Link::Away);
        if state.is_over() {
            return None;
        }
        let trouble = match link {
            Link::Broken(trouble) => trouble,
            _ => Trouble::Lost("the connection is lost".to_owned()),
        };
        let (Trouble::Lost(reason) | Trouble::Refused(reason)) = &trouble;
        state.trouble = Some(reason.clone());
        Some(trouble)
    }

    /// How many times more became safe so far.
    pub(crate) fn progress(&self) -> u64 {
        self.state().progress
    }

    /// Ends everything, because the server does not want it.
    pub(crate) fn refused(&self, reason: String) {
        self.fail(&mut self.state(), Failure::Refused(reason));
    }

    /// Waits before the next attempt; `false` when everything is over.
    pub(crate) fn pause(&self, time: Duration) -> bool {
        let end = Instant::now() + time;
        let mut state = self.state();
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || state.is_over() {
                return !state.is_over();
            }
            state = self.wait(state, Some(left));
        }
    }

    fn wait<'s>(
        &self,
        mut state: MutexGuard<'s, State>,
        time: Option<Duration>,
    ) -> MutexGuard<'s, State> {
        state.is_sender_waiting = true;
        let mut state = match time {
            None => {
                let waited = self.for_sender.wait(state);
                waited.unwrap_or_else(PoisonError::into_inner)
            }
            Some(time) => {
                let waited = self.for_sender.wait_timeout(state, time);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
        state.is_sender_waiting = false;
        state
    }

    fn fail(&self, state: &mut State, failure: Failure) {
        if !state.has_failed() {
            state.failure = Some(failure);
        }
        if let Some(stream) = &state.stream {
            stream.shut_down();
        }
        self.for_sender.notify_all();
        self.for_program.notify_all();
    }
}

impl State {
    /// Whether events of a process are taken in.
    fn may_take(&self, process: usize) -> bool {
        self.failure.is_none() && !self.queue.has_stopped(process)
    }

    /// Whether nothing will be sent any more.
    fn has_failed(&self) -> bool {
        matches!(self.failure, Some(Failure::Refused(_) | Failure::Amiss(_)))
    }

    fn is_over(&self) -> bool {
        self.is_closed || self.has_failed()
    }

    fn open(&mut self, have: Vec<(String, u32)>) -> Result<bool, String> {
        // It is said once, in answer to hello.
        if matches!(self.link, Link::Greeted) {
            let from = self.queue.begin(have)?;
            self.was_let_in = true;
            self.link = Link::Opened(from);
        }
        Ok(true)
    }

    fn acknowledge(&mut self, counts: &[(String, u32)]) -> Result<bool, String> {
        if self.queue.acknowledge(counts)? {
            self.progress += 1;
            self.waited_in_vain = false;
        }
        Ok(true)
    }

    /// What is missing, and why, after a flush that may have taken so long.
    fn report(&self, time: Duration) -> io::Result<()> {
        let mut missing = self.queue.missing();
        if self.was_let_in && matches!(self.failure, Some(Failure::Refused(_))) {
            // A run that takes nothing more is over; that a process has ended adds nothing to it.
            missing.retain(|missing| missing.kept > 0 || missing.dropped > 0);
        }
        if missing.is_empty() {
            return Ok(());
        }
        let was_dropped = missing.iter().any(|missing| missing.dropped > 0);
        let (kind, reason) = match &self.failure {
            Some(Failure::Refused(reason)) => {
                let reason = format!("the server refuses the recording: {reason}");
                (io::ErrorKind::ConnectionRefused, reason)
            }
            Some(Failure::Amiss(reason)) => (io::ErrorKind::InvalidData, reason.clone()),
            None if !was_dropped => (io::ErrorKind::TimedOut, self.late(time)),
            Some(Failure::Full) | None => {
                let reason = "the buffer for the server was full for too long";
                (io::ErrorKind::StorageFull, reason.to_owned())
            }
        };
        Err(io::Error::new(kind, NotSent { reason, missing }))
    }

    fn late(&self, time: Duration) -> String {
        let late = format!("the server has not acknowledged everything within {time:?}");
        match &self.trouble {
            None => late,
            Some(trouble) => format!("{late} ({trouble})"),
        }
    }
}
