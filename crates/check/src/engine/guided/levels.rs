//! The lattice of cuts level by level, of which only two are kept (Cooper and Marzullo; thesis, figure 4.3, p. 60).
//!
//! A level holds the cuts with equally many events. From it the next one is built: every event that is enabled at a cut
//! leads to a cut of the next level, where its states join those that other events have led there. When a level is
//! complete, so are the sets of states at its cuts, and the level before is forgotten.
//!
//! On line a level may be built from another only when nothing can be missing: for every cut and every chain the next
//! event has arrived, or the chain is known to be over. The figure has this wait after the step, which is late by one at
//! the start, and does not say that chains must be able to end; see [`Frontier::is_ready`].
//!
//! Which of the enabled events are followed is up to a [`Reduction`]; it may leave a note at each cut for the steps that
//! come. Whether steps into dead states are followed is up to the guidance of chapter 6, on top of any reduction.

use causet_base::budget::{Budget, Spent};

use super::Steps;
use super::arrivals::{Arriving, is_enabled, is_final};
use super::cuts::Cuts;
use super::labelling::{Labels, is_within, meets, members};

/// A step among more chains than this takes so long that the limits are looked at after each.
const WIDE: usize = 256;

/// Which events are followed from a cut, and what the cuts they lead to have to remember.
pub trait Reduction {
    /// How many words a note has; the note of the initial cut is all zeros.
    fn note_words(&self, chains: usize) -> usize;

    /// Tells of every chain that is followed, with the note for the cut it leads to.
    fn follow<A: Arriving>(
        &self,
        known: &A,
        cut: &[u32],
        note: &[u64],
        each: &mut impl FnMut(usize, &[u64]) -> Result<(), Spent>,
    ) -> Result<(), Spent>;

    /// Joins the note of a cut with that of another way to it.
    fn merge(&self, note: &mut [u64], other: &[u64]);
}

/// Every enabled event is followed.
#[derive(Clone, Copy, Debug)]
pub struct Full;

impl Reduction for Full {
    fn note_words(&self, _chains: usize) -> usize {
        0
    }

    fn follow<A: Arriving>(
        &self,
        known: &A,
        cut: &[u32],
        _note: &[u64],
        each: &mut impl FnMut(usize, &[u64]) -> Result<(), Spent>,
    ) -> Result<(), Spent> {
        (0..cut.len())
            .filter(|&chain| is_enabled(known, cut, chain))
            .try_for_each(|chain| each(chain, &[]))
    }

    fn merge(&self, _note: &mut [u64], _other: &[u64]) {}
}

/// What a search goes through and how.
#[derive(Debug)]
pub struct Walk<'w, A> {
    /// The part of the run that has arrived.
    pub known: &'w A,
    /// The automaton.
    pub labels: &'w Labels<'w>,
    /// Which events are followed.
    pub steps: Steps,
    /// Whether dead states are dropped, and with them the steps that lead to nothing else.
    pub trims: bool,
    /// Only cuts within this one are of interest. All ways to such a cut go through such cuts, so nothing changes there.
    pub below: Option<&'w [u32]>,
}

/// How large a search was.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Cuts that were reached.
    pub states: u64,
    /// Steps that were followed.
    pub transitions: u64,
    /// Levels that were built.
    pub levels: u64,
    /// Cuts of the largest level.
    pub widest: u64,
}

/// The level to which a search has come.
#[derive(Clone, Debug)]
pub struct Frontier {
    level: Cuts,
    /// The room in which the next level is built.
    spare: Cuts,
    /// How many cuts of the level have been followed into it.
    followed: usize,
    /// The states of all cuts of the level.
    union: Vec<u64>,
    counts: Counts,
    /// The cut and the chain for whose next event the search was last seen to wait.
    missing: Option<(usize, usize)>,
}

impl Frontier {
    /// The level of the initial cut.
    pub fn start<A: Arriving>(walk: &Walk<'_, A>, budget: &Budget<'_>) -> Result<Self, Spent> {
        let chains = walk.known.chains();
        let words = walk.labels.words();
        let notes = walk.steps.note_words(chains);
        let mut frontier = Frontier {
            level: Cuts::new(chains, words, notes),
            spare: Cuts::new(chains, words, notes),
            followed: 0,
            union: vec![0; words],
            counts: Counts::default(),
            missing: None,
        };
        let mut edge = Edge::new(walk);
        let initial = vec![0; chains];
        if edge.read(walk, &walk.labels.before(), &initial, None) {
            let (number, _) = frontier.level.enter(&initial, budget)?;
            frontier.level.parts(number).0.copy_from_slice(&edge.set);
            frontier.close_level();
        }
        Ok(frontier)
    }

    /// The cuts of the level.
    pub fn cuts(&self) -> &Cuts {
        &self.level
    }

    /// The states of all cuts of the level.
    pub fn union(&self) -> &[u64] {
        &self.union
    }

    /// How large the search was so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Whether the next level can be built: of every chain the event after every cut has arrived, or the chain is over.
    pub fn is_ready<A: Arriving>(&mut self, known: &A) -> bool {
        let level = &self.level;
        let is_missing =
            |&(number, chain): &(usize, usize)| known.is_awaited(chain, level.cut(number));
        if self.missing.as_ref().is_some_and(is_missing) {
            return false;
        }
        let chains = known.chains();
        let mut places = (0..level.len()).flat_map(|number| (0..chains).map(move |c| (number, c)));
        self.missing = places.find(is_missing);
        self.missing.is_none()
    }

