//! A search that goes on while the run does: events are pushed, and now and then it is asked how far it has come.
//!
//! ```text
//!              push, end                    advance: a level decides
//!             +---------+            +-----------------------------------> true or false
//!             v         |            |                                         ^    |
//!   new --> waiting ----+--------> searching ------------+                     |    | push, end, advance, drain:
//!             ^      advance: the      |                 | drain: the run is   |    | it stays so
//!             |      next level can    |                 | taken to be over,   |    |
//!             |      be built          |                 | every level can be  |    |
//!             +------------------------+                 | built               |    +--> (itself)
//!               advance: an event is missing, unknown    +---------------------+
//! ```
//!
//! Contracts: a verdict that is not unknown never changes. A spent budget leaves everything as it was, and the search can
//! go on later. Memory is taken from the budget at hand and given back to it, so if it is limited it has to be the same
//! one each time. Events below the level are forgotten. After the verdict no event is kept at all.
//!
//! A user who will not wait for the end of the run (7.5.2.2) can `drain`: the events that have arrived, as far as they
//! are closed under causes, are taken for the whole run, and the search over them is finished. The verdict is exact for
//! that beginning, with every technique. The thesis proposes to switch to exhaustive search instead and to go on for so
//! many levels that nothing can have been put off (7.5.5.3), which costs more and says less.
//!
//! A level waits for the slowest chain, and what has arrived on the others may show an accepted run long before. Such a
//! run stays one however the chains go on, so a search that waits can `foresee` it: it looks at the levels of the
//! beginning that has arrived, and forgets them again if there is none.

use causet_base::Diagnostic;
use causet_base::budget::{Budget, Spent};
use causet_solve::automaton::Automaton;

use super::Mix;
use super::arrivals::{Arriving, Frozen};
use super::filter::Filter;
use super::labelling::Labels;
use super::levels::{Counts, Frontier, Walk};
use super::verdict::{Question, SoFar, read, supports};
use super::window::{Refusal, Values, Window};
use crate::clock::Clock;

/// An on-line search for the answer to one question.
pub struct Online<V: Values> {
    labels: Labels<'static>,
    question: Question,
    mix: Mix,
    window: Window<V>,
    filter: Filter,
    progress: Progress,
    /// The cut of the whole run at which it was seen that some run is accepted.
    shown: Option<Vec<u32>>,
    /// How many bytes of the window have been paid for.
    charged: usize,
    /// How many levels had been built when events were last forgotten.
    forgot_at: Option<u64>,
}

/// How far a search has come.
#[derive(Default, Debug)]
struct Progress {
    frontier: Option<Frontier>,
    verdict: Option<bool>,
    /// The cut that showed that some run is accepted.
    shown: Option<Vec<u32>>,
    counts: Counts,
}

impl<V: Values> Online<V> {
    /// Nothing has arrived yet; `start` says what is known of each chain at the start.
    ///
    /// The automaton has to be deterministic if the question is about every run.
    pub fn new(
        automaton: &Automaton,
        question: Question,
        technique: impl Into<Mix>,
        values: V,
        start: impl IntoIterator<Item = V::Local>,
    ) -> Result<Self, Diagnostic> {
        let mix = technique.into();
        supports(question, mix)?;
        let mut window = Window::new(values, start);
        if mix.filtered {
            window = window.thin();
        }
        Ok(Online {
            labels: Labels::keep(automaton.clone()),
            question,
            mix,
            filter: Filter::new(window.chains()),
            window,
            progress: Progress::default(),
            shown: None,
            charged: 0,
            forgot_at: None,
        })
    }

    /// Takes clocks in which the entry of each chain is the one listed here.
    pub fn over(self, columns: Vec<usize>) -> Self {
        Online {
            window: self.window.over(columns),
            ..self
        }
    }

    /// Takes the next event of a chain: its vector clock, itself included, and what it makes of the chain.
    pub fn push(&mut self, chain: usize, needs: &Clock, local: V::Local) -> Result<(), Refusal> {
        if self.verdict().is_decided() {
            return Ok(());
        }
        self.window.push(chain, needs, local)
    }

    /// Says that a chain is over.
    pub fn end(&mut self, chain: usize) -> Result<(), Refusal> {
        self.window.end(chain)
    }

    /// What was known when the search last advanced.
    pub fn verdict(&self) -> SoFar {
        self.progress.verdict.map_or(SoFar::Unknown, SoFar::from)
    }

    /// How large the search was so far.
    pub fn counts(&self) -> Counts {
        self.progress.counts
    }

    /// How many cuts the level has to which the search has come.
    pub fn width(&self) -> usize {
        let frontier = self.progress.frontier.as_ref();
        frontier.map_or(0, |frontier| frontier.cuts().len())
    }

    /// About how many bytes the events take that are kept.
    pub fn bytes(&self) -> usize {
        self.window.bytes()
    }

    /// How many events are kept.
    pub fn kept(&self) -> usize {
        self.window.len()
    }

    /// Goes on as far as what has arrived allows.
    pub fn advance(&mut self, budget: &Budget<'_>) -> Result<SoFar, Spent> {
        self.pay(budget)?;
        let Online {
            labels,
            question,
            mix,
            window,
            filter,
            progress,
            ..
        } = self;
        let verdict = if mix.filtered {
            filter.absorb(window);
            let known = filter.over(window);
            progress.advance(&mix.walk(&known, labels), *question, budget)?
        } else {
            progress.advance(&mix.walk(window, labels), *question, budget)?
        };
        self.note_shown();
        self.forget(budget);
        Ok(verdict)
    }

