//! All blocks at once, breadth-first: the resolution of paper MB-DSolve, as the share of one worker.
//!
//! Expansion goes forward from the variables asked for; stabilisation goes backward from those that have become known.
//! Nothing here waits for anything: a driver decides which block to expand next and when a block is finished, which is
//! the only moment at which open variables get the default value of their block. One thread drives a share with
//! [`resolve`]; many workers each have one, exchange the batches they are given by [`Share::full`], and agree on the next
//! [`Round`](rounds::Round) when nothing moves anywhere.
//!
//! Three things are better than in the paper:
//!
//! - A variable whose operands lie partly in later blocks asks for these first and for those of its own block only if
//!   they do not decide.
//! - The block of the main variable is flooded when a search for one deciding variable settles it: nobody waits, nothing
//!   is told back, who asked first is all that is remembered, and what was just asked for is not asked for again.
//! - Who waits for a variable is kept in packets, local and foreign dependents alike as one number.

mod account;
mod expansion;
mod outbox;
mod recent;
mod records;
mod roll;
pub mod rounds;
pub mod shared;

use std::collections::VecDeque;

use super::Variable;
use super::dependents::Dependents;
use crate::workers::WorkerShare;
use account::Account;
use causet_base::budget::{Budget, Spent};
use outbox::Outbox;
use recent::Recent;
use records::{Mark, Records};
use rounds::Vote;
use shared::Shared;

pub use account::Told;
pub use expansion::{Right, Wanted};
pub use outbox::{Batch, Kind};

/// The variables of one worker.
pub struct Share<'b, E> {
    equations: E,
    budget: &'b Budget<'b>,
    me: usize,
    /// Whether names are numbers.
    is_numbered: bool,
    addresses: Addresses,
    records: Records,
    dependents: Dependents,
    frontiers: Vec<Frontier>,
    /// The block that is flooded, and the value that one variable of it suffices to give the main variable.
    flood: Option<(usize, bool)>,
    main: Option<Variable>,
    verdict: Option<bool>,
    /// The variable that decided a flood.
    decider: Option<Variable>,
    /// Grows whenever a variable becomes known, and is never behind what was heard from others.
    clock: u32,
    outbox: Outbox,
    /// What was asked for lately in the flooded block.
    recent: Recent,
    account: Account,
    operands: u64,
    crossing: u64,
    /// Variables that became known and were not told of yet.
    news: Vec<Variable>,
    work: expansion::Desk,
}

/// Variables of all workers as single numbers: the upper bits say whose it is.
#[derive(Clone, Copy)]
struct Addresses {
    shift: u32,
}

impl Addresses {
    fn new(workers: usize) -> Addresses {
        let bits = usize::BITS - (workers.max(1) - 1).leading_zeros();
        Addresses { shift: 31 - bits }
    }

    fn of(self, worker: usize, variable: Variable) -> u32 {
        (worker as u32) << self.shift | variable
    }

    fn split(self, address: u32) -> (usize, Variable) {
        let variable = address & ((1 << self.shift) - 1);
        ((address >> self.shift) as usize, variable)
    }

    /// Whether a variable of this number has an address.
    fn has(self, variable: Variable) -> bool {
        variable >> self.shift == 0
    }
}

/// The part of a block that is not settled.
#[derive(Clone, Default)]
struct Frontier {
    /// To be expanded, for the first or the second time.
    queue: VecDeque<Variable>,
    /// Expanded and, when last looked at, waiting for operands.
    open: Vec<Variable>,
    paid: usize,
}

impl Frontier {
    fn push(&mut self, variable: Variable, budget: &Budget<'_>) -> Result<(), Spent> {
        let grows = self.queue.len() == self.queue.capacity();
        self.queue.push_back(variable);
        if grows { self.pay(budget) } else { Ok(()) }
    }

    fn note_open(&mut self, variable: Variable, budget: &Budget<'_>) -> Result<(), Spent> {
        let grows = self.open.len() == self.open.capacity();
        self.open.push(variable);
        if grows { self.pay(budget) } else { Ok(()) }
    }

    /// Pays for queue and list once they have grown.
    fn pay(&mut self, budget: &Budget<'_>) -> Result<(), Spent> {
        let size = (self.queue.capacity() + self.open.capacity()) * size_of::<Variable>();
        if size > self.paid {
            budget.charge(size - self.paid)?;
            self.paid = size;
        }
        Ok(())
    }
}

/// At most so many variables are expanded before the question is asked whether that was enough.
const MOST: u64 = 64;

/// Resolves a variable on one thread.
pub fn resolve<E: Shared>(share: &mut Share<'_, E>, variable: Variable) -> Result<bool, Spent> {
    share.demand(variable)?;
    let mut some = 1;
    loop {
        if let Some(value) = share.value(variable) {
            return Ok(value);
        }
        // While the variable is not known its block is open.
        let block = share.farthest().unwrap_or_default();
        match share.queued(block) {
            0 => share.finish(block)?,
            _ => {
                share.expand(block, some)?;
                some = MOST.min(2 * some);
            }
        }
    }
}

impl<'b, E: Shared> Share<'b, E> {
    /// The share of worker `me` among `workers`, nothing asked for yet.
    pub fn new(equations: E, me: usize, workers: usize, budget: &'b Budget<'b>) -> Self {
        let flood = equations.deciding();
        Share {
            flood: flood.map(|decisive| (equations.main_block(), decisive)),
            is_numbered: equations.is_numbered(),
            frontiers: vec![Frontier::default(); equations.blocks().len()],
            equations,
            budget,
            me,
            addresses: Addresses::new(workers),
            records: Records::default(),
            dependents: Dependents::default(),
            main: None,
            verdict: None,
            decider: None,
            clock: 0,
            outbox: Outbox::new(workers),
            recent: Recent::default(),
            account: Account::default(),
            operands: 0,
            crossing: 0,
            news: Vec::new(),
            work: expansion::Desk::default(),
        }
    }

