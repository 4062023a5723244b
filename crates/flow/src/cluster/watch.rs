//! What a process knows of the others while they work together: whether all are there, and what they last told.
//!
//! A run goes on until one of four things happens, and the first one stands: it finished, this process gave up, another
//! was lost, or the cluster was dropped. Threads that serve the links report here and wait here. A loss is shown only
//! once the others were told of it (or a moment has passed), because who sees it may end the process at once, and the
//! others would then take this process for the one that was lost first.

use std::fmt;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use causet_base::budget::Spent;
use causet_solve::workers::NotSolved;

/// How long the last words to the others may take before nobody waits for them any more.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// How long the end of a data link may stay unexplained before it is a loss by itself.
const EXPLANATION: Duration = Duration::from_secs(1);
/// How the reason starts when a process gives up because of a limit.
const LIMIT: &str = "a limit was reached there: ";
/// The most workers whose figures are told.
pub(super) const MOST_WORKERS: usize = 4096;

/// What one worker has done so far.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Figures {
    /// Variables it has met.
    pub variables: u64,
    /// Variables that wait to be expanded.
    pub queued: u64,
    /// Messages it has sent.
    pub messages: u64,
    /// Bytes it has sent.
    pub bytes: u64,
    /// How much of its time it had nothing to do, in thousandths.
    pub idle_permille: u32,
    /// Steps it has taken.
    pub steps: u64,
}

/// A process that is no longer there, and how that was noticed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lost {
    /// The process that was lost.
    pub process: usize,
    /// Its address.
    pub address: String,
    /// How it was lost.
    pub how: How,
    /// The process that noticed it first.
    pub noticed_by: usize,
    /// The process that says so here.
    pub here: usize,
}

/// How a process was lost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum How {
    /// It closed its links without a goodbye.
    Closed,
    /// The link to it broke; this is what the system said.
    Reset(String),
    /// It was not heard of for so long.
    Silent(Duration),
    /// It gave up, and said why.
    Failed(String),
}

impl Lost {
    /// The limit that the process had reached, if it gave up because of one.
    pub fn limit(&self) -> Option<Spent> {
        let How::Failed(why) = &self.how else {
            return None;
        };
        let word = why.strip_prefix(LIMIT)?;
        [Spent::Time, Spent::Memory, Spent::Cancelled]
            .into_iter()
            .find(|spent| spent.to_string() == word)
    }
}

impl From<Lost> for NotSolved {
    fn from(lost: Lost) -> Self {
        NotSolved::Lost {
            why: lost.to_string(),
            limit: lost.limit(),
        }
    }
}

/// A view of the cluster that many threads can have.
#[derive(Clone)]
pub struct Watch(pub(super) Arc<Shared>);

impl Watch {
    /// The first loss noticed, if any.
    pub fn lost(&self) -> Option<Lost> {
        self.wait_lost(Duration::ZERO)
    }

    /// Waits for a loss, but not longer than the timeout.
    pub fn wait_lost(&self, timeout: Duration) -> Option<Lost> {
        let shared = &*self.0;
        let state = shared.wait(shared.lock(), timeout, |state| {
            state.phase != Phase::Running
        });
        match &state.phase {
            Phase::Lost(lost) => {
                let lost = lost.clone();
                drop(shared.wait_for_last_words(state));
                Some(lost)
            }
            _ => None,
        }
    }

    /// Notes the figures of this process's workers; the others hear of them with the next pulse.
    pub fn report(&self, mut own: Vec<Figures>) {
        own.truncate(MOST_WORKERS);
        let shared = &*self.0;
        shared.lock().figures[shared.own] = own;
    }

    /// The last figures heard of, for each process the figures of its workers.
    pub fn heard(&self) -> Vec<Vec<Figures>> {
        self.0.lock().figures.clone()
    }

    /// The work is done: from now on links may close. Tells the others, so that they take the end of this process for
    /// what it is; so it must not be called before they can do without it.
    pub fn finish(&self) {
        drop(self.0.wait_for_last_words(self.0.leave(Phase::Finished)));
    }

    /// This process gives up for a reason of its own. The others learn the reason and end as well.
    pub fn fail(&self, why: String) {
        drop(self.0.wait_for_last_words(self.0.leave(Phase::Failed(why))));
    }

    /// This process reached a limit. The others learn which, and end as if they had reached it themselves.
    pub fn stop(&self, spent: Spent) {
        self.fail(format!("{LIMIT}{spent}"));
    }
}

/// How often a sign of life is given, and how long none may come.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// How often a sign of life is given.
    pub pulse: Duration,
    /// How long another process may be silent before it is lost.
    pub silence: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Timing {
            pulse: Duration::from_millis(500),
            silence: Duration::from_secs(4),
        }
    }
}

/// What all threads of a cluster share.
pub(super) struct Shared {
    pub(super) own: usize,
    pub(super) addresses: Vec<String>,
    pub(super) timing: Timing,
    state: Mutex<State>,
    changed: Condvar,
}

