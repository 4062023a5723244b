//! Whether two processes can ever be in some state at the same time: mutual exclusion, for any number of processes.
//!
//! A *stretch* of a process lasts from the event that makes a predicate of it true to the event that makes it false. Some
//! cut lies within two stretches exactly if neither ends before the other begins. Take all stretches in the order in
//! which they began in the recording. If each ends before the next one begins, each ends before every later one begins,
//! for a stretch begins before it ends. If one does not, it overlaps with the next: that one ends later than it began in
//! the recording, so it does not end before this one began. So neighbours decide, and one number per event is enough to
//! know whether they are in order: how many stretches, counted from the first, have ended in its past. The work is one
//! pass over the run, where pairs of processes would be half a million for a thousand processes.

use std::sync::Arc;

use causet_base::budget::{Budget, Spent};
use causet_formula::core::{Ctl, Pred};
use causet_formula::linear::{Language, Ltl};
use causet_formula::{ProcRef, Quantifier, Template};
use causet_trace::sweep;

use super::table::Engine;
use crate::project::{Stretch, Survey};

/// One pass over the run for all pairs of processes. The planner knows when; it decides too little to be asked for.
pub(crate) static ENGINE: Engine = Engine::look("exclusion", "one pass for all pairs of processes");

/// A property that says of all pairs of processes that one predicate never holds of both.
pub(crate) struct Exclusion {
    /// What is asked of the process in the first place.
    predicate: Pred,
}

impl Exclusion {
    /// A template as such a property, if it is one.
    pub(crate) fn of(template: &Template) -> Option<Exclusion> {
        if !template.is_about_all_pairs() {
            return None;
        }
        let mut parts: [Vec<Pred>; 2] = Default::default();
        for part in conjuncts(&never_true(template)?) {
            parts[template.place_of(&part)?].push(part);
        }
        let [first, second] = parts.map(Pred::and);
        let &[one, other, ..] = &template.ranges[0][..] else {
            return None;
        };
        let is_same =
            template.predicate(&first, &[one, other]) == template.predicate(&second, &[other, one]);
        is_same.then_some(Exclusion { predicate: first })
    }

    /// Two processes that can be in the state at the same time, if there are any; the pair is one that the template
    /// allows. `None` where the predicate is not one of a single process after all.
    pub(crate) fn overlap(
        &self,
        template: &Template,
        survey: &mut Survey<'_>,
        budget: &Budget<'_>,
    ) -> Result<Option<Option<Vec<ProcRef>>>, Spent> {
        let mut stretches: Vec<(Stretch, ProcRef)> = Vec::new();
        for &process in &template.ranges[0] {
            budget.tick()?;
            let predicate = template.predicate(&self.predicate, &[process, process]);
            let Some(found) = survey.stretches(&predicate) else {
                return Ok(None);
            };
            budget.charge(found.len() * 48)?;
            stretches.extend(found.into_iter().map(|stretch| (stretch, process)));
        }
        stretches.sort_by_key(|(stretch, _)| stretch.begins);
        let found = first_overlap(survey, &stretches, budget)?;
        Ok(Some(found.map(|second| {
            let pair = [stretches[second - 1].1, stretches[second].1];
            if template.allows(&pair) {
                pair.to_vec()
            } else {
                pair.into_iter().rev().collect()
            }
        })))
    }
}

/// The first stretch that begins before the one before it has ended, in some order.
fn first_overlap(
    survey: &Survey<'_>,
    stretches: &[(Stretch, ProcRef)],
    budget: &Budget<'_>,
) -> Result<Option<usize>, Spent> {
    let begun_at_first = stretches
        .iter()
        .take_while(|(stretch, _)| stretch.begins.is_none());
    if begun_at_first.count() > 1 {
        return Ok(Some(1));
    }
    // Beginnings and ends by the rank of their event, with the number of the stretch.
    let mut visits: Vec<(u32, bool, u32)> = Vec::new();
    for (number, (stretch, _)) in (0..).zip(stretches) {
        visits.extend(stretch.begins.map(|rank| (rank, true, number)));
        visits.extend(stretch.ends.map(|rank| (rank, false, number)));
    }
    visits.sort_unstable();
    let mut visits = visits.into_iter().peekable();
    let mut rank = 0;
    let found = sweep(survey.subject().trace.order(), 1, |_, ended: &mut [u32]| {
        budget.tick().map_err(Err)?;
        while let Some((_, begins, number)) = visits.next_if(|&(at, ..)| at == rank) {
            if !begins {
                ended[0] = ended[0].max(number + 1);
            } else if ended[0] < number {
                return Err(Ok(number as usize));
            }
        }
        rank += 1;
        Ok(())
    });
    match found {
        Ok(()) => Ok(None),
        Err(Ok(second)) => Ok(Some(second)),
        Err(Err(spent)) => Err(spent),
    }
}

/// The predicate that is true at no cut if all instances say what decides nothing.
fn never_true(template: &Template) -> Option<Pred> {
    let (until, is_negated) = match &template.body {
        Ctl::Not(part) => (&**part, true),
        body => (body, false),
    };
    if is_negated != (template.quantifier == Quantifier::Forall) {
        return None;
    }
    match until {
        Ctl::Eu(hold, goal) if **hold == Ctl::TRUE => match &**goal {
            Ctl::State(pred) => Some(pred.clone()),
            _ => None,
        },
        Ctl::Run(runs) if runs.complement && runs.end.is_none() => match &runs.language {
            Language::Ltl(Ltl::Not(always)) => match &**always {
                Ltl::Until(hold, goal) if **hold == Ltl::TRUE => broken_at(goal),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// A predicate that is true somewhere along a run exactly if a formula is.
///
/// `p && (h U b)` is true somewhere exactly if `b` is, where `b` implies `p`: at the position of `b` the until is
/// fulfilled. So `G (p -> (q W !p))` says the same as `G (p -> q)`.
fn broken_at(formula: &Ltl) -> Option<Pred> {
    let parts: Vec<Ltl> = match formula {
        Ltl::State(pred) => return Some(pred.clone()),
        Ltl::And(parts) => parts.clone(),
        Ltl::Not(part) => match &**part {
            Ltl::Or(parts) => parts.iter().cloned().map(Ltl::not).collect(),
            _ => return None,
        },
        _ => return None,
    };
    let (mut now, mut later) = (Vec::new(), None);
    for part in parts {
        match part {
            Ltl::State(pred) => now.extend(conjuncts(&pred)),
            Ltl::Until(_, goal) if later.is_none() => match Arc::unwrap_or_clone(goal) {
                Ltl::State(pred) => later = Some(pred),
                _ => return None,
            },
            _ => return None,
        }
    }
    let later = later?;
    let implied = conjuncts(&later);
    now.iter()
        .all(|part| implied.contains(part))
        .then_some(later)
}

/// The parts of a conjunction.
pub(crate) fn conjuncts(pred: &Pred) -> Vec<Pred> {
    let signed = |(part, truth): (&Pred, bool)| match truth {
        true => part.clone(),
        false => Pred::not(part.clone()),
    };
    pred.conjuncts(true).map(signed).collect()
}
