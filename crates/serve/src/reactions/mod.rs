//! What a server does about news beside telling them: it calls an address, or runs a command.
//!
//! ```text
//! news --> a queue that never makes anyone wait --> a thread of its own --> the address, the command
//!              |                                         |
//!              +-- full: dropped, and said               +-- at the end: a while to finish, then it stops
//! ```
//!
//! Verdicts are never late because somebody does not answer: what does not fit into the queue is dropped, and how much
//! that was is said on standard error.

pub mod command;
pub mod webhook;

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// So many news wait for a reaction.
const QUEUE: usize = 256;
/// So long somebody may take who was told to stop.
const STOPPING: Duration = Duration::from_secs(5);
/// How often it is looked whether somebody has finished.
const LOOK: Duration = Duration::from_millis(10);

/// Says something on standard error.
pub type Say = Arc<dyn Fn(&str) + Send + Sync>;

/// Somebody who reacts.
pub struct Reaction {
    name: &'static str,
    queue: SyncSender<Arc<str>>,
    dropped: AtomicU64,
    stop: Arc<Stop>,
    thread: JoinHandle<()>,
    say: Say,
}

/// Where somebody who reacts finds what there is to do.
pub(crate) struct Inbox {
    queue: Receiver<Arc<str>>,
    stop: Arc<Stop>,
}

#[derive(Default)]
struct Stop {
    is_set: Mutex<bool>,
    changed: Condvar,
}

impl Reaction {
    /// Starts somebody who works through an inbox until it ends.
    fn start(
        name: &'static str,
        say: Say,
        work: impl FnOnce(Inbox) + Send + 'static,
    ) -> io::Result<Reaction> {
        let (sender, queue) = sync_channel(QUEUE);
        let stop = Arc::new(Stop::default());
        let inbox = Inbox {
            queue,
            stop: Arc::clone(&stop),
        };
        let thread = std::thread::Builder::new().name(name.to_owned());
        Ok(Reaction {
            name,
            queue: sender,
            dropped: AtomicU64::new(0),
            stop,
            thread: thread.spawn(move || work(inbox))?,
            say,
        })
    }

    /// Hands over news, a line of JSON; never waits.
    pub fn react(&self, line: &Arc<str>) {
        if self.queue.try_send(Arc::clone(line)).is_ok() {
            return;
        }
        let dropped = self.dropped.fetch_add(1, Ordering::Relaxed) + 1;
        if dropped.is_power_of_two() {
            let name = self.name;
            (self.say)(&format!(
                "the {name} is too slow: {dropped} news dropped so far"
            ));
        }
    }

    /// Lets what waits be done for a while, and then stops it.
    pub fn end(self, grace: Duration) {
        drop(self.queue);
        wait_for(&self.thread, grace);
        self.stop.set();
        wait_for(&self.thread, STOPPING);
        let dropped = self.dropped.load(Ordering::Relaxed);
        if dropped > 0 {
            let name = self.name;
            (self.say)(&format!(
                "the {name} was too slow: {dropped} news dropped in all"
            ));
        }
    }
}

/// Waits until a thread has finished, but not for ever.
fn wait_for(thread: &JoinHandle<()>, most: Duration) {
    let start = Instant::now();
    while !thread.is_finished() && start.elapsed() < most {
        std::thread::sleep(LOOK);
    }
}

impl Stop {
    fn set(&self) {
        *self.is_set.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }
}

impl Inbox {
    /// The next news; `None` when nothing more will come.
    fn next(&self) -> Option<Arc<str>> {
        self.queue.recv().ok()
    }

    /// The next news if they come soon.
    fn soon(&self, most: Duration) -> Result<Arc<str>, RecvTimeoutError> {
        self.queue.recv_timeout(most)
    }

    /// How many news are left that nobody will look at.
    fn left(&self) -> usize {
        self.queue.try_iter().count()
    }

    /// Waits for a while; whether it is time to stop.
    fn pause(&self, time: Duration) -> bool {
        let guard = self.stop.is_set.lock();
        let guard = guard.unwrap_or_else(PoisonError::into_inner);
        let waited = self
            .stop
            .changed
            .wait_timeout_while(guard, time, |is_set| !*is_set);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_for_a_reaction_and_what_is_dropped_is_said() {
        let said = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&said);
        let say: Say = Arc::new(move |text| heard.lock().expect("no panic").push(text.to_owned()));
        let reaction = Reaction::start("snail", say, |inbox| while !inbox.pause(LOOK) {});
        let reaction = reaction.expect("a thread");
        let line: Arc<str> = Arc::from("{}");
        (0..QUEUE + 3).for_each(|_| reaction.react(&line));
        reaction.end(Duration::ZERO);
        let said = said.lock().expect("no panic");
        assert_eq!(
            *said,
            [
                "the snail is too slow: 1 news dropped so far",
                "the snail is too slow: 2 news dropped so far",
                "the snail was too slow: 3 news dropped in all"
            ]
        );
    }
}
