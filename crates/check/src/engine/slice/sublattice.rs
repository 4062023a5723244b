//! A slice: a sub-lattice of the cuts, written as implications that are added to the order of the run.
//!
//! Paper POTA (section 5) draws a slice as the computation with more edges, between events and the two ends ⊥ and ⊤.
//! An edge from `u` to `v` says "who holds `v` holds `u`". On chains that is three kinds of facts:
//!
//! ```text
//! edge u -> ⊥      at least so many events of a chain            low
//! edge ⊤ -> v      at most so many                               high
//! edge u -> v      the first `has` events of one chain need      needs, a staircase for each
//!                  the first `wants` of another (or the same)    pair of chains
//! ```
//!
//! Whatever is said by implications of this form is closed under union and intersection, and every set of cuts so closed
//! can be said (Birkhoff; paper POTA, definitions 5.1 and 6.1). Only added facts are kept: what the run itself demands
//! is in the bounds of the projection. The alternative, a table with the least cut `J(e)` of the slice above each
//! event (thesis, 4.2.4), answers membership no faster, costs a factor of the number of chains at every operator, and
//! hides which edges were added, which is what `AG` asks about.
//!
//! The temporal operators (paper POTA, section 7, figure 5), each with one walk over chains and facts:
//!
//! * `EF`: the cuts below the greatest one, so `high` is that cut and nothing else remains (algorithm A1).
//! * `AG`: a fact that the run does not imply can be broken later unless it has been fulfilled for good already
//!   (theorem 7.1), so its conclusion goes into `low`. The paper's A2 says "each pair" of connected events, which is
//!   quadratic; the facts themselves suffice: a pair connected through several facts is broken only where one of them is.
//! * `EG`: the paper only says "similar". Runs advance by single events, so the end must be in the slice, and events that
//!   wait for each other (a cycle of facts and order) must all have happened. Instead of looking for strongly connected
//!   components we walk back from the end, taking back one event at a time while that stays in the slice; where no
//!   event can be taken back, exactly the events in cycles and those they need are left.

use std::collections::BTreeMap;

use causet_solve::chains::Chains;

use crate::project::Projection;

/// A set of cuts closed under union and intersection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Slice {
    low: Vec<u32>,
    high: Vec<u32>,
    /// By the chain that has and the chain that is wanted; both columns of a staircase rise strictly.
    needs: BTreeMap<(usize, usize), Vec<Need>>,
}

/// Who has the first `has` events of one chain needs the first `wants` of another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Need {
    pub(super) has: u32,
    pub(super) wants: u32,
}

/// A place on a chain: so many of its events, the last of which is meant.
pub(super) type Place = (usize, u32);

impl Slice {
    /// All cuts.
    pub(super) fn all(projection: &Projection<'_>) -> Slice {
        Slice {
            low: projection.first_cut(),
            high: projection.last_cut(),
            needs: BTreeMap::new(),
        }
    }

    /// Demands an event.
    pub(super) fn demand(&mut self, (chain, x): Place) {
        self.low[chain] = self.low[chain].max(x);
    }

    /// Forbids an event, and so all later ones of its chain; false when that leaves nothing of the chain, not even its
    /// beginning.
    pub(super) fn forbid(&mut self, (chain, x): Place) -> bool {
        let Some(most) = x.checked_sub(1) else {
            return false;
        };
        self.high[chain] = self.high[chain].min(most);
        true
    }

    /// Demands an event of those who have another.
    pub(super) fn need(&mut self, (holder, has): Place, (wanted, wants): Place) {
        if has == 0 {
            return self.demand((wanted, wants));
        }
        let stairs = self.needs.entry((holder, wanted)).or_default();
        let last = stairs.last().copied();
        if last.is_some_and(|last| last.has <= has && last.wants >= wants) {
            return;
        }
        stairs.push(Need { has, wants });
        if last.is_some_and(|last| last.has >= has || last.wants >= wants) {
            settle(stairs);
        }
    }

    /// The cuts in both.
    pub(super) fn and(&self, other: &Slice) -> Slice {
        let mut both = self.clone();
        for chain in 0..self.low.len() {
            both.low[chain] = self.low[chain].max(other.low[chain]);
            both.high[chain] = self.high[chain].min(other.high[chain]);
        }
        for (&pair, stairs) in &other.needs {
            let own = both.needs.entry(pair).or_default();
            own.extend_from_slice(stairs);
            settle(own);
        }
        both
    }

    /// Whether a cut of the projection is in the slice.
    pub(super) fn contains(&self, cut: &[u32]) -> bool {
        let mut bounds = cut.iter().zip(&self.low).zip(&self.high);
        bounds.all(|((x, low), high)| low <= x && x <= high)
            && self
                .needs
                .iter()
                .all(|(&(holder, wanted), stairs)| wants(stairs, cut[holder]) <= cut[wanted])
    }

