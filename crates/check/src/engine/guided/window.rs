//! The events of a run that is still going on, as far as they are needed: the memory of an on-line search.
//!
//! Events come in the order of their chain, and in any order among chains. A search asks for nothing before the cuts of
//! its level, so whatever lies below all of them is forgotten, but for the values that hold there. Memory therefore
//! follows how far the chains are apart, and not how long the run is. (The thesis keeps two levels of cuts, 5.2.2, p. 99,
//! and has no word on the events.) For a search that filters, events that cannot be seen are not kept either.
//!
//! What an event means is up to [`Values`]: it says whether an atom holds, given what is known of each chain where the cut
//! has cut it. [`Facts`] does so for atoms that are built from facts about single chains.

use std::collections::VecDeque;

use causet_solve::automaton::Guard;

use super::arrivals::{Arrival, Arriving};
use crate::clock::Clock;

/// What the events of a run mean.
pub trait Values {
    /// What is known of a chain at one of its positions: the values it has there, and the event that led there.
    type Local;

    /// Whether an atom holds at a cut to which the last event of the chain `by` has led; `None` at the initial cut.
    fn truth(&self, atom: usize, at: &At<'_, Self::Local>, by: Option<usize>) -> bool;

    /// Whether an event that changes a chain so may change an atom, or make one true that is about events.
    fn is_visible(&self, chain: usize, before: &Self::Local, after: &Self::Local) -> bool;
}

/// A cut, as what is known of each chain there.
#[derive(Debug)]
pub struct At<'w, L> {
    tracks: &'w [Track<L>],
    cut: &'w [u32],
}

impl<'w, L> At<'w, L> {
    /// What is known of a chain.
    pub fn of(&self, chain: usize) -> &'w L {
        &self.tracks[chain].point(self.cut[chain]).local
    }
}

/// Why an event is not accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// There is no such chain.
    UnknownChain,
    /// The chain is over.
    Ended,
    /// The clock does not say that this is the next event of its chain, or it forgets what the one before it knew.
    OutOfOrder,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Refusal::UnknownChain => "there is no such chain",
            Refusal::Ended => "the chain is over",
            Refusal::OutOfOrder => "the clock is not that of the next event of the chain",
        })
    }
}

/// The events that have arrived and are still needed.
pub struct Window<V: Values> {
    values: V,
    tracks: Vec<Track<V::Local>>,
    /// Per chain: its entry in the clocks.
    columns: Vec<usize>,
    is_thin: bool,
}

/// What is left of a chain.
#[derive(Debug)]
struct Track<L> {
    /// Never empty, by ascending position.
    points: VecDeque<Point<L>>,
    /// How many events have arrived.
    arrived: u32,
    is_over: bool,
}

/// A position of a chain.
#[derive(Debug)]
struct Point<L> {
    at: u32,
    /// The clock of the event that led there.
    needs: Clock,
    /// Whether that event can be seen.
    is_visible: bool,
    local: L,
}

impl<L> Track<L> {
    /// The position, or the last one before it that is kept.
    fn point(&self, x: u32) -> &Point<L> {
        let after = self.points.partition_point(|point| point.at <= x);
        &self.points[after.max(1) - 1]
    }
}

impl<V: Values> Window<V> {
    /// No events yet; what is known of each chain at the start.
    pub fn new(values: V, start: impl IntoIterator<Item = V::Local>) -> Self {
        let track = |local| Track {
            points: VecDeque::from([Point {
                at: 0,
                needs: Clock::default(),
                is_visible: true,
                local,
            }]),
            arrived: 0,
            is_over: false,
        };
        let tracks: Vec<Track<V::Local>> = start.into_iter().map(track).collect();
        Window {
            values,
            columns: (0..tracks.len()).collect(),
            tracks,
            is_thin: false,
        }
    }

    /// Takes clocks in which the entry of each chain is the one listed here.
    pub fn over(self, columns: Vec<usize>) -> Self {
        Window { columns, ..self }
    }

    /// Keeps of each chain no more than the events that can be seen and the last one.
    pub fn thin(self) -> Self {
        Window {
            is_thin: true,
            ..self
        }
    }

    /// Takes the next event of a chain: its vector clock, itself included, and what it makes of the chain.
    pub fn push(&mut self, chain: usize, needs: &Clock, local: V::Local) -> Result<(), Refusal> {
        let track = self.tracks.get_mut(chain).ok_or(Refusal::UnknownChain)?;
        if track.is_over {
            return Err(Refusal::Ended);
        }
        let last = track.point(track.arrived);
        let is_next = needs.get(self.columns[chain]) == track.arrived + 1;
        if !is_next || !last.needs.is_within(needs) {
            return Err(Refusal::OutOfOrder);
        }
        let is_visible = self.values.is_visible(chain, &last.local, &local);
        if self.is_thin && !last.is_visible {
            track.points.pop_back();
        }
        track.arrived += 1;
        track.points.push_back(Point {
            at: track.arrived,
            needs: needs.clone(),
            is_visible,
            local,
        });
        Ok(())
    }

