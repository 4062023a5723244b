//! Running a test case against a system.
//!
//! A case leaves no choice: in a state it sends one stimulus, or it waits for whatever comes, silence included. What it
//! has no step for while it waits is a failure.
//!
//! An output may come while the case is about to send. Whether the specification allows it there the case does not know,
//! because it never meant to look. Such an output is kept for the next state that waits:
//!
//! ```text
//! case:    1 --?button--> 2 --!coffee--> PASS
//!            ^               \--anything else--> FAIL
//!            | !tea comes here, before ?button was sent, and is looked at in state 2
//! ```
//!
//! If it is among what is awaited there, the test goes on: the two crossed on their way. From then on the case may be
//! elsewhere than the specification is, so what looks like a failure is `Inconclusive`, there or later: a case never
//! fails a system for what it came too late to judge.
//!
//! A case may go round, as long as the system does not do what it is to show; after some time that is `Inconclusive` too.

use std::collections::{BTreeSet, VecDeque};

use causet_lts::conformance::graph::{Failures, TestGraph, Verdict};
use causet_lts::conformance::roles::{Alphabet, Convention, DELTA, Unclear};
use causet_lts::conformance::structure::flaw;
use causet_lts::{Labels, Lts};
use causet_solve::budget::Budget;
use causet_solve::steps::Edge;

use crate::record::{Log, Step};
use crate::system::{Observation, System, Trouble};

/// A case that has sent and seen so much goes round.
pub const MOST_STEPS: usize = 1000;

/// Why a file holds no test case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotACase {
    /// A label has no clear role.
    Unclear(Unclear),
    /// This is wrong with it.
    Flaw(String),
}

/// How a test case ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ran {
    /// The verdict.
    pub verdict: Verdict,
    /// What was sent and seen, in this order.
    pub steps: Vec<Step>,
    /// If the last step led to a verdict that is not `Pass`: what the case would have gone on with, instead of the last step.
    pub allowed: BTreeSet<String>,
    /// Whether an output came before a stimulus was sent and was looked at after it, so that nothing proves a failure.
    pub crossed: bool,
}

/// The test case in a transition system as files have it, with or without steps to `FAIL`.
pub fn case(lts: &Lts, convention: &Convention) -> Result<TestGraph, NotACase> {
    let mut labels = Labels::default();
    let numbers = 0..lts.labels().len() as u32;
    for text in numbers.map(|label| lts.labels().text(label)) {
        let is_verdict = Verdict::ALL.iter().any(|verdict| verdict.word() == text);
        if text != DELTA && !is_verdict {
            labels.number(text);
        }
    }
    let alphabet = Alphabet::new(&labels, convention).map_err(NotACase::Unclear)?;
    let graph = TestGraph::from_lts(lts, &alphabet, Failures::Implicit)
        .map_err(|label| NotACase::Flaw(format!("a step {label} is not where a verdict can be")))?;
    match flaw(&graph, true) {
        None => Ok(graph),
        Some(flaw) => Err(NotACase::Flaw(flaw.to_string())),
    }
}

/// Runs a case on a system in its first state.
pub fn run(
    case: &TestGraph,
    system: &mut impl System,
    log: &mut Log,
    budget: &Budget<'_>,
) -> Result<Ran, Trouble> {
    let mut running = Running {
        case,
        state: case.lts().initial(),
        steps: Vec::new(),
        kept: VecDeque::new(),
        crossed: false,
        log,
    };
    loop {
        budget.look()?;
        if let Some(verdict) = case.verdict(running.state) {
            return Ok(running.ended(verdict, BTreeSet::new()));
        }
        if running.steps.len() >= MOST_STEPS {
            return Ok(running.ended(Verdict::Inconclusive, BTreeSet::new()));
        }
        let sent = case.lts().steps(running.state).iter();
        let ended = match sent.copied().find(|step| case.sends(step.label)) {
            Some(step) => {
                running.send(step, system, budget)?;
                None
            }
            None => running.wait(system, budget)?,
        };
        if let Some(ran) = ended {
            return Ok(ran);
        }
    }
}

/// A case on its way.
struct Running<'a> {
    case: &'a TestGraph,
    state: u32,
    steps: Vec<Step>,
    /// Outputs that came before the last stimulus was sent.
    kept: VecDeque<String>,
    /// Whether there ever was such an output.
    crossed: bool,
    log: &'a mut Log,
}

impl Running<'_> {
    fn add(&mut self, step: Step) {
        self.log.add(step.clone());
        self.steps.push(step);
    }

    fn send(
        &mut self,
        step: Edge,
        system: &mut impl System,
        budget: &Budget<'_>,
    ) -> Result<(), Trouble> {
        while let Some(label) = system.glance(budget)? {
            self.kept.push_back(label);
            self.crossed = true;
        }
        let label = self.case.lts().labels().text(step.label);
        system.stimulate(label, budget)?;
        self.add(Step::Sent(label.to_owned()));
        self.state = step.target;
        Ok(())
    }

    /// Looks at what comes next; a result is the end.
    fn wait(
        &mut self,
        system: &mut impl System,
        budget: &Budget<'_>,
    ) -> Result<Option<Ran>, Trouble> {
        let observation = match self.kept.pop_front() {
            Some(label) => Observation::Output(label),
            None => system.watch(budget)?,
        };
        let step = match observation {
            Observation::Output(label) => Step::Saw(label),
            Observation::Silence => Step::Silence,
        };
        let target = self.after(step.label().unwrap_or_default());
        self.add(step);
        let verdict = match target {
            Some(target) => self.case.verdict(target),
            None => Some(Verdict::Fail),
        };
        let verdict = match verdict {
            Some(Verdict::Fail) if self.crossed => Verdict::Inconclusive,
            Some(verdict) => verdict,
            None => {
                self.state = target.unwrap_or(self.state);
                return Ok(None);
            }
        };
        let allowed = match verdict {
            Verdict::Pass => BTreeSet::new(),
            _ => self.allowed(verdict),
        };
        Ok(Some(self.ended(verdict, allowed)))
    }

    /// Where an observation leads; an input of the system is none.
    fn after(&self, label: &str) -> Option<u32> {
        let graph = self.case;
        let number = graph.lts().labels().find(label)?;
        let mut steps = graph.lts().steps(self.state).iter();
        let step = steps.find(|step| step.label == number && !graph.sends(step.label));
        step.map(|step| step.target)
    }

    /// What would have been no failure here, and for a test that is inconclusive what would have gone on.
    fn allowed(&self, verdict: Verdict) -> BTreeSet<String> {
        let worse = |step: &&Edge| match self.case.verdict(step.target) {
            Some(Verdict::Fail) => false,
            Some(Verdict::Inconclusive) => verdict == Verdict::Fail,
            _ => true,
        };
        let steps = self.case.lts().steps(self.state).iter().filter(worse);
        let labels = steps.map(|step| self.case.lts().labels().text(step.label).to_owned());
        labels.collect()
    }

    fn ended(&mut self, verdict: Verdict, allowed: BTreeSet<String>) -> Ran {
        self.log.add(Step::Verdict(verdict.word().to_owned()));
        Ran {
            verdict,
            steps: std::mem::take(&mut self.steps),
            allowed,
            crossed: self.crossed,
        }
    }
}
