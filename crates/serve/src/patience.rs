//! What is missing from a run, since when, and what is done about it.
//!
//! ```text
//!  something is missing --for a time--> told, once
//!  too many events wait --> their senders are not let go on --for a time--> the run is followed no more
//! ```
//!
//! Events that wait take memory, so whoever sends them has to wait too, as long as what is missing may still come from
//! someone else. When it does not come, it may be that it stands behind the very events that are not read; so the run is
//! given up: its events are kept as before, and its properties are decided when it is over.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use tokio::sync::OwnedSemaphorePermit;

use crate::news::Gap;
use crate::run::Run;

/// How long what is missing is waited for.
#[derive(Clone, Copy, Debug)]
pub struct Waits {
    /// So many events of a run may wait for others.
    pub most: usize,
    /// After so long it is told what is missing, and a run with too many events that wait is given up.
    pub patience: Duration,
}

impl Default for Waits {
    fn default() -> Self {
        Waits {
            most: 1_000_000,
            patience: Duration::from_secs(10),
        }
    }
}

/// What a run waits for.
#[derive(Default)]
pub(crate) struct Patience {
    /// What is missing, by process: since when, and whether it was told.
    missing: BTreeMap<(String, String), (Instant, bool)>,
    /// Since when too many events wait.
    full: Option<Instant>,
    /// What the senders need to go on.
    withheld: Vec<OwnedSemaphorePermit>,
}

impl Patience {
    /// Whether the senders may go on; if not, what they need for that is kept here.
    pub(crate) fn lets_go_on(&mut self, run: &Run, waits: Waits) -> bool {
        let is_full = run.monitor().waiting() > waits.most;
        match is_full {
            true => drop(self.full.get_or_insert_with(Instant::now)),
            false => self.let_go_on(),
        }
        !is_full
    }

    pub(crate) fn withhold(&mut self, permits: Vec<OwnedSemaphorePermit>) {
        self.withheld.extend(permits);
    }

    fn let_go_on(&mut self) {
        self.full = None;
        self.withheld.clear();
    }

    /// Looks at what is missing now; what has been missing for long is told, once.
    pub(crate) fn look(&mut self, run: &mut Run, waits: Waits) -> Vec<Gap> {
        let now = Instant::now();
        let mut before = std::mem::take(&mut self.missing);
        let mut gaps = Vec::new();
        for gap in run.missing() {
            let (since, mut is_told) = before.remove(&gap).unwrap_or((now, false));
            let waited = now.saturating_duration_since(since);
            if !is_told && waited >= waits.patience {
                is_told = true;
                gaps.push(report(run, gap.clone(), waited));
            }
            self.missing.insert(gap, (since, is_told));
        }
        if self
            .full
            .is_some_and(|since| since.elapsed() >= waits.patience)
        {
            let (process, missing) = run.missing().into_iter().next().unwrap_or_default();
            let reason = format!("more than {} events waited for {missing}", waits.most);
            let told = format!("{missing}; the run is not followed any more");
            gaps.push(report(run, (process, told), waits.patience));
            run.give_up(&reason);
            self.let_go_on();
        }
        gaps
    }
}

fn report(run: &Run, (process, missing): (String, String), waited: Duration) -> Gap {
    Gap {
        run: run.name().to_owned(),
        process,
        missing,
        seconds: waited.as_secs(),
        waiting: (run.monitor().waiting() + run.held()) as u64,
    }
}
