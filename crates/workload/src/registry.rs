//! All workloads by name: what each is, what goes wrong in its faulty version, and what must hold.

use causet_record::Value;

use crate::options::{Knob, Options, Procs};
use crate::protocol::{
    abp, ddph, filter, giop, peterson, philosophers, primary_secondary, pubsub, raft_election,
    random, ricart_agrawala, safra, snapshot, token_ring, two_phase_commit,
};
use crate::stage::Stage;

/// A protocol that can be played.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub about: &'static str,
    /// What its faulty version does wrong, in one sentence.
    pub fault: &'static str,
    /// The text of a property file that holds unless the protocol is faulty.
    pub properties: &'static str,
    /// How many processes it can have.
    pub procs: Procs,
    /// What else can be chosen.
    pub knobs: &'static [Knob],
    pub(crate) cast: fn(&Options) -> Cast,
    pub(crate) play: fn(&mut Stage<'_>),
}

/// The workload with this name.
pub fn find(name: &str) -> Option<&'static Workload> {
    all().iter().find(|workload| workload.name == name)
}

/// All workloads.
pub fn all() -> &'static [Workload] {
    WORKLOADS
}

const WORKLOADS: &[Workload] = &[
    Workload {
        name: "random",
        about: "Random writes, and messages between processes that count them.",
        fault: "A process counts a message twice.",
        properties: include_str!("../props/random.props"),
        procs: procs(1, 4, 10_000),
        knobs: random::KNOBS,
        cast: random::cast,
        play: random::play,
    },
    Workload {
        name: "peterson",
        about: "Peterson's lock for two processes, on shared variables.",
        fault: "A process enters without looking.",
        properties: include_str!("../props/peterson.props"),
        procs: procs(2, 2, 2),
        knobs: &[],
        cast: |options| peterson::cast(options.procs),
        play: peterson::play,
    },
    Workload {
        name: "filter",
        about: "The filter lock: Peterson's idea for any number of processes.",
        fault: "A process climbs to the next level without looking.",
        properties: include_str!("../props/filter.props"),
        procs: procs(2, 3, 1000),
        knobs: &[],
        cast: |options| filter::cast(options.procs),
        play: filter::play,
    },
    Workload {
        name: "abp",
        about: "The alternating-bit protocol over channels that lose messages.",
        fault: "The sender takes a wrong acknowledgement for the right one.",
        properties: include_str!("../props/abp.props"),
        procs: procs(2, 2, 2),
        knobs: &[],
        cast: |options| abp::cast(options.procs),
        play: abp::play,
    },
    Workload {
        name: "philosophers",
        about: "Dining philosophers with forks as shared variables.",
        fault: "A philosopher eats without the second fork.",
        properties: include_str!("../props/philosophers.props"),
        procs: procs(2, 3, 10_000),
        knobs: philosophers::KNOBS,
        cast: |options| philosophers::cast(options.procs),
        play: philosophers::play,
    },
    Workload {
        name: "ddph",
        about: "Dining philosophers by messages, as Chandy and Misra have them.",
        fault: "A philosopher eats without both forks.",
        properties: include_str!("../props/ddph.props"),
        procs: procs(3, 3, 10_000),
        knobs: &[],
        cast: |options| ddph::cast(options.procs),
        play: ddph::play,
    },
    Workload {
        name: "token-ring",
        about: "Mutual exclusion by a token that goes round a ring.",
        fault: "The token is lost at times, and replaced at times when it is only slow.",
        properties: include_str!("../props/token-ring.props"),
        procs: procs(2, 3, 10_000),
        knobs: &[],
        cast: |options| token_ring::cast(options.procs),
        play: token_ring::play,
    },
    Workload {
        name: "ricart-agrawala",
        about: "Mutual exclusion by permission of all others, requests ordered by Lamport's clocks.",
        fault: "A process gives its permission at once where it should wait.",
        properties: include_str!("../props/ricart-agrawala.props"),
        procs: procs(2, 3, 1000),
        knobs: &[],
        cast: |options| ricart_agrawala::cast(options.procs),
        play: ricart_agrawala::play,
    },
    Workload {
        name: "two-phase-commit",
        about: "Two-phase commit, one transaction after the other.",
        fault: "A participant that has voted yes gives up waiting and aborts.",
        properties: include_str!("../props/two-phase-commit.props"),
        procs: procs(2, 4, 1000),
        knobs: &[],
        cast: |options| two_phase_commit::cast(options.procs),
        play: two_phase_commit::play,
    },
    Workload {
        name: "raft-election",
        about: "The election of Raft: terms, votes, majorities, heartbeats.",
        fault: "A server forgets that it has voted.",
        properties: include_str!("../props/raft-election.props"),
        procs: procs(2, 3, 1000),
        knobs: &[],
        cast: |options| raft_election::cast(options.procs),
        play: raft_election::play,
    },
    Workload {
        name: "primary-secondary",
        about: "A primary and a secondary that know each other, and hand over to new ones.",
        fault: "The one who is replaced steps down before its successor is known.",
        properties: include_str!("../props/primary-secondary.props"),
        procs: procs(3, 4, 1000),
        knobs: &[],
        cast: |options| primary_secondary::cast(options.procs),
        play: primary_secondary::play,
    },
    Workload {
        name: "safra",
        about: "Safra's detection of termination on a ring (EWD 998).",
        fault: "A process stays white when it receives a message.",
        properties: include_str!("../props/safra.props"),
        procs: procs(2, 4, 10_000),
        knobs: &[],
        cast: |options| safra::cast(options.procs),
        play: safra::play,
    },
    Workload {
        name: "snapshot",
        about: "Snapshots by Chandy and Lamport of accounts that send each other money.",
        fault: "A process does not save the money that was under way.",
        properties: include_str!("../props/snapshot.props"),
        procs: procs(2, 3, 100),
        knobs: &[],
        cast: |options| snapshot::cast(options.procs),
        play: snapshot::play,
    },
    Workload {
        name: "pubsub",
        about: "Publishers, a broker, and subscribers that come and go.",
        fault: "The broker forgets to send a copy.",
        properties: include_str!("../props/pubsub.props"),
        procs: procs(3, 4, 1000),
        knobs: &[],
        cast: |options| pubsub::cast(options.procs),
        play: pubsub::play,
    },
    Workload {
        name: "giop",
        about: "Requests to an object that moves between servers, with GIOP's location forwarding.",
        fault: "A server that does not have the object answers all the same.",
        properties: include_str!("../props/giop.props"),
        procs: procs(3, 4, 1000),
        knobs: &[],
        cast: |options| giop::cast(options.procs),
        play: giop::play,
    },
];

