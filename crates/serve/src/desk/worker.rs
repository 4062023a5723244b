//! The thread of a desk: works through requests, hands over what may be told when it is safe, and lets searches go on.

mod links;
mod recovery;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Sender, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use causet_base::Diagnostic;
use causet_formats::native::Piece;
use rustc_hash::FxHashMap;
use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};

use super::{Request, Rules};
use crate::admission::Numbers;
use crate::closing;
use crate::counts::Counts;
use crate::news::{News, Told};
use crate::patience::Patience;
use crate::protocol::Reply;
use crate::refusal::refused;
use crate::run::{Closed, Run};
use crate::status::Status;
use crate::stop::{Deadline, Stop};
use crate::syncer::{self, Commit, Say};
use crate::witnesses::{Errand, Tell, Witnesses};
use links::is_over_since;

/// So many requests are worked through before the runs settle.
const TURN: usize = 512;
/// Why runs are over that end with the desk.
const STOPPED: &str = "the server had been stopped";
/// What is being decided when the server stops may go on for so long, and for so long when runs end with the server.
const GRACE: Duration = Duration::from_millis(500);
const LAST_WORDS: Duration = Duration::from_secs(5);
/// So many turns may wait to be flushed.
const UNFLUSHED: usize = 4;

/// Works until it is told to stop; says first whether the runs that were kept could be opened.
pub(super) fn work(
    rules: Rules,
    mut requests: mpsc::Receiver<Request>,
    ready: &Sender<io::Result<()>>,
    counts: &Arc<Counts>,
) -> io::Result<()> {
    let safety = rules.safety;
    let (commits, to_flush) = sync_channel(UNFLUSHED);
    let stop = Stop::default();
    let (witnesses, looking) = Witnesses::start(Arc::clone(&rules.tell), stop.clone())?;
    let (closings, mut beside) = closing::start(&rules.tell, &stop)?;
    beside.push(looking);
    let grace = match rules.ends {
        true => LAST_WORDS,
        false => GRACE,
    };
    let mut worker = Worker {
        rules,
        runs: BTreeMap::new(),
        links: FxHashMap::default(),
        dirty: BTreeSet::new(),
        used: 0,
        behind: Vec::new(),
        acks: FxHashMap::default(),
        answers: Vec::new(),
        commits,
        counts: Arc::clone(counts),
        witnesses,
        closings,
        stop: stop.clone(),
    };
    std::thread::scope(|scope| {
        let syncer = scope.spawn(move || syncer::work(&to_flush, safety, counts));
        let recovered = worker.recover();
        let is_recovered = recovered.is_ok();
        // Whoever opened the desk waits for this, and hears what is wrong.
        let _ = ready.send(recovered);
        let worked = match is_recovered {
            true => worker.turns(&mut requests),
            false => Ok(()),
        };
        let worked = worked.and(worker.stop());
        let flushed = syncer.join();
        wait_for(&beside, grace);
        stop.set();
        // What they could not do is done after a restart.
        wait_for(&beside, GRACE);
        worked.and(flushed.unwrap_or_else(|_| Err(io::Error::other("the syncer panicked"))))
    })
}

/// Waits until threads have ended, but no longer than this.
fn wait_for(threads: &[JoinHandle<()>], longest: Duration) {
    let start = Instant::now();
    while start.elapsed() < longest && !threads.iter().all(JoinHandle::is_finished) {
        std::thread::sleep(Duration::from_millis(5));
    }
}

struct Worker {
    rules: Rules,
    runs: BTreeMap<String, Live>,
    links: FxHashMap<u64, Linked>,
    /// The runs that took something in this turn.
    dirty: BTreeSet<String>,
    /// About how many bytes of memory the runs take.
    used: u64,
    /// The runs with a search that can go on.
    behind: Vec<String>,
    /// What is to be acknowledged after this turn, by link.
    acks: FxHashMap<u64, Ack>,
    /// Answers that tell what is safe: given once the journals of this turn are.
    answers: Vec<Say>,
    commits: SyncSender<Commit>,
    counts: Arc<Counts>,
    witnesses: Witnesses,
    /// Where runs that are over are handed in, to have the last word on them found.
    closings: Sender<Closed>,
    /// Never set while it works.
    stop: Stop,
}

struct Live {
    run: Run,
    /// When it last took something.
    heard: Instant,
    patience: Patience,
    /// About how many bytes of memory it took when that was last looked at.
    bytes: u64,
}

impl Live {
    fn status(&self) -> Status {
        Status::of(&self.run, self.heard)
    }

    fn looked_at(&self) -> Status {
        Status::with_processes(&self.run, self.heard)
    }
}

