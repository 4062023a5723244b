//! Which engine decides a part, and which one if that fails: a pure function of figures, with a reason for each choice.

use std::fmt;

use crate::engine::slice::{self, Effort};
use crate::engine::table::{OfCuts, OfRuns};
use crate::engine::{Engine, bes, first_levels, guided, ist, monitor, rows};
use crate::plan::Choice;

/// What a choice depends on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Figures {
    /// How many events each chain has that the part can see.
    pub chains: Vec<u32>,
    /// Whether every event counts, since the part says `EX`.
    pub whole: bool,
    /// How many cuts these have, unless they are more than were counted.
    pub cuts: Option<u64>,
    /// How much work it is for slices, if they can decide it and are worth asking.
    pub slice: Option<Effort>,
    /// Whether rows can hold it.
    pub rows: bool,
    /// Whether equations can hold it.
    pub bes: bool,
    /// Whether a search of the first levels can decide it.
    pub first_levels: bool,
    /// Whether it is false where something else cannot be reached.
    pub needs: bool,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let events: u64 = self.chains.iter().map(|&length| u64::from(length)).sum();
        let sees = if self.whole {
            "every event"
        } else {
            "what it sees"
        };
        let events = match events {
            1 => "1 event".to_owned(),
            events => format!("{events} events"),
        };
        match self.chains.len() {
            0 => return write!(f, "nothing it sees ever changes"),
            1 => write!(f, "{sees}: 1 chain of {events}"),
            chains => write!(f, "{sees}: {chains} chains with {events}"),
        }?;
        match self.cuts {
            Some(1) => write!(f, ", 1 cut"),
            Some(cuts) => write!(f, ", {cuts} cuts"),
            None => write!(f, ", too many cuts to count quickly"),
        }
    }
}

/// How an engine is to be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// The engine.
    pub engine: &'static Engine,
    /// How it is to go about it.
    pub manner: Manner,
    /// Why.
    pub reason: &'static str,
}

/// How an engine goes about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Manner {
    /// As usual.
    Usual,
    /// With another way of laying things out, counted from 0.
    Layout(usize),
    /// For as long as it takes little memory.
    Briefly,
    /// For what must be reachable if the part is true.
    Need,
}

/// So many steps may be spent on counting cuts before a choice.
pub const COUNTING: u64 = 1_000_000;
/// So many can be gone through, if there is nothing better.
const MANY: u64 = 20_000_000;
/// Chains with at most so many cuts per event wait for each other most of the time; diagrams gain little there.
const TIGHT: u64 = 8;
/// So few that going through them is nearly free.
pub const FEW: u64 = 50_000;

const FIRST_LEVELS: &str = "a few events may be enough";
const OUT_OF_REACH: &str = "what it needs may never be reached";

/// The attempts at something, each with how its engine does it.
pub(crate) type Attempts<S> = Vec<(Attempt, S)>;

/// The engines to try for a formula, in this order; the next one when one runs out of its share of time or of memory.
pub(crate) fn choose(figures: &Figures, choice: Choice) -> Attempts<OfCuts> {
    let planned = match choice {
        Choice::Forced(engine) => return forced(engine),
        Choice::Auto => planned(figures),
    };
    let planned = planned.into_iter();
    let able = planned.filter_map(|attempt| Some((attempt, attempt.engine.cuts()?)));
    able.collect()
}

/// The engine that was asked for, in all ways that it has.
fn forced(engine: &'static Engine) -> Attempts<OfCuts> {
    let Some(cuts) = engine.cuts() else {
        return Vec::new();
    };
    let layouts = 1..cuts.layouts;
    let manners = std::iter::once(Manner::Usual).chain(layouts.map(Manner::Layout));
    let attempt = |manner| Attempt {
        engine,
        manner,
        reason: "asked for",
    };
    manners.map(|manner| (attempt(manner), cuts)).collect()
}

fn planned(figures: &Figures) -> Vec<Attempt> {
    let rows = figures.rows;
    let mut attempts = Vec::new();
    let mut attempt = |engine, manner, reason| {
        attempts.push(Attempt {
            engine,
            manner,
            reason,
        });
    };
    if rows && figures.chains.len() <= 1 {
        let reason = match figures.chains.len() {
            0 => "one look is enough",
            _ => "one chain is read backwards",
        };
        attempt(&rows::ENGINE, Manner::Usual, reason);
        return attempts;
    }
    if rows && figures.cuts.is_some_and(|cuts| cuts <= FEW) {
        let reason = "so few cuts are gone through one by one";
        attempt(&rows::ENGINE, Manner::Usual, reason);
    }
    if figures.slice == Some(Effort::Polynomial) {
        let reason = "its shape is decided in polynomial time";
        attempt(&slice::ENGINE, Manner::Usual, reason);
    }
    if figures.first_levels {
        attempt(&first_levels::ENGINE, Manner::Briefly, FIRST_LEVELS);
    }
    if figures.needs && figures.cuts.is_none() {
        attempt(&slice::ENGINE, Manner::Need, OUT_OF_REACH);
    }
    let events: u64 = figures.chains.iter().map(|&length| u64::from(length)).sum();
    let many = |cuts: u64| cuts > FEW && cuts <= MANY;
    let tight = |cuts: u64| many(cuts) && cuts <= events * TIGHT;
    if rows && figures.cuts.is_some_and(tight) {
        let reason = "there are hardly more cuts than events";
        attempt(&rows::ENGINE, Manner::Usual, reason);
    }
    attempt(&ist::ENGINE, Manner::Usual, "too many cuts to go through");
    let reason = "another order of the layers may be smaller";
    attempt(&ist::ENGINE, Manner::Layout(1), reason);
    if figures.slice == Some(Effort::Search) {
        let reason = "what satisfies a part of it may be few";
        attempt(&slice::ENGINE, Manner::Usual, reason);
    }
    if rows && figures.cuts.is_some_and(|cuts| many(cuts) && !tight(cuts)) {
        let reason = "the cuts can still be gone through";
        attempt(&rows::ENGINE, Manner::Usual, reason);
    }
    if figures.bes {
        let reason = "a few cuts may decide, and only those are looked at";
        attempt(&bes::ENGINE, Manner::Usual, reason);
    }
    attempts
}

