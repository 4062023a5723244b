//! Diagrams under pressure: refused memory, a spent clock, long lists of edges, thousands of layers.

use std::sync::atomic::{AtomicI64, Ordering};

use causet_base::budget::{Budget, Meter, Spent};
use causet_solve::chains::Chains;
use causet_solve::diagram::{Forest, Node, Reading};
use dashu_int::UBig;
use fastrand::Rng;

use crate::support::{Order, Points, diagram, members, some_of, whole_box};

/// Every operation once, as a pair of its name and what it does to two sets and all cuts.
type Work = fn(&mut Forest<'_>, Node, Node) -> Result<Node, Spent>;

const OPERATIONS: [(&str, Work); 8] = [
    ("union", |forest, a, b| forest.union(a, b)),
    ("intersection", |forest, a, b| forest.intersection(a, b)),
    ("difference", |forest, a, b| forest.difference(a, b)),
    ("until", |forest, a, b| forest.until(a, b)),
    ("before", |forest, a, _| forest.before(a)),
    ("below", |forest, a, _| forest.below(a)),
    ("above", |forest, _, b| forest.above(b)),
    ("filter", |forest, a, _| forest.filter(a, &mut Even)),
];

/// Whether the sum of all positions is even.
struct Even;

impl Reading for Even {
    fn start(&self) -> u32 {
        0
    }

    fn breaks(&self, _layer: usize) -> &[u32] {
        const EACH: [u32; 64] = {
            let mut each = [0; 64];
            let mut index = 0;
            while index < 64 {
                each[index] = index as u32 + 1;
                index += 1;
            }
            each
        };
        &EACH
    }

    fn step(&mut self, state: u32, _layer: usize, piece: usize) -> u32 {
        (state + piece as u32) % 2
    }

    fn decided(&self, state: u32, layer: usize) -> Option<bool> {
        (layer == LAYERS).then_some(state == 0)
    }
}

const LAYERS: usize = 4;

/// An order whose diagrams need more than the smallest pieces of memory.
fn order(rng: &mut Rng) -> (Order, Vec<usize>) {
    let order = Order::random(rng, LAYERS, 24, 20);
    (order, (0..LAYERS).collect())
}

#[test]
fn a_refused_operation_changes_nothing() {
    let mut refused = vec![0; OPERATIONS.len()];
    for seed in 0..60 {
        let mut rng = Rng::with_seed(seed);
        let (order, layers) = order(&mut rng);
        let space = whole_box(&order.lengths(&layers));
        let (a, b) = (some_of(&mut rng, &space), some_of(&mut rng, &space));
        for (index, (name, work)) in OPERATIONS.iter().enumerate() {
            let limit = 100_000_000;
            let budget = Budget::endless().with_memory(limit, 0);
            let mut forest = Forest::new(order.lengths(&layers), &budget);
            let (x, y) = (diagram(&mut forest, &a), diagram(&mut forest, &b));
            forest.collect(&[x, y]);
            let free = [2_000, 20_000, 60_000][rng.usize(..3)];
            let filler = limit - budget.used() - rng.u64(..free);
            budget.charge(filler as usize).expect("it was free");
            let under_pressure = work(&mut forest, x, y);
            budget.release(filler as usize);
            assert_eq!(members(&forest, x), a, "{name} with seed {seed}");
            assert_eq!(members(&forest, y), b, "{name} with seed {seed}");
            let freely = work(&mut forest, x, y).expect("enough memory");
            match under_pressure {
                Ok(node) => assert_eq!(node, freely, "{name} with seed {seed}"),
                Err(spent) => {
                    assert_eq!(spent, Spent::Memory);
                    refused[index] += 1;
                }
            }
            let elsewhere = elsewhere(&order.lengths(&layers), &a, &b, *work);
            assert_eq!(members(&forest, freely), elsewhere, "{name} seed {seed}");
            drop(forest);
            assert_eq!(budget.used(), 0);
        }
    }
    // A test of refusals that never refuses tests nothing.
    assert!(refused.iter().all(|&count| count > 5), "{refused:?}");
}

/// The result of an operation in a fresh forest without a limit.
fn elsewhere(lengths: &[u32], a: &Points, b: &Points, work: Work) -> Points {
    let budget = Budget::endless();
    let mut forest = Forest::new(lengths.to_vec(), &budget);
    let (x, y) = (diagram(&mut forest, a), diagram(&mut forest, b));
    let result = work(&mut forest, x, y).expect("no limit");
    members(&forest, result)
}

/// A meter that stops while its number is below zero, and counts it down to there.
struct Countdown(AtomicI64);

impl Meter for Countdown {
    fn stop(&self) -> Option<Spent> {
        let left = self.0.fetch_sub(1, Ordering::Relaxed);
        (left <= 0).then_some(Spent::Time)
    }
}

#[test]
fn a_spent_clock_stops_the_construction_and_spoils_nothing() {
    let mut rng = Rng::with_seed(7);
    let order = Order::random(&mut rng, 6, 600, 10);
    let layers: Vec<usize> = (0..6).collect();
    let meter = Countdown(AtomicI64::new(i64::MAX));
    let budget = Budget::new(&meter);
    let mut forest = Forest::new(order.lengths(&layers), &budget);
    for looks in 1..4 {
        meter.0.store(looks, Ordering::Relaxed);
        let stopped = forest.all_cuts(&order, &layers);
        assert_eq!(stopped, Err(Spent::Time));
    }
    meter.0.store(i64::MAX, Ordering::Relaxed);
    let all = forest.all_cuts(&order, &layers).expect("time enough");
    let fresh_budget = Budget::endless();
    let mut fresh = Forest::new(order.lengths(&layers), &fresh_budget);
    let expected = fresh.all_cuts(&order, &layers).expect("no limit");
    assert_eq!(forest.count(all), fresh.count(expected));
    assert_eq!(forest.size(all), fresh.size(expected));
    forest.collect(&[all]);
    assert_eq!((forest.nodes(), forest.edges()), fresh.size(expected));
}

#[test]
fn memory_is_not_exceeded() {
    let mut rng = Rng::with_seed(3);
    let order = Order::random(&mut rng, 10, 2_000, 8);
    let layers: Vec<usize> = (0..10).collect();
    let mut outcomes = Vec::new();
    for limit in [1_000, 200_000, 1_000_000, 1_000_000_000] {
        let budget = Budget::endless().with_memory(limit, 0);
        let mut forest = Forest::new(order.lengths(&layers), &budget);
        outcomes.push(forest.all_cuts(&order, &layers).map(|_| ()));
        assert!(budget.used() <= limit);
        drop(forest);
        assert_eq!(budget.used(), 0);
    }
    let memory = Err(Spent::Memory);
    assert_eq!(outcomes, [memory, memory, memory, Ok(())]);
}

#[test]
fn long_lists_survive_a_collection() {
    let length = 60_000;
    let budget = Budget::endless();
    let mut forest = Forest::new(vec![length, 3], &budget);
    let mut combs = Vec::new();
    let whole = forest.all_cuts(&Free(length), &[0, 1]).expect("no limit");
    for every in [2, 3, 7, 100, 5_000] {
        let mut comb = Comb { every };
        let set = forest.filter(whole, &mut comb).expect("no limit");
        combs.push((every, set));
    }
    let used = budget.used();
    let kept: Vec<Node> = combs.iter().skip(1).step_by(2).map(|comb| comb.1).collect();
    assert!(forest.collect(&kept) >= 2);
    assert!(budget.used() < used);
    for &(every, set) in combs.iter().skip(1).step_by(2) {
        assert_eq!(forest.count(set), UBig::from((length / every + 1) * 4));
        assert!(forest.contains(set, &[every * 8, 2]));
        assert!(!forest.contains(set, &[every * 8 + 1, 2]));
    }
    let whole = forest.all_cuts(&Free(length), &[0, 1]).expect("no limit");
    let again = forest.filter(whole, &mut Comb { every: 100 });
    assert_eq!(again, Ok(combs[3].1));
}

/// Two chains without any need between them.
struct Free(u32);

impl Chains for Free {
    fn count(&self) -> usize {
        2
    }

    fn length(&self, chain: usize) -> u32 {
        [self.0, 3][chain]
    }

    fn least(&self, chain: usize, x: u32, other: usize) -> u32 {
        if chain == other { x } else { 0 }
    }

    fn most(&self, chain: usize, x: u32, other: usize) -> u32 {
        if chain == other {
            x
        } else {
            self.length(other)
        }
    }
}

/// Every so many positions of the first layer.
struct Comb {
    every: u32,
}

impl Reading for Comb {
    fn start(&self) -> u32 {
        0
    }

    fn breaks(&self, layer: usize) -> &[u32] {
        static EACH: std::sync::LazyLock<Vec<u32>> =
            std::sync::LazyLock::new(|| (1..=60_000).collect());
        if layer == 0 { &EACH } else { &[] }
    }

    fn step(&mut self, _state: u32, _layer: usize, piece: usize) -> u32 {
        u32::from((piece as u32).is_multiple_of(self.every))
    }

    fn decided(&self, state: u32, layer: usize) -> Option<bool> {
        (layer > 0).then_some(state == 1)
    }
}

/// Pairs of chains with two events each; the second chain of a pair follows the first.
struct Pairs(usize);

impl Chains for Pairs {
    fn count(&self) -> usize {
        2 * self.0
    }

    fn length(&self, _chain: usize) -> u32 {
        2
    }

    fn least(&self, chain: usize, x: u32, other: usize) -> u32 {
        let needs = other == chain || (chain % 2 == 1 && other + 1 == chain);
        if needs { x } else { 0 }
    }

    fn most(&self, chain: usize, x: u32, other: usize) -> u32 {
        let bounds = other == chain || (chain.is_multiple_of(2) && chain + 1 == other);
        if bounds { x } else { 2 }
    }
}

#[test]
fn two_thousand_layers_fit_a_usual_stack() {
    let pairs = 1_000;
    let work = move || {
        let budget = Budget::endless();
        let chains = Pairs(pairs);
        let layers: Vec<usize> = (0..chains.count()).collect();
        let mut forest = Forest::new(vec![2; chains.count()], &budget);
        let all = forest.all_cuts(&chains, &layers).expect("no limit");
        assert_eq!(forest.count(all), UBig::from(6u32).pow(pairs));
        let end = forest.single(&vec![2; chains.count()]).expect("no limit");
        assert_eq!(forest.until(all, end), Ok(all));
        let below = forest.below(end).expect("no limit");
        assert_eq!(forest.intersection(below, all), Ok(all));
        let before = forest.before(end).expect("no limit");
        assert_eq!(forest.count(before), UBig::from(2 * pairs));
        let last = chains.count() - 1;
        let shifted = forest.shifted(end, last).expect("no limit");
        assert_eq!(forest.difference(shifted, before), Ok(Node::EMPTY));
        assert_eq!(forest.lowest(all), Some(vec![0; chains.count()]));
        assert_eq!(forest.points(all).take(10).count(), 10);
    };
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(work);
    thread.expect("a thread").join().expect("no panic");
}

/// Lists of all lengths, over many pieces of memory: what lies behind a list too long for the rest of its piece moves
/// there when lists before it go.
#[test]
fn lists_move_into_the_gaps_of_their_pieces() {
    for seed in 0..6 {
        let mut rng = Rng::with_seed(seed);
        let budget = Budget::endless();
        let mut forest = Forest::new(vec![40, 40, 40], &budget);
        let mut point = |most: u32| vec![rng.u32(0..=most), rng.u32(0..=40), rng.u32(0..=40)];
        let sets: Vec<Points> = (0..24)
            .map(|number| (0..900).map(|_| point(1 + number)).collect())
            .collect();
        let nodes: Vec<Node> = sets.iter().map(|set| diagram(&mut forest, set)).collect();
        assert!(forest.edges() > 4 << 14, "{} edges", forest.edges());
        let kept: Vec<usize> = (0..sets.len()).filter(|_| rng.bool()).collect();
        let roots: Vec<Node> = kept.iter().map(|&at| nodes[at]).collect();
        forest.collect(&roots);
        for &at in &kept {
            assert_eq!(forest.count(nodes[at]), UBig::from(sets[at].len()));
            assert!(
                sets[at]
                    .iter()
                    .all(|point| forest.contains(nodes[at], point))
            );
        }
    }
}
