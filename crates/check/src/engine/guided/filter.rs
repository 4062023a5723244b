//! Filtering: events that no atom can see are left out, and clocks count the others only (thesis, 4.2.2, pp. 64-68).
//!
//! The order among the kept events is the old one restricted to them. Its clocks are the old ones renumbered: of the
//! events of another chain that an event needs, those that were kept. The runs that are left show the letters of the
//! whole runs but for repetitions, so this is for properties that do not count those. Nothing reduces more than leaving
//! events out. The thesis objects that the way through the whole run is lost; but the dropped events are still known to
//! whoever has the run, and can be inserted again in any causal order, see [`Filter::lift`].
//!
//! On line a clock can be renumbered before all it speaks of has arrived. An event of another chain that has not come
//! is not counted yet; but as a level waits for the next kept event of every chain, what matters has come: whether the
//! count exceeds the position of the cut. A kept event that has not come needs at least what the last event of its chain
//! needs, kept or not; so a search need not wait for it at cuts that have less.

use std::collections::VecDeque;

use super::arrivals::{Arrival, Arriving};
pub use super::two_phase::supports;

/// Which events are kept.
#[derive(Clone, Debug)]
pub struct Filter {
    chains: Vec<Kept>,
}

/// The kept events of a chain.
#[derive(Clone, Default, Debug)]
struct Kept {
    /// How many were forgotten.
    forgotten: u32,
    /// The positions of the others, and that of the last one forgotten or 0 before them.
    positions: VecDeque<u32>,
    /// How many events, kept or not, were looked at.
    seen: u32,
}

impl Kept {
    /// Where the first `x` kept events end.
    fn position(&self, x: u32) -> Option<u32> {
        let at = x.checked_sub(self.forgotten)? as usize;
        self.positions.get(at).copied()
    }

    /// How many kept events are among the first `x` events.
    fn count(&self, x: u32) -> u32 {
        let within = self.positions.partition_point(|&position| position <= x);
        self.forgotten + within.saturating_sub(1) as u32
    }
}

impl Filter {
    /// A filter for so many chains that has seen no events.
    pub fn new(chains: usize) -> Self {
        let none = Kept {
            positions: VecDeque::from([0]),
            ..Kept::default()
        };
        Filter {
            chains: vec![none; chains],
        }
    }

    /// Looks at the events that have arrived since the last time.
    pub fn absorb<A: Arriving>(&mut self, source: &A) {
        for (chain, kept) in self.chains.iter_mut().enumerate() {
            while source.next(chain, kept.seen) == Arrival::Here {
                kept.seen += 1;
                if source.is_visible(chain, kept.seen) {
                    kept.positions.push_back(kept.seen);
                }
            }
        }
    }

    /// Whether some event that has arrived is not kept.
    pub fn leaves_out(&self) -> bool {
        let all = |kept: &Kept| kept.count(kept.seen) == kept.seen;
        !self.chains.iter().all(all)
    }

    /// What is left of a run whose events were absorbed.
    pub fn over<'f, A: Arriving>(&'f self, source: &'f A) -> Filtered<'f, A> {
        Filtered {
            filter: self,
            source,
        }
    }

    /// The positions in the whole run of the last kept events of a cut; what comes before them is not needed any more.
    pub fn positions(&self, cut: &[u32]) -> Vec<u32> {
        let chains = self.chains.iter().zip(cut);
        chains
            .map(|(kept, &x)| kept.position(x).unwrap_or(0))
            .collect()
    }

    /// Forgets the kept events before those of a cut.
    pub fn forget(&mut self, cut: &[u32]) {
        for (kept, &x) in self.chains.iter_mut().zip(cut) {
            while kept.forgotten < x && kept.positions.len() > 1 {
                kept.positions.pop_front();
                kept.forgotten += 1;
            }
        }
    }

