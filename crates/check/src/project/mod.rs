//! Stutter projection: a formula without `EX` is decided on the events it can see, whatever else happened.
//!
//! Keep the events `V` that change some term of the formula, ordered as they are in the run. Mapping a cut `C` of the run
//! to `C ∩ V` is a stuttering bisimulation: an invisible event leaves `C ∩ V` and every term alone, and a visible event
//! `e` that may happen next in `C ∩ V` is reached from `C` by letting `↓e \ C` happen, all of it invisible but `e`. So a
//! cut satisfies the formula exactly if its image does, and the work depends on the events the formula can see and on
//! the chains they form, not on the number of processes. Writes of one variable are totally ordered (paper IST,
//! definition 1, ii), so there are no more chains than variables.
//!
//! `EX` can see an invisible event happen. Formulas that use it get the projection that leaves nothing out: all events,
//! one chain per process.
//!
//! ```text
//! formulas --Survey::look--> Sight --Survey::sweep--> clocks --Survey::project--> Projection --lift--> events of the run
//! ```

pub(crate) mod course;
mod incremental;
pub(crate) mod letters;
mod lift;
mod recorded;
mod residual;
mod survey;
pub(crate) mod view;

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use causet_base::budget::{Budget, Spent};
use causet_base::value::Value;
use causet_formula::core::{CmpOp, Pred};
use causet_solve::chains::Chains;
use causet_trace::EventId;
use rustc_hash::FxHashMap;

pub(crate) use course::is_decided_by_event;
pub(crate) use incremental::Incremental;
pub(crate) use lift::Route;
pub(crate) use recorded::Recorded;
pub(crate) use residual::Known;
pub(crate) use survey::Stretch;
pub use survey::{Sight, Survey};
use survey::{Site, Strand};
pub use view::Track;
pub(crate) use view::{Figure, TermId, Values, View};

/// The part of a run that some formulas can see.
pub struct Projection<'s> {
    survey: &'s Survey<'s>,
    sight: &'s Sight,
    chains: Vec<Arc<[EventId]>>,
    /// Per chain, position and each other chain: how many events of the other are in every cut with that many of this.
    least: Vec<Vec<u32>>,
    /// The same: how many there can be at most.
    most: Vec<Vec<u32>>,
    readings: Vec<Reading>,
    divided_by_zero: AtomicBool,
}

/// How the value of a term follows from a cut.
pub(crate) enum Reading {
    /// One chain decides: the number of the value at each of its positions.
    One { chain: usize, values: Vec<u32> },
    /// Its changes lie on several chains: how many of them are in the first so many events of each, and the number of
    /// the value after so many changes.
    Several {
        counts: Vec<(usize, Vec<u32>)>,
        values: Vec<u32>,
    },
}

impl Survey<'_> {
    /// What a sight looks like, once its order has been found.
    pub fn project<'s>(
        &'s self,
        sight: &'s Sight,
        budget: &Budget<'_>,
    ) -> Result<Projection<'s>, Spent> {
        let chains: Vec<Arc<[EventId]>> = sight
            .strands
            .iter()
            .map(|strand| strand.events.clone())
            .collect();
        let mut projection = Projection {
            survey: self,
            sight,
            least: Vec::new(),
            most: Vec::new(),
            readings: Vec::new(),
            chains,
            divided_by_zero: AtomicBool::new(sight.divided_by_zero),
        };
        budget.charge(projection.size(sight.terms.len()))?;
        if projection.chains.len() > 1 {
            projection.least = self.lower_bounds(&sight.strands, budget)?;
            projection.most = projection.upper_bounds(budget)?;
        }
        projection.readings = projection.readings();
        Ok(projection)
    }

    /// Whether a predicate of a sight holds at the initial cut, for which no order is needed, and whether something was
    /// divided by zero.
    pub(crate) fn holds_at_first(&self, sight: &Sight, pred: &Pred) -> (bool, bool) {
        let at = AtFirst {
            survey: self,
            sight,
            divided: Cell::new(sight.divided_by_zero),
        };
        let holds = sight.views[sight.number_of[pred]].holds(&at);
        (holds, at.divided.get())
    }

    /// The lower bounds, from what the sweep noted.
    fn lower_bounds(
        &self,
        strands: &[Strand],
        budget: &Budget<'_>,
    ) -> Result<Vec<Vec<u32>>, Spent> {
        let noted: Vec<Noted<'_>> = strands.iter().map(|strand| self.noted(strand)).collect();
        let mut tables = Vec::with_capacity(noted.len());
        for (chain, own) in noted.iter().enumerate() {
            let mut table = vec![0; (own.places.len() + 1) * (noted.len() - 1)];
            let partners: Vec<usize> = own.site.partners.iter().copied().collect();
            for (other, its) in noted
                .iter()
                .enumerate()
                .filter(|&(other, _)| other != chain)
            {
                match own.places.len() {
                    0..FEW_PLACES => budget.tick()?,
                    _ => budget.look()?,
                }
                let column = partners.partition_point(|&partner| partner < its.number);
                let mut count = 0;
                for (x, &place) in own.places.iter().enumerate() {
                    let known = own.site.known[place as usize * partners.len() + column];
                    while its.places.get(count).is_some_and(|&place| place < known) {
                        count += 1;
                    }
                    table[entry(noted.len(), chain, x as u32 + 1, other)] = count as u32;
                }
            }
            tables.push(table);
        }
        Ok(tables)
    }

    fn noted(&self, strand: &Strand) -> Noted<'_> {
        let number = self.site_of[&strand.track];
        let site = &self.sites[number];
        Noted {
            number,
            site,
            places: places(&strand.events, &site.events),
        }
    }
}

