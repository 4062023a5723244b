//! Which engine decides a question, and why: a pure function whose result can be printed, tested and forced.

use std::fmt;

use crate::engine::{EngineName, explicit};
use crate::prepare::Question;

/// What the person asked for.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Choice {
    /// Whatever fits best.
    #[default]
    Auto,
    /// This one or none.
    Forced(EngineName),
}

/// A decision and its reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The engine.
    pub engine: EngineName,
    /// Why this one.
    pub reason: String,
    /// How many formulas it is to decide together.
    pub goals: usize,
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "engine {}: {}", self.engine.word(), self.reason)?;
        if self.goals > 1 {
            write!(f, "; {} instances decided together", self.goals)?;
        }
        Ok(())
    }
}

/// Chooses an engine, or says why the one asked for cannot do it.
pub fn plan(question: &Question, choice: Choice) -> Result<Plan, String> {
    let (_, goals) = question.goals();
    let engine = EngineName::Explicit;
    for goal in &goals {
        explicit::supports(goal)?;
    }
    let reason = match choice {
        Choice::Auto => "visits every cut and decides any CTL formula",
        Choice::Forced(_) => "asked for",
    };
    Ok(Plan {
        engine,
        reason: reason.to_owned(),
        goals: goals.len(),
    })
}
