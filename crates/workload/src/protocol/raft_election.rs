//! The election of Raft: terms, votes, majorities, heartbeats.
//!
//! A server that hears from no leader begins a new term, votes for itself and asks the others; a server votes once in a
//! term; who has the votes of a majority leads. Whoever learns of a later term follows. A faulty server forgets that it
//! has voted, three times in ten.

use std::collections::VecDeque;

use crate::registry::Cast;
use crate::stage::{Letter, Post, Stage};

/// Servers that all follow, in term 0.
pub(crate) fn cast(procs: usize) -> Cast {
    Cast::numbered(procs)
        .each("role", "follower")
        .each("term", 0)
        .each("votes", 0)
}

/// Plays the protocol.
pub(crate) fn play(stage: &mut Stage<'_>) {
    let procs = stage.procs();
    let mut cluster = Cluster {
        servers: (0..procs).map(|_| Server::default()).collect(),
        post: Post::new(procs),
    };
    stage.schedule(|stage, me| cluster.step(stage, me));
}

#[derive(Clone, Copy)]
enum Body {
    Ask,
    Vote(bool),
    Heartbeat,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Role {
    #[default]
    Follower,
    Candidate,
    Leader,
}

#[derive(Default)]
struct Server {
    role: Role,
    term: u64,
    voted: bool,
    votes: usize,
    outbox: VecDeque<(usize, Body)>,
}

struct Cluster {
    servers: Vec<Server>,
    /// Every letter carries the term of its sender.
    post: Post<(u64, Body)>,
}

impl Cluster {
    fn step(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        let majority = stage.procs() / 2 + 1;
        let server = &mut self.servers[me];
        if server.role == Role::Candidate && server.votes >= majority {
            server.role = Role::Leader;
            server.outbox.clear();
            stage.event(me, "lead").set("role", "leader").done();
            return true;
        }
        if let Some((to, body)) = server.outbox.pop_front() {
            let name = match body {
                Body::Ask => "ask",
                Body::Vote(_) => "vote",
                Body::Heartbeat => "heartbeat",
            };
            let stamp = stage.message(me, to, name).send();
            self.post.put(me, to, (server.term, body), stamp);
            return true;
        }
        if let Some(letter) = self.post.take(me, &mut stage.rng) {
            self.receives(stage, me, &letter);
            return true;
        }
        self.times_out(stage, me)
    }

    /// Nothing has come for a while: a leader says that it is there, the others call an election.
    fn times_out(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        if !stage.chance(15) {
            return false;
        }
        let others = (0..stage.procs()).filter(|&other| other != me);
        let server = &mut self.servers[me];
        if server.role == Role::Leader {
            server.outbox.extend(others.map(|to| (to, Body::Heartbeat)));
            stage.event(me, "tick").done();
            return true;
        }
        server.role = Role::Candidate;
        server.term += 1;
        server.voted = true;
        server.votes = 1;
        server.outbox.extend(others.map(|to| (to, Body::Ask)));
        let event = stage.event(me, "stand").set("role", "candidate");
        event.set("term", server.term).set("votes", 1).done();
        true
    }

    fn receives(&mut self, stage: &mut Stage<'_>, me: usize, letter: &Letter<(u64, Body)>) {
        let forgets = stage.slips(30);
        let server = &mut self.servers[me];
        let (term, body) = letter.body;
        let mut event = stage.event(me, "receive").recv(&letter.stamp);
        if term > server.term {
            server.term = term;
            server.voted = false;
            server.role = Role::Follower;
            // Whatever it was about to say belongs to an earlier term.
            server.outbox.clear();
            event = event.set("term", term).set("role", "follower");
        }
        match body {
            Body::Ask => {
                let free = !server.voted || forgets;
                let granted = term == server.term && server.role == Role::Follower && free;
                server.voted |= granted;
                let answer = (letter.from, Body::Vote(granted));
                server.outbox.push_back(answer);
            }
            Body::Vote(true) if term == server.term && server.role == Role::Candidate => {
                server.votes += 1;
                event = event.set("votes", server.votes);
            }
            Body::Heartbeat if term == server.term && server.role == Role::Candidate => {
                server.role = Role::Follower;
                event = event.set("role", "follower");
            }
            Body::Vote(_) | Body::Heartbeat => {}
        }
        event.done();
    }
}
