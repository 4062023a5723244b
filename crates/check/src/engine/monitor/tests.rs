//! Both techniques against the definition: every complete run, word by word.

use causet_base::budget::{Budget, Meter, Spent};
use causet_solve::automaton::{Automaton, Builder, Guard, State};
use causet_solve::chains::Chains;

use causet_trace::random::{self, Shape};
use causet_trace::{Clocks, Trace};
use fastrand::Rng;

use super::{run_configurations, run_masks, supports};
use crate::linear::scene::{Scene, Search};

/// An atom of a made-up scene.
#[derive(Clone, Debug)]
enum Atom {
    /// A bit of one chain, after each number of events.
    Local(usize, Vec<bool>),
    /// Two such atoms, both true or just one of them.
    Pair(Box<Atom>, Box<Atom>, bool),
    /// The event just executed is marked; per chain and position.
    Event(Vec<Vec<bool>>),
}

impl Atom {
    fn truth(&self, cut: &[u32], by: Option<usize>) -> bool {
        match self {
            Atom::Local(chain, bits) => bits[cut[*chain] as usize],
            Atom::Pair(one, other, true) => one.truth(cut, by) && other.truth(cut, by),
            Atom::Pair(one, other, false) => one.truth(cut, by) != other.truth(cut, by),
            Atom::Event(marks) => by.is_some_and(|chain| marks[chain][cut[chain] as usize]),
        }
    }

    fn touches(&self, chain: usize, x: usize) -> bool {
        match self {
            Atom::Local(own, bits) => *own == chain && bits[x] != bits[x - 1],
            Atom::Pair(one, other, _) => one.touches(chain, x) || other.touches(chain, x),
            Atom::Event(marks) => marks[chain][x],
        }
    }
}

/// A made-up scene over the order of a trace.
#[derive(Clone, Debug)]
struct Stage {
    /// Per chain, position and other chain, what is needed.
    least: Vec<Vec<Vec<u32>>>,
    most: Vec<Vec<Vec<u32>>>,
    atoms: Vec<Atom>,
}

impl Stage {
    fn new(trace: &Trace, atoms: Vec<Atom>) -> Stage {
        let order = trace.order();
        let clocks = Clocks::new(order);
        let width = order.process_count();
        let column = |process| {
            let events = order.chain(process).iter();
            let rows = events.map(|&event| clocks.of(event).to_vec());
            std::iter::once(vec![0; width]).chain(rows).collect()
        };
        let least: Vec<Vec<Vec<u32>>> = order.processes().map(column).collect();
        Stage {
            most: most(&least),
            least,
            atoms,
        }
    }

    /// Chains without any order between them.
    fn free(lengths: &[u32], atoms: Vec<Atom>) -> Stage {
        let alone = |chain: usize, x: u32| {
            let mut row = vec![0; lengths.len()];
            row[chain] = x;
            row
        };
        let column = |chain: usize| (0..=lengths[chain]).map(|x| alone(chain, x)).collect();
        let least: Vec<Vec<Vec<u32>>> = (0..lengths.len()).map(column).collect();
        Stage {
            most: most(&least),
            least,
            atoms,
        }
    }

    fn last(&self) -> Vec<u32> {
        (0..self.count()).map(|chain| self.length(chain)).collect()
    }

    fn is_enabled(&self, cut: &[u32], chain: usize) -> bool {
        cut[chain] < self.length(chain)
            && (0..cut.len()).all(|other| {
                other == chain || self.least(chain, cut[chain] + 1, other) <= cut[other]
            })
    }

    fn letter(&self, cut: &[u32], by: Option<usize>) -> Vec<bool> {
        let truth = |atom| self.truth(atom, cut, by);
        (0..self.atoms.len()).map(truth).collect()
    }

    /// Whether a complete run that begins with this word is accepted; by trying them all.
    fn some_run(
        &self,
        automaton: &Automaton,
        cut: &mut Vec<u32>,
        word: &mut Vec<Vec<bool>>,
    ) -> bool {
        if *cut == self.last() {
            return automaton.accepts(word);
        }
        for chain in 0..cut.len() {
            if self.is_enabled(cut, chain) {
                cut[chain] += 1;
                word.push(self.letter(cut, Some(chain)));
                let found = self.some_run(automaton, cut, word);
                word.pop();
                cut[chain] -= 1;
                if found {
                    return true;
                }
            }
        }
        false
    }

    fn is_accepted(&self, automaton: &Automaton) -> bool {
        let mut cut = vec![0; self.count()];
        let mut word = vec![self.letter(&cut, None)];
        self.some_run(automaton, &mut cut, &mut word)
    }

