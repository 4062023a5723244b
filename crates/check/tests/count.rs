//! Counts against counts made otherwise: by visiting all cuts, by listing all orders, by formulas, by cases.

mod common;

use std::collections::HashMap;

use causet_base::budget::{Budget, Spent};
use causet_check::count::{cuts, cuts_by_level, longest_chain, runs};
use causet_check::subject::Subject;
use causet_trace::random::{self, Shape};
use causet_trace::{Clocks, EventId, Trace, notation};
use common::{Oracle, Set};
use dashu_int::UBig;
use fastrand::Rng;

/// Everything that is counted: cuts, orders, events of the longest chain.
fn counted(trace: &Trace) -> (UBig, UBig, u32) {
    let budget = Budget::endless();
    let order = trace.order();
    (
        cuts(Subject::of(trace), &budget).expect("no limit"),
        runs(order, &budget).expect("no limit"),
        longest_chain(order, &budget).expect("no limit"),
    )
}

/// How many complete orders begin with these events.
fn listed(oracle: &Oracle<'_>, set: &Set) -> u64 {
    let possible = oracle.possible(set);
    if possible.is_empty() {
        return 1;
    }
    let rest = |event| listed(oracle, &oracle.after(set, event));
    possible.into_iter().map(rest).sum()
}

/// How many events the longest chain has that goes up from these.
fn tried(trace: &Trace, clocks: &Clocks, after: Option<EventId>) -> u32 {
    let later = trace.events().filter(|&event| {
        after.is_none_or(|before| clocks.happened_before(trace.order(), before, event))
    });
    let longest = later.map(|event| 1 + tried(trace, clocks, Some(event)));
    longest.max().unwrap_or(0)
}

#[test]
fn small_runs_count_as_they_do_one_by_one() {
    for seed in 0..600 {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape::small(&mut rng);
        let trace = random::run(&mut rng, shape);
        let visited = cuts_by_level(trace.order(), &Budget::endless()).expect("no limit");
        let orders = listed(&Oracle::new(&trace), &Set::new());
        let chain = tried(&trace, &Clocks::new(trace.order()), None);
        let expected = (visited.into(), orders.into(), chain);
        assert_eq!(counted(&trace), expected, "seed {seed}");
    }
}

#[test]
fn the_tree_counts_what_a_visit_counts() {
    for seed in 0..60 {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape {
            processes: rng.usize(2..=6),
            events: rng.usize(10..=40),
            messages: 0.3 + rng.f64() * 0.5,
            writes: 0.2,
            shared: rng.bool(),
        };
        let trace = random::run(&mut rng, shape);
        let visited = cuts_by_level(trace.order(), &Budget::endless()).expect("no limit");
        let counted = cuts(Subject::of(&trace), &Budget::endless());
        assert_eq!(counted, Ok(visited.into()), "seed {seed}: {shape:?}");
    }
}

/// So many processes that never meet, with so many events each.
fn strangers(processes: usize, events: usize) -> Trace {
    let line = |process| format!("p{process}:{}\n", " .".repeat(events));
    let drawing: String = (0..processes).map(line).collect();
    notation::parse(&drawing).expect("a drawing")
}

fn factorial(number: usize) -> UBig {
    (1..=number).fold(UBig::ONE, |product, factor| product * factor)
}

#[test]
fn strangers_follow_the_formulas() {
    for (processes, events) in [(0, 0), (1, 0), (1, 5), (2, 3), (3, 4), (5, 3), (6, 2)] {
        let orders = factorial(processes * events) / factorial(events).pow(processes);
        let chain = if processes == 0 { 0 } else { events as u32 };
        let expected = (UBig::from(events + 1).pow(processes), orders, chain);
        let trace = strangers(processes, events);
        assert_eq!(counted(&trace), expected, "{processes} with {events} each");
    }
}

#[test]
fn no_number_is_too_long() {
    let trace = strangers(90, 200);
    let counted = cuts(Subject::of(&trace), &Budget::endless());
    assert_eq!(counted, Ok(UBig::from(201_u32).pow(90)));
    let two = strangers(2, 300);
    let orders = runs(two.order(), &Budget::endless());
    assert_eq!(orders, Ok(factorial(600) / factorial(300).pow(2)));
}

