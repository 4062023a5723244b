//! Mutual exclusion by permission of all others, as Ricart and Agrawala have it.
//!
//! Whoever wants to enter sends a request with its Lamport time to all others and enters when all have answered. A process
//! answers at once, unless it is inside or wants to enter and asked earlier: then it answers when it has left. The faulty
//! version answers at once where it should wait, one time in five.

use std::collections::VecDeque;

use crate::registry::Cast;
use crate::stage::{Post, Stage};

/// Processes that are outside.
pub(crate) fn cast(procs: usize) -> Cast {
    Cast::numbered(procs).each("crit", false).each("answers", 0)
}

/// Plays the protocol.
pub(crate) fn play(stage: &mut Stage<'_>) {
    let procs = stage.procs();
    let mut group = Group {
        members: (0..procs).map(|_| Member::default()).collect(),
        post: Post::new(procs),
    };
    stage.schedule(|stage, me| group.step(stage, me));
}

#[derive(Clone, Copy)]
enum Body {
    /// With the time of the request.
    Request(u64),
    Answer,
}

#[derive(Default)]
struct Member {
    clock: u64,
    /// The time of its own request, while it wants to enter or is inside.
    asked: Option<u64>,
    inside: bool,
    answers: usize,
    /// Who will be answered after it has left.
    deferred: Vec<usize>,
    /// What it has yet to send.
    outbox: VecDeque<(usize, Body)>,
}

struct Group {
    members: Vec<Member>,
    post: Post<Body>,
}

impl Group {
    fn step(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        let member = &mut self.members[me];
        if let Some((to, body)) = member.outbox.pop_front() {
            let name = match body {
                Body::Request(_) => "request",
                Body::Answer => "answer",
            };
            self.post
                .put(me, to, body, stage.message(me, to, name).send());
            return true;
        }
        if member.inside {
            return self.leaves(stage, me);
        }
        if member.asked.is_some() && member.answers == stage.procs() - 1 {
            member.inside = true;
            stage.event(me, "enter").set("crit", true).done();
            return true;
        }
        if member.asked.is_none() && stage.chance(30) {
            return self.wants(stage, me);
        }
        self.receives(stage, me)
    }

    fn wants(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        let member = &mut self.members[me];
        member.clock += 1;
        member.asked = Some(member.clock);
        let others = (0..stage.procs()).filter(|&other| other != me);
        let request = Body::Request(member.clock);
        member.outbox.extend(others.map(|other| (other, request)));
        stage.event(me, "want").set("answers", 0).done();
        true
    }

    fn leaves(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        let member = &mut self.members[me];
        member.inside = false;
        member.asked = None;
        member.answers = 0;
        let answers = member.deferred.drain(..).map(|to| (to, Body::Answer));
        member.outbox.extend(answers);
        stage.event(me, "leave").set("crit", false).done();
        true
    }

    fn receives(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        let Some(letter) = self.post.take(me, &mut stage.rng) else {
            return false;
        };
        let slips = stage.slips(20);
        let member = &mut self.members[me];
        match letter.body {
            Body::Request(time) => {
                member.clock = member.clock.max(time) + 1;
                let mine_first = member
                    .asked
                    .is_some_and(|mine| (mine, me) < (time, letter.from));
                if mine_first && !slips {
                    member.deferred.push(letter.from);
                } else {
                    member.outbox.push_back((letter.from, Body::Answer));
                }
                stage.event(me, "asked").recv(&letter.stamp).done();
            }
            Body::Answer => {
                member.answers += 1;
                let event = stage.event(me, "answered").recv(&letter.stamp);
                event.set("answers", member.answers).done();
            }
        }
        true
    }
}
