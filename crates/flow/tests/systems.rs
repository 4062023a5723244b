//! Random equation systems: any number of workers finds the solution of the definition, every time.

use causet_flow::{Crew, Dials, Divide, solve};
use causet_solve::bes::share::shared::Dealt;
use causet_solve::bes::system::{Equation, System};
use causet_solve::bes::{Operator, Sign, Variable, global};
use causet_solve::budget::{Budget, Spent};
use causet_solve::part::Deal;
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
        Ok(Dealt::new(self.system, Deal::new(workers, self.heap), me))
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

fn check(system: &System, heap: u32, workers: usize, expected: bool) {
    let budget = Budget::endless();
    let dials = Dials::new(workers);
    let written = Written { system, heap };
    let crew = Crew::Threads(workers);
    let solved = solve(&crew, &written, usize::MAX, &dials, &budget).expect("no limit, no loss");
    assert_eq!(solved.value, expected, "{workers} workers: {system:?}");
    assert_eq!(solved.workers.len(), workers);
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
            check(&system, random.u32(..4), workers, expected);
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
                check(&system, 0, workers, expected);
            }
        }
    }
}
