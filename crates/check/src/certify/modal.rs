//! The mu-calculus along a run: which equations are at stake, and whether one of them is true where the run ends.
//!
//! Before the first event the main equation is at stake. If one term of an equation is enough for the truth value, its
//! terms are at stake too: here, or after an event of the run that the term admits. If all terms are needed, those that
//! the labels of the next events decide are set aside; when a single other one is left, that one is at stake, and
//! otherwise the equation is a fact about the cut. A run shows the truth value when such a fact at its end has it,
//! decided by the labels of the next events or by brute force over all that can still happen, if that is little.
//!
//! So `<R> true` and the failure of `[R] false` are shown by the runs in `R` and no others, and `<a> (<b> true && <c> true)`
//! by `a`, if both `b` and `c` may follow. The recorded order shows the truth value if one of its beginnings does.

use std::cell::OnceCell;

use causet_base::budget::{Budget, Spent};
use causet_formula::modal::{Equation, Modal, Operator, Sign, Term};
use causet_trace::{EventId, Trace};
use rustc_hash::FxHashMap;

use super::charge::Charge;
use super::replay::Replay;
use crate::labels::Labels;

/// How many states brute force looks at before it gives up.
const MOST_STATES: usize = 1 << 18;

/// A formula and what its actions admit.
#[derive(Debug)]
pub(super) struct Modality {
    equations: Vec<Equation>,
    main: usize,
    /// Per event: the number of its label.
    labels: Vec<u32>,
    /// Per action: whether it admits each label.
    admits: Vec<Vec<bool>>,
    /// Per equation: its value, where that is the same whatever happens.
    fixed: Vec<Option<bool>>,
    /// Per equation: the one that says the same, if all it does is to name one.
    same_as: Vec<usize>,
    /// Per equation: whether it comes back to itself without an event.
    circles: Vec<bool>,
}

/// Equations one of which would be enough.
struct Enough {
    truth: bool,
    equations: Vec<usize>,
    /// Those among them that are facts about the present cut.
    facts: Vec<usize>,
}

/// The present state, as far as labels go.
struct Present<'n, 's, 't> {
    modality: &'n Modality,
    now: &'n Replay<'s, 't>,
    labels: OnceCell<Vec<u32>>,
}

impl Modality {
    /// Reads a formula about a run.
    pub(super) fn new(trace: &Trace, table: &Modal) -> Self {
        let labels = Labels::new(trace);
        let mut modality = Modality {
            equations: table.equations.clone(),
            main: table.main,
            admits: labels.admitted(table),
            labels: (0..trace.len())
                .map(|at| labels.of(EventId::new(at as u32)))
                .collect(),
            fixed: vec![None; table.equations.len()],
            same_as: (0..table.equations.len()).collect(),
            circles: (0..table.equations.len())
                .map(|number| circles(&table.equations, number))
                .collect(),
        };
        modality.find_fixed();
        modality.find_idle();
        modality.find_fixed();
        modality.find_names();
        modality
    }

    /// Whether a run shows that the formula has this truth value; `now` is left at its end.
    pub(super) fn is_shown(
        &self,
        truth: bool,
        now: &mut Replay<'_, '_>,
        run: &[EventId],
        budget: &Budget<'_>,
    ) -> Result<bool, Spent> {
        let mut enough = self.at_first(truth);
        for &event in run {
            budget.tick()?;
            self.close(&mut enough, now);
            if !now.step(event) {
                return Ok(false);
            }
            self.advance(&mut enough, event);
        }
        self.close(&mut enough, now);
        // Whoever found the run may not have seen that all but one term are the same everywhere.
        let equations = enough.equations.iter().copied();
        let more = equations.filter(|&equation| self.needs_all(equation, truth));
        enough.facts.extend(more);
        self.knows(&enough, now, &mut None, budget)
    }