    /// The least cut of the slice at or after a given one.
    ///
    /// This is detection of a *linear* predicate (thesis, 4.2.3; for a conjunction of local predicates the weak
    /// conjunctive detection of Garg and Waldecker): a cut that is not in the slice names a chain that must advance, and
    /// how far at least.
    pub(super) fn least(&self, projection: &Projection<'_>, from: &[u32]) -> Option<Vec<u32>> {
        let pairs = from.iter().zip(&self.low);
        let mut cut: Vec<u32> = pairs.map(|(&from, &low)| from.max(low)).collect();
        let mut moved = Moved::all(cut.len());
        while let Some(chain) = moved.next() {
            let x = cut[chain];
            if x > self.high[chain] {
                return None;
            }
            for other in (0..cut.len()).filter(|&other| other != chain) {
                moved.raise(&mut cut, other, projection.least(chain, x, other));
            }
            for (&(_, wanted), stairs) in self.needs.range((chain, 0)..=(chain, usize::MAX)) {
                moved.raise(&mut cut, wanted, wants(stairs, x));
            }
        }
        Some(cut)
    }

    /// The greatest cut of the slice; the mirror image of [`Slice::least`] (thesis, 4.2.3: post-linear).
    pub(super) fn greatest(&self, projection: &Projection<'_>) -> Option<Vec<u32>> {
        let mut cut = self.high.clone();
        let mut moved = Moved::all(cut.len());
        while let Some(chain) = moved.next() {
            let x = cut[chain];
            if x < self.low[chain] {
                return None;
            }
            for other in (0..cut.len()).filter(|&other| other != chain) {
                moved.lower(&mut cut, other, projection.most(chain, x, other));
            }
            for (&(holder, wanted), stairs) in &self.needs {
                if wanted == chain {
                    moved.lower(&mut cut, holder, allows(stairs, x));
                }
            }
        }
        Some(cut)
    }

    /// The cuts from which one of the slice can be reached.
    pub(super) fn ef(&self, projection: &Projection<'_>) -> Option<Slice> {
        let mut below = Slice::all(projection);
        below.high = self.greatest(projection)?;
        Some(below)
    }

    /// The cuts from which only cuts of the slice can be reached.
    pub(super) fn ag(&self, projection: &Projection<'_>) -> Option<Slice> {
        if self.high != projection.last_cut() {
            return None;
        }
        let mut above = Slice::all(projection);
        above.low.clone_from(&self.low);
        for (&(holder, wanted), stairs) in &self.needs {
            for need in stairs {
                if projection.least(holder, need.has, wanted) < need.wants {
                    above.demand((wanted, need.wants));
                }
            }
        }
        Some(above)
    }

    /// The cuts from which some run stays in the slice to the end.
    pub(super) fn eg(&self, projection: &Projection<'_>) -> Option<Slice> {
        if !self.contains(&projection.last_cut()) {
            return None;
        }
        let mut until_the_end = self.clone();
        for (chain, x) in self.taken_back(projection).into_iter().enumerate() {
            until_the_end.demand((chain, x));
        }
        Some(until_the_end)
    }

