//! Safra's detection of termination on a ring (EWD 998).
//!
//! Active processes send messages and become passive; a message makes its receiver active. Each counts what it sent less
//! what it received, and turns black when it receives. A token goes down the ring, adds up the counts of passive processes
//! and turns black at a black one. Process 0 announces the end when a white token comes back, it is white and passive, and
//! the sum is 0; then it begins anew. A faulty process stays white, always.

use crate::registry::Cast;
use crate::stage::{Post, Stage};

/// Processes; the first is active and has the token.
pub(crate) fn cast(procs: usize) -> Cast {
    let cast = Cast::numbered(procs)
        .each("sent", 0)
        .init("p0.announced", false);
    (0..procs).fold(cast, |cast, me| {
        cast.init(&format!("p{me}.active"), me == 0)
    })
}

/// Plays the protocol.
pub(crate) fn play(stage: &mut Stage<'_>) {
    let procs = stage.procs();
    let node = |me| Node {
        active: me == 0,
        black: me == 0,
        count: 0,
        token: (me == 0).then_some(Token {
            sum: 0,
            black: true,
        }),
    };
    let mut ring = Ring {
        nodes: (0..procs).map(node).collect(),
        announced: false,
        post: Post::new(procs),
    };
    stage.schedule(|stage, me| ring.step(stage, me));
}

#[derive(Clone, Copy)]
struct Token {
    sum: i64,
    black: bool,
}

enum Body {
    Work,
    Token(Token),
}

struct Node {
    active: bool,
    black: bool,
    /// Messages of work sent less those received.
    count: i64,
    token: Option<Token>,
}

struct Ring {
    nodes: Vec<Node>,
    announced: bool,
    post: Post<Body>,
}

impl Ring {
    fn step(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        if me == 0 && self.announced {
            return self.begins_anew(stage);
        }
        if stage.chance(50) && self.receives(stage, me) {
            return true;
        }
        if self.nodes[me].active {
            return self.works(stage, me);
        }
        match self.nodes[me].token {
            Some(token) if me == 0 && self.is_over(token) => {
                self.announced = true;
                stage.event(me, "announce").set("announced", true).done();
            }
            Some(token) => self.passes(stage, me, token),
            None => return self.receives(stage, me),
        }
        true
    }

    fn begins_anew(&mut self, stage: &mut Stage<'_>) -> bool {
        self.announced = false;
        self.nodes[0].active = true;
        self.nodes[0].black = true;
        let event = stage.event(0, "begin").set("announced", false);
        event.set("active", true).done();
        true
    }

    fn receives(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        let Some(letter) = self.post.take(me, &mut stage.rng) else {
            return false;
        };
        let black = !stage.options.faulty;
        let node = &mut self.nodes[me];
        let event = stage.event(me, "receive").recv(&letter.stamp);
        match letter.body {
            Body::Work => {
                node.active = true;
                node.black |= black;
                node.count -= 1;
                event.set("active", true).set("sent", node.count).done();
            }
            Body::Token(token) => {
                node.token = Some(token);
                event.done();
            }
        }
        true
    }

    fn works(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        let node = &mut self.nodes[me];
        if stage.chance(50) {
            node.active = false;
            stage.event(me, "rest").set("active", false).done();
            return true;
        }
        let to = stage.other(me);
        node.count += 1;
        let stamp = stage.message(me, to, "send").set("sent", node.count).send();
        self.post.put(me, to, Body::Work, stamp);
        true
    }

    fn is_over(&self, token: Token) -> bool {
        let node = &self.nodes[0];
        !token.black && !node.black && token.sum + node.count == 0
    }

    /// Sends the token down the ring; process 0 begins a new round with a white one.
    fn passes(&mut self, stage: &mut Stage<'_>, me: usize, token: Token) {
        let to = (me + stage.procs() - 1) % stage.procs();
        let node = &mut self.nodes[me];
        let token = match me {
            0 => Token {
                sum: 0,
                black: false,
            },
            _ => Token {
                sum: token.sum + node.count,
                black: token.black || node.black,
            },
        };
        node.token = None;
        node.black = false;
        let stamp = stage.message(me, to, "token").send();
        self.post.put(me, to, Body::Token(token), stamp);
    }
}