    /// Whether some beginning of a run shows it.
    pub(super) fn is_shown_on_the_way(
        &self,
        truth: bool,
        now: &mut Replay<'_, '_>,
        run: &[EventId],
        budget: &Budget<'_>,
    ) -> Result<bool, Spent> {
        let mut enough = self.at_first(truth);
        let mut ahead = None;
        let mut spent = None;
        for position in 0..=run.len() {
            budget.tick()?;
            self.close(&mut enough, now);
            match self.knows(&enough, now, &mut ahead, budget) {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(reached) => spent = Some(reached),
            }
            if let Some(&event) = run.get(position) {
                now.advance(event);
                self.advance(&mut enough, event);
            }
        }
        spent.map_or(Ok(false), Err)
    }

    /// The truth of the formula in a state, by brute force.
    pub(super) fn holds(&self, now: &Replay<'_, '_>, budget: &Budget<'_>) -> Result<bool, Spent> {
        let ahead = Ahead::new(self, now, budget)?;
        ahead.holds(self.main, now.happened()).ok_or(Spent::Memory)
    }

    fn at_first(&self, truth: bool) -> Enough {
        Enough {
            truth,
            equations: vec![self.main],
            facts: Vec::new(),
        }
    }

    /// Whether all terms of an equation are needed to give it a truth value.
    fn needs_all(&self, equation: usize, truth: bool) -> bool {
        decisive(&self.equations[equation]) != truth
    }

    /// The only term that can make a difference where all are needed, if it is about the same state.
    fn only_term(&self, equation: usize, truth: bool) -> Option<usize> {
        let terms = self.equations[equation].terms.iter();
        let mut open = terms.filter(|term| {
            let (Term::Here(to) | Term::Step { to, .. }) = **term;
            self.fixed[to] != Some(truth)
        });
        match (open.next(), open.next()) {
            (Some(&Term::Here(to)), None) => Some(to),
            _ => None,
        }
    }

    /// Whether going around without an event, for ever, gives an equation the truth value.
    fn may_circle(&self, equation: usize, truth: bool) -> bool {
        let is_greatest = self.equations[equation].sign == Sign::Nu;
        self.circles[equation] && is_greatest == truth
    }

    /// Adds what would be enough at the same state.
    fn close(&self, enough: &mut Enough, now: &Replay<'_, '_>) {
        let present = Present {
            modality: self,
            now,
            labels: OnceCell::new(),
        };
        let mut next = 0;
        enough.facts.clear();
        while let Some(&equation) = enough.equations.get(next) {
            next += 1;
            let (more, is_fact) = match self.needs_all(equation, enough.truth) {
                true => self.followed(equation, enough.truth, &present),
                false => (heres(&self.equations[equation]).collect(), false),
            };
            if is_fact || self.may_circle(equation, enough.truth) {
                enough.facts.push(equation);
            }
            for to in more {
                if !enough.equations.contains(&to) {
                    enough.equations.push(to);
                }
            }
        }
    }

    /// What is at stake with an equation that needs all of its terms, and whether the equation is a fact.
    fn followed(
        &self,
        equation: usize,
        truth: bool,
        present: &Present<'_, '_, '_>,
    ) -> (Vec<usize>, bool) {
        if let Some(to) = self.only_term(equation, truth) {
            return (vec![to], false);
        }
        match self.left(equation, truth, present).as_deref() {
            Some([Term::Here(to)]) => (vec![*to], false),
            // It is shown already, so whatever else is followed does no harm.
            Some([]) => (heres(&self.equations[equation]).collect(), true),
            _ => (Vec::new(), true),
        }
    }

    /// The terms that an equation still depends on once the next labels are known, unless these show that it fails.
    fn left(
        &self,
        equation: usize,
        truth: bool,
        present: &Present<'_, '_, '_>,
    ) -> Option<Vec<Term>> {
        let mut left: Vec<Term> = Vec::new();
        let mut looks = FxHashMap::default();
        for &term in &self.equations[equation].terms {
            let known = present.term(term, &self.equations[equation], &mut looks);
            let term = match term {
                Term::Here(to) => Term::Here(self.same_as[to]),
                Term::Step { action, to } => Term::Step {
                    action,
                    to: self.same_as[to],
                },
            };
            match known {
                Some(known) if known != truth => return None,
                Some(_) => {}
                None if left.contains(&term) => {}
                None => left.push(term),
            }
        }
        Some(left)
    }

