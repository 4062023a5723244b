//! Conditions of several processes that hold at a time: on some order, or on every one.
//!
//! Each process has a condition of its own. Its *stretches* are the longest parts of the run in which the condition
//! holds; of each chain those are queued that may still matter, and the first ones are held against each other.
//!
//! * On some order all conditions hold at a time when one stretch of each chain can be chosen so that none begins only
//!   after another has ended: if the event that begins one knows that another is over, that other one can be dropped
//!   (Garg and Waldecker; thesis 4.2.3, pp. 70-71).
//! * On every order they do when, of the stretches chosen, the beginning of each happens before the end of each other:
//!   if the end of one does not know the beginning of another, that first one can be dropped (the same; thesis p. 79).
//!
//! ```text
//!                  beginnings              ends                  all first stretches fit
//!    events --> queues of stretches --> dropped, or kept --> together ----------------------> found
//!                                            |
//!                                            +--> a chain is over and has none left --------> never
//! ```
//!
//! The events pass in a causal order, so what an event knows has passed before it. A queue does not grow with the run: a
//! stretch that everything to come on some other chain lies behind is dropped, even if that chain has none yet.

use std::collections::VecDeque;

use crate::clock::Clock;

/// Whether the conditions have to meet on some order, or on every one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Modality {
    Possibly,
    Definitely,
}

/// The stretches of several chains.
#[derive(Debug)]
pub(super) struct Meeting {
    modality: Modality,
    chains: Vec<Chain>,
    /// Per chain: its entry in the clocks.
    columns: Vec<usize>,
    /// The chains of which something has passed since they were last held against the others.
    changed: Vec<usize>,
    found: Option<bool>,
    /// The least cut at which all conditions were seen to hold.
    shown: Option<Vec<u32>>,
    /// How often stretches were held against each other.
    compared: u64,
}

/// A chain and its stretches that may still matter.
#[derive(Debug)]
struct Chain {
    stretches: VecDeque<Stretch>,
    /// The clock of its last event.
    last: Clock,
    is_over: bool,
}

/// A longest part of a chain in which its condition holds.
#[derive(Debug)]
struct Stretch {
    /// The clock of the event that begins it; all zeros if it begins before any event.
    begin: Clock,
    /// The clock of the event that ends it, if one has.
    end: Option<Clock>,
}

/// What is known of two stretches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fit {
    /// They fit, whatever comes.
    Yes,
    /// The first one fits no stretch that the other chain may still have.
    Never,
    /// It depends on what comes.
    Open,
}

impl Meeting {
    /// Nothing has passed; whether each condition holds at first, and which entry each chain has in the clocks.
    pub(super) fn new(modality: Modality, at_first: &[bool], columns: Vec<usize>) -> Self {
        let chain = |&holds: &bool| Chain {
            stretches: holds
                .then(|| Stretch::from(&Clock::default()))
                .into_iter()
                .collect(),
            last: Clock::default(),
            is_over: false,
        };
        let mut meeting = Meeting {
            modality,
            chains: at_first.iter().map(chain).collect(),
            columns,
            changed: (0..at_first.len()).collect(),
            found: None,
            shown: None,
            compared: 0,
        };
        meeting.settle();
        meeting
    }

    /// Some condition of the list never holds, and no event changes that.
    pub(super) fn impossible(modality: Modality, chains: usize) -> Self {
        let mut meeting = Meeting::new(modality, &vec![false; chains], (0..chains).collect());
        meeting.found = Some(false);
        meeting.shown = None;
        meeting
    }

    /// Whether the conditions meet, as far as it is known.
    pub(super) fn found(&self) -> Option<bool> {
        self.found
    }

    /// The least cut at which they were seen to.
    pub(super) fn shown(&self) -> Option<&[u32]> {
        self.shown.as_deref()
    }

    /// How many stretches are kept.
    pub(super) fn kept(&self) -> usize {
        self.chains.iter().map(|chain| chain.stretches.len()).sum()
    }

    /// About how many bytes they take.
    pub(super) fn bytes(&self) -> usize {
        let chains = self.chains.iter();
        let stretches = chains.map(|chain| {
            let clock = 2 * chain.last.bytes();
            size_of::<Chain>() + chain.stretches.len() * (size_of::<Stretch>() + clock)
        });
        stretches.sum()
    }

    /// How often stretches were held against each other.
    pub(super) fn compared(&self) -> u64 {
        self.compared
    }

    /// Takes the next event of a chain: its clock, and whether the condition holds after it.
    pub(super) fn pass(&mut self, chain: usize, clock: &Clock, holds: bool) {
        if self.found.is_some() {
            return;
        }
        self.changed.push(chain);
        let own = &mut self.chains[chain];
        own.last.clone_from(clock);
        let open = own.stretches.back_mut().filter(|last| last.end.is_none());
        match (open, holds) {
            (None, true) => own.stretches.push_back(Stretch::from(clock)),
            (Some(last), false) => last.end = Some(clock.clone()),
            _ => {}
        }
    }

    /// Says that a chain is over.
    pub(super) fn end(&mut self, chain: usize) {
        self.changed.push(chain);
        self.chains[chain].is_over = true;
    }

