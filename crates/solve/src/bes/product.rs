//! A formula and a system make an equation system: a variable says that a state satisfies a node.
//!
//! Variables are numbered `state * nodes + node`, so that nothing is looked up, and states that were found early have
//! low numbers. Two numberings are of use: solving wants few variables and reads local nodes off their states; explaining
//! wants every node to be a variable (the plain numbering).

use super::program::{Program, Term};
use super::recipes::{Ingredient, Operand, Recipes};
use super::share::{Right, Wanted};
use super::{Block, Equations, Operator, Variable};
use crate::steps::Steps;
use causet_base::budget::{Budget, Spent};

/// Which labels satisfy which actions.
#[derive(Clone, Debug)]
pub struct Matching {
    /// Per action: whether it admits each label.
    admits: Vec<Vec<bool>>,
    /// Per action: whether it admits every label.
    admits_all: Vec<bool>,
}

impl Matching {
    /// Asks of every action and every label once.
    pub fn new(actions: usize, labels: usize, admits: impl Fn(usize, u32) -> bool) -> Matching {
        let labels = labels as u32;
        let admits: Vec<Vec<bool>> = (0..actions)
            .map(|action| (0..labels).map(|label| admits(action, label)).collect())
            .collect();
        Matching {
            admits_all: admits
                .iter()
                .map(|row| row.iter().all(|&yes| yes))
                .collect(),
            admits,
        }
    }

    /// Whether an action admits a label.
    pub fn admits(&self, action: usize, label: u32) -> bool {
        self.admits_all[action] || self.admits[action][label as usize]
    }
}

/// Division by a number that stays the same, as a multiplication.
#[derive(Clone, Copy, Debug)]
struct Divider {
    by: u32,
    /// The least number that is at least 2^64 divided by `by`; division by one needs none.
    reciprocal: u64,
}

impl Divider {
    fn new(by: u32) -> Divider {
        Divider {
            by,
            reciprocal: (u64::MAX / u64::from(by)).wrapping_add(1),
        }
    }

    /// Quotient and remainder.
    fn divide(self, number: u32) -> (u32, u32) {
        if self.by == 1 {
            return (number, 0);
        }
        let product = u128::from(self.reciprocal) * u128::from(number);
        let quotient = (product >> 64) as u32;
        (quotient, number - quotient * self.by)
    }
}

/// The equation system of a formula on a system.
pub struct Product<'a, T> {
    program: &'a Program,
    matching: &'a Matching,
    steps: T,
    budget: &'a Budget<'a>,
    blocks: Vec<Block>,
    /// The nodes that have variables.
    nodes: Vec<usize>,
    /// Per node: its place among those.
    places: Vec<u32>,
    /// Per place: the block and the operator of its node.
    about: Vec<(usize, Operator)>,
    recipes: Recipes,
    /// Per place: whether only one node speaks of its node.
    private: Vec<bool>,
    /// Per place: whether its node has variables of its own block for operands.
    has_own: Vec<bool>,
    /// Per place: whether its node has variables of later blocks for operands.
    has_later: Vec<bool>,
    /// Per place: the place of the only operand of its own block, if nobody else asks for that one and it has no operands
    /// in later blocks.
    relays: Vec<Option<u32>>,
    /// The last state whose variables have numbers.
    last_state: u32,
    divider: Divider,
    /// The first state of which nothing is known, and the value all variables from there on are taken to have.
    outside: Option<(u32, bool)>,
}

