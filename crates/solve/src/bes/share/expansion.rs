//! Forward and backward: right-hand sides are looked at, variables wait for operands, and what becomes known is told.
//!
//! Variables are expanded some at a time: first all their right-hand sides, then what is known of the operands, so that
//! the processor fetches the records of many operands at once.

use std::hint::black_box;

use super::super::Variable;
use super::Share;
use super::account::{LAST, time};
use super::outbox::Kind;
use super::records::{Mark, Record};
use super::shared::Shared;
use crate::budget::Spent;

/// So many variables are expanded before their operands are looked up.
const BATCH: usize = 64;

/// What is at hand while variables are expanded, kept to be used again.
#[derive(Default)]
pub(super) struct Desk {
    variables: Vec<Variable>,
    outlooks: Vec<Outlook>,
    right: Vec<Variable>,
    glance: Vec<Variable>,
    told: Vec<u32>,
}

/// What the right-hand side of a variable comes down to.
#[derive(Clone, Copy)]
enum Outlook {
    Known(bool),
    /// Where its operands end; they start where those before end.
    Open(usize),
}

impl<E: Shared> Share<'_, E> {
    /// Expands at most so many variables of a block, and says how many.
    pub fn expand(&mut self, block: usize, most: u64) -> Result<u64, Spent> {
        let mut done = 0;
        while done < most && self.verdict.is_none() {
            let count = (most - done).min(BATCH as u64) as usize;
            let mut desk = std::mem::take(&mut self.work);
            let expanded = self.expand_some(block, count, &mut desk);
            self.work = desk;
            match expanded? {
                0 => break,
                expanded => done += expanded,
            }
        }
        Ok(done)
    }

    fn expand_some(&mut self, block: usize, count: usize, desk: &mut Desk) -> Result<u64, Spent> {
        let queue = &mut self.frontiers[block].queue;
        let count = count.min(queue.len());
        desk.variables.clear();
        desk.variables.extend(queue.drain(..count));
        if count == 0 {
            return Ok(0);
        }
        self.frontiers[block].pay(self.budget)?;
        self.budget.tick_many(count as u64)?;
        self.equations.forget();
        self.equations.anticipate(&desk.variables);
        desk.right.clear();
        desk.outlooks.clear();
        for &variable in &desk.variables {
            let outlook = match self.equations.expand(variable, &mut desk.right)? {
                Some(value) => Outlook::Known(value),
                None => Outlook::Open(desk.right.len()),
            };
            desk.outlooks.push(outlook);
        }
        self.operands += desk.right.len() as u64;
        self.look_ahead(&desk.right);
        let right = std::mem::take(&mut desk.right);
        let mut start = 0;
        for at in 0..count {
            let (variable, outlook) = (desk.variables[at], desk.outlooks[at]);
            let operands = match outlook {
                Outlook::Known(_) => &[],
                Outlook::Open(end) => {
                    let operands = &right[start..end];
                    start = end;
                    operands
                }
            };
            self.consider(variable, block, outlook, operands, desk)?;
            if self.verdict.is_some() {
                break;
            }
        }
        desk.right = right;
        Ok(count as u64)
    }

    /// Reads the records of operands that will be needed at once.
    fn look_ahead(&self, operands: &[Variable]) {
        let mut sum = 0_u32;
        for &operand in operands {
            if !self.equations.is_foreign(operand) {
                sum ^= self.records.get(operand).link;
            }
        }
        black_box(sum);
    }

    /// Draws the conclusion from a right-hand side.
    fn consider(
        &mut self,
        variable: Variable,
        block: usize,
        outlook: Outlook,
        operands: &[Variable],
        desk: &mut Desk,
    ) -> Result<(), Spent> {
        let mark = self.records.get(variable).mark;
        if mark.value().is_some() {
            return Ok(());
        }
        match (mark.is_flooded(), outlook) {
            (true, Outlook::Known(value)) => {
                self.decide(variable, value);
                Ok(())
            }
            (true, Outlook::Open(_)) => self.flood_on(variable, block, mark, operands, desk),
            (false, Outlook::Known(value)) => self.settle(variable, value, desk),
            (false, Outlook::Open(_)) => self.go_on(variable, block, mark, operands, desk),
        }
    }

    /// A variable waits for its operands, those of later blocks first.
    fn go_on(
        &mut self,
        variable: Variable,
        block: usize,
        mark: Mark,
        operands: &[Variable],
        desk: &mut Desk,
    ) -> Result<(), Spent> {
        let decisive = self.equations.operator(variable).decisive();
        let mut mark = mark;
        if !mark.is_again() {
            let own = self.count_own(operands, block);
            if own == 0 || own == operands.len() {
                mark = mark.again();
                return match self.wait(variable, mark, operands, |_| true, desk)? {
                    Some(value) => self.settle(variable, value, desk),
                    None => self.frontiers[block].note_open(variable, self.budget),
                };
            }
            match self.wait(variable, mark, operands, |other| other != block, desk)? {
                None => return self.frontiers[block].note_open(variable, self.budget),
                Some(value) if value == decisive => return self.settle(variable, value, desk),
                Some(_) => mark = mark.again(),
            }
            return match self.wait(variable, mark, operands, |other| other == block, desk)? {
                Some(value) => self.settle(variable, value, desk),
                None => self.frontiers[block].note_open(variable, self.budget),
            };
        }
        // Among the open ones it is already.
        match self.wait(variable, mark, operands, |other| other == block, desk)? {
            Some(value) => self.settle(variable, value, desk),
            None => Ok(()),
        }
    }

    /// A variable of the flooded block hands the question on to its operands.
    fn flood_on(
        &mut self,
        variable: Variable,
        block: usize,
        mark: Mark,
        operands: &[Variable],
        desk: &mut Desk,
    ) -> Result<(), Spent> {
        let decisive = self.equations.operator(variable).decisive();
        let deciding = self.flood.is_some_and(|(_, deciding)| deciding == decisive);
        if deciding {
            // One operand is enough to decide; nobody waits for the others.
            for &operand in operands {
                if self.equations.block(operand) == block {
                    self.pass_on(variable, operand)?;
                } else if self.depend(variable, operand)? == Some(decisive) {
                    self.decide(variable, decisive);
                    return Ok(());
                }
            }
            return Ok(());
        }
        if !mark.is_again() {
            match self.wait(variable, mark, operands, |other| other != block, desk)? {
                None => return Ok(()),
                Some(value) if value == decisive => return Ok(()),
                Some(_) => {}
            }
        }
        let mut own = 0;
        for &operand in operands {
            if self.equations.block(operand) == block {
                own += 1;
                self.pass_on(variable, operand)?;
            }
        }
        if own == 0 {
            self.decide(variable, !decisive);
        }
        Ok(())
    }

    /// Asks for an operand of the flooded block, whoever has it.
    fn pass_on(&mut self, variable: Variable, operand: Variable) -> Result<(), Spent> {
        match self.equations.is_foreign(operand) {
            true => {
                self.ask(variable, operand, true);
                Ok(())
            }
            false => {
                let address = self.addresses.of(self.me, variable);
                self.visit(operand, Some(address))
            }
        }
    }

    /// Meets a variable of the flooded block, and notes who asked for it first.
    pub(super) fn visit(&mut self, variable: Variable, asker: Option<u32>) -> Result<(), Spent> {
        match self.records.get(variable).mark == Mark::UNSEEN {
            true => self.meet(
                variable,
                Mark::FLOODED,
                asker.map_or(0, |address| address + 1),
            ),
            false => Ok(()),
        }
    }

    /// A variable of the flooded block has a value: perhaps the one that was looked for.
    fn decide(&mut self, variable: Variable, value: bool) {
        if self.flood.is_some_and(|(_, deciding)| deciding == value) {
            self.decider = Some(variable);
            self.verdict = Some(value);
            self.outbox.clear();
        }
    }

    pub(super) fn is_flooding(&self, variable: Variable) -> bool {
        let block = self.equations.block(variable);
        self.flood.is_some_and(|(flooded, _)| flooded == block)
    }

    fn count_own(&self, operands: &[Variable], block: usize) -> usize {
        let own = operands.iter();
        own.filter(|&&operand| self.equations.block(operand) == block)
            .count()
    }

    /// Makes a variable wait for those operands of certain blocks that are not known, unless the others decide: then that
    /// is what they come to.
    fn wait(
        &mut self,
        variable: Variable,
        mark: Mark,
        operands: &[Variable],
        of: impl Fn(usize) -> bool,
        desk: &mut Desk,
    ) -> Result<Option<bool>, Spent> {
        let decisive = self.equations.operator(variable).decisive();
        let mut open = 0;
        for &operand in operands {
            if !of(self.equations.block(operand)) {
                continue;
            }
            let value = match self.equations.is_foreign(operand) {
                true => None,
                false if mark.is_again() => self.value(operand),
                false => self.glance(operand, desk)?,
            };
            match value {
                Some(value) if value == decisive => return Ok(Some(decisive)),
                Some(_) => {}
                None => open += 1,
            }
        }
        if open == 0 {
            return Ok(Some(!decisive));
        }
        self.records.mark(variable, mark.waiting(open));
        for &operand in operands {
            if of(self.equations.block(operand)) {
                self.depend(variable, operand)?;
            }
        }
        Ok(None)
    }

    /// The value of an own variable, which is looked at once if it was never met.
    fn glance(&mut self, variable: Variable, desk: &mut Desk) -> Result<Option<bool>, Spent> {
        let mark = self.records.get(variable).mark;
        if mark != Mark::UNSEEN {
            return Ok(mark.value());
        }
        desk.glance.clear();
        let value = self.equations.expand(variable, &mut desk.glance)?;
        if let Some(value) = value {
            let stamp = self.stamp();
            self.records
                .meet(variable, Mark::known(value), stamp, self.budget)?;
        }
        Ok(value)
    }

    /// Notes that a variable waits for an operand, or gives the operand's value.
    fn depend(&mut self, variable: Variable, operand: Variable) -> Result<Option<bool>, Spent> {
        if self.equations.is_foreign(operand) {
            self.ask(variable, operand, false);
            return Ok(None);
        }
        let address = self.addresses.of(self.me, variable);
        self.note_dependent(operand, address)
    }

    /// Notes that somebody waits for an own variable, which is met if it never was, or gives its value.
    fn note_dependent(
        &mut self,
        variable: Variable,
        dependent: u32,
    ) -> Result<Option<bool>, Spent> {
        let mark = self.records.get(variable).mark;
        if let Some(value) = mark.value() {
            return Ok(Some(value));
        }
        if mark == Mark::UNSEEN {
            self.meet(variable, Mark::QUEUED, 0)?;
        }
        let link = self.records.link(variable);
        *link = self.dependents.add(*link, dependent, self.budget)?;
        Ok(None)
    }

    /// Asks the owner of an operand for it; once is enough if nobody waits for an answer.
    fn ask(&mut self, variable: Variable, operand: Variable, once: bool) {
        let to = self.equations.owner(operand);
        let (equations, recent) = (&self.equations, &mut self.recent);
        self.crossing += 1;
        self.outbox.put(to, Kind::Ask, self.clock, |words| {
            let start = words.len();
            equations.name(operand, words);
            match once && recent.was_noted(&words[start..]) {
                true => words.truncate(start),
                false => words.push(variable),
            }
        });
    }

    /// Others ask for variables.
    pub(super) fn asked(&mut self, from: usize, width: usize, words: &[u32]) -> Result<(), Spent> {
        self.budget.tick_many((words.len() / (width + 1)) as u64)?;
        for message in words.chunks_exact(width + 1) {
            let variable = self.equations.find(&message[..width])?;
            let asker = message[width];
            let address = self.addresses.of(from, asker);
            if self.is_flooding(variable) {
                self.visit(variable, Some(address))?;
            } else if let Some(value) = self.note_dependent(variable, address)? {
                self.answer(from, asker, value);
            }
        }
        Ok(())
    }

    fn answer(&mut self, to: usize, variable: Variable, value: bool) {
        let kind = if value { Kind::True } else { Kind::False };
        self.outbox
            .put(to, kind, self.clock, |words| words.push(variable));
    }

    /// Operands of own variables have become known elsewhere.
    pub(super) fn told(&mut self, words: &[u32], value: bool) -> Result<(), Spent> {
        self.budget.tick_many(words.len() as u64)?;
        let mut desk = std::mem::take(&mut self.work);
        let mut outcome = Ok(());
        for &variable in words {
            self.hear(variable, value);
            outcome = self.spread(&mut desk);
            if outcome.is_err() || self.verdict.is_some() {
                break;
            }
        }
        self.work = desk;
        outcome
    }

    /// A variable becomes known, and so do, perhaps, those that wait for it.
    fn settle(&mut self, variable: Variable, value: bool, desk: &mut Desk) -> Result<(), Spent> {
        self.records.mark(variable, Mark::known(value));
        self.news.push(variable);
        self.spread(desk)
    }

    fn spread(&mut self, desk: &mut Desk) -> Result<(), Spent> {
        while let Some(known) = self.news.pop() {
            let stamp = self.stamp();
            self.tell(known, stamp, &mut desk.told);
        }
        Ok(())
    }

    /// Tells everybody who waits for a variable that it is known, since when is noted.
    fn tell(&mut self, known: Variable, stamp: u32, told: &mut Vec<u32>) {
        let record = self.records.get(known);
        let value = record.mark.value() == Some(true);
        self.records.set(
            known,
            Record {
                link: stamp,
                ..record
            },
        );
        if self.main == Some(known) {
            self.verdict = Some(value);
        }
        told.clear();
        self.dependents.take(record.link, told);
        for &dependent in told.iter() {
            match self.addresses.split(dependent) {
                (worker, variable) if worker == self.me => self.hear(variable, value),
                (worker, variable) => self.answer(worker, variable, value),
            }
        }
    }

    /// An operand of an own variable has become known.
    fn hear(&mut self, variable: Variable, value: bool) {
        let mark = self.records.get(variable).mark;
        if mark.value().is_some() {
            return;
        }
        let decisive = self.equations.operator(variable).decisive();
        if mark.is_flooded() {
            return self.hear_flooded(variable, mark, value, decisive);
        }
        if value != decisive {
            let mark = mark.one_less();
            self.records.mark(variable, mark);
            if mark.count() > 0 {
                return;
            }
            if !mark.is_again() {
                return self.queue_again(variable, mark);
            }
        }
        self.records.mark(variable, Mark::known(value));
        self.news.push(variable);
    }

    /// The same in the flooded block, where only those wait that need more than one operand.
    fn hear_flooded(&mut self, variable: Variable, mark: Mark, value: bool, decisive: bool) {
        if self.flood.is_some_and(|(_, deciding)| deciding == decisive) {
            if value == decisive {
                self.decide(variable, value);
            }
            return;
        }
        if mark.is_again() {
            return;
        }
        // One that decides the variable ends the search here, without an answer: it is counted for ever.
        if value != decisive {
            let mark = mark.one_less();
            self.records.mark(variable, mark);
            if mark.count() == 0 {
                self.queue_again(variable, mark);
            }
        }
    }

    /// The operands of later blocks do not decide: those of the same block are next.
    fn queue_again(&mut self, variable: Variable, mark: Mark) {
        self.records.mark(variable, mark.again());
        let block = self.equations.block(variable);
        self.frontiers[block].queue.push_back(variable);
    }

    /// A new moment, after everything heard of.
    fn stamp(&mut self) -> u32 {
        self.tick();
        time(self.clock, false)
    }

    fn tick(&mut self) {
        self.clock = LAST.min(self.clock + 1);
    }

    /// Gives the open variables of a block its default value: nothing they depend on is going to change.
    pub fn finish(&mut self, block: usize) -> Result<(), Spent> {
        if let Some((flooded, deciding)) = self.flood
            && flooded == block
        {
            // Nobody has the value that was looked for.
            self.verdict = self.main.map(|_| !deciding);
            return Ok(());
        }
        let default = self.equations.blocks()[block].sign.default_value();
        let frontier = std::mem::take(&mut self.frontiers[block]);
        let mut waiting = frontier.open;
        waiting.retain(|&variable| self.records.get(variable).mark.value().is_none());
        // All of them before anybody is told: within the block there is nothing left to be said.
        for &variable in &waiting {
            self.records.mark(variable, Mark::known(default));
        }
        self.budget.release(frontier.paid);
        self.tick();
        let now = time(self.clock, true);
        let mut desk = std::mem::take(&mut self.work);
        for &variable in &waiting {
            self.tell(variable, now, &mut desk.told);
            self.spread(&mut desk)?;
        }
        self.work = desk;
        Ok(())
    }
}
