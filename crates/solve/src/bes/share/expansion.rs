//! Forward and backward: right-hand sides are looked at, variables wait for operands, and what becomes known is told.
//!
//! Variables are expanded some at a time: first all their right-hand sides, then what is known of the operands, so that
//! the processor fetches the records of many operands at once.

use std::hint::black_box;

use super::super::Variable;
use super::Share;
use super::account::{LAST, STEP, time};
use super::outbox::Kind;
use super::records::Mark;
use super::shared::Shared;
use causet_base::budget::Spent;

/// So many variables are expanded before their operands are looked up.
const BATCH: usize = 64;

/// What is at hand while variables are expanded, kept to be used again.
#[derive(Default)]
pub(super) struct Desk {
    variables: Vec<Variable>,
    outlooks: Vec<Outlook>,
    right: Right,
    /// The right-hand side of a variable that is looked at in between.
    aside: Right,
    told: Vec<u32>,
}

/// Operands, those of the variable's own block apart from those of later ones.
#[derive(Default)]
pub struct Right {
    /// Of later blocks.
    pub later: Vec<Variable>,
    /// Of the same block.
    pub own: Vec<Variable>,
}

impl Right {
    /// Forgets all operands.
    pub fn clear(&mut self) {
        self.later.clear();
        self.own.clear();
    }

    fn ends(&self) -> Ends {
        Ends {
            later: self.later.len(),
            own: self.own.len(),
        }
    }
}

/// Where the operands of a variable end among all that are at hand; they start where those before end.
#[derive(Clone, Copy, Default)]
struct Ends {
    later: usize,
    own: usize,
}

/// Which operands of a variable are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// All of them.
    All,
    /// Those of later blocks; those of its own only if there are no others.
    LaterFirst,
    /// Those of its own block.
    Own,
}

/// What the right-hand side of a variable comes down to.
#[derive(Clone, Copy)]
enum Outlook {
    Known(bool),
    Open(Ends),
}

