//! Safety, co-safety, weakness and stuttering against all short words.

use causet_base::budget::Budget;
use causet_solve::automaton::{Automaton, State};
use fastrand::Rng;

use crate::logic::deterministic;
use crate::random::{Word, all_words, random_automaton, random_formula, rounds};

/// A random least automaton over two atoms.
fn random_least(seed: u64) -> Automaton {
    let mut rng = Rng::with_seed(seed);
    if rng.bool() {
        let size = rng.usize(..7);
        return deterministic(&random_formula(&mut rng, 2, size), 2);
    }
    let budget = Budget::endless();
    let automaton = random_automaton(&mut rng, 2, 3);
    let one = automaton.determinise(1000, &budget).unwrap().unwrap();
    one.minimise(&budget).unwrap()
}

/// Words of up to five letters show every class of an automaton with up to this many states.
const SMALL: usize = 3;

#[test]
fn safety_is_about_prefixes() {
    let words = all_words(2, 5);
    for seed in 0..rounds(1_500) {
        let automaton = random_least(seed);
        let accepts: Vec<bool> = words.iter().map(|word| automaton.accepts(word)).collect();
        // The words come in the order of their length, so the one without the last letter has a known place.
        let before = |index: usize| (index - 4) / 4;
        let recovers = |&index: &usize| accepts[index] && !accepts[before(index)];
        let spoils = |&index: &usize| !accepts[index] && accepts[before(index)];
        let recovers = (4..words.len()).any(|index| recovers(&index));
        let spoils = (4..words.len()).any(|index| spoils(&index));
        assert!(!(automaton.is_safety() && recovers), "seed {seed}");
        assert!(!(automaton.is_cosafety() && spoils), "seed {seed}");
        if automaton.len() <= SMALL {
            assert_eq!(automaton.is_safety(), !recovers, "seed {seed}");
            assert_eq!(automaton.is_cosafety(), !spoils, "seed {seed}");
        }
    }
}

#[test]
fn dead_and_sure_states_are_decided() {
    let words = all_words(2, 3);
    for seed in 0..rounds(1_500) {
        let automaton = random_least(seed);
        let (dead, sure) = (automaton.dead(), automaton.sure());
        for word in &words {
            let mut state = automaton.initial();
            let mut decided = None;
            for letter in word {
                state = automaton.next(state, |atom| letter[atom])[0];
                decided = decided
                    .or(dead[state as usize].then_some(false))
                    .or(sure[state as usize].then_some(true));
            }
            let accepted = automaton.is_accepting(state);
            assert_eq!(decided.unwrap_or(accepted), accepted, "seed {seed}");
        }
        // In a least automaton nothing else is decided, so there is at most one of each.
        for decided in [dead, sure] {
            assert!(decided.iter().filter(|&&decided| decided).count() <= 1);
        }
    }
}

/// The word in which no event happens at one position.
fn quiet(letter: &[bool], is_event: &dyn Fn(usize) -> bool) -> Vec<bool> {
    let atoms = letter.iter().enumerate();
    atoms
        .map(|(atom, &truth)| truth && !is_event(atom))
        .collect()
}

fn with_repetition(word: &Word, at: usize, is_event: &dyn Fn(usize) -> bool) -> Word {
    let mut longer = word.clone();
    longer.insert(at + 1, quiet(&word[at], is_event));
    longer
}

#[test]
fn stuttering_is_noticed_or_not() {
    let words = all_words(2, 4);
    let (mut noticed, mut unnoticed) = (0, 0);
    for seed in 0..rounds(1_500) {
        let automaton = random_least(seed);
        let events = seed as usize % 4;
        let is_event = |atom: usize| events >> atom & 1 == 1;
        let starts_quietly = |word: &Word| word[0] == quiet(&word[0], &is_event);
        let stutter = automaton.stutter(&is_event, &Budget::endless()).unwrap();
        let Some(stutter) = stutter else {
            unnoticed += 1;
            for word in words.iter().filter(|word| starts_quietly(word)) {
                for at in 0..word.len() {
                    let longer = with_repetition(word, at, &is_event);
                    assert_eq!(
                        automaton.accepts(word),
                        automaton.accepts(&longer),
                        "seed {seed}: {word:?}"
                    );
                }
            }
            continue;
        };
        noticed += 1;
        for word in words.iter().filter(|word| starts_quietly(word)) {
            for at in 0..word.len().min(stutter.inserted - 1) {
                let longer = with_repetition(word, at, &is_event);
                assert_eq!(
                    automaton.accepts(word),
                    automaton.accepts(&longer),
                    "seed {seed}: earlier"
                );
            }
        }
        assert!(starts_quietly(&stutter.word), "seed {seed}");
        let longer = with_repetition(&stutter.word, stutter.inserted - 1, &is_event);
        assert_eq!(stutter.longer, longer, "seed {seed}");
        assert_eq!(
            automaton.accepts(&stutter.word),
            stutter.accepted,
            "seed {seed}"
        );
        assert_eq!(
            automaton.accepts(&stutter.longer),
            !stutter.accepted,
            "seed {seed}"
        );
    }
    assert!(noticed > 100 && unnoticed > 100, "{noticed} {unnoticed}");
}

#[test]
fn states_that_accept_the_same_are_not_told_apart_by_stuttering() {
    for seed in 0..rounds(1_500) {
        let automaton = random_automaton(&mut Rng::with_seed(seed), 2, 3);
        let budget = Budget::endless();
        let one = automaton.determinise(1000, &budget).unwrap().unwrap();
        let least = one.minimise(&budget).unwrap();
        let noticed = |automaton: &Automaton| {
            automaton
                .stutter(&|atom| atom == 0, &budget)
                .unwrap()
                .is_some()
        };
        assert_eq!(noticed(&one), noticed(&least), "seed {seed}");
    }
}

#[test]
fn very_weak_automata_only_go_on() {
    for seed in 0..rounds(1_500) {
        let automaton = random_automaton(&mut Rng::with_seed(seed), 2, 4);
        let count = automaton.len() as State;
        let mut leads: Vec<Vec<bool>> = (0..count)
            .map(|from| {
                (0..count)
                    .map(|to| automaton.targets(from).contains(&to))
                    .collect()
            })
            .collect();
        let direct = leads.clone();
        for via in 0..leads.len() {
            for from in 0..leads.len() {
                for to in 0..leads.len() {
                    leads[from][to] |= leads[from][via] && leads[via][to];
                }
            }
        }
        let is_cycle = |one: usize, other: usize| leads[one][other] && leads[other][one];
        let any_cycle = (0..leads.len()).any(|one| (0..one).any(|other| is_cycle(one, other)));
        let Some(order) = automaton.very_weak() else {
            assert!(any_cycle, "seed {seed}");
            continue;
        };
        assert!(!any_cycle && order.len() == automaton.len(), "seed {seed}");
        for (index, &later) in order.iter().enumerate() {
            let mut earlier = order[..index].iter();
            assert!(earlier.all(|&earlier| !direct[later as usize][earlier as usize]));
        }
    }
}
