//! Dining philosophers with forks as shared variables.
//!
//! A cycle has seven events: hungry, take one fork, take the other, eat, think, put one back, put the other back. The last
//! philosopher takes the forks in the other order, so there is no deadlock. Thinking comes before the forks go back,
//! otherwise a neighbour could eat in some order while the eater has not yet said that it stopped. The knob `work` adds
//! up to so many events of thinking. The faulty version eats without the second fork, one time in ten.

use crate::options::Knob;
use crate::registry::Cast;
use crate::stage::{Shared, Stage};

/// What only this workload has.
pub(crate) const KNOBS: &[Knob] = &[Knob {
    name: "work",
    about: "at most so many local events while thinking",
    usual: 0,
    most: 100,
}];

/// Philosophers around a table, a fork between any two.
pub(crate) fn cast(procs: usize) -> Cast {
    let mut cast = Cast::numbered(procs).each("state", "think");
    for seat in 0..procs {
        cast = cast
            .shared(fork(seat))
            .init(&format!("p{seat}.seat"), seat as i64)
            .init(&format!("p{seat}.next"), ((seat + 1) % procs) as i64);
    }
    cast
}

/// Plays the protocol.
pub(crate) fn play(stage: &mut Stage<'_>) {
    let procs = stage.procs();
    let mut table = Table {
        at: vec![Place::Thinking(0); procs],
        forks: (0..procs).map(|seat| Shared::new(fork(seat))).collect(),
    };
    for place in &mut table.at {
        *place = Place::Thinking(stage.rng.u64(..=stage.options.knob("work")));
    }
    stage.schedule(|stage, me| table.step(stage, me));
}

fn fork(seat: usize) -> String {
    format!("fork{seat}")
}

#[derive(Clone, Copy)]
enum Place {
    /// With so many events of work left.
    Thinking(u64),
    Hungry,
    OneFork,
    BothForks,
    /// With both forks, unless something went wrong.
    Eating(bool),
    Full(bool),
    PutOne,
}

struct Table {
    at: Vec<Place>,
    /// Who holds each, from 1; 0 when it lies on the table.
    forks: Vec<Shared>,
}

impl Table {
    fn step(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        let (first, second) = self.order(me);
        self.at[me] = match self.at[me] {
            Place::Thinking(0) => {
                stage.event(me, "hungry").set("state", "hungry").done();
                Place::Hungry
            }
            Place::Thinking(work) => {
                stage.event(me, "work").set("work", work as i64).done();
                Place::Thinking(work - 1)
            }
            Place::Hungry => {
                if !self.takes(stage, me, first) {
                    return false;
                }
                Place::OneFork
            }
            Place::OneFork => {
                if stage.slips(10) {
                    stage.event(me, "eat").set("state", "eat").done();
                    Place::Eating(false)
                } else if self.takes(stage, me, second) {
                    Place::BothForks
                } else {
                    return false;
                }
            }
            Place::BothForks => {
                stage.event(me, "eat").set("state", "eat").done();
                Place::Eating(true)
            }
            Place::Eating(both) => {
                stage.event(me, "think").set("state", "think").done();
                Place::Full(both)
            }
            Place::Full(both) => {
                let event = stage.event(me, "put");
                self.forks[first].write(me, 0, event);
                match both {
                    true => Place::PutOne,
                    false => Place::Thinking(stage.rng.u64(..=stage.options.knob("work"))),
                }
            }
            Place::PutOne => {
                let event = stage.event(me, "put");
                self.forks[second].write(me, 0, event);
                Place::Thinking(stage.rng.u64(..=stage.options.knob("work")))
            }
        };
        true
    }

    /// The fork to take first and the one to take second.
    fn order(&self, me: usize) -> (usize, usize) {
        let next = (me + 1) % self.forks.len();
        if next == 0 { (next, me) } else { (me, next) }
    }

    fn takes(&mut self, stage: &mut Stage<'_>, me: usize, fork: usize) -> bool {
        if self.forks[fork].value() != 0 {
            return false;
        }
        let event = stage.event(me, "take");
        self.forks[fork].write(me, me as i64 + 1, event);
        true
    }
}