impl<'a, T: Steps> Product<'a, T> {
    /// With variables for the nodes that need them.
    pub fn new(
        program: &'a Program,
        matching: &'a Matching,
        steps: T,
        budget: &'a Budget<'a>,
    ) -> Self {
        let nodes = program.stored();
        let private = program.private();
        let mut places = vec![u32::MAX; program.nodes().len()];
        for (place, &node) in nodes.iter().enumerate() {
            places[node] = place as u32;
        }
        let blocks = match steps.is_acyclic() {
            true => program.blocks_without_cycles(),
            false => program.blocks().to_vec(),
        };
        let about = nodes.iter().map(|&node| {
            let operator = program.nodes()[node].operator;
            (program.block_of(node), operator)
        });
        let has = |node: usize, own: bool| {
            let mut terms = program.nodes()[node].terms.iter();
            terms.any(|term| match *term {
                Term::Here(to) | Term::Step { to, .. } => {
                    let same = program.block_of(to) == program.block_of(node);
                    places[to] != u32::MAX && same == own
                }
                Term::Atom { .. } => false,
            })
        };
        let relay = |node: usize| {
            let terms = program.nodes()[node].terms.iter();
            let mut own = terms.filter_map(|term| match *term {
                Term::Here(to) | Term::Step { to, .. }
                    if program.block_of(to) == program.block_of(node) =>
                {
                    Some((to, matches!(*term, Term::Here(_))))
                }
                _ => None,
            });
            match (own.next(), own.next()) {
                (Some((to, true)), None)
                    if private[to] && places[to] != u32::MAX && !has(to, false) =>
                {
                    Some(places[to])
                }
                _ => None,
            }
        };
        Product {
            recipes: Recipes::new(program, &nodes, &places),
            relays: nodes.iter().map(|&node| relay(node)).collect(),
            has_own: nodes.iter().map(|&node| has(node, true)).collect(),
            has_later: nodes.iter().map(|&node| has(node, false)).collect(),
            about: about.collect(),
            private: nodes.iter().map(|&node| private[node]).collect(),
            last_state: !T::FOREIGN / (nodes.len() as u32) - 1,
            divider: Divider::new(nodes.len() as u32),
            outside: None,
            program,
            matching,
            steps,
            budget,
            blocks,
            nodes,
            places,
        }
    }

    /// The same, with nothing known of the states from a certain one on: all but constants have a given value there.
    pub fn with_outside(mut self, first: u32, value: bool) -> Self {
        self.outside = Some((first, value));
        self
    }

    /// What is taken for granted of a node outside.
    fn taken_for_granted(&self, state: u32, node: usize) -> Option<bool> {
        let (outside, value) = self.outside?;
        (outside <= state && !self.program.nodes()[node].terms.is_empty()).then_some(value)
    }

    /// How the operands of a variable are joined when every node has one. Outside there are none, and the operator is the
    /// one that makes of none what is taken for granted: else a reason would be seen where there is none.
    pub fn plain_operator(&self, variable: Variable) -> Operator {
        let (state, node) = self.plain_meaning(variable);
        match self.taken_for_granted(state, node) {
            Some(true) => Operator::And,
            Some(false) => Operator::Or,
            None => self.program.nodes()[node].operator,
        }
    }

