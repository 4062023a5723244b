//! What the beginning of a run says about every run that may follow: true, false, or not yet known.
//!
//! Whether some or every complete run is accepted cannot in general be told from a beginning (thesis, 4.1, pp. 57-59);
//! but it can when what is still to come makes no difference. That is read from the states of all cuts of one level,
//! since every run that may follow goes through one of those cuts, in one of its states:
//!
//! | | true | false |
//! |---|---|---|
//! | on some run | some state is sure | all states are dead |
//! | on every run | all states are sure | some state is dead |
//!
//! Once the run is over, the states at the final cut are accepting or not, and nothing is unknown. "On every run" is
//! read so for a deterministic automaton only, and not from a guided search, which drops the dead states that it would
//! have to see. The levels of two-phase search and of sleep sets are as good as full ones: their paths are real, and
//! every run has a counterpart through them that differs in repeated letters only.

use causet_base::Diagnostic;

use super::Mix;
use super::arrivals::Arriving;
use super::levels::{Frontier, Walk};
use crate::refusal::refused;

/// What is asked about the runs that may follow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Question {
    /// Is some run accepted?
    Possibly,
    /// Is every run accepted?
    Definitely,
}

/// What is known so far.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SoFar {
    /// It is true, whatever comes.
    True,
    /// It is false, whatever comes.
    False,
    /// It depends on what comes.
    Unknown,
}

impl SoFar {
    /// Whether nothing can change it any more.
    pub fn is_decided(self) -> bool {
        self != SoFar::Unknown
    }
}

impl From<bool> for SoFar {
    fn from(truth: bool) -> Self {
        if truth { SoFar::True } else { SoFar::False }
    }
}

/// Whether a technique can answer a question, and why not.
pub fn supports(question: Question, mix: Mix) -> Result<(), Diagnostic> {
    if question == Question::Definitely && mix.guided {
        let reason = "a guided search does not see the runs that are rejected; \
                      ask whether some run is accepted by the complement";
        return Err(refused(reason));
    }
    Ok(())
}

/// What a level says.
pub fn read<A: Arriving>(walk: &Walk<'_, A>, frontier: &Frontier, question: Question) -> SoFar {
    let outlook = walk.labels.outlook();
    let has_sure = frontier.meets(outlook.sure());
    let has_dead = frontier.meets(outlook.dead());
    let is_over = frontier.final_cut(walk.known).is_some();
    let all_dead = frontier.is_within(outlook.dead());
    match question {
        Question::Possibly if has_sure => SoFar::True,
        Question::Possibly if all_dead => SoFar::False,
        Question::Possibly if is_over => walk.labels.some(frontier.union()).into(),
        Question::Definitely if has_dead => SoFar::False,
        Question::Definitely if frontier.is_within(outlook.sure()) => SoFar::True,
        Question::Definitely if is_over => walk.labels.all(frontier.union()).into(),
        _ => SoFar::Unknown,
    }
}