struct Linked {
    run: String,
    numbers: Numbers,
    /// What the run had when it was over, if it was when the link was made.
    had: Option<BTreeMap<String, u32>>,
    replies: mpsc::UnboundedSender<Reply>,
}

#[derive(Default)]
struct Ack {
    ack: BTreeMap<String, u32>,
    error: Option<String>,
    permits: Vec<OwnedSemaphorePermit>,
}

impl Worker {
    fn add(&mut self, name: String, run: Run) {
        let heard = Instant::now();
        let patience = Patience::default();
        self.runs.insert(
            name,
            Live {
                run,
                heard,
                patience,
                bytes: 0,
            },
        );
    }

    /// Looks how much memory a run takes. While all of them take too much, the one that takes most is followed no more, or
    /// is over if it was not followed before: so those that take little are not harmed by those that take much.
    fn weigh(&mut self, name: &str) -> io::Result<()> {
        self.weigh_one(name);
        while self.used > self.rules.memory {
            let largest = self.runs.iter().max_by_key(|(_, live)| live.bytes);
            let Some(name) = largest.map(|(name, _)| name.clone()) else {
                return Ok(());
            };
            self.forget(&name)?;
            self.weigh_one(&name);
        }
        Ok(())
    }

    fn weigh_one(&mut self, name: &str) {
        if let Some(live) = self.runs.get_mut(name) {
            let bytes = live.run.bytes();
            self.used = self.used - live.bytes + bytes;
            live.bytes = bytes;
        }
    }

    /// Follows a run no more, or ends it; what is given up is told when the run settles.
    fn forget(&mut self, name: &str) -> io::Result<()> {
        let Some(live) = self.runs.get_mut(name) else {
            return Ok(());
        };
        if live.run.monitor().is_forgotten() {
            return self.close(name, "it took too much memory");
        }
        live.run.forget();
        self.dirty.insert(name.to_owned());
        Ok(())
    }

    fn turns(&mut self, requests: &mut mpsc::Receiver<Request>) -> io::Result<()> {
        while let Some(first) = self.next(requests)? {
            let mut goes_on = self.handle(first)?;
            for _ in 1..TURN {
                match requests.try_recv() {
                    Ok(request) => goes_on &= self.handle(request)?,
                    Err(_) => break,
                }
            }
            self.settle()?;
            if !goes_on {
                break;
            }
        }
        Ok(())
    }

    /// The next request; until it comes, searches go on.
    fn next(&mut self, requests: &mut mpsc::Receiver<Request>) -> io::Result<Option<Request>> {
        while !self.behind.is_empty() {
            match requests.try_recv() {
                Ok(request) => return Ok(Some(request)),
                Err(TryRecvError::Disconnected) => return Ok(None),
                Err(TryRecvError::Empty) => self.look()?,
            }
        }
        Ok(requests.blocking_recv())
    }

    /// Does what is asked; whether the desk goes on.
    fn handle(&mut self, request: Request) -> io::Result<bool> {
        match request {
            Request::Hello {
                link,
                run,
                replies,
                answer,
            } => {
                let have = self.hello(link, run.clone(), replies);
                self.answer_when_safe(run, answer, have);
            }
            Request::Header(link, line) => self.with_run(link, |run, _| run.declare(link, &line)),
            Request::From(link, from) => self.with_run(link, |run, numbers| {
                for (process, number) in &from {
                    run.begin(numbers, process, *number);
                }
                Ok(())
            }),
            Request::Lines(link, piece, permit) => self.lines(link, *piece, permit)?,
            Request::Over(link) => {
                if let Some(linked) = self.links.get(&link) {
                    let name = linked.run.clone();
                    self.close(&name, "")?;
                }
            }
            Request::Mark(link, permit) => self.acks.entry(link).or_default().permits.push(permit),
            Request::Gone(link) => self.gone(link),
            Request::Status(None, answer) => {
                // Who asked may be gone.
                let _ = answer.send(self.runs.values().map(Live::status).collect());
            }
            Request::Status(Some(name), answer) => {
                let live = self.runs.get(&name).map(Live::looked_at);
                self.answer_when_safe(name, answer, live.into_iter().collect());
            }
            Request::Tick => {
                self.close_idle()?;
                self.look_for_gaps();
            }
            Request::Stop => return Ok(false),
        }
        Ok(true)
    }

