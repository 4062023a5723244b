//! What a worker does from the first question to the last report.
//!
//! ```text
//! work (expand a slice, or finish a block) --> vote --> work --> ... --> trail --> walk --> report
//!                                    \                                      \---- roll ----/
//!                                     \___ the main variable is known, or a limit is reached ___/
//! ```
//!
//! Every arrow is the end of a round: nothing moves anywhere. Within a round workers do as they please. Timely has no
//! back-pressure, so a worker expands a limited number of variables before it looks at what has arrived, and none at all
//! while somebody has too many of its parcels unread. What arrives is always dealt with, so nobody waits in a circle.

use causet_base::budget::Spent;
use causet_solve::bes::share::Told;
use causet_solve::bes::share::rounds::{Round, Rounds, Vote};
use causet_solve::workers::{Gather, WorkerShare};

use crate::dials::Dial;
use crate::envelope::{Content, Envelope, Word};
use crate::port::Port;

/// How many variables are expanded between two looks at what has arrived.
const FUEL: u64 = 2048;

/// How many parcels are dealt with between two looks around.
const PARCELS: usize = 64;

/// About how many parcels of one worker all others together may have unread.
const UNREAD: u32 = 512;

/// The value of the main variable, or the limit that kept all from finding it.
pub(crate) type Verdict = Result<bool, Spent>;

/// What a worker has done, as numbers; see [`WorkerSummary`](causet_solve::workers::WorkerSummary).
pub(crate) const REPORTED: usize = 10;

/// How a worker's run ended.
pub(crate) struct Ended {
    pub(crate) verdict: Verdict,
    /// What the first worker was shown, unless that was too much.
    pub(crate) pieces: Option<Vec<u32>>,
    /// The limit that ended the explanation of some worker.
    pub(crate) pieces_spent: Option<Spent>,
    pub(crate) is_contradictory: bool,
    /// Everybody's report.
    pub(crate) reports: Vec<[u64; REPORTED]>,
}

/// What is being done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Work(Round),
    Vote,
    /// Before so many states are shown.
    Trail(usize),
    Walk(usize),
    Roll {
        node: usize,
        value: bool,
    },
    Report,
}

/// A worker at work.
pub(crate) struct Driver<'p, 'b> {
    port: &'p mut Port,
    share: Box<dyn WorkerShare + 'b>,
    gather: Gather,
    stage: Stage,
    /// How many variables may still be expanded in this round.
    left: u64,
    rounds: Rounds,
    round_count: u64,
    votes: Vec<Vote>,
    verdict: Option<Verdict>,
    /// The limit that was reached while the verdict was explained.
    explanation_spent: Option<Spent>,
    told: Vec<Told>,
    reports: Vec<[u64; REPORTED]>,
    credit: Credit,
    dial: &'p Dial,
}

impl<'p, 'b> Driver<'p, 'b> {
    pub(crate) fn new(
        port: &'p mut Port,
        share: Box<dyn WorkerShare + 'b>,
        gather: Gather,
        dial: &'p Dial,
    ) -> Self {
        let workers = port.peers();
        let blocks = share.blocks();
        Driver {
            port,
            share,
            gather,
            stage: Stage::Vote,
            left: 0,
            rounds: Rounds::new(blocks),
            round_count: 0,
            votes: vec![Vote::default(); workers],
            verdict: None,
            explanation_spent: None,
            told: vec![Told::Everything; workers],
            reports: vec![[0; REPORTED]; workers],
            credit: Credit::new(workers),
            dial,
        }
    }

    /// Works until everything is reported, or until somebody says that a worker was lost: then there is nothing.
    pub(crate) fn run(
        mut self,
        started: Result<(), Spent>,
        is_lost: impl Fn() -> bool,
    ) -> Option<Ended> {
        let started = started.and_then(|()| self.share.start());
        self.heed(started);
        self.enter(Stage::Vote);
        loop {
            if is_lost() {
                return None;
            }
            let received = self.receive();
            let busy = self.work() || received == PARCELS;
            self.announce();
            if !busy {
                self.share.flush();
            }
            self.post();
            self.dial.turn(&*self.share, self.port);
            self.port.step(!busy);
            if !busy && self.port.is_over() && !self.next() {
                break;
            }
        }
        self.port.close(|| !is_lost());
        Some(self.ended())
    }

    /// Deals with some of what has arrived.
    fn receive(&mut self) -> usize {
        let mut count = 0;
        while count < PARCELS
            && let Some(envelope) = self.port.receive()
        {
            count += 1;
            let from = envelope.from as usize;
            self.credit.acknowledged(from, envelope.acknowledged);
            if envelope.is_counted() && self.credit.dealt_with(from) {
                self.say(from, Word::Acknowledge, Vec::new());
            }
            match envelope.open() {
                Some(Content::Batch(batch)) => {
                    let accepted = self.share.accept(from, &batch);
                    self.heed(accepted);
                }
                Some(Content::Word(word, words)) => self.hear(from, word, &words),
                None => {}
            }
        }
        count
    }

