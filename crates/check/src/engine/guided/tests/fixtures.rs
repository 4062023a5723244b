//! The examples of the thesis, with all their numbers.

use causet_base::budget::Budget;
use causet_solve::automaton::{Automaton, Builder, Guard, State};

use super::world::{Atom, World};
use crate::engine::guided::arrivals::{Arrival, Arriving, Complete};
use crate::engine::guided::labelling::{Labels, all_at, everywhere, some_at};
use crate::engine::guided::{Counts, Mix, Steps, Technique, compare, count, run};

fn sizes(counts: Counts) -> (u64, u64) {
    (counts.states, counts.transitions)
}

/// The size of a search with a technique that does not stop early.
fn size(known: &impl Arriving, automaton: &Automaton, technique: Technique) -> (u64, u64) {
    let labels = Labels::new(automaton);
    let mix = Mix::from(technique);
    sizes(count(&mix.walk(known, &labels), &Budget::endless()).expect("no limit"))
}

const TWO_PHASE: Technique = Technique::TwoPhase { max_steps: None };

/// Accepts everything.
fn anything(atoms: usize) -> Automaton {
    let mut builder = Builder::new(atoms);
    let here = builder.state(true);
    builder.moves(here, &[], Some(here));
    builder.finish()
}

#[test]
fn three_and_two_unseen_events() {
    let world = World::drawn(&[3, 2], &[], |_, _| 0, Vec::new());
    let automaton = anything(0);
    let all = compare(&world, &automaton, None, true, &Budget::endless());
    let all: Vec<_> = all
        .into_iter()
        .map(|(name, counts)| (name, sizes(counts.expect("no limit"))))
        .collect();
    let expected = [
        ("full", (12, 17)),
        ("guided", (12, 17)),
        ("two-phase", (6, 5)),
        ("sleep", (12, 11)),
        ("filtered", (1, 0)),
    ];
    assert_eq!(all, expected);
    let some = compare(&world, &automaton, None, false, &Budget::endless());
    assert_eq!(some.len(), 2);
}

/// The automaton of figure 6.3: one symbol after the other, and nothing out of turn. Its letters are symbols, so it moves
/// on each of the symbols that hold.
fn in_turn() -> Automaton {
    let mut builder = Builder::new(4);
    let states: Vec<State> = (0..5).map(|state| builder.state(state == 4)).collect();
    let trap = builder.state(false);
    for (turn, &state) in states.iter().enumerate() {
        let target = |symbol: usize| {
            if symbol == turn {
                states[turn + 1]
            } else {
                trap
            }
        };
        match turn {
            4 => builder.moves(state, &[], Some(state)),
            _ => {
                let targets: Vec<_> = (0..4).map(|s| (Guard::Atom(s), target(s))).collect();
                builder.moves(state, &targets, Some(state));
            }
        }
    }
    builder.moves(trap, &[], Some(trap));
    builder.finish()
}

/// Two processes that count to ten.
fn counting(atoms: Vec<Atom>) -> World {
    World::drawn(&[10, 10], &[], |_, x| i64::from(x), atoms)
}

#[test]
fn symbols_in_turn() {
    let world = counting(vec![
        Atom::Is(0, 2),
        Atom::Is(1, 2),
        Atom::Is(0, 6),
        Atom::Is(1, 6),
    ]);
    let automaton = in_turn();
    let known = Complete::new(&world, 4);
    assert_eq!(size(&known, &automaton, Technique::Levels), (121, 220));
    assert_eq!(size(&known, &automaton, Technique::Guided), (66, 103));
    let budget = Budget::endless();
    for technique in [Technique::Levels, Technique::Guided] {
        let mut holds = 0;
        let mut last = Vec::new();
        let mut see = |at: crate::engine::guided::labelling::Labelled<'_>| {
            holds += usize::from(at.some());
            if at.cut == [10, 10] {
                last = at.states().collect();
            }
        };
        everywhere(&world, &automaton, technique, &mut see, &budget).expect("no limit");
        assert_eq!(holds, 25);
        let is_full = technique == Technique::Levels;
        assert_eq!(last, if is_full { vec![4, 5] } else { vec![4] });
        let search = run(&world, &automaton, technique, true, &budget).expect("no limit");
        assert!(search.found && matches!(search.steps, Ok(Some(_))));
    }
    assert_eq!(some_at(&world, &automaton, &[10, 10], &budget), Ok(true));
    assert_eq!(all_at(&world, &automaton, &[10, 10], &budget), Ok(false));
}

/// A run in which the symbols hold at four cuts on the diagonal only.
struct Diagonal(World);

impl Arriving for Diagonal {
    fn chains(&self) -> usize {
        2
    }

    fn next(&self, chain: usize, x: u32) -> Arrival {
        Complete::new(&self.0, 0).next(chain, x)
    }

    fn needs(&self, chain: usize, x: u32, other: usize) -> u32 {
        Complete::new(&self.0, 0).needs(chain, x, other)
    }

    fn truth(&self, atom: usize, cut: &[u32], _by: Option<usize>) -> bool {
        cut == [2 * (atom as u32 + 1); 2]
    }

    fn is_visible(&self, _chain: usize, _x: u32) -> bool {
        true
    }
}

#[test]
fn guidance_may_be_of_no_use() {
    let known = Diagonal(counting(Vec::new()));
    let automaton = in_turn();
    assert_eq!(size(&known, &automaton, Technique::Levels), (121, 220));
    assert_eq!(size(&known, &automaton, Technique::Guided), (121, 220));
}

