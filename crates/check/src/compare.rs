//! The techniques that go level by level, side by side: how many cuts and steps each goes through.

use causet_base::budget::{Budget, Spent};

use crate::engine::guided::{self, Counts};
use crate::linear::upto::Upto;
use crate::plan::{Choice, Plan, Way};
use crate::prepare::Question;
use crate::project::letters::Letters;
use crate::records::Records;
use crate::subject::Subject;

/// What each technique went through for one language of runs, or the limit it ran into.
pub type Comparison = Vec<(&'static str, Result<Counts, Spent>)>;

/// Compares the techniques on the whole run, for every language of runs a question is about.
pub fn compare(
    subject: Subject<'_>,
    question: &Question,
    max_steps: Option<u32>,
    budget: &Budget<'_>,
) -> Result<Vec<Comparison>, Spent> {
    let mentions = question.lowered.mentions.iter();
    let records = Records::of(subject, mentions.map(|&(var, _)| var));
    let choice = Choice::Forced(&guided::LEVELS);
    let plan = Plan::new(records, &[question], choice, budget)?;
    let mut comparisons = Vec::new();
    for leaf in plan.leaves(0)? {
        let Way::Words(words) = &leaf.way else {
            continue;
        };
        let projection = plan.survey.project(&leaf.sight, budget)?;
        let letters = Letters::new(&projection);
        let end = projection.within(words.runs.end.as_deref());
        let scene = Upto::new(&letters, end);
        let automaton = &words.compiled.automaton;
        let insensitive = words.may_project();
        comparisons.push(guided::compare(
            &scene,
            automaton,
            max_steps,
            insensitive,
            budget,
        ));
    }
    Ok(comparisons)
}