    /// The cut at which it was seen that some run is accepted, whatever comes after it.
    pub fn shown(&self) -> Option<&[u32]> {
        self.shown.as_deref()
    }

    /// Looks beyond the level at which the search waits for a run of what has arrived that is accepted however it goes
    /// on. A spent budget means that none was found, and nothing more.
    pub fn foresee(&mut self, budget: &Budget<'_>) -> SoFar {
        if self.question == Question::Possibly && !self.verdict().is_decided() {
            let at = self.window.arrived();
            let run = Frozen::new(&self.window, &at);
            if self.mix.filtered {
                self.filter.absorb(&self.window);
                let known = self.filter.over(&run);
                let walk = self.mix.walk(&known, &self.labels);
                self.progress.foresee(&walk, budget);
            } else {
                let walk = self.mix.walk(&run, &self.labels);
                self.progress.foresee(&walk, budget);
            }
            self.note_shown();
        }
        self.verdict()
    }

    /// The verdict on what has arrived, taken for the whole run; afterwards the search is over.
    pub fn drain(mut self, budget: &Budget<'_>) -> Result<bool, Spent> {
        let at = self.window.arrived();
        let run = Frozen::new(&self.window, &at);
        let verdict = if self.mix.filtered {
            self.filter.absorb(&self.window);
            let known = self.filter.over(&run);
            let walk = self.mix.walk(&known, &self.labels);
            self.progress.advance(&walk, self.question, budget)?
        } else {
            let walk = self.mix.walk(&run, &self.labels);
            self.progress.advance(&walk, self.question, budget)?
        };
        budget.release(self.charged);
        Ok(verdict == SoFar::True)
    }

    /// Says of the cut that showed it, if one just did, which events of the whole run it ends with.
    fn note_shown(&mut self) {
        if let Some(cut) = self.progress.shown.take() {
            self.shown = Some(match self.mix.filtered {
                true => self.filter.positions(&cut),
                false => cut,
            });
        }
    }

    /// Pays for the events that have come.
    fn pay(&mut self, budget: &Budget<'_>) -> Result<(), Spent> {
        let bytes = self.window.bytes();
        budget.charge(bytes.saturating_sub(self.charged))?;
        self.charged = self.charged.max(bytes);
        Ok(())
    }

    /// Forgets the events that are not needed any more.
    fn forget(&mut self, budget: &Budget<'_>) {
        let levels = Some(self.progress.counts.levels);
        if self.progress.frontier.is_some() && self.forgot_at == levels {
            return;
        }
        self.forgot_at = levels;
        match self.progress.minimum() {
            Some(minimum) if self.mix.filtered => {
                self.window.forget(&self.filter.positions(&minimum));
                self.filter.forget(&minimum);
            }
            Some(minimum) => self.window.forget(&minimum),
            None => self.window.forget(&vec![u32::MAX; self.window.chains()]),
        }
        let bytes = self.window.bytes().min(self.charged);
        budget.release(self.charged - bytes);
        self.charged = bytes;
    }
}

impl Progress {
    /// Builds levels until one decides or an event is missing.
    fn advance<A: Arriving>(
        &mut self,
        walk: &Walk<'_, A>,
        question: Question,
        budget: &Budget<'_>,
    ) -> Result<SoFar, Spent> {
        if let Some(verdict) = self.verdict {
            return Ok(verdict.into());
        }
        let mut frontier = match self.frontier.take() {
            Some(frontier) => frontier,
            None => Frontier::start(walk, budget)?,
        };
        let outcome = loop {
            match read(walk, &frontier, question) {
                SoFar::Unknown => {}
                decided => {
                    self.verdict = Some(decided == SoFar::True);
                    self.shown = sure_cut(walk, &frontier);
                    break Ok(decided);
                }
            }
            if !frontier.is_begun() && !frontier.is_ready(walk.known) {
                break Ok(SoFar::Unknown);
            }
            if let Err(spent) = frontier.advance(walk, budget) {
                break Err(spent);
            }
        };
        self.counts = frontier.counts();
        if self.verdict.is_some() {
            frontier.free(budget);
        } else {
            self.frontier = Some(frontier);
        }
        outcome
    }

    /// Looks at further levels of a run that is taken to be over, for a state that is sure whatever comes.
    fn foresee<A: Arriving>(&mut self, walk: &Walk<'_, A>, budget: &Budget<'_>) {
        let copy = match &self.frontier {
            Some(frontier) => Ok(frontier.clone()),
            None => Frontier::start(walk, budget),
        };
        let Ok(mut frontier) = copy else { return };
        while !frontier.cuts().is_empty() {
            if let Some(cut) = sure_cut(walk, &frontier) {
                self.verdict = Some(true);
                self.shown = Some(cut);
                return;
            }
            if frontier.advance(walk, budget).is_err() {
                return;
            }
        }
    }

    /// What all cuts of the level have in common.
    fn minimum(&self) -> Option<Vec<u32>> {
        self.frontier.as_ref()?.minimum()
    }
}

/// A cut of the level from which every way is accepted.
fn sure_cut<A: Arriving>(walk: &Walk<'_, A>, frontier: &Frontier) -> Option<Vec<u32>> {
    let (number, _) = frontier.find(walk.labels.outlook().sure())?;
    Some(frontier.cuts().cut(number).to_vec())
}