    /// What is left of the last cut when events are taken back one by one as long as the facts about pairs of events stay
    /// true.
    fn taken_back(&self, projection: &Projection<'_>) -> Vec<u32> {
        let mut cut = projection.last_cut();
        // Chains that wait until another is shorter; a chain waits for one reason at a time.
        let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); cut.len()];
        let mut ready: Vec<usize> = (0..cut.len()).collect();
        while let Some(chain) = ready.pop() {
            let mut shorter = false;
            while cut[chain] > 0 {
                if let Some(reason) = self.holds_back(projection, &cut, chain) {
                    if reason != chain {
                        waiting[reason].push(chain);
                    }
                    break;
                }
                cut[chain] -= 1;
                shorter = true;
            }
            if shorter {
                ready.append(&mut waiting[chain]);
            }
        }
        cut
    }

    /// A chain that needs the last event of a given one.
    fn holds_back(&self, projection: &Projection<'_>, cut: &[u32], chain: usize) -> Option<usize> {
        let x = cut[chain];
        let by_order =
            |&other: &usize| other != chain && projection.least(other, cut[other], chain) >= x;
        let by_need = || {
            let mut pairs = self.needs.iter();
            pairs.find_map(|(&(holder, wanted), stairs)| {
                // Its own last event does not hold itself back, but an earlier one may.
                let has = cut[holder] - u32::from(holder == chain);
                (wanted == chain && wants(stairs, has) >= x).then_some(holder)
            })
        };
        (0..cut.len()).find(by_order).or_else(by_need)
    }

    /// Slices that together hold exactly the cuts that are not in this one.
    ///
    /// What is said of a chain by itself is denied by one slice; of a need between two chains each stair is denied by a
    /// slice of its own.
    pub(super) fn complement(&self, projection: &Projection<'_>) -> Vec<Slice> {
        let chains = (0..self.low.len()).filter_map(|chain| self.outside(projection, chain));
        let mut slices: Vec<Slice> = chains.collect();
        for (&(holder, wanted), stairs) in &self.needs {
            if holder == wanted {
                continue;
            }
            for need in stairs {
                let mut broken = Slice::all(projection);
                broken.demand((holder, need.has));
                if broken.forbid((wanted, need.wants)) {
                    slices.push(broken);
                }
            }
        }
        slices
    }

    /// The cuts at which a chain by itself is where this slice does not let it be.
    fn outside(&self, projection: &Projection<'_>, chain: usize) -> Option<Slice> {
        let is_bounded = self.low[chain] > 0 || self.high[chain] < projection.length(chain);
        if !is_bounded && !self.needs.contains_key(&(chain, chain)) {
            return None;
        }
        let steps: Vec<Place> = (1..=projection.length(chain)).map(|x| (chain, x)).collect();
        let outside: Vec<bool> = (0..=projection.length(chain))
            .map(|x| !self.lets(chain, x))
            .collect();
        Slice::along(projection, &steps, &outside)
    }

    /// Whether this slice lets a chain by itself be at a position.
    pub(super) fn lets(&self, chain: usize, x: u32) -> bool {
        let own = self.needs.get(&(chain, chain));
        self.low[chain] <= x
            && x <= self.high[chain]
            && own.is_none_or(|stairs| wants(stairs, x) <= x)
    }

    /// The cuts at which something holds that only depends on how many of some totally ordered events have happened;
    /// `truth` has one entry more than `steps`. `None` when it never holds.
    pub(super) fn along(
        projection: &Projection<'_>,
        steps: &[Place],
        truth: &[bool],
    ) -> Option<Slice> {
        let mut slice = Slice::all(projection);
        let mut done = 0;
        while done < truth.len() {
            if truth[done] {
                done += 1;
                continue;
            }
            let start = done.checked_sub(1).map(|step| steps[step]);
            done += truth[done..].iter().take_while(|truth| !**truth).count();
            let end = (done < truth.len()).then(|| steps[done - 1]);
            match (start, end) {
                (None, None) => return None,
                (None, Some(end)) => slice.demand(end),
                (Some(start), None) => {
                    slice.forbid(start);
                }
                (Some(start), Some(end)) => slice.need(start, end),
            }
        }
        Some(slice)
    }

    /// Whether it says nothing about several chains together.
    pub(super) fn is_conjunctive(&self) -> bool {
        self.needs.keys().all(|(holder, wanted)| holder == wanted)
    }

    /// How many needs between different chains there are: as many slices it may take to deny them.
    pub(super) fn stairs(&self) -> usize {
        let pairs = self.needs.iter();
        let between = pairs.filter(|((holder, wanted), _)| holder != wanted);
        between.map(|(_, stairs)| stairs.len()).sum()
    }

    /// How many edges were added to the run.
    pub(super) fn edges(&self, projection: &Projection<'_>) -> usize {
        let low = self.low.iter().filter(|&&low| low > 0).count();
        let high = self.high.iter().zip(projection.last_cut());
        let high = high.filter(|(high, length)| *high < length).count();
        low + high + self.needs.values().map(Vec::len).sum::<usize>()
    }

    /// About how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let stairs = self.needs.values().map(|stairs| 8 * stairs.len() + 80);
        8 * self.low.len() + 128 + stairs.sum::<usize>()
    }

    /// Whether one set of cuts below a greatest one holds another such set.
    pub(super) fn reaches_as_far_as(&self, other: &Slice) -> bool {
        let mut pairs = self.high.iter().zip(&other.high);
        pairs.all(|(own, other)| own >= other)
    }
}

/// What a staircase wants of who has so much.
fn wants(stairs: &[Need], x: u32) -> u32 {
    let steps = stairs.partition_point(|need| need.has <= x);
    steps.checked_sub(1).map_or(0, |last| stairs[last].wants)
}

/// How much one may have under a staircase when only so much is there of what it wants.
fn allows(stairs: &[Need], x: u32) -> u32 {
    let steps = stairs.partition_point(|need| need.wants <= x);
    stairs.get(steps).map_or(u32::MAX, |need| need.has - 1)
}

/// Sorts facts and leaves out those that others imply.
fn settle(stairs: &mut Vec<Need>) {
    stairs.sort_unstable_by_key(|need| (need.has, std::cmp::Reverse(need.wants)));
    let mut most = 0;
    stairs.retain(|need| {
        let says_more = need.wants > most;
        most = most.max(need.wants);
        says_more
    });
}

/// The chains to look at again since they moved.
struct Moved {
    chains: Vec<usize>,
    listed: Vec<bool>,
}

impl Moved {
    fn all(count: usize) -> Self {
        Moved {
            chains: (0..count).collect(),
            listed: vec![true; count],
        }
    }

    fn next(&mut self) -> Option<usize> {
        let chain = self.chains.pop()?;
        self.listed[chain] = false;
        Some(chain)
    }

    fn raise(&mut self, cut: &mut [u32], chain: usize, to: u32) {
        if cut[chain] < to {
            self.set(cut, chain, to);
        }
    }

    fn lower(&mut self, cut: &mut [u32], chain: usize, to: u32) {
        if cut[chain] > to {
            self.set(cut, chain, to);
        }
    }

    fn set(&mut self, cut: &mut [u32], chain: usize, to: u32) {
        cut[chain] = to;
        if !std::mem::replace(&mut self.listed[chain], true) {
            self.chains.push(chain);
        }
    }
}