    /// Replays steps, completes them as the dice have it, and asks the automaton.
    fn replay(&self, automaton: &Automaton, steps: &[usize], rng: &mut Rng) -> bool {
        let mut cut = vec![0; self.count()];
        let mut word = vec![self.letter(&cut, None)];
        let mut steps = steps.iter().copied();
        while cut != self.last() {
            let enabled: Vec<usize> = (0..cut.len())
                .filter(|&chain| self.is_enabled(&cut, chain))
                .collect();
            let chain = steps
                .next()
                .unwrap_or_else(|| enabled[rng.usize(0..enabled.len())]);
            assert!(enabled.contains(&chain), "a step that is not enabled");
            cut[chain] += 1;
            word.push(self.letter(&cut, Some(chain)));
        }
        assert_eq!(steps.next(), None, "steps after the last event");
        automaton.accepts(&word)
    }
}

/// Closed upper bounds from closed lower bounds.
fn most(least: &[Vec<Vec<u32>>]) -> Vec<Vec<Vec<u32>>> {
    let width = least.len();
    let bound = |chain: usize, x: usize, other: usize| {
        let fits = |y: &usize| least[other][*y][chain] as usize <= x;
        if other == chain {
            return x as u32;
        }
        (0..least[other].len()).rev().find(fits).unwrap_or(0) as u32
    };
    let row = |chain, x| (0..width).map(|other| bound(chain, x, other)).collect();
    let column = |chain: usize| (0..least[chain].len()).map(|x| row(chain, x)).collect();
    (0..width).map(column).collect()
}

impl Chains for Stage {
    fn count(&self) -> usize {
        self.least.len()
    }

    fn length(&self, chain: usize) -> u32 {
        self.least[chain].len() as u32 - 1
    }

    fn least(&self, chain: usize, x: u32, other: usize) -> u32 {
        self.least[chain][x as usize][other]
    }

    fn most(&self, chain: usize, x: u32, other: usize) -> u32 {
        self.most[chain][x as usize][other]
    }
}

impl Scene for Stage {
    fn truth(&self, atom: usize, cut: &[u32], by: Option<usize>) -> bool {
        self.atoms[atom].truth(cut, by)
    }

    fn is_event(&self, atom: usize) -> bool {
        matches!(self.atoms[atom], Atom::Event(_))
    }

    fn touches(&self, atom: usize, chain: usize, x: u32) -> bool {
        self.atoms[atom].touches(chain, x as usize)
    }
}

fn random_local(rng: &mut Rng, lengths: &[usize]) -> Atom {
    let chain = rng.usize(0..lengths.len());
    let change = rng.f64();
    let mut bit = rng.bool();
    let bits = (0..=lengths[chain]).map(|_| {
        bit ^= rng.f64() < change;
        bit
    });
    Atom::Local(chain, bits.collect())
}

fn random_atom(rng: &mut Rng, lengths: &[usize]) -> Atom {
    match rng.usize(0..4) {
        0 => {
            let one = Box::new(random_local(rng, lengths));
            Atom::Pair(one, Box::new(random_local(rng, lengths)), rng.bool())
        }
        1 => {
            let share = rng.f64();
            let marks = lengths.iter().map(|&length| {
                let marks = (0..=length).map(|x| x > 0 && rng.f64() < share);
                marks.collect()
            });
            Atom::Event(marks.collect())
        }
        _ => random_local(rng, lengths),
    }
}

fn random_stage(rng: &mut Rng) -> Stage {
    let mut shape = Shape::small(rng);
    shape.events = shape.events.min(7);
    let trace = random::run(rng, shape);
    let order = trace.order();
    let lengths: Vec<usize> = order.processes().map(|p| order.chain(p).len()).collect();
    let atoms = (0..rng.usize(1..=4)).map(|_| random_atom(rng, &lengths));
    let atoms = atoms.collect();
    Stage::new(&trace, atoms)
}

fn random_guard(rng: &mut Rng, atoms: usize, depth: usize) -> Guard {
    match rng.usize(0..if depth == 0 { 3 } else { 6 }) {
        0 => Guard::Not(Box::new(Guard::Atom(rng.usize(0..atoms)))),
        1 | 2 => Guard::Atom(rng.usize(0..atoms)),
        3 => Guard::Const(rng.bool()),
        kind => {
            let parts = (0..2)
                .map(|_| random_guard(rng, atoms, depth - 1))
                .collect();
            if kind == 4 {
                Guard::All(parts)
            } else {
                Guard::Any(parts)
            }
        }
    }
}