    /// Goes on to what would be enough after an event.
    fn advance(&self, enough: &mut Enough, event: EventId) {
        let label = self.labels[event.index()] as usize;
        let mut after = Vec::new();
        for &equation in &enough.equations {
            if self.needs_all(equation, enough.truth) {
                continue;
            }
            for term in &self.equations[equation].terms {
                if let Term::Step { action, to } = *term
                    && self.admits[action][label]
                    && !after.contains(&to)
                {
                    after.push(to);
                }
            }
        }
        enough.equations = after;
    }

    /// Whether one of the facts is true here: shown by the next labels, or else by brute force.
    fn knows<'b>(
        &self,
        enough: &Enough,
        now: &Replay<'_, '_>,
        ahead: &mut Option<Result<Ahead<'b>, Spent>>,
        budget: &'b Budget<'b>,
    ) -> Result<bool, Spent> {
        let present = Present {
            modality: self,
            now,
            labels: OnceCell::new(),
        };
        let mut looks = FxHashMap::default();
        let mut open = Vec::new();
        for &fact in &enough.facts {
            match present.look(fact, &mut looks) {
                Some(known) if known == enough.truth => return Ok(true),
                Some(_) => {}
                None => open.push(fact),
            }
        }
        for fact in open {
            match ahead.get_or_insert_with(|| Ahead::new(self, now, budget)) {
                Ok(ahead) if ahead.holds(fact, now.happened()) == Some(enough.truth) => {
                    return Ok(true);
                }
                Ok(_) => {}
                Err(spent) => return Err(*spent),
            }
        }
        Ok(false)
    }

    fn find_fixed(&mut self) {
        let mut known = usize::MAX;
        while known != self.fixed.iter().flatten().count() {
            known = self.fixed.iter().flatten().count();
            for number in 0..self.equations.len() {
                let equation = &self.equations[number];
                let of_term = |term: &Term| match *term {
                    Term::Here(to) => self.fixed[to],
                    // A step may be there or not.
                    Term::Step { to, .. } => {
                        self.fixed[to].filter(|&value| value != decisive(equation))
                    }
                };
                if self.fixed[number].is_none() {
                    self.fixed[number] = joined(equation, equation.terms.iter().map(of_term));
                }
            }
        }
    }

    /// Equations that only depend on each other, and never on an event, are what they are where nothing can happen.
    fn find_idle(&mut self) {
        let mut idle: Vec<bool> = self.fixed.iter().map(Option::is_none).collect();
        loop {
            let before = idle.clone();
            for number in 0..self.equations.len() {
                let neutral = Some(!decisive(&self.equations[number]));
                idle[number] &= self.equations[number].terms.iter().all(|term| match *term {
                    Term::Here(to) => self.fixed[to].is_some() || idle[to],
                    Term::Step { to, .. } => self.fixed[to] == neutral,
                });
            }
            if idle == before {
                break;
            }
        }
        let budget = Budget::endless();
        let nowhere = Ahead::nowhere(self, &budget);
        for number in (0..idle.len()).filter(|&number| idle[number]) {
            self.fixed[number] = nowhere.truth[number].first().copied();
        }
    }

    /// An equation names another one when that is the only term which can make a difference.
    fn find_names(&mut self) {
        for _ in 0..self.equations.len() {
            let mut changed = false;
            for number in 0..self.equations.len() {
                let neutral = Some(!decisive(&self.equations[number]));
                let mut left: Vec<Term> = Vec::new();
                for &term in &self.equations[number].terms {
                    let (Term::Here(to) | Term::Step { to, .. }) = term;
                    let term = match term {
                        Term::Here(to) => Term::Here(self.same_as[to]),
                        step => step,
                    };
                    if self.fixed[to] != neutral && !left.contains(&term) {
                        left.push(term);
                    }
                }
                if let [Term::Here(to)] = left[..]
                    && to != number
                    && self.same_as[number] != to
                {
                    self.same_as[number] = to;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }
}

impl Present<'_, '_, '_> {
    /// The value of an equation, if the next labels show it.
    fn look(&self, equation: usize, looks: &mut FxHashMap<usize, Option<bool>>) -> Option<bool> {
        let known = looks.get(&equation).copied();
        if let Some(known) = known.or(self.modality.fixed[equation].map(Some)) {
            return known;
        }
        // Around a circle nothing is shown.
        looks.insert(equation, None);
        let equations = &self.modality.equations;
        let terms = equations[equation].terms.iter();
        let values: Vec<Option<bool>> = terms
            .map(|&term| self.term(term, &equations[equation], looks))
            .collect();
        let value = joined(&equations[equation], values.into_iter());
        looks.insert(equation, value);
        value
    }

    fn term(
        &self,
        term: Term,
        within: &Equation,
        looks: &mut FxHashMap<usize, Option<bool>>,
    ) -> Option<bool> {
        match term {
            Term::Here(to) => self.look(to, looks),
            Term::Step { action, to } => {
                let admitted = &self.modality.admits[action];
                match self.labels().iter().any(|&label| admitted[label as usize]) {
                    true => self.modality.fixed[to],
                    false => Some(!decisive(within)),
                }
            }
        }
    }

    /// The labels of the events that may happen next.
    fn labels(&self) -> &[u32] {
        self.labels.get_or_init(|| {
            let events = self.now.possible().into_iter();
            events
                .map(|event| self.modality.labels[event.index()])
                .collect()
        })
    }
}

/// The value that one term suffices to give an equation.
fn decisive(equation: &Equation) -> bool {
    equation.operator == Operator::Or
}

/// Whether an equation comes back to itself without an event.
fn circles(equations: &[Equation], from: usize) -> bool {
    let mut seen = vec![false; equations.len()];
    let mut open = vec![from];
    while let Some(equation) = open.pop() {
        for to in heres(&equations[equation]) {
            if to == from {
                return true;
            }
            if !std::mem::replace(&mut seen[to], true) {
                open.push(to);
            }
        }
    }
    false
}

fn heres(equation: &Equation) -> impl Iterator<Item = usize> {
    equation.terms.iter().filter_map(|term| match *term {
        Term::Here(to) => Some(to),
        Term::Step { .. } => None,
    })
}

/// The value of an equation whose terms have these, as far as they are known.
fn joined(equation: &Equation, values: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let decisive = decisive(equation);
    let mut value = Some(!decisive);
    for known in values {
        match known {
            Some(known) if known == decisive => return Some(decisive),
            Some(_) => {}
            None => value = None,
        }
    }
    value
}

/// The truth of every equation in everything that can still happen from some state on.
struct Ahead<'b> {
    number: FxHashMap<Vec<u32>, u32>,
    /// Per state: the steps from it, by label.
    next: Vec<Vec<(u32, u32)>>,
    /// Per equation and state.
    truth: Vec<Vec<bool>>,
    charge: Charge<'b>,
}

