//! A primary and a secondary that know each other, and hand over to new ones.
//!
//! There is a pair at every moment, in every order: the primary knows its secondary and the secondary knows its primary.
//! So a successor is told first, then one event makes the new pair, and only then does the old one step down:
//!
//! ```text
//! new secondary:  primary -join-> new -joined-> primary (takes it) -leave-> old secondary -left-> primary
//! new primary:    primary -lead-> new -follow-> secondary (takes it) -leave-> old primary -left-> new
//! ```
//!
//! Nothing else begins before the old one has left: a late order to leave would hit one who has been chosen again.
//!
//! In the faulty version the one to be replaced steps down before that, one time in five.

use std::collections::VecDeque;

use crate::registry::Cast;
use crate::stage::{Letter, Post, Stage};

/// Processes with numbers; the first is primary, the second secondary.
pub(crate) fn cast(procs: usize) -> Cast {
    let cast = Cast::numbered(procs)
        .each("first", NOBODY)
        .each("second", NOBODY);
    let mut cast = (0..procs).fold(cast, |cast, me| {
        cast.init(&format!("p{me}.id"), me as i64)
            .init(&format!("p{me}.primary"), me == 0)
            .init(&format!("p{me}.secondary"), me == 1)
    });
    // The two who know each other replace what was said of all.
    cast.init
        .retain(|(name, _)| name != "p0.second" && name != "p1.first");
    cast.init("p0.second", 1).init("p1.first", 0)
}

/// Plays the protocol.
pub(crate) fn play(stage: &mut Stage<'_>) {
    let procs = stage.procs();
    let mut pair = Pair {
        leader: Some(0),
        second: 1,
        outbox: (0..procs).map(|_| VecDeque::new()).collect(),
        post: Post::new(procs),
    };
    stage.schedule(|stage, me| pair.step(stage, me));
}

/// The number of nobody.
const NOBODY: i64 = -1;

#[derive(Clone, Copy)]
enum Body {
    Join,
    Joined,
    /// To the new primary, with the number of the secondary.
    Lead(usize),
    /// To the secondary, with the number of the old primary.
    Follow(usize),
    /// To the old one, with the number of the primary that waits for it.
    Leave(usize),
    Left,
}

struct Pair {
    /// The primary, if it may begin something.
    leader: Option<usize>,
    second: usize,
    outbox: Vec<VecDeque<(usize, Body)>>,
    post: Post<Body>,
}

impl Pair {
    fn step(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        if let Some((to, body)) = self.outbox[me].pop_front() {
            self.sends(stage, me, to, body);
            return true;
        }
        if self.leader == Some(me) && stage.chance(40) {
            return self.hands_over(stage, me);
        }
        if let Some(letter) = self.post.take(me, &mut stage.rng) {
            self.receives(stage, me, &letter);
            return true;
        }
        let busy = stage.chance(10);
        if busy {
            stage.event(me, "work").done();
        }
        busy
    }

    fn sends(&mut self, stage: &mut Stage<'_>, me: usize, to: usize, body: Body) {
        let name = match body {
            Body::Join => "join",
            Body::Joined => "joined",
            Body::Lead(_) => "lead",
            Body::Follow(_) => "follow",
            Body::Leave(_) => "leave",
            Body::Left => "left",
        };
        let hasty = stage.slips(20);
        let mut event = stage.message(me, to, name);
        if hasty && matches!(body, Body::Lead(_)) {
            event = event.set("primary", false);
        }
        if hasty && matches!(body, Body::Join) {
            event = event.set("second", to as i64);
        }
        self.post.put(me, to, body, event.send());
    }

    /// The primary chooses a new secondary or a new primary, neither of the pair.
    fn hands_over(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        let mut successor = stage.other(me);
        while successor == self.second {
            successor = stage.other(me);
        }
        let body = match stage.chance(50) {
            true => Body::Join,
            false => Body::Lead(self.second),
        };
        self.leader = None;
        stage.event(me, "choose").done();
        self.outbox[me].push_back((successor, body));
        true
    }

    fn receives(&mut self, stage: &mut Stage<'_>, me: usize, letter: &Letter<Body>) {
        let from = letter.from;
        let event = stage.event(me, "receive").recv(&letter.stamp);
        let outbox = &mut self.outbox[me];
        match letter.body {
            Body::Join => {
                event.set("secondary", true).set("first", from).done();
                outbox.push_back((from, Body::Joined));
            }
            Body::Joined => {
                event.set("second", from).done();
                outbox.push_back((self.second, Body::Leave(me)));
                self.second = from;
            }
            Body::Lead(second) => {
                event.set("primary", true).set("second", second).done();
                outbox.push_back((second, Body::Follow(from)));
            }
            Body::Follow(old) => {
                event.set("first", from).done();
                outbox.push_back((old, Body::Leave(from)));
            }
            Body::Leave(primary) => {
                let event = event.set("primary", false).set("secondary", false);
                event.set("first", NOBODY).set("second", NOBODY).done();
                outbox.push_back((primary, Body::Left));
            }
            Body::Left => {
                event.done();
                self.leader = Some(me);
            }
        }
    }
}
