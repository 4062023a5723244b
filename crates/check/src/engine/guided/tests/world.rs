//! Small runs with hand-made atoms, all their runs one by one, and random automata.

use causet_solve::automaton::{Automaton, Builder, Guard, State};
use causet_solve::chains::Chains;
use causet_trace::random::{Shape, run};
use causet_trace::{Clocks, StoredValue};
use fastrand::Rng;

use crate::engine::guided::window::{At, Values};
use crate::linear::Scene;

/// What is known of a process at a position: a value, and the mark of the event that led there.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Local {
    pub(super) value: i64,
    pub(super) mark: bool,
}

/// What an atom says.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Atom {
    /// The value of a process is this.
    Is(usize, i64),
    /// The values of two processes differ.
    Differ(usize, usize),
    /// The event just executed is marked.
    Marked,
}

impl Atom {
    fn truth(&self, at: &dyn Fn(usize) -> Local, by: Option<usize>) -> bool {
        match *self {
            Atom::Is(process, value) => at(process).value == value,
            Atom::Differ(one, other) => at(one).value != at(other).value,
            Atom::Marked => by.is_some_and(|process| at(process).mark),
        }
    }

    fn is_seen(&self, process: usize, before: Local, after: Local) -> bool {
        let changes = before.value != after.value;
        match *self {
            Atom::Is(mine, value) => {
                mine == process && (before.value == value) != (after.value == value)
            }
            Atom::Differ(one, other) => changes && (one == process || other == process),
            Atom::Marked => after.mark,
        }
    }
}

/// The atoms alone, for events that arrive.
#[derive(Clone, Debug)]
pub(super) struct Meaning(pub(super) Vec<Atom>);

impl Values for Meaning {
    type Local = Local;

    fn truth(&self, atom: usize, at: &At<'_, Local>, by: Option<usize>) -> bool {
        self.0[atom].truth(&|process| *at.of(process), by)
    }

    fn is_visible(&self, chain: usize, before: &Local, after: &Local) -> bool {
        let mut atoms = self.0.iter();
        atoms.any(|atom| atom.is_seen(chain, *before, *after))
    }
}

/// A run: per process its positions, each with the clock of the event that led there.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) points: Vec<Vec<(Vec<u32>, Local)>>,
    pub(super) atoms: Vec<Atom>,
}

impl World {
    /// Processes with so many events, messages `(from, event, to, event)`, and values by process and position.
    pub(super) fn drawn(
        lengths: &[u32],
        messages: &[(usize, u32, usize, u32)],
        value: impl Fn(usize, u32) -> i64,
        atoms: Vec<Atom>,
    ) -> World {
        let width = lengths.len();
        let point = |process, x| {
            let mut clock = vec![0; width];
            clock[process] = x;
            let value = value(process, x);
            (clock, Local { value, mark: false })
        };
        let mut points: Vec<Vec<_>> = (0..width)
            .map(|process| (0..=lengths[process]).map(|x| point(process, x)).collect())
            .collect();
        // As often as there are messages: each pass carries every clock over one more of them.
        for _ in 0..=messages.len() {
            for &(from, sent, to, received) in messages {
                let sent = points[from][sent as usize].0.clone();
                raise(&mut points[to][received as usize].0, &sent);
            }
            for chain in &mut points {
                for x in 1..chain.len() {
                    let before = chain[x - 1].0.clone();
                    raise(&mut chain[x].0, &before);
                }
            }
        }
        World { points, atoms }
    }