/// The automaton of figure 7.12 over `u = 1` and `v = 1`: the first without the second before the second.
fn one_before_the_other() -> Automaton {
    let mut builder = Builder::new(2);
    let states: Vec<State> = (0..4).map(|state| builder.state(state == 2)).collect();
    let other = Guard::Atom(1);
    let one = Guard::All(vec![Guard::Atom(0), Guard::Not(Box::new(Guard::Atom(1)))]);
    let first = [(one, states[1]), (other.clone(), states[3])];
    builder.moves(states[0], &first, Some(states[0]));
    builder.moves(states[1], &[(other, states[2])], Some(states[1]));
    builder.moves(states[2], &[], Some(states[2]));
    builder.moves(states[3], &[], Some(states[3]));
    builder.finish()
}

/// Two processes with ten events each, a message between their eighth ones, a flag each.
fn flags() -> World {
    let value = |process: usize, x: u32| i64::from(x >= [7, 9][process]);
    let atoms = vec![Atom::Is(0, 1), Atom::Is(1, 1)];
    World::drawn(&[10, 10], &[(0, 8, 1, 8)], value, atoms)
}

/// A run in which sends and receives count as seen.
struct Communicating<'w>(Complete<'w, World>);

impl Arriving for Communicating<'_> {
    fn chains(&self) -> usize {
        self.0.chains()
    }

    fn next(&self, chain: usize, x: u32) -> Arrival {
        self.0.next(chain, x)
    }

    fn needs(&self, chain: usize, x: u32, other: usize) -> u32 {
        self.0.needs(chain, x, other)
    }

    fn truth(&self, atom: usize, cut: &[u32], by: Option<usize>) -> bool {
        self.0.truth(atom, cut, by)
    }

    fn is_visible(&self, chain: usize, x: u32) -> bool {
        x == 8 || self.0.is_visible(chain, x)
    }
}

#[test]
fn two_phases_with_every_bound() {
    let world = flags();
    let automaton = one_before_the_other();
    let known = Complete::new(&world, 2);
    assert_eq!(size(&known, &automaton, Technique::Levels), (97, 172));
    assert_eq!(size(&known, &automaton, Technique::Sleep), (97, 96));
    let bounds = [
        (Some(1), (49, 60)),
        (Some(2), (33, 37)),
        (Some(3), (28, 29)),
        (Some(5), (22, 22)),
        (Some(10), (21, 20)),
        (None, (21, 20)),
    ];
    let budget = Budget::endless();
    for (max_steps, expected) in bounds {
        let technique = Technique::TwoPhase { max_steps };
        assert_eq!(size(&known, &automaton, technique), expected);
        let search = run(&world, &automaton, technique, true, &budget).expect("no limit");
        assert!(search.found && matches!(search.steps, Ok(Some(_))));
    }
    assert_eq!(all_at(&world, &automaton, &[10, 10], &budget), Ok(true));
    let known = Communicating(Complete::new(&world, 2));
    let once = Technique::TwoPhase { max_steps: Some(1) };
    assert_eq!(size(&known, &automaton, once), (46, 57));
    assert_eq!(size(&known, &automaton, TWO_PHASE), (21, 20));
}

/// `a+ b (a|b)*` over symbols, several of which may hold.
fn a_then_b() -> Automaton {
    let mut builder = Builder::new(2);
    let states: Vec<State> = (0..4).map(|state| builder.state(state == 2)).collect();
    let (a, b) = (Guard::Atom(0), Guard::Atom(1));
    let trap = states[3];
    builder.moves(
        states[0],
        &[(a.clone(), states[1]), (b.clone(), trap)],
        Some(trap),
    );
    builder.moves(
        states[1],
        &[(a.clone(), states[1]), (b.clone(), states[2])],
        Some(trap),
    );
    builder.moves(states[2], &[(a, states[2]), (b, states[2])], Some(trap));
    builder.moves(trap, &[], Some(trap));
    builder.finish()
}

#[test]
fn repeated_symbols_make_new_words() {
    let atoms = || vec![Atom::Is(0, 0), Atom::Is(0, 0)];
    let budget = Budget::endless();
    for (events, states) in [(0, vec![1, 3]), (1, vec![1, 2, 3])] {
        let world = World::drawn(&[events], &[], |_, _| 0, atoms());
        let mut last = Vec::new();
        let mut see = |at: crate::engine::guided::labelling::Labelled<'_>| {
            last = at.states().collect();
        };
        everywhere(&world, &a_then_b(), Technique::Levels, &mut see, &budget).expect("no limit");
        assert_eq!(last, states);
        let search = run(&world, &a_then_b(), Technique::Levels, true, &budget);
        assert_eq!(search.expect("no limit").found, events == 1);
    }
}

#[test]
fn many_states_and_no_chains() {
    // Counts a hundred letters, so its states take two words.
    let mut builder = Builder::new(0);
    let states: Vec<State> = (0..100).map(|state| builder.state(state == 99)).collect();
    for pair in states.windows(2) {
        builder.moves(pair[0], &[], Some(pair[1]));
    }
    let counter = builder.finish();
    let budget = Budget::endless();
    for (length, found) in [(97, false), (98, true), (99, false)] {
        let world = World::drawn(&[length], &[], |_, _| 0, Vec::new());
        for technique in [Technique::Levels, Technique::Guided] {
            let search = run(&world, &counter, technique, true, &budget).expect("no limit");
            assert_eq!(search.found, found);
            assert_eq!(matches!(search.steps, Ok(Some(_))), found);
        }
    }
    let nothing = World::drawn(&[], &[], |_, _| 0, Vec::new());
    for steps in [
        Steps::All,
        Steps::Sleep,
        Steps::TwoPhase { max_steps: None },
    ] {
        let mix = Mix {
            steps,
            guided: true,
            filtered: true,
        };
        let search = run(&nothing, &anything(0), mix, true, &budget).expect("no limit");
        assert!(search.found && search.steps == Ok(Some(Vec::new())));
    }
}
