//! The specification patterns of Dwyer, Avrunin and Corbett over finite words, and what their automata are like.
//!
//! "Patterns in Property Specifications for Finite-State Verification", ICSE 1999. `W` is the weak until: `a U b || G a`.
//! Two things are not as in the published table: bounded existence after `Q` until `R` has `W` throughout, since neither
//! `P` nor `R` need come, and the chains that respond after `Q` do so eventually, as in the other scopes.

use causet_base::budget::Budget;
use causet_solve::automaton::Automaton;
use causet_solve::automaton::linear::Ltl;
use causet_solve::automaton::ltl::evaluate;
use fastrand::Rng;

use crate::logic::{deterministic, nondeterministic};
use crate::random::{finally, globally, next, not, random_word, until};

/// The pattern, its scope, the formula, how many states and questions the least automaton has, and its classes.
struct Row(
    &'static str,
    &'static str,
    &'static str,
    usize,
    usize,
    &'static str,
);

#[rustfmt::skip]
const PATTERNS: [Row; 55] = [
    Row("absence", "globally", "G !P", 2, 1, "safety weak stutter"),
    Row("absence", "before R", "F R -> (!P U R)", 4, 4, "safety weak stutter"),
    Row("absence", "after Q", "G (Q -> G !P)", 3, 4, "safety weak stutter"),
    Row("absence", "between Q and R", "G (Q & !R & F R -> (!P U R))", 4, 7, "safety stutter"),
    Row("absence", "after Q until R", "G (Q & !R -> (!P W R))", 3, 6, "safety stutter"),
    Row("existence", "globally", "F P", 2, 1, "co-safety weak stutter"),
    Row("existence", "before R", "!R W (P & !R)", 3, 3, "safety weak stutter"),
    Row("existence", "after Q", "G !Q | F (Q & F P)", 3, 4, "weak stutter"),
    Row("existence", "between Q and R", "G (Q & !R -> (!R W (P & !R)))", 3, 6, "safety stutter"),
    Row("existence", "after Q until R", "G (Q & !R -> (!R U (P & !R)))", 3, 6, "stutter"),
    Row("bounded existence", "globally", "!P W (P W (!P W (P W G !P)))", 6, 5, "safety weak stutter"),
    Row("bounded existence", "before R", "F R -> ((!P & !R) U (R | ((P & !R) U (R | ((!P & !R) U (R | ((P & !R) U (R | (!P U R)))))))))", 8, 12, "safety weak stutter"),
    Row("bounded existence", "after Q", "F Q -> (!Q U (Q & (!P W (P W (!P W (P W G !P))))))", 7, 8, "safety weak stutter"),
    Row("bounded existence", "between Q and R", "G (Q & F R -> ((!P & !R) U (R | ((P & !R) U (R | ((!P & !R) U (R | ((P & !R) U (R | (!P U R))))))))))", 8, 15, "safety stutter"),
    Row("bounded existence", "after Q until R", "G (Q -> ((!P & !R) W (R | ((P & !R) W (R | ((!P & !R) W (R | ((P & !R) W (R | (!P W R))))))))))", 7, 14, "safety stutter"),
    Row("universality", "globally", "G P", 2, 1, "safety weak stutter"),
    Row("universality", "before R", "F R -> (P U R)", 4, 4, "safety weak stutter"),
    Row("universality", "after Q", "G (Q -> G P)", 3, 4, "safety weak stutter"),
    Row("universality", "between Q and R", "G (Q & !R & F R -> (P U R))", 4, 7, "safety stutter"),
    Row("universality", "after Q until R", "G (Q & !R -> (P W R))", 3, 6, "safety stutter"),
    Row("precedence", "globally", "!P W S", 3, 3, "safety weak stutter"),
    Row("precedence", "before R", "F R -> (!P U (S | R))", 4, 6, "safety weak stutter"),
    Row("precedence", "after Q", "G !Q | F (Q & (!P W S))", 4, 9, "stutter"),
    Row("precedence", "between Q and R", "G (Q & !R & F R -> (!P U (S | R)))", 4, 9, "safety stutter"),
    Row("precedence", "after Q until R", "G (Q & !R -> (!P W (S | R)))", 3, 8, "safety stutter"),
    Row("response", "globally", "G (P -> F S)", 2, 2, "stutter"),
    Row("response", "before R", "F R -> ((P -> (!R U (S & !R))) U R)", 4, 5, "safety stutter"),
    Row("response", "after Q", "G (Q -> G (P -> F S))", 3, 5, "stutter"),
    Row("response", "between Q and R", "G (Q & !R & F R -> ((P -> (!R U (S & !R))) U R))", 4, 8, "safety stutter"),
    Row("response", "after Q until R", "G (Q & !R -> ((P -> (!R U (S & !R))) W R))", 4, 8, "stutter"),
    Row("precedence chain 2-1", "globally", "F P -> (!P U (S & !P & X (!P U T)))", 4, 5, "safety weak"),
    Row("precedence chain 2-1", "before R", "F R -> (!P U (R | (S & !P & X (!P U T))))", 5, 10, "safety weak"),
    Row("precedence chain 2-1", "after Q", "G !Q | (!Q U (Q & (F P -> (!P U (S & !P & X (!P U T))))))", 5, 8, "safety weak"),
    Row("precedence chain 2-1", "between Q and R", "G (Q & F R -> (!P U (R | (S & !P & X (!P U T)))))", 5, 15, "safety"),
    Row("precedence chain 2-1", "after Q until R", "G (Q -> (F P -> (!P U (R | (S & !P & X (!P U T))))))", 4, 14, "safety"),
    Row("precedence chain 1-2", "globally", "F (S & X F T) -> (!S U P)", 4, 3, "safety weak"),
    Row("precedence chain 1-2", "before R", "F R -> (!(S & !R & X (!R U (T & !R))) U (R | P))", 5, 6, "safety weak"),
    Row("precedence chain 1-2", "after Q", "G !Q | (!Q U (Q & (F (S & X F T) -> (!S U P))))", 5, 6, "safety weak"),
    Row("precedence chain 1-2", "between Q and R", "G (Q & F R -> (!(S & !R & X (!R U (T & !R))) U (R | P)))", 5, 8, "safety"),
    Row("precedence chain 1-2", "after Q until R", "G (Q -> (!(S & !R & X (!R U (T & !R))) U (R | P)) | G !(S & X F T))", 4, 7, "safety"),
    Row("response chain 2-1", "globally", "G (S & X F T -> X F (T & F P))", 4, 12, ""),
    Row("response chain 2-1", "before R", "F R -> ((S & X (!R U T) -> X (!R U (T & F P))) U R)", 6, 19, ""),
    Row("response chain 2-1", "after Q", "G (Q -> G (S & X F T -> X (!T U (T & F P))))", 5, 13, ""),
    Row("response chain 2-1", "between Q and R", "G (Q & F R -> ((S & X (!R U T) -> X (!R U (T & F P))) U R))", 8, 28, ""),
    Row("response chain 2-1", "after Q until R", "G (Q -> ((S & X (!R U T) -> X (!R U (T & F P))) U (R | G (S & X (!R U T) -> X (!R U (T & F P))))))", 6, 21, ""),
    Row("response chain 1-2", "globally", "G (P -> F (S & X F T))", 3, 4, ""),
    Row("response chain 1-2", "before R", "F R -> ((P -> (!R U (S & !R & X (!R U T)))) U R)", 5, 10, "safety"),
    Row("response chain 1-2", "after Q", "G (Q -> G (P -> F (S & X F T)))", 4, 7, ""),
    Row("response chain 1-2", "between Q and R", "G (Q & F R -> ((P -> (!R U (S & !R & X (!R U T)))) U R))", 5, 13, "safety"),
    Row("response chain 1-2", "after Q until R", "G (Q -> ((P -> (!R U (S & !R & X (!R U T)))) U (R | G (P -> F (S & X F T)))))", 7, 19, ""),
    Row("constrained chain", "globally", "G (P -> F (S & !Z & X (!Z U T)))", 3, 5, ""),
    Row("constrained chain", "before R", "F R -> ((P -> (!R U (S & !R & !Z & X ((!R & !Z) U T)))) U R)", 5, 11, "safety"),
    Row("constrained chain", "after Q", "G (Q -> G (P -> F (S & !Z & X (!Z U T))))", 4, 8, ""),
    Row("constrained chain", "between Q and R", "G (Q & F R -> ((P -> (!R U (S & !R & !Z & X ((!R & !Z) U T)))) U R))", 5, 14, "safety"),
    Row("constrained chain", "after Q until R", "G (Q -> ((P -> (!R U (S & !R & !Z & X ((!R & !Z) U T)))) U (R | G (P -> F (S & !Z & X (!Z U T))))))", 7, 21, ""),
];