    /// A small random run.
    pub(super) fn random(rng: &mut Rng, with_events: bool) -> World {
        let shape = Shape {
            shared: false,
            ..Shape::small(rng)
        };
        let trace = run(rng, shape);
        let order = trace.order();
        let clocks = Clocks::new(order);
        let points = order.processes().map(|process| {
            let var = trace.local_variable(process, "x");
            let int = |value| match value {
                StoredValue::Int(value) => value,
                _ => 0,
            };
            let mut value = var.map_or(0, |var| int(trace.initial_value(var)));
            let start = Local { value, mark: false };
            let mut points = vec![(vec![0; order.process_count()], start)];
            for &event in order.chain(process) {
                let mut writes = trace.writes(event).filter(|write| Some(write.var) == var);
                value = writes.next().map_or(value, |write| int(write.value));
                let mark = trace.label(event) == Some("a");
                points.push((clocks.of(event).to_vec(), Local { value, mark }));
            }
            points
        });
        let points: Vec<_> = points.collect();
        let some = |rng: &mut Rng| rng.usize(0..points.len());
        let second = match rng.usize(0..3) {
            0 if with_events => Atom::Marked,
            0 | 1 => Atom::Is(some(rng), rng.i64(0..3)),
            _ => Atom::Differ(some(rng), some(rng)),
        };
        let atoms = vec![Atom::Is(some(rng), rng.i64(0..3)), second];
        World { points, atoms }
    }

    pub(super) fn width(&self) -> usize {
        self.points.len()
    }

    pub(super) fn last_cut(&self) -> Vec<u32> {
        (0..self.width()).map(|chain| self.length(chain)).collect()
    }

    /// The run up to a cut.
    pub(super) fn up_to(&self, cut: &[u32]) -> World {
        let chains = self.points.iter().zip(cut);
        let points = chains.map(|(chain, &x)| chain[..=x as usize].to_vec());
        World {
            points: points.collect(),
            atoms: self.atoms.clone(),
        }
    }

    pub(super) fn enabled(&self, cut: &[u32]) -> Vec<usize> {
        let is_enabled = |&chain: &usize| {
            let next = self.points[chain].get(cut[chain] as usize + 1);
            next.is_some_and(|(clock, _)| {
                let mut pairs = clock.iter().zip(cut).enumerate();
                pairs.all(|(other, (needs, x))| other == chain || needs <= x)
            })
        };
        (0..cut.len()).filter(is_enabled).collect()
    }

    pub(super) fn letter(&self, cut: &[u32], by: Option<usize>) -> Vec<bool> {
        let atoms = 0..self.atoms.len();
        atoms.map(|atom| self.truth(atom, cut, by)).collect()
    }

    /// Tells of every path from the initial cut: where it ends, its word and its steps.
    pub(super) fn paths(&self, mut each: impl FnMut(&[u32], &[Vec<bool>], &[usize])) {
        let mut cut = vec![0; self.width()];
        let mut word = vec![self.letter(&cut, None)];
        self.extend(&mut cut, &mut word, &mut Vec::new(), &mut each);
    }

    fn extend(
        &self,
        cut: &mut Vec<u32>,
        word: &mut Vec<Vec<bool>>,
        steps: &mut Vec<usize>,
        each: &mut impl FnMut(&[u32], &[Vec<bool>], &[usize]),
    ) {
        each(cut, word, steps);
        for chain in self.enabled(cut) {
            cut[chain] += 1;
            word.push(self.letter(cut, Some(chain)));
            steps.push(chain);
            self.extend(cut, word, steps, each);
            steps.pop();
            word.pop();
            cut[chain] -= 1;
        }
    }

    /// The words of all complete runs.
    pub(super) fn words(&self) -> Vec<Vec<Vec<bool>>> {
        let last = self.last_cut();
        let mut words = Vec::new();
        self.paths(|cut, word, _| {
            if *cut == last {
                words.push(word.to_vec());
            }
        });
        words.sort();
        words.dedup();
        words
    }

    /// The word along steps, if they are a path, and the cut it leads to.
    pub(super) fn word_along(&self, steps: &[usize]) -> Option<(Vec<Vec<bool>>, Vec<u32>)> {
        let mut cut = vec![0; self.width()];
        let mut word = vec![self.letter(&cut, None)];
        for &chain in steps {
            if !self.enabled(&cut).contains(&chain) {
                return None;
            }
            cut[chain] += 1;
            word.push(self.letter(&cut, Some(chain)));
        }
        Some((word, cut))
    }
}

