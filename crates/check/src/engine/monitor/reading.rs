//! Reading the decisions of a state at many cuts at once.

use causet_base::budget::{Budget, Spent};
use causet_solve::automaton::{Automaton, Look, State};

use super::touches::Touches;
use crate::linear::scene::Scene;

/// The atoms that were asked for on the way through the decisions of a state.
#[derive(Default)]
pub(super) struct Path {
    /// Those about states.
    states: Vec<usize>,
    /// Those about events.
    events: Vec<usize>,
}

/// What the decisions of a state say at an interval of cuts.
pub(super) enum Read<'a> {
    /// These states are next, at all of them.
    Go(&'a [State]),
    /// It may depend on whether this event of a chain is in the cut.
    Depends(usize, u32),
}

/// A scene as an automaton sees it.
pub(super) struct Reader<'a, S> {
    scene: &'a S,
    automaton: &'a Automaton,
    touches: Touches<'a, S>,
}

impl<'a, S: Scene> Reader<'a, S> {
    pub(super) fn new(scene: &'a S, automaton: &'a Automaton, budget: &'a Budget<'a>) -> Self {
        Reader {
            scene,
            automaton,
            touches: Touches::new(scene, automaton.atoms(), budget),
        }
    }

    /// Follows the decisions of a state at all cuts from `low` to `high`, to which the last event of the chain `by` has
    /// led; under the quiet letter if there is none.
    pub(super) fn read(
        &mut self,
        (low, high): (&[u32], &[u32]),
        state: State,
        by: Option<usize>,
        path: &mut Path,
    ) -> Result<Read<'a>, Spent> {
        path.states.clear();
        path.events.clear();
        let mut place = self.automaton.start(state);
        loop {
            let (atom, no, yes) = match self.automaton.look(place) {
                Look::Go(states) => return Ok(Read::Go(states)),
                Look::Ask { atom, no, yes } => (atom, no, yes),
            };
            let holds = if self.scene.is_event(atom) {
                path.events.push(atom);
                by.is_some_and(|chain| self.is_marked(atom, low, chain))
            } else {
                path.states.push(atom);
                if let Some((chain, x)) = self.first_between(atom, low, high)? {
                    return Ok(Read::Depends(chain, x));
                }
                self.scene.truth(atom, low, by)
            };
            place = if holds { yes } else { no };
        }
    }

    /// The first event between two cuts that touches an atom of a path that is about events.
    pub(super) fn first_marked(
        &mut self,
        path: &Path,
        low: &[u32],
        high: &[u32],
    ) -> Result<Option<(usize, u32)>, Spent> {
        for &atom in &path.events {
            if let Some(event) = self.first_between(atom, low, high)? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// The first position of a chain after `x` that touches what is on a path; one beyond the last if there is none.
    pub(super) fn next_sensitive(
        &mut self,
        path: &Path,
        chain: usize,
        x: u32,
    ) -> Result<u32, Spent> {
        let mut next = self.next_marked(path, chain, x)?;
        for &atom in &path.states {
            next = next.min(self.touches.next(atom, chain, x)?);
        }
        Ok(next)
    }

    /// The same for the atoms about events alone.
    pub(super) fn next_marked(&mut self, path: &Path, chain: usize, x: u32) -> Result<u32, Spent> {
        let mut next = self.scene.length(chain) + 1;
        for &atom in &path.events {
            next = next.min(self.touches.next(atom, chain, x)?);
        }
        Ok(next)
    }

    /// The last position of a chain up to `x` that touches an atom of the path that is about events; 0 if there is none.
    pub(super) fn last_marked(&mut self, path: &Path, chain: usize, x: u32) -> Result<u32, Spent> {
        let mut last = 0;
        for &atom in &path.events {
            last = last.max(self.touches.last(atom, chain, x)?);
        }
        Ok(last)
    }

    /// Whether the last event of a chain makes an atom true that is about events.
    fn is_marked(&self, atom: usize, cut: &[u32], chain: usize) -> bool {
        self.scene.touches(atom, chain, cut[chain]) && self.scene.truth(atom, cut, Some(chain))
    }

    /// The first event between two cuts that touches an atom, on the first chain that has one.
    fn first_between(
        &mut self,
        atom: usize,
        low: &[u32],
        high: &[u32],
    ) -> Result<Option<(usize, u32)>, Spent> {
        for (chain, (&low, &high)) in low.iter().zip(high).enumerate() {
            if low < high {
                let x = self.touches.next(atom, chain, low)?;
                if x <= high {
                    return Ok(Some((chain, x)));
                }
            }
        }
        Ok(None)
    }
}
