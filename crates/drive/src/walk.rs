//! Walking along a specification at random, without a purpose, while a real system goes along.
//!
//! What the tester has seen narrows down where the specification may be: a set of states of its suspension, made
//! deterministic as far as the walk comes. At each step the tester sends a stimulus that the specification has there, or
//! waits; an output that the specification does not have there, or silence where it may not be silent, is a failure.
//!
//! Where the specification allows outputs, one may be on its way while the tester sends, and nobody can say which came
//! first. The walk then believes in both orders until something decides between them:
//!
//! ```text
//!                      after !tea, ?coin still to be taken
//!                    /
//! sent ?coin, saw !tea              a failure is what neither of them allows
//!                    \
//!                      ?coin taken, then !tea
//! ```
//!
//! Silence is the end of doubt: by then the system has taken everything. After an order that the specification says
//! nothing about, anything goes, and the walk ends. So no walk fails a system that conforms, if the time of silence is
//! long enough.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use causet_lts::conformance::roles::{Alphabet, Role};
use causet_lts::conformance::visible::Visible;
use causet_solve::budget::{Budget, Spent};
use causet_solve::steps::{Edge, Steps};
use fastrand::Rng;

use crate::record::{Log, Step};
use crate::system::{Observation, System, Trouble};

/// More distinct failures than this tell nobody more.
const MOST_FAILURES: usize = 100;

/// How far to walk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Where chance begins.
    pub seed: u64,
    /// So many walks at most.
    pub walks: usize,
    /// So many stimuli and observations in a walk at most.
    pub steps: usize,
    /// For so long at most; a step that has begun is finished.
    pub time: Option<Duration>,
}

/// What walks found out.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Walked {
    /// How many walks were begun.
    pub walks: usize,
    /// How many stimuli were sent.
    pub sent: usize,
    /// How many observations were made, silence included.
    pub seen: usize,
    /// How many sets of states of the specification were met.
    pub sets: usize,
    /// Distinct failures, the shortest first.
    pub failures: Vec<Failing>,
    /// Whether the time was over before the walks were.
    pub cut_short: bool,
}

/// Something that the specification does not allow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failing {
    /// What was sent and seen before it, on the shortest walk that met it.
    pub trace: Vec<Step>,
    /// What was seen.
    pub saw: Step,
    /// What the specification allows there.
    pub allowed: BTreeSet<String>,
    /// How many walks met it.
    pub times: usize,
}

/// Walks until everything is done, the time is over, or the adapter fails; then the failures so far stand beside it.
pub fn walk<T: Steps>(
    specification: &mut T,
    alphabet: &Alphabet,
    system: &mut impl System,
    extent: Extent,
    log: &mut Log,
    budget: &Budget<'_>,
) -> (Walked, Option<Trouble>) {
    let mut walker = Walker {
        visible: Visible::new(specification, alphabet),
        alphabet,
        random: Rng::with_seed(extent.seed),
        found: BTreeMap::new(),
        walked: Walked::default(),
        until: extent
            .time
            .and_then(|time| Instant::now().checked_add(time)),
        log,
        budget,
    };
    let trouble = walker.all(system, extent).err();
    let mut walked = walker.walked;
    walked.sets = walker.visible.len();
    walked.failures = walker.found.into_values().collect();
    walked.failures.sort_by_key(|failing| failing.trace.len());
    (walked, trouble)
}

/// Where the specification may be, by one order of what was sent and seen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Place {
    set: u32,
    /// A stimulus that was sent and is not taken yet.
    pending: Option<u32>,
}

/// What became of the places after an observation.
enum After {
    /// The specification may be here.
    At(BTreeSet<Place>),
    /// It says nothing about what may have happened.
    Anything,
    /// It allows only this.
    Never(BTreeSet<String>),
}

struct Walker<'a, T> {
    visible: Visible<'a, T>,
    alphabet: &'a Alphabet,
    random: Rng,
    found: BTreeMap<(BTreeSet<Place>, String), Failing>,
    walked: Walked,
    until: Option<Instant>,
    log: &'a mut Log,
    budget: &'a Budget<'a>,
}