    /// Says that a chain is over.
    pub fn end(&mut self, chain: usize) -> Result<(), Refusal> {
        let track = self.tracks.get_mut(chain).ok_or(Refusal::UnknownChain)?;
        track.is_over = true;
        Ok(())
    }

    /// Forgets what comes before a cut.
    pub fn forget(&mut self, cut: &[u32]) {
        for (track, &x) in self.tracks.iter_mut().zip(cut) {
            let needless = track.points.partition_point(|point| point.at <= x);
            track.points.drain(..needless.max(1) - 1);
        }
    }

    /// How many events are kept.
    pub fn len(&self) -> usize {
        self.tracks.iter().map(|track| track.points.len() - 1).sum()
    }

    /// Whether no event is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// About how many bytes the window takes, without what the values of a chain hold elsewhere.
    pub fn bytes(&self) -> usize {
        let clock = |track: &Track<V::Local>| {
            let last = track.points.back().map_or(0, |point| point.needs.bytes());
            track.points.len() * (size_of::<Point<V::Local>>() + last)
        };
        self.tracks.iter().map(clock).sum()
    }

    /// The largest consistent cut all of whose events have arrived: of each chain the events whose causes all have.
    pub fn arrived(&self) -> Vec<u32> {
        let has_causes = |point: &Point<V::Local>| {
            let mut tracks = self.columns.iter().zip(&self.tracks);
            tracks.all(|(&column, track)| point.needs.get(column) <= track.arrived)
        };
        let end = |track: &Track<V::Local>| {
            let with_causes = track.points.partition_point(has_causes);
            track.points[with_causes.max(1) - 1].at
        };
        self.tracks.iter().map(end).collect()
    }
}

impl<V: Values> Arriving for Window<V> {
    fn chains(&self) -> usize {
        self.tracks.len()
    }

    fn next(&self, chain: usize, x: u32) -> Arrival {
        let track = &self.tracks[chain];
        match track.is_over {
            _ if x < track.arrived => Arrival::Here,
            true => Arrival::Ended,
            false => Arrival::Awaited,
        }
    }

    fn needs(&self, chain: usize, x: u32, other: usize) -> u32 {
        self.tracks[chain].point(x).needs.get(self.columns[other])
    }

    fn truth(&self, atom: usize, cut: &[u32], by: Option<usize>) -> bool {
        let tracks = &self.tracks;
        self.values.truth(atom, &At { tracks, cut }, by)
    }

    fn is_visible(&self, chain: usize, x: u32) -> bool {
        let point = self.tracks[chain].point(x);
        point.at == x && point.is_visible
    }
}

/// Atoms built from facts about single chains, of which each chain has up to 64.
#[derive(Clone, Debug)]
pub struct Facts {
    atoms: Vec<Atom>,
}

/// What an atom says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Atom {
    /// A condition on the facts that hold; fact `bit` of a chain has the number `64 * chain + bit`.
    State(Guard),
    /// The event just executed, on whatever chain, has this mark.
    Event(u32),
}

/// The facts that hold on a chain, and the marks of the event that led there: a bit each.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Bits {
    /// The facts.
    pub facts: u64,
    /// The marks.
    pub marks: u64,
}

impl Facts {
    /// The meaning of the atoms.
    pub fn new(atoms: Vec<Atom>) -> Self {
        Facts { atoms }
    }
}

impl Values for Facts {
    type Local = Bits;

    fn truth(&self, atom: usize, at: &At<'_, Bits>, by: Option<usize>) -> bool {
        match &self.atoms[atom] {
            Atom::State(guard) => {
                guard.holds(&|fact| at.of(fact / 64).facts >> (fact % 64) & 1 == 1)
            }
            Atom::Event(mark) => by.is_some_and(|chain| at.of(chain).marks >> mark & 1 == 1),
        }
    }

    fn is_visible(&self, chain: usize, before: &Bits, after: &Bits) -> bool {
        let changed = before.facts ^ after.facts;
        self.atoms.iter().any(|atom| match atom {
            Atom::State(guard) => speaks_of(guard, chain, changed),
            Atom::Event(mark) => after.marks >> mark & 1 == 1,
        })
    }
}

/// Whether a condition speaks of one of these facts of a chain.
fn speaks_of(guard: &Guard, chain: usize, facts: u64) -> bool {
    match guard {
        Guard::Const(_) => false,
        Guard::Atom(fact) => fact / 64 == chain && facts >> (fact % 64) & 1 == 1,
        Guard::Not(part) => speaks_of(part, chain, facts),
        Guard::All(parts) | Guard::Any(parts) => {
            parts.iter().any(|part| speaks_of(part, chain, facts))
        }
    }
}
