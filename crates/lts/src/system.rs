//! A transition system in memory: the steps of all states in one array, state by state.

use causet_base::budget::{Budget, Spent};
use causet_solve::steps::{Edge, Steps};
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// What a label takes beside its text: a pointer with a length, a flag, and its place in the table of numbers.
const LABEL_BYTES: usize = 32;

/// The labels of a system, numbered, and which of them are internal.
#[derive(Clone, Default)]
pub struct Labels {
    texts: Vec<Box<str>>,
    internal: Vec<bool>,
    numbers: HashTable<u32>,
}

impl Labels {
    /// The number of a label, which is added when it is new.
    pub fn number(&mut self, text: &str) -> u32 {
        let hash = FxBuildHasher.hash_one(text);
        let same = |&number: &u32| &*self.texts[number as usize] == text;
        if let Some(&number) = self.numbers.find(hash, same) {
            return number;
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.into());
        self.internal.push(matches!(text, "i" | "tau"));
        let hash_of = |&n: &u32| FxBuildHasher.hash_one(&*self.texts[n as usize]);
        self.numbers.insert_unique(hash, number, hash_of);
        number
    }

    /// The number of a label that is there.
    pub fn find(&self, text: &str) -> Option<u32> {
        let hash = FxBuildHasher.hash_one(text);
        let same = |&number: &u32| &*self.texts[number as usize] == text;
        self.numbers.find(hash, same).copied()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// A label's text.
    pub fn text(&self, label: u32) -> &str {
        &self.texts[label as usize]
    }

    /// Whether a label is the internal action: `i` or `tau`, unless it was chosen by name.
    pub fn is_internal(&self, label: u32) -> bool {
        self.internal[label as usize]
    }

    /// Makes one name, and no other, the internal action; says whether there is such a label, so that the caller can
    /// warn of one that does not occur.
    pub fn choose_internal(&mut self, name: &str) -> bool {
        let texts = self.texts.iter();
        self.internal = texts.map(|text| &**text == name).collect();
        self.find(name).is_some()
    }

    /// How many bytes of memory the labels take, roughly.
    pub fn bytes(&self) -> usize {
        let texts: usize = self.texts.iter().map(|text| text.len()).sum();
        texts + self.texts.len() * LABEL_BYTES
    }
}

/// The same labels, numbered and hidden in the same way.
impl PartialEq for Labels {
    fn eq(&self, other: &Labels) -> bool {
        self.texts == other.texts && self.internal == other.internal
    }
}

impl Eq for Labels {}

impl std::fmt::Debug for Labels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.texts).finish()
    }
}

/// Steps row by row, one row for each state of a system or for some of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Rows {
    /// Where the steps of each row start, and at the end where all of them end.
    starts: Vec<u32>,
    edges: Vec<Edge>,
}

impl Rows {
    /// Steps as `starts` cuts them, which has one entry more than there are rows.
    ///
    /// # Panics
    /// When the two do not fit together; readers check before they call.
    pub(crate) fn new(starts: Vec<u32>, edges: Vec<Edge>) -> Rows {
        assert_eq!(starts.last().map(|&end| end as usize), Some(edges.len()));
        Rows { starts, edges }
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many steps there are.
    pub(crate) fn step_count(&self) -> usize {
        self.edges.len()
    }

    /// The steps of a row.
    pub(crate) fn steps(&self, row: u32) -> &[Edge] {
        let range = self.starts[row as usize]..self.starts[row as usize + 1];
        &self.edges[range.start as usize..range.end as usize]
    }

    /// The steps of several rows, one row after the other.
    pub(crate) fn steps_of(&self, rows: std::ops::Range<u32>) -> &[Edge] {
        let ends = [rows.start, rows.end].map(|row| self.starts[row as usize] as usize);
        &self.edges[ends[0]..ends[1]]
    }

    /// Looks at rows that are going to be asked for.
    pub(crate) fn anticipate(&self, rows: impl Iterator<Item = u32>) {
        // The loads do not depend on each other, so that their delays overlap.
        let first = rows.map(|row| {
            let start = self.starts[row as usize] as usize;
            self.edges.get(start).map_or(0, |edge| edge.target)
        });
        std::hint::black_box(first.fold(0, u32::wrapping_add));
    }

    /// How many bytes of memory the rows take, roughly.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<u32>() * self.starts.len() + size_of::<Edge>() * self.edges.len()
    }
}

/// A transition system: states `0..states`, one of them initial, and labelled steps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lts {
    initial: u32,
    /// The steps of each state.
    rows: Rows,
    labels: Labels,
}

impl Lts {
    /// A system from its parts: `starts` has one entry more than there are states, and cuts `edges` state by state.
    ///
    /// # Panics
    /// When the parts do not fit together; readers check before they call.
    pub fn new(initial: u32, starts: Vec<u32>, edges: Vec<Edge>, labels: Labels) -> Lts {
        Lts::of_rows(initial, Rows::new(starts, edges), labels)
    }

    /// A system from the steps of its states.
    pub(crate) fn of_rows(initial: u32, rows: Rows, labels: Labels) -> Lts {
        assert!((initial as usize) < rows.len(), "no initial state");
        Lts {
            initial,
            rows,
            labels,
        }
    }

    /// A system from steps in any order; steps of one state keep theirs.
    pub fn from_steps(states: u32, initial: u32, steps: &[(u32, Edge)], labels: Labels) -> Lts {
        let mut starts = vec![0_u32; states as usize + 1];
        for (source, _) in steps {
            starts[*source as usize + 1] += 1;
        }
        for state in 0..states as usize {
            starts[state + 1] += starts[state];
        }
        let mut next = starts.clone();
        let mut edges = vec![
            Edge {
                label: 0,
                target: 0
            };
            steps.len()
        ];
        for &(source, edge) in steps {
            let place = &mut next[source as usize];
            edges[*place as usize] = edge;
            *place += 1;
        }
        Lts::new(initial, starts, edges, labels)
    }

    /// How many states there are.
    pub fn states(&self) -> u32 {
        self.rows.len() as u32
    }

    /// How many steps there are.
    pub fn step_count(&self) -> usize {
        self.rows.step_count()
    }

    /// The initial state.
    pub fn initial(&self) -> u32 {
        self.initial
    }

    /// The steps of a state.
    pub fn steps(&self, state: u32) -> &[Edge] {
        self.rows.steps(state)
    }

    /// The steps of each state.
    pub(crate) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// All steps with their sources, state by state.
    pub fn transitions(&self) -> impl Iterator<Item = (u32, Edge)> + '_ {
        (0..self.states())
            .flat_map(|source| self.steps(source).iter().map(move |&edge| (source, edge)))
    }

    /// How many bytes of memory the system takes, roughly.
    pub fn bytes(&self) -> usize {
        self.rows.bytes() + self.labels.bytes()
    }

    /// The labels.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The labels, to say which is internal.
    pub fn labels_mut(&mut self) -> &mut Labels {
        &mut self.labels
    }
}

impl Steps for &Lts {
    fn initial(&self) -> u32 {
        self.initial
    }

    fn anticipate(&self, states: impl Iterator<Item = u32>) {
        self.rows.anticipate(states);
    }

    fn edges(&mut self, state: u32, _: &Budget<'_>) -> Result<&[Edge], Spent> {
        Ok(self.steps(state))
    }
}
