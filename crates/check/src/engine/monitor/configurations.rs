//! Many cuts at a time: intervals of cuts that share a state of the automaton (paper TMP, algorithm 1, repaired).
//!
//! A *configuration* is an interval of cuts, from `low` to `high`, and a state `q`: every cut of the interval can be
//! reached with the automaton in `q`. The paper's automata react to assignments. Ours read the truth of atoms at cuts, so
//! what the paper says of events has to be said of decisions:
//!
//! * The letter of an event that touches nothing is *quiet*: atoms about events are false, the others are what they were.
//!   The *path* of `q` are the atoms its decisions ask for under the quiet letter; no other atom matters, until one of the
//!   path changes. An event that touches one of them is *sensitive*.
//! * A configuration is *settled* when no event between its ends touches an atom about states that is on the path. Then
//!   all its cuts have one path, which leads to one set of states. One that is not settled is split at such an event `e`:
//!   the cuts without `e` are an interval, since unions of cuts are cuts, and so are those with `e`, since intersections
//!   are. Nothing has to be fired for that: all cuts of both halves have been reached.
//! * When the quiet letter leads back to `q`, events that are not sensitive are optional and the interval grows over them
//!   (paper TMP, lines 7-10). The paper adds them one by one. But what is reached in the end is the greatest cut below the
//!   next sensitive event of every chain, which the closed bounds tell without looking at any event between.
//!
//! *Growing is sound*: let `e` be optional and enabled at `high`. A cut of the grown interval that is not one of the old
//! holds `e` as a maximal event, since nothing above `e` is below `high`; without `e` it is one of the old cuts and was
//! reached in `q`, and `e` brings the quiet letter, which leads to `q`.
//!
//! *Nothing is missed*: let a cut `s` of a settled and grown configuration go on by an event `e`.
//!
//! 1. `e` is below `high` and not sensitive. When its quiet letter leads to `q`, the configuration holds the next cut. When
//!    it leads to another state, an automaton that guesses, all cuts but `low` are reached in that state, provided that no
//!    event between the ends is sensitive, which is reached by splitting: each of these cuts has a maximal event that is
//!    not in `low`. They are the union over the chains of what is above the first event after `low`.
//! 2. `e` is below `high` and sensitive: it touches an atom about events, since the configuration is settled. It is fired
//!    at all cuts that have come so far and no further (paper TMP, definition 7 ii). This is why intervals are not split
//!    at events that only atoms about events see: there would be as many parts as cuts.
//! 3. `e` is not below `high`: it is enabled at `high` and is fired in the same way.
//!
//! The letter after a fired event must be the same at all cuts to which it leads: the interval is split at events that
//! touch what the decisions ask. Configurations are compared after they have grown, while the paper compares them before
//! and meets more of them. And the paper accepts at the last cut only; a state from which everything is accepted is as
//! good, and makes short work of a faulty run however long it is, as the figures of paper TMP, table 1, suppose.
//!
//! The search is depth-first: nearest to such a state first, then what has gone least far, so that chains go on side by
//! side, as they did when the run was recorded.

use std::collections::BTreeMap;

use causet_base::budget::{Budget, Spent};
use causet_solve::automaton::{Automaton, State};

use super::covering::{Configuration, Met, NONE, read, reserve};
use super::fate::Fate;
use super::reading::{Path, Read, Reader};
use super::unwind::unwind;
use crate::linear::scene::{Scene, Search};

/// Instead of a chain: by whichever event came last.
pub(super) const ANY: u32 = u32::MAX;

/// Looks for a complete run that is accepted.
pub(crate) fn run<S: Scene>(
    scene: &S,
    automaton: &Automaton,
    wants_steps: bool,
    budget: &Budget<'_>,
) -> Result<Search, Spent> {
    let mut explorer = Explorer::new(scene, automaton, budget);
    let end = explorer.explore()?;
    let steps = match &end {
        Some(end) if wants_steps => {
            let Explorer { reader, met, .. } = &mut explorer;
            budget.explain(|| unwind(scene, reader, met, end, budget).map(Some))
        }
        _ => Ok(None),
    };
    let stats = BTreeMap::from([
        ("configurations", explorer.met.len() as u64),
        ("covered", explorer.met.covered),
        ("largest", explorer.largest),
    ]);
    Ok(Search {
        found: end.is_some(),
        steps,
        stats,
    })
}

/// Where an accepted run was found to end: in a configuration, at one of its cuts.
pub(super) struct End {
    pub(super) number: u32,
    pub(super) cut: Vec<u32>,
}

struct Explorer<'a, S> {
    scene: &'a S,
    automaton: &'a Automaton,
    fate: Fate,
    reader: Reader<'a, S>,
    met: Met<'a>,
    budget: &'a Budget<'a>,
    width: usize,
    last: Vec<u32>,
    /// What is still to be explored: rows of configurations, end to end.
    pending: Vec<u32>,
    /// The path of the configuration at hand under the quiet letter.
    quiet: Path,
    /// Where fired events lead before the automaton has read their letter, and its path while it does.
    unread: Vec<u32>,
    letter: Path,
    /// What the configuration at hand leads to, and in which order it is to be explored.
    fresh: Vec<u32>,
    order: Vec<(u32, u64, usize)>,
    /// Up to where chains may grow.
    limits: Vec<u32>,
    /// The number of events between the ends of the widest configuration.
    largest: u64,
}

