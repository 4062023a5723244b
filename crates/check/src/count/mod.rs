//! How large a run is, in exact numbers of any length: its cuts, its complete orders, its longest chain of causes.
//!
//! The cuts are counted in an interval sharing tree, which holds them by the million million ([`cuts`]); a visit to
//! every one of them ([`cuts_by_level`]) is what is left when the tree does not fit the memory, and the second opinion
//! of the tests. The orders are the paths through the cuts, and paths are counted by visiting every cut ([`runs`]): the
//! tree shares what two cuts have below them, but not how many ways lead to each. [`density`](fn@density) says how the cuts are
//! spread over the levels.

mod density;
mod draws;
mod levels;

use causet_solve::budget::{Budget, Spent};
use causet_solve::chains::Chains;
use causet_solve::diagram::Forest;
use causet_trace::Order;
use dashu_int::UBig;

use crate::engine::ist::arrange;
use crate::project::Survey;
use crate::records::Records;
use crate::subject::Subject;

pub use density::{Density, Point, density};
pub use levels::{cuts_by_level, runs};

/// A run with more cuts than this should not be asked for its number of orders, which takes a visit to each: so many
/// take a tenth of a second for two processes, and some seconds for a thousand.
pub const MOST_VISITED: u32 = 200_000;

/// How many cuts a run has.
pub fn cuts(subject: Subject<'_>, budget: &Budget<'_>) -> Result<UBig, Spent> {
    match cuts_by_tree(subject, budget) {
        Err(Spent::Memory) => cuts_by_level(subject.trace.order(), budget).map(UBig::from),
        counted => counted,
    }
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

/// The number of cuts, if the tables of their bounds and one of the trees fit the memory.
fn cuts_by_tree(subject: Subject<'_>, budget: &Budget<'_>) -> Result<UBig, Spent> {
    let room = budget.branch();
    let processes = subject.trace.order().process_count();
    room.charge(processes.saturating_mul(processes).saturating_mul(PAIR))?;
    let mut survey = Survey::new(Records::of(subject, []));
    let everything = survey.look(&[], true);
    survey.sweep(&[&everything], &room)?;
    room.look()?;
    let chains = survey.project(&everything, &room)?;
    match cuts_in_tree(&chains, false, &room) {
        Err(Spent::Memory) => cuts_in_tree(&chains, true, &room),
        counted => counted,
    }
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
    use causet_trace::notation;

    #[test]
    fn both_arrangements_count_the_same() {
        let drawing = "a: m! . .\nb: . m?,n! .\nc: . n? .\nd: . .";
        let trace = notation::parse(drawing).expect("a drawing");
        let room = Budget::endless();
        let mut survey = Survey::new(Records::of(Subject::of(&trace), []));
        let everything = survey.look(&[], true);
        survey.sweep(&[&everything], &room).expect("no limit");
        let chains = survey.project(&everything, &room).expect("no limit");
        let visited = cuts_by_level(trace.order(), &room).map(UBig::from);
        assert_eq!(cuts_in_tree(&chains, false, &room), visited);
        assert_eq!(cuts_in_tree(&chains, true, &room), visited);
    }
}
