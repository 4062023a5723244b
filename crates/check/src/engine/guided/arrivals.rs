//! What is known of a run so far: the events that have arrived, and which chains are over.
//!
//! A search that goes level by level asks for no more than the next event of each chain, so it can run while the run is
//! being recorded. Then an event that is not there may still come, and the search has to wait; the thesis leaves the wait
//! to a comment (figure 4.3, p. 60) and never says how it ends. Here a chain has three answers: its next event is here,
//! there will be none, or nobody knows yet. A recorded run is the case in which the third never occurs.

use causet_solve::chains::Chains;

use crate::linear::Scene;

/// What is known of the next event of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrival {
    /// It has arrived.
    Here,
    /// There is none: the chain is over.
    Ended,
    /// It has not arrived, and the chain is not known to be over.
    Awaited,
}

/// The part of a run that has arrived.
///
/// Positions count the events of a chain; an event is named by its chain and the position it leads to, from 1.
pub trait Arriving {
    /// How many chains there are.
    fn chains(&self) -> usize;

    /// What is known of the event after the first `x` of a chain.
    fn next(&self, chain: usize, x: u32) -> Arrival;

    /// How many events of `other` come before event `x` of `chain`, or are it: its vector clock.
    fn needs(&self, chain: usize, x: u32, other: usize) -> u32;

    /// Whether an atom holds at a cut to which the last event of the chain `by` has led; `None` at the initial cut.
    fn truth(&self, atom: usize, cut: &[u32], by: Option<usize>) -> bool;

    /// Whether event `x` of a chain may change an atom of the property or make one true that is about events.
    fn is_visible(&self, chain: usize, x: u32) -> bool;

    /// Whether an event of a chain that has not arrived might be enabled at a cut.
    fn is_awaited(&self, chain: usize, cut: &[u32]) -> bool {
        self.next(chain, cut[chain]) == Arrival::Awaited
    }
}

/// Whether the next event of a chain is here and all that comes before it is in the cut (thesis, 4.2.2, pp. 64-66).
pub fn is_enabled<A: Arriving>(known: &A, cut: &[u32], chain: usize) -> bool {
    let next = cut[chain] + 1;
    let others = || (0..cut.len()).filter(|&other| other != chain);
    known.next(chain, cut[chain]) == Arrival::Here
        && others().all(|other| known.needs(chain, next, other) <= cut[other])
}

/// Whether the run is over at a cut.
pub fn is_final<A: Arriving>(known: &A, cut: &[u32]) -> bool {
    (0..cut.len()).all(|chain| known.next(chain, cut[chain]) == Arrival::Ended)
}

/// A recorded run, of which everything has arrived.
#[derive(Debug)]
pub struct Complete<'s, S> {
    scene: &'s S,
    atoms: usize,
}

impl<'s, S: Scene> Complete<'s, S> {
    /// A scene as it is seen by a property over so many atoms.
    pub fn new(scene: &'s S, atoms: usize) -> Self {
        Complete { scene, atoms }
    }
}

impl<S: Scene> Arriving for Complete<'_, S> {
    fn chains(&self) -> usize {
        self.scene.count()
    }

    fn next(&self, chain: usize, x: u32) -> Arrival {
        if x < self.scene.length(chain) {
            Arrival::Here
        } else {
            Arrival::Ended
        }
    }

    fn needs(&self, chain: usize, x: u32, other: usize) -> u32 {
        Chains::least(self.scene, chain, x, other)
    }

    fn truth(&self, atom: usize, cut: &[u32], by: Option<usize>) -> bool {
        self.scene.truth(atom, cut, by)
    }

    fn is_visible(&self, chain: usize, x: u32) -> bool {
        (0..self.atoms).any(|atom| self.scene.touches(atom, chain, x))
    }
}

/// A run that is taken to be over at a cut, whatever else has arrived or may come.
#[derive(Debug)]
pub struct Frozen<'s, A> {
    source: &'s A,
    at: &'s [u32],
}

impl<'s, A: Arriving> Frozen<'s, A> {
    /// The run up to a consistent cut, all of whose events have arrived.
    pub fn new(source: &'s A, at: &'s [u32]) -> Self {
        Frozen { source, at }
    }
}

impl<A: Arriving> Arriving for Frozen<'_, A> {
    fn chains(&self) -> usize {
        self.source.chains()
    }

    fn next(&self, chain: usize, x: u32) -> Arrival {
        if x < self.at[chain] {
            self.source.next(chain, x)
        } else {
            Arrival::Ended
        }
    }

    fn needs(&self, chain: usize, x: u32, other: usize) -> u32 {
        self.source.needs(chain, x, other)
    }

    fn truth(&self, atom: usize, cut: &[u32], by: Option<usize>) -> bool {
        self.source.truth(atom, cut, by)
    }

    fn is_visible(&self, chain: usize, x: u32) -> bool {
        self.source.is_visible(chain, x)
    }
}
