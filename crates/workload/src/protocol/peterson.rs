//! Peterson's lock for two processes, on shared variables.
//!
//! A cycle has five events: raise the flag, give the turn away, enter, leave, lower the flag. Waiting is no event; what
//! the successful test read stands before the entering. The faulty version enters without looking, one time in five.

use crate::registry::Cast;
use crate::stage::{Flag, Shared, Stage};

/// Two processes, the turn, and the number of those inside.
pub(crate) fn cast(procs: usize) -> Cast {
    Cast::numbered(procs)
        .shared("turn")
        .shared("ncrit")
        .each("flag", 0)
        .each("cs", false)
}

/// Plays the protocol.
pub(crate) fn play(stage: &mut Stage<'_>) {
    let mut lock = Lock {
        at: [Place::Away; 2],
        flags: Default::default(),
        turn: Shared::new("turn"),
        inside: Shared::new("ncrit"),
    };
    stage.schedule(|stage, me| lock.step(stage, me));
}

#[derive(Clone, Copy)]
enum Place {
    Away,
    Raised,
    Waiting,
    Inside,
    Left,
}

struct Lock {
    at: [Place; 2],
    flags: [Flag; 2],
    turn: Shared,
    inside: Shared,
}

impl Lock {
    fn step(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        let other = 1 - me;
        self.at[me] = match self.at[me] {
            Place::Away => {
                let done = stage.event(me, "raise").set("flag", 1).done();
                self.flags[me].wrote(1, done);
                Place::Raised
            }
            Place::Raised => {
                let event = stage.event(me, "give");
                self.turn.write(me, other as i64, event);
                Place::Waiting
            }
            Place::Waiting => {
                if !self.enters(stage, me) {
                    return false;
                }
                Place::Inside
            }
            Place::Inside => {
                let event = stage.event(me, "leave").set("cs", false);
                self.inside.write(me, self.inside.value() - 1, event);
                Place::Left
            }
            Place::Left => {
                let done = stage.event(me, "lower").set("flag", 0).done();
                self.flags[me].wrote(0, done);
                Place::Away
            }
        };
        true
    }

    fn enters(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        let slips = stage.slips(20);
        let other = &self.flags[1 - me];
        if !slips && other.value == 1 && self.turn.value() != me as i64 {
            return false;
        }
        let mut event = stage.event(me, "enter").set("cs", true);
        if !slips {
            event = self.turn.read(me, other.read(event));
        }
        self.inside.write(me, self.inside.value() + 1, event);
        true
    }
}
