//! Shares of several workers on a network that delivers in any order: the solution is the one of the definition, and the
//! account of it stands by itself.

use std::collections::HashSet;

use causet_base::budget::Budget;
use causet_solve::bes::global;
use causet_solve::bes::share::rounds::{Round, Rounds};
use causet_solve::bes::share::shared::Dealt;
use causet_solve::bes::share::{Batch, Share, Told};
use causet_solve::bes::system::{Equation, System};
use causet_solve::bes::{Operator, Sign, Variable};
use causet_solve::deal::Deal;
use causet_solve::workers::WorkerShare;
use fastrand::Rng;

use super::systems::{random_system, solution_of};

/// Workers, and the batches on their way.
struct Network<'s> {
    shares: Vec<Share<'s, Dealt<'s>>>,
    travelling: Vec<(usize, usize, Batch)>,
    random: Rng,
    messages: usize,
}

impl<'s> Network<'s> {
    fn new(system: &'s System, deal: &Deal, budget: &'s Budget<'s>, seed: u64) -> Self {
        let workers = deal.workers();
        let shares = (0..workers).map(|me| {
            let mut share = Share::new(Dealt::new(system, deal.clone(), me), me, workers, budget);
            share.start().expect("no limit");
            share
        });
        Network {
            shares: shares.collect(),
            travelling: Vec::new(),
            random: Rng::with_seed(seed),
            messages: 0,
        }
    }

    /// Lets a worker send what it has to say.
    fn post(&mut self, worker: usize) {
        self.shares[worker].flush();
        for (to, batch) in self.shares[worker].full() {
            assert_ne!(to, worker, "nobody writes to himself");
            self.messages += 1;
            self.travelling.push((worker, to, batch));
        }
    }

    /// Delivers one batch of those on their way, whichever.
    fn deliver(&mut self) {
        let place = self.random.usize(..self.travelling.len());
        let (from, to, batch) = self.travelling.swap_remove(place);
        self.shares[to].accept(from, &batch).expect("no limit");
    }

    fn verdict(&self) -> Option<bool> {
        self.shares.iter().find_map(Share::verdict)
    }

    /// Lets everybody work at will until nothing moves.
    fn settle(&mut self, round: Round) {
        let workers = self.shares.len();
        let mut left = vec![0; workers];
        for (share, left) in self.shares.iter_mut().zip(&mut left) {
            match round {
                Round::Expand { slice, .. } => *left = slice,
                Round::Finish { block } => share.finish(block).expect("no limit"),
                Round::Over => {}
            }
        }
        loop {
            let worker = self.random.usize(..workers);
            if let Round::Expand { block, .. } = round
                && self.random.bool()
            {
                let most = self.random.u64(1..4).min(left[worker]);
                let done = self.shares[worker].expand(block, most).expect("no limit");
                left[worker] -= done;
            }
            if self.random.bool() {
                self.post(worker);
            }
            if !self.travelling.is_empty() && self.random.bool() {
                self.deliver();
            }
            if self.verdict().is_some() || self.is_quiet(round, &left) {
                return;
            }
        }
    }

    fn is_quiet(&mut self, round: Round, left: &[u64]) -> bool {
        let busy = |block| {
            let mut shares = self.shares.iter().zip(left);
            shares.any(|(share, &left)| left > 0 && share.queued(block) > 0)
        };
        if matches!(round, Round::Expand { block, .. } if busy(block)) {
            return false;
        }
        (0..self.shares.len()).for_each(|worker| self.post(worker));
        self.travelling.is_empty()
    }

    fn solve(&mut self, blocks: usize) -> bool {
        let mut rounds = Rounds::new(blocks);
        loop {
            if let Some(value) = self.verdict() {
                let shares = self.shares.iter_mut();
                shares.for_each(|share| share.conclude(value));
                self.travelling.clear();
                return value;
            }
            let votes: Vec<_> = self.shares.iter_mut().map(Share::vote).collect();
            let round = rounds.next(votes.into_iter());
            assert_ne!(round, Round::Over, "the main variable is known by then");
            self.settle(round);
        }
    }

    /// Delivers everything.
    fn drain(&mut self) {
        loop {
            (0..self.shares.len()).for_each(|worker| self.post(worker));
            if self.travelling.is_empty() {
                return;
            }
            self.deliver();
        }
    }

    fn account(&mut self) -> HashSet<Variable> {
        self.shares.iter_mut().for_each(Share::mark_trail);
        self.drain();
        for share in &mut self.shares {
            share.walk(usize::MAX).expect("no limit");
        }
        self.drain();
        let told: Vec<Told> = self.shares.iter().map(Share::told_all).collect();
        assert!(
            told.iter().all(|&told| told == Told::Everything),
            "{told:?}"
        );
        let pieces = self.shares[0].pieces();
        pieces.chunks(2).map(|piece| piece[0]).collect()
    }
}

/// The equations of some variables, when all others speak against a value.
fn restricted(system: &System, kept: &HashSet<Variable>, value: bool) -> System {
    let equations = system.equations().iter().enumerate().map(|(at, equation)| {
        match kept.contains(&(at as Variable)) {
            true => equation.clone(),
            false => Equation {
                operator: if value { Operator::Or } else { Operator::And },
                operands: Vec::new(),
                ..*equation
            },
        }
    });
    let signs: Vec<Sign> = system.blocks().iter().map(|block| block.sign).collect();
    System::new(&signs, equations.collect(), system.main_variable()).expect("as the system itself")
}

/// Heaps, or waves that end anywhere.
fn random_deal(random: &mut Rng, workers: usize, variables: u32) -> Deal {
    if random.bool() {
        return Deal::heaps(workers, random.u32(..3));
    }
    let mut ends: Vec<u32> = (1..variables).filter(|_| random.u8(..4) == 0).collect();
    ends.push(variables);
    Deal::waves(workers, &ends)
}

#[test]
fn workers_find_the_solution_and_say_why() {
    let mut random = Rng::with_seed(11);
    let mut messages = 0;
    let mut partial = 0;
    for round in 0..20_000 {
        let system = random_system(&mut random);
        let solution = solution_of(&system);
        let expected = solution[system.main_variable() as usize];
        for workers in 1..=4 {
            let deal = random_deal(&mut random, workers, system.equations().len() as u32);
            let budget = Budget::endless();
            let mut network = Network::new(&system, &deal, &budget, random.u64(..));
            let value = network.solve(system.blocks().len());
            assert_eq!(value, expected, "round {round}, {workers}: {system:?}");
            let shown = network.account();
            let alone = restricted(&system, &shown, value);
            let again = global::solution(&alone, &budget).expect("no limit");
            assert_eq!(
                again[system.main_variable() as usize],
                value,
                "round {round}, {workers}: {shown:?} does not explain {system:?}"
            );
            messages += network.messages;
            partial += usize::from(shown.len() < system.equations().len());
        }
    }
    assert!(messages > 100_000, "{messages}");
    assert!(partial > 20_000, "{partial}");
}