    /// The last block that has anything to expand or to finish.
    fn farthest(&mut self) -> Option<usize> {
        (0..self.frontiers.len())
            .rev()
            .find(|&block| self.queued(block) > 0 || self.has_open(block))
    }

    /// Whether variables of a block are waiting for operands.
    fn has_open(&mut self, block: usize) -> bool {
        if self.flood.is_some_and(|(flooded, _)| flooded == block) {
            // What is flooded has its value when the flood is over.
            return self.main.is_some() && self.verdict.is_none();
        }
        while let Some(&last) = self.frontiers[block].open.last() {
            if self.records.get(last).mark.value().is_none() {
                return true;
            }
            self.frontiers[block].open.pop();
        }
        false
    }

    /// Asks for the value of a variable.
    fn demand(&mut self, variable: Variable) -> Result<(), Spent> {
        if self.records.get(variable).mark != Mark::UNSEEN {
            return Ok(());
        }
        let block = self.equations.block(variable);
        self.meet(variable, block, Mark::QUEUED, 0)
    }

    /// Meets a variable for the first time and queues it.
    fn meet(
        &mut self,
        variable: Variable,
        block: usize,
        mark: Mark,
        link: u32,
    ) -> Result<(), Spent> {
        if !self.addresses.has(variable) {
            return Err(Spent::Memory);
        }
        self.records.meet(variable, mark, link, self.budget)?;
        self.frontiers[block].push(variable, self.budget)
    }

    /// The value of a variable, if it is known.
    pub fn value(&self, variable: Variable) -> Option<bool> {
        self.records.get(variable).mark.value()
    }

    /// The equations.
    pub fn equations(&mut self) -> &mut E {
        &mut self.equations
    }

    /// The equations, to look at.
    pub(super) fn about(&self) -> &E {
        &self.equations
    }
}

impl<E: Shared> WorkerShare for Share<'_, E> {
    fn blocks(&self) -> usize {
        self.equations.blocks().len()
    }

    fn start(&mut self) -> Result<(), Spent> {
        self.main = self.equations.own_main()?;
        match self.main {
            Some(main) => match self.flood {
                Some((block, _)) => self.visit(main, block, None),
                None => self.demand(main),
            },
            None => Ok(()),
        }
    }

    fn verdict(&self) -> Option<bool> {
        self.verdict
    }

    fn conclude(&mut self, verdict: bool) {
        self.verdict = Some(verdict);
        self.outbox.clear();
    }

    fn accept(&mut self, from: usize, batch: &Batch) -> Result<(), Spent> {
        self.clock = self.clock.max(batch.clock);
        let width = self.equations.width();
        match batch.kind {
            Kind::Ask if self.verdict.is_none() => self.asked(from, width, &batch.words),
            Kind::True if self.verdict.is_none() => self.told(&batch.words, true),
            Kind::False if self.verdict.is_none() => self.told(&batch.words, false),
            Kind::Ask | Kind::True | Kind::False => Ok(()),
            Kind::Trail | Kind::Look | Kind::Seen | Kind::Walk | Kind::Piece => {
                self.explain(from, width, batch)
            }
        }
    }

    fn full(&mut self) -> Vec<(usize, Batch)> {
        self.outbox.full()
    }

    fn flush(&mut self) {
        self.outbox.flush(self.clock);
    }

    fn queued(&self, block: usize) -> usize {
        self.frontiers[block].queue.len()
    }

    fn all_queued(&self) -> usize {
        self.frontiers.iter().map(|block| block.queue.len()).sum()
    }

    fn vote(&mut self) -> Vote {
        match self.farthest() {
            None => Vote::default(),
            Some(block) => Vote {
                farthest: Some(block),
                queued: self.queued(block) > 0,
            },
        }
    }

    fn figures(&self) -> Figures {
        let (messages, words) = self.outbox.figures();
        Figures {
            variables: self.records.met(),
            operands: self.operands,
            crossing: self.crossing,
            messages,
            words,
            explored: self.equations.explored(),
        }
    }

    fn expand(&mut self, block: usize, most: u64) -> Result<u64, Spent> {
        Share::expand(self, block, most)
    }

    fn finish(&mut self, block: usize) -> Result<(), Spent> {
        Share::finish(self, block)
    }

    fn mark_trail(&mut self) {
        Share::mark_trail(self);
    }

    fn walk(&mut self, most: usize) -> Result<(), Spent> {
        Share::walk(self, most)
    }

    fn call_roll(&mut self, node: usize, value: bool) -> Result<(), Spent> {
        Share::call_roll(self, node, value)
    }

    fn told_all(&self) -> Told {
        Share::told_all(self)
    }

    fn pieces(&mut self) -> Vec<u32> {
        Share::pieces(self)
    }
}

/// What a worker did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Figures {
    /// How many variables it met.
    pub variables: u64,
    /// How many operands it looked at.
    pub operands: u64,
    /// How many of them belong to others.
    pub crossing: u64,
    /// How many messages it had for others.
    pub messages: u64,
    /// How many words it sent.
    pub words: u64,
    /// How many states it explored, of a system that is not stored, and how many steps these have.
    pub explored: (u64, u64),
}
