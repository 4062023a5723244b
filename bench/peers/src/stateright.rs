//! stateright: is there a deadlock? Its model is the file, its states are numbers, its actions are places in the file.

use stateright::{Checker, Model, Property};

use crate::aut::Shape;
use crate::{Found, timed, verdict};

/// The name of the one property.
const ALWAYS: &str = "no deadlock";

/// Looks for a state without a step.
pub(crate) fn deadlock(file: &str, search: &str, threads: usize) -> Result<Found, String> {
    let (shape, read) = timed(|| Shape::read(file));
    let checker = shape?.checker().threads(threads);
    let ((holds, looked_at), check) = timed(|| match search {
        "dfs" => outcome(&checker.spawn_dfs().join()),
        _ => outcome(&checker.spawn_bfs().join()),
    });
    Ok(Found {
        verdict: verdict(holds),
        looked_at,
        read,
        check,
    })
}

fn outcome(checker: &impl Checker<Shape>) -> (bool, usize) {
    let found = checker.discovery(ALWAYS);
    (found.is_none(), checker.unique_state_count())
}

impl Model for Shape {
    type State = u32;
    type Action = usize;

    fn init_states(&self) -> Vec<u32> {
        vec![self.initial]
    }

    fn actions(&self, state: &u32, actions: &mut Vec<usize>) {
        actions.extend(self.successors(*state));
    }

    fn next_state(&self, _: &u32, place: usize) -> Option<u32> {
        Some(self.target(place))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let goes_on = |shape: &Shape, state: &u32| !shape.successors(*state).is_empty();
        vec![Property::always(ALWAYS, goes_on)]
    }
}