    /// The formula.
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// Which labels satisfy which actions.
    pub fn matching(&self) -> &'a Matching {
        self.matching
    }

    /// The variable of a node at a state when every node has one.
    pub fn plain_variable(&self, state: u32, node: usize) -> Result<Variable, Spent> {
        number(state, self.program.nodes().len() as u32, node as u32)
    }

    /// The state and the node a variable stands for when every node has one.
    pub fn plain_meaning(&self, variable: Variable) -> (u32, usize) {
        let count = self.program.nodes().len() as u32;
        (variable / count, (variable % count) as usize)
    }

    /// Appends the operands of a variable when every node has one. Formulas with atomic propositions are not
    /// explained this way: these are no variables.
    pub fn plain_operands(
        &mut self,
        variable: Variable,
        operands: &mut Vec<Variable>,
    ) -> Result<(), Spent> {
        let (state, node) = self.plain_meaning(variable);
        if self.taken_for_granted(state, node).is_some() {
            return Ok(());
        }
        let program = self.program;
        let count = program.nodes().len() as u32;
        for term in &program.nodes()[node].terms {
            match *term {
                Term::Atom { .. } => {}
                Term::Here(to) => operands.push(number(state, count, to as u32)?),
                Term::Step { action, to } => {
                    for edge in self.steps.edges(state, self.budget)? {
                        if self.matching.admits(action, edge.label) {
                            operands.push(number(edge.target, count, to as u32)?);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The system.
    pub fn steps(&self) -> &T {
        &self.steps
    }

    /// The system, to be explored further.
    pub fn steps_mut(&mut self) -> &mut T {
        &mut self.steps
    }

    /// The state and the node a variable stands for.
    pub fn meaning(&self, variable: Variable) -> (u32, usize) {
        let (state, place) = self.divider.divide(variable);
        (state, self.nodes[place as usize])
    }

    /// The variable for a node at a state, if the node has any.
    pub fn variable(&self, state: u32, node: usize) -> Result<Option<Variable>, Spent> {
        match self.places[node] {
            u32::MAX => Ok(None),
            place => number(state, self.nodes.len() as u32, place).map(Some),
        }
    }

    /// The budget for what is found out about the system.
    pub(super) fn budget(&self) -> &'a Budget<'a> {
        self.budget
    }

    /// The state of a variable, and the place of its node among those that have variables.
    pub(super) fn place(&self, variable: Variable) -> (u32, u32) {
        self.divider.divide(variable)
    }

    /// How many nodes have variables.
    pub(super) fn places(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// The variable of the node at a place.
    pub(super) fn at(&self, state: u32, place: u32) -> Result<Variable, Spent> {
        match state <= self.last_state {
            true => number(state, self.nodes.len() as u32, place),
            false => Err(Spent::Memory),
        }
    }

    /// The value of a local node.
    pub fn read_off(&mut self, state: u32, node: usize) -> Result<bool, Spent> {
        debug_assert!(self.program.is_local(node));
        if let Some(value) = self.taken_for_granted(state, node) {
            return Ok(value);
        }
        let program = self.program;
        let decisive = program.nodes()[node].operator.decisive();
        for term in &program.nodes()[node].terms {
            let value = match *term {
                Term::Atom { atom, truth } => self.steps.holds(atom, state) == truth,
                Term::Here(to) => self.read_off(state, to)?,
                // The constant it leads to decides, or it would not be there.
                Term::Step { action, .. } => match self.has_step(state, action)? {
                    true => decisive,
                    false => !decisive,
                },
            };
            if value == decisive {
                return Ok(decisive);
            }
        }
        Ok(!decisive)
    }

    /// The operands of a variable that are wanted, those of its own block apart, or what they come to when no other
    /// variable is needed for that.
    pub(super) fn expand_in_parts(
        &mut self,
        variable: Variable,
        wanted: Wanted,
        right: &mut Right,
    ) -> Result<Option<bool>, Spent> {
        if wanted == Wanted::Own {
            return self.own_part(variable, right);
        }
        let place = self.divider.divide(variable).1 as usize;
        let is_split = self.has_later[place] || self.relays[place].is_some();
        if wanted == Wanted::All || !is_split {
            return self.gather(variable, Some(Wanted::All), right);
        }
        let before = right.later.len();
        let value = self.gather(variable, Some(wanted), right)?;
        match value.is_none() && right.later.len() == before {
            true => self.own_part(variable, right),
            false => Ok(value),
        }
    }

    /// The operands of a variable in its own block, or what they come to. If the only one is a variable that nobody else
    /// asks for, that one's operands stand for it.
    fn own_part(&mut self, variable: Variable, right: &mut Right) -> Result<Option<bool>, Spent> {
        if let Some(relay) = self.relay_of(variable) {
            return self.gather(relay, Some(Wanted::All), right);
        }
        let before = right.own.len();
        self.gather(variable, Some(Wanted::Own), right)?;
        let decisive = self.operator(variable).decisive();
        Ok((right.own.len() == before).then_some(!decisive))
    }

    /// The variable whose operands stand for those of a variable in its own block.
    pub(super) fn relay_of(&self, variable: Variable) -> Option<Variable> {
        let (state, place) = self.divider.divide(variable);
        let relay = self.relays[place as usize]?;
        Some(state * self.places() + relay)
    }

    /// Whether the node of a variable has terms in its own block.
    pub(super) fn has_own_terms(&self, variable: Variable) -> bool {
        self.has_own[self.divider.divide(variable).1 as usize]
    }

    /// Appends operands of a variable, or says its value when no other variable is needed for that: all of them to those
    /// of its own block, or in parts as they are wanted.
    fn gather(
        &mut self,
        variable: Variable,
        parts: Option<Wanted>,
        right: &mut Right,
    ) -> Result<Option<bool>, Spent> {
        let before = (right.later.len(), right.own.len());
        let (state, place) = self.divider.divide(variable);
        let place = place as usize;
        if let Some(value) = self.taken_for_granted(state, self.nodes[place]) {
            return Ok(Some(value));
        }
        let decisive = self.about[place].1.decisive();
        let mut left_out = false;
        for at in self.recipes.range(place) {
            let Ingredient { operand, is_own } = self.recipes.ingredient(at);
            let list = match (is_own, parts) {
                (Some(true), Some(Wanted::LaterFirst)) => {
                    left_out = true;
                    continue;
                }
                (Some(false) | None, Some(Wanted::Own)) => continue,
                (Some(false), Some(_)) => &mut right.later,
                _ => &mut right.own,
            };
            let known = match operand {
                Operand::Atom { atom, truth } => self.steps.holds(atom, state) == truth,
                Operand::Local(node) => self.read_off(state, node)?,
                Operand::Here(place) => {
                    list.push(number(state, self.nodes.len() as u32, place)?);
                    continue;
                }
                Operand::AnyStep(action) => match self.has_step(state, action)? {
                    true => decisive,
                    false => !decisive,
                },
                Operand::Steps { action, place } => {
                    self.after_steps(state, action, place, list)?;
                    continue;
                }
            };
            if known == decisive {
                right.later.truncate(before.0);
                right.own.truncate(before.1);
                return Ok(Some(decisive));
            }
        }
        let nothing = (right.later.len(), right.own.len()) == before && !left_out;
        Ok(nothing.then_some(!decisive))
    }

    /// Whether a state has a step that an action admits.
    fn has_step(&mut self, state: u32, action: usize) -> Result<bool, Spent> {
        let edges = self.steps.edges(state, self.budget)?;
        if self.matching.admits_all[action] {
            return Ok(!edges.is_empty());
        }
        let admits = &self.matching.admits[action];
        Ok(edges.iter().any(|edge| admits[edge.label as usize]))
    }

    /// Appends the variables of a node after every step that an action admits.
    fn after_steps(
        &mut self,
        state: u32,
        action: usize,
        place: u32,
        operands: &mut Vec<Variable>,
    ) -> Result<(), Spent> {
        let count = self.nodes.len() as u32;
        let last = self.last_state;
        let everything = self.matching.admits_all[action];
        let admits = &self.matching.admits[action];
        let (edges, locator) = self.steps.located_edges(state, self.budget)?;
        operands.reserve(edges.len());
        let mut highest = 0;
        for edge in edges {
            if !everything && !admits[edge.label as usize] {
                continue;
            }
            let target = match T::FOREIGN {
                0 => edge.target,
                _ => locator.locate(edge.target),
            };
            let state = target & !T::FOREIGN;
            highest = state.max(highest);
            operands.push(state.wrapping_mul(count).wrapping_add(place) | (target & T::FOREIGN));
        }
        match highest <= last {
            true => Ok(()),
            false => Err(Spent::Memory),
        }
    }
}

/// The number of a variable; more than 2^32 of them would not fit into memory either.
fn number(state: u32, count: u32, place: u32) -> Result<Variable, Spent> {
    let number = u64::from(state) * u64::from(count) + u64::from(place);
    Variable::try_from(number).map_err(|_| Spent::Memory)
}

impl<T: Steps> Equations for Product<'_, T> {
    fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    fn main(&mut self) -> Result<Variable, Spent> {
        let place = self.places[self.program.main()];
        self.at(self.steps.initial() & !T::FOREIGN, place)
    }

    fn block(&self, variable: Variable) -> usize {
        self.about[self.divider.divide(variable & !T::FOREIGN).1 as usize].0
    }

    fn operator(&self, variable: Variable) -> Operator {
        self.about[self.divider.divide(variable).1 as usize].1
    }

    fn is_private(&self, variable: Variable) -> bool {
        self.private[self.divider.divide(variable).1 as usize]
    }

    fn anticipate(&mut self, variables: &[Variable]) {
        let states = variables.iter();
        let states = states.map(|&variable| self.divider.divide(variable).0);
        self.steps.anticipate(states);
    }

    fn expand(
        &mut self,
        variable: Variable,
        operands: &mut Vec<Variable>,
    ) -> Result<Option<bool>, Spent> {
        let mut right = Right {
            later: Vec::new(),
            own: std::mem::take(operands),
        };
        let value = self.gather(variable, None, &mut right);
        *operands = right.own;
        value
    }
}

#[cfg(test)]
mod tests {
    use super::Divider;

    #[test]
    fn division_is_exact() {
        let edges = [
            0,
            1,
            2,
            3,
            62,
            63,
            64,
            65,
            u32::MAX / 2,
            u32::MAX - 1,
            u32::MAX,
        ];
        for by in (1..200).chain([1000, 65_535, 65_537, u32::MAX]) {
            let divider = Divider::new(by);
            for number in edges
                .into_iter()
                .flat_map(|n| [n, n / by * by, (n / by * by).wrapping_sub(1)])
            {
                assert_eq!(
                    divider.divide(number),
                    (number / by, number % by),
                    "{number} / {by}"
                );
            }
        }
    }
}
