//! Anything as what tests are made from: a specification, a purpose, roles of labels, and what an adapter says.
//!
//! The parts of an input stand between lines of two percent signs. Whatever is accepted makes one graph by every method,
//! and all graphs and cases are what a test must be.

use std::sync::atomic::AtomicU32;

use causet_base::budget::{Budget, Spent};
use causet_drive::protocol::{Heard, hear};
use causet_lts::compare::{Comparison, strong};
use causet_lts::conformance::cases::Cases;
use causet_lts::conformance::direct::{Generated, direct};
use causet_lts::conformance::graph::{Failures, TestGraph};
use causet_lts::conformance::ioco::{Conformance, Party, ioco};
use causet_lts::conformance::lead::by_equations;
use causet_lts::conformance::product::Stored;
use causet_lts::conformance::purpose::Purpose;
use causet_lts::conformance::roles::{Alphabet, Convention};
use causet_lts::conformance::structure::flaw;
use causet_lts::{Lts, aut};
use causet_solve::bes::Strategy;

use crate::Patience;

/// Any bytes as a specification, a purpose, roles and lines of an adapter.
pub fn tests(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.split("\n%%\n");
    let mut part = || parts.next().unwrap_or_default();
    let (specification, purpose, roles, said) = (part(), part(), part(), part());
    listen(said);
    let patience = Patience(AtomicU32::new(200));
    let budget = Budget::new(&patience).with_memory(32 << 20, 0);
    // Without a limit on time the answer could only be late.
    let _ = make(specification, purpose, roles, &budget);
}

fn listen(said: &str) {
    let mut lines = said.as_bytes();
    while hear(&mut lines) != Heard::End {}
}

fn system(text: &str, budget: &Budget<'_>) -> Option<Lts> {
    let reading = aut::read(&mut text.as_bytes(), 1, budget).ok()?;
    Some(reading.lts)
}

fn make(
    specification: &str,
    purpose: &str,
    roles: &str,
    budget: &Budget<'_>,
) -> Option<Result<(), Spent>> {
    let convention = match roles.is_empty() {
        true => Convention::Decorated,
        false => Convention::read_io(roles).ok()?,
    };
    let lts = system(specification, budget)?;
    let alphabet = Alphabet::new(lts.labels(), &convention).ok()?;
    let purpose = Purpose::new(&system(purpose, budget)?, lts.labels(), budget).ok()?;
    Some(agree(&lts, &alphabet, &purpose, budget))
}

/// Both methods make the same graph, and a specification conforms to itself.
fn agree(
    lts: &Lts,
    alphabet: &Alphabet,
    purpose: &Purpose,
    budget: &Budget<'_>,
) -> Result<(), Spent> {
    let party = Party { lts, alphabet };
    match ioco(party, party, budget) {
        Ok(Conformance::Differs(difference)) => panic!("not like itself: {difference:?}"),
        Ok(Conformance::Conforms(_)) | Err(_) => {}
    }
    let stored = Stored(lts);
    let one = direct(&stored, alphabet, purpose, Failures::Explicit, budget)?;
    let how = (Strategy::Lean, Failures::Explicit);
    let other = by_equations(&stored, alphabet, purpose, how, budget)?;
    let graph = |generated: &Generated| generated.graph.as_ref().map(TestGraph::to_lts);
    match (graph(&one), graph(&other)) {
        (Some(one), Some(other)) => {
            assert_eq!(strong(&one, &other, budget)?, Comparison::Equal);
        }
        (one, other) => assert_eq!(one.is_some(), other.is_some()),
    }
    one.graph.map_or(Ok(()), |graph| cases(&graph, budget))
}

fn cases(graph: &TestGraph, budget: &Budget<'_>) -> Result<(), Spent> {
    assert_eq!(flaw(graph, false), None);
    let cases = Cases::new(graph);
    assert_eq!(flaw(&cases.shortest(budget)?.graph, true), None);
    let mut covering = cases.covering();
    while let Some(case) = covering.next_case(budget)? {
        assert_eq!(flaw(&case.graph, true), None);
    }
    Ok(())
}
