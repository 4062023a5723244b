//! An until of predicates at a cut as a language of runs, for those who read nothing but runs.

use std::sync::Arc;

use causet_formula::core::Ctl;
use causet_formula::{Language, Ltl, Runs};

/// The runs that show an until to be true (`E`) or false (`A`); `None` for any other formula.
pub(crate) fn of_until(formula: &Ctl) -> Option<Runs> {
    let (hold, goal, complement) = match formula {
        Ctl::Eu(hold, goal) => (hold, goal, false),
        Ctl::Au(hold, goal) => (hold, goal, true),
        _ => return None,
    };
    let (Ctl::State(hold), Ctl::State(goal)) = (&**hold, &**goal) else {
        return None;
    };
    let [hold, goal] = [hold, goal].map(|pred| Arc::new(Ltl::State(pred.clone())));
    Some(Runs {
        language: Language::Ltl(Ltl::Until(hold, goal)),
        complement,
        end: None,
    })
}
