//! Temporal logic: automata against the definition of the operators.

use causet_solve::automaton::Automaton;
use causet_solve::automaton::ltl::{Ltl, evaluate, translate, translate_nondeterministic};
use causet_solve::budget::Budget;
use fastrand::Rng;

use crate::random::{random_formula, random_word, rounds};

/// More states than any test needs.
pub(crate) const LIMIT: usize = 100_000;

pub(crate) fn deterministic(formula: &Ltl, atoms: usize) -> Automaton {
    let automaton = translate(formula, atoms, LIMIT, &Budget::endless());
    automaton
        .expect("the budget is endless")
        .expect("few states")
}

pub(crate) fn nondeterministic(formula: &Ltl, atoms: usize) -> Automaton {
    let automaton = translate_nondeterministic(formula, atoms, LIMIT, &Budget::endless());
    automaton
        .expect("the budget is endless")
        .expect("few states")
}

#[test]
fn automata_accept_what_satisfies_the_formula() {
    for seed in 0..rounds(20_000) {
        let mut rng = Rng::with_seed(seed);
        let atoms = rng.usize(1..=3);
        let size = rng.usize(..9);
        let formula = random_formula(&mut rng, atoms, size);
        let one = deterministic(&formula, atoms);
        let many = nondeterministic(&formula, atoms);
        assert!(one.is_deterministic() && one.is_complete());
        for _ in 0..20 {
            let word = random_word(&mut rng, atoms, 7);
            let truth = evaluate(&formula, &word);
            assert_eq!(
                one.accepts(&word),
                truth,
                "seed {seed}: {formula:?} on {word:?}"
            );
            assert_eq!(
                many.accepts(&word),
                truth,
                "seed {seed}: {formula:?} on {word:?}"
            );
        }
    }
}
