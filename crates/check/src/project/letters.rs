//! A projection as a scene: the truth of atoms at its cuts, and the events that touch them.
//!
//! An atom that one chain decides is a row of bits, one for each of its positions. One about events is a row of bits as
//! well: the events it is true of. What several chains decide is evaluated at the cut.

use causet_solve::chains::Chains;
use causet_trace::EventId;
use fixedbitset::FixedBitSet;

use super::survey::Letter;
use super::{Projection, Reading, TermId, View};
use crate::linear::Scene;

/// The letters of the words that the runs of a projection are.
pub(crate) struct Letters<'a, 's> {
    projection: &'a Projection<'s>,
    sources: Vec<Source>,
}

/// Where the truth of an atom comes from.
enum Source {
    /// Always, or never.
    Const(bool),
    /// From how far one chain has come.
    Chain { chain: usize, truth: FixedBitSet },
    /// From how far several chains have come; per chain the events that touch it.
    Several {
        view: usize,
        touched: Vec<FixedBitSet>,
    },
    /// From the event just executed: per chain the events it is true of.
    Event { marked: Vec<FixedBitSet> },
}

impl<'a, 's> Letters<'a, 's> {
    /// The letters for the atoms the projection was made for.
    pub(crate) fn new(projection: &'a Projection<'s>) -> Self {
        let letters = projection.sight.letters.iter();
        Letters {
            sources: letters.map(|letter| source(projection, letter)).collect(),
            projection,
        }
    }
}

fn source(projection: &Projection<'_>, letter: &Letter) -> Source {
    match letter {
        Letter::Event(terms) => Source::Event {
            marked: marked(projection, terms),
        },
        Letter::State(view) => match projection.view(*view) {
            View::Const(truth) => Source::Const(*truth),
            View::Term(term) => match projection.reading(*term) {
                Reading::One { chain, values } => {
                    let mut truth = FixedBitSet::with_capacity(values.len());
                    let holding = values.iter().enumerate().filter(|&(_, &value)| value == 1);
                    holding.for_each(|(x, _)| truth.insert(x));
                    Source::Chain {
                        chain: *chain,
                        truth,
                    }
                }
                Reading::Several { .. } => several(projection, *view),
            },
            _ => several(projection, *view),
        },
    }
}

fn several(projection: &Projection<'_>, view: usize) -> Source {
    let mut terms = Vec::new();
    let mut taken_apart = projection.view(view).clone();
    taken_apart.each_term(&mut |term| terms.push(*term));
    Source::Several {
        view,
        touched: flips(projection, &terms),
    }
}

/// Per chain: the positions reached by an event that an atom marks, one of these terms for each process.
fn marked(projection: &Projection<'_>, terms: &[TermId]) -> Vec<FixedBitSet> {
    let mut marked = nowhere(projection);
    for &term in terms {
        let left = projection.marked_by(term).len();
        let own = projection.chain_of(term);
        let others = (0..projection.count()).filter(|&chain| Some(chain) != own);
        own.into_iter().chain(others).try_fold(left, |left, chain| {
            let found = projection.mark(term, chain, &mut marked[chain]);
            left.checked_sub(found).filter(|&left| left > 0)
        });
    }
    marked
}

/// Per chain: no position.
fn nowhere(projection: &Projection<'_>) -> Vec<FixedBitSet> {
    let sizes = (0..projection.count()).map(|chain| projection.length(chain) as usize + 1);
    sizes.map(FixedBitSet::with_capacity).collect()
}

/// Per chain: the positions reached by an event that changes some of the terms.
fn flips(projection: &Projection<'_>, terms: &[TermId]) -> Vec<FixedBitSet> {
    let mut flips = nowhere(projection);
    let mut note = |chain: usize, numbers: &[u32]| {
        let changes = numbers.windows(2).zip(1..);
        let changes = changes.filter(|(pair, _)| pair[0] != pair[1]);
        changes.for_each(|(_, x)| flips[chain].insert(x));
    };
    for &term in terms {
        match projection.reading(term) {
            Reading::One { chain, values } => note(*chain, values),
            Reading::Several { counts, .. } => {
                counts
                    .iter()
                    .for_each(|(chain, counts)| note(*chain, counts));
            }
        }
    }
    flips
}

impl Projection<'_> {
    /// The events that change a term.
    fn marked_by(&self, term: TermId) -> &[EventId] {
        &self.survey.terms[self.sight.terms[term]].course.events
    }

    /// The chain of the track of a term, where its events are if they are on one.
    fn chain_of(&self, term: TermId) -> Option<usize> {
        let track = self.survey.terms[self.sight.terms[term]].track;
        let mut strands = self.sight.strands.iter();
        strands.position(|strand| strand.track == track)
    }

    /// Notes the positions of a chain reached by events that change a term, and says how many these are.
    fn mark(&self, term: TermId, chain: usize, into: &mut FixedBitSet) -> usize {
        let rank = |event: &EventId| self.survey.ranks.of(*event);
        let mut events = self.marked_by(term).iter().map(rank).peekable();
        let mut found = 0;
        for (place, x) in self.chain(chain).iter().map(rank).zip(1..) {
            while events.next_if(|&event| event < place).is_some() {}
            if events.next_if_eq(&place).is_some() {
                into.insert(x);
                found += 1;
            }
        }
        found
    }
}

impl Chains for Letters<'_, '_> {
    fn count(&self) -> usize {
        self.projection.count()
    }

    fn length(&self, chain: usize) -> u32 {
        self.projection.length(chain)
    }

    fn least(&self, chain: usize, x: u32, other: usize) -> u32 {
        self.projection.least(chain, x, other)
    }

    fn most(&self, chain: usize, x: u32, other: usize) -> u32 {
        self.projection.most(chain, x, other)
    }
}

impl Scene for Letters<'_, '_> {
    fn truth(&self, atom: usize, cut: &[u32], by: Option<usize>) -> bool {
        match &self.sources[atom] {
            Source::Const(truth) => *truth,
            Source::Chain { chain, truth } => truth.contains(cut[*chain] as usize),
            Source::Several { view, .. } => self.projection.holds(*view, cut),
            Source::Event { marked } => {
                by.is_some_and(|chain| marked[chain].contains(cut[chain] as usize))
            }
        }
    }

    fn is_event(&self, atom: usize) -> bool {
        matches!(self.sources[atom], Source::Event { .. })
    }

    fn touches(&self, atom: usize, chain: usize, x: u32) -> bool {
        match &self.sources[atom] {
            Source::Const(_) => false,
            Source::Chain { chain: own, truth } => {
                *own == chain && truth.contains(x as usize) != truth.contains(x as usize - 1)
            }
            Source::Several { touched, .. } => touched[chain].contains(x as usize),
            Source::Event { marked } => marked[chain].contains(x as usize),
        }
    }
}
