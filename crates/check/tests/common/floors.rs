//! How often each engine takes what it is asked: one that refuses everything would agree with all others.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use causet_check::plan::Choice;

/// How many questions each engine was asked, and how many it took.
#[derive(Default)]
pub(crate) struct Acceptances(Mutex<BTreeMap<&'static str, [usize; 2]>>);

/// Of fewer questions no share is asked for.
const FEWEST: usize = 200;

/// An engine that is not in a table takes at least so many in a hundred.
const LEAST: usize = 1;

impl Acceptances {
    /// Notes that a question was taken, or not.
    pub(crate) fn note(&self, choice: Choice, taken: bool) {
        let engine = match choice {
            Choice::Auto => "auto",
            Choice::Forced(engine) => engine.name,
        };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = all.entry(engine).or_default();
        counts[0] += 1;
        counts[1] += usize::from(taken);
    }

    /// Fails when an engine takes less than its floor, in a hundred. The floors stand a little below what is taken today.
    pub(crate) fn hold(&self, floors: &[(&str, usize)]) {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        println!("{all:?}");
        assert!(!all.is_empty(), "nobody was asked");
        // A few say nothing.
        let enough = all.iter().filter(|(_, counts)| counts[0] >= FEWEST);
        for (&engine, &[asked, taken]) in enough {
            let floor = floors.iter().find(|(name, _)| *name == engine);
            let floor = floor.map_or(LEAST, |&(_, floor)| floor);
            assert!(
                100 * taken >= floor * asked,
                "{engine} took {taken} of {asked}, and should take {floor} in a hundred"
            );
        }
    }
}
