//! Why the main variable has its value: the states that matter, found by all workers together once the value is known.
//!
//! A variable that became known did so after the operands that made it known, and both have the time of that; so one
//! operand with the value and an earlier time is a reason that never goes in a circle. One that got the default value of
//! its block may rely on others that did. In a flooded block the way from the deciding variable back to the main one is
//! marked first, with times that grow on the way. Then all walk from the main variable from reason to reason, and send
//! the states they come by to the first worker. Whoever gets more than was asked for stops.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::Variable;
use super::Share;
use super::outbox::{Batch, Kind};
use super::records::{Mark, Record};
use super::shared::Shared;
use causet_base::budget::Spent;

/// The bit of a time at which variables got the default value of their block.
const DEFAULT: u32 = 1;
/// The time of what was flooded and not decided.
const AT_LAST: u32 = u32::MAX;

/// The clock goes no further; what happens then has no order, and is not accounted for.
pub(super) const LAST: u32 = u32::MAX >> 1;

/// How far the clock goes when a variable becomes known: there is a moment between two for a variable that another stood
/// for.
pub(super) const STEP: u32 = 2;

/// The time on a clock, as it is noted with a variable that became known.
pub(super) fn time(clock: u32, by_default: bool) -> u32 {
    clock << 1 | u32::from(by_default)
}

/// What a worker knows of the reasons.
#[derive(Default)]
pub(super) struct Account {
    walked: FxHashSet<Variable>,
    shown: FxHashSet<u32>,
    /// Variables to be walked from.
    ahead: Vec<Variable>,
    /// Variables that wait to hear which operand to go on with.
    choices: FxHashMap<Variable, Choice>,
    /// The first worker's collection.
    pieces: Vec<u32>,
    most: usize,
    too_large: bool,
    /// No operand explains a variable, which cannot be.
    is_broken: bool,
}

/// A variable that one operand explains, all of which belong to others.
struct Choice {
    names: Vec<u32>,
    owners: Vec<usize>,
    answers: usize,
    /// The best so far and its time.
    best: Option<(usize, u32)>,
}

/// How an account ended, for this worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Told {
    /// All that it has to say was said.
    Everything,
    /// There was more than was asked for.
    TooMuch,
    /// A limit was reached before all was said.
    Stopped(Spent),
    /// A value that nothing explains: a mistake of this program.
    Contradiction,
}

