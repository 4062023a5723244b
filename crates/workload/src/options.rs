//! What a person may ask of a workload, and what is wrong with it when it cannot be had.

use std::collections::BTreeMap;
use std::fmt;

use crate::registry::Workload;

/// The size and the chance of one run; missing numbers are the usual ones of the workload.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Request {
    /// How many processes.
    pub procs: Option<usize>,
    /// How many events; a run that cannot go on has fewer.
    pub events: u64,
    /// Where chance begins: the same seed gives the same bytes.
    pub seed: u64,
    /// Whether the protocol is built with its mistake.
    pub faulty: bool,
    /// The knobs of this workload, by name.
    pub knobs: BTreeMap<String, u64>,
}

impl Default for Request {
    fn default() -> Self {
        Request {
            procs: None,
            events: 1000,
            seed: 1,
            faulty: false,
            knobs: BTreeMap::new(),
        }
    }
}

/// A number that only some workloads have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Knob {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Its value unless told otherwise.
    pub usual: u64,
    /// Its greatest value.
    pub most: u64,
}

/// How many processes a workload has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Procs {
    /// The smallest number that makes sense.
    pub least: usize,
    /// The number unless told otherwise.
    pub usual: usize,
    /// The greatest number.
    pub most: usize,
}

/// A request that fits its workload: every number is there and within its limits.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) procs: usize,
    pub(crate) events: u64,
    pub(crate) seed: u64,
    pub(crate) faulty: bool,
    knobs: BTreeMap<&'static str, u64>,
}

impl Options {
    /// The value of a knob that the workload declares; 0 for any other.
    pub(crate) fn knob(&self, name: &str) -> u64 {
        self.knobs.get(name).copied().unwrap_or_default()
    }
}

/// What is wrong with a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unfit {
    /// What is wrong.
    pub what: String,
    /// What could be asked for instead.
    pub help: String,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.help)
    }
}

impl std::error::Error for Unfit {}

/// Holds a request against its workload.
pub(crate) fn fit(workload: &Workload, request: &Request) -> Result<Options, Unfit> {
    Ok(Options {
        procs: procs(workload, request)?,
        events: request.events,
        seed: request.seed,
        faulty: request.faulty,
        knobs: knobs(workload, request)?,
    })
}

fn procs(workload: &Workload, request: &Request) -> Result<usize, Unfit> {
    let Procs { least, usual, most } = workload.procs;
    let asked = request.procs.unwrap_or(usual);
    if (least..=most).contains(&asked) {
        return Ok(asked);
    }
    let name = workload.name;
    let help = if least == most {
        format!("it has always {least}; leave the number out")
    } else {
        format!("ask for {least} to {most}")
    };
    Err(Unfit {
        what: format!("`{name}` cannot have {asked} processes"),
        help,
    })
}

fn knobs(workload: &Workload, request: &Request) -> Result<BTreeMap<&'static str, u64>, Unfit> {
    let name = workload.name;
    let mut knobs: BTreeMap<&'static str, u64> = workload
        .knobs
        .iter()
        .map(|knob| (knob.name, knob.usual))
        .collect();
    for (asked, &value) in &request.knobs {
        let Some(knob) = workload.knobs.iter().find(|knob| knob.name == *asked) else {
            return Err(Unfit {
                what: format!("`{name}` has no knob `{asked}`"),
                help: known(workload),
            });
        };
        if value > knob.most {
            return Err(Unfit {
                what: format!("`{asked}` cannot be {value}"),
                help: format!("it goes from 0 to {}", knob.most),
            });
        }
        knobs.insert(knob.name, value);
    }
    Ok(knobs)
}

fn known(workload: &Workload) -> String {
    let names: Vec<&str> = workload.knobs.iter().map(|knob| knob.name).collect();
    if names.is_empty() {
        "it has none".to_owned()
    } else {
        format!("it has {}", names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;

    fn refused(name: &str, request: &Request) -> String {
        let workload = find(name).expect("a workload");
        fit(workload, request).expect_err("a refusal").to_string()
    }

    #[test]
    fn numbers_out_of_range_are_refused_with_the_range() {
        let request = Request {
            procs: Some(3),
            ..Request::default()
        };
        assert_eq!(
            refused("peterson", &request),
            "`peterson` cannot have 3 processes: it has always 2; leave the number out"
        );
        let request = Request {
            procs: Some(1),
            ..Request::default()
        };
        assert!(refused("filter", &request).contains("ask for 2 to"));
    }

    #[test]
    fn unknown_knobs_are_refused_with_the_known_ones() {
        let request = Request {
            knobs: BTreeMap::from([("wrok".to_owned(), 4)]),
            ..Request::default()
        };
        assert!(refused("philosophers", &request).ends_with("it has work"));
        assert!(refused("peterson", &request).ends_with("it has none"));
        let request = Request {
            knobs: BTreeMap::from([("work".to_owned(), 4000)]),
            ..Request::default()
        };
        assert!(refused("philosophers", &request).contains("goes from 0 to"));
    }
}
