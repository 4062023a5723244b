//! Why a variable has its value: the few variables that force it, each with the operands that matter.
//!
//! A disjunction is true because of one operand and false because of all; a conjunction the other way round. A support
//! picks for every variable in it the operands that give it its value, such that the picks never go in a circle where the
//! block's solution would not allow it: a least solution makes nothing true, and a greatest nothing false, because of
//! itself. Whoever has a support needs no solver to believe the value; [`check`] is all of that.
//!
//! How small? Where one operand after another is enough, the shortest chain is found breadth-first; where all operands
//! matter, the ones that end soonest are preferred (as in the diagnostics of paper MB-DSolve, which takes the operand
//! that happened to be known first).

use std::collections::{HashMap, HashSet, VecDeque};

use super::{Block, Operator, Resolution, Shape, Variable};
use super::{Equations, product::Product, system::System};
use crate::steps::Steps;
use causet_base::budget::{Budget, Spent};

/// A resolved system that can be asked about every variable of the support.
pub trait Evidence {
    /// The blocks, with shapes that hold whatever the system.
    fn blocks(&self) -> &[Block];
    /// The block of a variable.
    fn block(&self, variable: Variable) -> usize;
    /// How its operands are joined.
    fn operator(&self, variable: Variable) -> Operator;
    /// Appends all its operands.
    fn operands(&mut self, variable: Variable, into: &mut Vec<Variable>) -> Result<(), Spent>;
    /// Its value.
    fn value(&mut self, variable: Variable) -> Result<bool, Spent>;
}

/// A variable with what gives it its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// The variable.
    pub variable: Variable,
    /// Its value.
    pub value: bool,
    /// The operands that give it that value: one that suffices, or all. They have the same value.
    pub because: Vec<Variable>,
}

/// Reasons for a variable, for those it names, and so on; the variable asked about is the first.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Support {
    /// One reason per variable.
    pub reasons: Vec<Reason>,
}

/// The support of a variable, or nothing when a part of it would take more than so many variables to choose from, or
/// none are wanted. A chain may be longer than that: it costs little.
pub fn support(
    evidence: &mut impl Evidence,
    variable: Variable,
    most: usize,
    budget: &Budget<'_>,
) -> Result<Option<Support>, Spent> {
    if most == 0 {
        return Ok(None);
    }
    let mut picker = Picker {
        evidence,
        picks: HashMap::new(),
        most,
        budget: budget.branch(),
    };
    let mut order = vec![variable];
    let mut listed = HashSet::from([variable]);
    let mut support = Support::default();
    while let Some(&variable) = order.get(support.reasons.len()) {
        if !picker.picks.contains_key(&variable) && !picker.pick(variable)? {
            return Ok(None);
        }
        if support.reasons.len() >= most.max(LONGEST) {
            return Ok(None);
        }
        let because = picker.picks.get(&variable).cloned().unwrap_or_default();
        for &operand in &because {
            if listed.insert(operand) {
                order.push(operand);
            }
        }
        support.reasons.push(Reason {
            variable,
            value: picker.evidence.value(variable)?,
            because,
        });
    }
    Ok(Some(support))
}

/// The operands picked so far.
struct Picker<'e, 'b, V> {
    evidence: &'e mut V,
    picks: HashMap<Variable, Vec<Variable>>,
    most: usize,
    budget: Budget<'b>,
}

/// The right-hand side of a variable, operands of its own block apart.
struct Right {
    own: Vec<Variable>,
    later: Vec<Variable>,
    /// Whether one operand suffices for the value in question.
    one: bool,
}

impl Right {
    /// The pick that goes through an operand.
    fn through(&self, operand: Variable) -> Vec<Variable> {
        match self.one {
            true => vec![operand],
            false => self.later.iter().chain(&self.own).copied().collect(),
        }
    }
}

impl<V: Evidence> Picker<'_, '_, V> {
    /// Picks operands for a variable and for all others it takes; `false` when there are too many.
    fn pick(&mut self, variable: Variable) -> Result<bool, Spent> {
        let value = self.evidence.value(variable)?;
        let block = self.evidence.blocks()[self.evidence.block(variable)];
        let chain = match block.shape {
            Shape::Disjunctive => value,
            Shape::Conjunctive => !value,
            Shape::Acyclic | Shape::General => false,
        };
        let cycles = block.sign.default_value() == value;
        match chain {
            true => match self.shortest_chain(variable, value, cycles)? {
                true => Ok(true),
                false => self.walk(variable, value),
            },
            false => self.region(variable, value),
        }
    }

