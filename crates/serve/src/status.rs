//! How a run is, for whoever asks: figures for all runs, and for one that somebody looks at its processes too.

use std::collections::BTreeMap;
use std::time::Instant;

use causet_check::stream::{Monitor, Standing};
use causet_trace::ProcessId;
use serde::Serialize;

use crate::run::Run;

/// How a run is.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// What it is called.
    pub run: String,
    /// How many processes it has.
    pub processes: usize,
    /// How many events of each process were taken, if that was asked: the answer comes when they are safe.
    pub have: BTreeMap<String, u32>,
    /// How many events of each process wait for those of others, if that was asked.
    pub lags: BTreeMap<String, u32>,
    /// How many do of the process of which most do.
    pub lag: u32,
    /// How many seconds ago it last took something.
    pub quiet: f64,
    /// How many events were taken.
    pub events: u64,
    /// How many wait for others that have not come.
    pub waiting: usize,
    /// Processes, each with what is missing of it or for it.
    pub missing: Vec<(String, String)>,
    /// How many lines are held that are ahead of their process.
    pub held: usize,
    /// How many events arrived that had been taken before.
    pub again: u64,
    /// What has become of each property.
    pub properties: Vec<(String, &'static str, Option<String>)>,
}

impl Status {
    /// How a run is that last took something then, without its processes.
    pub fn of(run: &Run, heard: Instant) -> Status {
        let monitor = run.monitor();
        let state = |standing: &Standing| match standing {
            Standing::Waiting(why) => ("waiting", Some(why.clone())),
            Standing::Followed => ("followed", None),
            Standing::AtEnd(why) => ("at the end", Some(why.clone())),
            Standing::Certain(shown) if shown.holds => ("holds", None),
            Standing::Certain(_) => ("violated", None),
            Standing::GivenUp(spent) => ("unknown", Some(spent.to_string())),
            Standing::Refused(error) => ("refused", Some(error.message.clone())),
        };
        let properties = monitor.standings().map(|(property, standing)| {
            let (word, why) = state(standing);
            (property.name.clone(), word, why)
        });
        Status {
            run: run.name().to_owned(),
            processes: monitor.process_count(),
            have: BTreeMap::new(),
            lags: BTreeMap::new(),
            lag: lags(monitor).max().unwrap_or_default(),
            quiet: heard.elapsed().as_secs_f64(),
            events: monitor.events(),
            waiting: monitor.waiting(),
            missing: run.missing(),
            held: run.held(),
            again: run.again(),
            properties: properties.collect(),
        }
    }

    /// The same with its processes.
    pub fn with_processes(run: &Run, heard: Instant) -> Status {
        let monitor = run.monitor();
        let names = monitor.processes().map(str::to_owned);
        Status {
            have: run.have(),
            lags: names.zip(lags(monitor)).collect(),
            ..Status::of(run, heard)
        }
    }
}

/// How many events of each process wait for those of others; nothing while no property is followed.
fn lags(monitor: &Monitor) -> impl Iterator<Item = u32> {
    let passed = monitor.passed().into_iter().zip(0..);
    passed.map(|(passed, number)| {
        monitor
            .events_of(ProcessId::new(number))
            .saturating_sub(passed)
    })
}
