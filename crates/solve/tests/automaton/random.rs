//! What the tests of automata share: random formulas and words, and short ways to write formulas down.

use causet_solve::automaton::ltl::Ltl;
use fastrand::Rng;

/// A letter lists the truth of all atoms.
pub(crate) type Word = Vec<Vec<bool>>;

/// How many rounds a random test runs, unless `CAUSET_ROUNDS` says otherwise.
pub(crate) fn rounds(usual: u64) -> u64 {
    let asked = std::env::var("CAUSET_ROUNDS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// A random formula with about so many operators.
pub(crate) fn random_formula(rng: &mut Rng, atoms: usize, size: usize) -> Ltl {
    if size == 0 {
        return match rng.usize(..12) {
            0 => Ltl::Const(rng.bool()),
            _ => Ltl::Atom(rng.usize(..atoms)),
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

pub(crate) fn not(part: Ltl) -> Ltl {
    Ltl::Not(Box::new(part))
}

pub(crate) fn next(part: Ltl) -> Ltl {
    Ltl::Next(Box::new(part))
}

pub(crate) fn until(first: Ltl, second: Ltl) -> Ltl {
    Ltl::Until(Box::new(first), Box::new(second))
}

pub(crate) fn finally(part: Ltl) -> Ltl {
    until(Ltl::Const(true), part)
}

pub(crate) fn globally(part: Ltl) -> Ltl {
    not(finally(not(part)))
}
