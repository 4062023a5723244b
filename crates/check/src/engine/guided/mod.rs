//! Search through the cuts of a run level by level, with an automaton that reads the way: the on-line family of the thesis
//! (chapters 4, 6 and 7).
//!
//! ```text
//!  Scene --Complete--+                          levels: which cuts, two levels at a time
//!                    +--> Arriving --Filter-->  steps: all, two-phase or sleep sets
//!  events --Window---+     (what is             labelling: the automaton states at each cut
//!                           known so far)       guidance: dead states and the steps into them are dropped
//!                                                   |
//!                           off line:  run, compare, everywhere, some_at, all_at
//!                           on line:   Online, with a verdict that is true, false or not yet known
//! ```
//!
//! Techniques compose: which events there are (filtered or all), which enabled events are followed, and whether the
//! automaton guides. The names on the left are the usual combinations.
//!
//! | | for which properties | keeps |
//! |---|---|---|
//! | full | all | `SOME` and `ALL` at every cut |
//! | guided | all | `SOME` at every cut; `ALL` by the complement |
//! | sleep | without repetition counts | `SOME` and `ALL` at every cut |
//! | two-phase | without repetition counts | verdicts on complete runs |
//! | filtered | without repetition counts | verdicts on complete runs |
//!
//! A search keeps two levels and so has forgotten the way when it finds something. It is then found again: a second
//! search among the cuts below the one found keeps its levels, and goes back through them. The alternative, to keep links
//! from the start, takes the memory of all levels also where nothing is found; the second search costs time only where
//! something is.

pub mod arrivals;
pub mod cuts;
pub mod filter;
pub mod guidance;
pub mod labelling;
pub mod levels;
pub mod online;
pub mod persistent;
pub mod sleep;
pub mod two_phase;
pub mod verdict;
pub mod window;

#[cfg(test)]
mod tests;

mod witness;

use causet_base::Diagnostic;
use causet_base::budget::{Budget, Spent};
use causet_solve::automaton::Automaton;

use crate::engine::Stats;
use crate::engine::table::{Engine, OfRuns, OverRuns, Skill};
use crate::linear::{Scene, Search};
use crate::plan::words::Words;

use arrivals::{Arriving, Complete};
use filter::Filter;
use labelling::Labels;
pub use levels::Counts;
use levels::{Frontier, Full, Reduction, Walk};
use sleep::Sleep;
use two_phase::TwoPhase;

/// Its row in the table.
pub static LEVELS: Engine = Engine {
    name: "levels",
    about: "Properties of runs, level by level: every cut",
    skill: Skill::Runs(OfRuns {
        supports: |_, _| Ok(()),
        run: |task| searched(task, Technique::Levels),
    }),
    takes_all: true,
};

/// Its row in the table.
pub static GUIDED: Engine = Engine {
    name: "guided",
    about: "Properties of runs, level by level: only where the automaton can still accept",
    skill: Skill::Runs(OfRuns {
        supports: |_, _| Ok(()),
        run: |task| searched(task, Technique::Guided),
    }),
    takes_all: false,
};

/// Its row in the table.
pub static TWO_PHASE: Engine = Engine {
    name: "two-phase",
    about: "Properties of runs, level by level: a partial-order reduction in two phases",
    skill: Skill::Runs(OfRuns {
        supports: Words::ignores_stuttering,
        run: |task| {
            let max_steps = task.max_steps;
            searched(task, Technique::TwoPhase { max_steps })
        },
    }),
    takes_all: true,
};

/// Its row in the table.
pub static SLEEP: Engine = Engine {
    name: "sleep",
    about: "Properties of runs, level by level: sleep sets",
    skill: Skill::Runs(OfRuns {
        supports: Words::ignores_stuttering,
        run: |task| searched(task, Technique::Sleep),
    }),
    takes_all: true,
};

/// Its row in the table.
pub static PERSISTENT: Engine = Engine {
    name: "persistent",
    about: "`possibly` and `EF` of a conjunction, level by level: persistent sets",
    skill: Skill::Conjunctions,
    takes_all: true,
};

