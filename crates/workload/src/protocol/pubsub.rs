//! Publishers, a broker, and subscribers that come and go.
//!
//! The broker numbers what is published and sends a copy to every subscriber; who subscribes is told the last number, so
//! it can see a gap. A subscriber that has said that it goes may still get copies until the broker agrees. The faulty
//! broker forgets a copy, one time in ten.

use std::collections::VecDeque;

use crate::registry::Cast;
use crate::stage::{Letter, Post, Stage};

const BROKER: usize = 0;
/// How many letters wait for the broker before nobody sends it more.
const WAITING: usize = 4;

/// The broker, a publisher for every two subscribers, and the subscribers.
pub(crate) fn cast(procs: usize) -> Cast {
    let publishers = publishers(procs);
    let subscribers = procs - 1 - publishers;
    let names = std::iter::once("broker".to_owned())
        .chain((1..=publishers).map(|number| format!("pub{number}")))
        .chain((1..=subscribers).map(|number| format!("sub{number}")));
    let cast = Cast::named(names).init("broker.accepted", 0);
    let cast = (1..=publishers).fold(cast, |cast, number| {
        cast.init(&format!("pub{number}.published"), 0)
    });
    (1..=subscribers).fold(cast, |cast, number| {
        cast.init(&format!("sub{number}.subscribed"), false)
            .init(&format!("sub{number}.seen"), 0)
            .init(&format!("sub{number}.gaps"), 0)
    })
}

/// Plays the protocol.
pub(crate) fn play(stage: &mut Stage<'_>) {
    let procs = stage.procs();
    let mut market = Market {
        publishers: publishers(procs),
        accepted: 0,
        listed: vec![false; procs],
        outbox: VecDeque::new(),
        clients: (0..procs).map(|_| Client::default()).collect(),
        post: Post::new(procs),
    };
    stage.schedule(|stage, me| market.step(stage, me));
}

fn publishers(procs: usize) -> usize {
    ((procs - 1) / 3).max(1)
}

#[derive(Clone, Copy)]
enum Body {
    Publish,
    Subscribe,
    Unsubscribe,
    /// With the last number.
    Welcome(i64),
    Goodbye,
    Copy(i64),
}

#[derive(Default)]
struct Client {
    published: i64,
    /// Has asked the broker for something and not been answered.
    waits: bool,
    subscribed: bool,
    seen: i64,
    gaps: i64,
}

struct Market {
    publishers: usize,
    accepted: i64,
    /// Who gets copies.
    listed: Vec<bool>,
    /// What the broker has yet to send.
    outbox: VecDeque<(usize, Body)>,
    clients: Vec<Client>,
    post: Post<Body>,
}

impl Market {
    fn step(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        if me == BROKER {
            self.brokers(stage)
        } else if me <= self.publishers {
            self.publishes(stage, me)
        } else {
            self.subscribes(stage, me)
        }
    }

    fn brokers(&mut self, stage: &mut Stage<'_>) -> bool {
        if let Some((to, body)) = self.outbox.pop_front() {
            let name = match body {
                Body::Copy(_) => "copy",
                Body::Welcome(_) => "welcome",
                _ => "goodbye",
            };
            let stamp = stage.message(BROKER, to, name).send();
            self.post.put(BROKER, to, body, stamp);
            return true;
        }
        let Some(letter) = self.post.take(BROKER, &mut stage.rng) else {
            return false;
        };
        self.accepts(stage, &letter);
        true
    }

    fn accepts(&mut self, stage: &mut Stage<'_>, letter: &Letter<Body>) {
        let from = letter.from;
        let mut name = "list";
        match letter.body {
            Body::Publish => {
                self.accepted += 1;
                name = "accept";
                for to in 0..self.listed.len() {
                    if self.listed[to] && !stage.slips(10) {
                        self.outbox.push_back((to, Body::Copy(self.accepted)));
                    }
                }
            }
            Body::Subscribe => {
                self.listed[from] = true;
                self.outbox.push_back((from, Body::Welcome(self.accepted)));
            }
            _ => {
                self.listed[from] = false;
                self.outbox.push_back((from, Body::Goodbye));
            }
        }
        let event = stage.event(BROKER, name).recv(&letter.stamp);
        event.set("accepted", self.accepted).done();
    }

    fn publishes(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        if self.post.waiting(BROKER) >= WAITING {
            return false;
        }
        let client = &mut self.clients[me];
        client.published += 1;
        let event = stage.message(me, BROKER, "publish");
        let stamp = event.set("published", client.published).send();
        self.post.put(me, BROKER, Body::Publish, stamp);
        true
    }

    fn subscribes(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        if let Some(letter) = self.post.take(me, &mut stage.rng) {
            self.clients[me].receives(stage, me, &letter);
            return true;
        }
        let client = &mut self.clients[me];
        let percent = if client.subscribed { 5 } else { 50 };
        if client.waits || !stage.chance(percent) {
            return false;
        }
        client.waits = true;
        let (name, body) = match client.subscribed {
            true => ("unsubscribe", Body::Unsubscribe),
            false => ("subscribe", Body::Subscribe),
        };
        let stamp = stage.message(me, BROKER, name).send();
        self.post.put(me, BROKER, body, stamp);
        true
    }
}

impl Client {
    fn receives(&mut self, stage: &mut Stage<'_>, me: usize, letter: &Letter<Body>) {
        let event = stage.event(me, "receive").recv(&letter.stamp);
        match letter.body {
            Body::Welcome(last) => {
                (self.subscribed, self.waits, self.seen) = (true, false, last);
                event.set("subscribed", true).set("seen", last).done();
            }
            Body::Copy(number) => {
                self.gaps += i64::from(number != self.seen + 1);
                self.seen = number;
                event.set("seen", number).set("gaps", self.gaps).done();
            }
            _ => {
                (self.subscribed, self.waits) = (false, false);
                event.set("subscribed", false).done();
            }
        }
    }
}