    /// Answers about a run that goes on when the events it has now are safe, and about any other at once.
    fn answer_when_safe<T: Send + 'static>(
        &mut self,
        run: String,
        answer: oneshot::Sender<T>,
        with: T,
    ) {
        // Who asked may be gone.
        let say = move || drop(answer.send(with));
        match self.runs.get(&run) {
            Some(live) if live.run.monitor().events() > 0 => {
                self.dirty.insert(run);
                self.answers.push(Box::new(say));
            }
            _ => say(),
        }
    }

    /// Does something with the run of a link; what is wrong is told to it.
    fn with_run(
        &mut self,
        link: u64,
        act: impl FnOnce(&mut Run, &mut Numbers) -> Result<(), Diagnostic>,
    ) {
        let Some(linked) = self.links.get_mut(&link) else {
            return;
        };
        let done = match self.runs.get_mut(&linked.run) {
            Some(live) => {
                act(&mut live.run, &mut linked.numbers).inspect_err(|_| live.run.retract(link))
            }
            None => Err(refused(is_over_since(&self.rules.data, &linked.run))),
        };
        if let Err(error) = done {
            self.acks
                .entry(link)
                .or_default()
                .error
                .get_or_insert_with(|| error.to_string());
        }
    }

    fn lines(
        &mut self,
        link: u64,
        mut piece: Piece,
        permit: OwnedSemaphorePermit,
    ) -> io::Result<()> {
        let Some(linked) = self.links.get_mut(&link) else {
            return Ok(());
        };
        let ack = self.acks.entry(link).or_default();
        ack.permits.push(permit);
        if ack.error.is_some() {
            return Ok(());
        }
        let Some(live) = self.runs.get_mut(&linked.run) else {
            ack.ack.extend(linked.had.take().unwrap_or_default());
            ack.error = Some(is_over_since(&self.rules.data, &linked.run));
            return Ok(());
        };
        live.heard = Instant::now();
        let before = live.run.monitor().events();
        match live.run.take(&mut linked.numbers, &mut piece) {
            Ok(counts) => ack.ack.extend(counts),
            Err(error) => {
                live.run.retract(link);
                ack.error = Some(error.to_string());
            }
        }
        self.counts.events.add(live.run.monitor().events() - before);
        if live.run.monitor().process_count() > self.rules.processes {
            let most = self.rules.processes;
            ack.error = Some(format!("the run has more than {most} processes"));
        }
        let name = linked.run.clone();
        if !live.run.is_empty() {
            self.dirty.insert(name.clone());
        }
        self.weigh(&name)
    }

    /// Sees to it that what the runs took becomes safe and is acknowledged, together with what is easily seen to be
    /// certain; then lets searches go on.
    fn settle(&mut self) -> io::Result<()> {
        let mut commit = Commit {
            files: Vec::new(),
            say: std::mem::take(&mut self.answers),
        };
        let deadline = Deadline::after(self.rules.search / 5, &self.stop);
        let dirty = std::mem::take(&mut self.dirty);
        for name in dirty.clone() {
            if let Some(live) = self.runs.get_mut(&name) {
                live.run.write()?;
                let news = live.run.settle(&deadline)?.into_iter();
                let telling = |news| telling(&live.run, news, &self.rules.tell, &self.witnesses);
                commit.say.extend(news.map(telling));
                commit.files.push(live.run.journal());
            }
            if !self.behind.contains(&name) {
                self.behind.push(name);
            }
        }
        // What was bound anew takes memory, too.
        dirty.iter().try_for_each(|name| self.weigh(name))?;
        for (link, mut ack) in std::mem::take(&mut self.acks) {
            let Some(linked) = self.links.get(&link) else {
                continue;
            };
            if let Some(live) = self.runs.get_mut(&linked.run)
                && !live.patience.lets_go_on(&live.run, self.rules.waits)
            {
                live.patience.withhold(std::mem::take(&mut ack.permits));
            }
            let replies = linked.replies.clone();
            commit.say.push(Box::new(move || ack.say(&replies)));
        }
        self.commit(commit)?;
        self.look()
    }

    fn commit(&self, commit: Commit) -> io::Result<()> {
        if commit.files.is_empty() && commit.say.is_empty() {
            return Ok(());
        }
        let sent = self.commits.send(commit);
        sent.map_err(|_| io::Error::other("journals cannot be flushed any more"))
    }

    /// Lets the runs find out what is certain, all together for no longer than searches may take, and tells it.
    fn look(&mut self) -> io::Result<()> {
        let deadline = Deadline::after(self.rules.search, &self.stop);
        let mut over = Vec::new();
        let behind = std::mem::take(&mut self.behind);
        for name in behind.clone() {
            let Some(live) = self.runs.get_mut(&name) else {
                continue;
            };
            let news = live.run.settle(&deadline)?.into_iter();
            let telling = |news| telling(&live.run, news, &self.rules.tell, &self.witnesses);
            let say: Vec<Say> = news.map(telling).collect();
            if !say.is_empty() {
                let files = vec![live.run.journal()];
                self.commit(Commit { files, say })?;
            }
            let live = &self.runs[&name];
            if live.run.is_over() {
                over.push(name);
            } else if live.run.is_behind() {
                self.behind.push(name);
            }
        }
        // The one that took the time is the last the next time.
        if !self.behind.is_empty() {
            self.behind.rotate_left(1);
        }
        behind.iter().try_for_each(|name| self.weigh(name))?;
        over.iter().try_for_each(|name| self.close(name, ""))
    }

    /// Takes nothing more for a run, for a reason if nobody said so, and has the rest of its properties decided.
    fn close(&mut self, name: &str, why: &str) -> io::Result<()> {
        let Some(mut live) = self.runs.remove(name) else {
            return Ok(());
        };
        self.used -= live.bytes;
        self.dirty.remove(name);
        // Many runs may be over in one turn; what is left open is decided on the journal.
        let deadline = Deadline::after(self.rules.search / 5, &self.stop);
        live.run.write()?;
        let news = live.run.settle(&deadline)?.into_iter();
        let telling = |news| telling(&live.run, news, &self.rules.tell, &self.witnesses);
        let mut say: Vec<Say> = news.map(telling).collect();
        let files = vec![live.run.journal()];
        say.push(self.last_word(live.run.close(why, &deadline)?));
        // When nothing can be flushed any more, what is kept is told after a restart.
        let _ = self.commits.send(Commit { files, say });
        Ok(())
    }

    /// Has the last word on a run found and told, after all that was certain before.
    fn last_word(&self, closed: Closed) -> Say {
        let closings = self.closings.clone();
        Box::new(move || {
            // When no thread is left it is said after a restart, or the verdicts are had from the journal.
            let _ = closings.send(closed);
        })
    }

    /// Ends the runs, if they end with the desk.
    fn stop(mut self) -> io::Result<()> {
        if !self.rules.ends {
            return Ok(());
        }
        let names: Vec<String> = self.runs.keys().cloned().collect();
        names.iter().try_for_each(|name| self.close(name, STOPPED))
    }

    /// Tells what has been missing for long.
    fn look_for_gaps(&mut self) {
        for live in self.runs.values_mut() {
            let Live { run, patience, .. } = live;
            for gap in patience.look(run, self.rules.waits) {
                (self.rules.tell)(&Told::Gap(gap));
            }
        }
    }

    fn close_idle(&mut self) -> io::Result<()> {
        let Some(limit) = self.rules.idle else {
            return Ok(());
        };
        let is_idle = |(_, live): &(&String, &Live)| live.heard.elapsed() >= limit;
        let idle: Vec<String> = self
            .runs
            .iter()
            .filter(is_idle)
            .map(|(name, _)| name.clone())
            .collect();
        let why = format!("nothing had come for {}", in_words(limit));
        for name in idle {
            // A run that never began leaves its name to others.
            if !self.discard(&name) {
                self.close(&name, &why)?;
            }
        }
        Ok(())
    }
}

