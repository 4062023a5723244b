//! Which engine decides a part, and which one if that fails: a pure function of figures, with a reason for each choice.

use std::fmt;

use crate::engine::EngineName;
use crate::engine::slice::Effort;
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
    /// How much work it is for slices, or why they cannot decide it.
    pub slice: Result<Effort, String>,
    /// Whether rows can hold it, else why not.
    pub rows: Result<(), String>,
    /// Whether equations can hold it, else why not.
    pub bes: Result<(), String>,
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
    pub engine: EngineName,
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
    /// With its second way of laying things out.
    OtherLayers,
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

/// The engines to try, in this order; the next one when one runs out of its share of time or of memory.
pub fn choose(figures: &Figures, choice: Choice) -> Result<Vec<Attempt>, String> {
    if let Choice::Forced(engine) = choice {
        return forced(figures, engine);
    }
    let rows = figures.rows.is_ok();
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
        attempt(EngineName::Rows, Manner::Usual, reason);
        return Ok(attempts);
    }
    if rows && figures.cuts.is_some_and(|cuts| cuts <= FEW) {
        attempt(
            EngineName::Rows,
            Manner::Usual,
            "so few cuts are gone through one by one",
        );
    }
    if figures.slice == Ok(Effort::Polynomial) {
        attempt(
            EngineName::Slice,
            Manner::Usual,
            "its shape is decided in polynomial time",
        );
    }
    if figures.first_levels {
        attempt(EngineName::Levels, Manner::Briefly, FIRST_LEVELS);
    }
    if figures.needs && figures.cuts.is_none() {
        attempt(EngineName::Slice, Manner::Need, OUT_OF_REACH);
    }
    let events: u64 = figures.chains.iter().map(|&length| u64::from(length)).sum();
    let many = |cuts: u64| cuts > FEW && cuts <= MANY;
    let tight = |cuts: u64| many(cuts) && cuts <= events * TIGHT;
    if rows && figures.cuts.is_some_and(tight) {
        attempt(
            EngineName::Rows,
            Manner::Usual,
            "there are hardly more cuts than events",
        );
    }
    attempt(
        EngineName::Ist,
        Manner::Usual,
        "too many cuts to go through",
    );
    attempt(
        EngineName::Ist,
        Manner::OtherLayers,
        "another order of the layers may be smaller",
    );
    if figures.slice == Ok(Effort::Search) {
        attempt(
            EngineName::Slice,
            Manner::Usual,
            "what satisfies a part of it may be few",
        );
    }
    if rows && figures.cuts.is_some_and(|cuts| many(cuts) && !tight(cuts)) {
        attempt(
            EngineName::Rows,
            Manner::Usual,
            "the cuts can still be gone through",
        );
    }
    if figures.bes.is_ok() {
        attempt(
            EngineName::Bes,
            Manner::Usual,
            "a few cuts may decide, and only those are looked at",
        );
    }
    Ok(attempts)
}

/// What the choice of an engine for words depends on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WordFigures {
    /// What the automaton can see.
    pub figures: Figures,
    /// Whether the beginning of a run can be enough: some state accepts whatever follows.
    pub stops_early: bool,
    /// Whether sets of its states can be kept per cut, else why not.
    pub masks: Result<(), String>,
}

/// The engines to try for a language of runs, in this order.
pub fn choose_words(words: &WordFigures, choice: Choice) -> Result<Vec<Attempt>, String> {
    let attempt = |engine, manner, reason| Attempt {
        engine,
        manner,
        reason,
    };
    let usual = |engine, reason| attempt(engine, Manner::Usual, reason);
    if let Choice::Forced(engine) = choice {
        if engine == EngineName::Masks {
            words.masks.clone()?;
        }
        return Ok(vec![usual(engine, "asked for")]);
    }
    let figures = &words.figures;
    let few_cuts = figures.cuts.is_some_and(|cuts| cuts <= MANY) && words.masks.is_ok();
    let mut attempts = Vec::new();
    if words.stops_early && figures.chains.len() > 1 {
        attempts.push(attempt(
            EngineName::Monitor,
            Manner::Briefly,
            "the beginning of a run may be enough",
        ));
    }
    if words.stops_early && !few_cuts {
        attempts.push(attempt(EngineName::Guided, Manner::Briefly, FIRST_LEVELS));
    }
    if figures.needs && figures.cuts.is_none() {
        attempts.push(attempt(EngineName::Slice, Manner::Need, OUT_OF_REACH));
    }
    if few_cuts {
        let reason = match figures.chains.len() {
            0 => "one look is enough",
            1 => "one chain is read backwards",
            _ => "the cuts can be gone through one by one",
        };
        attempts.push(usual(EngineName::Masks, reason));
    }
    attempts.push(usual(EngineName::Monitor, "too many cuts to go through"));
    attempts.push(usual(
        EngineName::Guided,
        "level by level only two levels are kept in memory",
    ));
    Ok(attempts)
}

fn forced(figures: &Figures, engine: EngineName) -> Result<Vec<Attempt>, String> {
    match engine {
        EngineName::Slice => figures.slice.clone().map(|_| ())?,
        EngineName::Rows => figures.rows.clone()?,
        EngineName::Bes => figures.bes.clone()?,
        _ => {}
    }
    let attempt = |manner| Attempt {
        engine,
        manner,
        reason: "asked for",
    };
    Ok(match engine {
        EngineName::Ist => vec![attempt(Manner::Usual), attempt(Manner::OtherLayers)],
        _ => vec![attempt(Manner::Usual)],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engines(figures: &Figures) -> Vec<&'static str> {
        let attempts = choose(figures, Choice::Auto).expect("auto refuses nothing");
        attempts
            .iter()
            .map(|attempt| attempt.engine.word())
            .collect()
    }

    #[test]
    fn the_cheapest_engine_comes_first() {
        let mut figures = Figures {
            chains: vec![100],
            whole: false,
            cuts: Some(101),
            slice: Ok(Effort::Polynomial),
            rows: Ok(()),
            bes: Ok(()),
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
        figures.slice = Ok(Effort::Search);
        assert_eq!(engines(&figures), ["ist", "ist", "slice", "bes"]);
        figures.slice = Err("not regular".to_owned());
        assert_eq!(engines(&figures), ["ist", "ist", "bes"]);
        figures.needs = true;
        assert_eq!(engines(&figures), ["slice", "ist", "ist", "bes"]);
        figures.first_levels = true;
        assert_eq!(engines(&figures), ["levels", "slice", "ist", "ist", "bes"]);
    }

    #[test]
    fn a_forced_engine_may_refuse() {
        let figures = Figures {
            chains: vec![1, 1],
            whole: true,
            cuts: Some(4),
            slice: Err("it says EX".to_owned()),
            rows: Ok(()),
            bes: Ok(()),
            first_levels: false,
            needs: false,
        };
        let refused = choose(&figures, Choice::Forced(EngineName::Slice));
        assert_eq!(refused, Err("it says EX".to_owned()));
    }
}