const ATOMS: &str = "PQRSTZ";

/// The classes of a least automaton in one word each.
fn classes(automaton: &Automaton) -> String {
    let stutter = automaton.stutter(&|_| false, &Budget::endless());
    let classes = [
        ("safety", automaton.is_safety()),
        ("co-safety", automaton.is_cosafety()),
        ("weak", automaton.very_weak().is_some()),
        ("stutter", stutter == Ok(None)),
    ];
    let classes = classes.iter().filter(|(_, holds)| *holds);
    let classes: Vec<&str> = classes.map(|&(name, _)| name).collect();
    classes.join(" ")
}

/// Prints the table with `--nocapture`.
#[test]
fn patterns_have_the_recorded_sizes() {
    let mut changed = 0;
    for Row(pattern, scope, text, states, questions, kind) in PATTERNS {
        let automaton = deterministic(&parse(text), ATOMS.len());
        let found = (automaton.len(), automaton.questions(), classes(&automaton));
        let (found_states, found_questions, found_kind) = &found;
        println!(
            "{pattern} ||| {scope} ||| {text} ||| {found_states} ||| {found_questions} ||| {found_kind}"
        );
        changed += usize::from(found != (states, questions, kind.to_owned()));
    }
    assert_eq!(changed, 0, "run with `--nocapture` and compare");
}