/// A time as people write it.
fn in_words(time: Duration) -> String {
    match time.as_secs() {
        0 => format!("{} ms", time.as_millis()),
        seconds if seconds % 3600 == 0 => format!("{} h", seconds / 3600),
        seconds if seconds % 60 == 0 => format!("{} min", seconds / 60),
        seconds => format!("{seconds} s"),
    }
}

/// Tells news when it is called, and has the order shown that led to them: that of a violation, or one that the property
/// asks for. A property about all orders that holds is shown by none.
fn telling(run: &Run, news: News, tell: &Tell, witnesses: &Witnesses) -> Say {
    let folder = run.keeping().folder().to_owned();
    let is_observed = run.is_observed(&news.property);
    let is_shown = match news.verdict {
        "violated" => true,
        "holds" => is_observed || !news.at.is_empty(),
        _ => false,
    };
    let errand = is_shown.then(|| Errand {
        folder: folder.clone(),
        run: run.name().to_owned(),
        property: news.property.clone(),
        asked: run.asked().clone(),
        verdict: news.verdict,
        length: run.keeping().length(),
        events: run.monitor().events(),
        at: news.at.clone(),
        is_observed,
    });
    let (tell, witnesses) = (Arc::clone(tell), witnesses.clone());
    Box::new(move || {
        closing::tell(&folder, &Told::News(news), &*tell);
        if let Some(errand) = errand {
            witnesses.ask(errand, &tell);
        }
    })
}

impl Ack {
    /// Tells a link; the permits are given back when it has been told.
    fn say(self, replies: &mpsc::UnboundedSender<Reply>) {
        if !self.ack.is_empty() {
            // A link that is gone does not want to know.
            let _ = replies.send(Reply::Ack { ack: self.ack });
        }
        if let Some(error) = self.error {
            let _ = replies.send(Reply::Error { error });
        }
        drop(self.permits);
    }
}