    /// The final cut, if the search has come to it.
    pub fn final_cut<A: Arriving>(&self, known: &A) -> Option<usize> {
        // Nothing is beside the final cut.
        (self.level.len() == 1 && is_final(known, self.level.cut(0))).then_some(0)
    }

    /// A cut of the level with a state of a set, and that state.
    pub fn find(&self, wanted: &[u64]) -> Option<(usize, usize)> {
        if !self.meets(wanted) {
            return None;
        }
        (0..self.level.len()).find_map(|number| {
            let both = self.level.states(number).iter().zip(wanted);
            let both: Vec<u64> = both.map(|(one, other)| one & other).collect();
            members(&both).next().map(|state| (number, state))
        })
    }

    /// Whether some state of the level lies in a set.
    pub fn meets(&self, set: &[u64]) -> bool {
        meets(&self.union, set)
    }

    /// Whether all states of the level lie in a set.
    pub fn is_within(&self, set: &[u64]) -> bool {
        is_within(&self.union, set)
    }

    /// How many events of each chain are in all cuts of the level; what comes before them is no longer needed.
    pub fn minimum(&self) -> Option<Vec<u32>> {
        let mut cuts = (0..self.level.len()).map(|number| self.level.cut(number));
        let mut minimum = cuts.next()?.to_vec();
        for cut in cuts {
            for (least, &x) in minimum.iter_mut().zip(cut) {
                *least = x.min(*least);
            }
        }
        Some(minimum)
    }

    /// Whether a part of the next level has been built.
    pub fn is_begun(&self) -> bool {
        self.followed > 0
    }

    /// Builds the next level. When the budget is spent, the level stays as it was, and the next call goes on at the cut
    /// where this one ended.
    pub fn advance<A: Arriving>(
        &mut self,
        walk: &Walk<'_, A>,
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        let Frontier {
            level,
            spare,
            followed,
            counts,
            ..
        } = self;
        if *followed == 0 {
            spare.clear(level.len());
        }
        let mut edge = Edge::new(walk);
        for number in *followed..level.len() {
            let (cut, states) = (level.cut(number), level.states(number));
            let mut steps = 0;
            walk.steps
                .follow(walk.known, cut, level.note(number), &mut |chain, note| {
                    budget.tick()?;
                    if cut.len() > WIDE {
                        budget.look()?;
                    }
                    if !edge.take(walk, cut, states, chain) {
                        return Ok(());
                    }
                    steps += 1;
                    edge.arrive(walk, note, spare, budget)
                })?;
            counts.transitions += steps;
            *followed += 1;
        }
        self.followed = 0;
        std::mem::swap(&mut self.level, &mut self.spare);
        self.close_level();
        Ok(())
    }

    /// Gives the memory back.
    pub fn free(self, budget: &Budget<'_>) {
        self.level.free(budget);
        self.spare.free(budget);
    }

    fn close_level(&mut self) {
        self.missing = None;
        self.union.fill(0);
        for number in 0..self.level.len() {
            for (all, word) in self.union.iter_mut().zip(self.level.states(number)) {
                *all |= word;
            }
        }
        let width = self.level.len() as u64;
        self.counts.states += width;
        self.counts.levels += u64::from(width > 0);
        self.counts.widest = self.counts.widest.max(width);
    }
}

/// The step that is being looked at.
struct Edge {
    /// The cut it leads to.
    cut: Vec<u32>,
    /// The states it leads to.
    set: Vec<u64>,
    /// The truth of the atoms there, as far as it was asked for.
    letter: Vec<Option<bool>>,
}

impl Edge {
    fn new<A: Arriving>(walk: &Walk<'_, A>) -> Self {
        Edge {
            cut: Vec::with_capacity(walk.known.chains()),
            set: vec![0; walk.labels.words()],
            letter: vec![None; walk.labels.automaton().atoms()],
        }
    }

    /// Takes the step along a chain; whether it is to be followed.
    fn take<A: Arriving>(
        &mut self,
        walk: &Walk<'_, A>,
        from: &[u32],
        states: &[u64],
        chain: usize,
    ) -> bool {
        if walk.below.is_some_and(|below| from[chain] >= below[chain]) {
            return false;
        }
        let mut cut = std::mem::take(&mut self.cut);
        cut.clear();
        cut.extend_from_slice(from);
        cut[chain] += 1;
        let is_followed = self.read(walk, states, &cut, Some(chain));
        self.cut = cut;
        is_followed
    }

    /// Reads the letter of a cut; whether anything is left.
    fn read<A: Arriving>(
        &mut self,
        walk: &Walk<'_, A>,
        states: &[u64],
        cut: &[u32],
        by: Option<usize>,
    ) -> bool {
        self.letter.fill(None);
        let letter = &mut self.letter;
        walk.labels.read(states, &mut self.set, |atom| {
            *letter[atom].get_or_insert_with(|| walk.known.truth(atom, cut, by))
        });
        if walk.trims {
            for (word, dead) in self.set.iter_mut().zip(walk.labels.outlook().dead()) {
                *word &= !dead;
            }
        }
        self.set.iter().any(|&word| word != 0)
    }

    /// Joins the states and the note with those of other ways to the same cut.
    fn arrive<A: Arriving>(
        &self,
        walk: &Walk<'_, A>,
        note: &[u64],
        next: &mut Cuts,
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        let (number, is_new) = next.enter(&self.cut, budget)?;
        let (states, old) = next.parts(number);
        for (all, word) in states.iter_mut().zip(&self.set) {
            *all |= word;
        }
        if is_new {
            old.copy_from_slice(note);
        } else {
            walk.steps.merge(old, note);
        }
        Ok(())
    }
}