/// Why processes did not agree on what they read.
pub(super) enum Disagreement {
    /// This process read something else.
    Other(usize),
    /// One was lost before it could tell.
    Lost(Lost),
    /// The run ended.
    Over,
}

/// Why a run goes on, or why it does not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    Running,
    Finished,
    Failed(String),
    Lost(Lost),
    Dropped,
}

struct State {
    phase: Phase,
    /// When the run ended, to bound the waiting for last words.
    ended: Option<Instant>,
    figures: Vec<Vec<Figures>>,
    /// What each process read, as far as it is known.
    inputs: Vec<Option<[u8; 32]>>,
    /// The processes that said goodbye.
    left: Vec<bool>,
    /// How many threads have not yet said their last word.
    speaking: usize,
    /// Whether a thread of timely stands still for ever.
    parked: bool,
    pulses: Vec<Option<TcpStream>>,
    data: Vec<TcpStream>,
}

impl Shared {
    pub(super) fn new(own: usize, addresses: Vec<String>, timing: Timing) -> Shared {
        let processes = addresses.len();
        Shared {
            own,
            addresses,
            timing,
            state: Mutex::new(State {
                phase: Phase::Running,
                ended: None,
                figures: vec![Vec::new(); processes],
                inputs: vec![None; processes],
                left: vec![false; processes],
                speaking: 0,
                parked: false,
                pulses: (0..processes).map(|_| None).collect(),
                data: Vec::new(),
            }),
            changed: Condvar::new(),
        }
    }

    pub(super) fn phase(&self) -> Phase {
        self.lock().phase.clone()
    }

    /// Whether the end of a link to the process is nothing to worry about.
    pub(super) fn may_end(&self, process: usize) -> bool {
        let state = self.lock();
        state.phase != Phase::Running || state.left[process]
    }

    /// A loss, unless the run ended before.
    pub(super) fn note(&self, process: usize, how: How) {
        self.pass_on(self.loss(process, how, self.own));
    }

    /// A loss that this or another process noticed.
    pub(super) fn pass_on(&self, lost: Lost) {
        drop(self.leave(Phase::Lost(lost)));
    }

    pub(super) fn loss(&self, process: usize, how: How, noticed_by: usize) -> Lost {
        Lost {
            process,
            address: self.addresses[process].clone(),
            how,
            noticed_by,
            here: self.own,
        }
    }

    /// The end of a data link. The link for pulses knows better why, if a moment is left to it: a process that gives up
    /// says so there first, but this end may be read earlier.
    pub(super) fn note_data_end(&self, process: usize, how: How) {
        let ended = |state: &State| state.phase != Phase::Running || state.left[process];
        let state = self.wait(self.lock(), EXPLANATION, ended);
        if !ended(&state) {
            drop(state);
            self.note(process, how);
        }
    }

    pub(super) fn note_goodbye(&self, process: usize) {
        self.lock().left[process] = true;
        self.changed.notify_all();
    }

    pub(super) fn note_figures(&self, process: usize, figures: Vec<Figures>) {
        self.lock().figures[process] = figures;
    }

    /// Waits until it is time for the next pulse, or until the run ended or the process left, or until there are inputs
    /// that were not told yet.
    pub(super) fn rest(&self, process: usize, inputs: Option<[u8; 32]>) {
        let over = |state: &State| {
            state.phase != Phase::Running || state.left[process] || state.inputs[self.own] != inputs
        };
        drop(self.wait(self.lock(), self.timing.pulse, over));
    }

    pub(super) fn own_inputs(&self) -> Option<[u8; 32]> {
        self.lock().inputs[self.own]
    }

    pub(super) fn note_inputs(&self, process: usize, inputs: [u8; 32]) {
        self.lock().inputs[process] = Some(inputs);
        self.changed.notify_all();
    }

    /// Tells what was read, and waits until all others have told what they read.
    pub(super) fn agree(&self, inputs: [u8; 32]) -> Result<(), Disagreement> {
        self.note_inputs(self.own, inputs);
        let other = |state: &State| {
            let mut all = state.inputs.iter();
            all.position(|other| other.is_some_and(|other| other != inputs))
        };
        let told = |state: &State| state.inputs.iter().all(Option::is_some);
        let gone = |state: &State| {
            let mut all = state.inputs.iter().zip(&state.left);
            all.any(|(inputs, &left)| inputs.is_none() && left)
        };
        let decided = |state: &State| {
            state.phase != Phase::Running || other(state).is_some() || told(state) || gone(state)
        };
        let state = self.wait(self.lock(), Duration::MAX, decided);
        match (&state.phase, other(&state)) {
            (Phase::Lost(lost), _) => Err(Disagreement::Lost(lost.clone())),
            (_, Some(process)) => Err(Disagreement::Other(process)),
            (Phase::Running, None) if told(&state) => Ok(()),
            _ => Err(Disagreement::Over),
        }
    }

    /// The connections for data of the round before are over.
    pub(super) fn forget_data(&self) {
        self.lock().data.clear();
    }

