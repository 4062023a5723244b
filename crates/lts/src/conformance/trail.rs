//! Whatever a breadth-first search meets, each once, and a shortest way to it.

use std::hash::Hash;

use causet_base::budget::{Budget, Spent};
use hashbrown::HashSet;

use crate::system::Labels;

/// What was met, in the order of the search.
pub(super) struct Trail<K> {
    met: Vec<Met<K>>,
    known: HashSet<K>,
}

struct Met<K> {
    what: K,
    /// From where by which label; the start comes from nowhere.
    from: Option<(usize, u32)>,
}

impl<K: Copy + Eq + Hash> Trail<K> {
    /// Only the start has been met.
    pub(super) fn new(start: K) -> Trail<K> {
        Trail {
            met: vec![Met {
                what: start,
                from: None,
            }],
            known: HashSet::from_iter([start]),
        }
    }

    /// How many things have been met.
    pub(super) fn len(&self) -> usize {
        self.met.len()
    }

    /// The thing that was met as this one.
    pub(super) fn get(&self, number: usize) -> Option<K> {
        self.met.get(number).map(|met| met.what)
    }

    /// Meets something by a label from what was met as this number.
    pub(super) fn add(
        &mut self,
        what: K,
        from: (usize, u32),
        budget: &Budget<'_>,
    ) -> Result<(), Spent> {
        if self.known.insert(what) {
            budget.charge(2 * size_of::<Met<K>>())?;
            let from = Some(from);
            self.met.push(Met { what, from });
        }
        Ok(())
    }

    /// The labels on a shortest way to what was met as this number.
    pub(super) fn way(&self, mut number: usize, labels: &Labels) -> Vec<String> {
        let mut way = Vec::new();
        while let Some((before, label)) = self.met[number].from {
            way.push(labels.text(label).to_owned());
            number = before;
        }
        way.reverse();
        way
    }
}