fn searched(task: &OverRuns<'_>, technique: Technique) -> Result<Search, Spent> {
    let OverRuns {
        scene, automaton, ..
    } = *task;
    run(scene, automaton, technique, task.wants_steps, task.budget)
}

/// Which of the enabled events are followed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Steps {
    /// All.
    All,
    /// Unseen ones at once, chain by chain.
    TwoPhase {
        /// The most steps that a chain may take in one turn; without, as many as there are.
        max_steps: Option<u32>,
    },
    /// All but those that sleep.
    Sleep,
}

/// How the cuts are searched, by name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Technique {
    /// Every cut and every step.
    Levels,
    /// What can no longer be accepted is dropped.
    Guided,
    /// Unseen events at once, chain by chain.
    TwoPhase {
        /// The most steps that a chain may take in one turn; without, as many as there are.
        max_steps: Option<u32>,
    },
    /// Sleep sets.
    Sleep,
    /// Guided, among the events that can be seen.
    Filtered,
}

/// How the cuts are searched, by what the techniques are made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Mix {
    /// Which of the enabled events are followed.
    pub steps: Steps,
    /// Whether what can no longer be accepted is dropped.
    pub guided: bool,
    /// Whether events that no atom can see are left out.
    pub filtered: bool,
}

impl From<Technique> for Mix {
    fn from(technique: Technique) -> Mix {
        let steps = match technique {
            Technique::TwoPhase { max_steps } => Steps::TwoPhase { max_steps },
            Technique::Sleep => Steps::Sleep,
            _ => Steps::All,
        };
        Mix {
            steps,
            guided: matches!(technique, Technique::Guided | Technique::Filtered),
            filtered: technique == Technique::Filtered,
        }
    }
}

impl Mix {
    /// Whether it may be used for a property, and why not.
    pub fn supports(self, is_stutter_insensitive: bool) -> Result<(), Diagnostic> {
        if self.steps == Steps::All && !self.filtered {
            return Ok(());
        }
        two_phase::supports(is_stutter_insensitive)
    }

    fn walk<'w, A>(self, known: &'w A, labels: &'w Labels<'w>) -> Walk<'w, A> {
        Walk {
            known,
            labels,
            steps: self.steps,
            trims: self.guided,
            below: None,
        }
    }
}

/// Looks for a complete run that is accepted. Stops early when all that follows is accepted, or nothing can be any more.
pub fn run<S: Scene>(
    scene: &S,
    automaton: &Automaton,
    technique: impl Into<Mix>,
    wants_steps: bool,
    budget: &Budget<'_>,
) -> Result<Search, Spent> {
    let mix: Mix = technique.into();
    let labels = Labels::new(automaton);
    let source = Complete::new(scene, automaton.atoms());
    let filter = filter_for(&source, mix);
    let Some(filter) = &filter else {
        return search(
            &mix.walk(&source, &labels),
            wants_steps,
            |s| s,
            &source,
            budget,
        );
    };
    let known = filter.over(&source);
    search(
        &mix.walk(&known, &labels),
        wants_steps,
        |steps| filter.lift(&source, &steps),
        &source,
        budget,
    )
}

/// How many cuts and steps each technique goes through when none stops early, or the limit it ran into.
///
/// Only the full and the guided search are compared for a property that counts repetitions.
pub fn compare<S: Scene>(
    scene: &S,
    automaton: &Automaton,
    max_steps: Option<u32>,
    is_stutter_insensitive: bool,
    budget: &Budget<'_>,
) -> Vec<(&'static str, Result<Counts, Spent>)> {
    let labels = Labels::new(automaton);
    let source = Complete::new(scene, automaton.atoms());
    let count = |mix: Mix| match filter_for(&source, mix) {
        Some(filter) => count(&mix.walk(&filter.over(&source), &labels), budget),
        None => count(&mix.walk(&source, &labels), budget),
    };
    let names = [
        ("full", Technique::Levels),
        ("guided", Technique::Guided),
        ("two-phase", Technique::TwoPhase { max_steps }),
        ("sleep", Technique::Sleep),
        ("filtered", Technique::Filtered),
    ];
    let mixes = names.map(|(name, technique)| (name, Mix::from(technique)));
    let fit = mixes
        .into_iter()
        .filter(|(_, mix)| mix.supports(is_stutter_insensitive).is_ok());
    fit.map(|(name, mix)| (name, count(mix))).collect()
}

