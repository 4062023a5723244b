//! The process behind which the system under test stands.
//!
//! The command is cut into words as a shell would cut them, but nothing in it is expanded and no shell sees it. Three
//! threads do what could wait for ever: one reads lines, one keeps the end of what comes on standard error, one writes.
//! The tester itself waits only on channels, for a time that is known before.
//!
//! ```text
//!              orders                stdin  +---------+
//! Adapter --------------> writer ---------->| process |      a group of processes of its own:
//!    ^  ^----- written ------+              |         |      all that is left of it is killed at the end
//!    |  ^----- heard -- reader <--- stdout -|         |
//!    +-------- Tail <--------------- stderr-+---------+
//! ```
//!
//! The reader stops when the tester is far behind, so an adapter that floods waits in its own pipe.

use std::io::{self, BufReader, Read, Write};
use std::process::{ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use causet_base::budget::Budget;
use causet_base::{Code, Diagnostic};
use causet_child::{Group, NotWords, Words};

use crate::protocol::{Heard, Order, Said, hear};
use crate::system::{Observation, System, Trouble};
use crate::tail::Tail;

/// So many lines may be there before the reader waits.
const AHEAD: usize = 256;

/// So often a limit or an interruption is asked for while nothing happens.
const LOOK: Duration = Duration::from_millis(50);

/// So long an adapter that ends may take to end.
const LEAVE: Duration = Duration::from_millis(500);

/// How long the tester waits for what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// For the first sign of life, and after a reset.
    pub ready: Duration,
    /// For an observation; after that the system is taken to be silent.
    pub quiet: Duration,
    /// For the adapter to take a line.
    pub write: Duration,
    /// So many observations may come without a stimulus or a reset in between.
    pub flood: usize,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            ready: Duration::from_secs(10),
            quiet: Duration::from_millis(250),
            write: Duration::from_secs(5),
            flood: 10_000,
        }
    }
}

/// An adapter that runs.
pub struct Adapter {
    /// The command as the person gave it, for messages.
    command: String,
    patience: Patience,
    process: Group,
    orders: SyncSender<Vec<u8>>,
    written: Receiver<io::Result<()>>,
    heard: Receiver<Heard>,
    errors: Tail,
    /// What it said last, for messages.
    last: Option<String>,
    since_order: usize,
    /// Whether it is started again when it fails.
    restarts: bool,
}

impl Adapter {
    /// Starts an adapter and waits until it is ready.
    pub fn start(
        command: &str,
        patience: Patience,
        budget: &Budget<'_>,
    ) -> Result<Adapter, Trouble> {
        // From here on the process is ended, whatever happens.
        let mut process = spawn(command)
            .map_err(|why| Trouble::Adapter(format!("the adapter `{command}` {why}")))?;
        let child = process.leader();
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let errors = Tail::default();
        let kept = errors.clone();
        let followed = begin("adapter errors", move || {
            stderr.into_iter().for_each(|stream| kept.follow(stream));
        });
        let (tell, heard) = sync_channel(AHEAD);
        let read = begin("adapter output", move || {
            stdout.into_iter().for_each(|stream| listen(stream, &tell));
        });
        let (orders, lines) = sync_channel::<Vec<u8>>(1);
        let (done, written) = sync_channel(1);
        let wrote = begin("adapter input", move || {
            stdin
                .into_iter()
                .for_each(|stream| write(stream, &lines, &done));
        });
        let mut adapter = Adapter {
            command: command.to_owned(),
            patience,
            process,
            orders,
            written,
            heard,
            errors,
            last: None,
            since_order: 0,
            restarts: false,
        };
        if let Err(error) = followed.and(read).and(wrote) {
            return Err(adapter.trouble(&format!("cannot be listened to: {error}")));
        }
        adapter.await_ready("after it was started", budget)?;
        Ok(adapter)
    }

    /// The same adapter, which is started again when it fails.
    pub fn restarting(mut self) -> Adapter {
        self.restarts = true;
        self
    }

    /// The number of the process, which is that of its group.
    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    fn await_ready(&mut self, when: &str, budget: &Budget<'_>) -> Result<(), Trouble> {
        self.since_order = 0;
        let until = in_future(self.patience.ready);
        loop {
            match self.next(until, budget)? {
                Some(Said::Ready(true)) => break,
                // What it saw before belongs to the past.
                Some(_) => {}
                None => {
                    let time = self.patience.ready;
                    return Err(self.trouble(&format!("was not ready within {time:?} {when}")));
                }
            }
        }
        self.since_order = 0;
        Ok(())
    }

    /// The next thing the adapter says until then; an error of its own is one.
    fn next(&mut self, until: Instant, budget: &Budget<'_>) -> Result<Option<Said>, Trouble> {
        let heard = loop {
            budget.look()?;
            let left = until.saturating_duration_since(Instant::now());
            match self.heard.recv_timeout(left.min(LOOK)) {
                Ok(heard) => break heard,
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break Heard::End,
            }
        };
        match heard {
            Heard::Said(Said::Error(what)) => Err(self.trouble(&format!("gave up: {what}"))),
            Heard::Said(said) => {
                self.since_order += 1;
                if self.since_order > self.patience.flood {
                    let most = self.patience.flood;
                    let what = format!("said more than {most} things without being told to do any");
                    return Err(self.trouble(&what));
                }
                self.last = Some(match &said {
                    Said::Saw(label) => format!("that it saw {label}"),
                    Said::Ready(false) => "that it is not ready".to_owned(),
                    _ => "that it is ready".to_owned(),
                });
                Ok(Some(said))
            }
            Heard::Garbage(what) => {
                Err(self.trouble(&format!("said what no adapter should say: {what}")))
            }
            Heard::End => Err(self.ended()),
        }
    }