    pub(super) fn own_figures(&self) -> Vec<Figures> {
        self.lock().figures[self.own].clone()
    }

    pub(super) fn start_speaking(&self) {
        self.lock().speaking += 1;
    }

    pub(super) fn stop_speaking(&self) {
        self.lock().speaking -= 1;
        self.changed.notify_all();
    }

    /// Keeps the link for pulses to a process. Says whether it is the first.
    pub(super) fn keep_pulse(&self, process: usize, stream: TcpStream) -> bool {
        let pulse = &mut self.lock().pulses[process];
        let first = pulse.is_none();
        pulse.get_or_insert(stream);
        first
    }

    pub(super) fn keep_data(&self, stream: TcpStream) {
        self.lock().data.push(stream);
    }

    /// Stands still for ever. Timely would panic if it learnt how a link ended.
    pub(super) fn park(&self) -> ! {
        self.lock().parked = true;
        self.changed.notify_all();
        loop {
            std::thread::park();
        }
    }

    /// Waits until `done`, and gives up when a thread of timely will never end. Says whether it was done.
    pub(super) fn wait_unless_parked(&self, done: impl Fn() -> bool) -> bool {
        let mut state = self.lock();
        loop {
            let patience = match state.phase {
                _ if done() || state.parked => Duration::ZERO,
                Phase::Running => Duration::MAX,
                Phase::Finished => self.timing.silence,
                _ => Duration::ZERO,
            };
            let ended = state.ended.unwrap_or_else(Instant::now);
            if ended.elapsed() >= patience {
                return done();
            }
            state = self.wait_once(state, Duration::from_millis(100));
        }
    }

    pub(super) fn wake(&self) {
        self.changed.notify_all();
    }

    /// Ends all links, after the last words if there are any. What timely still sends after the work was finished is
    /// left to arrive.
    pub(super) fn close(&self) {
        let state = self.leave(Phase::Dropped);
        let mut state = self.wait_for_last_words(state);
        for stream in state.pulses.iter().flatten() {
            // It may be closed already.
            let _ = stream.shutdown(Shutdown::Both);
        }
        let finished = state.phase == Phase::Finished;
        for stream in state.data.drain(..) {
            if !finished {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the run, unless it ended before.
    fn leave(&self, phase: Phase) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        if state.phase == Phase::Running {
            state.phase = phase;
            state.ended = Some(Instant::now());
            self.changed.notify_all();
        }
        state
    }

    fn wait_for_last_words<'a>(&'a self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let since = state.ended.map_or(LAST_WORDS, |ended| ended.elapsed());
        self.wait(state, LAST_WORDS.saturating_sub(since), |state| {
            state.speaking == 0
        })
    }

    fn wait<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        timeout: Duration,
        done: impl Fn(&State) -> bool,
    ) -> MutexGuard<'a, State> {
        let begun = Instant::now();
        while !done(&state) && begun.elapsed() < timeout {
            state = self.wait_once(state, timeout.saturating_sub(begun.elapsed()));
        }
        state
    }

    fn wait_once<'a>(
        &'a self,
        state: MutexGuard<'a, State>,
        timeout: Duration,
    ) -> MutexGuard<'a, State> {
        self.changed
            .wait_timeout(state, timeout)
            .unwrap_or_else(PoisonError::into_inner)
            .0
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.process == self.here {
            return write!(
                f,
                "process {} gave up on this one, process {} ({}): {}",
                self.noticed_by,
                self.process,
                self.address,
                OwnLoss(&self.how)
            );
        }
        let who = format!("process {} ({})", self.process, self.address);
        match &self.how {
            How::Closed => {
                write!(
                    f,
                    "{who} closed its links without a goodbye: it was killed, or it crashed"
                )
            }
            How::Reset(why) => {
                write!(
                    f,
                    "the link to {who} broke ({why}): it was killed, or the network failed"
                )
            }
            How::Silent(time) => write!(
                f,
                "{who} has not been heard of for {}: it hangs, or the link to it is cut",
                in_words(*time)
            ),
            How::Failed(why) => write!(f, "{who} gave up: {why}"),
        }?;
        if self.noticed_by != self.here && self.noticed_by != self.process {
            write!(f, " (process {} says so)", self.noticed_by)?;
        }
        Ok(())
    }
}

/// A time as a person would say it.
pub(super) fn in_words(time: Duration) -> String {
    match time.subsec_millis() {
        0 => format!("{} s", time.as_secs()),
        _ => format!("{} ms", time.as_millis()),
    }
}

/// How a process was lost, told to that process.
struct OwnLoss<'a>(&'a How);

impl fmt::Display for OwnLoss<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            How::Silent(time) => write!(
                f,
                "it was not heard of for {}, because it was stopped or its links were cut",
                in_words(*time)
            ),
            How::Closed => f.write_str("its links were closed"),
            How::Reset(why) | How::Failed(why) => f.write_str(why),
        }
    }
}