impl<E: Shared> Share<'_, E> {
    /// Starts to mark the way from a deciding variable to the main one. From here on half of the time that is left may
    /// pass.
    pub fn mark_trail(&mut self) {
        self.budget.reserve_half();
        if let Some(decider) = self.decider {
            self.trail(decider, time(STEP, false));
        }
    }

    /// Starts to walk from reason to reason, as far as so many states.
    pub fn walk(&mut self, most: usize) -> Result<(), Spent> {
        self.account.most = most;
        self.account.ahead.extend(self.main);
        self.stroll()
    }

    /// What the first worker has been shown: pieces as written by [`Shared::show`], one after another.
    pub fn pieces(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.account.pieces)
    }

    /// How the account ended.
    pub fn told_all(&self) -> Told {
        let Account {
            is_broken,
            too_large,
            ..
        } = self.account;
        match self.clock == LAST {
            true => Told::TooMuch,
            false if is_broken || !self.account.choices.is_empty() => Told::Contradiction,
            false if too_large => Told::TooMuch,
            false => Told::Everything,
        }
    }

    /// Adds to what the first worker has been shown.
    pub(super) fn keep_piece(&mut self, piece: &[u32]) -> Result<(), Spent> {
        self.budget.charge(size_of_val(piece))?;
        self.account.pieces.extend_from_slice(piece);
        Ok(())
    }

    pub(super) fn explain(
        &mut self,
        from: usize,
        width: usize,
        batch: &Batch,
    ) -> Result<(), Spent> {
        let words = &batch.words;
        match batch.kind {
            Kind::Trail => {
                for message in words.chunks_exact(2) {
                    self.trail(message[0], message[1]);
                }
            }
            Kind::Look => {
                for message in words.chunks_exact(width + 2) {
                    let variable = self.equations.find(&message[..width])?;
                    let answer = self.standing(variable);
                    let (value, time) = answer.map_or((2, 0), |(value, time)| (value.into(), time));
                    let answer = [message[width], message[width + 1], value, time];
                    self.outbox.put_words(from, Kind::Seen, self.clock, answer);
                }
            }
            Kind::Seen => {
                for message in words.chunks_exact(4) {
                    self.seen(
                        message[0],
                        message[1] as usize,
                        [0, 1].contains(&message[2]).then_some(message[2] == 1),
                        message[3],
                    )?;
                }
                self.stroll()?;
            }
            Kind::Walk => {
                for message in words.chunks_exact(width) {
                    let variable = self.equations.find(message)?;
                    self.account.ahead.push(variable);
                }
                self.stroll()?;
            }
            _ => self.keep_piece(words)?,
        }
        Ok(())
    }

    /// Gives a variable on the way to a deciding one its value, and so on to the main variable.
    fn trail(&mut self, variable: Variable, time: u32) {
        let Some((_, deciding)) = self.flood else {
            return;
        };
        let (mut variable, mut time) = (variable, time);
        loop {
            let record = self.records.get(variable);
            if record.mark.value().is_some() {
                // Another way has come by here.
                return;
            }
            let asker = record.link;
            let mark = Mark::known(deciding);
            self.records.set(variable, Record { mark, link: time });
            if asker == 0 {
                return;
            }
            time += STEP << 1;
            match self.addresses.split(asker - 1) {
                (worker, asker) if worker == self.me => variable = asker,
                (worker, asker) => {
                    let words = [asker, time];
                    self.outbox
                        .put_words(worker, Kind::Trail, self.clock, words);
                    return;
                }
            }
        }
    }

    /// The value of a variable, and since when it has it.
    fn standing(&self, variable: Variable) -> Option<(bool, u32)> {
        let record = self.records.get(variable);
        if record.mark.is_flooded() {
            // What was not found has the other value, wherever it was looked for.
            let (_, deciding) = self.flood?;
            return (self.verdict == Some(!deciding)).then_some((!deciding, AT_LAST));
        }
        record.mark.value().map(|value| (value, record.link))
    }

    /// Walks on from all variables that lie ahead.
    fn stroll(&mut self) -> Result<(), Spent> {
        while let Some(variable) = self.account.ahead.pop() {
            self.budget.tick()?;
            if self.account.too_large || !self.account.walked.insert(variable) {
                continue;
            }
            self.show(variable)?;
            self.give_reasons(variable)?;
        }
        Ok(())
    }

    /// Sends the state of a variable to the first worker.
    fn show(&mut self, variable: Variable) -> Result<(), Spent> {
        let state = self.equations.state(variable);
        if !self.account.shown.insert(state) {
            return Ok(());
        }
        if self.account.shown.len() > self.account.most {
            self.account.too_large = true;
            return Ok(());
        }
        self.equations.forget();
        let mut piece = Vec::new();
        self.equations.show(state, &mut piece)?;
        match self.me {
            0 => self.keep_piece(&piece)?,
            _ => self.outbox.put(0, Kind::Piece, self.clock, |words| {
                words.extend_from_slice(&piece);
            }),
        }
        Ok(())
    }

    /// Finds the operands that give a variable its value.
    fn give_reasons(&mut self, variable: Variable) -> Result<(), Spent> {
        let Some((value, time)) = self.standing(variable) else {
            self.account.is_broken = true;
            return Ok(());
        };
        self.equations.forget();
        let mut operands = Vec::new();
        if self.equations.expand(variable, &mut operands)?.is_some() {
            return Ok(());
        }
        if self.equations.operator(variable).decisive() != value {
            // It takes all of them.
            self.make_up(variable)?;
            for operand in operands {
                self.walk_to(operand);
            }
            return Ok(());
        }
        let block = self.equations.block(variable);
        let own = operands.iter().copied();
        let own = own.filter(|&operand| !self.equations.is_foreign(operand));
        let known = own.filter_map(|operand| {
            let (other, since) = self.standing(operand)?;
            let same_block = self.equations.block(operand) == block;
            (other == value && is_earlier(since, time, same_block)).then_some((operand, since))
        });
        let best = known.min_by_key(|&(_, since)| since);
        let mut rest = operands.iter();
        match best {
            Some((operand, _)) => self.account.ahead.push(operand),
            None if rest.any(|&operand| self.equations.is_foreign(operand)) => {
                self.look_around(variable, &operands);
            }
            None => self.go_through(variable)?,
        }
        Ok(())
    }

    /// Notes the value of the variable whose operands stood for a variable: it is that of the variable, and known just
    /// before. Says which one it is, if it was not known.
    fn make_up(&mut self, variable: Variable) -> Result<Option<Variable>, Spent> {
        let relay = self.equations.relay(variable);
        let unknown = |relay: &Variable| self.records.get(*relay).mark == Mark::UNSEEN;
        let (Some(relay), Some((value, time))) = (relay.filter(unknown), self.standing(variable))
        else {
            return Ok(None);
        };
        let time = match time & DEFAULT {
            DEFAULT => time,
            // Half a step.
            _ => time - STEP,
        };
        let mark = Mark::known(value);
        self.records.meet(relay, mark, time, self.budget)?;
        Ok(Some(relay))
    }

    /// Goes on from the variable whose operands stood for a variable: nothing else explains it.
    fn go_through(&mut self, variable: Variable) -> Result<(), Spent> {
        match self.make_up(variable)? {
            Some(relay) => self.account.ahead.push(relay),
            None => self.account.is_broken = true,
        }
        Ok(())
    }

    /// Asks the owners of the foreign operands of a variable what they know.
    fn look_around(&mut self, variable: Variable, operands: &[Variable]) {
        let mut choice = Choice {
            names: Vec::new(),
            owners: Vec::new(),
            answers: 0,
            best: None,
        };
        for &operand in operands {
            if !self.equations.is_foreign(operand) {
                continue;
            }
            let number = choice.owners.len() as u32;
            let start = choice.names.len();
            self.equations.name(operand, &mut choice.names);
            let owner = self.equations.owner(operand);
            choice.owners.push(owner);
            let same = u32::from(self.equations.block(operand) == self.equations.block(variable));
            self.outbox.put(owner, Kind::Look, self.clock, |words| {
                words.extend_from_slice(&choice.names[start..]);
                words.extend_from_slice(&[variable, number << 1 | same]);
            });
        }
        self.account.choices.insert(variable, choice);
    }

    /// An owner has answered about an operand of a variable.
    fn seen(
        &mut self,
        variable: Variable,
        number: usize,
        value: Option<bool>,
        since: u32,
    ) -> Result<(), Spent> {
        let Some((wanted, time)) = self.standing(variable) else {
            return Ok(());
        };
        let width = self.equations.width();
        let Some(choice) = self.account.choices.get_mut(&variable) else {
            return Ok(());
        };
        choice.answers += 1;
        let (number, own) = (number >> 1, number & 1 == 1);
        let fits = value == Some(wanted) && is_earlier(since, time, own);
        if fits && choice.best.is_none_or(|(_, best)| since < best) {
            choice.best = Some((number, since));
        }
        if choice.answers < choice.owners.len() {
            return Ok(());
        }
        match choice.best {
            None => self.go_through(variable)?,
            Some((number, _)) => {
                let name = &choice.names[number * width..(number + 1) * width];
                self.outbox
                    .put(choice.owners[number], Kind::Walk, self.clock, |words| {
                        words.extend_from_slice(name);
                    });
            }
        }
        self.account.choices.remove(&variable);
        Ok(())
    }

    fn walk_to(&mut self, operand: Variable) {
        if !self.equations.is_foreign(operand) {
            self.account.ahead.push(operand);
            return;
        }
        let (owner, equations) = (self.equations.owner(operand), &self.equations);
        self.outbox.put(owner, Kind::Walk, self.clock, |words| {
            equations.name(operand, words);
        });
    }
}

/// Whether an operand known since one time explains a variable known since another. Operands of later blocks never rely
/// on it; and what has its value by default may rely on whatever has the same.
fn is_earlier(since: u32, time: u32, same_block: bool) -> bool {
    !same_block || time & DEFAULT == DEFAULT || since >> 1 < time >> 1
}
