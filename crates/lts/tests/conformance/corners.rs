//! Corners that random systems seldom reach, each drawn by hand.

use causet_base::budget::{Budget, Spent};
use causet_lts::Lts;
use causet_lts::conformance::cases::Cases;
use causet_lts::conformance::direct::{Generated, direct};
use causet_lts::conformance::enabled::{Refusal, refusal};
use causet_lts::conformance::execute::execute;
use causet_lts::conformance::graph::{Failures, TestGraph, Verdict, reserved};
use causet_lts::conformance::ioco::Party;
use causet_lts::conformance::lead::by_equations;
use causet_lts::conformance::product::Stored;
use causet_lts::conformance::purpose::{NotAPurpose, Purpose};
use causet_lts::conformance::structure::{Flaw, flaw};
use causet_solve::bes::Strategy;

use crate::alphabet;
use crate::oracle::Machine;
use crate::systems::lts_of;

fn system(states: usize, steps: &[(usize, &str, usize)]) -> Lts {
    lts_of(&machine(states, steps))
}

fn machine(states: usize, steps: &[(usize, &str, usize)]) -> Machine {
    let steps = steps
        .iter()
        .map(|&(from, label, to)| (from, label.to_owned(), to));
    Machine {
        states,
        initial: 0,
        steps: steps.collect(),
    }
}

fn generated(specification: &Lts, purpose: &Lts) -> [Generated; 2] {
    let (alphabet, budget) = (alphabet(specification), Budget::endless());
    let purpose = Purpose::new(purpose, specification.labels(), &budget).expect("a purpose");
    let stored = Stored(specification);
    let one = direct(&stored, &alphabet, &purpose, Failures::Explicit, &budget);
    let other = by_equations(
        &stored,
        &alphabet,
        &purpose,
        (Strategy::Lean, Failures::Explicit),
        &budget,
    );
    [one, other].map(|made| made.expect("no limit"))
}

#[test]
fn acceptance_wins_over_refusal_and_nothing_is_explored_beyond() {
    // After !x the purpose accepts if the first branch was taken, and refuses if the second was.
    let specification = system(
        6,
        &[
            (0, "i", 1),
            (0, "?a", 2),
            (1, "!x", 3),
            (2, "!x", 4),
            (0, "!x", 4),
            (4, "!y", 5),
            (5, "!y", 4),
        ],
    );
    let purpose = system(
        4,
        &[
            (0, "i", 1),
            (1, "!x", 2),
            (0, "!x", 3),
            (2, "ACCEPT", 2),
            (3, "REFUSE", 3),
        ],
    );
    for made in generated(&specification, &purpose) {
        let graph = made.graph.expect("a graph");
        assert_eq!(flaw(&graph, false), None);
        let sets = graph.lts().steps(0);
        let verdict = |text: &str| {
            let label = graph.lts().labels().find(text);
            let step = sets.iter().find(|step| Some(step.label) == label);
            step.map(|step| graph.verdict(step.target))
        };
        assert_eq!(verdict("!x"), Some(Some(Verdict::Pass)));
        assert_eq!(
            verdict("?a"),
            None,
            "only refusal lies there, so it is not sent"
        );
        // States 4 and 5 go on for ever; the product has only their refusing copy of 4.
        assert_eq!(made.product, 5);
    }
}

#[test]
fn inputs_are_taken_after_internal_steps_and_refusals_are_reported() {
    let lts = system(3, &[(0, "i", 1), (1, "?a", 0), (1, "!x", 2), (2, "?a", 2)]);
    let budget = Budget::endless();
    assert_eq!(refusal(&lts, &alphabet(&lts), &budget), Ok(None));
    let lts = system(3, &[(0, "?a", 1), (1, "!x", 2), (1, "?a", 1)]);
    let refused = Refusal { state: 2, input: 0 };
    assert_eq!(refusal(&lts, &alphabet(&lts), &budget), Ok(Some(refused)));

    let specification = system(3, &[(0, "?a", 1), (1, "!x", 2)]);
    let purpose = system(2, &[(0, "!x", 1), (1, "accept", 1)]);
    let [made, _] = generated(&specification, &purpose);
    let graph = made.graph.expect("a graph");
    let case = Cases::new(&graph).shortest(&budget).expect("no limit");
    let deaf = system(1, &[(0, "!x", 0)]);
    let party = Party {
        lts: &deaf,
        alphabet: &alphabet(&deaf),
    };
    let execution = execute(&case.graph, party, &budget).expect("no limit");
    assert_eq!(execution.refused.as_deref(), Some("?a"));
    assert!(execution.verdicts.is_empty());
    let strange = system(2, &[(0, "?a", 1), (1, "!never", 0)]);
    let party = Party {
        lts: &strange,
        alphabet: &alphabet(&strange),
    };
    let execution = execute(&case.graph, party, &budget).expect("no limit");
    let failing = ["?a", "!never"].map(str::to_owned).to_vec();
    assert_eq!(execution.failing, Some(failing));
}

