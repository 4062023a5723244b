//! Requests to an object that moves between servers, with GIOP's location forwarding.
//!
//! A client sends its request to the server where it believes the object to be. The server that has the object serves it
//! and replies; the other tells the client where to ask instead. Now and then the object moves, by a message between the
//! servers. A faulty server that does not have the object replies all the same, one time in ten.

use std::collections::VecDeque;

use crate::registry::Cast;
use crate::stage::{Letter, Post, Stage};

/// There are two servers, and the clients after them.
const SERVERS: usize = 2;

/// Two servers, the first with the object, and their clients.
pub(crate) fn cast(procs: usize) -> Cast {
    let clients = procs - SERVERS;
    let names = (1..=SERVERS)
        .map(|number| format!("server{number}"))
        .chain((1..=clients).map(|number| format!("client{number}")));
    let mut cast = Cast::named(names);
    for number in 1..=SERVERS {
        cast = cast
            .init(&format!("server{number}.served"), 0)
            .init(&format!("server{number}.object"), number == 1);
    }
    for number in 1..=clients {
        cast = cast
            .init(&format!("client{number}.asked"), 0)
            .init(&format!("client{number}.answered"), 0);
    }
    cast
}

/// Plays the protocol.
pub(crate) fn play(stage: &mut Stage<'_>) {
    let procs = stage.procs();
    let mut system = System {
        object: Some(0),
        served: [0; SERVERS],
        outbox: Default::default(),
        clients: (0..procs).map(|_| Client::default()).collect(),
        post: Post::new(procs),
    };
    stage.schedule(|stage, me| match me < SERVERS {
        true => system.serves(stage, me),
        false => system.asks(stage, me),
    });
}

#[derive(Clone, Copy)]
enum Body {
    Request,
    Reply,
    /// Ask the other server.
    Forward,
    Object,
}

#[derive(Default)]
struct Client {
    /// Where it believes the object to be.
    server: usize,
    asked: i64,
    answered: i64,
    waits: bool,
    /// The request is to be sent again, to another server.
    again: bool,
}

struct System {
    /// Who has the object, unless it is moving.
    object: Option<usize>,
    served: [i64; SERVERS],
    outbox: [VecDeque<(usize, Body)>; SERVERS],
    clients: Vec<Client>,
    post: Post<Body>,
}

impl System {
    fn serves(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        if let Some((to, body)) = self.outbox[me].pop_front() {
            let name = match body {
                Body::Forward => "forward",
                _ => "reply",
            };
            self.post
                .put(me, to, body, stage.message(me, to, name).send());
            return true;
        }
        if self.object == Some(me) && stage.chance(10) {
            self.object = None;
            let to = 1 - me;
            let stamp = stage.message(me, to, "move").set("object", false).send();
            self.post.put(me, to, Body::Object, stamp);
            return true;
        }
        let Some(letter) = self.post.take(me, &mut stage.rng) else {
            return false;
        };
        self.handles(stage, me, &letter);
        true
    }

    fn handles(&mut self, stage: &mut Stage<'_>, me: usize, letter: &Letter<Body>) {
        let pretends = stage.slips(10);
        let event = stage.event(me, "receive").recv(&letter.stamp);
        if let Body::Object = letter.body {
            self.object = Some(me);
            event.set("object", true).done();
            return;
        }
        let here = self.object == Some(me);
        let answer = if here || pretends {
            Body::Reply
        } else {
            Body::Forward
        };
        self.outbox[me].push_back((letter.from, answer));
        if here {
            self.served[me] += 1;
            event.set("served", self.served[me]).done();
        } else {
            event.done();
        }
    }

    fn asks(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        let client = &mut self.clients[me];
        if !client.waits || client.again {
            let to = client.server;
            let mut event = stage.message(me, to, "request");
            if !client.again {
                client.asked += 1;
                event = event.set("asked", client.asked);
            }
            (client.waits, client.again) = (true, false);
            self.post.put(me, to, Body::Request, event.send());
            return true;
        }
        let Some(letter) = self.post.take(me, &mut stage.rng) else {
            return false;
        };
        let event = stage.event(me, "receive").recv(&letter.stamp);
        if let Body::Reply = letter.body {
            client.waits = false;
            client.answered += 1;
            event.set("answered", client.answered).done();
        } else {
            client.server = 1 - letter.from;
            client.again = true;
            event.done();
        }
        true
    }
}