impl<T: Steps> Walker<'_, T> {
    fn all(&mut self, system: &mut impl System, extent: Extent) -> Result<(), Trouble> {
        while self.walked.walks < extent.walks && self.found.len() < MOST_FAILURES {
            if self.is_late() {
                self.walked.cut_short = true;
                break;
            }
            if self.walked.walks > 0 {
                system.reset(self.budget)?;
                self.log.add(Step::Reset);
            }
            self.walked.walks += 1;
            let word = match self.one(system, extent.steps)? {
                true => "PASS",
                false => "FAIL",
            };
            self.log.add(Step::Verdict(word.to_owned()));
        }
        Ok(())
    }

    fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// One walk; whether nothing was wrong.
    fn one(&mut self, system: &mut impl System, steps: usize) -> Result<bool, Trouble> {
        let set = self.visible.initial(self.budget)?;
        let mut places = BTreeSet::from([Place { set, pending: None }]);
        let mut trace = Vec::new();
        while trace.len() < steps && !self.is_late() {
            self.budget.look()?;
            // Chance comes first, so that the same seed chooses alike whenever outputs come.
            let choice = self.choose(&places)?;
            let early = system.glance(self.budget)?.map(Observation::Output);
            if let Some(label) = choice.filter(|_| early.is_none()) {
                let text = self.alphabet.labels().text(label).to_owned();
                system.stimulate(&text, self.budget)?;
                self.walked.sent += 1;
                self.note(&mut trace, Step::Sent(text));
                places = self.send(&places, label)?;
                continue;
            }
            let observation = match early {
                Some(observation) => observation,
                None => system.watch(self.budget)?,
            };
            self.walked.seen += 1;
            let step = match observation {
                Observation::Output(label) => Step::Saw(label),
                Observation::Silence => Step::Silence,
            };
            let after = self.see(&places, &step)?;
            self.note(&mut trace, step);
            match after {
                After::At(next) => places = next,
                After::Anything => return Ok(true),
                After::Never(allowed) => {
                    self.fail(places, trace, allowed);
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn note(&mut self, trace: &mut Vec<Step>, step: Step) {
        self.log.add(step.clone());
        trace.push(step);
    }

    /// A stimulus that the specification has wherever it may be, or nothing to wait instead.
    fn choose(&mut self, places: &BTreeSet<Place>) -> Result<Option<u32>, Spent> {
        let mut common: Option<BTreeSet<u32>> = None;
        for place in places {
            if place.pending.is_some() {
                return Ok(None);
            }
            let steps = self.visible.successors(place.set, self.budget)?;
            let inputs = steps.iter().map(|edge| edge.label);
            let inputs = inputs.filter(|&label| self.alphabet.role(label) == Role::Input);
            let inputs: BTreeSet<u32> = inputs.collect();
            common = Some(match common {
                Some(common) => &common & &inputs,
                None => inputs,
            });
        }
        let common: Vec<u32> = common.into_iter().flatten().collect();
        let choice = self.random.usize(..=common.len());
        Ok(common.get(choice).copied())
    }

    /// The places after a stimulus: taken at once where no output can be on its way.
    fn send(&mut self, places: &BTreeSet<Place>, label: u32) -> Result<BTreeSet<Place>, Spent> {
        let mut next = BTreeSet::new();
        for place in places {
            let steps = self.visible.successors(place.set, self.budget)?;
            let delta = self.alphabet.delta();
            let may_speak = steps
                .iter()
                .any(|edge| edge.label != delta && self.alphabet.role(edge.label) == Role::Output);
            next.insert(match (may_speak, target(&steps, label)) {
                (false, Some(set)) => Place { set, pending: None },
                _ => Place {
                    set: place.set,
                    pending: Some(label),
                },
            });
        }
        Ok(next)
    }

    /// The places after an observation.
    fn see(&mut self, places: &BTreeSet<Place>, step: &Step) -> Result<After, Spent> {
        let text = step.label().unwrap_or_default();
        let number = self.alphabet.labels().find(text);
        let number = number.filter(|&label| self.alphabet.role(label) == Role::Output);
        let mut next = BTreeSet::new();
        let mut allowed = BTreeSet::new();
        for place in places {
            let steps = self.visible.successors(place.set, self.budget)?;
            let Some(pending) = place.pending else {
                self.follow(&steps, number, None, &mut next, &mut allowed);
                continue;
            };
            // Silence comes after everything that was sent.
            if *step != Step::Silence {
                self.follow(&steps, number, Some(pending), &mut next, &mut allowed);
            }
            let Some(set) = target(&steps, pending) else {
                return Ok(After::Anything);
            };
            let steps = self.visible.successors(set, self.budget)?;
            self.follow(&steps, number, None, &mut next, &mut allowed);
        }
        Ok(match next.is_empty() {
            true => After::Never(allowed),
            false => After::At(next),
        })
    }

    /// Adds where an observation leads, and what could have been seen instead.
    fn follow(
        &self,
        steps: &[Edge],
        label: Option<u32>,
        pending: Option<u32>,
        next: &mut BTreeSet<Place>,
        allowed: &mut BTreeSet<String>,
    ) {
        let possible = |label: &u32| {
            let silent = *label == self.alphabet.delta();
            self.alphabet.role(*label) == Role::Output && !(silent && pending.is_some())
        };
        let outputs = steps.iter().map(|edge| edge.label).filter(possible);
        allowed.extend(outputs.map(|label| self.alphabet.labels().text(label).to_owned()));
        if let Some(set) = label.and_then(|label| target(steps, label)) {
            next.insert(Place { set, pending });
        }
    }

    fn fail(&mut self, places: BTreeSet<Place>, mut trace: Vec<Step>, allowed: BTreeSet<String>) {
        let Some(saw) = trace.pop() else {
            return;
        };
        let key = (places, saw.label().unwrap_or_default().to_owned());
        let found = self.found.entry(key).or_insert_with(|| Failing {
            trace: trace.clone(),
            saw,
            allowed,
            times: 0,
        });
        found.times += 1;
        if trace.len() < found.trace.len() {
            found.trace = trace;
        }
    }
}

fn target(steps: &[Edge], label: u32) -> Option<u32> {
    let step = steps.iter().find(|edge| edge.label == label);
    step.map(|edge| edge.target)
}