/// Operands of one variable.
#[derive(Clone, Copy)]
struct Operands<'d> {
    later: &'d [Variable],
    own: &'d [Variable],
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
        let flooding = self.flood.is_some_and(|(flooded, _)| flooded == block);
        if !flooding {
            self.look_ahead(&desk.variables);
        }
        desk.right.clear();
        desk.outlooks.clear();
        for &variable in &desk.variables {
            let wanted = self.wanted(variable, flooding);
            let right = &mut desk.right;
            let outlook = match self.equations.expand_apart(variable, wanted, right)? {
                Some(value) => Outlook::Known(value),
                None => Outlook::Open(desk.right.ends()),
            };
            desk.outlooks.push(outlook);
        }
        self.operands += (desk.right.later.len() + desk.right.own.len()) as u64;
        self.look_ahead(&desk.right.later);
        self.look_ahead(&desk.right.own);
        let right = std::mem::take(&mut desk.right);
        let mut start = Ends::default();
        for at in 0..count {
            let (variable, outlook) = (desk.variables[at], desk.outlooks[at]);
            let end = match outlook {
                Outlook::Known(_) => start,
                Outlook::Open(end) => end,
            };
            let operands = Operands {
                later: &right.later[start.later..end.later],
                own: &right.own[start.own..end.own],
            };
            start = end;
            match flooding {
                true => self.flood_on(variable, block, outlook, operands, desk)?,
                false => self.consider(variable, block, outlook, operands, desk)?,
            }
            if self.verdict.is_some() {
                break;
            }
        }
        desk.right = right;
        Ok(count as u64)
    }

    /// Which operands of a variable matter at its stage.
    fn wanted(&self, variable: Variable, flooding: bool) -> Wanted {
        if flooding && self.is_deciding(variable) {
            return Wanted::All;
        }
        match self.records.get(variable).mark.is_again() {
            true => Wanted::Own,
            false => Wanted::LaterFirst,
        }
    }

    /// Whether one operand of a flooded variable suffices to give it the value that is looked for.
    fn is_deciding(&self, variable: Variable) -> bool {
        let decisive = self.decisive(variable);
        self.flood.is_some_and(|(_, deciding)| deciding == decisive)
    }

    /// Reads the records of variables that will be needed at once.
    fn look_ahead(&self, variables: &[Variable]) {
        let mut sum = 0_u32;
        for &variable in variables {
            if !self.equations.is_foreign(variable) {
                sum ^= self.records.get(variable).link;
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
        operands: Operands<'_>,
        desk: &mut Desk,
    ) -> Result<(), Spent> {
        let mark = self.records.get(variable).mark;
        match outlook {
            _ if mark.value().is_some() => {}
            Outlook::Known(value) => self.settle(variable, value, desk),
            Outlook::Open(_) => self.go_on(variable, block, mark, operands, desk)?,
        }
        Ok(())
    }

    /// A variable waits for its operands, those of later blocks first.
    fn go_on(
        &mut self,
        variable: Variable,
        block: usize,
        mark: Mark,
        operands: Operands<'_>,
        desk: &mut Desk,
    ) -> Result<(), Spent> {
        if mark.is_again() {
            // Among the open ones it is already.
            return self.wait_for_own(variable, block, mark, operands.own, desk);
        }
        if operands.later.is_empty() {
            self.frontiers[block].note_open(variable, self.budget)?;
            return self.wait_for_own(variable, block, mark.again(), operands.own, desk);
        }
        let has_own = self.equations.has_own(variable);
        let first = if has_own { mark } else { mark.again() };
        let decisive = self.decisive(variable);
        match self.wait((variable, decisive), None, first, operands.later, desk)? {
            None => self.frontiers[block].note_open(variable, self.budget),
            Some(value) if !has_own || value == decisive => {
                self.settle(variable, value, desk);
                Ok(())
            }
            Some(_) => {
                self.frontiers[block].note_open(variable, self.budget)?;
                let (value, aside) = self.expand_own(variable, desk)?;
                match value {
                    Some(value) => self.settle(variable, value, desk),
                    None => self.wait_for_own(variable, block, mark.again(), &aside.own, desk)?,
                }
                desk.aside = aside;
                Ok(())
            }
        }
    }

    /// The operands of a variable in its own block, or what they come to, once those of later blocks are known not to
    /// decide. They are lent from the desk, to be put back.
    fn expand_own(
        &mut self,
        variable: Variable,
        desk: &mut Desk,
    ) -> Result<(Option<bool>, Right), Spent> {
        let mut aside = std::mem::take(&mut desk.aside);
        aside.clear();
        let right = &mut aside;
        let value = self.equations.expand_apart(variable, Wanted::Own, right)?;
        self.operands += aside.own.len() as u64;
        Ok((value, aside))
    }

    /// A variable waits for operands of its own block; all others do not decide.
    fn wait_for_own(
        &mut self,
        variable: Variable,
        block: usize,
        mark: Mark,
        own: &[Variable],
        desk: &mut Desk,
    ) -> Result<(), Spent> {
        let decisive = self.decisive_again(variable);
        if let Some(value) = self.wait((variable, decisive), Some(block), mark, own, desk)? {
            self.settle(variable, value, desk);
        }
        Ok(())
    }

    fn decisive(&self, variable: Variable) -> bool {
        self.equations.operator(variable).decisive()
    }

    /// The value that one operand of its own block suffices to give a variable, or to give the one that stands for it.
    fn decisive_again(&self, variable: Variable) -> bool {
        self.decisive(self.equations.relay(variable).unwrap_or(variable))
    }

    /// A variable of the flooded block hands the question on to its operands.
    fn flood_on(
        &mut self,
        variable: Variable,
        block: usize,
        outlook: Outlook,
        operands: Operands<'_>,
        desk: &mut Desk,
    ) -> Result<(), Spent> {
        if let Outlook::Known(value) = outlook {
            self.decide(variable, value);
            return Ok(());
        }
        let decisive = self.decisive(variable);
        if self.is_deciding(variable) {
            // One operand is enough to decide; nobody waits for the others.
            for &operand in operands.later {
                if self.depend(variable, operand, None)? == Some(decisive) {
                    self.decide(variable, decisive);
                    return Ok(());
                }
            }
            return self.pass_on(variable, block, operands.own);
        }
        let mark = self.records.get(variable).mark;
        if mark.is_again() || operands.later.is_empty() {
            return self.pass_on(variable, block, operands.own);
        }
        match self.wait((variable, decisive), None, mark, operands.later, desk)? {
            None => Ok(()),
            Some(value) if value == decisive => Ok(()),
            Some(_) => {
                let (value, aside) = self.expand_own(variable, desk)?;
                match value {
                    Some(value) => self.decide(variable, value),
                    None => self.pass_on(variable, block, &aside.own)?,
                }
                desk.aside = aside;
                Ok(())
            }
        }
    }

    /// Asks for operands of the flooded block, whoever has them.
    fn pass_on(
        &mut self,
        variable: Variable,
        block: usize,
        operands: &[Variable],
    ) -> Result<(), Spent> {
        let address = self.addresses.of(self.me, variable);
        for &operand in operands {
            match self.equations.is_foreign(operand) {
                true => self.ask(variable, operand, true),
                false => self.visit(operand, block, Some(address))?,
            }
        }
        Ok(())
    }

    /// Meets a variable of the flooded block, and notes who asked for it first.
    pub(super) fn visit(
        &mut self,
        variable: Variable,
        block: usize,
        asker: Option<u32>,
    ) -> Result<(), Spent> {
        match self.records.get(variable).mark == Mark::UNSEEN {
            true => {
                let link = asker.map_or(0, |address| address + 1);
                self.meet(variable, block, Mark::FLOODED, link)
            }
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

    /// Makes a variable wait for those operands that are not known, unless the others decide: then that is what they
    /// come to, given the value that one of them suffices for. The block of the operands is given if it is the variable's
    /// own; others are looked at once first.
    fn wait(
        &mut self,
        (variable, decisive): (Variable, bool),
        own_block: Option<usize>,
        mark: Mark,
        operands: &[Variable],
        desk: &mut Desk,
    ) -> Result<Option<bool>, Spent> {
        let mut open = 0;
        for &operand in operands {
            let value = match (self.equations.is_foreign(operand), own_block) {
                (true, _) => None,
                (false, Some(_)) => self.value(operand),
                (false, None) => self.glance(operand, desk)?,
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
            self.depend(variable, operand, own_block)?;
        }
        Ok(None)
    }

    /// The value of an own variable, which is looked at once if it was never met.
    fn glance(&mut self, variable: Variable, desk: &mut Desk) -> Result<Option<bool>, Spent> {
        let mark = self.records.get(variable).mark;
        if mark != Mark::UNSEEN {
            return Ok(mark.value());
        }
        desk.aside.clear();
        let right = &mut desk.aside;
        let value = self.equations.expand_apart(variable, Wanted::All, right)?;
        if let Some(value) = value {
            let stamp = self.stamp();
            self.records
                .meet(variable, Mark::known(value), stamp, self.budget)?;
        }
        Ok(value)
    }

    /// Notes that a variable waits for an operand, or gives the operand's value.
    fn depend(
        &mut self,
        variable: Variable,
        operand: Variable,
        block: Option<usize>,
    ) -> Result<Option<bool>, Spent> {
        if self.equations.is_foreign(operand) {
            self.ask(variable, operand, false);
            return Ok(None);
        }
        let address = self.addresses.of(self.me, variable);
        self.note_dependent(operand, block, address)
    }

    /// Notes that somebody waits for an own variable, which is met if it never was, or gives its value.
    fn note_dependent(
        &mut self,
        variable: Variable,
        block: Option<usize>,
        dependent: u32,
    ) -> Result<Option<bool>, Spent> {
        let mark = self.records.get(variable).mark;
        if let Some(value) = mark.value() {
            return Ok(Some(value));
        }
        if mark == Mark::UNSEEN {
            let block = block.unwrap_or_else(|| self.equations.block(variable));
            self.meet(variable, block, Mark::QUEUED, 0)?;
        }
        let link = self.records.link(variable);
        *link = self.dependents.add(*link, dependent, self.budget)?;
        Ok(None)
    }

    /// Asks the owner of an operand for it; once is enough if nobody waits for an answer.
    fn ask(&mut self, variable: Variable, operand: Variable, once: bool) {
        self.crossing += 1;
        if self.is_numbered {
            if !once || !self.recent.was_number_noted(operand) {
                let (to, name) = self.equations.address(operand);
                self.outbox
                    .put_words(to, Kind::Ask, self.clock, [name, variable]);
            }
            return;
        }
        let to = self.equations.owner(operand);
        let (equations, recent) = (&self.equations, &mut self.recent);
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
        let mut variables = std::mem::take(&mut self.work.variables);
        let mut outcome = Ok(());
        for messages in words.chunks(BATCH * (width + 1)) {
            outcome = self.asked_some(from, width, messages, &mut variables);
            if outcome.is_err() {
                break;
            }
        }
        self.work.variables = variables;
        outcome
    }

    fn asked_some(
        &mut self,
        from: usize,
        width: usize,
        messages: &[u32],
        variables: &mut Vec<Variable>,
    ) -> Result<(), Spent> {
        variables.clear();
        if self.is_numbered {
            variables.extend(messages.chunks_exact(2).map(|message| message[0]));
        } else {
            for message in messages.chunks_exact(width + 1) {
                variables.push(self.equations.find(&message[..width])?);
            }
        }
        self.look_ahead(variables);
        let flooded = self.flood.map(|(block, _)| block);
        for (&variable, message) in variables.iter().zip(messages.chunks_exact(width + 1)) {
            let asker = message[width];
            let address = self.addresses.of(from, asker);
            let block = self.equations.block(variable);
            if flooded == Some(block) {
                self.visit(variable, block, Some(address))?;
            } else if let Some(value) = self.note_dependent(variable, Some(block), address)? {
                self.answer(from, asker, value);
            }
        }
        Ok(())
    }

    fn answer(&mut self, to: usize, variable: Variable, value: bool) {
        let kind = if value { Kind::True } else { Kind::False };
        self.outbox.put_words(to, kind, self.clock, [variable]);
    }

    /// Operands of own variables have become known elsewhere.
    pub(super) fn told(&mut self, words: &[u32], value: bool) -> Result<(), Spent> {
        self.budget.tick_many(words.len() as u64)?;
        let mut desk = std::mem::take(&mut self.work);
        for variables in words.chunks(BATCH) {
            self.look_ahead(variables);
            for &variable in variables {
                self.hear(variable, value);
                self.spread(&mut desk);
            }
            if self.verdict.is_some() {
                break;
            }
        }
        self.work = desk;
        Ok(())
    }

    /// A variable becomes known, and so do, perhaps, those that wait for it.
    fn settle(&mut self, variable: Variable, value: bool, desk: &mut Desk) {
        self.records.mark(variable, Mark::known(value));
        self.news.push(variable);
        self.spread(desk);
    }

    fn spread(&mut self, desk: &mut Desk) {
        while let Some(known) = self.news.pop() {
            let stamp = self.stamp();
            self.tell(known, stamp, None, &mut desk.told);
        }
    }

    /// Tells everybody who waits for a variable that it is known, except those of a block that is being finished: they are
    /// known by now. Since when it is known is noted.
    fn tell(&mut self, known: Variable, stamp: u32, finished: Option<usize>, told: &mut Vec<u32>) {
        let record = self.records.get(known);
        let value = record.mark.value() == Some(true);
        *self.records.link(known) = stamp;
        if self.main == Some(known) {
            self.verdict = Some(value);
        }
        told.clear();
        self.dependents.take(record.link, told);
        for &dependent in told.iter() {
            let (worker, variable) = self.addresses.split(dependent);
            if finished.is_some() && self.equations.block_at(worker, variable) == finished {
                continue;
            }
            match worker == self.me {
                true => self.hear(variable, value),
                false => self.answer(worker, variable, value),
            }
        }
    }

    /// An operand of an own variable has become known.
    fn hear(&mut self, variable: Variable, value: bool) {
        let mark = self.records.get(variable).mark;
        if mark.value().is_some() {
            return;
        }
        if mark.is_flooded() {
            return self.hear_flooded(variable, mark, value);
        }
        let decisive = match mark.is_again() {
            true => self.decisive_again(variable),
            false => self.decisive(variable),
        };
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
    fn hear_flooded(&mut self, variable: Variable, mark: Mark, value: bool) {
        let decisive = self.decisive(variable);
        if self.is_deciding(variable) {
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
        self.clock = LAST.min(self.clock + STEP);
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
            self.tell(variable, now, Some(block), &mut desk.told);
            self.spread(&mut desk);
        }
        self.work = desk;
        Ok(())
    }
}
