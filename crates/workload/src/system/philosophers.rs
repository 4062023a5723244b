//! Dining philosophers: components that wait for each other in a ring, so that the composed system grows exponentially.
//!
//! Philosopher `p` sits between the forks `p` and `p + 1`. Everybody takes the left fork, then the right one, eats, and puts
//! both back in that order; when all hold their left forks, nothing can happen any more. In the good mode philosopher 0
//! takes the right fork first, and no such state is left.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::aut::{self, Sizes};
use super::explore::explore;
use super::settings::{Range, Setting, Values};
use super::{Network, Part};

pub(super) const SETTINGS: &[Setting] = &[
    Setting {
        name: "n",
        about: "How many philosophers there are; with more than 16 only as a network.",
        range: Range::Number {
            least: 2,
            usual: 3,
            most: 1000,
        },
    },
    Setting {
        name: "mode",
        about: "Whether everybody takes the left fork first, or philosopher 0 the right one.",
        range: Range::Word(&["deadlock", "good"]),
    },
];

/// More philosophers are not written as one system.
const MAX_PHILOSOPHERS: usize = 16;

/// The forks a philosopher touches, in turn: takes two of them, then puts them back.
#[derive(Clone, Copy)]
struct Philosopher {
    number: usize,
    takes: [usize; 2],
    puts: [usize; 2],
}

fn philosophers(values: &Values) -> Vec<Philosopher> {
    let count = values.number("n") as usize;
    let is_good = values.number("mode") == 1;
    let philosopher = |number: usize| {
        let forks = [number, (number + 1) % count];
        let takes_right_first = is_good && number == 0;
        Philosopher {
            number,
            takes: if takes_right_first {
                [forks[1], forks[0]]
            } else {
                forks
            },
            puts: forks,
        }
    };
    (0..count).map(philosopher).collect()
}

impl Philosopher {
    /// What a philosopher does in a state, as a label, and the fork that is touched.
    fn action(&self, state: usize) -> (String, usize) {
        let (word, fork) = match state {
            0 | 1 => ("take", self.takes[state]),
            _ => ("put", self.puts[state - 2]),
        };
        (format!("{word}({},{fork})", self.number), fork)
    }

    /// Whether a fork is held in a state.
    fn holds(&self, state: usize, fork: usize) -> bool {
        match state {
            1 => self.takes[0] == fork,
            2 => self.takes.contains(&fork),
            3 => self.puts[1] == fork,
            _ => false,
        }
    }
}

/// The states of all philosophers, two bits each.
type Table = u32;

fn state_of(table: Table, philosopher: usize) -> usize {
    (table >> (2 * philosopher) & 3) as usize
}

/// The steps from a table: the label and the table afterwards.
fn steps(all: &[Philosopher], table: Table) -> impl Iterator<Item = (String, Table)> + '_ {
    let is_held = move |fork: usize| all.iter().any(|p| p.holds(state_of(table, p.number), fork));
    all.iter().filter_map(move |philosopher| {
        let state = state_of(table, philosopher.number);
        let (label, fork) = philosopher.action(state);
        let may_happen = state > 1 || !is_held(fork);
        let place = 2 * philosopher.number;
        let after = table & !(3 << place) | ((state as Table + 1) % 4) << place;
        may_happen.then_some((label, after))
    })
}

/// Writes the system.
pub(super) fn write(values: &Values, out: &mut dyn Write) -> io::Result<Sizes> {
    let all = philosophers(values);
    if all.len() > MAX_PHILOSOPHERS {
        let message = format!(
            "{} philosophers have too many states for one file: write them with --network",
            all.len()
        );
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let explored = explore(0, |table, after| {
        after.extend(steps(&all, table).map(|(_, next)| next));
    });
    let sizes = Sizes {
        states: explored.states.len() as u64,
        transitions: explored.steps,
    };
    aut::header(out, sizes)?;
    for (number, &table) in (0..).zip(&explored.states) {
        for (label, next) in steps(&all, table) {
            let target = explored.number(next);
            let target = target.expect("what a step leads to was explored");
            aut::quoted(out, number, &label, u64::from(target))?;
        }
    }
    Ok(sizes)
}

/// Makes the network: philosophers on one side, forks on the other.
pub(super) fn network(values: &Values) -> Network {
    let all = philosophers(values);
    let mut components: Vec<Part> = all.iter().map(philosopher).collect();
    components.extend((0..all.len()).map(|number| fork(&all, number)));
    let names: Vec<String> = components
        .iter()
        .map(|part| format!("\"{}\"", part.name))
        .collect();
    let (eating, lying) = names.split_at(all.len());
    let (eating, lying) = (eating.join(" ||| "), lying.join(" ||| "));
    Network {
        components,
        composition: Part {
            name: "philosophers.exp".to_owned(),
            text: format!("({eating})\n|['.*']|\n({lying})\n"),
        },
    }
}

fn philosopher(philosopher: &Philosopher) -> Part {
    let mut text = "des (0, 4, 4)\n".to_owned();
    for state in 0..4 {
        let (label, _) = philosopher.action(state);
        let _ = writeln!(text, "({state}, \"{label}\", {})", (state + 1) % 4);
    }
    Part {
        name: format!("philosopher-{}.aut", philosopher.number),
        text,
    }
}

/// A fork lies on the table, or is held by one of its neighbours.
fn fork(all: &[Philosopher], number: usize) -> Part {
    let neighbours = all.iter().filter(|p| p.takes.contains(&number));
    let mut lines = Vec::new();
    for (held, neighbour) in (1..).zip(neighbours) {
        let who = neighbour.number;
        lines.push(format!("(0, \"take({who},{number})\", {held})"));
        lines.push(format!("({held}, \"put({who},{number})\", 0)"));
    }
    Part {
        name: format!("fork-{number}.aut"),
        text: format!("des (0, 4, 3)\n{}\n", lines.join("\n")),
    }
}
