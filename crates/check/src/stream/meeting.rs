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
    /// The clock of its last event, over all chains.
    last: Vec<u32>,
    is_over: bool,
}

/// A longest part of a chain in which its condition holds.
#[derive(Debug)]
struct Stretch {
    /// The clock of the event that begins it; all zeros if it begins before any event.
    begin: Box<[u32]>,
    /// The clock of the event that ends it, if one has.
    end: Option<Box<[u32]>>,
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
    /// Nothing has passed; whether each condition holds at first.
    pub(super) fn new(modality: Modality, at_first: &[bool]) -> Self {
        let width = at_first.len();
        let chain = |&holds: &bool| Chain {
            stretches: holds
                .then(|| Stretch::from(&vec![0; width]))
                .into_iter()
                .collect(),
            last: vec![0; width],
            is_over: false,
        };
        let mut meeting = Meeting {
            modality,
            chains: at_first.iter().map(chain).collect(),
            found: None,
            shown: None,
            compared: 0,
        };
        meeting.settle();
        meeting
    }

    /// Some condition of the list never holds, and no event changes that.
    pub(super) fn impossible(modality: Modality, chains: usize) -> Self {
        let mut meeting = Meeting::new(modality, &vec![false; chains]);
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
        self.kept() * 2 * (size_of::<Stretch>() + self.chains.len() * size_of::<u32>())
    }

    /// How often stretches were held against each other.
    pub(super) fn compared(&self) -> u64 {
        self.compared
    }

    /// Takes the next event of a chain: its clock, and whether the condition holds after it.
    pub(super) fn pass(&mut self, chain: usize, clock: &[u32], holds: bool) {
        if self.found.is_some() {
            return;
        }
        let own = &mut self.chains[chain];
        own.last.copy_from_slice(clock);
        let open = own.stretches.back_mut().filter(|last| last.end.is_none());
        match (open, holds) {
            (None, true) => own.stretches.push_back(Stretch::from(clock)),
            (Some(last), false) => last.end = Some(clock.into()),
            _ => {}
        }
    }

    /// Says that a chain is over.
    pub(super) fn end(&mut self, chain: usize) {
        self.chains[chain].is_over = true;
    }

    /// Drops what cannot matter any more, and finds out whether the first stretches meet.
    pub(super) fn settle(&mut self) {
        if self.found.is_some() {
            return;
        }
        let mut changed: Vec<usize> = (0..self.chains.len()).collect();
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
            let begins = self
                .chains
                .iter()
                .filter_map(|chain| chain.stretches.front());
            let mut cut = vec![0; self.chains.len()];
            for stretch in begins {
                for (x, &known) in cut.iter_mut().zip(&stretch.begin) {
                    *x = known.max(*x);
                }
            }
            self.shown = Some(cut);
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
        let other = &self.chains[second];
        let Some(stretch) = self.chains[first].stretches.front() else {
            return Fit::Open;
        };
        match self.modality {
            Modality::Possibly => {
                // What begins on the other chain, now or later, knows at least so much of this one.
                let next = other.stretches.front();
                let known = next.map_or(&other.last[..], |next| &next.begin)[first];
                match &stretch.end {
                    Some(end) if known >= end[first] => Fit::Never,
                    Some(_) | None if next.is_some() => Fit::Yes,
                    _ => Fit::Open,
                }
            }
            Modality::Definitely => {
                let begins = match other.stretches.front() {
                    Some(next) => next.begin[second],
                    // The event that would begin it has not passed.
                    None => other.last[second] + 1,
                };
                match &stretch.end {
                    Some(end) if end[second] < begins => Fit::Never,
                    Some(_) => Fit::Yes,
                    None if other.stretches.is_empty() => Fit::Open,
                    None if self.chains[first].is_over => Fit::Yes,
                    None if self.chains[first].last[second] >= begins => Fit::Yes,
                    None => Fit::Open,
                }
            }
        }
    }
}

impl Stretch {
    fn from(clock: &[u32]) -> Self {
        Stretch {
            begin: clock.into(),
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
            let mut meeting = Meeting::new(modality, &[false, false]);
            meeting.pass(0, &[1, 0], true);
            meeting.pass(0, &[2, 0], false);
            meeting.pass(1, &[0, 1], true);
            meeting.pass(1, &[0, 2], false);
            meeting.settle();
            meeting.end(0);
            meeting.end(1);
            meeting.settle();
            assert_eq!(meeting.found(), Some(expected), "{modality:?}");
        }
    }

    #[test]
    fn stretches_that_know_of_each_other_meet_on_every_order() {
        let mut meeting = Meeting::new(Modality::Definitely, &[false, false]);
        meeting.pass(0, &[1, 0], true);
        meeting.pass(1, &[0, 1], true);
        meeting.pass(0, &[2, 1], true);
        meeting.settle();
        assert_eq!(meeting.found(), None);
        meeting.pass(1, &[1, 2], true);
        meeting.settle();
        assert_eq!(
            (meeting.found(), meeting.shown()),
            (Some(true), Some(&[1, 1][..]))
        );
    }

    #[test]
    fn queues_do_not_grow_with_the_run() {
        let mut meeting = Meeting::new(Modality::Possibly, &[false, false]);
        for round in 1..1000 {
            // The condition of the second chain never holds, but it knows how far the first has come.
            meeting.pass(0, &[2 * round - 1, round - 1], true);
            meeting.pass(0, &[2 * round, round - 1], false);
            meeting.pass(1, &[2 * round, round], false);
            meeting.settle();
            assert!(meeting.kept() <= 1, "{}", meeting.kept());
        }
        assert_eq!(meeting.found(), None);
        meeting.end(1);
        meeting.settle();
        assert_eq!(meeting.found(), Some(false));
    }
}
