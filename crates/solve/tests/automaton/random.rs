//! What the tests of automata share: random formulas and words, and short ways to write formulas down.

use std::sync::Arc;

use causet_solve::automaton::linear::Ltl;
use causet_solve::automaton::{Automaton, Builder, Guard};
use fastrand::Rng;

/// A letter lists the truth of all atoms.
pub(crate) type Word = Vec<Vec<bool>>;

/// How many rounds a random test runs, unless `CAUSET_ROUNDS` says otherwise.
pub(crate) fn rounds(usual: u64) -> u64 {
    let asked = std::env::var("CAUSET_ROUNDS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// A random formula with about so many operators.
pub(crate) fn random_formula(rng: &mut Rng, atoms: usize, size: usize) -> Ltl<usize> {
    if size == 0 {
        return match rng.usize(..12) {
            0 => constant(rng.bool()),
            _ => Ltl::State(rng.usize(..atoms)),
        };
    }
    let left = rng.usize(..size);
    let right = size - 1 - left;
    match rng.usize(..9) {
        0 | 1 => not(random_formula(rng, atoms, size - 1)),
        2 => next(random_formula(rng, atoms, size - 1)),
        3 => finally(random_formula(rng, atoms, size - 1)),
        4 => globally(random_formula(rng, atoms, size - 1)),
        5 => Ltl::And(vec![
            random_formula(rng, atoms, left),
            random_formula(rng, atoms, right),
        ]),
        6 => Ltl::Or(vec![
            random_formula(rng, atoms, left),
            random_formula(rng, atoms, right),
        ]),
        _ => until(
            random_formula(rng, atoms, left),
            random_formula(rng, atoms, right),
        ),
    }
}

/// A random word of one to so many letters.
pub(crate) fn random_word(rng: &mut Rng, atoms: usize, longest: usize) -> Word {
    let letters = rng.usize(1..=longest);
    (0..letters)
        .map(|_| (0..atoms).map(|_| rng.bool()).collect())
        .collect()
}

/// All words of one to so many letters.
pub(crate) fn all_words(atoms: usize, longest: usize) -> Vec<Word> {
    let letters: Vec<Vec<bool>> = (0..1_usize << atoms)
        .map(|bits| (0..atoms).map(|atom| bits >> atom & 1 == 1).collect())
        .collect();
    let mut words: Vec<Word> = Vec::new();
    let mut longest_words: Vec<Word> = vec![Vec::new()];
    for _ in 0..longest {
        longest_words = longest_words
            .iter()
            .flat_map(|word| {
                letters
                    .iter()
                    .map(|letter| [&word[..], std::slice::from_ref(letter)].concat())
            })
            .collect();
        words.extend_from_slice(&longest_words);
    }
    words
}

/// A random condition on letters.
pub(crate) fn random_guard(rng: &mut Rng, atoms: usize, depth: usize) -> Guard {
    match rng.usize(..if depth == 0 { 5 } else { 8 }) {
        0 => Guard::Const(rng.bool()),
        1..=4 => Guard::Atom(rng.usize(..atoms)),
        5 => Guard::Not(Box::new(random_guard(rng, atoms, depth - 1))),
        6 => Guard::All(
            (0..2)
                .map(|_| random_guard(rng, atoms, depth - 1))
                .collect(),
        ),
        _ => Guard::Any(
            (0..2)
                .map(|_| random_guard(rng, atoms, depth - 1))
                .collect(),
        ),
    }
}

/// A random automaton, usually neither deterministic nor complete.
pub(crate) fn random_automaton(rng: &mut Rng, atoms: usize, most: usize) -> Automaton {
    let mut builder = Builder::new(atoms);
    let states: Vec<_> = (0..rng.usize(1..=most))
        .map(|_| builder.state(rng.bool()))
        .collect();
    for &state in &states {
        let targets: Vec<_> = (0..rng.usize(..4))
            .map(|_| {
                (
                    random_guard(rng, atoms, 2),
                    states[rng.usize(..states.len())],
                )
            })
            .collect();
        let otherwise = rng.bool().then(|| states[rng.usize(..states.len())]);
        builder.moves(state, &targets, otherwise);
    }
    builder.start_at(states[rng.usize(..states.len())]);
    builder.finish()
}

/// True at every position, or at none.
pub(crate) fn constant(truth: bool) -> Ltl<usize> {
    match truth {
        true => Ltl::And(Vec::new()),
        false => Ltl::Or(Vec::new()),
    }
}

pub(crate) fn not(part: Ltl<usize>) -> Ltl<usize> {
    Ltl::Not(Arc::new(part))
}

pub(crate) fn next(part: Ltl<usize>) -> Ltl<usize> {
    Ltl::Next(Arc::new(part))
}

pub(crate) fn until(first: Ltl<usize>, second: Ltl<usize>) -> Ltl<usize> {
    Ltl::Until(Arc::new(first), Arc::new(second))
}

pub(crate) fn finally(part: Ltl<usize>) -> Ltl<usize> {
    until(constant(true), part)
}

pub(crate) fn globally(part: Ltl<usize>) -> Ltl<usize> {
    not(finally(not(part)))
}
