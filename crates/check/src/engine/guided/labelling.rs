//! Which automaton states the paths to a cut lead to, and what that says at the cut (Babaoglu, Fromentin and Raynal).
//!
//! Every path from the initial cut to a cut `S` is a word. `R(S)` is the set of states in which the automaton can be when
//! it has read one of them. It is found from the cuts just below: for each event that leads from `U` to `S`, the states
//! after the letter of `S` of all states in `R(U)` (thesis, figure 6.1, p. 113). The initial cut reads its own letter,
//! as if a cut before it had led there, with the initial state alone. A letter may depend on the event, so it is read
//! once for each event; the figure reads it once a cut, which is the same without atoms about events.
//!
//! Some path to `S` is a word of the automaton when `R(S)` meets the accepting states (`SOME`, definition 6.1); all are
//! when it lies within them (`ALL`, definition 6.2), for which the automaton has to be deterministic. A word that the
//! automaton cannot read to its end is rejected; so that `ALL` sees it, it ends in one more state, the lost one.
//!
//! The figure takes symbols for letters, several of which may hold at a cut, and tries each. Letters here are
//! valuations, one a cut: only then do `ALL` at the final cut and "on every run" mean the same, and only then does the
//! repetition of a letter add no words. Symbols can be had by an automaton that moves on each of those that hold.

use std::borrow::Cow;

use causet_base::budget::{Budget, Spent};
use causet_solve::automaton::{Automaton, State};

use super::arrivals::{Arriving, Complete};
use super::guidance::Outlook;
use super::levels::{Counts, Frontier, Walk};
use super::{Mix, Steps};
use crate::linear::Scene;

/// An automaton made ready to label cuts: sets of states are rows of bits.
#[derive(Debug)]
pub struct Labels<'a> {
    automaton: Cow<'a, Automaton>,
    words: usize,
    accepting: Vec<u64>,
    outlook: Outlook,
}

impl<'a> Labels<'a> {
    /// Makes an automaton ready.
    pub fn new(automaton: &'a Automaton) -> Self {
        Labels::of(Cow::Borrowed(automaton))
    }

    /// Makes an automaton ready and keeps it, for a search that outlives whoever asks.
    pub fn keep(automaton: Automaton) -> Labels<'static> {
        Labels::of(Cow::Owned(automaton))
    }

    fn of(automaton: Cow<'a, Automaton>) -> Self {
        let words = automaton.len() / 64 + 1;
        let mut accepting = vec![0; words];
        for state in (0..automaton.len()).filter(|&state| automaton.is_accepting(state as State)) {
            put(&mut accepting, state);
        }
        Labels {
            words,
            accepting,
            outlook: Outlook::of(&automaton),
            automaton,
        }
    }

    /// The automaton.
    pub fn automaton(&self) -> &Automaton {
        &self.automaton
    }

    /// How many words a set of states has.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The number of the state of words that cannot be read.
    pub fn lost(&self) -> usize {
        self.automaton.len()
    }

    /// What can still become of a word, by its state.
    pub fn outlook(&self) -> &Outlook {
        &self.outlook
    }

    /// The accepting states.
    pub fn accepting(&self) -> &[u64] {
        &self.accepting
    }

    /// The initial state alone: what holds before the letter of the initial cut is read.
    pub fn before(&self) -> Vec<u64> {
        let mut set = vec![0; self.words];
        put(&mut set, self.automaton.initial() as usize);
        set
    }

    /// Whether some path to a cut with these states is accepted.
    pub fn some(&self, set: &[u64]) -> bool {
        meets(set, &self.accepting)
    }

    /// Whether all paths to a cut with these states are accepted, if the automaton is deterministic.
    pub fn all(&self, set: &[u64]) -> bool {
        is_within(set, &self.accepting)
    }

    /// The states after a letter, put into `to`.
    pub fn read(&self, from: &[u64], to: &mut [u64], mut truth: impl FnMut(usize) -> bool) {
        to.fill(0);
        for state in members(from) {
            let next = self.next(state, &mut truth);
            if next.is_empty() {
                put(to, self.lost());
            }
            for &state in next {
                put(to, state as usize);
            }
        }
    }

    /// The states after one state and a letter.
    pub fn next(&self, state: usize, truth: impl FnMut(usize) -> bool) -> &[State] {
        if state == self.lost() {
            return &[];
        }
        self.automaton.next(state as State, truth)
    }
}

/// A cut with the states in which the paths to it have left the automaton.
#[derive(Clone, Copy, Debug)]
pub struct Labelled<'v> {
    /// The cut.
    pub cut: &'v [u32],
    set: &'v [u64],
    labels: &'v Labels<'v>,
}

