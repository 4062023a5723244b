//! The heaviest cut against all cuts of small random orders, weighed one by one.

use causet_base::budget::{Budget, Meter, Spent};
use causet_solve::chains::Chains;
use causet_solve::closure::{Closure, heaviest};
use fastrand::Rng;

/// Random events on chains, each needing some earlier ones.
struct Order {
    /// Per chain and number of events, what they need of each chain.
    least: Vec<Vec<Vec<u32>>>,
    /// The chains in the order in which the events came up.
    run: Vec<usize>,
}

impl Order {
    fn random(rng: &mut Rng, most: usize) -> Order {
        let width = rng.usize(1..=4);
        let mut least = vec![vec![vec![0; width]]; width];
        let needs = rng.f64();
        let run: Vec<usize> = (0..rng.usize(0..=most))
            .map(|_| rng.usize(..width))
            .collect();
        for &chain in &run {
            let mut next = least[chain][least[chain].len() - 1].clone();
            next[chain] += 1;
            let other = rng.usize(..width);
            if other != chain && rng.f64() < needs {
                let past = &least[other][rng.usize(..least[other].len())];
                next = next.iter().zip(past).map(|(&a, &b)| a.max(b)).collect();
            }
            least[chain].push(next);
        }
        Order { least, run }
    }

    fn is_cut(&self, cut: &[u32]) -> bool {
        (0..cut.len()).all(|chain| {
            let needs = &self.least[chain][cut[chain] as usize];
            needs.iter().zip(cut).all(|(least, x)| least <= x)
        })
    }

    /// All cuts.
    fn cuts(&self) -> Vec<Vec<u32>> {
        let mut points = vec![Vec::new()];
        for chain in 0..self.count() {
            let longer = |point: &Vec<u32>, x| [&point[..], &[x]].concat();
            let all = 0..=self.length(chain);
            points = points
                .iter()
                .flat_map(|point| all.clone().map(move |x| longer(point, x)))
                .collect();
        }
        points.retain(|point| self.is_cut(point));
        points
    }
}

impl Chains for Order {
    fn count(&self) -> usize {
        self.least.len()
    }

    fn length(&self, chain: usize) -> u32 {
        (self.least[chain].len() - 1) as u32
    }

    fn least(&self, chain: usize, x: u32, other: usize) -> u32 {
        self.least[chain][x as usize][other]
    }

    fn most(&self, chain: usize, x: u32, other: usize) -> u32 {
        let allows = |y: &u32| self.least(other, *y, chain) <= x;
        (0..=self.length(other)).filter(allows).max().unwrap_or(0)
    }
}

fn weight(weights: &[Vec<i64>], cut: &[u32]) -> i128 {
    let chains = weights.iter().zip(cut);
    let events = chains.flat_map(|(weights, &x)| &weights[..x as usize]);
    events.map(|&weight| i128::from(weight)).sum()
}

fn random_weights(rng: &mut Rng, order: &Order) -> Vec<Vec<i64>> {
    let most = [1, 3, 10, i64::MAX][rng.usize(..4)];
    let weights = |chain| {
        (0..order.length(chain))
            .map(|_| rng.i64(-most..=most))
            .collect()
    };
    (0..order.count()).map(weights).collect()
}

fn size(cut: &[u32]) -> u32 {
    cut.iter().sum()
}

#[test]
fn the_smallest_of_the_heaviest_cuts() {
    for seed in 0..30_000 {
        let mut rng = Rng::with_seed(seed);
        let order = Order::random(&mut rng, 14);
        let weights = random_weights(&mut rng, &order);
        let run = order.run.iter().copied();
        let budget = Budget::endless();
        let found = heaviest(&order, &weights, run, None, &budget).expect("no limit");
        let cuts = order.cuts();
        let most = cuts.iter().map(|cut| weight(&weights, cut)).max();
        assert_eq!(Some(found.weight), most, "seed {seed}");
        assert_eq!(weight(&weights, &found.cut), found.weight, "seed {seed}");
        assert!(order.is_cut(&found.cut), "seed {seed}");
        let heaviest = cuts
            .iter()
            .filter(|cut| weight(&weights, cut) == found.weight);
        assert_eq!(heaviest.map(|cut| size(cut)).min(), Some(size(&found.cut)));
        assert_eq!(budget.used(), 0);
    }
}

#[test]
fn what_weighs_enough_is_enough() {
    for seed in 0..5_000 {
        let mut rng = Rng::with_seed(seed);
        let order = Order::random(&mut rng, 14);
        let weights = random_weights(&mut rng, &order);
        let find = |enough| {
            let run = order.run.iter().copied();
            heaviest(&order, &weights, run, enough, &Budget::endless()).expect("no limit")
        };
        let most = find(None);
        for enough in [0, 1, most.weight, most.weight.saturating_add(1)] {
            let found = find(Some(enough));
            assert!(order.is_cut(&found.cut), "seed {seed}");
            assert_eq!(weight(&weights, &found.cut), found.weight, "seed {seed}");
            assert_eq!(found.weight >= enough, most.weight >= enough, "seed {seed}");
            assert!(size(&found.cut) <= size(&most.cut), "seed {seed}");
        }
    }
}

