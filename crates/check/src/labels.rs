//! What the events of a run are called, as the mu-calculus sees them: by their labels, each with a number.

use causet_formula::Action;
use causet_formula::modal::Modal;
use causet_trace::{EventId, Trace};
use rustc_hash::FxHashMap;

/// What an event without a label is called, and so is every other internal event.
const INTERNAL: &str = "tau";

/// The different labels of a run.
pub(crate) struct Labels<'t> {
    /// Each label once, and whether it is internal.
    all: Vec<(&'t str, bool)>,
    /// Per event: the number of its label.
    of: Vec<u32>,
    /// The number that events without a label have, if there are such.
    nameless: Option<u32>,
}

impl<'t> Labels<'t> {
    /// Looks at every event once.
    pub(crate) fn new(trace: &'t Trace) -> Self {
        let mut number: FxHashMap<&str, u32> = FxHashMap::default();
        let mut labels = Labels {
            all: Vec::new(),
            of: vec![0; trace.len()],
            nameless: None,
        };
        for event in trace.events() {
            let label = trace.label(event).unwrap_or(INTERNAL);
            let number = *number.entry(label).or_insert_with(|| {
                labels.all.push((label, matches!(label, INTERNAL | "i")));
                labels.all.len() as u32 - 1
            });
            labels.of[event.index()] = number;
            if trace.label(event).is_none() {
                labels.nameless = Some(number);
            }
        }
        labels
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The number of an event's label.
    pub(crate) fn of(&self, event: EventId) -> u32 {
        self.of[event.index()]
    }

    /// The number that events without a label have, if there are such.
    pub(crate) fn nameless(&self) -> Option<u32> {
        self.nameless
    }

    /// A label by its number.
    pub(crate) fn text(&self, number: u32) -> &'t str {
        self.all[number as usize].0
    }

    /// Whether an action admits a label.
    pub(crate) fn admits(&self, action: &Action, number: u32) -> bool {
        let (label, internal) = self.all[number as usize];
        action.admits(label, internal)
    }

    /// Per action of a formula: whether it admits each label.
    pub(crate) fn admitted(&self, table: &Modal) -> Vec<Vec<bool>> {
        let numbers = 0..self.all.len() as u32;
        let row = |action: &Action| {
            let numbers = numbers.clone();
            numbers.map(|number| self.admits(action, number)).collect()
        };
        table.actions.iter().map(row).collect()
    }
}
