//! Transitions with random labels to random states: what no protocol would do, for tests by the thousand.

use std::io::{self, Write};

use fastrand::Rng;

use super::aut::{self, Sizes};
use super::settings::{Range, Setting, Values};

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "states",
        about: "How many states.",
        range: Range::Number {
            least: 1,
            usual: 100,
            most: 1_000_000_000,
        },
    },
    Setting {
        name: "labels",
        about: "How many labels: the internal one, then a1, a2 and so on.",
        range: Range::Number {
            least: 1,
            usual: 4,
            most: 1_000_000,
        },
    },
    Setting {
        name: "degree",
        about: "How many transitions leave a state on average; each number from none to twice as many is as likely.",
        range: Range::Number {
            least: 0,
            usual: 2,
            most: 1000,
        },
    },
    Setting {
        name: "seed",
        about: "Where chance begins.",
        range: Range::Number {
            least: 0,
            usual: 1,
            most: u64::MAX,
        },
    },
];

/// Writes the system. It is drawn twice, the first time to count.
pub(super) fn write(values: &Values, out: &mut dyn Write) -> io::Result<Sizes> {
    let mut transitions = 0;
    draw(values, &mut |_, _, _| {
        transitions += 1;
        Ok(())
    })?;
    let sizes = Sizes {
        states: values.number("states"),
        transitions,
    };
    aut::header(out, sizes)?;
    draw(values, &mut |from, label, to| match label {
        0 => aut::quoted(out, from, "tau", to),
        _ => aut::quoted(out, from, &format!("a{label}"), to),
    })?;
    Ok(sizes)
}

/// Shows every transition, by the states it leaves; labels are numbers, the internal one is 0.
fn draw(values: &Values, take: &mut dyn FnMut(u64, u64, u64) -> io::Result<()>) -> io::Result<()> {
    let mut rng = Rng::with_seed(values.number("seed"));
    let (states, labels) = (values.number("states"), values.number("labels"));
    for from in 0..states {
        for _ in 0..rng.u64(0..=2 * values.number("degree")) {
            let label = rng.u64(0..labels);
            take(from, label, rng.u64(0..states))?;
        }
    }
    Ok(())
}
