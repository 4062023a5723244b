//! Equation systems of which a worker has a part.
//!
//! Own variables are numbered by the worker. An operand may be a variable of another worker: then it has the bit
//! [`FOREIGN`] and can be spoken of until the next call of `forget`. What travels is its name.

use super::super::product::Product;
use super::super::system::System;
use super::super::{Block, Equations, Operator, Shape, Variable};
use super::{Right, Wanted};
use crate::deal::Deal;
use crate::part::{FOREIGN, Part};
use crate::steps::Edge;
use causet_base::budget::{Budget, Spent};

/// The equations of one worker's variables.
pub trait Shared: Equations {
    /// The main variable, if it belongs to this worker.
    fn own_main(&mut self) -> Result<Option<Variable>, Spent>;

    /// The block of the main variable.
    fn main_block(&self) -> usize;

    /// The value that one variable of the main block suffices to give the main variable, when a search for such a
    /// variable decides the block; see [`Block::deciding`].
    fn deciding(&self) -> Option<bool>;

    /// Whether an operand belongs to another worker.
    fn is_foreign(&self, operand: Variable) -> bool {
        operand & FOREIGN != 0
    }

    /// The worker to whom a foreign operand belongs.
    fn owner(&self, foreign: Variable) -> usize;

    /// Whether everybody knows everybody's numbers: then a name is the number that its owner gives a variable.
    fn is_numbered(&self) -> bool {
        false
    }

    /// The worker to whom a foreign operand belongs and the number it has there, where everybody knows everybody's numbers.
    fn address(&self, foreign: Variable) -> (usize, Variable) {
        (self.owner(foreign), foreign)
    }

    /// The block of a variable by the number it has with a worker, if that can be told.
    fn block_at(&self, _worker: usize, _variable: Variable) -> Option<usize> {
        None
    }

    /// How many words the name of a variable has.
    fn width(&self) -> usize;

    /// Appends the name of a foreign operand.
    fn name(&self, foreign: Variable, name: &mut Vec<u32>);

    /// The own variable of that name.
    fn find(&mut self, name: &[u32]) -> Result<Variable, Spent>;

    /// The foreign operands met so far will not be spoken of again.
    fn forget(&mut self) {}

    /// The operands of an own variable that are wanted, or what they come to when no other variable is needed for that.
    fn expand_apart(
        &mut self,
        own: Variable,
        wanted: Wanted,
        right: &mut Right,
    ) -> Result<Option<bool>, Spent> {
        let start = right.own.len();
        let value = self.expand(own, &mut right.own)?;
        let block = self.block(own);
        let mut kept = start;
        for at in start..right.own.len() {
            let operand = right.own[at];
            match self.block(operand) == block {
                true => {
                    right.own[kept] = operand;
                    kept += 1;
                }
                false if wanted == Wanted::Own => {}
                false => right.later.push(operand),
            }
        }
        right.own.truncate(kept);
        if wanted == Wanted::Own {
            return Ok((kept == start).then_some(!self.operator(own).decisive()));
        }
        Ok(value)
    }

    /// The variable whose operands stand for those of a variable in its own block, if these are passed on by
    /// [`Wanted::Own`]: the only such operand, which nobody else asks for.
    fn relay(&self, _own: Variable) -> Option<Variable> {
        None
    }

    /// Whether an own variable may have operands in its own block.
    fn has_own(&self, _own: Variable) -> bool {
        true
    }

    /// How many states were explored so far, of a system that is not stored, and how many steps these have.
    fn explored(&self) -> (u64, u64) {
        (0, 0)
    }

    /// The state that an own variable is about.
    fn state(&self, own: Variable) -> u32 {
        own
    }

    /// Whether an own variable says that its state satisfies a certain node of the table a program was made from.
    fn is_of(&self, _own: Variable, _node: usize) -> bool {
        false
    }

    /// Appends the name of an own state.
    fn name_state(&self, state: u32, name: &mut Vec<u32>) {
        name.push(state);
    }

    /// Appends what is to be shown of an own state: its name, the number of its steps, and of each the label and the
    /// name of the state it leads to. In a bare system a variable is its own state and has no steps.
    fn show(&mut self, state: u32, piece: &mut Vec<u32>) -> Result<(), Spent>;
}