#[test]
fn what_is_not_a_purpose_is_refused_in_words() {
    let labels = system(1, &[(0, "?a", 0), (0, "!x", 0)]);
    let refused = |states: usize, steps: &[(usize, &str, usize)], words: &str| {
        let found = Purpose::new(&system(states, steps), labels.labels(), &Budget::endless());
        match found {
            Err(NotAPurpose::Unfit(what) | NotAPurpose::Pattern(what)) => {
                assert!(what.contains(words), "{what}");
            }
            other => panic!("{other:?}"),
        }
    };
    refused(1, &[(0, "!x", 0)], "no state has a step ACCEPT");
    refused(2, &[(0, "ACCEPT", 1)], "must lead to the state itself");
    refused(
        1,
        &[(0, "ACCEPT", 0), (0, "REFUSE", 0)],
        "both accepts and refuses",
    );
    refused(2, &[(0, "ACCEPT", 0), (0, "!x", 1)], "no step may leave it");
    refused(
        3,
        &[(0, "*", 1), (0, "*", 2), (2, "ACCEPT", 2)],
        "two steps *",
    );
    refused(
        3,
        &[(0, "!x", 1), (0, "!.*", 2), (2, "ACCEPT", 2)],
        "that match `!x`",
    );
    refused(
        2,
        &[(0, "?x", 1), (1, "ACCEPT", 1)],
        "not a regular expression",
    );
    let odd = system(2, &[(0, "!z", 1), (0, "tau", 1), (1, "ACCEPT", 1)]);
    let odd = Purpose::new(&odd, labels.labels(), &Budget::endless()).expect("a purpose");
    assert_eq!(odd.unmatched(), ["!z", "tau"]);
    assert_eq!(
        reserved(system(1, &[(0, "PASS", 0)]).labels()),
        Some("PASS")
    );
}

#[test]
fn every_flaw_of_a_graph_is_found() {
    let all = system(1, &[(0, "?a", 0), (0, "?b", 0), (0, "!x", 0), (0, "i", 0)]);
    let alphabet = alphabet(&all);
    let found = |steps: &[(usize, &str, usize)], is_case: bool| {
        let ends = [(1, "PASS", 1), (2, "FAIL", 2)];
        let lts = system(4, &[steps, &ends].concat());
        flaw(
            &TestGraph::from_lts(&lts, &alphabet, Failures::Explicit).expect("a graph"),
            is_case,
        )
    };
    let (x, delta) = (2, alphabet.delta());
    let leaf = (3, "?a", 1);
    assert_eq!(found(&[(0, "?a", 1), leaf], true), None);
    assert_eq!(found(&[(0, "!x", 1), (0, "delta", 2), leaf], true), None);
    assert_eq!(
        found(&[(0, "?a", 1), (1, "!x", 0), leaf], false),
        Some(Flaw::GoesOn(1))
    );
    assert_eq!(found(&[(0, "?a", 2), leaf], false), Some(Flaw::Unfair(0)));
    assert_eq!(
        found(&[(0, "!x", 1), leaf], false),
        Some(Flaw::NotReady(0, delta))
    );
    assert_eq!(
        found(&[(0, "delta", 1), leaf], false),
        Some(Flaw::NotReady(0, x))
    );
    assert_eq!(
        found(&[(0, "?a", 1), (0, "?a", 3), leaf], false),
        Some(Flaw::Undecided(0, 0))
    );
    assert_eq!(
        found(&[(0, "?a", 1), (3, "?a", 3)], false),
        Some(Flaw::Endless(3))
    );
    assert_eq!(found(&[(0, "?a", 1), (0, "?b", 1), leaf], false), None);
    assert_eq!(
        found(&[(0, "?a", 1), (0, "?b", 1), leaf], true),
        Some(Flaw::Choice(0))
    );
    assert_eq!(found(&[(0, "i", 1), leaf], false), Some(Flaw::Internal(0)));
    let strange = system(1, &[(0, "!y", 0)]);
    assert_eq!(
        TestGraph::from_lts(&strange, &alphabet, Failures::Explicit),
        Err("!y".to_owned())
    );
}

#[test]
fn a_spent_budget_is_no_graph() {
    let specification = system(3, &[(0, "?a", 1), (1, "!x", 2)]);
    let purpose = system(2, &[(0, "!x", 1), (1, "accept", 1)]);
    let alphabet = alphabet(&specification);
    let purpose =
        Purpose::new(&purpose, specification.labels(), &Budget::endless()).expect("a purpose");
    let tight = Budget::endless().with_memory(100, 0);
    let stored = Stored(&specification);
    let made = direct(&stored, &alphabet, &purpose, Failures::Explicit, &tight);
    assert_eq!(made.err(), Some(Spent::Memory));
    let made = by_equations(
        &stored,
        &alphabet,
        &purpose,
        (Strategy::Lean, Failures::Explicit),
        &tight,
    );
    assert_eq!(made.err(), Some(Spent::Memory));
}
