//! Random writes and messages, for stress: no protocol at all.
//!
//! Every process counts what it sent and what it got, so there is something to check: nobody gets more than was sent.
//! The faulty version counts a message twice, one time in five.

use crate::options::{Knob, Options};
use crate::registry::Cast;
use crate::stage::{Post, Shared, Stage};

/// What only this workload has.
pub(crate) const KNOBS: &[Knob] = &[
    Knob {
        name: "density",
        about: "so many events in a hundred are receipts, if there is something to receive",
        usual: 20,
        most: 100,
    },
    Knob {
        name: "ring",
        about: "1: messages only to the next process; 0: to anybody",
        usual: 0,
        most: 1,
    },
    Knob {
        name: "variables",
        about: "so many local variables in each process",
        usual: 1,
        most: 1000,
    },
    Knob {
        name: "shared",
        about: "so many shared variables",
        usual: 0,
        most: 1000,
    },
];
/// How many messages wait for one process at most.
const WAITING: usize = 16;
/// Values are below this.
const VALUES: i64 = 4;

/// Processes with their variables and their counts.
pub(crate) fn cast(options: &Options) -> Cast {
    let mut cast = Cast::numbered(options.procs).each("sent", 0).each("got", 0);
    for number in 0..options.knob("variables") {
        cast = cast.each(&local(number), 0);
    }
    for number in 0..options.knob("shared") {
        cast = cast.shared(global(number));
    }
    cast
}

/// Plays at random.
pub(crate) fn play(stage: &mut Stage<'_>) {
    let procs = stage.procs();
    let options = stage.options;
    let mut crowd = Crowd {
        post: Post::new(procs),
        sent: vec![0; procs],
        got: vec![0; procs],
        locals: (0..options.knob("variables")).map(local).collect(),
        shared: (0..options.knob("shared"))
            .map(|number| Shared::new(global(number)))
            .collect(),
    };
    stage.schedule(|stage, me| crowd.step(stage, me));
}

fn local(number: u64) -> String {
    format!("x{number}")
}

fn global(number: u64) -> String {
    format!("g{number}")
}

struct Crowd {
    post: Post<()>,
    sent: Vec<i64>,
    got: Vec<i64>,
    locals: Vec<String>,
    shared: Vec<Shared>,
}

impl Crowd {
    fn step(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        let density = stage.options.knob("density");
        if stage.chance(density) && self.receives(stage, me) {
            return true;
        }
        if stage.chance(density) && stage.procs() > 1 && self.sends(stage, me) {
            return true;
        }
        self.writes(stage, me);
        true
    }

    fn receives(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        let Some(letter) = self.post.take(me, &mut stage.rng) else {
            return false;
        };
        self.got[me] += if stage.slips(20) { 2 } else { 1 };
        let event = stage.event(me, "receive").recv(&letter.stamp);
        event.set("got", self.got[me]).done();
        true
    }

    fn sends(&mut self, stage: &mut Stage<'_>, me: usize) -> bool {
        let to = match stage.options.knob("ring") {
            0 => stage.other(me),
            _ => (me + 1) % stage.procs(),
        };
        if self.post.waiting(to) >= WAITING {
            return false;
        }
        self.sent[me] += 1;
        let event = stage.message(me, to, "send").set("sent", self.sent[me]);
        self.post.put(me, to, (), event.send());
        true
    }

    fn writes(&mut self, stage: &mut Stage<'_>, me: usize) {
        let variables = self.locals.len() + self.shared.len();
        let value = stage.rng.i64(0..VALUES);
        if variables == 0 {
            stage.event(me, "step").done();
            return;
        }
        let chosen = stage.rng.usize(..variables);
        let event = stage.event(me, "write");
        match self.locals.get(chosen) {
            Some(name) => {
                event.set(name, value).done();
            }
            None => self.shared[chosen - self.locals.len()].write(me, value, event),
        }
    }
}
