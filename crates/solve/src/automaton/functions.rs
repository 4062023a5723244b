//! Boolean functions as shared, reduced and ordered decision diagrams, so that equal functions are the same function.

use rustc_hash::FxHashMap;

use causet_base::budget::{Budget, Spent};

/// A Boolean function of numbered variables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Function(u32);

impl Function {
    /// The function that is always false.
    pub(super) const NO: Function = Function(0);
    /// The function that is always true.
    pub(super) const YES: Function = Function(1);

    pub(super) fn constant(truth: bool) -> Self {
        if truth { Function::YES } else { Function::NO }
    }
}

/// The first variable that a function depends on, and what is left when it is false and when it is true.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Split {
    pub(super) variable: usize,
    pub(super) no: Function,
    pub(super) yes: Function,
}

/// A table entry with its share of both maps, in bytes.
const BYTES_PER_ENTRY: usize = 96;

/// The table of all functions.
pub(super) struct Functions<'b> {
    budget: &'b Budget<'b>,
    splits: Vec<Split>,
    function_of: FxHashMap<Split, Function>,
    known: FxHashMap<(Function, Function, Function), Function>,
}

impl<'b> Functions<'b> {
    pub(super) fn new(budget: &'b Budget<'b>) -> Self {
        Functions {
            budget,
            splits: Vec::new(),
            function_of: FxHashMap::default(),
            known: FxHashMap::default(),
        }
    }

    /// How a function starts; nothing for the constants.
    pub(super) fn split(&self, function: Function) -> Option<Split> {
        let index = function.0.checked_sub(2)?;
        Some(self.splits[index as usize])
    }

    /// The function that is the truth of a variable.
    pub(super) fn variable(&mut self, variable: usize) -> Result<Function, Spent> {
        self.join(variable, Function::NO, Function::YES)
    }

    pub(super) fn not(&mut self, one: Function) -> Result<Function, Spent> {
        self.choose(one, Function::NO, Function::YES)
    }

    pub(super) fn and(&mut self, one: Function, other: Function) -> Result<Function, Spent> {
        self.choose(one, other, Function::NO)
    }

    pub(super) fn or(&mut self, one: Function, other: Function) -> Result<Function, Spent> {
        self.choose(one, Function::YES, other)
    }

    /// `then` where the condition is true, else `otherwise`.
    pub(super) fn choose(
        &mut self,
        condition: Function,
        then: Function,
        otherwise: Function,
    ) -> Result<Function, Spent> {
        match condition {
            Function::YES => return Ok(then),
            Function::NO => return Ok(otherwise),
            _ if then == otherwise => return Ok(then),
            _ if (then, otherwise) == (Function::YES, Function::NO) => return Ok(condition),
            _ => {}
        }
        let key = (condition, then, otherwise);
        if let Some(&function) = self.known.get(&key) {
            return Ok(function);
        }
        self.budget.tick()?;
        let parts = [condition, then, otherwise];
        let firsts = parts.iter().filter_map(|&part| self.split(part));
        let variable = firsts.map(|split| split.variable).min().unwrap_or_default();
        let [(c_no, c_yes), (t_no, t_yes), (o_no, o_yes)] =
            parts.map(|part| self.cofactors(part, variable));
        let no = self.choose(c_no, t_no, o_no)?;
        let yes = self.choose(c_yes, t_yes, o_yes)?;
        let function = self.join(variable, no, yes)?;
        self.budget.charge(BYTES_PER_ENTRY)?;
        self.known.insert(key, function);
        Ok(function)
    }

    /// What is left of a function when a variable is false and when it is true; nothing before it matters.
    pub(super) fn cofactors(&self, function: Function, variable: usize) -> (Function, Function) {
        match self.split(function) {
            Some(split) if split.variable == variable => (split.no, split.yes),
            _ => (function, function),
        }
    }

    /// The function that asks for a variable first.
    pub(super) fn join(
        &mut self,
        variable: usize,
        no: Function,
        yes: Function,
    ) -> Result<Function, Spent> {
        if no == yes {
            return Ok(no);
        }
        let split = Split { variable, no, yes };
        if let Some(&function) = self.function_of.get(&split) {
            return Ok(function);
        }
        self.budget.charge(BYTES_PER_ENTRY)?;
        let function = Function(self.splits.len() as u32 + 2);
        self.splits.push(split);
        self.function_of.insert(split, function);
        Ok(function)
    }
}
