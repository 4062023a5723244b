//! Dining philosophers by messages, as Chandy and Misra have them, around a ring.
//!
//! Two neighbours share one fork and one request for it. Whoever is hungry and lacks a fork sends the request, if it has
//! it; whoever has the fork and the request gives the fork away, if it is dirty and it does not eat. Eating makes forks
//! dirty, giving cleans them. At the beginning all forks are dirty and lie so that there is no circle of waiting. The
//! faulty version eats without both forks, one time in ten.

use crate::registry::Cast;
use crate::stage::{Post, Stage};

/// The two neighbours of a philosopher.
const SIDES: [usize; 2] = [LEFT, RIGHT];
const LEFT: usize = 0;
const RIGHT: usize = 1;
const HELD: [&str; 2] = ["left_fork", "right_fork"];

/// Philosophers; the one with the lower number has the fork between two.
pub(crate) fn cast(procs: usize) -> Cast {
    let mut cast = Cast::numbered(procs).each("state", "think");
    for me in 0..procs {
        for side in SIDES {
            cast = cast.init(&format!("p{me}.{}", HELD[side]), starts(me, side, procs));
        }
    }
    cast
}

/// Plays the protocol.
pub(crate) fn play(stage: &mut Stage<'_>) {
    let procs = stage.procs();
    let seat = |me| Seat {
        mood: Mood::Thinking,
        fork: SIDES.map(|side| starts(me, side, procs)),
        dirty: [true; 2],
        request: SIDES.map(|side| !starts(me, side, procs)),
    };
    let mut table = Table {
        seats: (0..procs).map(seat).collect(),
        post: Post::new(procs),
    };
    stage.schedule(|stage, me| table.step(stage, me));
}

/// Whether a philosopher has the fork on a side at the beginning.
fn starts(me: usize, side: usize, procs: usize) -> bool {
    me < neighbour(me, side, procs)
}

fn neighbour(me: usize, side: usize, procs: usize) -> usize {
    match side {
        LEFT => (me + procs - 1) % procs,
        _ => (me + 1) % procs,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Mood {
    Thinking,
    Hungry,
    Eating,
}

#[derive(Clone, Copy)]
enum Body {
    Request,
    Fork,
}

struct Seat {
    mood: Mood,
    fork: [bool; 2],
    dirty: [bool; 2],
    request: [bool; 2],
}

struct Table {
    seats: Vec<Seat>,
    /// A letter says on which side of its receiver it arrives.
    post: Post<(Body, usize)>,
}

impl Table {
    fn step(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        if stage.chance(50) && self.receives(stage, me) {
            return true;
        }
        SIDES.into_iter().any(|side| self.sends(stage, me, side))
            || self.changes_mood(stage, me)
            || self.receives(stage, me)
    }

    fn receives(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        let Some(letter) = self.post.take(me, &mut stage.rng) else {
            return false;
        };
        let seat = &mut self.seats[me];
        let (body, side) = letter.body;
        match body {
            Body::Request => {
                seat.request[side] = true;
                stage.event(me, "asked").recv(&letter.stamp).done();
            }
            Body::Fork => {
                seat.fork[side] = true;
                seat.dirty[side] = false;
                let event = stage.event(me, "get").recv(&letter.stamp);
                event.set(HELD[side], true).done();
            }
        }
        true
    }

    /// Gives the fork on a side away, or asks for it, if that is the thing to do.
    fn sends(&mut self, stage: &mut Stage<'_>, me: usize, side: usize) -> bool {
        let procs = stage.procs();
        let to = neighbour(me, side, procs);
        let seat = &mut self.seats[me];
        if !seat.request[side] || seat.mood == Mood::Eating {
            return false;
        }
        let (body, stamp) = if seat.fork[side] && seat.dirty[side] {
            seat.fork[side] = false;
            let event = stage.message(me, to, "give").set(HELD[side], false);
            (Body::Fork, event.send())
        } else if !seat.fork[side] && seat.mood == Mood::Hungry {
            seat.request[side] = false;
            (Body::Request, stage.message(me, to, "ask").send())
        } else {
            return false;
        };
        self.post.put(me, to, (body, RIGHT - side), stamp);
        true
    }

    fn changes_mood(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        let seat = &mut self.seats[me];
        match seat.mood {
            Mood::Thinking => {
                seat.mood = Mood::Hungry;
                stage.event(me, "hungry").set("state", "hungry").done();
            }
            Mood::Hungry => {
                let both = seat.fork == [true; 2];
                if !both && !stage.slips(10) {
                    return false;
                }
                seat.mood = Mood::Eating;
                stage.event(me, "eat").set("state", "eat").done();
            }
            Mood::Eating => {
                seat.mood = Mood::Thinking;
                seat.dirty = [true; 2];
                stage.event(me, "think").set("state", "think").done();
            }
        }
        true
    }
}
