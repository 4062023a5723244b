//! The second opinion on a verdict: claims about states, checked against the formula and the system alone.
//!
//! A claim says that a state satisfies an equation of the formula, or that it does not. The claims together are believed
//! when each follows from others by one look at its equation and at the steps of its state, and when those that need a
//! foundation have one: what is true in a least solution, or false in a greatest, must follow in finitely many such
//! looks. No solver is asked anything, and nothing of theirs is used here.

use std::collections::{HashMap, HashSet};

use causet_base::budget::Spent;
use causet_formula::modal::{Equation, Modal, Operator, Sign, Term};
use causet_solve::steps::Edge;

use crate::system::Labels;

/// That a state satisfies an equation, or not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Claim {
    /// The state.
    pub state: u32,
    /// The equation, by its number in the formula.
    pub equation: usize,
    /// Whether the state satisfies it.
    pub value: bool,
}

impl Claim {
    fn place(&self) -> Place {
        (self.state, self.equation)
    }
}

/// What is wrong with a list of claims.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// The claims say nothing about the formula at the initial state, or the opposite.
    BesideThePoint,
    /// A claim is there with both values.
    Contradiction(Claim),
    /// A claim does not follow from the others.
    Unfounded(Claim),
}

/// Whether the claims force the value of the formula at the initial state.
pub fn certify(
    formula: &Modal,
    labels: &Labels,
    initial: u32,
    holds: bool,
    claims: &[Claim],
    edges: impl FnMut(u32) -> Result<Vec<Edge>, Spent>,
) -> Result<Result<(), Flaw>, Spent> {
    let mut court = Court {
        formula,
        labels,
        edges,
        claimed: HashMap::new(),
        constants: constants(formula),
        admitted: HashMap::new(),
    };
    for claim in claims {
        let before = court
            .claimed
            .insert((claim.state, claim.equation), claim.value);
        if before == Some(!claim.value) {
            return Ok(Err(Flaw::Contradiction(*claim)));
        }
    }
    if let Err(flaw) = court.hear(claims)? {
        return Ok(Err(flaw));
    }
    let everything = |_: &Place| true;
    let mut path = Vec::new();
    let verdict = court.value((initial, formula.main), true, &everything, &mut path)?;
    Ok(match verdict == Some(holds) {
        true => Ok(()),
        false => Err(Flaw::BesideThePoint),
    })
}

/// A state and an equation.
type Place = (u32, usize);

/// The claims and what they are held against.
struct Court<'a, F> {
    formula: &'a Modal,
    labels: &'a Labels,
    edges: F,
    claimed: HashMap<Place, bool>,
    constants: Vec<Option<bool>>,
    admitted: HashMap<(usize, u32), bool>,
}