    fn right(&mut self, variable: Variable, value: bool) -> Result<Right, Spent> {
        self.budget.tick()?;
        let mut operands = Vec::new();
        self.evidence.operands(variable, &mut operands)?;
        let mut seen = HashSet::new();
        operands.retain(|&operand| seen.insert(operand));
        let block = self.evidence.block(variable);
        let (own, later) = operands
            .into_iter()
            .partition(|&operand| self.evidence.block(operand) == block);
        Ok(Right {
            own,
            later,
            one: self.evidence.operator(variable).decisive() == value,
        })
    }

    /// What the operands of later blocks leave of a right-hand side.
    fn prospect(&mut self, right: &Right, value: bool) -> Result<Prospect, Spent> {
        let mut last = None;
        for &operand in &right.later {
            if (self.evidence.value(operand)? == value) == right.one {
                last = Some(operand);
                break;
            }
        }
        Ok(match (right.one, last) {
            (true, Some(operand)) => Prospect::Given(vec![operand]),
            (true, None) => Prospect::Through,
            (false, Some(_)) => Prospect::Lost,
            (false, None) if right.own.is_empty() => Prospect::Given(right.later.clone()),
            (false, None) => Prospect::Through,
        })
    }

    /// In a block where one operand after another is enough: the shortest chain to a variable that later blocks give the
    /// value, or (if `cycles` have it) back to the chain. `false` when the only cycles are not of that kind.
    fn shortest_chain(
        &mut self,
        start: Variable,
        value: bool,
        cycles: bool,
    ) -> Result<bool, Spent> {
        let mut parents: HashMap<Variable, Variable> = HashMap::from([(start, start)]);
        let mut queue = VecDeque::from([start]);
        while let Some(variable) = queue.pop_front() {
            if self.picks.contains_key(&variable) {
                self.adopt_chain(&parents, variable, value)?;
                return Ok(true);
            }
            let right = self.right(variable, value)?;
            match self.prospect(&right, value)? {
                Prospect::Lost => continue,
                Prospect::Given(because) => {
                    self.picks.insert(variable, because);
                    self.adopt_chain(&parents, variable, value)?;
                    return Ok(true);
                }
                Prospect::Through => {}
            }
            for &operand in &right.own {
                let met = parents.contains_key(&operand);
                if met && cycles && is_on_chain(&parents, variable, operand) {
                    self.link(variable, operand, value)?;
                    self.adopt_chain(&parents, variable, value)?;
                    return Ok(true);
                }
                if !met {
                    parents.insert(operand, variable);
                    queue.push_back(operand);
                    self.budget.charge(MEMORY_PER_VARIABLE)?;
                }
            }
        }
        Ok(false)
    }

    /// Picks, for all variables before the last of a chain, the next one.
    fn adopt_chain(
        &mut self,
        parents: &HashMap<Variable, Variable>,
        last: Variable,
        value: bool,
    ) -> Result<(), Spent> {
        let mut at = last;
        while parents[&at] != at {
            let before = parents[&at];
            self.link(before, at, value)?;
            at = before;
        }
        Ok(())
    }

    /// Picks an operand of a variable's own block, with whatever else the variable needs.
    fn link(&mut self, variable: Variable, operand: Variable, value: bool) -> Result<(), Spent> {
        let because = self.right(variable, value)?.through(operand);
        self.picks.insert(variable, because);
        Ok(())
    }

    /// Follows operands that have the value until one comes back: there is a cycle, and nothing but cycles.
    fn walk(&mut self, start: Variable, value: bool) -> Result<bool, Spent> {
        let mut at = start;
        let mut steps = 0;
        while !self.picks.contains_key(&at) {
            let right = self.right(at, value)?;
            if let Prospect::Given(because) = self.prospect(&right, value)? {
                self.picks.insert(at, because);
                break;
            }
            let mut next = None;
            for &operand in &right.own {
                if self.evidence.value(operand)? == value {
                    next = Some(operand);
                    break;
                }
            }
            let Some(next) = next else { break };
            self.link(at, next, value)?;
            at = next;
            steps += 1;
            if steps > self.most {
                return Ok(false);
            }
            self.budget.charge(MEMORY_PER_VARIABLE)?;
        }
        Ok(true)
    }

