//! Temporal logic: automata against the definition of the operators.

use causet_base::budget::{Budget, Spent};
use causet_solve::automaton::Automaton;
use causet_solve::automaton::linear::Ltl;
use causet_solve::automaton::ltl::{evaluate, translate, translate_nondeterministic};
use fastrand::Rng;

use crate::random::{
    constant, finally, globally, next, not, random_formula, random_word, rounds, until,
};

/// More states than any test needs.
pub(crate) const LIMIT: usize = 100_000;

pub(crate) fn deterministic(formula: &Ltl<usize>, atoms: usize) -> Automaton {
    let automaton = translate(formula, atoms, LIMIT, &Budget::endless());
    automaton
        .expect("the budget is endless")
        .expect("few states")
}

pub(crate) fn nondeterministic(formula: &Ltl<usize>, atoms: usize) -> Automaton {
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

#[test]
fn twenty_atoms_are_no_problem() {
    let atoms = 20;
    let all = Ltl::And((0..atoms).map(Ltl::State).collect());
    let any = Ltl::Or((0..atoms).map(Ltl::State).collect());
    let formula = globally(Ltl::Or(vec![not(any), next(finally(all))]));
    let (one, many) = (
        deterministic(&formula, atoms),
        nondeterministic(&formula, atoms),
    );
    assert_eq!(one.len(), 2);
    let mut rng = Rng::with_seed(1);
    for _ in 0..1000 {
        let mut word = random_word(&mut rng, atoms, 4);
        for letter in &mut word {
            if rng.u8(..3) > 0 {
                *letter = vec![rng.bool(); atoms];
            }
        }
        let truth = evaluate(&formula, &word);
        assert_eq!(one.accepts(&word), truth);
        assert_eq!(many.accepts(&word), truth);
    }
}

#[test]
fn a_guess_saves_exponentially_many_states() {
    let chain = |length| (0..length).fold(Ltl::State(1), |part, _| next(part));
    let formula = |length| finally(Ltl::And(vec![Ltl::State(0), chain(length)]));
    assert_eq!(deterministic(&chain(12), 2).len(), 15);
    assert_eq!(deterministic(&formula(7), 2).len(), (1 << 7) + 1);
    assert_eq!(nondeterministic(&formula(12), 2).len(), 14);
    let none = translate(&formula(12), 2, 1000, &Budget::endless());
    assert!(none.expect("the budget is endless").is_none());
}

#[test]
fn sizes_are_the_least_for_non_empty_words() {
    let (a, b) = (|| Ltl::State(0), || Ltl::State(1));
    let size = |formula: &Ltl<usize>| deterministic(formula, 2).len();
    assert_eq!(size(&constant(true)), 1);
    assert_eq!(size(&globally(a())), 2);
    assert_eq!(size(&finally(a())), 2);
    assert_eq!(size(&until(a(), b())), 3);
    assert_eq!(size(&globally(Ltl::Or(vec![not(a()), finally(b())]))), 2);
    assert_eq!(size(&finally(globally(a()))), 2);
    assert_eq!(size(&next(a())), 4);
    assert_eq!(size(&not(next(a()))), 4);
}

#[test]
fn a_weak_next_holds_at_the_end() {
    let weak = not(next(not(Ltl::State(0))));
    let (on, off) = (vec![true], vec![false]);
    for automaton in [deterministic(&weak, 1), nondeterministic(&weak, 1)] {
        assert!(automaton.accepts(std::slice::from_ref(&off)));
        assert!(automaton.accepts(&[off.clone(), on.clone(), off.clone()]));
        assert!(!automaton.accepts(&[on.clone(), off.clone()]));
    }
}

#[test]
fn nested_untils_do_not_pile_up() {
    let nested = (0..10)
        .rev()
        .fold(Ltl::State(10), |part, atom| until(Ltl::State(atom), part));
    let automaton = translate(&nested, 11, 12, &Budget::endless());
    let states = automaton
        .expect("the budget is endless")
        .map(|automaton| automaton.len());
    assert_eq!(states, Some(12));
}

#[test]
fn a_spent_budget_is_passed_on() {
    let all = Ltl::And((0..12).map(|atom| finally(Ltl::State(atom))).collect());
    let narrow = Budget::endless().with_memory(10_000, 0);
    let spent = translate(&all, 12, LIMIT, &narrow);
    assert_eq!(spent.err(), Some(Spent::Memory));
    let spent = translate_nondeterministic(&all, 12, LIMIT, &narrow);
    assert_eq!(spent.err(), Some(Spent::Memory));
    assert_eq!(narrow.used(), 0);
}
