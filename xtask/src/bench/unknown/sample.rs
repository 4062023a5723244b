//! The sample: seeded runs of the protocols, and properties of each.

use std::path::Path;

use super::generate::Generator;
use super::property::{LOGICS, Property, own_properties};
use super::random::Rng;
use super::vocabulary::Vocabulary;

/// The protocols of `causet gen`, with the least and the greatest number of processes in the sample.
const PROTOCOLS: [(&str, usize, usize); 15] = [
    ("random", 2, 100),
    ("peterson", 2, 2),
    ("filter", 2, 100),
    ("abp", 2, 2),
    ("philosophers", 2, 100),
    ("ddph", 3, 100),
    ("token-ring", 2, 100),
    ("ricart-agrawala", 2, 100),
    ("two-phase-commit", 2, 100),
    ("raft-election", 2, 100),
    ("primary-secondary", 3, 100),
    ("safra", 2, 100),
    ("snapshot", 2, 100),
    ("pubsub", 3, 100),
    ("giop", 3, 100),
];
/// The least and the greatest number of events.
const EVENTS: (usize, usize) = (1_000, 1_000_000);
/// How many properties share a run.
pub(super) const PROPERTIES_PER_RUN: usize = 15;
/// How many of a hundred properties belong to the protocol.
const OWN: usize = 25;
/// How often each logic is drawn, of a hundred, in the order of [`LOGICS`].
const WEIGHTS: [usize; 6] = [32, 26, 12, 12, 8, 10];

/// A run of the sample.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SampleRun {
    pub(super) protocol: &'static str,
    pub(super) procs: usize,
    pub(super) events: usize,
    pub(super) seed: usize,
    pub(super) faulty: bool,
}

impl SampleRun {
    /// The run with this number.
    pub(super) fn draw(rng: &mut Rng) -> SampleRun {
        let (protocol, least, most) = rng.one_of(PROTOCOLS);
        SampleRun {
            protocol,
            procs: rng.log_uniform(least, most),
            events: rng.log_uniform(EVENTS.0, EVENTS.1),
            seed: 1 + rng.below(1_000_000),
            faulty: rng.chance(50),
        }
    }

    /// The arguments of `causet gen`, without the files to write.
    pub(super) fn arguments(&self) -> String {
        let faulty = if self.faulty { " --faulty" } else { "" };
        format!(
            "{} --procs {} --events {} --seed {}{faulty}",
            self.protocol, self.procs, self.events, self.seed
        )
    }
}

/// So many properties of a run, no two alike.
pub(super) fn properties(
    rng: &mut Rng,
    run: &SampleRun,
    trace: &Path,
    own: &str,
    count: usize,
) -> Result<Vec<Property>, String> {
    let vocabulary = Vocabulary::read(trace)?;
    let own = own_properties(own);
    let mut generator = Generator::new(rng, &vocabulary, run.events);
    let mut drawn: Vec<Property> = Vec::new();
    for _ in 0..count {
        let property = draw(&mut generator, &own);
        if !drawn.iter().any(|other| other.text == property.text) {
            drawn.push(property);
        }
    }
    while drawn.len() < count {
        let property = draw(&mut generator, &[]);
        if !drawn.iter().any(|other| other.text == property.text) {
            drawn.push(property);
        }
    }
    Ok(drawn)
}

/// One of the protocol's own properties, or a random one.
fn draw(generator: &mut Generator<'_>, own: &[Property]) -> Property {
    if generator.rng.chance(OWN)
        && let Some(property) = generator.rng.pick(own)
    {
        return property.clone();
    }
    let logic = draw_logic(generator.rng);
    generator.property(logic)
}

fn draw_logic(rng: &mut Rng) -> &'static str {
    let mut drawn = rng.below(WEIGHTS.iter().sum());
    for (logic, weight) in LOGICS.into_iter().zip(WEIGHTS) {
        if drawn < weight {
            return logic;
        }
        drawn -= weight;
    }
    LOGICS[0]
}