/// The filter that is asked for, unless it would leave nothing out.
fn filter_for<A: Arriving>(source: &A, mix: Mix) -> Option<Filter> {
    if !mix.filtered {
        return None;
    }
    let mut filter = Filter::new(source.chains());
    filter.absorb(source);
    filter.leaves_out().then_some(filter)
}

/// A search for an accepted run, and its steps in the whole run if they are wanted.
fn search<A: Arriving, B: Arriving>(
    walk: &Walk<'_, A>,
    wants_steps: bool,
    lift: impl Fn(Vec<usize>) -> Vec<usize>,
    source: &B,
    budget: &Budget<'_>,
) -> Result<Search, Spent> {
    let (hit, counts) = {
        let budget = budget.branch();
        let mut frontier = Frontier::start(walk, &budget)?;
        (find(walk, &mut frontier, &budget)?, frontier.counts())
    };
    let mut steps = Ok(None);
    if let Some((cut, state)) = hit.as_ref().filter(|_| wants_steps) {
        let found = budget.explain(|| witness::find(walk, cut, *state, &budget.branch()));
        let accepted = |steps: &Vec<usize>| witness::is_accepted(source, walk.labels, steps);
        steps = found.map(|steps| steps.map(lift).filter(accepted));
    }
    Ok(Search {
        found: hit.is_some(),
        steps,
        stats: stats(counts),
    })
}

/// A cut and a state there that decide: a sure state, or an accepting one at the final cut.
fn find<A: Arriving>(
    walk: &Walk<'_, A>,
    frontier: &mut Frontier,
    budget: &Budget<'_>,
) -> Result<Option<(Vec<u32>, usize)>, Spent> {
    let outlook = walk.labels.outlook();
    loop {
        let mut hit = frontier.find(outlook.sure());
        let is_over = frontier.final_cut(walk.known).is_some();
        if is_over {
            hit = hit.or_else(|| frontier.find(walk.labels.accepting()));
        }
        if let Some((number, state)) = hit {
            return Ok(Some((frontier.cuts().cut(number).to_vec(), state)));
        }
        if is_over || frontier.is_within(outlook.dead()) {
            return Ok(None);
        }
        frontier.advance(walk, budget)?;
    }
}

/// The size of a search that does not stop early.
fn count<A: Arriving>(walk: &Walk<'_, A>, budget: &Budget<'_>) -> Result<Counts, Spent> {
    let budget = budget.branch();
    let mut frontier = Frontier::start(walk, &budget)?;
    while !frontier.cuts().is_empty() {
        frontier.advance(walk, &budget)?;
    }
    Ok(frontier.counts())
}

fn stats(counts: Counts) -> Stats {
    Stats::from([
        ("states", counts.states),
        ("transitions", counts.transitions),
        ("levels", counts.levels),
        ("widest", counts.widest),
    ])
}

impl Reduction for Steps {
    fn note_words(&self, chains: usize) -> usize {
        match *self {
            Steps::All => Full.note_words(chains),
            Steps::TwoPhase { max_steps } => TwoPhase { max_steps }.note_words(chains),
            Steps::Sleep => Sleep.note_words(chains),
        }
    }

    fn follow<A: Arriving>(
        &self,
        known: &A,
        cut: &[u32],
        note: &[u64],
        each: &mut impl FnMut(usize, &[u64]) -> Result<(), Spent>,
    ) -> Result<(), Spent> {
        match *self {
            Steps::All => Full.follow(known, cut, note, each),
            Steps::TwoPhase { max_steps } => TwoPhase { max_steps }.follow(known, cut, note, each),
            Steps::Sleep => Sleep.follow(known, cut, note, each),
        }
    }

    fn merge(&self, note: &mut [u64], other: &[u64]) {
        match *self {
            Steps::All => Full.merge(note, other),
            Steps::TwoPhase { max_steps } => TwoPhase { max_steps }.merge(note, other),
            Steps::Sleep => Sleep.merge(note, other),
        }
    }
}
