//! How fast diagrams of long runs are, measured on request: philosophers at a round table, strangers with messages.
//!
//! `cargo test --release -p causet-solve --test diagram -- --ignored --nocapture`

use std::time::Instant;

use causet_solve::budget::Budget;
use causet_solve::chains::Chains;
use causet_solve::diagram::{Forest, Node, Reading};
use fastrand::Rng;

/// A run with flat tables of bounds.
struct Run {
    chains: usize,
    /// For each chain, number of events and other chain.
    least: Vec<Vec<u32>>,
    most: Vec<Vec<u32>>,
    /// For each chain, the numbers of events with which eating begins and ends, in turn.
    meals: Vec<Vec<u32>>,
}

impl Chains for Run {
    fn count(&self) -> usize {
        self.chains
    }

    fn length(&self, chain: usize) -> u32 {
        (self.least[chain].len() / self.chains) as u32 - 1
    }

    fn least(&self, chain: usize, x: u32, other: usize) -> u32 {
        self.least[chain][x as usize * self.chains + other]
    }

    fn most(&self, chain: usize, x: u32, other: usize) -> u32 {
        self.most[chain][x as usize * self.chains + other]
    }
}

impl Run {
    /// Each in turn at random: some work, hungry, two forks, eat, think, the forks back.
    fn of_philosophers(philosophers: usize, events: usize) -> Run {
        let mut rng = Rng::with_seed(1);
        let mut least = vec![vec![0; philosophers]; philosophers];
        let mut meals = vec![Vec::new(); philosophers];
        let mut stages = vec![0; philosophers];
        // Who holds a fork, and all that its last user had seen.
        let mut holders = vec![None; philosophers];
        let mut seen = vec![vec![0; philosophers]; philosophers];
        let mut done = 0;
        while done < events {
            let me = rng.usize(..philosophers);
            let (a, b) = (me, (me + 1) % philosophers);
            let (first, second) = (a.min(b), a.max(b));
            let fork = match stages[me] {
                5 | 9 => Some(first),
                6 | 10 => Some(second),
                _ => None,
            };
            let takes = stages[me] < 9;
            if fork.is_some_and(|fork| takes && holders[fork].is_some()) {
                continue;
            }
            let mut row = least[me][least[me].len() - philosophers..].to_vec();
            row[me] += 1;
            if let Some(fork) = fork {
                let known = row.iter_mut().zip(&seen[fork]);
                known.for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
                holders[fork] = takes.then_some(me);
                seen[fork].clone_from(&row);
            }
            if stages[me] == 7 || stages[me] == 8 {
                meals[me].push(row[me]);
            }
            least[me].extend(row);
            stages[me] = match stages[me] {
                10 => rng.usize(..5),
                stage => stage + 1,
            };
            done += 1;
        }
        Run::new(least, meals)
    }

    /// Every second event or so gets a message that anybody else sent some time before.
    fn of_strangers(strangers: usize, events: usize, percent: u32) -> Run {
        let mut rng = Rng::with_seed(1);
        let mut least = vec![vec![0; strangers]; strangers];
        for _ in 0..events {
            let (me, other) = (rng.usize(..strangers), rng.usize(..strangers));
            let mut row = least[me][least[me].len() - strangers..].to_vec();
            if rng.u32(..100) < percent {
                let sent = least[other].len() / strangers;
                let back = rng.usize(..3.min(sent));
                let seen = &least[other][(sent - 1 - back) * strangers..][..strangers];
                let known = row.iter_mut().zip(seen);
                known.for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
            }
            row[me] = (least[me].len() / strangers) as u32;
            least[me].extend(row);
        }
        let meals = least
            .iter()
            .map(|rows| (1..(rows.len() / strangers) as u32).collect());
        let meals = meals.collect();
        Run::new(least, meals)
    }

    fn new(least: Vec<Vec<u32>>, meals: Vec<Vec<u32>>) -> Run {
        let chains = least.len();
        Run {
            chains,
            most: most(chains, &least),
            least,
            meals,
        }
    }
}

/// The dual bounds, by one sweep for each pair.
fn most(chains: usize, least: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let rows = |chain: usize| least[chain].len() / chains;
    let mut most: Vec<Vec<u32>> = least.iter().map(|rows| vec![0; rows.len()]).collect();
    for chain in 0..chains {
        for other in 0..chains {
            let mut y = 0;
            for x in 0..rows(chain) {
                while y + 1 < rows(other) && least[other][(y + 1) * chains + chain] as usize <= x {
                    y += 1;
                }
                most[chain][x * chains + other] = y as u32;
            }
        }
    }
    most
}

/// Whether all of the first layers, so many of them, eat.
struct Eating<'r> {
    run: &'r Run,
    eaters: usize,
}