    /// Expands some variables, if it is time for that; whether there are more.
    fn work(&mut self) -> bool {
        let Stage::Work(Round::Expand { block, .. }) = self.stage else {
            return false;
        };
        if self.left == 0 || self.verdict.is_some() || self.share.queued(block) == 0 {
            return false;
        }
        if self.credit.is_spent() {
            return true;
        }
        match self.share.expand(block, FUEL.min(self.left)) {
            Ok(done) => self.left -= done,
            Err(spent) => self.heed(Err(spent)),
        }
        self.left > 0 && self.share.queued(block) > 0 && self.verdict.is_none()
    }

    /// A limit that was reached is everybody's; once the verdict is known, it is only the account that ends here.
    fn heed(&mut self, outcome: Result<(), Spent>) {
        match (outcome, self.verdict) {
            (Err(spent), None) => {
                self.adopt(Err(spent));
                self.say_to_all(Word::Stop, &[code(Err(spent))]);
            }
            (Err(spent), Some(Ok(_))) => self.explanation_spent = Some(spent),
            _ => {}
        }
    }

    /// Takes over what this or another worker has found out. Several may say something in one round, and all hear all of
    /// it before the round is over: so a value counts more than a limit, of limits the same one, and all agree.
    fn adopt(&mut self, verdict: Verdict) {
        let better = match (self.verdict, verdict) {
            (None, _) | (Some(Err(_)), Ok(_)) => true,
            (Some(Ok(_)), _) => false,
            (Some(known), new) => code(new) > code(known),
        };
        if better {
            self.verdict = Some(verdict);
            // After a limit no value means anything; nobody will ask.
            self.share.conclude(verdict.unwrap_or_default());
        }
    }

    /// Says that the main variable is known, when this worker has just found it out.
    fn announce(&mut self) {
        if self.verdict.is_none()
            && let Some(value) = self.share.verdict()
        {
            self.adopt(Ok(value));
            self.say_to_all(Word::Stop, &[code(Ok(value))]);
        }
    }

    fn hear(&mut self, from: usize, word: Word, words: &[u32]) {
        match (word, words) {
            (Word::Vote, &[farthest, queued]) => {
                self.votes[from] = Vote {
                    farthest: (farthest as usize).checked_sub(1),
                    queued: queued == 1,
                };
            }
            (Word::Stop, &[code]) => self.adopt(verdict_by(code)),
            (Word::Report, &[told, ref words @ ..]) => {
                self.told[from] = told_by(told);
                let numbers = words.chunks_exact(2);
                let numbers = numbers.map(|pair| u64::from(pair[0]) << 32 | u64::from(pair[1]));
                for (place, number) in self.reports[from].iter_mut().zip(numbers) {
                    *place = number;
                }
            }
            _ => {}
        }
    }

    /// Goes on to the next stage; `false` after the last.
    fn next(&mut self) -> bool {
        let next = match (self.stage, self.verdict) {
            (Stage::Report, _) => return false,
            (Stage::Work(_), None) => Stage::Vote,
            (Stage::Vote, None) => match self.rounds.next(self.votes.iter().copied()) {
                Round::Over => Stage::Report,
                round => Stage::Work(round),
            },
            (Stage::Work(_) | Stage::Vote, Some(Ok(_))) => match self.gather {
                Gather::Reasons(0) => Stage::Report,
                Gather::Reasons(most) => Stage::Trail(most),
                Gather::Where { node, value } => Stage::Roll { node, value },
            },
            (Stage::Trail(most), Some(Ok(_))) => Stage::Walk(most),
            _ => Stage::Report,
        };
        self.port.go_on();
        self.enter(next);
        true
    }

    fn enter(&mut self, stage: Stage) {
        self.stage = stage;
        self.round_count += 1;
        let outcome = match stage {
            Stage::Work(Round::Expand { slice, .. }) => {
                self.left = slice;
                Ok(())
            }
            Stage::Work(Round::Finish { block }) => self.share.finish(block),
            Stage::Work(Round::Over) => Ok(()),
            Stage::Vote => {
                self.vote();
                Ok(())
            }
            Stage::Trail(_) => {
                self.share.mark_trail();
                Ok(())
            }
            Stage::Walk(most) => self.share.walk(most),
            Stage::Roll { node, value } => self.share.call_roll(node, value),
            Stage::Report => {
                self.report();
                Ok(())
            }
        };
        self.heed(outcome);
    }

    fn vote(&mut self) {
        let vote = self.share.vote();
        let farthest = vote.farthest.map_or(0, |block| block as u32 + 1);
        self.votes[self.port.index()] = vote;
        let words = [farthest, u32::from(vote.queued)];
        self.say_to_all(Word::Vote, &words);
    }