/// A chain of fewer events is compared with another one faster than the limits are looked at.
const FEW_PLACES: usize = 1000;

/// A chain among the events the sweep went through.
struct Noted<'a> {
    number: usize,
    site: &'a Site,
    /// Which of the events of the site its events are.
    places: Vec<u32>,
}

/// Where the events of a list stand in a longer one, both in the same order.
fn places(events: &[EventId], among: &[EventId]) -> Vec<u32> {
    let mut at = 0;
    let mut place = |event: &EventId| {
        while among[at] != *event {
            at += 1;
        }
        at as u32
    };
    events.iter().map(&mut place).collect()
}

impl<'s> Projection<'s> {
    /// About how many bytes the tables take.
    fn size(&self, terms: usize) -> usize {
        let tables = if self.chains.len() > 1 {
            8 * (self.chains.len() - 1)
        } else {
            0
        };
        let events = |chain: &Arc<[EventId]>| chain.len() + 1;
        self.chains.iter().map(events).sum::<usize>() * (tables + 4 * terms.min(8))
    }

    /// The upper bounds: another chain may go on until its next event needs more of this one.
    fn upper_bounds(&self, budget: &Budget<'_>) -> Result<Vec<Vec<u32>>, Spent> {
        let width = self.chains.len();
        let mut tables: Vec<Vec<u32>> = self
            .least
            .iter()
            .map(|table| vec![0; table.len()])
            .collect();
        for (chain, table) in tables.iter_mut().enumerate() {
            for other in (0..width).filter(|&other| other != chain) {
                budget.look()?;
                let mut y = 0;
                for x in 0..=self.length(chain) {
                    while y < self.length(other) && self.least(other, y + 1, chain) <= x {
                        y += 1;
                    }
                    table[entry(width, chain, x, other)] = y;
                }
            }
        }
        Ok(tables)
    }

    fn readings(&self) -> Vec<Reading> {
        let mut place_of: Option<FxHashMap<EventId, (usize, u32)>> = None;
        let mut reading = |&term: &TermId| {
            let course = &self.survey.terms[term].course;
            if course.is_constant() || self.survey.terms[term].is_marked {
                return Reading::Several {
                    counts: Vec::new(),
                    values: vec![course.first],
                };
            }
            let track = self.survey.terms[term].track;
            let strands = &self.sight.strands;
            let own = strands.iter().position(|strand| strand.track == track);
            let one = own.and_then(|chain| self.one(term, chain));
            one.unwrap_or_else(|| {
                let place_of = place_of.get_or_insert_with(|| self.place_of());
                self.several(term, place_of)
            })
        };
        self.sight.terms.iter().map(&mut reading).collect()
    }

    /// The value of a term at each position of a chain, when all of its changes lie there.
    fn one(&self, term: TermId, chain: usize) -> Option<Reading> {
        let course = &self.survey.terms[term].course;
        let mut values = Vec::with_capacity(self.chains[chain].len() + 1);
        values.push(course.first);
        let mut changes = course.changes().peekable();
        let mut value = course.first;
        for event in self.chains[chain].iter() {
            if let Some((_, next)) = changes.next_if(|(changed, _)| changed == event) {
                value = next;
            }
            values.push(value);
        }
        changes
            .next()
            .is_none()
            .then_some(Reading::One { chain, values })
    }