/// A random automaton: a monitor that stays where no guard holds, one that moves whatever happens, or any one.
fn random_automaton(rng: &mut Rng, atoms: usize, states: u32) -> Automaton {
    let mut builder = Builder::new(atoms);
    let kind = rng.usize(0..3);
    let accepting = rng.f64() * 0.6;
    for _ in 0..states {
        builder.state(rng.f64() < accepting);
    }
    for state in 0..states {
        let count = if kind == 0 {
            rng.usize(0..3)
        } else {
            rng.usize(0..4)
        };
        let targets: Vec<(Guard, State)> = (0..count)
            .map(|_| (random_guard(rng, atoms, 2), rng.u32(0..states)))
            .collect();
        let otherwise = match kind {
            0 => Some(state),
            1 => rng.bool().then(|| rng.u32(0..states)),
            _ => None,
        };
        builder.moves(state, &targets, otherwise);
    }
    builder.start_at(rng.u32(0..states));
    builder.finish()
}

fn check(name: &str, seed: u64, stage: &Stage, automaton: &Automaton, search: &Search) {
    let expected = stage.is_accepted(automaton);
    assert_eq!(search.found, expected, "{name}, seed {seed}");
    assert_eq!(
        matches!(search.steps, Ok(Some(_))),
        expected,
        "{name}, seed {seed}"
    );
    let mut rng = Rng::with_seed(seed);
    if let Ok(Some(steps)) = &search.steps {
        let replayed = stage.replay(automaton, steps, &mut rng);
        assert!(replayed, "{name}, seed {seed}: {steps:?}");
    }
}

/// Compares both techniques with the definition; says whether there was an accepted run.
fn compare(seed: u64, stage: &Stage, automaton: &Automaton) -> bool {
    let budget = Budget::endless();
    assert_eq!(supports(automaton), Ok(()));
    let search = run_configurations(stage, automaton, true, &budget).expect("no limit");
    check("configurations", seed, stage, automaton, &search);
    let search = run_masks(stage, automaton, true, &budget).expect("no limit");
    check("masks", seed, stage, automaton, &search);
    let plain = run_masks(stage, automaton, false, &budget).expect("no limit");
    assert_eq!((plain.found, plain.steps), (search.found, Ok(None)));
    search.found
}

#[test]
fn random_automata_on_random_runs() {
    let mut found = 0;
    for seed in 0..20_000 {
        let mut rng = Rng::with_seed(seed);
        let stage = random_stage(&mut rng);
        let states = rng.u32(1..=5);
        let automaton = random_automaton(&mut rng, stage.atoms.len(), states);
        found += usize::from(compare(seed, &stage, &automaton));
    }
    assert!((4_000..16_000).contains(&found), "{found} found");
}

/// An automaton that waits for one atom after the other and ends at once or waits on.
fn patient_automaton(rng: &mut Rng, atoms: usize) -> Automaton {
    let mut builder = Builder::new(atoms);
    let states = rng.u32(2..=5);
    for state in 0..states {
        builder.state(state + 1 == states);
    }
    for state in 0..states - 1 {
        let mut targets = vec![(Guard::Atom(rng.usize(0..atoms)), state + 1)];
        if rng.bool() {
            let guard = Guard::All(vec![
                Guard::Atom(rng.usize(0..atoms)),
                Guard::Not(Box::new(targets[0].0.clone())),
            ]);
            targets.push((guard, rng.u32(0..states)));
        }
        builder.moves(state, &targets, Some(state));
    }
    let otherwise = rng.bool().then_some(states - 1);
    let forbidden = Guard::Not(Box::new(Guard::Atom(rng.usize(0..atoms))));
    builder.moves(states - 1, &[(forbidden, states - 1)], otherwise);
    builder.finish()
}

/// A run with many messages and atoms that seldom change: configurations are wide and events depend on each other.
fn sparse_stage(rng: &mut Rng) -> Stage {
    let shape = Shape {
        processes: rng.usize(2..=3),
        events: rng.usize(5..=9),
        messages: 0.9,
        writes: 0.0,
        shared: false,
    };
    let trace = random::run(rng, shape);
    let order = trace.order();
    let lengths: Vec<usize> = order.processes().map(|p| order.chain(p).len()).collect();
    let mut atoms = Vec::new();
    for _ in 0..rng.usize(2..=4) {
        let chain = rng.usize(0..lengths.len());
        let about_events = rng.bool();
        let (mut bit, mut marks) = (false, vec![false]);
        for _ in 0..lengths[chain] {
            let change = rng.f64() < 0.35;
            bit ^= change;
            marks.push(if about_events { change } else { bit });
        }
        atoms.push(match about_events {
            true => {
                let none = lengths.iter().map(|&length| vec![false; length + 1]);
                let mut all: Vec<Vec<bool>> = none.collect();
                all[chain] = marks;
                Atom::Event(all)
            }
            false => Atom::Local(chain, marks),
        });
    }
    let locals: Vec<Atom> = atoms
        .iter()
        .filter(|atom| matches!(atom, Atom::Local(..)))
        .cloned()
        .collect();
    if let [one, other, ..] = &locals[..] {
        let (one, other) = (Box::new(one.clone()), Box::new(other.clone()));
        atoms.insert(0, Atom::Pair(one, other, rng.bool()));
    }
    Stage::new(&trace, atoms)
}