/// What the choice of an engine for words depends on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WordFigures {
    /// What the automaton can see.
    pub figures: Figures,
    /// Whether the beginning of a run can be enough: some state accepts whatever follows.
    pub stops_early: bool,
    /// Whether sets of its states can be kept per cut.
    pub masks: bool,
}

/// The engines to try for a language of runs, in this order.
pub(crate) fn choose_words(words: &WordFigures, choice: Choice) -> Attempts<OfRuns> {
    let planned = match choice {
        Choice::Auto => planned_words(words),
        Choice::Forced(engine) => vec![Attempt {
            engine,
            manner: Manner::Usual,
            reason: "asked for",
        }],
    };
    // What must be reachable is asked of formulas, not of runs.
    let runs = |attempt: Attempt| match attempt.manner {
        Manner::Need => monitor::MONITOR.runs(),
        _ => attempt.engine.runs(),
    };
    let planned = planned.into_iter();
    let able = planned.filter_map(|attempt| Some((attempt, runs(attempt)?)));
    able.collect()
}

fn planned_words(words: &WordFigures) -> Vec<Attempt> {
    let attempt = |engine, manner, reason| Attempt {
        engine,
        manner,
        reason,
    };
    let usual = |engine, reason| attempt(engine, Manner::Usual, reason);
    let figures = &words.figures;
    let few_cuts = figures.cuts.is_some_and(|cuts| cuts <= MANY) && words.masks;
    let mut attempts = Vec::new();
    if words.stops_early && figures.chains.len() > 1 {
        let reason = "the beginning of a run may be enough";
        attempts.push(attempt(&monitor::MONITOR, Manner::Briefly, reason));
    }
    if words.stops_early && !few_cuts {
        attempts.push(attempt(&guided::GUIDED, Manner::Briefly, FIRST_LEVELS));
    }
    if figures.needs && figures.cuts.is_none() {
        attempts.push(attempt(&slice::ENGINE, Manner::Need, OUT_OF_REACH));
    }
    if few_cuts {
        let reason = match figures.chains.len() {
            0 => "one look is enough",
            1 => "one chain is read backwards",
            _ => "the cuts can be gone through one by one",
        };
        attempts.push(usual(&monitor::MASKS, reason));
    }
    attempts.push(usual(&monitor::MONITOR, "too many cuts to go through"));
    let reason = "level by level only two levels are kept in memory";
    attempts.push(usual(&guided::GUIDED, reason));
    attempts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engines(figures: &Figures) -> Vec<&'static str> {
        let attempts = choose(figures, Choice::Auto);
        let engines = attempts.iter().map(|(attempt, _)| attempt.engine.name);
        engines.collect()
    }

    #[test]
    fn the_cheapest_engine_comes_first() {
        let mut figures = Figures {
            chains: vec![100],
            whole: false,
            cuts: Some(101),
            slice: Some(Effort::Polynomial),
            rows: true,
            bes: true,
            first_levels: false,
            needs: false,
        };
        assert_eq!(engines(&figures), ["rows"]);
        figures.chains = vec![100, 100, 100];
        assert_eq!(engines(&figures), ["rows", "slice", "ist", "ist", "bes"]);
        figures.cuts = Some(900_000);
        assert_eq!(engines(&figures), ["slice", "ist", "ist", "rows", "bes"]);
        figures.chains = vec![100_000, 100_000, 100_000];
        assert_eq!(engines(&figures), ["slice", "rows", "ist", "ist", "bes"]);
        figures.cuts = None;
        assert_eq!(engines(&figures), ["slice", "ist", "ist", "bes"]);
        figures.slice = Some(Effort::Search);
        assert_eq!(engines(&figures), ["ist", "ist", "slice", "bes"]);
        figures.slice = None;
        assert_eq!(engines(&figures), ["ist", "ist", "bes"]);
        figures.needs = true;
        assert_eq!(engines(&figures), ["slice", "ist", "ist", "bes"]);
        figures.first_levels = true;
        assert_eq!(engines(&figures), ["levels", "slice", "ist", "ist", "bes"]);
    }
}
