//! Test graphs: what a tester may do and see, and the verdicts it comes to.
//!
//! The labels are those of the specification: its inputs are what the tester sends, its outputs and `delta` what the
//! tester waits for. A verdict is the end. The complete test graph of a purpose holds all tests for it, a test case is
//! a graph that leaves no choice to the tester. In files a verdict is a step to itself, `PASS`, `FAIL` or
//! `INCONCLUSIVE`.

use causet_solve::steps::Edge;

use super::roles::{Alphabet, Role};
use crate::system::{Labels, Lts};

/// How a test can end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// The purpose is fulfilled, and nothing was wrong.
    Pass,
    /// Nothing was wrong, but the purpose cannot be fulfilled any more.
    Inconclusive,
    /// The implementation did what the specification does not allow.
    Fail,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Verdict; 3] = [Verdict::Pass, Verdict::Inconclusive, Verdict::Fail];

    /// The label that stands for it in files.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Pass => "PASS",
            Verdict::Inconclusive => "INCONCLUSIVE",
            Verdict::Fail => "FAIL",
        }
    }

    fn of(word: &str) -> Option<Verdict> {
        Verdict::ALL
            .into_iter()
            .find(|verdict| verdict.word() == word)
    }
}

/// A label that a specification must not have, because it stands for a verdict in files.
pub fn reserved(labels: &Labels) -> Option<&'static str> {
    let mut words = Verdict::ALL.into_iter().map(Verdict::word);
    words.find(|word| labels.find(word).is_some())
}

/// Whether a graph has a step for everything that is a failure.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Failures {
    /// A step to `Fail` for every output of the specification that is not allowed.
    #[default]
    Explicit,
    /// No such step: whatever a waiting state has no step for is a failure. With many different outputs graphs are far
    /// smaller.
    Implicit,
}

/// A graph with verdicts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestGraph {
    lts: Lts,
    roles: Vec<Role>,
    verdicts: Vec<Option<Verdict>>,
    failures: Failures,
}

impl TestGraph {
    /// A graph from steps in any order, whose labels are those of an alphabet.
    pub(crate) fn new(
        steps: &[(u32, Edge)],
        verdicts: Vec<Option<Verdict>>,
        labels: &Labels,
        roles: &[Role],
        failures: Failures,
    ) -> TestGraph {
        let states = verdicts.len() as u32;
        TestGraph {
            lts: Lts::from_steps(states, 0, steps, labels.clone()),
            roles: roles.to_vec(),
            verdicts,
            failures,
        }
    }

    /// The steps without those that stand for verdicts.
    pub fn lts(&self) -> &Lts {
        &self.lts
    }

    /// The roles of the labels, seen from the system under test.
    pub fn roles(&self) -> &[Role] {
        &self.roles
    }

    /// Whether there are steps for all failures.
    pub fn failures(&self) -> Failures {
        self.failures
    }

    /// Whether the tester sends a label.
    pub fn sends(&self, label: u32) -> bool {
        self.roles[label as usize] == Role::Input
    }

    /// The verdict of a state, if the test ends there.
    pub fn verdict(&self, state: u32) -> Option<Verdict> {
        self.verdicts[state as usize]
    }

    /// How many states have a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        let same = |found: &&Option<Verdict>| **found == Some(verdict);
        self.verdicts.iter().filter(same).count()
    }

    /// The graph as files have it, with a step to itself for every verdict.
    pub fn to_lts(&self) -> Lts {
        let mut labels = self.lts.labels().clone();
        let mut steps: Vec<(u32, Edge)> = self.lts.transitions().collect();
        for (state, verdict) in (0..).zip(&self.verdicts) {
            if let Some(verdict) = verdict {
                let label = labels.number(verdict.word());
                steps.push((
                    state,
                    Edge {
                        label,
                        target: state,
                    },
                ));
            }
        }
        Lts::from_steps(self.lts.states(), self.lts.initial(), &steps, labels)
    }

    /// A graph as files have it; the other labels must be among those of the alphabet, and the first that is not is the
    /// error.
    pub fn from_lts(
        lts: &Lts,
        alphabet: &Alphabet,
        failures: Failures,
    ) -> Result<TestGraph, String> {
        let mut verdicts = vec![None; lts.states() as usize];
        let mut steps = Vec::new();
        for (source, step) in lts.transitions() {
            let text = lts.labels().text(step.label);
            match (Verdict::of(text), alphabet.labels().find(text)) {
                (Some(verdict), _) if step.target == source => {
                    verdicts[source as usize] = Some(verdict);
                }
                (None, Some(label)) => {
                    let target = step.target;
                    steps.push((source, Edge { label, target }));
                }
                _ => return Err(text.to_owned()),
            }
        }
        let states = lts.states();
        Ok(TestGraph {
            lts: Lts::from_steps(states, lts.initial(), &steps, alphabet.labels().clone()),
            roles: alphabet.roles().to_vec(),
            verdicts,
            failures,
        })
    }
}
