//! Whether two systems are bisimilar, and where they differ if they are not.
//!
//! The systems are put side by side and reduced together. If their initial states fall into different blocks, the small
//! system is refined once more, now round by round, until the two are told apart: the number of rounds is the depth of
//! the shallowest formula of Hennessy and Milner's logic that tells them apart, and the rounds say how to build one (as
//! in Cleaveland's method, but from rounds, so that the formula has least depth).

mod formula;
mod rounds;

use causet_base::budget::{Budget, Spent};
use causet_solve::steps::Edge;

use crate::bisimulation::{quotient, strong_partition};
use crate::system::{Labels, Lts};

use self::formula::Explainer;
use self::rounds::Rounds;

/// What a comparison found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// The systems are bisimilar.
    Equal,
    /// They are not, and this is why.
    Different(Difference),
}

/// Why two systems are not bisimilar.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// A formula of the mu-calculus that holds of the first system and not of the second, unless every one that was
    /// tried is too long to be of use.
    pub formula: Option<String>,
    /// Labels of steps that both systems can make, side by side, to a point where they differ.
    pub trace: Vec<String>,
    /// A label that only one of them has there.
    pub then: String,
    /// Which one.
    pub able: Side,
}

/// One of two systems.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// The first.
    First,
    /// The second.
    Second,
}

/// Compares two systems. Labels are equal when their texts are; all internal labels are equal.
pub fn strong(first: &Lts, second: &Lts, budget: &Budget<'_>) -> Result<Comparison, Spent> {
    let branch = budget.branch();
    branch.charge(bytes(first) + bytes(second))?;
    let both = side_by_side(first, second);
    let roots = [first.initial(), first.states() + second.initial()];
    let partition = strong_partition(&both, &branch)?;
    if partition.same(roots[0], roots[1]) {
        return Ok(Comparison::Equal);
    }
    let (small, roots) = quotient(&both, &partition, &roots, &branch)?;
    drop((both, partition));
    let rounds = Rounds::until_apart(&small, roots[0], roots[1], &branch)?;
    let mut explainer = Explainer::new(&small, &rounds, &branch);
    let formula = explainer.formula(roots[0], roots[1])?;
    let (trace, then, able) = explainer.play(roots[0], roots[1])?;
    Ok(Comparison::Different(Difference {
        formula,
        trace,
        then,
        able,
    }))
}

/// The internal label of both systems together: a text that no visible label has.
const INTERNAL: &str = "\0";

fn bytes(lts: &Lts) -> usize {
    (lts.states() as usize + 1) * size_of::<u32>() + lts.step_count() * size_of::<Edge>()
}

/// Both systems as one, the states of the second after those of the first.
fn side_by_side(first: &Lts, second: &Lts) -> Lts {
    let mut labels = Labels::default();
    let mut starts = vec![0];
    let mut edges = Vec::with_capacity(first.step_count() + second.step_count());
    for (lts, offset) in [(first, 0), (second, first.states())] {
        let own = lts.labels();
        let numbers: Vec<u32> = (0..own.len() as u32)
            .map(|label| match own.is_internal(label) {
                true => labels.number(INTERNAL),
                false => labels.number(own.text(label)),
            })
            .collect();
        for state in 0..lts.states() {
            edges.extend(lts.steps(state).iter().map(|edge| Edge {
                label: numbers[edge.label as usize],
                target: edge.target + offset,
            }));
            starts.push(edges.len() as u32);
        }
    }
    labels.choose_internal(INTERNAL);
    Lts::new(first.initial(), starts, edges, labels)
}