/// A system that one worker has all of, to be asked for more values than one.
pub struct Alone<E>(pub E);

impl<E: Equations> Equations for Alone<E> {
    fn blocks(&self) -> &[Block] {
        self.0.blocks()
    }

    fn main(&mut self) -> Result<Variable, Spent> {
        self.0.main()
    }

    fn block(&self, variable: Variable) -> usize {
        self.0.block(variable)
    }

    fn operator(&self, variable: Variable) -> Operator {
        self.0.operator(variable)
    }

    fn is_private(&self, variable: Variable) -> bool {
        self.0.is_private(variable)
    }

    fn anticipate(&mut self, variables: &[Variable]) {
        self.0.anticipate(variables);
    }

    fn expand(
        &mut self,
        variable: Variable,
        operands: &mut Vec<Variable>,
    ) -> Result<Option<bool>, Spent> {
        self.0.expand(variable, operands)
    }
}

impl<E: Equations> Shared for Alone<E> {
    fn block_at(&self, _worker: usize, variable: Variable) -> Option<usize> {
        Some(self.0.block(variable))
    }

    fn own_main(&mut self) -> Result<Option<Variable>, Spent> {
        self.0.main().map(Some)
    }

    fn main_block(&self) -> usize {
        0
    }

    fn deciding(&self) -> Option<bool> {
        None
    }

    fn is_foreign(&self, _operand: Variable) -> bool {
        false
    }

    fn owner(&self, _foreign: Variable) -> usize {
        0
    }

    fn width(&self) -> usize {
        1
    }

    fn name(&self, foreign: Variable, name: &mut Vec<u32>) {
        name.push(foreign);
    }

    fn find(&mut self, name: &[u32]) -> Result<Variable, Spent> {
        Ok(name[0])
    }

    fn show(&mut self, state: u32, piece: &mut Vec<u32>) -> Result<(), Spent> {
        piece.extend([state, 0]);
        Ok(())
    }
}

/// The equations of a worker to whom variables are dealt by their numbers.
pub struct Dealt<'s> {
    system: &'s System,
    deal: Deal,
    me: u32,
}

impl<'s> Dealt<'s> {
    /// The part of a worker.
    pub fn new(system: &'s System, deal: Deal, me: usize) -> Self {
        let me = me as u32;
        Dealt { system, deal, me }
    }

    fn global(&self, variable: Variable) -> Variable {
        match variable & FOREIGN {
            0 => self.deal.number(self.me, variable),
            _ => variable & !FOREIGN,
        }
    }

    fn local(&self, global: Variable) -> Variable {
        match self.deal.place(global) {
            (owner, own) if owner == self.me => own,
            _ => FOREIGN | global,
        }
    }
}

impl Equations for Dealt<'_> {
    fn blocks(&self) -> &[Block] {
        self.system.blocks()
    }

    fn main(&mut self) -> Result<Variable, Spent> {
        Ok(self.local(self.system.main_variable()))
    }

    fn block(&self, variable: Variable) -> usize {
        self.system.equations()[self.global(variable) as usize].block
    }

    fn operator(&self, variable: Variable) -> Operator {
        self.system.equations()[self.global(variable) as usize].operator
    }

    fn expand(
        &mut self,
        variable: Variable,
        operands: &mut Vec<Variable>,
    ) -> Result<Option<bool>, Spent> {
        let before = operands.len();
        let mut system = self.system;
        let value = system.expand(self.global(variable), operands)?;
        for operand in &mut operands[before..] {
            *operand = self.local(*operand);
        }
        Ok(value)
    }
}

impl Shared for Dealt<'_> {
    fn own_main(&mut self) -> Result<Option<Variable>, Spent> {
        let main = self.main()?;
        Ok((main & FOREIGN == 0).then_some(main))
    }

    fn main_block(&self) -> usize {
        self.system.equations()[self.system.main_variable() as usize].block
    }

    fn deciding(&self) -> Option<bool> {
        self.system.blocks()[self.main_block()].deciding(true)
    }

    fn owner(&self, foreign: Variable) -> usize {
        self.address(foreign).0
    }

    fn is_numbered(&self) -> bool {
        true
    }

    fn address(&self, foreign: Variable) -> (usize, Variable) {
        let (owner, own) = self.deal.place(foreign & !FOREIGN);
        (owner as usize, own)
    }

    fn block_at(&self, worker: usize, variable: Variable) -> Option<usize> {
        let global = self.deal.number(worker as u32, variable);
        Some(self.system.equations()[global as usize].block)
    }

    fn width(&self) -> usize {
        1
    }

    fn name(&self, foreign: Variable, name: &mut Vec<u32>) {
        name.push(self.address(foreign).1);
    }

    fn find(&mut self, name: &[u32]) -> Result<Variable, Spent> {
        Ok(name[0])
    }

    fn show(&mut self, state: u32, piece: &mut Vec<u32>) -> Result<(), Spent> {
        piece.extend([self.global(state), 0]);
        Ok(())
    }
}

