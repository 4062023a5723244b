//! Input-output conformance: after no trace of the specification may the implementation do what the specification
//! cannot.
//!
//! `I ioco M` holds when for every trace of the suspended specification the outputs of the implementation after it,
//! silence included, are among those of the specification. Both are made deterministic after suspension and walked side
//! by side, breadth-first, along what both can do; at the first pair of sets where an output is new the way there is a
//! shortest trace that shows the difference. What the specification says nothing about, an input it does not have, is
//! not followed.
//!
//! A difference is looked at once more by the definitions of [`suspension`](super::suspension) before anybody sees it.

use std::collections::{BTreeSet, HashMap};

use causet_base::budget::{Budget, Spent};
use causet_solve::steps::{Edge, Steps};

use super::roles::{Alphabet, Role};
use super::suspension::{Set, after, closure, out, suspended};
use super::trail::Trail;
use super::visible::Visible;
use crate::asked::Asked;
use crate::system::Lts;

/// A system and what its labels are.
#[derive(Clone, Copy, Debug)]
pub struct Party<'a> {
    /// The system.
    pub lts: &'a Lts,
    /// Its labels.
    pub alphabet: &'a Alphabet,
}

/// What a comparison of an implementation with its specification found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Conformance {
    /// The implementation conforms; so many pairs of sets were compared.
    Conforms(usize),
    /// It does not, and this is why.
    Differs(Difference),
}

/// A trace after which an implementation does what it must not, none shorter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The labels of the trace.
    pub trace: Vec<String>,
    /// The outputs of the implementation after it.
    pub implementation: BTreeSet<String>,
    /// The outputs of the specification after it.
    pub specification: BTreeSet<String>,
}