    /// In any block: all variables with that value that the picks could lead to, then the picks that end soonest.
    fn region(&mut self, start: Variable, value: bool) -> Result<bool, Spent> {
        let mut region = Region::default();
        let mut next = vec![start];
        region.numbers.insert(start, 0);
        region.variables.push(start);
        while let Some(variable) = next.pop() {
            let mut right = self.right(variable, value)?;
            self.keep_valued(&mut right, value)?;
            for &operand in &right.own {
                if !region.numbers.contains_key(&operand) && !self.picks.contains_key(&operand) {
                    region.numbers.insert(operand, region.variables.len());
                    region.variables.push(operand);
                    next.push(operand);
                    self.budget.charge(MEMORY_PER_VARIABLE)?;
                }
            }
            let number = region.numbers[&variable];
            region.rights.insert(number, right);
            if region.variables.len() > self.most {
                return Ok(false);
            }
        }
        region.choose(&mut self.picks, &self.budget)?;
        Ok(true)
    }

    /// Where one operand suffices: leaves those with the value.
    fn keep_valued(&mut self, right: &mut Right, value: bool) -> Result<(), Spent> {
        if !right.one {
            return Ok(());
        }
        for list in [&mut right.own, &mut right.later] {
            let mut kept = Vec::new();
            for &operand in list.iter() {
                if self.evidence.value(operand)? == value {
                    kept.push(operand);
                }
            }
            *list = kept;
        }
        Ok(())
    }
}

/// A support has no more variables than this, unless more are asked for.
const LONGEST: usize = 100_000;

/// What a right-hand side in a chain comes down to.
enum Prospect {
    /// These operands give the value.
    Given(Vec<Variable>),
    /// The value comes through the operands of the block.
    Through,
    /// The variable does not have the value.
    Lost,
}

/// About what a variable costs while a support is looked for.
const MEMORY_PER_VARIABLE: usize = 64;

/// Whether `other` is `variable` or was met on the way to it, not too long ago.
fn is_on_chain(parents: &HashMap<Variable, Variable>, variable: Variable, other: Variable) -> bool {
    let mut at = variable;
    for _ in 0..LONGEST_CYCLE {
        if at == other {
            return true;
        }
        at = parents[&at];
    }
    false
}

/// Longer cycles are found by walking.
const LONGEST_CYCLE: usize = 10_000;

/// Variables of one block that have one value and may support each other.
#[derive(Default)]
struct Region {
    variables: Vec<Variable>,
    numbers: HashMap<Variable, usize>,
    rights: HashMap<usize, Right>,
}

impl Region {
    /// Picks for every variable: first those that need nothing of the region, then those that need only these, and so
    /// on. Whatever is left stands in a circle, and may: the block's solution allows it, or the value would be another.
    fn choose(
        self,
        picks: &mut HashMap<Variable, Vec<Variable>>,
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); self.variables.len()];
        let mut missing = Vec::with_capacity(self.variables.len());
        let mut ready = VecDeque::new();
        for (number, &variable) in self.variables.iter().enumerate() {
            budget.tick()?;
            let right = &self.rights[&number];
            let mut needed = 0;
            for operand in right.own.iter().filter_map(|own| self.numbers.get(own)) {
                users[*operand].push(number);
                needed += 1;
            }
            missing.push(if right.one { 1 } else { needed });
            if let Some(because) = self.given(right, needed) {
                picks.insert(variable, because);
                ready.push_back(number);
            }
        }
        while let Some(number) = ready.pop_front() {
            budget.tick()?;
            for user in std::mem::take(&mut users[number]) {
                missing[user] -= usize::from(missing[user] > 0);
                let variable = self.variables[user];
                if missing[user] == 0 && !picks.contains_key(&variable) {
                    picks.insert(variable, self.rights[&user].through(self.variables[number]));
                    ready.push_back(user);
                }
            }
        }
        for (number, &variable) in self.variables.iter().enumerate() {
            budget.tick()?;
            let right = &self.rights[&number];
            let operand = right.own.first().copied().unwrap_or(variable);
            let pick = || right.through(operand);
            picks.entry(variable).or_insert_with(pick);
        }
        Ok(())
    }

    /// What gives a variable its value without the region, if that is enough; of which it needs so many operands.
    fn given(&self, right: &Right, needed: usize) -> Option<Vec<Variable>> {
        let mut all = right.later.iter().chain(&right.own);
        match right.one {
            true => all
                .find(|operand| !self.numbers.contains_key(operand))
                .map(|&operand| vec![operand]),
            false => (needed == 0).then(|| all.copied().collect()),
        }
    }
}