impl Reading for Eating<'_> {
    fn start(&self) -> u32 {
        0
    }

    fn breaks(&self, layer: usize) -> &[u32] {
        &self.run.meals[layer]
    }

    fn step(&mut self, state: u32, _layer: usize, piece: usize) -> u32 {
        state + (piece % 2) as u32
    }

    fn decided(&self, state: u32, layer: usize) -> Option<bool> {
        let missed = (state as usize) < layer.min(self.eaters);
        (missed || layer >= self.eaters).then_some(!missed)
    }
}

#[test]
#[ignore = "a measurement"]
fn philosophers() {
    for (philosophers, events) in [
        (10, 10_000),
        (10, 100_000),
        (10, 1_000_000),
        (50, 2_500),
        (100, 5_000),
        (250, 12_500),
    ] {
        println!("{philosophers} philosophers, {events} events");
        measure(&Run::of_philosophers(philosophers, events));
    }
}

#[test]
#[ignore = "a measurement"]
fn strangers() {
    for (strangers, events, percent) in [(10, 500, 50), (16, 800, 50), (10, 100_000, 50)] {
        println!("{strangers} strangers, {events} events, {percent} % messages");
        measure(&Run::of_strangers(strangers, events, percent));
    }
}

/// What the paper does, and what one pass replaces: steps back until nothing is new.
#[test]
#[ignore = "a measurement"]
fn one_pass_against_a_fixpoint() {
    for events in [1_000, 5_000] {
        let run = Run::of_philosophers(10, events);
        let layers: Vec<usize> = (0..run.chains).collect();
        let lengths = layers.iter().map(|&chain| run.length(chain)).collect();
        let budget = Budget::endless();
        let mut forest = Forest::new(lengths, &budget);
        let all = forest.all_cuts(&run, &layers).expect("no limit");
        let mut one = Eating {
            run: &run,
            eaters: 1,
        };
        let goal = forest.filter(all, &mut one).expect("no limit");
        println!("10 philosophers, {events} events");
        let until = timed("one pass", &mut forest, &budget, |forest| {
            forest.until(all, goal).expect("no limit")
        });
        let mut rounds = 0;
        let fixpoint = timed("fixpoint", &mut forest, &budget, |forest| {
            let (mut before, mut reached) = (Node::EMPTY, goal);
            while before != reached {
                before = reached;
                let step = forest.before_within(before, all).expect("no limit");
                reached = forest.union(before, step).expect("no limit");
                rounds += 1;
            }
            reached
        });
        println!("  {rounds} rounds");
        assert_eq!(until, fixpoint);
    }
}

fn measure(run: &Run) {
    let layers: Vec<usize> = (0..run.chains).collect();
    let lengths = layers.iter().map(|&chain| run.length(chain)).collect();
    let budget = Budget::endless();
    let mut forest = Forest::new(lengths, &budget);
    let all = timed("all cuts", &mut forest, &budget, |forest| {
        forest.all_cuts(run, &layers).expect("no limit")
    });
    println!("  reachable {:?}", forest.size(all));
    let start = Instant::now();
    let count = forest.count(all).to_string().len();
    println!("  count: {count} digits, {:?}", start.elapsed());
    let mut one = Eating { run, eaters: 1 };
    let eats = timed("filter", &mut forest, &budget, |forest| {
        forest.filter(all, &mut one).expect("no limit")
    });
    let finally = timed("until", &mut forest, &budget, |forest| {
        forest.until(all, eats).expect("no limit")
    });
    let fasts = timed("difference", &mut forest, &budget, |forest| {
        forest.difference(all, eats).expect("no limit")
    });
    timed("until of two", &mut forest, &budget, |forest| {
        forest.until(fasts, finally).expect("no limit")
    });
    timed("before", &mut forest, &budget, |forest| {
        forest.before_within(eats, all).expect("no limit")
    });
    let mut three = Eating { run, eaters: 3 };
    let feast = timed("filter of three", &mut forest, &budget, |forest| {
        forest.filter(all, &mut three).expect("no limit")
    });
    timed("until of feast", &mut forest, &budget, |forest| {
        let never = forest.until(all, feast).expect("no limit");
        let rest = forest.difference(all, never).expect("no limit");
        forest.until(fasts, rest).expect("no limit")
    });
    timed("collect", &mut forest, &budget, |forest| {
        forest.collect(&[all]);
        all
    });
}

fn timed(
    what: &str,
    forest: &mut Forest<'_>,
    budget: &Budget<'_>,
    work: impl FnOnce(&mut Forest<'_>) -> Node,
) -> Node {
    let start = Instant::now();
    let set = work(forest);
    let (time, megabytes) = (start.elapsed(), budget.used() / 1_000_000);
    let (nodes, edges) = (forest.nodes(), forest.edges());
    println!("  {what}: {time:?}, {nodes} nodes, {edges} edges, {megabytes} MB");
    set
}