/// About what a state takes.
const STATE_COST: usize = 160;

impl<'b> Ahead<'b> {
    fn new(
        modality: &Modality,
        now: &Replay<'_, '_>,
        budget: &'b Budget<'b>,
    ) -> Result<Self, Spent> {
        let mut ahead = Ahead {
            number: FxHashMap::default(),
            next: Vec::new(),
            truth: Vec::new(),
            charge: Charge::new(budget),
        };
        ahead.explore(modality, now, budget)?;
        ahead.solve(modality, budget)?;
        Ok(ahead)
    }

    /// A single state in which nothing can happen.
    fn nowhere(modality: &Modality, budget: &'b Budget<'b>) -> Self {
        let mut ahead = Ahead {
            number: FxHashMap::default(),
            next: vec![Vec::new()],
            truth: Vec::new(),
            charge: Charge::new(budget),
        };
        // Without limits there is nothing to stop it.
        let _ = ahead.solve(modality, budget);
        ahead
    }

    fn holds(&self, equation: usize, happened: &[u32]) -> Option<bool> {
        let state = *self.number.get(happened)?;
        Some(self.truth[equation][state as usize])
    }

    fn explore(
        &mut self,
        modality: &Modality,
        now: &Replay<'_, '_>,
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        let mut states = vec![now.happened().to_vec()];
        self.number.insert(states[0].clone(), 0);
        let cost = STATE_COST + 8 * states[0].len() + modality.equations.len();
        while let Some(state) = states.get(self.next.len()).cloned() {
            budget.tick()?;
            self.charge.take(cost)?;
            let mut steps = Vec::new();
            for event in now.possible_at(&state) {
                let mut after = state.clone();
                after[now.process_of(event)] += 1;
                let fresh = states.len() as u32;
                let number = *self.number.entry(after.clone()).or_insert(fresh);
                if number == fresh {
                    states.push(after);
                }
                steps.push((modality.labels[event.index()], number));
            }
            if states.len() > MOST_STATES {
                return Err(Spent::Memory);
            }
            self.next.push(steps);
        }
        Ok(())
    }

