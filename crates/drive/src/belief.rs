//! Where a specification may be, by what was sent and seen.
//!
//! A set of states of the suspended specification, made deterministic as far as somebody goes, would do if tester and
//! system took turns. They do not: where the specification allows outputs, one may be on its way while the tester sends,
//! and nobody can say which came first. So there may be several places, one for each order:
//!
//! ```text
//!                      after !tea, ?coin still to be taken
//!                    /
//! sent ?coin, saw !tea              a failure is what neither of them allows
//!                    \
//!                      ?coin taken, then !tea
//! ```
//!
//! A walk sends nothing more before that is decided; a test case may, and then several stimuli are still to be taken, in
//! the order in which they were sent. Silence is the end of doubt: by then the system has taken everything. After an order
//! that the specification says nothing about, anything goes. So no system that conforms is ever believed to be wrong, if
//! the time of silence is long enough.

use std::collections::BTreeSet;

use causet_base::budget::{Budget, Spent};
use causet_lts::conformance::roles::{Alphabet, Role};
use causet_lts::conformance::visible::Visible;
use causet_solve::steps::{Edge, Steps};

use crate::record::Step;

/// Where the specification may be, by one order of what was sent and seen.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Place {
    pub(crate) set: u32,
    /// Stimuli that were sent and are not taken yet, the first one first.
    pending: Vec<u32>,
}

impl Place {
    /// A place where nothing is on its way.
    pub(crate) fn at(set: u32) -> Place {
        Place {
            set,
            pending: Vec::new(),
        }
    }
}

/// All places where the specification may be.
pub(crate) type Places = BTreeSet<Place>;

/// What became of the places after an observation.
pub(crate) enum After {
    /// The specification may be here.
    At(Places),
    /// It says nothing about what may have happened.
    Anything,
    /// It allows only this.
    Never(BTreeSet<String>),
}

/// A specification that is followed.
pub struct Belief<'a, T> {
    visible: Visible<'a, T>,
    alphabet: &'a Alphabet,
    budget: &'a Budget<'a>,
}

impl<'a, T: Steps> Belief<'a, T> {
    /// Follows a specification, which is explored as far as somebody goes.
    pub fn new(steps: &'a mut T, alphabet: &'a Alphabet, budget: &'a Budget<'a>) -> Self {
        Belief {
            visible: Visible::new(steps, alphabet),
            alphabet,
            budget,
        }
    }

    /// How many sets of states have been met.
    pub(crate) fn sets(&self) -> usize {
        self.visible.len()
    }

    /// The one place before anything has happened.
    pub(crate) fn initial(&mut self) -> Result<Places, Spent> {
        let set = self.visible.initial(self.budget)?;
        Ok(Places::from([Place::at(set)]))
    }

    /// The stimuli that the specification has wherever it may be; none while one is on its way.
    pub(crate) fn stimuli(&mut self, places: &Places) -> Result<Vec<u32>, Spent> {
        let mut common: Option<BTreeSet<u32>> = None;
        for place in places {
            if !place.pending.is_empty() {
                return Ok(Vec::new());
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
        Ok(common.into_iter().flatten().collect())
    }

    /// Whether an output may come.
    pub(crate) fn may_speak(&mut self, places: &Places) -> Result<bool, Spent> {
        for place in places {
            let steps = self.visible.successors(place.set, self.budget)?;
            if self.may_be_heard(&steps) || !place.pending.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The places after a stimulus: taken at once where no output can be on its way.
    pub(crate) fn send(&mut self, places: &Places, label: u32) -> Result<Places, Spent> {
        let mut next = Places::new();
        for place in places {
            let steps = self.visible.successors(place.set, self.budget)?;
            let waits = !place.pending.is_empty() || self.may_be_heard(&steps);
            next.insert(match (waits, target(&steps, label)) {
                (false, Some(set)) => Place::at(set),
                _ => Place {
                    set: place.set,
                    pending: [place.pending.as_slice(), &[label]].concat(),
                },
            });
        }
        Ok(next)
    }

    /// The places after an observation.
    pub(crate) fn see(&mut self, places: &Places, step: &Step) -> Result<After, Spent> {
        let number = self.output(step);
        let mut next = Places::new();
        let mut allowed = BTreeSet::new();
        for place in places {
            let mut steps = self.visible.successors(place.set, self.budget)?;
            for taken in 0..=place.pending.len() {
                let (_, left) = place.pending.split_at(taken);
                // Silence comes after everything that was sent.
                if left.is_empty() || *step != Step::Silence {
                    self.follow(&steps, number, left, &mut next, &mut allowed);
                }
                if let Some(&label) = left.first() {
                    let Some(set) = target(&steps, label) else {
                        return Ok(After::Anything);
                    };
                    steps = self.visible.successors(set, self.budget)?;
                }
            }
        }
        Ok(match next.is_empty() {
            true => After::Never(allowed),
            false => After::At(next),
        })
    }

    /// Where a set of states is after a label that was taken or given at once.
    pub(crate) fn step(&mut self, set: u32, label: u32) -> Result<Option<u32>, Spent> {
        let steps = self.visible.successors(set, self.budget)?;
        Ok(target(&steps, label))
    }

    /// The number of a stimulus; nothing if the specification has no such input.
    pub(crate) fn input(&self, text: &str) -> Option<u32> {
        let number = self.alphabet.labels().find(text);
        number.filter(|&label| self.alphabet.role(label) == Role::Input)
    }

    /// The number of an observation; nothing if the specification has no such output.
    pub(crate) fn output(&self, step: &Step) -> Option<u32> {
        let number = self
            .alphabet
            .labels()
            .find(step.label().unwrap_or_default());
        number.filter(|&label| self.is_output(label))
    }

    /// The places before and after each of some steps, which the specification allows.
    pub(crate) fn along(&mut self, steps: &[Step]) -> Result<Vec<Places>, Spent> {
        let mut all = vec![self.initial()?];
        for step in steps {
            let places = &all[all.len() - 1];
            let next = match (step, step.label()) {
                (Step::Sent(_), Some(text)) => match self.input(text) {
                    Some(label) => self.send(places, label)?,
                    None => break,
                },
                _ => match self.see(places, step)? {
                    After::At(next) => next,
                    _ => break,
                },
            };
            all.push(next);
        }
        Ok(all)
    }

    /// Whether one of some steps is an output that can be heard, which silence cannot.
    fn may_be_heard(&self, steps: &[Edge]) -> bool {
        let is_heard = |label| label != self.alphabet.delta() && self.is_output(label);
        steps.iter().any(|edge| is_heard(edge.label))
    }

    fn is_output(&self, label: u32) -> bool {
        self.alphabet.role(label) == Role::Output
    }

    /// Adds where an observation leads while some stimuli are left, and what could have been seen instead.
    fn follow(
        &self,
        steps: &[Edge],
        label: Option<u32>,
        left: &[u32],
        next: &mut Places,
        allowed: &mut BTreeSet<String>,
    ) {
        let possible = |label: &u32| {
            let silent = *label == self.alphabet.delta();
            self.is_output(*label) && (!silent || left.is_empty())
        };
        let outputs = steps.iter().map(|edge| edge.label).filter(possible);
        allowed.extend(outputs.map(|label| self.alphabet.labels().text(label).to_owned()));
        if let Some(set) = label.and_then(|label| target(steps, label)) {
            next.insert(Place {
                set,
                pending: left.to_vec(),
            });
        }
    }
}

fn target(steps: &[Edge], label: u32) -> Option<u32> {
    let step = steps.iter().find(|edge| edge.label == label);
    step.map(|edge| edge.target)
}
