//! How fast both techniques are on a million events; printed by
//! `cargo test --release -p causet-check --lib figures -- --ignored --nocapture`.

use std::time::Instant;

use causet_solve::automaton::{Automaton, Builder, Guard, State};
use causet_solve::budget::{Budget, Spent};
use causet_solve::chains::Chains;
use fastrand::Rng;

use super::{run_configurations, run_masks};
use crate::linear::scene::{Scene, Search};

/// Processes that enter a critical section again and again.
struct Mutex {
    width: usize,
    lengths: Vec<u32>,
    least: Vec<Vec<u32>>,
    most: Vec<Vec<u32>>,
    /// Per chain and number of events, whether it is inside.
    inside: Vec<Vec<bool>>,
    /// Whether the atoms are about entering and leaving, or about being inside.
    events: bool,
}

impl Mutex {
    /// Five events a round as in Peterson's protocol: flag, turn, enter, leave, flag. Who enters has seen who left last,
    /// unless the protocol is at fault.
    fn new(width: usize, events: usize, faults: f64, about_events: bool) -> Mutex {
        let mut rng = Rng::with_seed(7);
        let mut clocks = vec![vec![0_u32; width]; width];
        let mut least: Vec<Vec<u32>> = clocks.clone();
        let mut inside = vec![vec![false]; width];
        let mut left = vec![0_u32; width];
        for _ in 0..events / 5 {
            let chain = rng.usize(0..width);
            for step in 0..5 {
                if step == 2 && rng.f64() >= faults {
                    for (own, &other) in clocks[chain].iter_mut().zip(&left) {
                        *own = other.max(*own);
                    }
                }
                clocks[chain][chain] += 1;
                least[chain].extend_from_slice(&clocks[chain]);
                inside[chain].push(step == 2);
                if step == 3 {
                    left.copy_from_slice(&clocks[chain]);
                }
            }
        }
        let lengths: Vec<u32> = clocks
            .iter()
            .zip(0..)
            .map(|(clock, chain): (_, usize)| clock[chain])
            .collect();
        let most = most(width, &lengths, &least);
        Mutex {
            width,
            lengths,
            least,
            most,
            inside,
            events: about_events,
        }
    }

    /// Nobody enters while another one is inside; by events or by states, for the first two chains.
    fn monitor(&self) -> Automaton {
        let atom = |number| Guard::Atom(number);
        let mut builder = Builder::new(4);
        if !self.events {
            let (fine, bad) = (builder.state(false), builder.state(true));
            builder.moves(
                fine,
                &[(Guard::All(vec![atom(0), atom(1)]), bad)],
                Some(fine),
            );
            builder.moves(bad, &[], Some(bad));
            return builder.finish();
        }
        let states: Vec<State> = (0..4).map(|state| builder.state(state == 3)).collect();
        builder.moves(
            states[0],
            &[(atom(0), states[1]), (atom(1), states[2])],
            Some(states[0]),
        );
        builder.moves(
            states[1],
            &[(atom(1), states[3]), (atom(2), states[0])],
            Some(states[1]),
        );
        builder.moves(
            states[2],
            &[(atom(0), states[3]), (atom(3), states[0])],
            Some(states[2]),
        );
        builder.moves(states[3], &[], Some(states[3]));
        builder.finish()
    }
}

fn most(width: usize, lengths: &[u32], least: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut most = Vec::new();
    for chain in 0..width {
        let mut rows = vec![0; (lengths[chain] as usize + 1) * width];
        for other in 0..width {
            let mut y = 0;
            for x in 0..=lengths[chain] {
                if other == chain {
                    y = x;
                }
                let fits = |y: u32| least[other][y as usize * width + chain] <= x;
                while other != chain && y < lengths[other] && fits(y + 1) {
                    y += 1;
                }
                rows[x as usize * width + other] = y;
            }
        }
        most.push(rows);
    }
    most
}

impl Chains for Mutex {
    fn count(&self) -> usize {
        self.width
    }

    fn length(&self, chain: usize) -> u32 {
        self.lengths[chain]
    }

    fn least(&self, chain: usize, x: u32, other: usize) -> u32 {
        self.least[chain][x as usize * self.width + other]
    }

    fn most(&self, chain: usize, x: u32, other: usize) -> u32 {
        self.most[chain][x as usize * self.width + other]
    }
}

impl Scene for Mutex {
    fn truth(&self, atom: usize, cut: &[u32], by: Option<usize>) -> bool {
        let chain = atom % 2;
        match self.events {
            false => self.inside[chain][cut[chain] as usize],
            true => by == Some(chain) && self.touches(atom, chain, cut[chain]),
        }
    }

    fn is_event(&self, _: usize) -> bool {
        self.events
    }

    fn touches(&self, atom: usize, chain: usize, x: u32) -> bool {
        let (before, after) = (
            self.inside[chain][x as usize - 1],
            self.inside[chain][x as usize],
        );
        let sees = if self.events {
            after == (atom < 2)
        } else {
            true
        };
        chain == atom % 2 && before != after && sees
    }
}

type Run = fn(&Mutex, &Automaton, bool, &Budget<'_>) -> Result<Search, Spent>;

fn measure(name: &str, run: Run, scene: &Mutex) {
    let automaton = scene.monitor();
    for wants_steps in [false, true] {
        let budget = Budget::endless();
        let start = Instant::now();
        let search = run(scene, &automaton, wants_steps, &budget).expect("no limit");
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{name:40} steps {wants_steps:5} {seconds:8.4} s {:8} KB found {} {:?} {:?}",
            budget.used() / 1024,
            search.found,
            search.stats,
            search.steps.map(|steps| steps.map(|steps| steps.len()))
        );
    }
}

#[test]
#[ignore = "prints figures"]
fn a_million_events() {
    for width in [2, 10] {
        for (about, events) in [("states", false), ("events", true)] {
            for (kind, faults) in [("right", 0.0), ("faulty", 0.001)] {
                let scene = Mutex::new(width, 1_000_000, faults, events);
                let name = format!("{width} chains, {about}, {kind}");
                measure(
                    &format!("configurations: {name}"),
                    run_configurations,
                    &scene,
                );
                if width == 2 {
                    measure(&format!("masks: {name}"), run_masks, &scene);
                }
            }
        }
    }
}