fn raise(clock: &mut [u32], other: &[u32]) {
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

impl Chains for World {
    fn count(&self) -> usize {
        self.width()
    }

    fn length(&self, chain: usize) -> u32 {
        self.points[chain].len() as u32 - 1
    }

    fn least(&self, chain: usize, x: u32, other: usize) -> u32 {
        self.points[chain][x as usize].0[other]
    }

    fn most(&self, chain: usize, x: u32, other: usize) -> u32 {
        let fits = |&y: &u32| self.least(other, y, chain) <= x;
        (0..=self.length(other))
            .take_while(fits)
            .last()
            .unwrap_or(0)
    }
}

impl Scene for World {
    fn truth(&self, atom: usize, cut: &[u32], by: Option<usize>) -> bool {
        let at = |process: usize| self.points[process][cut[process] as usize].1;
        self.atoms[atom].truth(&at, by)
    }

    fn is_event(&self, atom: usize) -> bool {
        self.atoms[atom] == Atom::Marked
    }

    fn touches(&self, atom: usize, chain: usize, x: u32) -> bool {
        let at = |x: u32| self.points[chain][x as usize].1;
        self.atoms[atom].is_seen(chain, at(x - 1), at(x))
    }
}

/// The number of a letter over two atoms.
fn number(letter: &[bool]) -> usize {
    usize::from(letter[0]) + 2 * usize::from(letter[1])
}

fn exactly(letter: usize) -> Guard {
    let literal = |atom: usize| match letter >> atom & 1 {
        1 => Guard::Atom(atom),
        _ => Guard::Not(Box::new(Guard::Atom(atom))),
    };
    Guard::All(vec![literal(0), literal(1)])
}

/// A random automaton over two atoms, with some letters missing; deterministic or not.
pub(super) fn automaton(rng: &mut Rng, is_deterministic: bool) -> Automaton {
    let mut builder = Builder::new(2);
    let states = rng.u32(1..=5);
    for _ in 0..states {
        builder.state(rng.f64() < 0.4);
    }
    for state in 0..states {
        let mut targets = Vec::new();
        for letter in 0..4 {
            let ways = match is_deterministic {
                true => usize::from(rng.f64() < 0.9),
                false => rng.usize(0..3),
            };
            // Staying is likely, else most words come to the same end at once.
            let to = |rng: &mut Rng| match rng.bool() {
                true => state,
                false => rng.u32(0..states),
            };
            targets.extend((0..ways).map(|_| (exactly(letter), to(rng))));
        }
        builder.moves(state, &targets, None);
    }
    builder.start_at(rng.u32(0..states));
    builder.finish()
}

/// A random deterministic automaton that does not notice when a letter without events is repeated: it remembers the
/// atoms about cuts of the last letter, and reads a letter only if something is new.
pub(super) fn patient(rng: &mut Rng, world: &World) -> Automaton {
    let events: usize = (0..2)
        .filter(|&atom| world.is_event(atom))
        .map(|atom| 1 << atom)
        .sum();
    let states = rng.usize(1..=4);
    let accepting: Vec<bool> = (0..states).map(|_| rng.f64() < 0.4).collect();
    let next: Vec<usize> = (0..states * 4)
        .map(|at| {
            if rng.f64() < 0.4 {
                at / 4
            } else {
                rng.usize(0..states)
            }
        })
        .collect();
    let mut builder = Builder::new(2);
    // The state `5 * s + l` has read `l - 1` last, or nothing.
    for state in 0..states * 5 {
        builder.state(accepting[state / 5]);
    }
    for state in 0..states * 5 {
        let targets = (0..4).map(|letter: usize| {
            let quiet = letter & !events;
            let is_old = letter == quiet && state % 5 == quiet + 1;
            let there = if is_old {
                state / 5
            } else {
                next[state / 5 * 4 + letter]
            };
            (exactly(letter), (there * 5 + quiet + 1) as State)
        });
        builder.moves(state as State, &targets.collect::<Vec<_>>(), None);
    }
    builder.start_at((rng.usize(0..states) * 5) as State);
    builder.finish()
}

/// A word without its repetitions, as numbers of letters.
pub(super) fn destuttered(word: &[Vec<bool>]) -> Vec<usize> {
    let mut letters: Vec<usize> = word.iter().map(|letter| number(letter)).collect();
    letters.dedup();
    letters
}