    /// Sends what this worker did to all, and how its account ended.
    fn report(&mut self) {
        let me = self.port.index();
        let told = match self.explanation_spent {
            Some(spent) => Told::Stopped(spent),
            None => self.share.told_all(),
        };
        self.told[me] = told;
        self.reports[me] = self.numbers();
        let mut words = vec![told_code(told)];
        for number in self.reports[me] {
            words.extend([(number >> 32) as u32, number as u32]);
        }
        self.say_to_all(Word::Report, &words);
    }

    fn numbers(&self) -> [u64; REPORTED] {
        let figures = self.share.figures();
        [
            figures.variables,
            figures.operands,
            figures.crossing,
            figures.messages,
            self.port.bytes(),
            self.port.idle().as_micros() as u64,
            self.dial.seconds_since_start().as_micros() as u64,
            self.round_count,
            figures.explored.0,
            figures.explored.1,
        ]
    }

    /// Sends what the share has to say.
    fn post(&mut self) {
        let me = self.port.index();
        for (to, batch) in self.share.full() {
            let mut envelope = Envelope::batch(me, to, batch);
            envelope.acknowledged = self.credit.sent(to);
            self.port.send(envelope);
        }
    }

    fn say(&mut self, to: usize, word: Word, words: Vec<u32>) {
        let mut envelope = Envelope::word(self.port.index(), to, word, words);
        envelope.acknowledged = self.credit.take_dealt_with(to);
        self.port.send(envelope);
    }

    fn say_to_all(&mut self, word: Word, words: &[u32]) {
        for to in 0..self.port.peers() {
            if to != self.port.index() {
                self.say(to, word, words.to_vec());
            }
        }
    }

    fn ended(mut self) -> Ended {
        let all = self.told.iter().all(|&told| told == Told::Everything);
        let is_asked = self.gather != Gather::Reasons(0);
        let pieces_spent = self.told.iter().find_map(|&told| match told {
            Told::Stopped(spent) => Some(spent),
            _ => None,
        });
        Ended {
            // All blocks are finished before there is nothing left to do.
            verdict: self.verdict.unwrap_or(Err(Spent::Cancelled)),
            pieces: (all && is_asked && self.port.index() == 0).then(|| self.share.pieces()),
            // Where an account ended early, others may have waited for it in vain.
            is_contradictory: self.told.contains(&Told::Contradiction)
                && !self.told.contains(&Told::TooMuch)
                && pieces_spent.is_none(),
            pieces_spent,
            reports: self.reports,
        }
    }
}

/// How many parcels each of the others has unread, and how many of theirs were dealt with and not acknowledged.
struct Credit {
    unread: Vec<u32>,
    dealt_with: Vec<u32>,
    most: u32,
}

impl Credit {
    fn new(workers: usize) -> Credit {
        Credit {
            unread: vec![0; workers],
            dealt_with: vec![0; workers],
            most: (UNREAD / workers as u32).max(16),
        }
    }

    /// Whether somebody has too much to read.
    fn is_spent(&self) -> bool {
        self.unread.iter().any(|&unread| unread > self.most)
    }

    /// A parcel is sent; how many of the receiver's are acknowledged with it.
    fn sent(&mut self, to: usize) -> u32 {
        self.unread[to] += 1;
        self.take_dealt_with(to)
    }

    fn take_dealt_with(&mut self, to: usize) -> u32 {
        std::mem::take(&mut self.dealt_with[to])
    }

    fn acknowledged(&mut self, from: usize, count: u32) {
        self.unread[from] = self.unread[from].saturating_sub(count);
    }

    /// A parcel was dealt with; whether its sender should hear of it by itself.
    fn dealt_with(&mut self, from: usize) -> bool {
        self.dealt_with[from] += 1;
        self.dealt_with[from] >= self.most / 4
    }
}

fn code(verdict: Verdict) -> u32 {
    match verdict {
        Ok(value) => u32::from(value),
        Err(Spent::Time) => 2,
        Err(Spent::Memory) => 3,
        Err(Spent::Cancelled) => 4,
    }
}

fn verdict_by(code: u32) -> Verdict {
    match code {
        0 | 1 => Ok(code == 1),
        2 => Err(Spent::Time),
        3 => Err(Spent::Memory),
        _ => Err(Spent::Cancelled),
    }
}

/// All ways in which an account can end; their codes are their places here.
const TOLD: [Told; 6] = [
    Told::Everything,
    Told::TooMuch,
    Told::Contradiction,
    Told::Stopped(Spent::Time),
    Told::Stopped(Spent::Memory),
    Told::Stopped(Spent::Cancelled),
];

fn told_code(told: Told) -> u32 {
    let place = TOLD.iter().position(|&other| other == told);
    place.map_or(u32::MAX, |place| place as u32)
}

fn told_by(code: u32) -> Told {
    TOLD.get(code as usize)
        .copied()
        .unwrap_or(Told::Contradiction)
}
