//! Snapshots by Chandy and Lamport of accounts that send each other money.
//!
//! The first process saves its balance and sends a marker to all others; whoever sees a first marker does the same, and
//! adds to what it saved the money that arrives from each sender before that sender's marker. When a process has all
//! markers its part is complete, and it reports to the first, which begins again when all have. Channels keep the order.
//! The faulty version does not save the money that was under way.

use std::collections::VecDeque;

use crate::registry::Cast;
use crate::stage::{Letter, Post, Stage};

/// What everybody has at the beginning.
const OPENING: i64 = 100;
/// How many letters wait for one process before nobody sends it money.
const WAITING: usize = 4;
const FIRST: usize = 0;

/// Accounts, and a complete snapshot of the beginning.
pub(crate) fn cast(procs: usize) -> Cast {
    Cast::numbered(procs)
        .each("balance", OPENING)
        .each("opening", OPENING)
        .each("saved", OPENING)
        .each("moving", 0)
        .each("complete", true)
}

/// Plays the protocol.
pub(crate) fn play(stage: &mut Stage<'_>) {
    let procs = stage.procs();
    let account = || Account {
        balance: OPENING,
        saving: false,
        moving: 0,
        marked: vec![false; procs],
        outbox: VecDeque::new(),
    };
    let mut bank = Bank {
        accounts: (0..procs).map(|_| account()).collect(),
        reports: procs,
        post: Post::new(procs),
    };
    stage.schedule(|stage, me| bank.step(stage, me));
}

#[derive(Clone, Copy)]
enum Body {
    Money(i64),
    Marker,
    Report,
}

struct Account {
    balance: i64,
    /// Between the first marker and the last.
    saving: bool,
    moving: i64,
    /// From whom a marker has come.
    marked: Vec<bool>,
    outbox: VecDeque<(usize, Body)>,
}

struct Bank {
    accounts: Vec<Account>,
    /// How many parts of the snapshot are complete, as the first process knows.
    reports: usize,
    post: Post<Body>,
}

impl Bank {
    fn step(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        if let Some((to, body)) = self.accounts[me].outbox.pop_front() {
            // Markers go before money: the channel must show where the snapshot was taken.
            let name = match body {
                Body::Report => "report",
                _ => "marker",
            };
            self.post
                .put(me, to, body, stage.message(me, to, name).send());
            return true;
        }
        if me == FIRST && self.reports == stage.procs() && stage.chance(20) {
            self.begins(stage);
            return true;
        }
        if stage.chance(50) && self.pays(stage, me) {
            return true;
        }
        let Some(letter) = self.post.take(me, &mut stage.rng) else {
            return false;
        };
        self.receives(stage, me, &letter);
        true
    }

    fn begins(&mut self, stage: &mut Stage<'_>) {
        self.reports = 0;
        self.accounts[FIRST].saves(FIRST);
        let event = stage.event(FIRST, "begin").set("complete", false);
        let saved = self.accounts[FIRST].balance;
        event.set("saved", saved).set("moving", 0).done();
    }

    fn pays(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        let to = stage.other(me);
        let account = &mut self.accounts[me];
        if account.balance == 0 || self.post.waiting(to) >= WAITING {
            return false;
        }
        let amount = stage.rng.i64(1..=account.balance.min(10));
        account.balance -= amount;
        let event = stage.message(me, to, "pay").set("balance", account.balance);
        self.post.put(me, to, Body::Money(amount), event.send());
        true
    }

    fn receives(&mut self, stage: &mut Stage<'_>, me: usize, letter: &Letter<Body>) {
        let faulty = stage.options.faulty;
        let account = &mut self.accounts[me];
        let mut event = stage.event(me, "receive").recv(&letter.stamp);
        match letter.body {
            Body::Money(amount) => {
                account.balance += amount;
                event = event.set("balance", account.balance);
                if account.saving && !account.marked[letter.from] && !faulty {
                    account.moving += amount;
                    event = event.set("moving", account.moving);
                }
            }
            Body::Marker => {
                if !account.saving {
                    account.saves(me);
                    event = event.set("saved", account.balance).set("moving", 0);
                    event = event.set("complete", false);
                }
                account.marked[letter.from] = true;
                if account.marked.iter().all(|&marked| marked) {
                    account.saving = false;
                    event = event.set("complete", true);
                    match me {
                        FIRST => self.reports += 1,
                        _ => account.outbox.push_back((FIRST, Body::Report)),
                    }
                }
            }
            Body::Report => self.reports += 1,
        }
        event.done();
    }
}

impl Account {
    /// Saves the balance, and sends markers next.
    fn saves(&mut self, me: usize) {
        self.saving = true;
        self.moving = 0;
        self.marked.fill(false);
        self.marked[me] = true;
        let others = (0..self.marked.len()).filter(|&other| other != me);
        self.outbox.extend(others.map(|to| (to, Body::Marker)));
    }
}
