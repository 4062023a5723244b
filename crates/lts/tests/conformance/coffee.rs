//! The coffee machines in `examples/coffee`: which conform, which do not and why, and what tests say about them.

use std::path::Path;

use causet_base::budget::Budget;
use causet_lts::conformance::cases::Cases;
use causet_lts::conformance::direct::direct;
use causet_lts::conformance::execute::execute;
use causet_lts::conformance::graph::{Failures, Verdict};
use causet_lts::conformance::ioco::{Conformance, Party, ioco};
use causet_lts::conformance::product::Stored;
use causet_lts::conformance::purpose::Purpose;
use causet_lts::{Lts, aut};

use crate::{alphabet, covering};

fn machine(name: &str) -> Lts {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/coffee");
    let text = std::fs::read(folder.join(name).with_extension("aut")).expect("an example");
    let reading = aut::read(&mut &*text, 1, &Budget::endless()).expect("a system");
    assert!(
        reading.warnings.is_empty(),
        "{name}: {:?}",
        reading.warnings
    );
    reading.lts
}

#[track_caller]
fn check(name: &str, expected: Option<(&[&str], &str)>) {
    let (made, wanted) = (machine(name), machine("machine"));
    let (of_made, of_wanted) = (alphabet(&made), alphabet(&wanted));
    let made = Party {
        lts: &made,
        alphabet: &of_made,
    };
    let wanted = Party {
        lts: &wanted,
        alphabet: &of_wanted,
    };
    match ioco(made, wanted, &Budget::endless()).expect("no limit") {
        Conformance::Conforms(_) => assert_eq!(expected, None),
        Conformance::Differs(difference) => {
            let (trace, output) = expected.expect("an implementation that conforms");
            assert_eq!(difference.trace, trace);
            assert_eq!(difference.unexpected().collect::<Vec<_>>(), [output]);
        }
    }
}

#[test]
fn machines_may_choose_and_do_more_but_not_keep_the_money() {
    check("coffee-only", None);
    check("chocolate", None);
    check("keeps-money", Some((&["?coin", "?button"], "delta")));
    check("busy", Some((&["?coin", "?button"], "delta")));
    check("no-refund", Some((&["?coin", "?cancel"], "!tea")));
}

#[test]
fn tests_for_coffee_tell_the_machines_apart() {
    let specification = machine("machine");
    let (alphabet_of, budget) = (alphabet(&specification), Budget::endless());
    let purpose =
        Purpose::new(&machine("get-coffee"), specification.labels(), &budget).expect("a purpose");
    let made = direct(
        &Stored(&specification),
        &alphabet_of,
        &purpose,
        Failures::Explicit,
        &budget,
    )
    .expect("no limit");
    let graph = made.graph.expect("a graph");
    let cases = covering(&Cases::new(&graph));
    let fails = |name: &str| {
        let lts = machine(name);
        let alphabet = alphabet(&lts);
        let party = Party {
            lts: &lts,
            alphabet: &alphabet,
        };
        let mut runs = cases
            .iter()
            .map(|case| execute(&case.graph, party, &budget).expect("no limit"));
        runs.any(|run| run.verdicts.contains(&Verdict::Fail))
    };
    assert!(!fails("coffee-only") && !fails("chocolate"));
    assert!(fails("keeps-money") && fails("busy"));
    // To cancel is refused by the purpose, so what happens then is none of its tests' business.
    assert!(!fails("no-refund"));
}
