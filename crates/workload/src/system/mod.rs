//! Labelled transition systems of any size, written as `.aut` text: where the checkers of such systems are measured.
//!
//! ```text
//! Options --fit--> Values --write--> lines of one system
//!                         --network-> component systems and the text that composes them
//! ```
//!
//! Each system is one file. The same options give the same bytes. A system is written as it is found, so only one whose
//! states must be searched for is held in memory.

mod aut;
mod bitalt;
mod explore;
mod philosophers;
mod random;
mod rank;
mod settings;

use std::io::{self, BufWriter, Write};

pub use aut::Sizes;
pub use settings::{Options, Range, Setting};

use crate::options::Unfit;
use settings::Values;

/// A family of transition systems.
#[derive(Clone, Copy, Debug)]
pub struct System {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub about: &'static str,
    /// What is known of it, in one sentence: how large it is, and what holds.
    pub facts: &'static str,
    /// What can be chosen.
    pub settings: &'static [Setting],
    write: fn(&Values, &mut dyn Write) -> io::Result<Sizes>,
    network: Option<fn(&Values) -> Network>,
}

/// A system as components that are composed while it is explored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Network {
    /// The components, each an `.aut` text under the name by which the composition calls it.
    pub components: Vec<Part>,
    /// The text that composes them.
    pub composition: Part,
}

/// A file of a network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The name of the file, without a folder.
    pub name: String,
    /// What it holds.
    pub text: String,
}

/// All systems.
pub fn systems() -> &'static [System] {
    SYSTEMS
}

/// The system with this name.
pub fn find(name: &str) -> Option<&'static System> {
    systems().iter().find(|system| system.name == name)
}

impl System {
    /// Holds options against what this system knows, so that one can complain before a file is made.
    pub fn check(&self, options: &Options) -> Result<(), Unfit> {
        settings::fit(self, options).map(|_| ())
    }

    /// Writes the system as one `.aut` text. Options that do not fit are an error of the kind `InvalidInput`.
    pub fn write(&self, options: &Options, out: &mut dyn Write) -> io::Result<Sizes> {
        let values = settings::fit(self, options)
            .map_err(|unfit| io::Error::new(io::ErrorKind::InvalidInput, unfit))?;
        let mut out = BufWriter::with_capacity(1 << 20, out);
        let sizes = (self.write)(&values, &mut out)?;
        out.flush()?;
        Ok(sizes)
    }

    /// Whether there is a network whose states and transitions are those that [`System::write`] writes.
    pub fn has_network(&self) -> bool {
        self.network.is_some()
    }

    /// The system as a network of components.
    pub fn network(&self, options: &Options) -> Result<Network, Unfit> {
        let values = settings::fit(self, options)?;
        let network = self.network.ok_or_else(|| Unfit {
            what: format!("`{}` has no components", self.name),
            help: "write it as one system".to_owned(),
        })?;
        Ok(network(&values))
    }
}

const SYSTEMS: &[System] = &[
    System {
        name: "bitalt",
        about: "The alternating-bit protocol over channels that lose and garble messages.",
        facts: "92 n^2 + 150 n states and 296 n^2 + 416 n - 6 transitions (n = 256 is b256 of paper MB-DSolve); \
                no deadlock, a livelock, and after each put a get or a livelock.",
        settings: bitalt::SETTINGS,
        write: bitalt::write,
        network: Some(bitalt::network),
    },
    System {
        name: "philosophers",
        about: "Dining philosophers, who each take two forks one after the other.",
        facts: "The number of states grows exponentially with n; one deadlock, in which all hold their left forks, and \
                none in the good mode.",
        settings: philosophers::SETTINGS,
        write: philosophers::write,
        network: Some(philosophers::network),
    },
    System {
        name: "rank",
        about: "Groups of states in ranks: a put jumps to the highest, every step leads down, the last one is a get.",
        facts: "groups * (depth + 1) states; no deadlock, no livelock, and after each put a get, unless the mode breaks it.",
        settings: rank::SETTINGS,
        write: rank::write,
        network: None,
    },
    System {
        name: "random",
        about: "Transitions with random labels to random states.",
        facts: "Deadlocks are likely, and so are states that cannot be reached.",
        settings: random::SETTINGS,
        write: random::write,
        network: None,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_told_apart() {
        for system in systems() {
            let same = systems().iter().filter(|other| other.name == system.name);
            assert_eq!(same.count(), 1, "{}", system.name);
            assert_eq!(find(system.name).map(|found| found.name), Some(system.name));
            for text in [system.about, system.facts] {
                assert!(text.ends_with('.'), "{text}");
            }
        }
        assert!(find("bitlat").is_none());
    }

    #[test]
    fn only_some_are_networks() {
        let refused = |name: &str| {
            let system = find(name).expect("a system");
            let network = system.network(&Options::default());
            assert_eq!(network.is_ok(), system.has_network());
            network.err().map(|unfit| unfit.to_string())
        };
        assert_eq!(refused("bitalt"), None);
        assert_eq!(
            refused("rank").as_deref(),
            Some("`rank` has no components: write it as one system")
        );
    }
}