impl Difference {
    /// The outputs that the specification does not have.
    pub fn unexpected(&self) -> impl Iterator<Item = &str> {
        let new = self.implementation.difference(&self.specification);
        new.map(String::as_str)
    }
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotCompared {
    /// A limit was reached.
    Spent(Spent),
    /// The difference does not stand up to its check: a mistake of this program.
    Refuted(Difference),
}

impl From<Spent> for NotCompared {
    fn from(spent: Spent) -> Self {
        NotCompared::Spent(spent)
    }
}

/// Decides whether an implementation conforms to a specification; labels are equal when their texts are.
pub fn ioco(
    implementation: Party<'_>,
    specification: Party<'_>,
    budget: &Budget<'_>,
) -> Result<Conformance, NotCompared> {
    let branch = budget.branch();
    let (mut made, mut wanted) = (implementation.lts, specification.lts);
    let alphabets = [implementation.alphabet, specification.alphabet];
    let found = walk(&mut made, &mut wanted, alphabets, &branch)?;
    confirmed(found, implementation, specification, &branch)
}

/// The same for models that are explored as far as the comparison goes; their alphabets are in the same order.
pub fn ioco_asked(
    implementation: &mut Asked<'_>,
    specification: &mut Asked<'_>,
    alphabets: [&Alphabet; 2],
    budget: &Budget<'_>,
) -> Result<Conformance, NotCompared> {
    let branch = budget.branch();
    let found = walk(implementation, specification, alphabets, &branch)?;
    if matches!(found, Conformance::Conforms(_)) {
        return Ok(found);
    }
    // Whatever lies on the trace has been asked for, so the definitions see there what they would see of the whole.
    let made = implementation.known(alphabets[0], &branch)?;
    let wanted = specification.known(alphabets[1], &branch)?;
    let party = |lts, alphabet| Party { lts, alphabet };
    let implementation = party(&made, alphabets[0]);
    confirmed(found, implementation, party(&wanted, alphabets[1]), &branch)
}

/// What was found, if the definitions say so too.
fn confirmed(
    found: Conformance,
    implementation: Party<'_>,
    specification: Party<'_>,
    budget: &Budget<'_>,
) -> Result<Conformance, NotCompared> {
    if let Conformance::Differs(difference) = &found
        && !stands(difference, implementation, specification, budget)?
    {
        return Err(NotCompared::Refuted(difference.clone()));
    }
    Ok(found)
}

/// Goes through both, the implementation first; the alphabets are in the same order.
fn walk(
    implementation: &mut impl Steps,
    specification: &mut impl Steps,
    [ours, theirs]: [&Alphabet; 2],
    budget: &Budget<'_>,
) -> Result<Conformance, Spent> {
    let mut left = Visible::new(implementation, ours);
    let mut right = Visible::new(specification, theirs);
    let translated = translation(ours, theirs);
    let start = (left.initial(budget)?, right.initial(budget)?);
    let mut trail = Trail::new(start);
    let mut next = 0;
    while let Some(pair) = trail.get(next) {
        budget.tick()?;
        let made = left.successors(pair.0, budget)?;
        let wanted: HashMap<u32, u32> = right
            .successors(pair.1, budget)?
            .iter()
            .map(|edge| (edge.label, edge.target))
            .collect();
        for edge in &made {
            let shared = translated[edge.label as usize]
                .and_then(|label| Some((label, *wanted.get(&label)?)));
            match shared {
                Some((label, target)) => {
                    trail.add((edge.target, target), (next, label), budget)?;
                }
                None if ours.role(edge.label) == Role::Output => {
                    let difference = Difference {
                        trace: trail.way(next, theirs.labels()),
                        implementation: outputs(made.iter().map(label_of), ours),
                        specification: outputs(wanted.into_keys(), theirs),
                    };
                    return Ok(Conformance::Differs(difference));
                }
                None => {}
            }
        }
        next += 1;
    }
    Ok(Conformance::Conforms(trail.len()))
}

fn label_of(edge: &Edge) -> u32 {
    edge.label
}

/// For each label of one system that of the other with the same text and role.
pub(crate) fn translation(from: &Alphabet, to: &Alphabet) -> Vec<Option<u32>> {
    let numbers = 0..from.labels().len() as u32;
    let found = numbers.map(|label| {
        let other = to.labels().find(from.labels().text(label))?;
        (to.role(other) == from.role(label)).then_some(other)
    });
    found.collect()
}

fn outputs(labels: impl Iterator<Item = u32>, alphabet: &Alphabet) -> BTreeSet<String> {
    let outputs = labels.filter(|&label| alphabet.role(label) == Role::Output);
    outputs
        .map(|label| alphabet.labels().text(label).to_owned())
        .collect()
}

/// Whether a difference is one by the definitions.
fn stands(
    difference: &Difference,
    implementation: Party<'_>,
    specification: Party<'_>,
    budget: &Budget<'_>,
) -> Result<bool, Spent> {
    let ours = outputs_after(implementation, &difference.trace, budget)?;
    let theirs = outputs_after(specification, &difference.trace, budget)?;
    Ok(ours.as_ref() == Some(&difference.implementation)
        && theirs.as_ref() == Some(&difference.specification)
        && difference.unexpected().next().is_some())
}

/// The outputs after a trace, by the definitions; nothing when the system does not have the trace.
pub fn outputs_after(
    party: Party<'_>,
    trace: &[String],
    budget: &Budget<'_>,
) -> Result<Option<BTreeSet<String>>, Spent> {
    let Party { lts, alphabet } = party;
    let suspended = suspended(lts, alphabet, budget)?;
    let mut set: Set = closure(&suspended, Set::from([suspended.initial()]), alphabet);
    for text in trace {
        budget.tick()?;
        set = match alphabet.labels().find(text) {
            Some(label) => after(&suspended, &set, label, alphabet),
            None => Set::new(),
        };
    }
    let found = out(&suspended, &set, alphabet);
    Ok((!set.is_empty()).then(|| outputs(found.into_iter(), alphabet)))
}
