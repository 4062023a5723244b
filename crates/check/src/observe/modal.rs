//! What the recorded order decides of a formula of the mu-calculus.
//!
//! As for CTL every equation has one of three values at each position: true, false, or not known. A diamond is true if the
//! recorded step leads on to it, a box is false if it does; where no event is left that a step admits, a diamond is false
//! and a box is true. One pass from the final cut to the initial one finds them all.
//!
//! Two kinds of formulas are decided although other orders have a say in them. `mu X. (<true> true && [!A] X)` says that
//! `A` is inevitable, and every order executes the same events: it is true as long as an event of `A` is left. And every
//! order ends at the final cut, so induction from there shows that some equations have one value at every cut:
//! `[true*] <A> true` is false everywhere, because no step is left at the final cut.

use causet_base::budget::{Budget, Spent};
use causet_formula::modal::{Equation, Modal, Operator, Sign, Term};
use causet_trace::Trace;

use super::join;
use crate::equations::fixed;
use crate::labels::Labels;

/// The truth value of a formula at the initial cut, if the recorded order decides it.
pub(crate) fn observe_modal(
    trace: &Trace,
    table: &Modal,
    budget: &Budget<'_>,
) -> Result<Option<bool>, Spent> {
    let labels = Labels::new(trace);
    let mut pass = Pass {
        table,
        admits: labels.admitted(table),
        fixed: fixed(&table.nodes()),
        left: vec![0; table.actions.len()],
        events_left: 0,
        inevitable: Vec::new(),
    };
    pass.inevitable = (0..table.equations.len())
        .map(|number| pass.inevitable(number))
        .collect();
    pass.fixed = pass.constants();
    let recorded: Vec<u32> = trace
        .order()
        .recorded()
        .map(|event| labels.of(event))
        .collect();
    let mut known = pass.at(None);
    for &label in recorded.iter().rev() {
        budget.tick()?;
        for (left, admits) in pass.left.iter_mut().zip(&pass.admits) {
            *left += usize::from(admits[label as usize]);
        }
        pass.events_left += 1;
        known = pass.at(Some((label as usize, &known)));
    }
    Ok(known[table.main])
}

/// What is known of each equation at a position.
type Values = Vec<Option<bool>>;

struct Pass<'m> {
    table: &'m Modal,
    /// Per action: whether it admits each label.
    admits: Vec<Vec<bool>>,
    /// Per equation: its value, if it has the same at every cut.
    fixed: Values,
    /// Per action: how many events from here on it admits.
    left: Vec<usize>,
    /// How many events there are from here on.
    events_left: usize,
    /// Per equation that says that something is inevitable: the action that admits everything else.
    inevitable: Vec<Option<usize>>,
}

impl Pass<'_> {
    /// The values at a position, given the label of the next recorded event and the values after it.
    fn at(&self, next: Option<(usize, &Values)>) -> Values {
        let mut values = self.fixed.clone();
        loop {
            let mut changed = false;
            for (number, equation) in self.table.equations.iter().enumerate() {
                if values[number].is_none() {
                    values[number] = self.value(number, equation, &values, next);
                    changed |= values[number].is_some();
                }
            }
            if !changed {
                return values;
            }
        }
    }

    fn value(
        &self,
        number: usize,
        equation: &Equation,
        values: &Values,
        next: Option<(usize, &Values)>,
    ) -> Option<bool> {
        if let Some(others) = self.inevitable[number] {
            return Some(self.left[others] < self.events_left);
        }
        let decisive = equation.operator == Operator::Or;
        let value = |term: &Term| match *term {
            Term::Here(to) => values[to],
            Term::Step { action, .. } if self.left[action] == 0 => Some(!decisive),
            Term::Step { action, to } => {
                let leads_on = next.is_some_and(|(label, after)| {
                    self.admits[action][label] && after[to] == Some(decisive)
                });
                let cannot = self.fixed[to] == Some(!decisive);
                leads_on.then_some(decisive).or(cannot.then_some(!decisive))
            }
        };
        join(decisive, equation.terms.iter().map(value))
    }

    /// The equations that have one value at every cut, shown by induction from the final cut.
    ///
    /// The hypothesis is that an equation has the value it has at the final cut after every step; it is kept if the same
    /// value then follows at every other cut, which has a step. Dropping what does not follow may take its reason from
    /// the rest, so this is repeated until all of the hypothesis follows from itself.
    fn constants(&self) -> Values {
        let mut hypothesis = self.at(None);
        loop {
            let derived = self.before(&hypothesis);
            if derived == hypothesis {
                return derived;
            }
            hypothesis = derived;
        }
    }

    /// The values of a hypothesis that follow at a cut with a step, if the hypothesis is true after every step.
    fn before(&self, hypothesis: &Values) -> Values {
        let mut derived = self.fixed.clone();
        loop {
            let mut changed = false;
            for (number, equation) in self.table.equations.iter().enumerate() {
                if derived[number].is_none() && hypothesis[number].is_some() {
                    let value = self.follows(equation, &derived, hypothesis);
                    derived[number] = value.filter(|_| value == hypothesis[number]);
                    changed |= derived[number].is_some();
                }
            }
            if !changed {
                return derived;
            }
        }
    }

    fn follows(&self, equation: &Equation, here: &Values, after: &Values) -> Option<bool> {
        let decisive = equation.operator == Operator::Or;
        let value = |term: &Term| match *term {
            Term::Here(to) => here[to],
            Term::Step { action, to } if self.admits_all(action) => after[to],
            Term::Step { to, .. } => after[to].filter(|&value| value != decisive),
        };
        join(decisive, equation.terms.iter().map(value))
    }

    fn admits_all(&self, action: usize) -> bool {
        self.admits[action].iter().all(|&admits| admits)
    }

    /// The action of the box, if an equation is `mu X. (<true> true && [action] X)`.
    fn inevitable(&self, number: usize) -> Option<usize> {
        if self.table.equations[number].sign != Sign::Mu {
            return None;
        }
        let mut boxes = Vec::new();
        let mut goes_on = false;
        for term in self.conjuncts(number, MAX_NESTING)? {
            match term {
                Term::Step { action, to } if to == number => boxes.push(action),
                Term::Here(to) if self.is_any_step(to) => goes_on = true,
                _ => return None,
            }
        }
        match boxes[..] {
            [action] if goes_on => Some(action),
            _ => None,
        }
    }

    /// The terms of a conjunction of conjunctions.
    fn conjuncts(&self, number: usize, nesting: usize) -> Option<Vec<Term>> {
        let equation = &self.table.equations[number];
        if equation.operator != Operator::And || nesting == 0 {
            return None;
        }
        let mut terms = Vec::new();
        for &term in &equation.terms {
            match term {
                Term::Here(to) if self.table.equations[to].operator == Operator::And => {
                    terms.extend(self.conjuncts(to, nesting - 1)?);
                }
                term => terms.push(term),
            }
        }
        Some(terms)
    }

    /// Whether an equation is `<true> true`.
    fn is_any_step(&self, number: usize) -> bool {
        let equation = &self.table.equations[number];
        let is_any = |term: &Term| match *term {
            Term::Step { action, to } => self.fixed[to] == Some(true) && self.admits_all(action),
            Term::Here(_) => false,
        };
        equation.operator == Operator::Or && equation.terms.iter().any(is_any)
    }
}

/// How deep conjunctions are looked into.
const MAX_NESTING: usize = 8;