    fn several(&self, term: TermId, place_of: &FxHashMap<EventId, (usize, u32)>) -> Reading {
        let course = &self.survey.terms[term].course;
        let mut counts: Vec<Vec<u32>> = self
            .chains
            .iter()
            .map(|chain| vec![0; chain.len() + 1])
            .collect();
        let mut values = vec![course.first];
        for (event, value) in course.changes() {
            let (chain, position) = place_of[&event];
            counts[chain][position as usize] += 1;
            values.push(value);
        }
        for counts in &mut counts {
            let mut sum = 0;
            for count in counts.iter_mut() {
                sum += *count;
                *count = sum;
            }
        }
        let counts = counts.into_iter().enumerate();
        Reading::Several {
            counts: counts
                .filter(|(_, counts)| counts.last() != Some(&0))
                .collect(),
            values,
        }
    }

    fn place_of(&self) -> FxHashMap<EventId, (usize, u32)> {
        let chains = self.chains.iter().enumerate();
        let places = chains.flat_map(|(chain, events)| {
            let positions = events.iter().zip(1..);
            positions.map(move |(&event, position)| (event, (chain, position)))
        });
        places.collect()
    }

    /// The events of a chain.
    pub(crate) fn chain(&self, chain: usize) -> &[EventId] {
        &self.chains[chain]
    }

    /// Where an event of a chain stands in the recorded order; `x` events of the chain come before it.
    pub(crate) fn rank(&self, chain: usize, x: u32) -> u32 {
        self.survey.ranks.of(self.chains[chain][x as usize])
    }

    /// Whether the orders that show verdicts are wanted.
    pub(crate) fn wants_routes(&self) -> bool {
        self.survey.trails
    }

    /// Whether nothing is left out: every event is here and the chains are the processes.
    pub(crate) fn is_whole(&self) -> bool {
        self.sight.whole
    }

    /// What tells apart the chains of one projection from those of another of the same survey.
    pub(crate) fn chains_key(&self) -> Vec<(Track, usize)> {
        self.sight.chains_key()
    }

    /// The cut that holds everything.
    pub(crate) fn last_cut(&self) -> Vec<u32> {
        (0..self.count()).map(|chain| self.length(chain)).collect()
    }

    /// The cut that holds nothing.
    pub(crate) fn first_cut(&self) -> Vec<u32> {
        vec![0; self.count()]
    }

    /// Whether the next event of a chain may happen at a cut.
    pub(crate) fn may_advance(&self, cut: &[u32], chain: usize) -> bool {
        if cut[chain] >= self.length(chain) {
            return false;
        }
        let Some(table) = self.least.get(chain) else {
            return true;
        };
        // The bounds of one position lie side by side, without one for the chain itself.
        let others = self.chains.len() - 1;
        let bounds = &table[(cut[chain] as usize + 1) * others..][..others];
        let fits = |(least, has): (&u32, &u32)| least <= has;
        let (before, after) = bounds.split_at(chain);
        before.iter().zip(cut).all(fits) && after.iter().zip(&cut[chain + 1..]).all(fits)
    }

    /// The number of a predicate of the formulas this was made for.
    pub(crate) fn number_of(&self, pred: &Pred) -> usize {
        self.sight.number_of[pred]
    }

    /// A predicate over terms.
    pub(crate) fn view(&self, number: usize) -> &View {
        &self.sight.views[number]
    }

    /// How the value of a term follows from a cut.
    pub(crate) fn reading(&self, term: TermId) -> &Reading {
        &self.readings[term]
    }

    /// The different values of a term.
    pub(crate) fn values_of(&self, term: TermId) -> &[Option<Value>] {
        &self.survey.terms[self.sight.terms[term]].course.values
    }

    /// Whether a predicate holds at a cut.
    pub(crate) fn holds(&self, number: usize, cut: &[u32]) -> bool {
        self.view(number).holds(&AtCut {
            projection: self,
            cut,
        })
    }

    /// Whether something has been divided by zero so far.
    pub(crate) fn divided_by_zero(&self) -> bool {
        self.divided_by_zero.load(Ordering::Relaxed)
    }

    /// Notes that something was divided by zero.
    pub(crate) fn note_division_by_zero(&self) {
        self.divided_by_zero.store(true, Ordering::Relaxed);
    }

    /// How many cuts there are, unless finding out takes more than `limit` steps: one chain after the other, within the
    /// bounds the earlier ones leave. The bounds are closed, so every choice within them can be completed.
    ///
    /// Those of all events are counted once for all projections of a survey, which ask with the same limit.
    pub(crate) fn cuts_within(&self, limit: u64) -> Option<u64> {
        match self.is_whole() {
            true => *(self.survey.whole_cuts).get_or_init(|| self.count_cuts(limit)),
            false => self.count_cuts(limit),
        }
    }

