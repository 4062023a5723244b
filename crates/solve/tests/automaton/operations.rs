//! Determinising, completing, complementing, minimising, trimming and comparing random automata.

use causet_base::budget::{Budget, Meter, Spent};
use causet_solve::automaton::{Automaton, Look, State};
use fastrand::Rng;

use crate::logic::deterministic;
use crate::random::{all_words, random_automaton, random_formula, rounds};

/// The state after a letter in a complete deterministic automaton.
fn after(automaton: &Automaton, state: State, letter: &[bool]) -> State {
    automaton.next(state, |atom| letter[atom])[0]
}

/// How many residual languages there are, by marking pairs of states that some letter tells apart.
fn residuals(automaton: &Automaton) -> usize {
    let letters = all_words(automaton.atoms(), 1);
    let mut reached = vec![automaton.initial()];
    let mut done = 0;
    while done < reached.len() {
        for letter in &letters {
            let next = after(automaton, reached[done], &letter[0]);
            if !reached.contains(&next) {
                reached.push(next);
            }
        }
        done += 1;
    }
    let count = automaton.len();
    let mut apart = vec![vec![false; count]; count];
    loop {
        let mut changed = false;
        for &one in &reached {
            for &other in &reached {
                let differ = automaton.is_accepting(one) != automaton.is_accepting(other)
                    || letters.iter().any(|letter| {
                        let one = after(automaton, one, &letter[0]);
                        let other = after(automaton, other, &letter[0]);
                        apart[one as usize][other as usize]
                    });
                let known = &mut apart[one as usize][other as usize];
                changed |= differ && !*known;
                *known |= differ;
            }
        }
        if !changed {
            break;
        }
    }
    let is_new = |index: usize| {
        let apart = |&other: &State| apart[reached[index] as usize][other as usize];
        reached[..index].iter().all(apart)
    };
    (0..reached.len()).filter(|&index| is_new(index)).count()
}

#[test]
fn operations_keep_the_words_that_they_should() {
    let words = all_words(2, 4);
    for seed in 0..rounds(2_000) {
        let mut rng = Rng::with_seed(seed);
        let automaton = random_automaton(&mut rng, 2, 5);
        let budget = Budget::endless();
        let one = automaton.determinise(1000, &budget).unwrap().unwrap();
        assert!(one.is_deterministic() && one.is_complete());
        let least = one.minimise(&budget).unwrap();
        assert_eq!(least.len(), residuals(&one), "seed {seed}");
        assert_eq!(residuals(&least), least.len(), "seed {seed}");
        let same = [
            automaton.complete(),
            automaton.trim(),
            automaton.minimise(&budget).unwrap(),
            automaton.without_empty_word(),
            one.clone(),
            least.clone(),
            least.trim(),
        ];
        assert!(same[0].is_complete());
        let others = least.complement().unwrap();
        for word in &words {
            let expected = automaton.accepts(word);
            for same in &same {
                assert_eq!(same.accepts(word), expected, "seed {seed}: {word:?}");
            }
            assert_eq!(others.accepts(word), !expected, "seed {seed}: {word:?}");
        }
        for same in &same {
            assert_eq!(automaton.difference(same, &budget), Ok(None), "seed {seed}");
        }
        let shortest = automaton.difference(&others, &budget).unwrap();
        assert_eq!(shortest.map(|word| word.len()), Some(1), "seed {seed}");
    }
}

#[test]
fn a_trimmed_automaton_has_no_dead_state_but_the_first() {
    for seed in 0..rounds(2_000) {
        let automaton = random_automaton(&mut Rng::with_seed(seed), 2, 6).trim();
        let dead = automaton.dead();
        assert!(!dead[1..].contains(&true), "seed {seed}");
        assert_eq!(automaton.initial(), 0);
    }
}

#[test]
fn a_difference_is_a_shortest_one() {
    let words = all_words(2, 4);
    for seed in 0..rounds(2_000) {
        let mut rng = Rng::with_seed(seed);
        let one = random_automaton(&mut rng, 2, 4);
        let formula = random_formula(&mut rng, 2, 4);
        let other = if rng.bool() {
            random_automaton(&mut rng, 2, 4)
        } else {
            deterministic(&formula, 2)
        };
        let found = one.difference(&other, &Budget::endless()).unwrap();
        let expected = words
            .iter()
            .find(|word| one.accepts(word) != other.accepts(word));
        match (&found, expected) {
            (Some(word), None) => assert!(word.len() > 4, "seed {seed}"),
            (Some(word), Some(first)) => assert_eq!(word.len(), first.len(), "seed {seed}"),
            (None, first) => assert_eq!(first, None, "seed {seed}"),
        }
        if let Some(word) = found {
            assert_ne!(one.accepts(&word), other.accepts(&word), "seed {seed}");
        }
    }
}

#[test]
fn limits_are_kept() {
    struct Now;
    impl Meter for Now {
        fn stop(&self) -> Option<Spent> {
            Some(Spent::Time)
        }
    }
    let automaton = random_automaton(&mut Rng::with_seed(3), 3, 6);
    let none = automaton.determinise(0, &Budget::endless()).unwrap();
    assert!(none.is_none());
    let spent = automaton.determinise(1000, &Budget::new(&Now));
    assert_eq!(spent.err(), Some(Spent::Time));
    let narrow = Budget::endless().with_memory(10, 0);
    let spent = automaton.determinise(1000, &narrow);
    assert_eq!(spent.err(), Some(Spent::Memory));
    assert_eq!(narrow.used(), 0);
}

#[test]
fn edges_say_where_letters_lead() {
    let letters = all_words(4, 1);
    for seed in 0..rounds(2_000) {
        let automaton = random_automaton(&mut Rng::with_seed(seed), 4, 4);
        for state in 0..automaton.len() as State {
            let edges = automaton.edges(state);
            for letter in &letters {
                let letter = &letter[0];
                let leads = edges.iter().filter(|edge| {
                    let mut cubes = edge.cubes.iter();
                    cubes.any(|cube| cube.iter().all(|&(atom, truth)| letter[atom] == truth))
                });
                let targets: Vec<State> = leads.map(|edge| edge.target).collect();
                assert_eq!(
                    targets,
                    automaton.next(state, |atom| letter[atom]),
                    "seed {seed}"
                );
            }
        }
    }
}

#[test]
fn the_support_is_what_is_asked() {
    for seed in 0..200 {
        let automaton = random_automaton(&mut Rng::with_seed(seed), 4, 4);
        for state in 0..automaton.len() as State {
            let mut asked = Vec::new();
            for letter in all_words(4, 1) {
                automaton.next(state, |atom| {
                    asked.push(atom);
                    letter[0][atom]
                });
            }
            asked.sort_unstable();
            asked.dedup();
            assert_eq!(automaton.support(state), asked);
            let is_end = matches!(automaton.look(automaton.start(state)), Look::Go(_));
            assert_eq!(is_end, asked.is_empty());
        }
    }
}