impl<T: Part> Shared for Product<'_, T> {
    fn own_main(&mut self) -> Result<Option<Variable>, Spent> {
        match self.steps().home() {
            Some(_) => self.main().map(Some),
            None => Ok(None),
        }
    }

    fn main_block(&self) -> usize {
        self.program().block_of(self.program().main())
    }

    fn deciding(&self) -> Option<bool> {
        let block = self.main_block();
        let has_cycles = self.blocks()[block].shape != Shape::Acyclic;
        self.program().blocks()[block].deciding(has_cycles)
    }

    fn owner(&self, foreign: Variable) -> usize {
        let (state, _) = self.place(foreign & !FOREIGN);
        self.steps().owner(state)
    }

    fn is_numbered(&self) -> bool {
        self.steps().has_numbers()
    }

    fn block_at(&self, _worker: usize, variable: Variable) -> Option<usize> {
        // Everybody numbers a state's variables alike.
        Some(self.block(variable))
    }

    fn address(&self, foreign: Variable) -> (usize, Variable) {
        let (state, place) = self.place(foreign & !FOREIGN);
        let (owner, own) = self.steps().place(state);
        // No number there is larger than the one here, which fits.
        (owner, own * self.places() + place)
    }

    fn width(&self) -> usize {
        match self.is_numbered() {
            true => 1,
            false => self.steps().width() + 1,
        }
    }

    fn name(&self, foreign: Variable, name: &mut Vec<u32>) {
        if self.is_numbered() {
            name.push(self.address(foreign).1);
            return;
        }
        let (state, place) = self.place(foreign & !FOREIGN);
        self.steps().name_foreign(state, name);
        name.push(place);
    }

    fn find(&mut self, name: &[u32]) -> Result<Variable, Spent> {
        if self.is_numbered() {
            return Ok(name[0]);
        }
        let budget = self.budget();
        let width = self.steps().width();
        let state = self.steps_mut().find(&name[..width], budget)?;
        self.at(state, name[width])
    }

    fn forget(&mut self) {
        self.steps_mut().forget();
    }

    fn expand_apart(
        &mut self,
        own: Variable,
        wanted: Wanted,
        right: &mut Right,
    ) -> Result<Option<bool>, Spent> {
        self.expand_in_parts(own, wanted, right)
    }

    fn relay(&self, own: Variable) -> Option<Variable> {
        self.relay_of(own)
    }

    fn has_own(&self, own: Variable) -> bool {
        self.has_own_terms(own)
    }

    fn explored(&self) -> (u64, u64) {
        self.steps().explored()
    }

    fn state(&self, own: Variable) -> u32 {
        self.place(own).0
    }

    fn is_of(&self, own: Variable, node: usize) -> bool {
        self.program().origin(self.meaning(own).1) == node
    }

    fn name_state(&self, state: u32, name: &mut Vec<u32>) {
        self.steps().name_own(state, name);
    }

    fn show(&mut self, state: u32, piece: &mut Vec<u32>) -> Result<(), Spent> {
        let budget: &Budget<'_> = self.budget();
        let steps = self.steps_mut();
        steps.name_own(state, piece);
        let (edges, locator) = steps.located_edges(state, budget)?;
        let locate = |edge: &Edge| (edge.label, locator.locate(edge.target));
        let edges: Vec<_> = edges.iter().map(locate).collect();
        piece.push(edges.len() as u32);
        for (label, target) in edges {
            piece.push(label);
            match target & FOREIGN {
                0 => steps.name_own(target, piece),
                _ => steps.name_foreign(target & !FOREIGN, piece),
            }
        }
        Ok(())
    }
}