const fn procs(least: usize, usual: usize, most: usize) -> Procs {
    Procs { least, usual, most }
}

/// Who plays, and what the variables hold at the beginning.
pub(crate) struct Cast {
    pub(crate) names: Vec<String>,
    pub(crate) shared: Vec<String>,
    pub(crate) init: Vec<(String, Value)>,
}

impl Cast {
    /// Processes p0, p1 and so on.
    pub(crate) fn numbered(procs: usize) -> Cast {
        Cast::named((0..procs).map(|number| format!("p{number}")))
    }

    /// Processes with names.
    pub(crate) fn named(names: impl IntoIterator<Item = impl Into<String>>) -> Cast {
        Cast {
            names: names.into_iter().map(Into::into).collect(),
            shared: Vec::new(),
            init: Vec::new(),
        }
    }

    /// A variable that several processes write, 0 at the beginning.
    pub(crate) fn shared(mut self, name: impl Into<String>) -> Cast {
        let name = name.into();
        self.init.push((name.clone(), Value::Int(0)));
        self.shared.push(name);
        self
    }

    /// A variable of one process, called `process.name`.
    pub(crate) fn init(mut self, name: &str, value: impl Into<Value>) -> Cast {
        self.init.push((name.to_owned(), value.into()));
        self
    }

    /// A variable of every process.
    pub(crate) fn each(self, name: &str, value: impl Into<Value>) -> Cast {
        let value = value.into();
        let owners = self.names.clone();
        owners.iter().fold(self, |cast, owner| {
            cast.init(&format!("{owner}.{name}"), value.clone())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_told_apart() {
        for workload in all() {
            assert_eq!(
                find(workload.name).map(|found| found.name),
                Some(workload.name)
            );
            let same = all().iter().filter(|other| other.name == workload.name);
            assert_eq!(same.count(), 1, "{}", workload.name);
            for text in [workload.about, workload.fault] {
                assert!(text.ends_with('.'), "{text}");
            }
        }
        assert!(find("peterso").is_none());
    }
}