impl<F: FnMut(u32) -> Result<Vec<Edge>, Spent>> Court<'_, F> {
    /// Hears every claim: those that may rely on themselves may rely on all, the others on what has been founded.
    fn hear(&mut self, claims: &[Claim]) -> Result<Result<(), Flaw>, Spent> {
        let (strict, loose): (Vec<Claim>, Vec<Claim>) = claims
            .iter()
            .partition(|claim| self.needs_foundation(claim));
        let everything = |_: &Place| true;
        for claim in loose {
            if !self.follows(&claim, &everything)? {
                return Ok(Err(Flaw::Unfounded(claim)));
            }
        }
        self.found(strict)
    }

    /// Founds claims one on another until no more can be founded.
    ///
    /// A claim that needs all it looks at is heard again when the last of that is founded, any other with each of it: so
    /// nothing is looked at often, however much a state has steps.
    fn found(&mut self, claims: Vec<Claim>) -> Result<Result<(), Flaw>, Spent> {
        let mut unfounded: HashMap<Place, Claim> = HashMap::new();
        unfounded.extend(claims.iter().map(|claim| (claim.place(), *claim)));
        let mut waiting: HashMap<Place, Vec<Claim>> = HashMap::new();
        let mut missing: HashMap<Place, usize> = HashMap::new();
        for claim in &claims {
            let places = self.places(claim.state, claim.equation)?;
            let open = places.iter().filter(|place| unfounded.contains_key(place));
            for place in open {
                waiting.entry(*place).or_default().push(*claim);
                *missing.entry(claim.place()).or_default() += 1;
            }
        }
        let mut agenda = claims;
        let mut heard_in_vain = false;
        loop {
            let Some(claim) = agenda.pop() else {
                // What waits for less than it looks at may have been missed: everybody is heard once more.
                if heard_in_vain || unfounded.is_empty() {
                    break;
                }
                heard_in_vain = true;
                agenda.extend(unfounded.values());
                continue;
            };
            let founded = |place: &Place| !unfounded.contains_key(place);
            if founded(&claim.place()) || !self.follows(&claim, &founded)? {
                continue;
            }
            heard_in_vain = false;
            unfounded.remove(&claim.place());
            for waiter in waiting.remove(&claim.place()).unwrap_or_default() {
                let left = missing.entry(waiter.place()).or_default();
                *left = left.saturating_sub(1);
                if *left == 0 || self.needs_one(&waiter) {
                    agenda.push(waiter);
                }
            }
        }
        Ok(match unfounded.values().next() {
            Some(&claim) => Err(Flaw::Unfounded(claim)),
            None => Ok(()),
        })
    }

    /// Whether one thing that a claim looks at is enough for it.
    fn needs_one(&self, claim: &Claim) -> bool {
        let operator = self.formula.equations[claim.equation].operator;
        (operator == Operator::Or) == claim.value
    }

    fn needs_foundation(&self, claim: &Claim) -> bool {
        let least = self.formula.equations[claim.equation].sign == Sign::Mu;
        least == claim.value
    }

    /// Whether a claim follows from those claims that count, by one look at its equation.
    fn follows(&mut self, claim: &Claim, counts: &dyn Fn(&Place) -> bool) -> Result<bool, Spent> {
        let mut path = vec![claim.equation];
        let value = self.look(claim.place(), true, counts, &mut path)?;
        Ok(value == Some(claim.value))
    }

    /// The value of an equation at a state: as claimed, if that counts; a constant; or, when nothing is claimed of it but
    /// it is a part of what is looked at (`within`) or a mere name, what its own terms give.
    fn value(
        &mut self,
        (state, equation): Place,
        within: bool,
        counts: &dyn Fn(&Place) -> bool,
        path: &mut Vec<usize>,
    ) -> Result<Option<bool>, Spent> {
        let place = (state, equation);
        if let Some(&value) = self.claimed.get(&place) {
            return Ok(counts(&place).then_some(value));
        }
        if self.constants[equation].is_some() {
            return Ok(self.constants[equation]);
        }
        if path.contains(&equation) || (!within && self.has_steps(equation)) {
            return Ok(None);
        }
        path.push(equation);
        let value = self.look(place, within, counts, path)?;
        path.pop();
        Ok(value)
    }

    /// Whether an equation is about other states.
    fn has_steps(&self, equation: usize) -> bool {
        let equation = &self.formula.equations[equation];
        let neutral = Some(equation.operator == Operator::And);
        let mut terms = equation.terms.iter();
        terms.any(|term| match *term {
            Term::Here(_) => false,
            Term::Step { to, .. } => self.constants[to] != neutral,
        })
    }

    /// What the terms of an equation give, as far as they are known.
    fn look(
        &mut self,
        (state, equation): Place,
        within: bool,
        counts: &dyn Fn(&Place) -> bool,
        path: &mut Vec<usize>,
    ) -> Result<Option<bool>, Spent> {
        let formula = self.formula;
        let Equation {
            operator, terms, ..
        } = &formula.equations[equation];
        let decisive = *operator == Operator::Or;
        let mut all_known = true;
        for term in terms {
            let value = match *term {
                Term::Here(to) => self.value((state, to), within, counts, path)?,
                Term::Step { action, to } => {
                    self.after_steps(state, action, to, decisive, counts)?
                }
            };
            match value {
                Some(value) if value == decisive => return Ok(Some(decisive)),
                Some(_) => {}
                None => all_known = false,
            }
        }
        Ok(all_known.then_some(!decisive))
    }

    /// What an equation gives after the steps that an action admits: after some, or after all.
    fn after_steps(
        &mut self,
        state: u32,
        action: usize,
        to: usize,
        decisive: bool,
        counts: &dyn Fn(&Place) -> bool,
    ) -> Result<Option<bool>, Spent> {
        if self.constants[to] == Some(!decisive) {
            return Ok(Some(!decisive));
        }
        let mut all_known = true;
        for edge in (self.edges)(state)? {
            if !self.admits(action, edge.label) {
                continue;
            }
            match self.value((edge.target, to), false, counts, &mut Vec::new())? {
                Some(value) if value == decisive => return Ok(Some(decisive)),
                Some(_) => {}
                None => all_known = false,
            }
        }
        Ok(all_known.then_some(!decisive))
    }

    /// The claimed places that an equation looks at, through mere names too.
    fn places(&mut self, state: u32, equation: usize) -> Result<HashSet<Place>, Spent> {
        let mut found = HashSet::new();
        let mut seen = HashSet::from([(state, equation)]);
        let mut next = vec![((state, equation), true)];
        while let Some(((state, equation), inside)) = next.pop() {
            let formula = self.formula;
            for term in &formula.equations[equation].terms {
                let places: Vec<Place> = match *term {
                    Term::Here(to) => vec![(state, to)],
                    Term::Step { action, to } => {
                        let edges = (self.edges)(state)?;
                        let edges = edges.into_iter();
                        let edges = edges.filter(|edge| self.admits(action, edge.label));
                        edges.map(|edge| (edge.target, to)).collect()
                    }
                };
                let within = inside && matches!(term, Term::Here(_));
                for place in places {
                    if self.claimed.contains_key(&place) {
                        found.insert(place);
                    } else if (within || !self.has_steps(place.1)) && seen.insert(place) {
                        next.push((place, within));
                    }
                }
            }
        }
        Ok(found)
    }

    fn admits(&mut self, action: usize, label: u32) -> bool {
        *self.admitted.entry((action, label)).or_insert_with(|| {
            let internal = self.labels.is_internal(label);
            self.formula.actions[action].admits(self.labels.text(label), internal)
        })
    }
}

/// The equations whose value follows from the formula alone.
fn constants(formula: &Modal) -> Vec<Option<bool>> {
    let mut constants: Vec<Option<bool>> = vec![None; formula.equations.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (number, equation) in formula.equations.iter().enumerate() {
            if constants[number].is_none() {
                constants[number] = constant(number, equation, &constants);
                changed |= constants[number].is_some();
            }
        }
    }
    constants
}

fn constant(number: usize, equation: &Equation, constants: &[Option<bool>]) -> Option<bool> {
    let decisive = equation.operator == Operator::Or;
    let others = equation
        .terms
        .iter()
        .filter(|&&term| term != Term::Here(number));
    let mut neutral = true;
    for term in others {
        match *term {
            Term::Here(to) if constants[to] == Some(decisive) => return Some(decisive),
            Term::Here(to) | Term::Step { to, .. } => neutral &= constants[to] == Some(!decisive),
        }
    }
    let relies_on_itself = equation.terms.contains(&Term::Here(number));
    match (neutral, relies_on_itself) {
        (false, _) => None,
        (true, false) => Some(!decisive),
        (true, true) => Some(equation.sign == Sign::Nu),
    }
}
