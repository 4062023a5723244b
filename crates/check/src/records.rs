//! What the events of a run wrote, as far as some properties name it: gathered in one pass for all of them.

use causet_formula::names::VarRef;
use causet_trace::{History, Race, VarId};
use rustc_hash::FxHashMap;

use crate::subject::{Subject, var_id};

/// The writes of some variables of a run.
#[derive(Clone, Debug)]
pub struct Records<'t> {
    pub(crate) subject: Subject<'t>,
    pub(crate) histories: FxHashMap<VarRef, History>,
}

impl<'t> Records<'t> {
    /// The writes of these variables.
    pub fn of(subject: Subject<'t>, vars: impl IntoIterator<Item = VarRef>) -> Self {
        let mut vars: Vec<VarRef> = vars.into_iter().collect();
        vars.sort_unstable();
        vars.dedup();
        let ids: Vec<_> = vars.iter().map(|&var| var_id(var)).collect();
        let histories = match ids.is_empty() {
            true => Vec::new(),
            false => subject.trace.histories(&ids),
        };
        Records {
            subject,
            histories: vars.into_iter().zip(histories).collect(),
        }
    }

    /// A race of each of these variables that has one.
    pub(crate) fn races(&self) -> Vec<Race> {
        let trace = self.subject.trace;
        let shared = |&&var: &&VarRef| trace.owner(var_id(var)).is_none();
        match self.histories.keys().any(|var| shared(&var)) {
            true => {
                let is_named = |var: VarId| self.histories.contains_key(&VarRef(var.raw()));
                trace.races_of(is_named, 1).pairs
            }
            false => Vec::new(),
        }
    }
}