    /// Steps of the whole run for steps of what is left of it: before each, what it needs and was left out. To a run
    /// that has all kept events the rest is added at the end.
    pub fn lift<A: Arriving>(&self, source: &A, steps: &[usize]) -> Vec<usize> {
        let mut lift = Lift {
            source,
            cut: vec![0; self.chains.len()],
            steps: Vec::new(),
        };
        let mut left = vec![0; self.chains.len()];
        for &chain in steps {
            left[chain] += 1;
            if let Some(position) = self.chains[chain].position(left[chain]) {
                lift.reach(chain, position);
            }
        }
        let mut chains = self.chains.iter().zip(&left);
        if chains.all(|(kept, &x)| kept.position(x + 1).is_none()) {
            for (chain, kept) in self.chains.iter().enumerate() {
                lift.reach(chain, kept.seen);
            }
        }
        lift.steps
    }
}

/// A way through the whole run in the making.
struct Lift<'l, A> {
    source: &'l A,
    cut: Vec<u32>,
    steps: Vec<usize>,
}

impl<A: Arriving> Lift<'_, A> {
    /// Takes an event, and before it all events it needs: whatever stands in the way of the last one of the list.
    fn reach(&mut self, chain: usize, x: u32) {
        let mut open = vec![(chain, x)];
        while let Some(&(chain, x)) = open.last() {
            if self.cut[chain] >= x {
                open.pop();
                continue;
            }
            let next = self.cut[chain] + 1;
            let missing = (0..self.cut.len())
                .map(|other| (other, self.source.needs(chain, next, other)))
                .find(|&(other, needed)| other != chain && needed > self.cut[other]);
            match missing {
                Some(missing) => open.push(missing),
                None => {
                    self.cut[chain] = next;
                    self.steps.push(chain);
                }
            }
        }
    }
}

/// A run without the events that no atom can see.
#[derive(Debug)]
pub struct Filtered<'f, A> {
    filter: &'f Filter,
    source: &'f A,
}

impl<A: Arriving> Filtered<'_, A> {
    /// The least consistent cut of the whole run with the kept events of a cut. After the last one of them nothing of its
    /// chain is in it: whatever was executed before does not need it.
    fn whole(&self, cut: &[u32]) -> Vec<u32> {
        let ends = self.filter.positions(cut);
        let mut whole = ends.clone();
        for (chain, &end) in ends.iter().enumerate().filter(|&(_, &end)| end > 0) {
            for (other, x) in whole.iter_mut().enumerate() {
                *x = self.source.needs(chain, end, other).max(*x);
            }
        }
        whole
    }
}

impl<A: Arriving> Arriving for Filtered<'_, A> {
    fn chains(&self) -> usize {
        self.source.chains()
    }

    fn next(&self, chain: usize, x: u32) -> Arrival {
        let kept = &self.filter.chains[chain];
        match kept.position(x + 1) {
            Some(position) => self.source.next(chain, position - 1),
            None if self.source.next(chain, kept.seen) == Arrival::Ended => Arrival::Ended,
            None => Arrival::Awaited,
        }
    }

    fn needs(&self, chain: usize, x: u32, other: usize) -> u32 {
        let position = self.filter.chains[chain].position(x).unwrap_or(0);
        if chain == other {
            return x;
        }
        self.filter.chains[other].count(self.source.needs(chain, position, other))
    }

    fn truth(&self, atom: usize, cut: &[u32], by: Option<usize>) -> bool {
        self.source.truth(atom, &self.whole(cut), by)
    }

    fn is_visible(&self, _chain: usize, _x: u32) -> bool {
        true
    }

    fn is_awaited(&self, chain: usize, cut: &[u32]) -> bool {
        let last = self.filter.chains[chain].seen;
        let could_follow = |other: usize| {
            let needed = self.source.needs(chain, last, other);
            other == chain || self.filter.chains[other].count(needed) <= cut[other]
        };
        self.next(chain, cut[chain]) == Arrival::Awaited && (0..cut.len()).all(could_follow)
    }
}
