//! Random equation systems: any number of workers finds the solution of the definition, every time.

use std::net::TcpListener;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use causet_base::budget::{Budget, Meter, Spent};
use causet_flow::WorkerPool;
use causet_flow::cluster::{Hosts, Membership, Secret, join};
use causet_solve::bes::share::shared::Dealt;
use causet_solve::bes::system::{Equation, System};
use causet_solve::bes::{Operator, Sign, Variable, global};
use causet_solve::deal::Deal;
use causet_solve::workers::{Divide, Gather, NotSolved, Workers};
use fastrand::Rng;

/// A system written down, of which each worker is dealt some variables.
struct Written<'s> {
    system: &'s System,
    heap: u32,
}

impl Divide for Written<'_> {
    type Part<'b>
        = Dealt<'b>
    where
        Self: 'b;

    fn part<'b>(
        &'b self,
        me: usize,
        workers: usize,
        _budget: &'b Budget<'b>,
    ) -> Result<Dealt<'b>, Spent> {
        Ok(Dealt::new(self.system, Deal::heaps(workers, self.heap), me))
    }
}

/// A random system; blocks mix both operators or prefer one, so that all shapes occur.
fn random_system(random: &mut Rng, count: usize) -> System {
    let blocks = random.usize(1..=4);
    let signs: Vec<Sign> = (0..blocks)
        .map(|_| if random.bool() { Sign::Mu } else { Sign::Nu })
        .collect();
    let preferred: Vec<u8> = (0..blocks).map(|_| random.u8(..4)).collect();
    let mut home: Vec<usize> = (0..count).map(|_| random.usize(..blocks)).collect();
    home[0] = 0;
    let equations = (0..count).map(|variable| {
        let block = home[variable];
        let operator = match preferred[block] {
            0 => Operator::Or,
            1 => Operator::And,
            _ if random.bool() => Operator::Or,
            _ => Operator::And,
        };
        let most = match random.u8(..30) {
            0 => 0,
            _ => random.usize(1..=4),
        };
        let operands = (0..most).map(|_| random.usize(..count));
        let operands = operands.filter(|&operand| home[operand] >= block);
        Equation {
            block,
            operator,
            operands: operands.map(|operand| operand as Variable).collect(),
        }
    });
    System::new(&signs, equations.collect(), 0).expect("blocks depend on later ones")
}

fn check(system: &System, heap: u32, pool: &WorkerPool<'_>, expected: bool) {
    let budget = Budget::endless();
    let written = Written { system, heap };
    let solved = pool
        .solve(&written, Gather::Reasons(usize::MAX), &budget)
        .expect("no limit, no loss");
    let workers = pool.count();
    assert_eq!(solved.value, expected, "{workers} workers: {system:?}");
    assert_eq!(solved.workers.len(), workers);
    if !pool.is_first() {
        return;
    }
    let kept: std::collections::HashSet<Variable> = solved
        .pieces
        .expect("an account")
        .chunks(2)
        .map(|piece| piece[0])
        .collect();
    assert!(kept.contains(&system.main_variable()));
}

#[test]
fn any_number_of_workers_finds_the_solution() {
    let mut random = Rng::with_seed(3);
    for _ in 0..500 {
        let count = random.usize(1..400);
        let system = random_system(&mut random, count);
        let expected = global::solution(&system, &Budget::endless()).expect("no limit")[0];
        for workers in 1..=4 {
            let pool = WorkerPool::of_threads(workers);
            check(&system, random.u32(..4), &pool, expected);
        }
    }
}

#[test]
fn the_same_system_has_the_same_solution_fifty_times() {
    let mut random = Rng::with_seed(4);
    for _ in 0..6 {
        let system = random_system(&mut random, 3000);
        let expected = global::solution(&system, &Budget::endless()).expect("no limit")[0];
        for _ in 0..50 {
            for workers in [2, 3] {
                check(&system, 0, &WorkerPool::of_threads(workers), expected);
            }
        }
    }
}

/// Stops whoever looks after so many looks of all.
struct Looks(AtomicU32);

impl Meter for Looks {
    fn stop(&self) -> Option<Spent> {
        let left = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(1)
            });
        left.is_err().then_some(Spent::Time)
    }
}

/// However close to the verdict a limit is reached, there is the right verdict, or none that all agree on.
#[test]
fn a_limit_close_to_the_verdict_is_no_contradiction() {
    let mut random = Rng::with_seed(6);
    let mut outcomes = [0; 2];
    for _ in 0..12 {
        let system = random_system(&mut random, 1500);
        let expected = global::solution(&system, &Budget::endless()).expect("no limit")[0];
        for looks in (0..240).step_by(4) {
            let meter = Looks(AtomicU32::new(looks));
            let budget = Budget::new(&meter);
            let written = Written {
                system: &system,
                heap: 0,
            };
            let pool = WorkerPool::of_threads(8);
            match pool.solve(&written, Gather::Reasons(usize::MAX), &budget) {
                Ok(solved) => {
                    assert_eq!(solved.value, expected);
                    outcomes[0] += 1;
                }
                Err(NotSolved::Spent(Spent::Time)) => outcomes[1] += 1,
                Err(other) => panic!("{other:?}"),
            }
        }
    }
    assert!(outcomes.iter().all(|&count| count > 20), "{outcomes:?}");
}

/// Two processes on loopback, as threads here, solve one system after another.
#[test]
fn two_processes_find_the_solution() {
    let mut random = Rng::with_seed(5);
    let systems: Vec<(System, bool)> = (0..150)
        .map(|_| {
            let count = random.usize(1..400);
            let system = random_system(&mut random, count);
            let solution = global::solution(&system, &Budget::endless()).expect("no limit");
            (system, solution[0])
        })
        .collect();
    let secret = Secret::random().expect("random bytes");
    for workers in [1, 2] {
        let hosts = loopback(2);
        std::thread::scope(|scope| {
            for process in 0..2 {
                let membership = Membership {
                    hosts: hosts.clone(),
                    process,
                    workers,
                    secret: secret.clone(),
                    job: [0; 32],
                    version: "test".to_owned(),
                    patience: Duration::from_secs(60),
                };
                let systems = &systems;
                scope.spawn(move || {
                    let cluster = join(membership).expect("both are there");
                    for (system, expected) in systems {
                        check(system, 1, &WorkerPool::across(&cluster), *expected);
                    }
                    cluster.watch().finish();
                });
            }
        });
    }
}

/// Addresses that were free a moment ago.
fn loopback(count: usize) -> Hosts {
    let listeners = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port"));
    let listeners: Vec<TcpListener> = listeners.collect();
    let lines = listeners.iter().map(|listener| {
        let address = listener.local_addr().expect("it is bound");
        format!("{address}\n")
    });
    Hosts::parse(&lines.collect::<String>()).expect("good addresses")
}
