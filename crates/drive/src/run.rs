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
//!            | !coffee comes here, before ?button was sent, and is looked at in state 2
//! ```
//!
//! If it is among what is awaited there, the test goes on. But the two have crossed on their way: nothing that comes now
//! shows that the system did it in answer, or that it was wrong to do it. So `Pass` and `Fail` are `Inconclusive` from then
//! on.
//!
//! An output that was on its way, but came after the stimulus was sent, looks like an answer. The case alone cannot tell,
//! and may fail a system that conforms, if it sends where the specification allows outputs and the two do not take turns.
//! With the specification at hand (see `judge`) it cannot: then a failure is what the specification allows in no order, and
//! what it allows though the case does not is `Inconclusive`.
//!
//! A case may go round, as long as the system does not do what it is to show; after some time that is `Inconclusive` too.

use std::collections::{BTreeSet, VecDeque};

use causet_base::budget::Budget;
use causet_lts::conformance::graph::{Failures, TestGraph, Verdict};
use causet_lts::conformance::roles::{Alphabet, Convention, DELTA, Unclear};
use causet_lts::conformance::structure::flaw;
use causet_lts::{Labels, Lts};
use causet_solve::steps::{Edge, Steps};

use crate::belief::Belief;
use crate::judge::{Judge, Knowing, Nobody};
use crate::record::{Log, Step};
use crate::system::{System, Trouble};

/// A case that has gone on so often, beside once for each of its states, goes round.
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
    /// The verdict of the case alone, which may be one that cannot be believed.
    pub claimed: Verdict,
    /// What was sent and seen, in this order.
    pub steps: Vec<Step>,
    /// What the case looked at last, if that was the end: the last step, unless it had come before a stimulus was sent.
    pub last: Option<Step>,
    /// If that led to a verdict that is not `Pass`: what would have been no failure, or would have gone on.
    pub allowed: BTreeSet<String>,
    /// Whether an output came before a stimulus was sent and was looked at after it, so that its order proves nothing.
    pub crossed: bool,
    /// Whether the case was given up because it went round.
    pub went_round: bool,
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
    Running::new(case, &mut Nobody, log).run(system, budget)
}

/// The same, while the specification is followed.
pub fn run_judged<T: Steps>(
    case: &TestGraph,
    specification: &mut Belief<'_, T>,
    system: &mut impl System,
    log: &mut Log,
    budget: &Budget<'_>,
) -> Result<Ran, Trouble> {
    let mut knowing = Knowing::new(specification)?;
    Running::new(case, &mut knowing, log).run(system, budget)
}

/// A case on its way.
struct Running<'a> {
    case: &'a TestGraph,
    judge: &'a mut dyn Judge,
    state: u32,
    /// How often it has gone on.
    gone: usize,
    steps: Vec<Step>,
    /// Outputs that came before the last stimulus was sent.
    kept: VecDeque<Step>,
    /// Whether there ever was such an output.
    crossed: bool,
    log: &'a mut Log,
}

impl<'a> Running<'a> {
    fn new(case: &'a TestGraph, judge: &'a mut dyn Judge, log: &'a mut Log) -> Running<'a> {
        Running {
            case,
            judge,
            state: case.lts().initial(),
            gone: 0,
            steps: Vec::new(),
            kept: VecDeque::new(),
            crossed: false,
            log,
        }
    }

    fn run(mut self, system: &mut impl System, budget: &Budget<'_>) -> Result<Ran, Trouble> {
        let most = MOST_STEPS + self.case.lts().states() as usize;
        loop {
            budget.look()?;
            if let Some(verdict) = self.case.verdict(self.state) {
                return Ok(self.claims(verdict, None));
            }
            if self.gone >= most {
                return Ok(Ran {
                    went_round: true,
                    ..self.claims(Verdict::Inconclusive, None)
                });
            }
            self.gone += 1;
            let mut steps = self.case.lts().steps(self.state).iter().copied();
            let ended = match steps.find(|step| self.case.sends(step.label)) {
                Some(step) => self.send(step, system, budget)?,
                None => self.wait(system, budget)?,
            };
            if let Some(ran) = ended {
                return Ok(ran);
            }
        }
    }

    fn add(&mut self, step: Step) {
        self.log.add(&step);
        self.steps.push(step);
    }

    /// Sends, and keeps what came before; a result is the end.
    fn send(
        &mut self,
        step: Edge,
        system: &mut impl System,
        budget: &Budget<'_>,
    ) -> Result<Option<Ran>, Trouble> {
        while let Some(label) = system.glance(budget)? {
            let early = Step::Saw(label);
            if let Some(ran) = self.see(&early)? {
                return Ok(Some(ran));
            }
            self.kept.push_back(early);
            self.crossed = true;
        }
        let label = self.case.lts().labels().text(step.label);
        system.stimulate(label, budget)?;
        self.add(Step::Sent(label.to_owned()));
        self.judge.sent(label)?;
        self.state = step.target;
        Ok(None)
    }

    /// Looks at what comes next; a result is the end.
    fn wait(
        &mut self,
        system: &mut impl System,
        budget: &Budget<'_>,
    ) -> Result<Option<Ran>, Trouble> {
        let step = match self.kept.pop_front() {
            Some(early) => early,
            None => {
                let step = Step::from(system.watch(budget)?);
                if let Some(ran) = self.see(&step)? {
                    return Ok(Some(ran));
                }
                step
            }
        };
        let Some(target) = self.after(step.label().unwrap_or_default()) else {
            return Ok(Some(self.claims(Verdict::Fail, Some(step))));
        };
        match self.case.verdict(target) {
            Some(verdict) => Ok(Some(self.claims(verdict, Some(step)))),
            None => {
                self.state = target;
                Ok(None)
            }
        }
    }

    /// Notes an observation when it is made; a result is the end, because the specification does not allow it.
    fn see(&mut self, step: &Step) -> Result<Option<Ran>, Trouble> {
        self.add(step.clone());
        let allowed = self.judge.saw(step)?;
        Ok(allowed.map(|allowed| Ran {
            allowed,
            ..self.ended([Verdict::Fail; 2], Some(step.clone()))
        }))
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

    /// The end, with the verdict of the case as far as it can be believed.
    fn claims(&mut self, claimed: Verdict, last: Option<Step>) -> Ran {
        let doubted = match claimed {
            Verdict::Pass => self.crossed || !self.judge.allows_this_order(),
            Verdict::Inconclusive => false,
            // What the specification does not allow has been told by the judge.
            Verdict::Fail => self.crossed || self.judge.knows(),
        };
        let verdict = match doubted {
            true => Verdict::Inconclusive,
            false => claimed,
        };
        let allowed = match (claimed, &last) {
            (Verdict::Pass, _) | (_, None) => BTreeSet::new(),
            _ => self.allowed(verdict),
        };
        Ran {
            allowed,
            ..self.ended([verdict, claimed], last)
        }
    }

    fn ended(&mut self, [verdict, claimed]: [Verdict; 2], last: Option<Step>) -> Ran {
        self.log.add(&Step::Verdict(verdict.word().to_owned()));
        Ran {
            verdict,
            claimed,
            steps: std::mem::take(&mut self.steps),
            last,
            allowed: BTreeSet::new(),
            crossed: self.crossed,
            went_round: false,
        }
    }
}