/// What is wrong with a support.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// There is no reason for a variable that another relies on.
    Missing(Variable),
    /// The operands named do not give the variable its value.
    TooWeak(Variable),
    /// The variable relies on itself, which the solution of its block does not allow.
    Circular(Variable),
}

/// Checks that a support forces the value of its first variable: no solver is asked anything.
pub fn check(evidence: &mut impl Evidence, support: &Support) -> Result<Result<(), Flaw>, Spent> {
    let reasons = &support.reasons;
    let numbers: HashMap<Variable, usize> = (0..reasons.len())
        .map(|number| (reasons[number].variable, number))
        .collect();
    for reason in reasons {
        let Reason {
            variable,
            value,
            because,
        } = reason;
        for operand in because {
            match numbers.get(operand) {
                None => return Ok(Err(Flaw::Missing(*operand))),
                Some(&number) if reasons[number].value != *value => {
                    return Ok(Err(Flaw::TooWeak(*variable)));
                }
                Some(_) => {}
            }
        }
        let mut operands = Vec::new();
        evidence.operands(*variable, &mut operands)?;
        let enough = match evidence.operator(*variable).decisive() == *value {
            true => because.iter().any(|operand| operands.contains(operand)),
            false => {
                let named: HashSet<&Variable> = because.iter().collect();
                operands.iter().all(|operand| named.contains(operand))
            }
        };
        if !enough {
            return Ok(Err(Flaw::TooWeak(*variable)));
        }
    }
    Ok(match circle(evidence, reasons, &numbers) {
        Some(variable) => Err(Flaw::Circular(variable)),
        None => Ok(()),
    })
}

/// A variable that relies on itself within a block whose default value is not its own.
fn circle(
    evidence: &impl Evidence,
    reasons: &[Reason],
    numbers: &HashMap<Variable, usize>,
) -> Option<Variable> {
    let home = |number: usize| evidence.block(reasons[number].variable);
    let strict = |number: usize| {
        let sign = evidence.blocks()[home(number)].sign;
        sign.default_value() != reasons[number].value
    };
    let inside = |number: usize| {
        let operands = reasons[number].because.iter();
        let operands = operands.map(|operand| numbers[operand]);
        operands.filter(move |&operand| home(operand) == home(number))
    };
    // Variables that none of the others rely on are taken away, until only circles are left.
    let mut users = vec![0_usize; reasons.len()];
    for number in (0..reasons.len()).filter(|&number| strict(number)) {
        inside(number).for_each(|operand| users[operand] += 1);
    }
    let mut free: Vec<usize> = (0..reasons.len())
        .filter(|&number| users[number] == 0)
        .collect();
    let mut left = vec![true; reasons.len()];
    while let Some(number) = free.pop() {
        left[number] = false;
        if strict(number) {
            for operand in inside(number) {
                users[operand] -= 1;
                if users[operand] == 0 {
                    free.push(operand);
                }
            }
        }
    }
    let found = (0..reasons.len()).find(|&number| left[number] && strict(number));
    found.map(|number| reasons[number].variable)
}

impl Evidence for Resolution<'_, &System> {
    fn blocks(&self) -> &[Block] {
        self.about().blocks()
    }

    fn block(&self, variable: Variable) -> usize {
        self.about().block(variable)
    }

    fn operator(&self, variable: Variable) -> Operator {
        self.about().operator(variable)
    }

    fn operands(&mut self, variable: Variable, into: &mut Vec<Variable>) -> Result<(), Spent> {
        self.equations().expand(variable, into).map(|_| ())
    }

    fn value(&mut self, variable: Variable) -> Result<bool, Spent> {
        Resolution::value(self, variable)
    }
}

/// A formula on a system: here every node has a variable, whether or not it took one to solve the system.
impl<T: Steps> Evidence for Resolution<'_, Product<'_, T>> {
    fn blocks(&self) -> &[Block] {
        self.about().program().blocks()
    }

    fn block(&self, variable: Variable) -> usize {
        let product = self.about();
        product
            .program()
            .block_of(product.plain_meaning(variable).1)
    }

    fn operator(&self, variable: Variable) -> Operator {
        self.about().plain_operator(variable)
    }

    fn operands(&mut self, variable: Variable, into: &mut Vec<Variable>) -> Result<(), Spent> {
        self.equations().plain_operands(variable, into)
    }

    fn value(&mut self, variable: Variable) -> Result<bool, Spent> {
        let (state, node) = self.about().plain_meaning(variable);
        match self.about().variable(state, node)? {
            Some(variable) => Resolution::value(self, variable),
            None => self.equations().read_off(state, node),
        }
    }
}