/// The greatest weight by the definition: a flow from gains to losses through the needs of each event, one way after the
/// other.
fn by_flow(order: &Order, weights: &[Vec<i64>]) -> i128 {
    let places =
        (0..order.count()).flat_map(|chain| (1..=order.length(chain)).map(move |x| (chain, x)));
    let places: Vec<(usize, u32)> = places.collect();
    let weight = |(chain, x): (usize, u32)| i128::from(weights[chain][x as usize - 1]);
    let mut rest: Vec<i128> = places.iter().map(|&place| weight(place)).collect();
    let mut flow = vec![vec![0_i128; places.len()]; places.len()];
    let needs = |from: usize, to: usize| {
        let ((chain, x), (other, y)) = (places[from], places[to]);
        order.least(chain, x, other) >= y
    };
    for gain in 0..places.len() {
        while rest[gain] > 0 {
            let mut came: Vec<Option<usize>> = vec![None; places.len()];
            came[gain] = Some(gain);
            let mut queue = std::collections::VecDeque::from([gain]);
            let mut end = None;
            while let (Some(at), None) = (queue.pop_front(), end) {
                end = (rest[at] < 0).then_some(at);
                for next in 0..places.len() {
                    if came[next].is_none() && (needs(at, next) || flow[next][at] > 0) {
                        came[next] = Some(at);
                        queue.push_back(next);
                    }
                }
            }
            let Some(end) = end else { break };
            let mut way = vec![end];
            while way[way.len() - 1] != gain {
                way.push(came[way[way.len() - 1]].expect("reached"));
            }
            let back = |pair: &[usize]| match needs(pair[1], pair[0]) {
                true => i128::MAX,
                false => flow[pair[0]][pair[1]],
            };
            let least = way.windows(2).map(back).min().unwrap_or(i128::MAX);
            let amount = least.min(rest[gain]).min(-rest[end]);
            rest[gain] -= amount;
            rest[end] += amount;
            for pair in way.windows(2) {
                flow[pair[1]][pair[0]] += amount;
                let both = flow[pair[1]][pair[0]].min(flow[pair[0]][pair[1]]);
                flow[pair[1]][pair[0]] -= both;
                flow[pair[0]][pair[1]] -= both;
            }
        }
    }
    rest.iter().filter(|&&rest| rest > 0).sum()
}

/// Orders with more events than one block of losses holds.
#[test]
fn longer_orders_by_flow() {
    for seed in 0..400 {
        let mut rng = Rng::with_seed(seed);
        let mut order = Order::random(&mut rng, 400);
        let weights = random_weights(&mut rng, &order);
        if seed % 2 == 0 {
            rng.shuffle(&mut order.run);
        }
        let run = order.run.iter().copied();
        let found = heaviest(&order, &weights, run, None, &Budget::endless()).expect("no limit");
        assert!(order.is_cut(&found.cut), "seed {seed}");
        assert_eq!(found.weight, by_flow(&order, &weights), "seed {seed}");
    }
}

/// Long chains that wait for each other, so that a gain finds room only by asking others.
#[test]
fn long_chains_fill_many_blocks() {
    let length = 500;
    let mut order = Order {
        least: vec![vec![vec![0, 0]], vec![vec![0, 0]]],
        run: Vec::new(),
    };
    for x in 1..=length {
        order.least[0].push(vec![x, 0]);
        order.run.push(0);
    }
    for x in 1..=length {
        order.least[1].push(vec![x.min(length - 1), x]);
        order.run.push(1);
    }
    let mut weights = vec![vec![-1; length as usize], vec![1; length as usize]];
    let find = |weights: &[Vec<i64>]| {
        let run = order.run.iter().copied();
        heaviest(&order, weights, run, None, &Budget::endless()).expect("no limit")
    };
    let last = Closure {
        cut: vec![length - 1, length],
        weight: 1,
    };
    assert_eq!(find(&weights), last);
    weights[0][0] = -2;
    assert_eq!(find(&weights).weight, 0);
    weights[0][0] = 1;
    let all = Closure {
        cut: vec![length - 1, length],
        weight: 3,
    };
    assert_eq!(find(&weights), all);
}

/// A meter that stops at once.
struct Stopped;

impl Meter for Stopped {
    fn stop(&self) -> Option<Spent> {
        Some(Spent::Time)
    }
}

#[test]
fn limits_are_kept() {
    let order = Order {
        least: vec![vec![vec![0], vec![1], vec![2]]],
        run: vec![0, 0],
    };
    let weights = [vec![-1, 2]];
    let find = |budget: &Budget<'_>| heaviest(&order, &weights, [0, 0], None, budget);
    assert_eq!(find(&Budget::new(&Stopped)), Err(Spent::Time));
    let poor = Budget::endless().with_memory(10, 0);
    assert_eq!(find(&poor), Err(Spent::Memory));
    assert_eq!(poor.used(), 0);
}
