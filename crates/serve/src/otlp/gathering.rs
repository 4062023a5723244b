//! Spans that wait until their runs can be told: which are there, which are missing, and whose time has come.
//!
//! ```text
//!                      every parent that is named is there,             nothing came for a while
//!             a span   and so is a span without one                 +--------------------------------+
//!  (nothing) --------> gathering --------------------> looks whole -+                                v
//!                          |                               |                                     to be told
//!                          |      a span                   |                                         ^
//!                          +<------------------------------+        nothing came for a long while    |
//!                          +-------------------------------------------------------------------------+
//!                                                                   or there is no room, and it is the oldest
//! ```
//!
//! A trace that looks whole may not be: nobody names the spans below it. That is why it waits a while all the same. Why
//! not tell spans as they come? Because the lanes of a run depend on all of them: the name of a lane on which others have
//! the same title, whether a thread is one on whether all its spans nest, and whether an answer precedes the end of its
//! call on the caller, which arrives last.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::export::{Arrived, RunName};

/// How long spans wait, and how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// So long nothing may come for a trace that looks whole.
    pub whole: Duration,
    /// So long nothing may come for any other, and for runs that somebody named.
    pub partial: Duration,
    /// So many runs may wait.
    pub runs: usize,
    /// So many bytes of spans may wait.
    pub bytes: usize,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            whole: Duration::from_secs(10),
            partial: Duration::from_secs(60),
            runs: 10_000,
            bytes: 256 << 20,
        }
    }
}

/// Why a run is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Why {
    /// All spans that are known to be there are there.
    Whole,
    /// Nothing came for a long while; so many parents are missing.
    Idle(usize),
    /// Others need the room.
    Room,
}

/// The spans of all runs that wait.
#[derive(Default, Debug)]
pub(super) struct Gathering {
    runs: BTreeMap<String, Gathered>,
    bytes: usize,
}

/// The spans of a run.
#[derive(Debug)]
pub(super) struct Gathered {
    is_given: bool,
    begun: Instant,
    heard: Instant,
    /// By when they started, so that it does not matter when they arrived.
    spans: BTreeSet<(u64, String)>,
    ids: BTreeSet<String>,
    /// Parents that are named and not there.
    missing: BTreeSet<String>,
    has_root: bool,
    bytes: usize,
    /// The file of the spool in which the first of them is.
    pub(super) file: u64,
}

/// What a span takes beside its line, more or less.
const OVERHEAD: usize = 200;

impl Gathering {
    /// Takes a span; whether it was not there before. `file` is where the spool is, or before that.
    pub(super) fn take(&mut self, span: Arrived, file: u64, now: Instant) -> bool {
        let RunName { name, is_given } = span.run;
        let run = self.runs.entry(name).or_insert_with(|| Gathered {
            is_given,
            begun: now,
            heard: now,
            spans: BTreeSet::new(),
            ids: BTreeSet::new(),
            missing: BTreeSet::new(),
            has_root: false,
            bytes: 0,
            file,
        });
        run.heard = now;
        let bytes = span.line.len() + OVERHEAD;
        if !run.spans.insert((span.start, span.line)) {
            return false;
        }
        run.bytes += bytes;
        self.bytes += bytes;
        run.missing.remove(&span.id);
        run.ids.insert(span.id);
        match span.parent {
            None => run.has_root = true,
            Some(parent) if !run.ids.contains(&parent) => drop(run.missing.insert(parent)),
            Some(_) => {}
        }
        true
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The first file of the spool that is needed.
    pub(super) fn first_file(&self) -> Option<u64> {
        self.runs.values().map(|run| run.file).min()
    }

    /// A run whose time has come.
    pub(super) fn due(&self, patience: &Patience, now: Instant) -> Option<(String, Why)> {
        let is_full = self.runs.len() > patience.runs || self.bytes > patience.bytes;
        if is_full && let Some((name, _)) = self.runs.iter().min_by_key(|(_, run)| run.begun) {
            return Some((name.clone(), Why::Room));
        }
        let mut due = self.runs.iter().filter_map(|(name, run)| {
            let silent = now.saturating_duration_since(run.heard);
            let is_whole = run.has_root && run.missing.is_empty();
            if is_whole && !run.is_given && silent >= patience.whole {
                Some((name.clone(), Why::Whole))
            } else if silent >= patience.partial {
                Some((name.clone(), Why::Idle(run.missing.len())))
            } else {
                None
            }
        });
        due.next()
    }

    /// Takes a run out.
    pub(super) fn remove(&mut self, name: &str) -> Option<Gathered> {
        let run = self.runs.remove(name)?;
        self.bytes -= run.bytes;
        Some(run)
    }
}

impl Gathered {
    /// All spans, a line each, in the order in which they started.
    pub(super) fn text(&self) -> String {
        let lines = self
            .spans
            .iter()
            .flat_map(|(_, line)| [line.as_str(), "\n"]);
        lines.collect()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(run: &str, id: &str, parent: Option<&str>, start: u64) -> Arrived {
        Arrived {
            run: RunName {
                name: run.to_owned(),
                is_given: run.starts_with("given"),
            },
            id: id.to_owned(),
            parent: parent.map(str::to_owned),
            start,
            line: format!("{id} of {parent:?}"),
        }
    }

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn a_trace_waits_for_its_parents_and_then_a_while() {
        let (mut gathering, patience) = (Gathering::default(), Patience::default());
        let start = Instant::now();
        let due = |gathering: &Gathering, after| gathering.due(&patience, start + seconds(after));
        assert!(gathering.take(span("t", "c", Some("b"), 3), 1, start));
        assert!(!gathering.take(span("t", "c", Some("b"), 3), 2, start));
        assert!(gathering.take(span("t", "a", None, 1), 1, start));
        assert_eq!(due(&gathering, 59), None);
        assert_eq!(due(&gathering, 60), Some(("t".to_owned(), Why::Idle(1))));
        assert!(gathering.take(span("t", "b", Some("a"), 2), 2, start + seconds(5)));
        assert_eq!(due(&gathering, 14), None);
        assert_eq!(due(&gathering, 15), Some(("t".to_owned(), Why::Whole)));
        assert_eq!(gathering.first_file(), Some(1));
        let run = gathering.remove("t").expect("it is there");
        assert_eq!(
            run.text(),
            "a of None\nb of Some(\"a\")\nc of Some(\"b\")\n"
        );
        assert_eq!((gathering.bytes(), gathering.first_file()), (0, None));
    }

    #[test]
    fn a_run_that_was_named_waits_longer() {
        let (mut gathering, patience) = (Gathering::default(), Patience::default());
        let start = Instant::now();
        gathering.take(span("given", "a", None, 1), 1, start);
        assert_eq!(gathering.due(&patience, start + seconds(30)), None);
        let due = gathering.due(&patience, start + seconds(60));
        assert_eq!(due, Some(("given".to_owned(), Why::Idle(0))));
    }

    #[test]
    fn the_oldest_makes_room() {
        let mut gathering = Gathering::default();
        let patience = Patience {
            runs: 2,
            ..Patience::default()
        };
        let start = Instant::now();
        for (run, after) in [("z", 0), ("a", 1), ("m", 2)] {
            gathering.take(span(run, "a", Some("b"), 1), 1, start + seconds(after));
        }
        let due = gathering.due(&patience, start + seconds(3));
        assert_eq!(due, Some(("z".to_owned(), Why::Room)));
        gathering.remove("z");
        assert_eq!(gathering.due(&patience, start + seconds(3)), None);
    }
}
