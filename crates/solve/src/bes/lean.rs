//! Disjunctive and conjunctive blocks: one depth-first search, a word of memory per variable, no edges stored.
//!
//! In a disjunctive block every variable comes down to the disjunction of its operands within the block, once those of
//! later blocks are known: a conjunction has one operand there at most. So a variable is true when it reaches one that a
//! later block makes true, or, in a greatest solution, when it reaches a cycle. Conjunctive blocks are the same with true
//! and false exchanged. The value that one operand suffices to give is called decisive here.
//!
//! Once a decisive value is met, every variable from which the search could still return to its own path has it too, and
//! the search is over. Where a cycle is not decisive the variables of a strongly connected component are known together,
//! when the search leaves it; that takes Tarjan's numbers, which are kept in the marks. This is what makes a block cost
//! linear time however often it is asked about. (The algorithm A4 of the sequential library behind paper MB-DSolve.)

use super::marks::{BUSY, UNSEEN, decode, encode};
use super::nested::{Nested, Outlook};
use super::{Equations, Sign, Variable};
use causet_base::budget::{Budget, Spent};

/// A variable on the path of the search.
struct Visit {
    variable: Variable,
    /// Where its waiting operands start.
    start: usize,
    /// The lowest number that its part of the search leads back to.
    low: u32,
}

/// The search from one variable.
#[derive(Default)]
pub(super) struct Search {
    block: usize,
    decisive: bool,
    /// Whether a cycle gives the decisive value.
    cycles_decide: bool,
    path: Vec<Visit>,
    /// All variables that are met and not yet known, in the order they were met.
    open: Vec<Variable>,
    next_number: u32,
    paid: usize,
}

impl<E: Equations> Nested<'_, E> {
    /// Resolves a variable of a disjunctive (`decisive` is true) or conjunctive block.
    pub(super) fn resolve_lean(
        &mut self,
        variable: Variable,
        block: usize,
        sign: Sign,
        decisive: bool,
    ) -> Result<bool, Spent> {
        let bottom = self.waiting.len();
        self.marks.meet(variable, BUSY, self.budget)?;
        if let Outlook::Known(value) = self.open_through(variable, block)? {
            self.marks.settle(variable, value);
            return Ok(value);
        }
        let mut search = Search {
            block,
            decisive,
            cycles_decide: sign.default_value() == decisive,
            next_number: BUSY,
            ..self.searches.pop().unwrap_or_default()
        };
        search.enter(variable, bottom, self.budget)?;
        let mut decided = false;
        while !decided && !search.path.is_empty() {
            decided = self.go_on(&mut search)?;
        }
        if decided {
            for open in search.open.drain(..) {
                self.marks.settle(open, decisive);
            }
            self.waiting.truncate(bottom);
        }
        search.path.clear();
        self.searches.push(search);
        Ok(decided == decisive)
    }

    /// Looks at the next operand of the variable at the end of the path, or leaves the variable when there is none;
    /// says whether the decisive value was met.
    fn go_on(&mut self, search: &mut Search) -> Result<bool, Spent> {
        let Some(visit) = search.path.last_mut() else {
            return Ok(false);
        };
        if self.waiting.len() == visit.start {
            self.leave(search);
            return Ok(false);
        }
        let Some(operand) = self.waiting.pop() else {
            return Ok(false);
        };
        match self.marks.get(operand) {
            UNSEEN => self.visit(operand, search),
            mark => match decode(mark) {
                Some(value) => Ok(value == search.decisive),
                None if search.cycles_decide => Ok(true),
                None => {
                    visit.low = visit.low.min(mark);
                    Ok(false)
                }
            },
        }
    }

    /// Adds a variable to the path, unless its value shows at once; says whether it is the decisive one.
    fn visit(&mut self, variable: Variable, search: &mut Search) -> Result<bool, Spent> {
        let start = self.waiting.len();
        self.marks.meet(variable, search.next_number, self.budget)?;
        match self.open_through(variable, search.block)? {
            Outlook::Known(value) => {
                self.marks.settle(variable, value);
                Ok(value == search.decisive)
            }
            Outlook::Open => {
                search.enter(variable, start, self.budget)?;
                Ok(false)
            }
        }
    }

    /// Takes the variable at the end of the path away; when nothing before it can be reached any more, its component is
    /// known not to have the decisive value.
    fn leave(&mut self, search: &mut Search) {
        let Some(visit) = search.path.pop() else {
            return;
        };
        let number = self.marks.get(visit.variable);
        if visit.low < number {
            if let Some(parent) = search.path.last_mut() {
                parent.low = parent.low.min(visit.low);
            }
            return;
        }
        while let Some(open) = search.open.pop() {
            self.marks.set(open, encode(!search.decisive));
            if open == visit.variable {
                break;
            }
        }
    }
}

impl Search {
    /// Adds a variable that has the next number to the path.
    fn enter(
        &mut self,
        variable: Variable,
        start: usize,
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        self.path.push(Visit {
            variable,
            start,
            low: self.next_number,
        });
        self.open.push(variable);
        self.next_number = self.next_number.checked_add(1).ok_or(Spent::Memory)?;
        self.pay(budget)
    }

    /// Pays for the path and the open variables once their tables have grown.
    fn pay(&mut self, budget: &Budget<'_>) -> Result<(), Spent> {
        let size = self.path.capacity() * size_of::<Visit>()
            + self.open.capacity() * size_of::<Variable>();
        if size > self.paid {
            budget.charge(size - self.paid)?;
            self.paid = size;
        }
        Ok(())
    }
}
