//! What walks have found: each failure once, with the shortest trace that met it.
//!
//! Failures are the same when the last stimulus, what was seen and what was allowed are: one fault of a program shows up
//! at many places of the specification, and each of them would say the same. Of each the shortest trace is kept, and
//! shorter ones are there to be tried (see `shorten`).

use std::collections::{BTreeMap, BTreeSet};

use causet_base::budget::{Budget, Spent};
use causet_solve::steps::Steps;
use fastrand::Rng;

use crate::belief::{Belief, Places};
use crate::record::Step;
use crate::shorten::{cut, straight};

/// So many times a shorter way to a failure is tried, and as often again when one was found.
const ATTEMPTS: usize = 8;

/// Something that the specification does not allow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failing {
    /// What was sent and seen before it, on the shortest walk that met it.
    pub trace: Vec<Step>,
    /// What was seen, or how the adapter failed.
    pub saw: Step,
    /// What the specification allows there.
    pub allowed: BTreeSet<String>,
    /// How many walks met it.
    pub times: usize,
}

/// What makes two failures the same.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Kind {
    sent: Option<String>,
    /// Nothing when the adapter failed, in whatever words.
    saw: Option<String>,
    allowed: BTreeSet<String>,
}

struct Found {
    failing: Failing,
    /// How many shorter ways were tried since the last that was one.
    attempts: usize,
}

/// All that was found.
#[derive(Default)]
pub(crate) struct Findings(BTreeMap<Kind, Found>);

impl Findings {
    /// How many distinct failures there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The failures, the shortest first.
    pub(crate) fn into_failures(self) -> Vec<Failing> {
        let found = self.0.into_values().map(|found| found.failing);
        let mut failures: Vec<Failing> = found.collect();
        failures.sort_by_key(|failing| failing.trace.len());
        failures
    }

    /// Adds what was met once.
    pub(crate) fn add(&mut self, trace: Vec<Step>, saw: Step, allowed: BTreeSet<String>) {
        let sent = trace.iter().rev().find_map(|step| match step {
            Step::Sent(label) => Some(label.clone()),
            _ => None,
        });
        let kind = Kind {
            sent,
            saw: saw.label().map(str::to_owned),
            allowed: allowed.clone(),
        };
        let found = self.0.entry(kind).or_insert_with(|| Found {
            failing: Failing {
                trace: trace.clone(),
                saw: saw.clone(),
                allowed,
                times: 0,
            },
            attempts: 0,
        });
        found.failing.times += 1;
        if trace.len() < found.failing.trace.len() {
            found.failing.trace = trace;
            found.failing.saw = saw;
            found.attempts = 0;
        }
    }

    /// A way to a failure that is shorter than the one that is known, with what was seen at its end, if there may be one.
    pub(crate) fn shorter<T: Steps>(
        &mut self,
        belief: &mut Belief<'_, T>,
        random: &mut Rng,
        budget: &Budget<'_>,
    ) -> Result<Option<Vec<Step>>, Spent> {
        let mut waiting = self.0.values_mut();
        let Some(found) = waiting.find(|found| found.attempts < ATTEMPTS) else {
            return Ok(None);
        };
        let trace = &found.failing.trace;
        let shorter = match found.attempts {
            0 => {
                let memory = budget.branch();
                memory.charge(trace.len() * 4 * size_of::<Places>())?;
                Some(straight(trace, &belief.along(trace)?))
            }
            _ => cut(trace, random),
        };
        found.attempts += 1;
        let shorter = shorter.filter(|steps| steps.len() < found.failing.trace.len());
        Ok(shorter.map(|mut steps| {
            steps.push(found.failing.saw.clone());
            steps
        }))
    }
}