    /// Iterates the equations until nothing changes, those that others depend on first.
    fn solve(&mut self, modality: &Modality, budget: &Budget<'_>) -> Result<(), Spent> {
        let count = modality.equations.len();
        let depends: Vec<Vec<bool>> = (0..count).map(|from| depends(modality, from)).collect();
        let initial = |equation: &Equation| equation.sign == Sign::Nu;
        let states = self.next.len();
        let equations = modality.equations.iter();
        self.truth = equations
            .map(|equation| vec![initial(equation); states])
            .collect();
        let mut done = vec![false; count];
        while let Some(first) = (0..count).find(|&number| {
            let ready = |to: usize| done[to] || !depends[number][to] || depends[to][number];
            !done[number] && (0..count).all(ready)
        }) {
            let together =
                |&other: &usize| other == first || (depends[first][other] && depends[other][first]);
            let members: Vec<usize> = (0..count).filter(together).collect();
            while self.sweep(modality, &members) {
                budget.look()?;
            }
            members.iter().for_each(|&member| done[member] = true);
        }
        Ok(())
    }

    /// Evaluates equations once in every state, later states first; whether anything changed.
    fn sweep(&mut self, modality: &Modality, members: &[usize]) -> bool {
        let mut changed = false;
        for state in (0..self.next.len()).rev() {
            for &member in members {
                let value = self.evaluate(modality, &modality.equations[member], state);
                changed |= self.truth[member][state] != value;
                self.truth[member][state] = value;
            }
        }
        changed
    }

    fn evaluate(&self, modality: &Modality, equation: &Equation, state: usize) -> bool {
        let decisive = decisive(equation);
        let mut terms = equation.terms.iter();
        let decided = terms.any(|term| match *term {
            Term::Here(to) => self.truth[to][state] == decisive,
            Term::Step { action, to } => self.next[state].iter().any(|&(label, next)| {
                modality.admits[action][label as usize] && self.truth[to][next as usize] == decisive
            }),
        });
        decided == decisive
    }
}

/// On which equations one depends, at some distance.
fn depends(modality: &Modality, from: usize) -> Vec<bool> {
    let mut found = vec![false; modality.equations.len()];
    let mut open = vec![from];
    while let Some(equation) = open.pop() {
        for term in &modality.equations[equation].terms {
            let (Term::Here(to) | Term::Step { to, .. }) = *term;
            if !std::mem::replace(&mut found[to], true) {
                open.push(to);
            }
        }
    }
    found
}
