//! The filter lock: Peterson's idea for any number of processes.
//!
//! A process climbs n - 1 levels; at each it writes its level, then itself as the last to arrive there, and waits while
//! it is the last and somebody else is as high. The test looks at the levels only when it is the last to arrive. What the
//! test read stands before the next event. The faulty version climbs on without the test, one time in five.

use causet_record::Event;

use crate::registry::Cast;
use crate::stage::{Flag, Shared, Stage};

/// Processes with a level each, who came last at each level, and the number of those inside.
pub(crate) fn cast(procs: usize) -> Cast {
    let cast = Cast::numbered(procs)
        .shared("ncrit")
        .each("level", 0)
        .each("cs", false);
    (1..procs).fold(cast, |cast, level| cast.shared(last(level)))
}

/// Plays the protocol.
pub(crate) fn play(stage: &mut Stage<'_>) {
    let procs = stage.procs();
    let mut lock = Lock {
        at: vec![Place::Away; procs],
        levels: (0..procs).map(|_| Flag::default()).collect(),
        last: (0..procs).map(|level| Shared::new(last(level))).collect(),
        inside: Shared::new("ncrit"),
    };
    stage.schedule(|stage, me| lock.step(stage, me));
}

fn last(level: usize) -> String {
    format!("last{level}")
}

#[derive(Clone, Copy)]
enum Place {
    Away,
    /// On a level, not yet written as the last to arrive.
    Arrived(usize),
    Waiting(usize),
    Inside,
    Left,
}

struct Lock {
    at: Vec<Place>,
    levels: Vec<Flag>,
    last: Vec<Shared>,
    inside: Shared,
}

impl Lock {
    fn step(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        self.at[me] = match self.at[me] {
            Place::Away => {
                let done = stage.event(me, "climb").set("level", 1).done();
                self.levels[me].wrote(1, done);
                Place::Arrived(1)
            }
            Place::Arrived(level) => {
                let event = stage.event(me, "arrive");
                // Numbers from 1: nobody has arrived where 0 stands.
                self.last[level].write(me, me as i64 + 1, event);
                Place::Waiting(level)
            }
            Place::Waiting(level) => {
                let slips = stage.slips(20);
                if !slips && !self.free(me, level) {
                    return false;
                }
                self.pass(stage, me, level, slips)
            }
            Place::Inside => {
                let event = stage.event(me, "leave").set("cs", false);
                self.inside.write(me, self.inside.value() - 1, event);
                Place::Left
            }
            Place::Left => {
                let done = stage.event(me, "descend").set("level", 0).done();
                self.levels[me].wrote(0, done);
                Place::Away
            }
        };
        true
    }

    fn is_last(&self, me: usize, level: usize) -> bool {
        self.last[level].value() == me as i64 + 1
    }

    fn free(&self, me: usize, level: usize) -> bool {
        let mut others = self.levels.iter().enumerate();
        !self.is_last(me, level) || others.all(|(who, flag)| who == me || flag.value < level as i64)
    }

    /// Goes one level up, or inside from the last one.
    fn pass(&mut self, stage: &mut Stage<'_>, me: usize, level: usize, slips: bool) -> Place {
        let next = level + 1;
        if next == self.levels.len() {
            let mut event = stage.event(me, "enter").set("cs", true);
            if !slips {
                event = self.tested(me, level, event);
            }
            self.inside.write(me, self.inside.value() + 1, event);
            return Place::Inside;
        }
        let mut event = stage.event(me, "climb").set("level", next as i64);
        if !slips {
            event = self.tested(me, level, event);
        }
        self.levels[me].wrote(next as i64, event.done());
        Place::Arrived(next)
    }

    /// The event after everything that the test read.
    fn tested<'e>(&self, me: usize, level: usize, event: Event<'e>) -> Event<'e> {
        let event = self.last[level].read(me, event);
        if !self.is_last(me, level) {
            return event;
        }
        let others = self.levels.iter().enumerate().filter(|(who, _)| *who != me);
        others.fold(event, |event, (_, flag)| flag.read(event))
    }
}