    fn tell(&mut self, order: &Order, budget: &Budget<'_>) -> Result<(), Trouble> {
        self.since_order = 0;
        let until = in_future(self.patience.write);
        // There is room for a line: nothing is sent before the line in front of it was written.
        if self.orders.send(order.line().into_bytes()).is_err() {
            return Err(self.ended());
        }
        loop {
            budget.look()?;
            let left = until.saturating_duration_since(Instant::now());
            match self.written.recv_timeout(left.min(LOOK)) {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    let time = self.patience.write;
                    return Err(self.trouble(&format!("did not take an order within {time:?}")));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// The output or the input is closed: the process may have ended, and perhaps it said why before.
    fn ended(&mut self) -> Trouble {
        while let Ok(heard) = self.heard.try_recv() {
            if let Heard::Said(Said::Error(what)) = heard {
                return self.trouble(&format!("gave up: {what}"));
            }
        }
        match within(LEAVE, || self.process.ended().ok().flatten()) {
            Some(status) => {
                // Its last words may still be on their way, and a child of its own may keep the stream open.
                within(LEAVE, || self.errors.is_over().then_some(()));
                self.trouble(&format!("ended ({status})"))
            }
            None => self.trouble("closed its output or its input and goes on"),
        }
    }

    fn trouble(&self, what: &str) -> Trouble {
        let mut sentence = format!("the adapter `{}` {what}", self.command);
        if let Some(last) = &self.last {
            sentence += &format!("; the last thing it said was {last}");
        }
        let lines = self.errors.last_lines(3);
        if !lines.is_empty() {
            sentence += &format!("; on standard error: {}", lines.join(" / "));
        }
        Trouble::Adapter(sentence)
    }
}

impl System for Adapter {
    fn reset(&mut self, budget: &Budget<'_>) -> Result<(), Trouble> {
        self.tell(&Order::Reset(true), budget)?;
        self.await_ready("after a reset", budget)
    }

    fn stimulate(&mut self, label: &str, budget: &Budget<'_>) -> Result<(), Trouble> {
        self.tell(&Order::Do(label.to_owned()), budget)
    }

    fn glance(&mut self, budget: &Budget<'_>) -> Result<Option<String>, Trouble> {
        match self.next(Instant::now(), budget)? {
            Some(said) => self.observation(said).map(Some),
            None => Ok(None),
        }
    }

    fn watch(&mut self, budget: &Budget<'_>) -> Result<Observation, Trouble> {
        let until = in_future(self.patience.quiet);
        match self.next(until, budget)? {
            Some(said) => self.observation(said).map(Observation::Output),
            None => Ok(Observation::Silence),
        }
    }

    fn can_restart(&self) -> bool {
        self.restarts
    }

    fn restart(&mut self, budget: &Budget<'_>) -> Result<(), Trouble> {
        // What the next one needs, such as a port, the last one must have given back.
        let _ = self.process.end();
        let next = Adapter::start(&self.command, self.patience, budget)?;
        *self = Adapter {
            restarts: self.restarts,
            ..next
        };
        Ok(())
    }

    fn pause(&mut self, time: Duration, budget: &Budget<'_>) -> Result<(), Trouble> {
        let until = in_future(time);
        loop {
            budget.look()?;
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(LOOK));
        }
    }
}

impl Adapter {
    fn observation(&mut self, said: Said) -> Result<String, Trouble> {
        match said {
            Said::Saw(label) => Ok(label),
            _ => Err(self.trouble("said whether it is ready without having been reset")),
        }
    }
}

fn spawn(command: &str) -> Result<Group, Diagnostic> {
    let failed = |why: String| Diagnostic::new(Code::AdapterFailed, why);
    let words = Words::of(command).map_err(|why| match why {
        NotWords::Open => failed("has a quote or a backslash that does not end".to_owned()),
        NotWords::Empty => failed("names no program".to_owned()),
    })?;
    let piped = Stdio::piped;
    let mut command = words.command();
    command.stdin(piped()).stdout(piped()).stderr(piped());
    Group::spawn(&mut command).map_err(|error| failed(format!("cannot be started: {error}")))
}

/// Nobody joins these threads: a process that left the group could keep a pipe open for ever.
fn begin(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let builder = thread::Builder::new().name(name.to_owned());
    builder.spawn(work).map(drop)
}

fn listen(stream: impl Read, tell: &SyncSender<Heard>) {
    let mut lines = BufReader::new(stream);
    loop {
        let heard = hear(&mut lines);
        let is_over = !matches!(heard, Heard::Said(_));
        if tell.send(heard).is_err() || is_over {
            return;
        }
    }
}

fn write(mut stream: ChildStdin, lines: &Receiver<Vec<u8>>, done: &SyncSender<io::Result<()>>) {
    for line in lines {
        let written = stream.write_all(&line).and_then(|()| stream.flush());
        let failed = written.is_err();
        if done.send(written).is_err() || failed {
            return;
        }
    }
}

/// The end of a time that begins now; one that the clock cannot count ends when nobody waits any more.
fn in_future(time: Duration) -> Instant {
    let now = Instant::now();
    let longest = Duration::from_secs(u64::from(u32::MAX));
    now.checked_add(time.min(longest)).unwrap_or(now)
}

/// What is there within some time.
fn within<T>(time: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let until = in_future(time);
    loop {
        let found = look();
        if found.is_some() || Instant::now() >= until {
            return found;
        }
        thread::sleep(Duration::from_millis(5));
    }
}