#[test]
fn patient_automata_on_runs_with_many_messages() {
    let mut found = 0;
    for seed in 0..4_000 {
        let mut rng = Rng::with_seed(seed);
        let stage = sparse_stage(&mut rng);
        let automaton = patient_automaton(&mut rng, stage.atoms.len());
        found += u64::from(compare(seed, &stage, &automaton));
    }
    assert!((400..3_600).contains(&found), "{found} found");
}

#[test]
fn automata_with_many_states() {
    for seed in 0..60 {
        let mut rng = Rng::with_seed(seed);
        let stage = random_stage(&mut rng);
        let states = rng.u32(60..300);
        let automaton = random_automaton(&mut rng, stage.atoms.len(), states);
        compare(seed, &stage, &automaton);
    }
    let mut rng = Rng::with_seed(0);
    assert!(supports(&random_automaton(&mut rng, 1, 1_024)).is_ok());
    assert!(supports(&random_automaton(&mut rng, 1, 1_025)).is_err());
}

#[test]
fn a_run_without_chains_is_one_letter() {
    for accepting in [false, true] {
        let mut builder = Builder::new(0);
        let state = builder.state(accepting);
        builder.moves(state, &[], Some(state));
        let found = compare(0, &Stage::free(&[], Vec::new()), &builder.finish());
        assert_eq!(found, accepting);
    }
}

/// Processes with two events each and no messages, and an automaton that waits for all these events one after the other;
/// when it has seen them it looks on until the end.
fn one_by_one(processes: usize) -> (Stage, Automaton) {
    let mut atoms = Vec::new();
    for event in 0..2 * processes {
        let mark = |chain, x| chain == event / 2 && x == event % 2 + 1;
        let marks = (0..processes).map(|chain| (0..3).map(|x| mark(chain, x)).collect());
        atoms.push(Atom::Event(marks.collect()));
    }
    let mut builder = Builder::new(atoms.len());
    for state in 0..=atoms.len() {
        builder.state(state == atoms.len());
    }
    for (atom, state) in (0..).enumerate().take(atoms.len()) {
        builder.moves(state, &[(Guard::Atom(atom), state + 1)], Some(state));
    }
    (Stage::free(&vec![2; processes], atoms), builder.finish())
}

#[test]
fn many_interleavings_are_few_configurations() {
    // Paper TMP has such an example in figure 4: 17 configurations for 8 processes against 8020 cuts with a state. Here it
    // is 17 against 8747. The last state has no way on, so that nothing is certain before the end.
    for processes in 1..=8 {
        let (stage, automaton) = one_by_one(processes);
        let budget = Budget::endless();
        let search = run_configurations(&stage, &automaton, true, &budget).expect("no limit");
        assert_eq!(search.stats["configurations"], 2 * processes as u64 + 1);
        let steps = search.steps.expect("no limit").expect("a run");
        let expected: Vec<usize> = (0..2 * processes).map(|event| event / 2).collect();
        assert_eq!(steps, expected);
    }
}

#[test]
fn a_spent_budget_is_no_answer() {
    struct Stopped;
    impl Meter for Stopped {
        fn stop(&self) -> Option<Spent> {
            Some(Spent::Time)
        }
    }
    let (stage, automaton) = one_by_one(4);
    for run in [run_configurations, run_masks] {
        let stopped = Budget::new(&Stopped);
        let search = run(&stage, &automaton, false, &stopped);
        assert_eq!(search.err(), Some(Spent::Time));
        for limit in 0..12 {
            let poor = Budget::endless().with_memory(1 << limit, 0);
            let search = run(&stage, &automaton, true, &poor);
            assert_eq!(search.err(), Some(Spent::Memory));
        }
    }
}

#[test]
fn what_is_certain_is_not_waited_for() {
    // Two processes without messages, a thousand events each, and a fault at the very beginning of one of them.
    let marks = vec![(0..=1_000).map(|x| x == 1).collect(), vec![false; 1_001]];
    let stage = Stage::free(&[1_000, 1_000], vec![Atom::Event(marks)]);
    let mut builder = Builder::new(1);
    let (fine, bad) = (builder.state(false), builder.state(true));
    builder.moves(fine, &[(Guard::Atom(0), bad)], Some(fine));
    builder.moves(bad, &[], Some(bad));
    let automaton = builder.finish();
    let search = run_configurations(&stage, &automaton, true, &Budget::endless());
    let search = search.expect("no limit");
    assert_eq!(search.steps, Ok(Some(vec![0])));
    assert_eq!(search.stats["configurations"], 2);
}
