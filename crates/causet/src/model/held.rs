//! What a process has of a model: all of it, or, of a stored system that several processes check, its own part.

use causet_lts::Labels;
use causet_lts::counterexample::{Counterexample, Shape};
use causet_lts::model::Model;
use causet_lts::portion::Portion;
use causet_report::lts::ModelSize;
use causet_solve::space::Space;

/// What a process has of a model.
pub enum Held {
    /// All of it.
    All(Model),
    /// The states of its own workers.
    Portion(Portion),
}

impl Held {
    /// The labels of the whole model.
    pub fn labels(&self) -> &Labels {
        match self {
            Held::All(model) => model.labels(),
            Held::Portion(portion) => portion.labels(),
        }
    }

    /// How large the whole model is.
    pub fn size(&self) -> ModelSize {
        ModelSize {
            stored: match self {
                Held::All(Model::Stored(lts)) => {
                    Some((u64::from(lts.states()), lts.step_count() as u64))
                }
                Held::All(Model::Composed(_)) => None,
                Held::Portion(portion) => Some((u64::from(portion.states()), portion.step_count())),
            },
            labels: self.labels().len(),
        }
    }

    /// Whether the last state of a path is known to have no step in the model.
    pub fn is_stuck(&self, diagnostic: &Counterexample) -> bool {
        let last = diagnostic.states.len() - 1;
        if diagnostic.shape != Shape::Path {
            return false;
        }
        match self {
            Held::All(Model::Stored(lts)) => lts.steps(diagnostic.states[last]).is_empty(),
            Held::All(Model::Composed(network)) => {
                let mut steps = 0;
                network.successors(&diagnostic.rows[last], &mut |_, _| steps += 1);
                steps == 0
            }
            // Whoever has the state of another worker is not asked once the work is done.
            Held::Portion(portion) => portion
                .steps(diagnostic.states[last])
                .is_some_and(<[_]>::is_empty),
        }
    }
}
