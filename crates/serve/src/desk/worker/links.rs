//! Links come and go, and runs with them: a run is there from its first link on, and stays from its first event on.

use std::collections::BTreeMap;
use std::path::Path;

use causet_base::Diagnostic;
use rustc_hash::FxHashMap;
use tokio::sync::mpsc;

use super::recovery::SET_ASIDE;
use super::{Linked, Live, Worker, in_words};
use crate::admission::Numbers;
use crate::keeping::{Keeping, folder_of, had, is_over, journal_path, set_aside_in, why_over};
use crate::protocol::{IS_OVER, Reply};
use crate::refusal::refused;
use crate::run::Run;

impl Worker {
    /// Lets a link in, to a run that goes on, is over, or is new; what is safe of it.
    pub(super) fn hello(
        &mut self,
        link: u64,
        name: String,
        replies: mpsc::UnboundedSender<Reply>,
    ) -> Result<BTreeMap<String, u32>, Diagnostic> {
        if !self.runs.contains_key(&name) {
            let folder = folder_of(&self.rules.data, &name);
            let unkept = |error| refused(format!("the run cannot be kept: {error}"));
            Keeping::restore_name(&folder, &name).map_err(unkept)?;
            if is_over(&folder) {
                // Whoever did not hear that its events are safe is told so.
                let had = had(&folder);
                self.link(link, name, replies, Some(had.clone()));
                return Ok(had);
            }
            if let Some(aside) = set_aside_in(&folder) {
                let aside = aside.display();
                return Err(refused(format!(
                    "{SET_ASIDE} as {aside}; send to a run of another name"
                )));
            }
            if self.runs.len() >= self.rules.runs {
                let count = self.runs.len();
                let over = match self.rules.idle {
                    Some(idle) => {
                        format!("; one is over when nothing has come for {}", in_words(idle))
                    }
                    None => String::new(),
                };
                return Err(refused(format!("there are {count} runs already{over}")));
            }
            if journal_path(&folder).exists() {
                self.go_on(&folder).map_err(unkept)?;
            } else {
                let run = Run::create(&self.rules.data, &name, self.rules.asked.clone());
                self.add(name.clone(), run.map_err(unkept)?);
            }
        }
        let have = self.runs.get(&name).map(|live| live.run.have());
        self.link(link, name, replies, None);
        Ok(have.unwrap_or_default())
    }

    fn link(
        &mut self,
        link: u64,
        run: String,
        replies: mpsc::UnboundedSender<Reply>,
        had: Option<BTreeMap<String, u32>>,
    ) {
        let numbers = Numbers::default();
        self.links.insert(
            link,
            Linked {
                run,
                numbers,
                replies,
                had,
            },
        );
    }

    /// A link is gone. A run of which nothing was taken or declared is then as if it had never been named, once nobody
    /// else is about to send it.
    pub(super) fn gone(&mut self, link: u64) {
        let Some(Linked { run, .. }) = self.links.remove(&link) else {
            return;
        };
        let is_bare = |live: &Live| live.run.is_empty() && !live.run.is_declared();
        let is_left = |links: &FxHashMap<u64, Linked>| links.values().all(|other| other.run != run);
        if self.runs.get(&run).is_some_and(is_bare) && is_left(&self.links) {
            self.discard(&run);
        }
    }

    /// Forgets a run of which nothing was taken; whether it could.
    pub(super) fn discard(&mut self, name: &str) -> bool {
        let live = self.runs.get(name).filter(|live| live.run.is_empty());
        let Some(bytes) = live.map(|live| live.bytes) else {
            return false;
        };
        // One that cannot be removed stays as it is.
        let is_removed = self.runs[name].run.keeping().discard().unwrap_or(false);
        if is_removed {
            self.runs.remove(name);
            self.dirty.remove(name);
            self.used -= bytes;
        }
        is_removed
    }
}

/// What is said to whoever sends more to a run that is over.
pub(super) fn is_over_since(data: &Path, run: &str) -> String {
    let folder = folder_of(data, run);
    if !is_over(&folder) {
        return format!("{IS_OVER}: nothing had come for it; it can be begun again");
    }
    match why_over(&folder) {
        why if why.is_empty() => IS_OVER.to_owned(),
        why => format!("{IS_OVER}: {why}"),
    }
}
