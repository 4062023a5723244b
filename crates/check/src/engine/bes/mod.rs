//! Equations on the fly: a formula and the cuts make a boolean equation system, of which only what matters is looked at.
//!
//! A variable says that a cut satisfies a sub-formula. Its right-hand side is found when somebody asks for it, and the
//! work stops when the initial cut is decided. The lattice of cuts has no cycles, so one depth-first search resolves
//! every variable it meets. `rows` beside this one goes through all cuts, with less memory for each; this engine is the
//! better choice where a few cuts decide, and the only one beside the definition that knows the labels of events. It is
//! also the one that many workers can run together: then all go breadth-first, each through its own share of the cuts.

mod asked;
mod cuts;
mod runs;
mod table;
mod together;

use causet_base::Diagnostic;
use causet_base::budget::{Budget, Spent};
use causet_formula::core::{Ctl, Pred};
use causet_formula::modal::Modal;
use causet_solve::bes::product::Matching;
use causet_solve::bes::program::Program;

pub(crate) use runs::run_words;
pub use together::Dealing;
pub(crate) use together::JointSolver;

use super::Finding;
use super::argue::can_argue;
use super::evidence::evidence;
use super::table::{Engine, OfCuts, OfRuns, OverRuns, Skill};
use crate::labels::Labels;
use crate::project::{Projection, Route};
use crate::refusal::refused;
use asked::{Asking, Labelled, Subject};
use cuts::{Cuts, Known};
use table::Table;
use together::{Explain, Question};

/// Its row in the table.
pub static ENGINE: Engine = Engine {
    name: "bes",
    about: "Boolean equations, resolved on the fly; with `explicit` the only one for the mu-calculus",
    skill: Skill::Equations(
        OfCuts {
            supports: |_, formula| supports(formula),
            run: |task| run(task.projection, task.formula, task.joint, task.budget),
            layouts: 1,
        },
        OfRuns {
            supports: |_, _| Ok(()),
            run: |task| {
                let OverRuns {
                    scene, automaton, ..
                } = *task;
                run_words(scene, automaton, task.wants_steps, task.joint, task.budget)
            },
        },
    ),
    takes_all: false,
};

/// How many operators and operands a formula may have: every cut that is looked at has a variable for many of them.
const LARGEST: usize = 1 << 16;

/// Any formula of the core that is not enormous.
pub fn supports(formula: &Ctl) -> Result<(), Diagnostic> {
    match formula.size() {
        0..=LARGEST => Ok(()),
        size => Err(refused(format!(
            "the formula has {size} operators and operands, more than {LARGEST}"
        ))),
    }
}

/// Decides a formula of CTL at the initial cut.
pub(crate) fn run(
    projection: &Projection<'_>,
    goal: &Ctl,
    joint: Option<&JointSolver<'_>>,
    budget: &Budget<'_>,
) -> Result<Finding, Spent> {
    let (mut table, main) = Table::new(goal, |pred: &Pred| projection.number_of(pred));
    let program = Program::new(std::mem::take(&mut table.nodes), main);
    let question = Question {
        program: &program,
        matching: &Matching::new(1, 1, |_, _| true),
        lattice: &Cuts {
            projection,
            labels: None,
        },
    };
    let subject = Subject {
        projection,
        goal,
        table: &table,
        program: &program,
    };
    let (holds, route, stats) = question.decide(&subject, joint, budget)?;
    Ok(Finding {
        holds,
        route,
        stats,
    })
}

impl<N: Fn(&Pred) -> usize> Explain for Subject<'_, '_, '_, N> {
    type Shown = Route;

    fn can_show(&self, value: bool) -> bool {
        self.projection.wants_routes() && can_argue(self.goal, value)
    }

    fn explain<K: Known>(
        &self,
        resolution: &mut Asking<'_, K>,
        value: bool,
        sure: Option<bool>,
        budget: &Budget<'_>,
    ) -> Result<Option<Route>, Spent> {
        self.argue(resolution, value, sure, budget)
    }
}

/// Decides a formula of the mu-calculus at the initial cut of a projection that leaves nothing out.
pub(crate) fn run_modal(
    projection: &Projection<'_>,
    table: &Modal,
    labels: &Labels<'_>,
    joint: Option<&JointSolver<'_>>,
    budget: &Budget<'_>,
) -> Result<Finding, Spent> {
    let admits = |action: usize, label| labels.admits(&table.actions[action], label);
    let question = Question {
        program: &Program::new(table.nodes(), table.main),
        matching: &Matching::new(table.actions.len(), labels.len(), admits),
        lattice: &Cuts {
            projection,
            labels: Some(labels),
        },
    };
    let (holds, route, stats) = question.decide(&Evidence { projection }, joint, budget)?;
    Ok(Finding {
        holds,
        route,
        stats,
    })
}

/// Looks for the run to which equations about labels owe their value.
struct Evidence<'a, 's> {
    projection: &'a Projection<'s>,
}

impl Explain for Evidence<'_, '_> {
    type Shown = Route;

    fn can_show(&self, _value: bool) -> bool {
        self.projection.wants_routes()
    }

    fn explain<K: Known>(
        &self,
        resolution: &mut Asking<'_, K>,
        value: bool,
        _sure: Option<bool>,
        budget: &Budget<'_>,
    ) -> Result<Option<Route>, Spent> {
        let product = resolution.equations();
        let (program, matching) = (product.program(), product.matching());
        let start = (program.main(), product.steps().initial());
        let mut asked = Labelled {
            resolution,
            projection: self.projection,
            budget,
        };
        let steps = evidence(&mut asked, program.nodes(), start, matching, value, budget)?;
        Ok(steps.map(|steps| Route {
            steps,
            ..Route::default()
        }))
    }
}