impl<'v> Labelled<'v> {
    /// Whether some path to the cut is accepted.
    pub fn some(&self) -> bool {
        self.labels.some(self.set)
    }

    /// Whether all paths to the cut are; only if the automaton is deterministic and nothing was left out by guidance.
    pub fn all(&self) -> bool {
        self.labels.all(self.set)
    }

    /// The states, in ascending order; the number of states of the automaton stands for words that cannot be read.
    pub fn states(&self) -> impl Iterator<Item = usize> + 'v {
        members(self.set)
    }
}

/// Tells of every cut, level by level, as soon as it is known which states the paths to it lead to.
///
/// A guided search leaves out cuts at which `SOME` is false, and says nothing about `ALL`. Two-phase search leaves out
/// cuts of which nothing is known, and is of no use here; nothing is filtered.
pub fn everywhere<S: Scene>(
    scene: &S,
    automaton: &Automaton,
    technique: impl Into<Mix>,
    visit: &mut dyn FnMut(Labelled<'_>),
    budget: &Budget<'_>,
) -> Result<Counts, Spent> {
    let labels = Labels::new(automaton);
    let known = Complete::new(scene, automaton.atoms());
    let walk = technique.into().walk(&known, &labels);
    let budget = budget.branch();
    let mut frontier = Frontier::start(&walk, &budget)?;
    while !frontier.cuts().is_empty() {
        for number in 0..frontier.cuts().len() {
            visit(Labelled {
                cut: frontier.cuts().cut(number),
                set: frontier.cuts().states(number),
                labels: &labels,
            });
        }
        frontier.advance(&walk, &budget)?;
    }
    Ok(frontier.counts())
}

/// Whether some path to a consistent cut is accepted; looks at the cuts below it only.
pub fn some_at<S: Scene>(
    scene: &S,
    automaton: &Automaton,
    cut: &[u32],
    budget: &Budget<'_>,
) -> Result<bool, Spent> {
    let (labels, set) = labelled_at(scene, automaton, cut, false, budget)?;
    Ok(labels.some(&set))
}

/// Whether all paths to a consistent cut are accepted by a deterministic automaton; looks at the cuts below it only.
pub fn all_at<S: Scene>(
    scene: &S,
    automaton: &Automaton,
    cut: &[u32],
    budget: &Budget<'_>,
) -> Result<bool, Spent> {
    let (labels, set) = labelled_at(scene, automaton, cut, false, budget)?;
    Ok(labels.all(&set))
}

/// The states of a scene at a cut, and what they mean.
pub(super) fn labelled_at<'a, S: Scene>(
    scene: &S,
    automaton: &'a Automaton,
    cut: &[u32],
    only_alive: bool,
    budget: &Budget<'_>,
) -> Result<(Labels<'a>, Vec<u64>), Spent> {
    let labels = Labels::new(automaton);
    let known = Complete::new(scene, automaton.atoms());
    let set = states_at(&known, &labels, cut, only_alive, budget)?;
    Ok((labels, set))
}

/// The states to which the paths to a consistent cut lead; none of the dead ones if only what is alive is followed.
fn states_at<A: Arriving>(
    known: &A,
    labels: &Labels<'_>,
    cut: &[u32],
    trims: bool,
    budget: &Budget<'_>,
) -> Result<Vec<u64>, Spent> {
    let walk = Walk {
        known,
        labels,
        steps: Steps::All,
        trims,
        below: Some(cut),
    };
    let budget = budget.branch();
    let mut frontier = Frontier::start(&walk, &budget)?;
    while !frontier.cuts().is_empty() {
        if let Some(number) = frontier.cuts().find(cut) {
            return Ok(frontier.cuts().states(number).to_vec());
        }
        frontier.advance(&walk, &budget)?;
    }
    Ok(vec![0; labels.words()])
}

/// Adds a member to a set.
pub(super) fn put(set: &mut [u64], member: usize) {
    set[member / 64] |= 1 << (member % 64);
}

/// Whether a set has a member.
pub(super) fn has(set: &[u64], member: usize) -> bool {
    set[member / 64] >> (member % 64) & 1 == 1
}

/// Whether two sets have a member in common.
pub(super) fn meets(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).any(|(one, other)| one & other != 0)
}

/// Whether a set lies within another.
pub(super) fn is_within(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).all(|(one, other)| one & !other == 0)
}

/// The members of a set, in ascending order.
pub(super) fn members(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    set.iter().enumerate().flat_map(|(word, &bits)| {
        let mut rest = bits;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(word * 64 + bit)
        })
    })
}