/// The cuts by cases: those without an event are the cuts of the events not after it, those with it the cuts of the
/// events not before it. Parts that are not connected multiply.
struct Cases<'t> {
    clocks: &'t Clocks,
    trace: &'t Trace,
    known: HashMap<Set, UBig>,
}

impl Cases<'_> {
    fn count(&mut self, events: Set) -> UBig {
        if events.is_empty() {
            return UBig::ONE;
        }
        if let Some(count) = self.known.get(&events) {
            return count.clone();
        }
        let sides = |&&pivot: &&EventId| {
            let before = events.iter().filter(|&&event| self.before(event, pivot));
            let after = events.iter().filter(|&&event| self.before(pivot, event));
            (before.count() + 1) * (after.count() + 1)
        };
        let pivot = *events.iter().max_by_key(sides).expect("an event");
        let part = self.connected(pivot, &events);
        let rest = events.iter().filter(|event| !part.contains(event));
        let rest = self.count(rest.copied().collect());
        let not = |side: &dyn Fn(EventId) -> bool| -> Set {
            let others = part.iter().copied().filter(|&event| event != pivot);
            others.filter(|&event| !side(event)).collect()
        };
        let without = not(&|event| self.before(pivot, event));
        let with = not(&|event| self.before(event, pivot));
        let count = (self.count(without) + self.count(with)) * rest;
        self.known.insert(events, count.clone());
        count
    }

    fn before(&self, first: EventId, second: EventId) -> bool {
        self.clocks
            .happened_before(self.trace.order(), first, second)
    }

    /// The events that hang together with one.
    fn connected(&self, start: EventId, events: &Set) -> Set {
        let mut part = vec![start];
        let mut at = 0;
        while let Some(&event) = part.get(at) {
            let near = |other: &EventId| self.before(event, *other) || self.before(*other, event);
            let fresh = events
                .iter()
                .filter(|other| near(other) && !part.contains(other));
            let fresh: Set = fresh.copied().collect();
            part.extend(fresh);
            at += 1;
        }
        part.sort_unstable();
        part
    }
}

#[test]
fn far_more_cuts_than_can_be_visited_count_as_they_do_by_cases() {
    for seed in 0..12 {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape {
            processes: 12,
            events: 60,
            messages: 0.4,
            writes: 0.0,
            shared: false,
        };
        let trace = random::run(&mut rng, shape);
        let mut cases = Cases {
            clocks: &Clocks::new(trace.order()),
            trace: &trace,
            known: HashMap::new(),
        };
        let expected = cases.count(trace.events().collect());
        assert!(expected > UBig::from(1_000_000_u32), "seed {seed}");
        let counted = cuts(Subject::of(&trace), &Budget::endless());
        assert_eq!(counted, Ok(expected), "seed {seed}");
    }
}

#[test]
fn memory_is_a_limit_and_comes_back() {
    let trace = strangers(8, 40);
    let budget = Budget::endless().with_memory(10_000, 0);
    assert_eq!(cuts(Subject::of(&trace), &budget), Err(Spent::Memory));
    assert_eq!(runs(trace.order(), &budget), Err(Spent::Memory));
    assert_eq!(budget.used(), 0);
    let tight = Budget::endless().with_memory(1000, 0);
    assert_eq!(longest_chain(trace.order(), &tight), Err(Spent::Memory));
}

#[test]
fn cuts_are_visited_when_their_tree_does_not_fit() {
    // The tables of the tree take a number per event and process, a visit to a chain of cuts two cuts.
    let drawing = "a: m!\nb:    m?,n!\nc:         n?";
    let trace = notation::parse(drawing).expect("a drawing");
    let budget = Budget::endless().with_memory(400, 0);
    assert_eq!(cuts(Subject::of(&trace), &budget), Ok(UBig::from(4_u32)));
    assert_eq!(budget.used(), 0);
}