    fn count_cuts(&self, limit: u64) -> Option<u64> {
        let chains = self.count();
        let mut low = vec![self.first_cut(); chains.max(1)];
        let mut high = vec![self.last_cut(); chains.max(1)];
        let mut room = limit;
        self.take_cuts(0, &mut low, &mut high, &mut room)
    }

    fn take_cuts(
        &self,
        chain: usize,
        low: &mut [Vec<u32>],
        high: &mut [Vec<u32>],
        room: &mut u64,
    ) -> Option<u64> {
        let chains = self.count();
        if chain + 1 >= chains {
            let last = chains.checked_sub(1);
            return Some(last.map_or(1, |last| u64::from(high[last][last] - low[last][last]) + 1));
        }
        let mut cuts = 0_u64;
        for x in low[chain][chain]..=high[chain][chain] {
            *room = room.checked_sub((chains - chain) as u64)?;
            let (own, rest) = low.split_at_mut(chain + 1);
            rest[0].copy_from_slice(&own[chain]);
            let (own, rest) = high.split_at_mut(chain + 1);
            rest[0].copy_from_slice(&own[chain]);
            self.narrow(chain, x, &mut low[chain + 1], &mut high[chain + 1]);
            cuts = cuts.checked_add(self.take_cuts(chain + 1, low, high, room)?)?;
        }
        Some(cuts)
    }

    /// Restricts the bounds of later chains to what `x` events of a chain leave.
    pub(crate) fn narrow(&self, chain: usize, x: u32, low: &mut [u32], high: &mut [u32]) {
        for later in chain + 1..self.count() {
            low[later] = low[later].max(self.least(chain, x, later));
            high[later] = high[later].min(self.most(chain, x, later));
        }
    }
}

impl Chains for Projection<'_> {
    fn count(&self) -> usize {
        self.chains.len()
    }

    fn length(&self, chain: usize) -> u32 {
        self.chains[chain].len() as u32
    }

    fn least(&self, chain: usize, x: u32, other: usize) -> u32 {
        match self.least.get(chain) {
            Some(table) if other != chain => table[entry(self.chains.len(), chain, x, other)],
            _ => x,
        }
    }

    fn most(&self, chain: usize, x: u32, other: usize) -> u32 {
        match self.most.get(chain) {
            Some(table) if other != chain => table[entry(self.chains.len(), chain, x, other)],
            _ => x,
        }
    }
}

/// Where the bound of another chain stands in the table of a chain, which has no column for itself.
fn entry(width: usize, chain: usize, x: u32, other: usize) -> usize {
    x as usize * (width - 1) + other - usize::from(other > chain)
}

/// The initial cut.
struct AtFirst<'a> {
    survey: &'a Survey<'a>,
    sight: &'a Sight,
    divided: Cell<bool>,
}

impl Values for AtFirst<'_> {
    fn truth(&self, term: TermId) -> bool {
        self.survey.terms[self.sight.terms[term]].course.first == 1
    }

    fn value(&self, term: TermId) -> Option<Value> {
        let course = &self.survey.terms[self.sight.terms[term]].course;
        course.values[course.first as usize].clone()
    }

    fn divided_by_zero(&self) {
        self.divided.set(true);
    }
}

/// A cut of a projection, where terms have values.
pub(crate) struct AtCut<'a, 's> {
    pub(crate) projection: &'a Projection<'s>,
    pub(crate) cut: &'a [u32],
}

impl Reading {
    /// The number of the value at a cut.
    pub(crate) fn at(&self, cut: &[u32]) -> u32 {
        match self {
            Reading::One { chain, values } => values[cut[*chain] as usize],
            Reading::Several { counts, values } => {
                let done = counts
                    .iter()
                    .map(|(chain, counts)| counts[cut[*chain] as usize]);
                values[done.sum::<u32>() as usize]
            }
        }
    }
}

impl AtCut<'_, '_> {
    fn value_at(&self, term: TermId) -> Option<&Value> {
        let number = self.projection.readings[term].at(self.cut);
        self.projection.values_of(term)[number as usize].as_ref()
    }
}

impl Values for AtCut<'_, '_> {
    fn truth(&self, term: TermId) -> bool {
        self.projection.readings[term].at(self.cut) == 1
    }

    fn value(&self, term: TermId) -> Option<Value> {
        self.value_at(term).cloned()
    }

    fn compare(&self, op: CmpOp, left: TermId, right: TermId) -> Option<bool> {
        op.apply(self.value_at(left)?, self.value_at(right)?)
    }

    fn divided_by_zero(&self) {
        self.projection.note_division_by_zero();
    }
}
