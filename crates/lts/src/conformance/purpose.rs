//! Test purposes: which behaviour a test is to bring about.
//!
//! A purpose is a small transition system in the notation of TGV. Its labels are regular expressions for whole labels
//! of the specification, the internal one included; `*` stands for whatever no other step of the state matches, and a
//! state without it stays where it is in that case, so that a purpose never forbids anything. A state with a step
//! `ACCEPT` to itself is what the test is after, one with `REFUSE` is what it is to keep away from (small letters do as
//! well). Beyond either nothing is looked at.
//!
//! A purpose is compiled to a table over the labels of the specification at hand; one that has two places to go to with
//! one label is refused, for then its verdict would depend on the reader.

use causet_base::budget::{Budget, Spent};
use regex::Regex;

use super::roles::whole;
use crate::system::{Labels, Lts};

/// What a state of a purpose, or a state of the product with it, means for the test.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mark {
    /// The purpose is fulfilled.
    Accept,
    /// The purpose cannot be fulfilled any more, or must not be this way.
    Refuse,
    /// On the way.
    Open,
}

/// A purpose for the labels of one specification.
#[derive(Clone, Debug)]
pub struct Purpose {
    initial: u32,
    marks: Vec<Mark>,
    labels: usize,
    /// State by state, for each label the next state.
    next: Vec<u32>,
    unmatched: Vec<String>,
}

/// Why a transition system is not a purpose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotAPurpose {
    /// A limit was reached.
    Spent(Spent),
    /// One of its labels is no pattern.
    Pattern(String),
    /// Something else is wrong with it.
    Unfit(String),
}

impl From<Spent> for NotAPurpose {
    fn from(spent: Spent) -> Self {
        NotAPurpose::Spent(spent)
    }
}

fn unfit<T>(what: String) -> Result<T, NotAPurpose> {
    Err(NotAPurpose::Unfit(what))
}

/// What a label of a purpose stands for.
enum Pattern {
    Otherwise,
    Mark(Mark),
    Internal,
    Matches(Regex),
}

impl Pattern {
    fn of(labels: &Labels, label: u32) -> Result<Pattern, NotAPurpose> {
        Ok(match labels.text(label) {
            "*" => Pattern::Otherwise,
            "ACCEPT" | "accept" => Pattern::Mark(Mark::Accept),
            "REFUSE" | "refuse" => Pattern::Mark(Mark::Refuse),
            _ if labels.is_internal(label) => Pattern::Internal,
            text => match whole(text) {
                Ok(regex) => Pattern::Matches(regex),
                Err(unclear) => return Err(NotAPurpose::Pattern(unclear.what)),
            },
        })
    }

    /// Whether a label of the specification is meant, and not by way of `*`.
    fn admits(&self, labels: &Labels, label: u32) -> bool {
        match self {
            Pattern::Otherwise | Pattern::Mark(_) => false,
            Pattern::Internal => labels.is_internal(label),
            Pattern::Matches(regex) => regex.is_match(labels.text(label)),
        }
    }
}

impl Purpose {
    /// A purpose, given as a transition system, for the labels of a specification. The budget stays charged for its
    /// table.
    pub fn new(lts: &Lts, labels: &Labels, budget: &Budget<'_>) -> Result<Purpose, NotAPurpose> {
        let numbers = 0..lts.labels().len() as u32;
        let patterns = numbers.map(|label| Pattern::of(lts.labels(), label));
        let patterns = patterns.collect::<Result<Vec<Pattern>, NotAPurpose>>()?;
        let cells = (lts.states() as usize).saturating_mul(labels.len());
        budget.charge(cells.saturating_mul(size_of::<u32>()))?;
        let marks = marks(lts, &patterns)?;
        if !marks.contains(&Mark::Accept) {
            return unfit("no state has a step ACCEPT to itself".to_owned());
        }
        let mut next = Vec::with_capacity(cells);
        for state in 0..lts.states() {
            budget.tick()?;
            add_row(&mut next, lts, state, &patterns, labels)?;
        }
        let silent = |pattern: &Pattern| {
            matches!(pattern, Pattern::Matches(_) | Pattern::Internal)
                && !(0..labels.len() as u32).any(|label| pattern.admits(labels, label))
        };
        let unmatched = (0..).zip(&patterns).filter(|(_, pattern)| silent(pattern));
        let unmatched = unmatched.map(|(label, _)| lts.labels().text(label).to_owned());
        Ok(Purpose {
            initial: lts.initial(),
            labels: labels.len(),
            next,
            unmatched: unmatched.collect(),
            marks,
        })
    }

    /// The state it begins in.
    pub fn initial(&self) -> u32 {
        self.initial
    }

    /// What a state means.
    pub fn mark(&self, state: u32) -> Mark {
        self.marks[state as usize]
    }

    /// The state after a label of the specification.
    pub fn next(&self, state: u32, label: u32) -> u32 {
        self.next[state as usize * self.labels + label as usize]
    }

    /// The labels that match none of the specification's: not a mistake, but often a slip of the pen.
    pub fn unmatched(&self) -> &[String] {
        &self.unmatched
    }
}

fn marks(lts: &Lts, patterns: &[Pattern]) -> Result<Vec<Mark>, NotAPurpose> {
    let mut marks = vec![Mark::Open; lts.states() as usize];
    for (state, step) in lts.transitions() {
        let Pattern::Mark(mark) = patterns[step.label as usize] else {
            continue;
        };
        let word = lts.labels().text(step.label);
        if step.target != state {
            return unfit(format!(
                "the step {word} of state {state} must lead to the state itself"
            ));
        }
        let known = std::mem::replace(&mut marks[state as usize], mark);
        if known != Mark::Open && known != mark {
            return unfit(format!("state {state} both accepts and refuses"));
        }
    }
    Ok(marks)
}

/// Adds the states that one state leads to, label by label.
fn add_row(
    next: &mut Vec<u32>,
    lts: &Lts,
    state: u32,
    patterns: &[Pattern],
    labels: &Labels,
) -> Result<(), NotAPurpose> {
    let mut otherwise = None;
    let steps = lts.steps(state);
    let is_marked = |label: u32| matches!(patterns[label as usize], Pattern::Mark(_));
    let is_trap = steps.iter().any(|step| is_marked(step.label));
    for step in steps {
        if is_trap && step.target != state {
            return unfit(format!(
                "state {state} accepts or refuses, so no step may leave it"
            ));
        }
        if matches!(patterns[step.label as usize], Pattern::Otherwise)
            && otherwise
                .replace(step.target)
                .is_some_and(|other| other != step.target)
        {
            return unfit(format!("state {state} has two steps * to different states"));
        }
    }
    for label in 0..labels.len() as u32 {
        let mut target = None;
        for step in steps
            .iter()
            .filter(|step| patterns[step.label as usize].admits(labels, label))
        {
            if target
                .replace(step.target)
                .is_some_and(|other| other != step.target)
            {
                let text = labels.text(label);
                return unfit(format!(
                    "state {state} has steps to different states that match `{text}`"
                ));
            }
        }
        next.push(target.or(otherwise).unwrap_or(state));
    }
    Ok(())
}