    /// Drops what cannot matter any more, and finds out whether the first stretches meet.
    pub(super) fn settle(&mut self) {
        if self.found.is_some() {
            return;
        }
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        changed.dedup();
        while let Some(one) = changed.pop() {
            for other in 0..self.chains.len() {
                for (first, second) in [(one, other), (other, one)] {
                    while first != second && self.fit(first, second) == Fit::Never {
                        self.chains[first].stretches.pop_front();
                        if !changed.contains(&first) {
                            changed.push(first);
                        }
                    }
                }
            }
        }
        self.decide();
    }

    fn decide(&mut self) {
        let is_without = |chain: &Chain| chain.is_over && chain.stretches.is_empty();
        if self.chains.iter().any(is_without) {
            self.found = Some(false);
        } else if self.all_fit() {
            self.found = Some(true);
            let chains = self.chains.iter();
            let begins = chains.filter_map(|chain| chain.stretches.front());
            let mut cut = Clock::default();
            begins.for_each(|stretch| cut.join(&stretch.begin));
            self.shown = Some(self.columns.iter().map(|&column| cut.get(column)).collect());
        }
        if self.found.is_some() {
            self.chains
                .iter_mut()
                .for_each(|chain| chain.stretches.clear());
        }
    }

    fn all_fit(&mut self) -> bool {
        let width = self.chains.len();
        let has_all = self.chains.iter().all(|chain| !chain.stretches.is_empty());
        has_all
            && (0..width).all(|first| {
                (0..width).all(|second| first == second || self.fit(first, second) == Fit::Yes)
            })
    }

    /// How the first stretch of one chain stands to the first of another, or to whatever the other may still have.
    fn fit(&mut self, first: usize, second: usize) -> Fit {
        self.compared += 1;
        let (own_entry, other_entry) = (self.columns[first], self.columns[second]);
        let other = &self.chains[second];
        let Some(stretch) = self.chains[first].stretches.front() else {
            return Fit::Open;
        };
        match self.modality {
            Modality::Possibly => {
                // What begins on the other chain, now or later, knows at least so much of this one.
                let next = other.stretches.front();
                let known = next.map_or(&other.last, |next| &next.begin).get(own_entry);
                match &stretch.end {
                    Some(end) if known >= end.get(own_entry) => Fit::Never,
                    Some(_) | None if next.is_some() => Fit::Yes,
                    _ => Fit::Open,
                }
            }
            Modality::Definitely => {
                let begins = match other.stretches.front() {
                    Some(next) => next.begin.get(other_entry),
                    // The event that would begin it has not passed.
                    None => other.last.get(other_entry) + 1,
                };
                match &stretch.end {
                    Some(end) if end.get(other_entry) < begins => Fit::Never,
                    Some(_) => Fit::Yes,
                    None if other.stretches.is_empty() => Fit::Open,
                    None if self.chains[first].is_over => Fit::Yes,
                    None if self.chains[first].last.get(other_entry) >= begins => Fit::Yes,
                    None => Fit::Open,
                }
            }
        }
    }
}

impl Stretch {
    fn from(clock: &Clock) -> Self {
        Stretch {
            begin: clock.clone(),
            end: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concurrent_stretches_meet_on_some_order_only() {
        for (modality, expected) in [(Modality::Possibly, true), (Modality::Definitely, false)] {
            let mut meeting = Meeting::new(modality, &[false, false], vec![0, 1]);
            meeting.pass(0, &Clock::from([1, 0]), true);
            meeting.pass(0, &Clock::from([2, 0]), false);
            meeting.pass(1, &Clock::from([0, 1]), true);
            meeting.pass(1, &Clock::from([0, 2]), false);
            meeting.settle();
            meeting.end(0);
            meeting.end(1);
            meeting.settle();
            assert_eq!(meeting.found(), Some(expected), "{modality:?}");
        }
    }

    #[test]
    fn stretches_that_know_of_each_other_meet_on_every_order() {
        let mut meeting = Meeting::new(Modality::Definitely, &[false, false], vec![0, 1]);
        meeting.pass(0, &Clock::from([1, 0]), true);
        meeting.pass(1, &Clock::from([0, 1]), true);
        meeting.pass(0, &Clock::from([2, 1]), true);
        meeting.settle();
        assert_eq!(meeting.found(), None);
        meeting.pass(1, &Clock::from([1, 2]), true);
        meeting.settle();
        assert_eq!(
            (meeting.found(), meeting.shown()),
            (Some(true), Some(&[1, 1][..]))
        );
    }

    #[test]
    fn queues_do_not_grow_with_the_run() {
        let mut meeting = Meeting::new(Modality::Possibly, &[false, false], vec![0, 1]);
        for round in 1..1000 {
            // The condition of the second chain never holds, but it knows how far the first has come.
            meeting.pass(0, &Clock::from([2 * round - 1, round - 1]), true);
            meeting.pass(0, &Clock::from([2 * round, round - 1]), false);
            meeting.pass(1, &Clock::from([2 * round, round]), false);
            meeting.settle();
            assert!(meeting.kept() <= 1, "{}", meeting.kept());
        }
        assert_eq!(meeting.found(), None);
        meeting.end(1);
        meeting.settle();
        assert_eq!(meeting.found(), Some(false));
    }
}
