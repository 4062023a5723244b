//! How large a run is, in exact numbers of any length: its cuts, its complete orders, its longest chain of causes.
//!
//! The cuts are counted without a visit to each ([`cuts`]): by components that an event makes independent
//! (`components.rs`), or in an interval sharing tree, which holds them by the million million. A visit to every one of them
//! ([`cuts_by_level`]) is what is left when neither fits the memory, and the second opinion of the tests. The orders are the paths through the cuts, and paths are counted by visiting every cut ([`runs`]): the
//! tree shares what two cuts have below them, but not how many ways lead to each. [`density`](fn@density) says how the cuts are
//! spread over the levels.

mod components;
mod density;
mod draws;
mod levels;

use causet_base::budget::{Budget, Spent};
use causet_solve::chains::Chains;
use causet_solve::diagram::Forest;
use causet_trace::Order;
use dashu_int::UBig;
use fastrand::Rng;

use crate::engine::ist::arrange;
use crate::project::{Projection, Survey};
use crate::records::Records;
use crate::subject::Subject;

use components::cuts_by_components;

pub use density::{Density, Point, density};
pub use levels::{cuts_by_level, runs};

/// A run with more cuts than this should not be asked for its number of orders, which takes a visit to each: so many
/// take a tenth of a second for two processes, and some seconds for a thousand.
pub const MOST_VISITED: u32 = 200_000;

/// How many cuts a run has.
pub fn cuts(subject: Subject<'_>, budget: &Budget<'_>) -> Result<UBig, Spent> {
    match cuts_unvisited(subject, budget) {
        Err(Spent::Memory) => cuts_by_level(subject.trace.order(), budget).map(UBig::from),
        counted => counted,
    }
}

/// The decimal logarithms of two numbers between which the number of cuts is likely to be, from cuts drawn at random.
pub fn estimated_cuts(subject: Subject<'_>, budget: &Budget<'_>) -> Result<(f64, f64), Spent> {
    let room = budget.branch();
    let (log, error) = with_chains(subject, &room, |chains| {
        let draws = density::affordable_draws(chains, 1);
        draws::estimate(chains, None, draws, &mut Rng::with_seed(0), &room)
    })?;
    Ok(density::range(log * std::f64::consts::LOG10_E, error))
}

/// How many events the longest causal chain has: each happened before the next.
pub fn longest_chain(order: &Order, budget: &Budget<'_>) -> Result<u32, Spent> {
    let room = budget.branch();
    room.charge(order.len() * size_of::<u32>())?;
    let mut longest_to = vec![0; order.len()];
    for event in order.recorded() {
        budget.tick()?;
        let before = order.predecessors(event);
        let longest = before.map(|before| longest_to[before.index()]).max();
        longest_to[event.index()] = longest.unwrap_or(0) + 1;
    }
    Ok(longest_to.into_iter().max().unwrap_or(0))
}

/// About how many bytes two processes take that are compared with each other, before any event is.
const PAIR: usize = 32;

/// The memory of the first attempt by components; trees of spans need less, and it is used up within a fraction of a second.
const FIRST_COMPONENTS: u64 = 4 << 20;
/// The memory of the first attempt by a tree.
const FIRST_TREE: u64 = 32 << 20;

/// The number of cuts, if the tables of their bounds and one of the attempts fit the memory.
///
/// Which of the two ways is the shorter one depends on the shape of the run, and neither can tell beforehand. So each gets
/// a little memory first, then the components half of the time that is left, and the tree the rest.
fn cuts_unvisited(subject: Subject<'_>, budget: &Budget<'_>) -> Result<UBig, Spent> {
    let room = budget.branch();
    with_chains(subject, &room, |chains| {
        attempts(chains, subject.trace.order(), &room)
    })
}

/// Does something with the closed bounds of a whole run.
fn with_chains<T>(
    subject: Subject<'_>,
    room: &Budget<'_>,
    work: impl FnOnce(&Projection<'_>) -> Result<T, Spent>,
) -> Result<T, Spent> {
    let processes = subject.trace.order().process_count();
    room.charge(processes.saturating_mul(processes).saturating_mul(PAIR))?;
    let mut survey = Survey::new(Records::of(subject, []));
    let everything = survey.look(&[], true);
    survey.sweep(&[&everything], room)?;
    room.look()?;
    work(&survey.project(&everything, room)?)
}

/// Counts in one way after the other.
fn attempts(chains: &Projection<'_>, order: &Order, room: &Budget<'_>) -> Result<UBig, Spent> {
    let attempts: [&dyn Fn() -> Result<UBig, Spent>; 5] = [
        &|| cuts_by_components(chains, order, &room.branch_within(FIRST_COMPONENTS)),
        &|| cuts_in_tree(chains, false, &room.branch_within(FIRST_TREE)),
        &|| cuts_by_components(chains, order, &room.branch_for_half_the_time()),
        &|| cuts_in_tree(chains, false, room),
        &|| cuts_in_tree(chains, true, room),
    ];
    let mut spent = Spent::Memory;
    for attempt in attempts {
        match attempt() {
            Ok(cuts) => return Ok(cuts),
            Err(limit) => spent = limit,
        }
        room.look()?;
    }
    Err(spent)
}

/// How many cuts chains have, by a tree with one arrangement of the layers.
pub(crate) fn cuts_in_tree(
    chains: &dyn Chains,
    second: bool,
    room: &Budget<'_>,
) -> Result<UBig, Spent> {
    room.look()?;
    let layers = arrange(chains, second, room)?;
    let lengths = layers.iter().map(|&chain| chains.length(chain));
    let mut forest = Forest::new(lengths.collect(), room);
    let cuts = forest.all_cuts(chains, &layers)?;
    Ok(forest.count(cuts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use causet_trace::{Trace, notation};

    /// Does something with the chains of a run.
    pub(super) fn with_chains<T>(trace: &Trace, work: impl FnOnce(&Projection<'_>) -> T) -> T {
        let done = super::with_chains(Subject::of(trace), &Budget::endless(), |chains| {
            Ok(work(chains))
        });
        done.expect("no limit")
    }

    #[test]
    fn both_arrangements_count_the_same() {
        let drawing = "a: m! . .\nb: . m?,n! .\nc: . n? .\nd: . .";
        let trace = notation::parse(drawing).expect("a drawing");
        let room = Budget::endless();
        let visited = cuts_by_level(trace.order(), &room).map(UBig::from);
        with_chains(&trace, |chains| {
            assert_eq!(cuts_in_tree(chains, false, &room), visited);
            assert_eq!(cuts_in_tree(chains, true, &room), visited);
        });
    }

    #[test]
    fn most_estimates_of_all_cuts_hold_the_exact_number() {
        let mut missed = 0;
        for seed in 0..60 {
            let shape = causet_trace::random::Shape {
                processes: 6,
                events: 60,
                messages: 0.4,
                writes: 0.3,
                shared: false,
            };
            let trace = causet_trace::random::run(&mut Rng::with_seed(seed), shape);
            let subject = Subject::of(&trace);
            let room = Budget::endless();
            let cuts = cuts(subject, &room).expect("no limit").to_string();
            let exact = cuts.parse::<f64>().expect("a number").log10();
            let (low, high) = estimated_cuts(subject, &room).expect("no limit");
            assert!(high - low < 0.7, "seed {seed}: {low} to {high}");
            missed += u32::from(exact < low || exact > high);
        }
        assert!(missed <= 6, "{missed} of 60");
    }
}
