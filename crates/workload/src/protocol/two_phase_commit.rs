//! Two-phase commit, one transaction after the other.
//!
//! The coordinator asks all participants to prepare, collects their votes, decides to commit if all are yes, tells them,
//! and begins the next transaction when all have acknowledged. A faulty participant that has voted yes gives up waiting
//! and aborts, one time in ten.

use std::collections::VecDeque;

use crate::registry::Cast;
use crate::stage::{Letter, Post, Stage};

const COORDINATOR: usize = 0;

/// The coordinator and its participants.
pub(crate) fn cast(procs: usize) -> Cast {
    let participants = (1..procs).map(|number| format!("part{number}"));
    let names = std::iter::once("coordinator".to_owned()).chain(participants);
    let mut cast = Cast::named(names).each("round", 0).each("decision", "none");
    for number in 1..procs {
        cast = cast.init(&format!("part{number}.vote"), "none");
    }
    cast
}

/// Plays the protocol.
pub(crate) fn play(stage: &mut Stage<'_>) {
    let procs = stage.procs();
    let mut commit = Commit {
        round: 0,
        heard: procs - 1,
        all_yes: true,
        voting: false,
        outbox: (0..procs).map(|_| VecDeque::new()).collect(),
        uncertain: vec![false; procs],
        post: Post::new(procs),
    };
    stage.schedule(|stage, me| commit.step(stage, me));
}

#[derive(Clone, Copy)]
enum Body {
    Prepare(i64),
    Vote(bool),
    Decide(bool),
    Done,
}

struct Commit {
    round: i64,
    /// How many have answered in this phase.
    heard: usize,
    all_yes: bool,
    /// In the first phase; else in the second, or between two transactions.
    voting: bool,
    outbox: Vec<VecDeque<(usize, Body)>>,
    /// Has voted yes and does not know the decision.
    uncertain: Vec<bool>,
    post: Post<Body>,
}

impl Commit {
    fn step(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        if let Some((to, body)) = self.outbox[me].pop_front() {
            self.sends(stage, me, to, body);
            return true;
        }
        if me == COORDINATOR && self.heard == stage.procs() - 1 {
            self.next_phase(stage);
            return true;
        }
        if self.uncertain[me] && stage.slips(10) {
            self.uncertain[me] = false;
            let event = stage.event(me, "give-up");
            event.set("decision", "abort").done();
            return true;
        }
        let Some(letter) = self.post.take(me, &mut stage.rng) else {
            return false;
        };
        self.receives(stage, me, &letter);
        true
    }

    fn sends(&mut self, stage: &mut Stage<'_>, me: usize, to: usize, body: Body) {
        let stamp = match body {
            Body::Prepare(_) => stage.message(me, to, "prepare").send(),
            Body::Decide(_) => stage.message(me, to, "decide").send(),
            Body::Done => stage.message(me, to, "done").send(),
            Body::Vote(yes) => {
                self.uncertain[me] = yes;
                let event = stage.message(me, to, "vote");
                event.set("vote", if yes { "yes" } else { "no" }).send()
            }
        };
        self.post.put(me, to, body, stamp);
    }

    /// The coordinator has heard from all: it decides, or begins the next transaction.
    fn next_phase(&mut self, stage: &mut Stage<'_>) {
        self.heard = 0;
        let body = if self.voting {
            let event = stage.event(COORDINATOR, "conclude");
            event.set("decision", word(self.all_yes)).done();
            Body::Decide(self.all_yes)
        } else {
            self.round += 1;
            self.all_yes = true;
            let event = stage.event(COORDINATOR, "begin").set("round", self.round);
            event.set("decision", "none").done();
            Body::Prepare(self.round)
        };
        self.voting = !self.voting;
        self.outbox[COORDINATOR].extend((1..stage.procs()).map(|to| (to, body)));
    }

    fn receives(&mut self, stage: &mut Stage<'_>, me: usize, letter: &Letter<Body>) {
        let votes_yes = stage.chance(80);
        let event = stage.event(me, "receive").recv(&letter.stamp);
        match letter.body {
            Body::Prepare(round) => {
                let event = event.set("round", round).set("vote", "none");
                event.set("decision", "none").done();
                self.outbox[me].push_back((COORDINATOR, Body::Vote(votes_yes)));
            }
            Body::Vote(yes) => {
                self.all_yes &= yes;
                self.heard += 1;
                event.done();
            }
            Body::Decide(commit) => {
                self.uncertain[me] = false;
                event.set("decision", word(commit)).done();
                self.outbox[me].push_back((COORDINATOR, Body::Done));
            }
            Body::Done => {
                self.heard += 1;
                event.done();
            }
        }
    }
}

fn word(commit: bool) -> &'static str {
    if commit { "commit" } else { "abort" }
}