#[test]
fn patterns_accept_what_satisfies_them() {
    let mut rng = Rng::with_seed(7);
    for Row(_, _, text, ..) in PATTERNS {
        let formula = parse(text);
        let one = deterministic(&formula, ATOMS.len());
        let many = nondeterministic(&formula, ATOMS.len());
        assert_eq!(
            one.difference(&many, &Budget::endless()),
            Ok(None),
            "{text}"
        );
        for _ in 0..500 {
            let word = random_word(&mut rng, ATOMS.len(), 9);
            assert_eq!(
                one.accepts(&word),
                evaluate(&formula, &word),
                "{text}: {word:?}"
            );
        }
    }
}

/// Reads a formula: `!`, `X`, `F` and `G` bind most tightly, then `U` and `W`, `&`, `|` and `->`.
fn parse(text: &str) -> Ltl<usize> {
    let tokens: Vec<char> = text
        .replace("->", ">")
        .chars()
        .filter(|&c| c != ' ')
        .collect();
    let mut rest = tokens.as_slice();
    let formula = implication(&mut rest);
    assert!(rest.is_empty(), "{text}: {rest:?} is left");
    formula
}

fn take(rest: &mut &[char], expected: char) -> bool {
    let found = rest.first() == Some(&expected);
    if found {
        *rest = &rest[1..];
    }
    found
}

fn implication(rest: &mut &[char]) -> Ltl<usize> {
    let first = disjunction(rest);
    if take(rest, '>') {
        return Ltl::Or(vec![not(first), implication(rest)]);
    }
    first
}

fn disjunction(rest: &mut &[char]) -> Ltl<usize> {
    let mut parts = vec![conjunction(rest)];
    while take(rest, '|') {
        parts.push(conjunction(rest));
    }
    Ltl::Or(parts)
}

fn conjunction(rest: &mut &[char]) -> Ltl<usize> {
    let mut parts = vec![binary(rest)];
    while take(rest, '&') {
        parts.push(binary(rest));
    }
    Ltl::And(parts)
}

fn binary(rest: &mut &[char]) -> Ltl<usize> {
    let first = unary(rest);
    if take(rest, 'U') {
        return until(first, binary(rest));
    }
    if take(rest, 'W') {
        return Ltl::Or(vec![until(first.clone(), binary(rest)), globally(first)]);
    }
    first
}

fn unary(rest: &mut &[char]) -> Ltl<usize> {
    let Some((&first, after)) = rest.split_first() else {
        panic!("the formula ends too early");
    };
    *rest = after;
    match first {
        '!' => not(unary(rest)),
        'X' => next(unary(rest)),
        'F' => finally(unary(rest)),
        'G' => globally(unary(rest)),
        '(' => {
            let part = implication(rest);
            assert!(take(rest, ')'), "a bracket stays open before {rest:?}");
            part
        }
        atom => Ltl::State(ATOMS.find(atom).expect("an atom")),
    }
}