impl<'a, S: Scene> Explorer<'a, S> {
    fn new(scene: &'a S, automaton: &'a Automaton, budget: &'a Budget<'a>) -> Self {
        let width = scene.count();
        Explorer {
            scene,
            automaton,
            fate: Fate::of(automaton),
            reader: Reader::new(scene, automaton, budget),
            met: Met::new(width, budget),
            budget,
            width,
            last: (0..width).map(|chain| scene.length(chain)).collect(),
            pending: Vec::new(),
            quiet: Path::default(),
            unread: Vec::new(),
            letter: Path::default(),
            fresh: Vec::new(),
            order: Vec::new(),
            limits: vec![0; width],
            largest: 0,
        }
    }

    /// Explores until an accepted run is found or nothing is left.
    fn explore(&mut self) -> Result<Option<End>, Spent> {
        if let Some(end) = self.begin()? {
            return Ok(Some(end));
        }
        let size = 2 * self.width + 3;
        let mut row = vec![0; size];
        while let Some(start) = self.pending.len().checked_sub(size) {
            self.budget.tick()?;
            let Some(next) = self.settle(start)? else {
                continue;
            };
            self.grow(start, next)?;
            row.copy_from_slice(&self.pending[start..]);
            self.pending.truncate(start);
            if let Some(end) = self.go_on(&row, next)? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// Reads the letter of the initial cut.
    fn begin(&mut self) -> Result<Option<End>, Spent> {
        let first = vec![0; self.width];
        let truth = |atom| self.scene.truth(atom, &first, None);
        let states = self.automaton.next(self.automaton.initial(), truth);
        for &state in states {
            let configuration = Configuration {
                low: &first,
                high: &first,
                state,
                parent: NONE,
                by: ANY,
            };
            if let Some(end) = self.arrive(&configuration)? {
                return Ok(Some(end));
            }
        }
        self.schedule()?;
        Ok(None)
    }

    /// Splits the last of the pending configurations if it is not settled; otherwise says to which states its quiet letter
    /// leads.
    fn settle(&mut self, start: usize) -> Result<Option<&'a [State]>, Spent> {
        let now = read(&self.pending[start..], self.width);
        let ends = (now.low, now.high);
        let event = match self.reader.read(ends, now.state, None, &mut self.quiet)? {
            Read::Depends(chain, x) => (chain, x),
            Read::Go(next) => {
                let guesses = |&next: &State| next != now.state && !self.fate.is_dead(next);
                if !next.iter().any(guesses) {
                    return Ok(Some(next));
                }
                match self.reader.first_marked(&self.quiet, now.low, now.high)? {
                    Some(event) => event,
                    None => return Ok(Some(next)),
                }
            }
        };
        reserve(&mut self.pending, 2 * self.width + 3, self.budget)?;
        split(self.scene, self.width, &mut self.pending, start, event);
        Ok(None)
    }

    /// Raises the upper end of a pending configuration to the greatest cut below all events that its path is sensitive to,
    /// if a quiet letter leads back to its state.
    fn grow(&mut self, start: usize, next: &[State]) -> Result<(), Spent> {
        if !next.contains(&self.pending[start + 2 * self.width]) {
            return Ok(());
        }
        let high = &mut self.pending[start + self.width..][..self.width];
        for (chain, limit) in self.limits.iter_mut().enumerate() {
            let beyond = self
                .reader
                .next_sensitive(&self.quiet, chain, high[chain])?;
            *limit = beyond - 1;
        }
        high.copy_from_slice(&self.limits);
        for (chain, &limit) in self.limits.iter().enumerate() {
            for (other, high) in high.iter_mut().enumerate() {
                *high = self.scene.most(chain, limit, other).min(*high);
            }
        }
        Ok(())
    }

    /// Goes on from a configuration that is settled and has grown, unless it is covered.
    fn go_on(&mut self, row: &[u32], next: &[State]) -> Result<Option<End>, Spent> {
        let Some(number) = self.met.admit(row)? else {
            return Ok(None);
        };
        let now = read(row, self.width);
        if now.high == self.last && self.automaton.is_accepting(now.state) {
            let cut = self.last.clone();
            return Ok(Some(End { number, cut }));
        }
        let sizes = now.low.iter().zip(now.high);
        let size = sizes.map(|(low, high)| u64::from(high - low)).sum();
        self.largest = self.largest.max(size);
        for chain in 0..self.width {
            let found = self.fire(&now, number, chain)?;
            let found = match found {
                Some(end) => Some(end),
                None => self.guess(&now, number, chain, next)?,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        self.schedule()?;
        Ok(None)
    }

    /// Fires the sensitive events of a chain between the ends, and the one that is enabled at the upper end.
    fn fire(
        &mut self,
        now: &Configuration<'_>,
        number: u32,
        chain: usize,
    ) -> Result<Option<End>, Spent> {
        let high = now.high[chain];
        let mut x = self
            .reader
            .next_marked(&self.quiet, chain, now.low[chain])?;
        while x <= high {
            if let Some(end) = self.fire_one(now, number, chain, x)? {
                return Ok(Some(end));
            }
            x = self.reader.next_marked(&self.quiet, chain, x)?;
        }
        let is_enabled = high < self.last[chain]
            && (0..self.width).all(|other| {
                other == chain || self.scene.least(chain, high + 1, other) <= now.high[other]
            });
        match is_enabled {
            true => self.fire_one(now, number, chain, high + 1),
            false => Ok(None),
        }
    }

    /// Fires an event at all cuts of a configuration that it can be fired at.
    fn fire_one(
        &mut self,
        now: &Configuration<'_>,
        number: u32,
        chain: usize,
        x: u32,
    ) -> Result<Option<End>, Spent> {
        let mut rows = std::mem::take(&mut self.unread);
        for (other, &low) in now.low.iter().enumerate() {
            rows.push(self.scene.least(chain, x, other).max(low));
        }
        for (other, &high) in now.high.iter().enumerate() {
            let high = self.scene.most(chain, x - 1, other).min(high);
            rows.push(if other == chain { x } else { high });
        }
        rows.extend([now.state, number, chain as u32]);
        let found = self.read_letters(&mut rows);
        rows.clear();
        self.unread = rows;
        found
    }

    /// Lets the automaton read the letter after a fired event, in as many parts as there are letters.
    fn read_letters(&mut self, rows: &mut Vec<u32>) -> Result<Option<End>, Spent> {
        while let Some(start) = rows.len().checked_sub(2 * self.width + 3) {
            self.budget.tick()?;
            let now = read(&rows[start..], self.width);
            let (ends, by) = ((now.low, now.high), Some(now.by as usize));
            match self.reader.read(ends, now.state, by, &mut self.letter)? {
                Read::Depends(chain, x) => {
                    split(self.scene, self.width, rows, start, (chain, x));
                }
                Read::Go(next) => {
                    for &state in next {
                        if let Some(end) = self.arrive(&Configuration { state, ..now })? {
                            return Ok(Some(end));
                        }
                    }
                    rows.truncate(start);
                }
            }
        }
        Ok(None)
    }

    /// Lets a quiet event lead to other states, at all cuts that hold the next event of a chain after the lower end.
    fn guess(
        &mut self,
        now: &Configuration<'_>,
        number: u32,
        chain: usize,
        next: &[State],
    ) -> Result<Option<End>, Spent> {
        let x = now.low[chain] + 1;
        if x > now.high[chain] || next == [now.state] {
            return Ok(None);
        }
        let least = |(other, &low): (usize, &u32)| self.scene.least(chain, x, other).max(low);
        let low: Vec<u32> = now.low.iter().enumerate().map(least).collect();
        for &state in next.iter().filter(|&&next| next != now.state) {
            let guessed = Configuration {
                low: &low,
                state,
                parent: number,
                by: ANY,
                ..*now
            };
            if let Some(end) = self.arrive(&guessed)? {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// Takes note of a configuration to be explored; what is certain about its state is settled at once.
    fn arrive(&mut self, now: &Configuration<'_>) -> Result<Option<End>, Spent> {
        if self.fate.is_dead(now.state) {
            return Ok(None);
        }
        let start = self.fresh.len();
        reserve(&mut self.fresh, 2 * self.width + 3, self.budget)?;
        self.fresh.extend_from_slice(now.low);
        self.fresh.extend_from_slice(now.high);
        self.fresh.extend([now.state, now.parent, now.by]);
        if self.fate.is_sure(now.state) {
            let number = self.met.push(&self.fresh[start..])?;
            let cut = now.low.to_vec();
            return Ok(Some(End { number, cut }));
        }
        let gone = now.low.iter().map(|&x| u64::from(x)).sum();
        self.order.push((self.fate.haste(now.state), gone, start));
        Ok(None)
    }

    /// Leaves what was noted to be explored, the best last.
    fn schedule(&mut self) -> Result<(), Spent> {
        reserve(&mut self.pending, self.fresh.len(), self.budget)?;
        self.order.sort_unstable_by(|one, other| other.cmp(one));
        for &(_, _, start) in &self.order {
            let row = &self.fresh[start..][..2 * self.width + 3];
            self.pending.extend_from_slice(row);
        }
        self.fresh.clear();
        self.order.clear();
        Ok(())
    }
}

/// Splits the last of some rows at an event: the cuts with it, then those without it.
fn split(
    scene: &impl Scene,
    width: usize,
    rows: &mut Vec<u32>,
    start: usize,
    (chain, x): (usize, u32),
) {
    rows.extend_from_within(start..);
    let (with, without) = rows[start..].split_at_mut(2 * width + 3);
    for other in 0..width {
        with[other] = scene.least(chain, x, other).max(with[other]);
        let high = &mut without[width + other];
        *high = scene.most(chain, x - 1, other).min(*high);
    }
}
