//! Small random orders, and sets of their points one by one: what the diagrams are compared with.

use std::collections::BTreeSet;

use causet_solve::chains::Chains;
use causet_solve::diagram::{Forest, Node};
use fastrand::Rng;

/// Points one by one.
pub(crate) type Points = BTreeSet<Vec<u32>>;

/// An order whose bounds are tables, computed the slow way.
pub(crate) struct Order {
    /// For each chain and number of events, what is needed of every chain.
    pub(crate) least: Vec<Vec<Vec<u32>>>,
}

impl Chains for Order {
    fn count(&self) -> usize {
        self.least.len()
    }

    fn length(&self, chain: usize) -> u32 {
        self.least[chain].len() as u32 - 1
    }

    fn least(&self, chain: usize, x: u32, other: usize) -> u32 {
        self.least[chain][x as usize][other]
    }

    fn most(&self, chain: usize, x: u32, other: usize) -> u32 {
        let needs = |y: &u32| self.least(other, *y, chain);
        let within = (0..=self.length(other)).rev().find(|y| needs(y) <= x);
        within.expect("nothing of a chain needs nothing")
    }
}

impl Order {
    /// Events happen one after the other on random chains; each may need one earlier event of every other chain.
    pub(crate) fn random(rng: &mut Rng, chains: usize, events: usize, percent_needs: u32) -> Order {
        let mut least = vec![vec![vec![0; chains]]; chains];
        for _ in 0..events {
            let chain = rng.usize(..chains);
            let mut row = least[chain][least[chain].len() - 1].clone();
            for other in (0..chains).filter(|&other| other != chain) {
                if rng.u32(..100) < percent_needs {
                    let needed = least[other][rng.usize(..least[other].len())].clone();
                    row.iter_mut().zip(needed).for_each(|(a, b)| *a = b.max(*a));
                }
            }
            row[chain] = least[chain].len() as u32;
            least[chain].push(row);
        }
        Order { least }
    }

    /// The lengths of the chains in an order of layers.
    pub(crate) fn lengths(&self, layers: &[usize]) -> Vec<u32> {
        layers.iter().map(|&chain| self.length(chain)).collect()
    }

    /// All cuts by definition: no event without what it needs.
    pub(crate) fn cuts(&self, layers: &[usize]) -> Points {
        let mut cuts = whole_box(&self.lengths(layers));
        cuts.retain(|point| {
            let pairs = layers.iter().zip(point);
            pairs.clone().all(|(&chain, &x)| {
                let needs = |(&other, &y): (&usize, &u32)| self.least(chain, x, other) <= y;
                pairs.clone().all(needs)
            })
        });
        cuts
    }
}

/// Every point of a box.
pub(crate) fn whole_box(lengths: &[u32]) -> Points {
    let mut points = vec![Vec::new()];
    for &length in lengths {
        let extend = |point: Vec<u32>| {
            (0..=length).map(move |position| {
                let mut point = point.clone();
                point.push(position);
                point
            })
        };
        points = points.into_iter().flat_map(extend).collect();
    }
    points.into_iter().collect()
}

/// A random part of a set.
pub(crate) fn some_of(rng: &mut Rng, points: &Points) -> Points {
    let percent = rng.u32(..=100);
    let chosen = points.iter().filter(|_| rng.u32(..100) < percent);
    chosen.cloned().collect()
}

/// The diagram of a set, as a union of single points.
pub(crate) fn diagram(forest: &mut Forest<'_>, points: &Points) -> Node {
    points.iter().fold(Node::EMPTY, |set, point| {
        let single = forest.single(point).expect("no limit");
        forest.union(set, single).expect("no limit")
    })
}

/// The points of a diagram, asked one by one.
pub(crate) fn members(forest: &Forest<'_>, set: Node) -> Points {
    let mut points = whole_box(forest.lengths());
    points.retain(|point| forest.contains(set, point));
    points
}

/// The points one step above.
pub(crate) fn successors(point: &[u32]) -> impl Iterator<Item = Vec<u32>> {
    (0..point.len()).map(|layer| {
        let mut next = point.to_vec();
        next[layer] += 1;
        next
    })
}
