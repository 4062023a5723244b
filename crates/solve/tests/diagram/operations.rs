//! Every operation on diagrams against the same operation on sets of points, over small random orders.

use causet_base::budget::Budget;
use causet_solve::diagram::{Forest, Node, Reading};
use dashu_int::UBig;
use fastrand::Rng;

use crate::support::{Order, Points, diagram, members, some_of, successors, whole_box};

/// How many random orders a test looks at.
const ORDERS: u64 = 2000;

/// Runs a test on many random orders; the seed is printed when one fails.
fn on_orders(test: impl Fn(&mut Rng, &Order, &[usize], &mut Forest<'_>)) {
    let from = std::env::var("CAUSET_SEED").map_or(0, |seed| seed.parse().expect("a number"));
    for seed in from..from + ORDERS {
        let context = Seed(seed);
        let mut rng = Rng::with_seed(seed);
        let chains = rng.usize(1..=4);
        let (events, needs) = (rng.usize(0..=10), rng.u32(..60));
        let order = Order::random(&mut rng, chains, events, needs);
        let mut layers: Vec<usize> = (0..chains).collect();
        rng.shuffle(&mut layers);
        let budget = Budget::endless();
        let mut forest = Forest::new(order.lengths(&layers), &budget);
        test(&mut rng, &order, &layers, &mut forest);
        drop(forest);
        assert_eq!(budget.used(), 0, "all memory is given back");
        std::mem::forget(context);
    }
}

/// Tells the seed when a test unwinds through it.
struct Seed(u64);

impl Drop for Seed {
    fn drop(&mut self) {
        eprintln!("failed with CAUSET_SEED={}", self.0);
    }
}

/// The set of all points of a box.
fn full(forest: &mut Forest<'_>) -> Node {
    diagram(forest, &whole_box(forest.lengths()))
}

#[test]
fn all_cuts_are_the_closed_points() {
    on_orders(|_, order, layers, forest| {
        let all = forest.all_cuts(order, layers).expect("no limit");
        let expected = order.cuts(layers);
        assert_eq!(members(forest, all), expected);
        assert_eq!(all, diagram(forest, &expected), "one set, one node");
    });
}

#[test]
fn a_projection_has_the_cuts_seen_on_its_chains() {
    on_orders(|rng, order, layers, _| {
        let seen = &layers[..rng.usize(..=layers.len())];
        let budget = Budget::endless();
        let mut forest = Forest::new(order.lengths(seen), &budget);
        let all = forest.all_cuts(order, seen).expect("no limit");
        let cuts = order.cuts(layers).into_iter();
        let expected: Points = cuts.map(|cut| cut[..seen.len()].to_vec()).collect();
        assert_eq!(members(&forest, all), expected);
    });
}

#[test]
fn boolean_operations_are_those_of_sets() {
    on_orders(|rng, _, _, forest| {
        let space = whole_box(forest.lengths());
        let (a, b) = (some_of(rng, &space), some_of(rng, &space));
        let (x, y) = (diagram(forest, &a), diagram(forest, &b));
        let union = forest.union(x, y).expect("no limit");
        let intersection = forest.intersection(x, y).expect("no limit");
        let difference = forest.difference(x, y).expect("no limit");
        assert_eq!(members(forest, union), &a | &b);
        assert_eq!(members(forest, intersection), &a & &b);
        assert_eq!(members(forest, difference), &a - &b);
        // The same sets, built otherwise, are the same nodes.
        assert_eq!(union, diagram(forest, &(&a | &b)));
        assert_eq!(intersection, diagram(forest, &(&a & &b)));
        let rest = forest.difference(x, difference).expect("no limit");
        assert_eq!(intersection, rest);
    });
}

#[test]
fn until_is_the_least_fixpoint() {
    on_orders(|rng, order, layers, forest| {
        let cuts = order.cuts(layers);
        let (hold, goal) = (some_of(rng, &cuts), some_of(rng, &cuts));
        let goal = some_of(rng, &goal);
        let (x, y) = (diagram(forest, &hold), diagram(forest, &goal));
        let until = forest.until(x, y).expect("no limit");
        let mut expected = goal;
        loop {
            let leads_on = |point: &&Vec<u32>| successors(point).any(|p| expected.contains(&p));
            let more: Points = hold.iter().filter(leads_on).cloned().collect();
            if more.is_subset(&expected) {
                break;
            }
            expected.extend(more);
        }
        assert_eq!(members(forest, until), expected);
        assert_eq!(until, diagram(forest, &expected));
    });
}

#[test]
fn before_is_one_step_down() {
    on_orders(|rng, order, layers, forest| {
        let space = whole_box(forest.lengths());
        let points = some_of(rng, &space);
        let set = diagram(forest, &points);
        let before = forest.before(set).expect("no limit");
        let all = forest.all_cuts(order, layers).expect("no limit");
        let within = forest.before_within(set, all).expect("no limit");
        assert_eq!(forest.intersection(before, all), Ok(within));
        let leads_in = |point: &&Vec<u32>| successors(point).any(|p| points.contains(&p));
        let expected: Points = space.iter().filter(leads_in).cloned().collect();
        assert_eq!(members(forest, before), expected);
        assert_eq!(before, diagram(forest, &expected));
        // And layer by layer (paper IST, Lemma 4).
        let mut union = Node::EMPTY;
        for layer in 0..forest.lengths().len() {
            let shifted = forest.shifted(set, layer).expect("no limit");
            let raised = |point: &&Vec<u32>| {
                let next = successors(point).nth(layer).expect("a layer");
                points.contains(&next)
            };
            let expected: Points = space.iter().filter(raised).cloned().collect();
            assert_eq!(members(forest, shifted), expected);
            union = forest.union(union, shifted).expect("no limit");
        }
        assert_eq!(union, before);
    });
}

#[test]
fn closures_are_all_points_below_and_above() {
    on_orders(|rng, order, layers, forest| {
        let space = whole_box(forest.lengths());
        let points = some_of(rng, &space);
        let points = some_of(rng, &points);
        let set = diagram(forest, &points);
        let is_below = |a: &[u32], b: &[u32]| a.iter().zip(b).all(|(a, b)| a <= b);
        let below = |x: &&Vec<u32>| points.iter().any(|y| is_below(x, y));
        let above = |x: &&Vec<u32>| points.iter().any(|y| is_below(y, x));
        let down: Points = space.iter().filter(below).cloned().collect();
        let up: Points = space.iter().filter(above).cloned().collect();
        let (x, y) = (forest.below(set), forest.above(set));
        let (x, y) = (x.expect("no limit"), y.expect("no limit"));
        assert_eq!(members(forest, x), down);
        assert_eq!(members(forest, y), up);
        // EF by the closure (paper IST, Lemma 10) and by the one pass.
        let all = forest.all_cuts(order, layers).expect("no limit");
        let goal = forest.intersection(set, all).expect("no limit");
        let below = forest.below(goal).expect("no limit");
        let closed = forest.intersection(below, all).expect("no limit");
        assert_eq!(closed, forest.until(all, goal).expect("no limit"));
    });
}

/// Whether the weights of the pieces read add up to a multiple of a number, or one layer alone decides.
struct Weights {
    breaks: Vec<Vec<u32>>,
    weights: Vec<Vec<u32>>,
    modulus: u32,
}

impl Weights {
    fn random(rng: &mut Rng, lengths: &[u32]) -> Weights {
        let breaks: Vec<Vec<u32>> = lengths
            .iter()
            .map(|&length| (1..=length).filter(|_| rng.bool()).collect())
            .collect();
        let weigh = |breaks: &Vec<u32>| (0..=breaks.len()).map(|_| rng.u32(..4)).collect();
        Weights {
            weights: breaks.iter().map(weigh).collect(),
            breaks,
            modulus: 3,
        }
    }

    fn holds(&mut self, point: &[u32]) -> bool {
        let mut state = self.start();
        for (layer, &position) in point.iter().enumerate() {
            if let Some(holds) = self.decided(state, layer) {
                return holds;
            }
            let piece = self.breaks[layer].iter().filter(|&&b| b <= position);
            state = self.step(state, layer, piece.count());
        }
        self.decided(state, point.len()).expect("the last layer")
    }
}

impl Reading for Weights {
    fn start(&self) -> u32 {
        0
    }

    fn breaks(&self, layer: usize) -> &[u32] {
        &self.breaks[layer]
    }

    fn step(&mut self, state: u32, layer: usize, piece: usize) -> u32 {
        state + self.weights[layer][piece]
    }

    fn decided(&self, state: u32, layer: usize) -> Option<bool> {
        if layer == 1 && state == 2 {
            return Some(true);
        }
        let is_last = layer == self.breaks.len();
        is_last.then_some(state.is_multiple_of(self.modulus))
    }
}

#[test]
fn a_filter_keeps_the_points_of_its_predicate() {
    on_orders(|rng, order, layers, forest| {
        let all = forest.all_cuts(order, layers).expect("no limit");
        let mut weights = Weights::random(rng, forest.lengths());
        let filtered = forest.filter(all, &mut weights).expect("no limit");
        let mut expected = order.cuts(layers);
        expected.retain(|point| weights.holds(point));
        assert_eq!(members(forest, filtered), expected);
        assert_eq!(filtered, diagram(forest, &expected));
    });
}

#[test]
fn points_are_counted_and_listed_in_order() {
    on_orders(|rng, _, _, forest| {
        let points = some_of(rng, &whole_box(forest.lengths()));
        let set = diagram(forest, &points);
        assert_eq!(forest.count(set), UBig::from(points.len()));
        let listed: Vec<_> = forest.points(set).collect();
        assert!(listed.iter().eq(points.iter()));
        let height = |point: &&Vec<u32>| point.iter().sum::<u32>();
        assert_eq!(
            forest.lowest(set),
            points.iter().min_by_key(height).cloned()
        );
    });
}

#[test]
fn a_collection_keeps_its_roots_and_nothing_else() {
    on_orders(|rng, order, layers, forest| {
        let space = whole_box(forest.lengths());
        let sets: Vec<Points> = (0..4).map(|_| some_of(rng, &space)).collect();
        let nodes: Vec<Node> = sets.iter().map(|set| diagram(forest, set)).collect();
        forest.collect(&nodes[..2]);
        let (nodes_0, edges_0) = forest.size(nodes[0]);
        assert!(forest.nodes() <= nodes_0 + forest.size(nodes[1]).0);
        assert!(forest.edges() <= edges_0 + forest.size(nodes[1]).1);
        for (set, &node) in sets.iter().zip(&nodes).take(2) {
            assert_eq!(&members(forest, node), set);
            assert_eq!(diagram(forest, set), node);
        }
        // Numbers are given out again, and results stay right.
        let all = forest.all_cuts(order, layers).expect("no limit");
        assert_eq!(members(forest, all), order.cuts(layers));
        let union = forest.union(nodes[0], nodes[1]).expect("no limit");
        assert_eq!(members(forest, union), &sets[0] | &sets[1]);
        forest.collect(&[]);
        assert_eq!((forest.nodes(), forest.edges()), (0, 0));
    });
}

#[test]
fn the_whole_box_is_one_node_a_layer() {
    on_orders(|_, _, _, forest| {
        let all = full(forest);
        let layers = forest.lengths().len();
        assert_eq!(forest.size(all), (layers, layers));
    });
}
