//! Regular expressions: automata against the definition of the operators.

use std::sync::Arc;

use causet_base::budget::Budget;
use causet_solve::automaton::Guard;
use causet_solve::automaton::linear::Regular;
use causet_solve::automaton::regular::{matches, translate};
use fastrand::Rng;

use crate::random::{all_words, random_guard, random_word, rounds};

fn random_expression(rng: &mut Rng, atoms: usize, size: usize) -> Regular<Guard> {
    if size == 0 {
        return match rng.usize(..12) {
            0 => Regular::Then(Vec::new()),
            1 => Regular::Either(Vec::new()),
            _ => Regular::Letter(random_guard(rng, atoms, 1)),
        };
    }
    let left = rng.usize(..size);
    let mut parts = || {
        vec![
            random_expression(rng, atoms, left),
            random_expression(rng, atoms, size - 1 - left),
        ]
    };
    match left % 3 {
        0 => Regular::Then(parts()),
        1 => Regular::Either(parts()),
        _ => Regular::Star(Arc::new(random_expression(rng, atoms, size - 1))),
    }
}

#[test]
fn automata_accept_what_matches() {
    for seed in 0..rounds(10_000) {
        let mut rng = Rng::with_seed(seed);
        let atoms = rng.usize(1..=3);
        let size = rng.usize(..9);
        let expression = random_expression(&mut rng, atoms, size);
        let budget = Budget::endless();
        let automaton = translate(&expression, atoms, &budget).unwrap();
        let one = automaton.determinise(10_000, &budget).unwrap().unwrap();
        let least = one.minimise(&budget).unwrap();
        let others = least.complement().unwrap();
        let words = (0..20).map(|_| random_word(&mut rng, atoms, 7));
        for word in words.chain([Vec::new()]) {
            let expected = matches(&expression, &word);
            let context = || format!("seed {seed}: {expression:?} on {word:?}");
            assert_eq!(automaton.accepts(&word), expected, "{}", context());
            assert_eq!(one.accepts(&word), expected, "{}", context());
            assert_eq!(least.accepts(&word), expected, "{}", context());
            assert_eq!(others.accepts(&word), !expected, "{}", context());
        }
    }
}

#[test]
fn a_state_for_each_letter_and_one_to_begin_with() {
    let letter = |atom| Regular::Letter(Guard::Atom(atom));
    let twice = Regular::Star(Arc::new(Regular::Then(vec![letter(0), letter(1)])));
    let automaton = translate(&twice, 2, &Budget::endless()).unwrap();
    assert_eq!(automaton.len(), 3);
    let even = |word: &Vec<Vec<bool>>| {
        word.len().is_multiple_of(2) && (0..word.len()).all(|at| word[at][at % 2])
    };
    for word in all_words(2, 5) {
        assert_eq!(automaton.accepts(&word), even(&word), "{word:?}");
    }
}
