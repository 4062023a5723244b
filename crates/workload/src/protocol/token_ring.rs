//! Mutual exclusion by a token that goes round a ring.
//!
//! Whoever has the token may work inside and then passes it on; all others do something else meanwhile. In the faulty
//! version the token is lost one time in ten, and the first process, when it has waited for long, makes a new one:
//! sometimes when the old one is not lost but only slow.

use crate::registry::Cast;
use crate::stage::{Post, Stage};

/// Processes on a ring; the first has the token.
pub(crate) fn cast(procs: usize) -> Cast {
    let cast = Cast::numbered(procs).each("crit", false);
    (0..procs).fold(cast, |cast, me| cast.init(&format!("p{me}.token"), me == 0))
}

/// Plays the protocol.
pub(crate) fn play(stage: &mut Stage<'_>) {
    let procs = stage.procs();
    let mut at = vec![Place::Without; procs];
    at[0] = Place::With;
    let mut ring = Ring {
        at,
        post: Post::new(procs),
    };
    stage.schedule(|stage, me| ring.step(stage, me));
}

#[derive(Clone, Copy)]
enum Place {
    Without,
    With,
    Inside,
    Finished,
}

struct Ring {
    at: Vec<Place>,
    post: Post<()>,
}

impl Ring {
    fn step(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        self.at[me] = match self.at[me] {
            Place::Without => {
                if !self.gets(stage, me) {
                    return self.idles(stage, me);
                }
                Place::With
            }
            Place::With if stage.chance(70) => {
                stage.event(me, "enter").set("crit", true).done();
                Place::Inside
            }
            Place::Inside => {
                stage.event(me, "leave").set("crit", false).done();
                Place::Finished
            }
            Place::With | Place::Finished => {
                self.passes(stage, me);
                Place::Without
            }
        };
        true
    }

    fn gets(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        if let Some(letter) = self.post.take(me, &mut stage.rng) {
            let event = stage.event(me, "get").recv(&letter.stamp);
            event.set("token", true).done();
            return true;
        }
        if me == 0 && stage.slips(5) {
            stage.event(me, "replace").set("token", true).done();
            return true;
        }
        false
    }

    /// Something else, at times.
    fn idles(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        let busy = stage.chance(20);
        if busy {
            stage.event(me, "idle").done();
        }
        busy
    }

    fn passes(&mut self, stage: &mut Stage<'_>, me: usize) {
        let to = (me + 1) % stage.procs();
        let lost = stage.slips(10);
        let stamp = stage.message(me, to, "pass").set("token", false).send();
        if !lost {
            self.post.put(me, to, (), stamp);
        }
    }
}
